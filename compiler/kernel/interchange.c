/* interchange.c — puts the loop along which a load reads neighbours just around the vector loop, where the load's lanes
 * are far apart: the backend then works on both tile by tile (backend/kernel_tile.c). Only in nests of plain values,
 * whose points have no order. */
#include "lower.h"

enum { MAX_NEST = 2 * MAX_FACTORS };

/* The loops of a nest with nothing between them, the last of which is a vector loop; 0: it is none. */
static int find_nest(struct kernel_instr *loop, struct kernel_instr **nest)
{
	int n = 0;
	for (; loop && loop->kind == K_LOOP && !loop->naccs && n < MAX_NEST; loop = loop->body) {
		nest[n++] = loop;
		if (loop->vector)
			return n;
		if (loop->body && loop->body->next)
			return 0;
	}
	return 0;
}

static bool is_plain(const struct kernel_instr *body)
{
	for (const struct kernel_instr *in = body; in; in = in->next) {
		if (in->kind == K_LOOP || in->kind == K_REDUCE || in->kind == K_PREFIX)
			return false;
		if (in->kind == K_LOAD && kernel_stores_to(body, in->param))
			return false;
	}
	return true;
}

/* The loop of the nest that should be next to the vector loop, or -1. */
static int unit_loop(struct kernel_instr *const *nest, int n)
{
	int vector = nest[n - 1]->loop, found = -1;
	for (const struct kernel_instr *in = nest[n - 1]->body; in; in = in->next) {
		int64_t step = in->kind == K_LOAD ? affine_coef(&in->at, vector) : 0;
		if (step >= -1 && step <= 1)
			continue;
		for (int i = 0; i < n - 1; i++)
			if (affine_coef(&in->at, nest[i]->loop) == 1 && nest[i]->extent > 1) {
				if (i == n - 2)
					return -1;
				found = i;
			}
	}
	return found;
}

/* Exchanges what two loops count, not what they hold. */
static void exchange(struct kernel_instr *x, struct kernel_instr *y)
{
	struct kernel_instr t = *x;
	x->loop = y->loop;
	x->loop_name = y->loop_name;
	x->extent = y->extent;
	y->loop = t.loop;
	y->loop_name = t.loop_name;
	y->extent = t.extent;
}

void kernel_interchange(struct kernel *k)
{
	for (struct kernel_instr *in = k->body; in; in = in->next) {
		struct kernel_instr *nest[MAX_NEST];
		int n = in->kind == K_LOOP ? find_nest(in, nest) : 0;
		int unit = n > 2 && is_plain(nest[n - 1]->body) ? unit_loop(nest, n) : -1;
		for (int i = unit; i >= 0 && i < n - 2; i++)
			exchange(nest[i], nest[i + 1]);
	}
}
