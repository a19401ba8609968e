/* price.c — see price.h. A kernel takes as long as its operations or its bytes, whichever is longer; a product what was
 * measured for its shape; whatever moves bytes, the bytes at the rate of memory. */
#include "price.h"

struct price price_on(struct arena *a, const struct program *p, const struct machine_processor *processor)
{
	return (struct price){.program = p,
			      .processor = processor,
			      .work = ARENA_ARRAY(a, struct kernel_work, p->kernels.n),
			      .counted = ARENA_ARRAY(a, bool, p->kernels.n)};
}

/* Products that round their factors take as long as those of what they are rounded to. */
static enum dtype type_of_product(const struct plan_gemm *g)
{
	return g->factors == DT_F32 ? g->type : g->factors;
}

static const char *step_missing(struct arena *a, const struct plan_step *s, const struct machine_processor *processor)
{
	if (s->kind != STEP_GEMM)
		return NULL;
	if (s->gemm->exact)
		return arena_printf(a, "products as --reproducible makes them");
	if (!processor->has_products[type_of_product(s->gemm)])
		return arena_printf(a, "products of %s", dtype_text(type_of_product(s->gemm)));
	return NULL;
}

const char *price_missing(struct arena *a, const struct program *p, const struct machine_processor *processor)
{
	const char *missing = NULL;
	for (int i = 0; i < p->roles.n; i++)
		for (int r = 0; r < p->regions.n; r++) {
			const struct plan *plan = p->roles.at[i]->plans[r];
			for (int k = 0; plan && k < plan->steps.n && !missing; k++)
				missing = step_missing(a, &plan->steps.at[k], processor);
		}
	return missing;
}

/* An operation outside of vectors takes as much longer than an addition as it does in them. */
double price_work(const struct machine_processor *p, const struct kernel_work *w)
{
	double time = w->loops * p->start[START_LOOP], bytes = w->bytes / curve_rate(&p->memory, w->bytes);
	for (int o = 0; o < OPERATIONS; o++) {
		time += w->vector[o] / p->operation[o];
		time += w->single[o] / p->operation[OPERATION_SCALAR] * p->operation[OPERATION_ARITHMETIC] /
			p->operation[o];
	}
	return p->start[START_KERNEL] + (time > bytes ? time : bytes);
}

double price_copy(const struct machine_processor *p, double bytes)
{
	return curve_time(&p->memory, 2 * bytes);
}

static double buffer_bytes(const struct plan *plan, int b)
{
	return b < 0 ? 0 : (double)plan->buffers.at[b].elements * (double)dtype_size(plan->buffers.at[b].type);
}

/* Elements that are gathered into a matrix, in all turns in which it is another one. */
static double packed_elements(const struct plan_gemm *g, const struct product_pack *pack)
{
	if (!pack)
		return 0;
	double elements = (double)product_pack_elements(pack);
	for (int i = 0; i < g->nloops; i++) {
		bool moves = false;
		for (int d = 0; d < pack->rank; d++)
			moves |= pack->loop[i][d] != 0;
		elements *= moves ? (double)g->loop[i].extent : 1;
	}
	return elements;
}

static double price_product(const struct machine_processor *p, const struct plan_gemm *g)
{
	double turns = 1, size = (double)dtype_size(g->type) / 4;
	for (int i = 0; i < g->nloops; i++)
		turns *= (double)g->loop[i].extent;
	double packed = packed_elements(g, g->pack_a) + packed_elements(g, g->pack_b);
	return turns * machine_product_time(p, (int)type_of_product(g), g->m, g->n, g->k) +
	       packed * size / p->operation[OPERATION_PACK];
}

/* Levels of a comparison sort: what ranking_flops counts, two for each element and level. */
static double price_sort(const struct machine_processor *p, const struct plan_step *s)
{
	return p->start[START_KERNEL] +
	       (double)s->flops / 2 * (double)dtype_size(s->sorted->type) / 4 / p->operation[OPERATION_SORT];
}

static const struct kernel_work *work_of(struct price *x, const struct kernel *k)
{
	if (!x->counted[k->id]) {
		x->work[k->id] = kernel_work(k, (int)x->processor->vector_bytes);
		x->counted[k->id] = true;
	}
	return &x->work[k->id];
}

double price_step(struct price *x, const struct plan *plan, const struct plan_step *s)
{
	const struct machine_processor *p = x->processor;
	switch (s->kind) {
	case STEP_KERNEL:
		return price_work(p, work_of(x, s->kernel));
	case STEP_GEMM:
		return price_product(p, s->gemm);
	case STEP_SORTED:
		return price_sort(p, s);
	case STEP_CHECK:
		return p->start[START_KERNEL] +
		       (double)plan->buffers.at[s->src].elements / p->operation[OPERATION_SCALAR];
	case STEP_BATCH_READ:
	case STEP_COPY:
		return p->start[START_KERNEL] + price_copy(p, buffer_bytes(plan, s->dst));
	case STEP_LOOP_TEST:
	case STEP_LOOP_END:
		return p->start[START_KERNEL];
	case STEP_TRANSFER_BEGIN:
	case STEP_TRANSFER_END:
	case STEP_EXCHANGE:
	case STEP_HAND:
	case STEP_RESULT:
	case STEP_PASS_BEGIN:
	case STEP_LOOP_BEGIN:
		return 0;
	}
	return 0;
}

double price_plan(struct price *x, const struct plan *plan)
{
	double time = x->processor->start[START_REGION];
	for (int i = 0; i < plan->steps.n; i++) {
		double times = 1;
		for (int l = 0; l < plan->loops.n; l++) {
			const struct plan_loop *loop = &plan->loops.at[l];
			if (i > loop->begin && i <= loop->end && loop->turns >= 0)
				times *= (double)loop->turns;
		}
		time += times * price_step(x, plan, &plan->steps.at[i]);
	}
	return time;
}
