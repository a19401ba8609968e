/* price.c — see price.h. A kernel takes its operations, and its bytes from where they are; a product what was measured
 * for its shape, and what its factors take more because they are further away than they were then. */
#include "price.h"

#include <math.h>
#include <string.h>

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

/* Loads and stores, in vectors. */
static double price_moves(const struct machine_processor *p, double bytes)
{
	return 2 * bytes / 4 / p->operation[OPERATION_ARITHMETIC];
}

double price_copy(const struct machine_processor *p, double bytes)
{
	/* Read, and written where something else was. */
	return fmax(price_moves(p, bytes), 1.5 * curve_time(&p->memory, 2 * bytes));
}

/* Shapes were measured again and again, with nothing in between: what a turn takes holds the time of its bytes at the
 * distance of its own, in all of the caches. */
static double price_factors(const struct machine_processor *p, const struct step_work *w)
{
	double near = curve_rate(&p->memory, work_bytes(w) / w->turns / fmax(p->crowd, 1)), time = 0;
	for (int i = 0; i < w->reuses.all.n; i++) {
		const struct reuse *r = &w->reuses.all.at[i];
		double more = 1 / curve_rate(&p->memory, r->distance) - 1 / near;
		time += more > 0 ? r->bytes * more : 0;
	}
	return time;
}

/* An operation outside of vectors takes as much longer than an addition as it does in them. Bytes come while others are
 * computed with: of both, what takes longer is all of the time. */
static void kernel_parts(const struct machine_processor *p, const struct step_work *w, double *part)
{
	const struct kernel_work *k = &w->kernel;
	double bytes = price_memory(p, &w->reuses), operations = 0;
	for (int o = 0; o < OPERATIONS; o++)
		operations += k->vector[o] / p->operation[o];
	bool waits = bytes > operations;
	part[PRICE_START] = p->start[START_KERNEL] + k->loops * p->start[START_LOOP];
	part[PRICE_MEMORY] = waits ? bytes : 0;
	for (int o = 0; o < OPERATIONS; o++) {
		part[PRICE_OPERATION + o] += waits ? 0 : k->vector[o] / p->operation[o];
		part[PRICE_OPERATION + OPERATION_SCALAR] += k->single[o] / p->operation[OPERATION_SCALAR] *
							    p->operation[OPERATION_ARITHMETIC] / p->operation[o];
	}
}

static void copy_parts(const struct machine_processor *p, const struct step_work *w, double *part)
{
	double bytes = price_memory(p, &w->reuses), moves = price_moves(p, w->amount);
	part[bytes > moves ? PRICE_MEMORY : PRICE_OPERATION + OPERATION_ARITHMETIC] = fmax(bytes, moves);
}

void price_parts(const struct machine_processor *p, const struct step_work *w, double *part)
{
	memset(part, 0, PRICE_PARTS * sizeof *part);
	if (w->kind != WORK_NONE && w->kind != WORK_PRODUCT)
		part[PRICE_START] = p->start[START_KERNEL];
	switch (w->kind) {
	case WORK_KERNEL:
		kernel_parts(p, w, part);
		break;
	case WORK_PRODUCT:
		part[PRICE_PRODUCT + w->type] =
			w->turns * machine_product_time(p, (int)w->type, w->m, w->n, w->k) + price_factors(p, w);
		part[PRICE_OPERATION + OPERATION_PACK] = w->amount / p->operation[OPERATION_PACK];
		break;
	case WORK_SORT:
		part[PRICE_OPERATION + OPERATION_SORT] = w->amount / p->operation[OPERATION_SORT];
		break;
	case WORK_FACTORS:
		part[PRICE_OPERATION + OPERATION_ARITHMETIC] =
			w->turns * machine_factors_time(p, w->way, w->type == DT_F64, w->amount);
		break;
	case WORK_FOURIER:
		part[PRICE_OPERATION + OPERATION_ARITHMETIC] = w->amount / p->operation[OPERATION_ARITHMETIC];
		break;
	case WORK_COPY:
		copy_parts(p, w, part);
		break;
	case WORK_CHECK:
		part[PRICE_OPERATION + OPERATION_SCALAR] = w->amount / p->operation[OPERATION_SCALAR];
		break;
	case WORK_NONE:
	case WORK_TURN:
		break;
	}
}

double price_step_work(const struct machine_processor *p, const struct step_work *w)
{
	double part[PRICE_PARTS], time = 0;
	price_parts(p, w, part);
	for (int i = 0; i < PRICE_PARTS; i++)
		time += part[i];
	return time;
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
