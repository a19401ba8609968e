/* steps.c — the steps of a program: turns of loops that the compiler marks (compiler/elaborate/steps.c). */
#include "rt.h"

int64_t rt_step(const struct pmlrt *rt)
{
	return rt->resumed_step + atomic_load_explicit(&rt->step, memory_order_relaxed);
}

bool pmlrt_steps_left(struct pmlrt *rt)
{
	rt->has_steps = true;
	return atomic_load_explicit(&rt->step, memory_order_relaxed) < rt->options.steps;
}

void pmlrt_step(struct pmlrt *rt)
{
	atomic_store_explicit(&rt->step, atomic_load_explicit(&rt->step, memory_order_relaxed) + 1,
			      memory_order_relaxed); /* which nobody else writes */
}
