/* price.c — see price.h. A kernel takes as long as its operations or its bytes, whichever is longer; a product what was
 * measured for its shape; whatever moves bytes, the bytes at the rate of memory. */
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

static double price_product(const struct machine_processor *p, const struct step_work *w)
{
	return w->turns * machine_product_time(p, (int)w->type, w->m, w->n, w->k) +
	       w->amount / p->operation[OPERATION_PACK];
}

double price_step_work(const struct machine_processor *p, const struct step_work *w)
{
	switch (w->kind) {
	case WORK_NONE:
		return 0;
	case WORK_KERNEL:
		return price_work(p, &w->kernel);
	case WORK_PRODUCT:
		return price_product(p, w);
	case WORK_SORT:
		return p->start[START_KERNEL] + w->amount / p->operation[OPERATION_SORT];
	case WORK_COPY:
		return p->start[START_KERNEL] + price_copy(p, w->amount);
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
