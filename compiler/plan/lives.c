/* lives.c — from which step to which a buffer is needed. One that is made before a loop and read in it, or made in it
 * and read behind, is needed in all of it, since turns follow each other; so are those that a loop names, which hold
 * what goes from turn to turn. What is made and read in one turn is not. */
#include "planner.h"

static void use(struct buffer *b, int from, int to)
{
	b->first_step = b->first_step < 0 || from < b->first_step ? from : b->first_step;
	b->last_step = to > b->last_step ? to : b->last_step;
}

static void find_uses(struct plan *plan)
{
	for (int i = 0; i < plan->buffers.n; i++)
		plan->buffers.at[i].first_step = plan->buffers.at[i].last_step = -1;
	for (int i = 0; i < plan->steps.n; i++) {
		int used[64], n = 0;
		const struct plan_step *s = &plan->steps.at[i];
		for (int more = 0; (n = plan_step_buffers(s, used, 64, more)) > 0; more += n)
			for (int k = 0; k < n; k++)
				use(&plan->buffers.at[used[k]], i, i);
	}
}

/* True if b lives longer than before. */
static bool cross_loops(const struct plan *plan, struct buffer *b)
{
	bool grows = false;
	for (int i = 0; i < plan->loops.n; i++) {
		const struct plan_loop *l = &plan->loops.at[i];
		bool before = b->first_step < l->begin && b->last_step >= l->begin && b->last_step < l->end;
		bool behind = b->last_step > l->end && b->first_step <= l->end && b->first_step > l->begin;
		if (before || behind)
			use(b, l->begin, l->end);
		grows = grows || before || behind;
	}
	return grows;
}

/* What a moving buffer may lie in is there as long as it is. */
static bool carry_along(struct plan *plan, const struct buffer *b)
{
	bool grows = false;
	for (int i = 0; i < b->within.n && b->first_step >= 0; i++) {
		struct buffer *x = &plan->buffers.at[b->within.at[i]];
		if (x->first_step >= 0 && x->first_step <= b->first_step && x->last_step >= b->last_step)
			continue;
		use(x, b->first_step, b->last_step);
		grows = true;
	}
	return grows;
}

void plan_measure_lives(struct plan *plan)
{
	find_uses(plan);
	for (bool grows = plan->loops.n > 0; grows;) {
		grows = false;
		for (int i = 0; i < plan->buffers.n; i++) {
			struct buffer *b = &plan->buffers.at[i];
			grows |= b->first_step >= 0 && cross_loops(plan, b);
			grows |= carry_along(plan, b);
		}
	}
}
