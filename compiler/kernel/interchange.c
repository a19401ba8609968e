/* interchange.c — puts the loop along which a load reads neighbours just around the vector loop, where the load's lanes
 * are far apart: the backend then works on both tile by tile (backend/kernel_tile.c). Where lanes would be few, since
 * the innermost dimension of a result is that of colours or coordinates, the lanes are those of the dimension before
 * it, and the few are written out: their stores fill one another's gaps (backend/kernel_stride.c).
 *
 *   loop i { vloop c 3 { store y[3*i + c] } }     becomes     vloop i { store y[3*i]; store y[3*i + 1]; store y[3*i +
 * 2] }
 *
 * So is a short loop around lanes that are as far apart, as of the parts that a transposed convolution is made in.
 *
 * Only in nests of plain values, whose points have no order. */
#include "across.h"
#include "build.h"
#include "lower.h"
#include "phases.h"

enum { MAX_NEST = 2 * MAX_FACTORS, LEAST_LANES = 16, MOST_WRITTEN_OUT = 96 };

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

void kernel_exchange_loops(struct kernel_instr *x, struct kernel_instr *y)
{
	struct kernel_instr t = *x;
	x->loop = y->loop;
	x->loop_name = y->loop_name;
	x->extent = y->extent;
	y->loop = t.loop;
	y->loop_name = t.loop_name;
	y->extent = t.extent;
}

/* ---- few lanes ---- */

/* Whether lanes along `loop` find what they read side by side or a few elements apart, and write what turns of the
 * short loop write side by side. */
static bool suits_lanes(const struct kernel_instr *body, int loop, const struct kernel_instr *few)
{
	for (const struct kernel_instr *in = body; in; in = in->next) {
		int64_t step = affine_coef(&in->at, loop);
		if (in->kind == K_LOAD && (in->at.reg >= 0 || step < 0 || step > MAX_APART))
			return false;
		if (in->kind == K_STORE &&
		    (in->at.reg >= 0 || in->guard >= 0 || step != few->extent || affine_coef(&in->at, few->loop) != 1))
			return false;
	}
	return true;
}

/* Whether turns of a loop are few enough for the body of the nest. */
static bool is_few(const struct kernel_instr *loop, const struct kernel_instr *body)
{
	return loop->extent >= 2 && loop->extent <= MAX_APART && loop->extent * kernel_length(body) <= MOST_WRITTEN_OUT;
}

/* The loop of the nest whose turns should be lanes instead of those of the last, or -1. */
static int long_loop(struct kernel_instr *const *nest, int n)
{
	const struct kernel_instr *few = nest[n - 1];
	for (int i = is_few(few, few->body) ? n - 2 : -1; i >= 0; i--)
		if (nest[i]->extent >= LEAST_LANES && suits_lanes(few->body, nest[i]->loop, few))
			return i;
	return -1;
}

/* The loop of the nest whose turns fill the gaps between what lanes of the last one write, or -1. */
static int gap_loop(struct kernel_instr *const *nest, int n)
{
	const struct kernel_instr *lanes = nest[n - 1];
	for (int i = lanes->extent >= LEAST_LANES ? n - 2 : -1; i >= 0; i--)
		if (is_few(nest[i], lanes->body) && suits_lanes(lanes->body, lanes->loop, nest[i]))
			return i;
	return -1;
}

/* Whether the kernel can be made again (phases.h). */
static bool can_be_made(const struct kernel_instr *body)
{
	for (const struct kernel_instr *in = body; in; in = in->next)
		if (in->kind == K_PREFIX || (in->kind == K_LOAD && in->guard >= 0 && in->number.i != 0) ||
		    (in->kind == K_LOOP && !can_be_made(in->body)))
			return false;
	return true;
}

static void way_of_all(const struct kernel_instr *body, struct loop_way *way)
{
	for (const struct kernel_instr *in = body; in; in = in->next)
		if (in->kind == K_LOOP) {
			way[in->loop] = (struct loop_way){.in = in, .phases = 1};
			way_of_all(in->body, way);
		}
}

static void widen(struct arena *a, struct kernel *k)
{
	struct arena *scratch = arena_new("lanes");
	struct loop_way *way = ARENA_ARRAY(scratch, struct loop_way, k->nloops + 1);
	bool changed = false;
	way_of_all(k->body, way);
	for (struct kernel_instr *in = can_be_made(k->body) ? k->body : NULL; in; in = in->next) {
		struct kernel_instr *nest[MAX_NEST];
		int n = in->kind == K_LOOP ? find_nest(in, nest) : 0;
		if (n < 2 || !is_plain(nest[n - 1]->body))
			continue;
		int moved = long_loop(nest, n), to = n - 2;
		if (moved < 0) {
			moved = gap_loop(nest, n);
			to = n - 1;
		}
		if (moved < 0)
			continue;
		for (int i = moved; i < to; i++)
			kernel_exchange_loops(nest[i], nest[i + 1]);
		nest[n - 2]->vector = true;
		way[nest[n - 1]->loop].written_out = changed = true;
	}
	if (changed)
		*k = *kernel_in_phases(a, k, way);
	arena_free(scratch);
}

void kernel_interchange(struct arena *a, struct kernel *k)
{
	widen(a, k);
	for (struct kernel_instr *in = k->body; in; in = in->next) {
		struct kernel_instr *nest[MAX_NEST];
		int n = in->kind == K_LOOP ? find_nest(in, nest) : 0;
		int unit = n > 2 && is_plain(nest[n - 1]->body) ? unit_loop(nest, n) : -1;
		for (int i = unit; i >= 0 && i < n - 2; i++)
			kernel_exchange_loops(nest[i], nest[i + 1]);
	}
}
