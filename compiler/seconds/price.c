/* price.c — see price.h. A kernel takes its operations, and its bytes from where they are; a product what was measured
 * for its shape, and what its factors take more because they are further away than they were then. */
#include "price.h"

struct price price_on(struct arena *a, const struct program *p, const struct machine_processor *processor)
{
	return (struct price){processor, works_of(a, p, (int)processor->vector_bytes)};
}

static const char *step_missing(struct arena *a, const struct plan_step *s, const struct machine_processor *processor)
{
	if (s->kind != STEP_GEMM)
		return NULL;
	if (s->gemm->exact)
		return arena_printf(a, "products as --reproducible makes them");
	if (!processor->has_products[plan_product_type(s->gemm)])
		return arena_printf(a, "products of %s", dtype_text(plan_product_type(s->gemm)));
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

double price_memory(const struct machine_processor *p, const struct reuses *r)
{
	double time = 0;
	for (int i = 0; i < r->all.n; i++)
		time += r->all.at[i].bytes / curve_rate(&p->memory, r->all.at[i].distance);
	return time;
}

/* An operation outside of vectors takes as much longer than an addition as it does in them. */
static double price_operations(const struct machine_processor *p, const struct kernel_work *w)
{
	double time = w->loops * p->start[START_LOOP];
	for (int o = 0; o < OPERATIONS; o++) {
		time += w->vector[o] / p->operation[o];
		time += w->single[o] / p->operation[OPERATION_SCALAR] * p->operation[OPERATION_ARITHMETIC] /
			p->operation[o];
	}
	return time;
}

/* Loads and stores, in vectors. */
static double price_moves(const struct machine_processor *p, double bytes)
{
	return 2 * bytes / 4 / p->operation[OPERATION_ARITHMETIC];
}

double price_copy(const struct machine_processor *p, double bytes)
{
	return price_moves(p, bytes) + curve_time(&p->memory, 2 * bytes);
}

/* Shapes were measured again and again, with nothing in between: what they took holds the time of their bytes at the
 * distance of their own. */
static double price_factors(const struct machine_processor *p, const struct step_work *w)
{
	double near = curve_rate(&p->memory, work_bytes(w)), time = 0;
	for (int i = 0; i < w->reuses.all.n; i++) {
		const struct reuse *r = &w->reuses.all.at[i];
		double more = 1 / curve_rate(&p->memory, r->distance) - 1 / near;
		time += more > 0 ? r->bytes * more : 0;
	}
	return time;
}

static double price_product(const struct machine_processor *p, const struct step_work *w)
{
	return w->turns * machine_product_time(p, (int)w->type, w->m, w->n, w->k) +
	       w->amount / p->operation[OPERATION_PACK] + price_factors(p, w);
}

double price_step_work(const struct machine_processor *p, const struct step_work *w)
{
	switch (w->kind) {
	case WORK_NONE:
		return 0;
	case WORK_KERNEL:
		return p->start[START_KERNEL] + price_operations(p, &w->kernel) + price_memory(p, &w->reuses);
	case WORK_PRODUCT:
		return price_product(p, w);
	case WORK_SORT:
		return p->start[START_KERNEL] + w->amount / p->operation[OPERATION_SORT];
	case WORK_COPY:
		return p->start[START_KERNEL] + price_moves(p, w->amount) + price_memory(p, &w->reuses);
	case WORK_CHECK:
		return p->start[START_KERNEL] + w->amount / p->operation[OPERATION_SCALAR];
	case WORK_TURN:
		return p->start[START_KERNEL];
	}
	return 0;
}

double price_step(struct price *x, const struct plan *plan, const struct plan_step *s)
{
	struct step_work w = step_work(&x->works, plan, s);
	return price_step_work(x->processor, &w);
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
