/* test_reuse.c — reuse distances against a list of all that was touched, unit by unit, in the order of time: random
 * plans with buffers that share memory, loops whose turns are all walked, and arrays of which each turn takes a line. */
#include "suite.h"

#include "compiler/seconds/reuse.h"

#include <stdlib.h>
#include <string.h>

/* A unit: so many bytes, of which everything here is a multiple. */
enum { UNIT = 64, ARENA = 40, ARRAY = 4 * 3, LINES = 4, BUFFERS = 8, LINE = BUFFERS, WHOLE, STEPS = 9, CASES = 500 };

static int below(unsigned *seed, int n)
{
	*seed = *seed * 1664525u + 1013904223u;
	return (int)(*seed >> 8) % n;
}

/* A plan of STEPS steps, some of them in a loop of four turns: BUFFERS of an arena, one that is another line in every
 * turn, and the array of these lines. */
static struct plan random_plan(struct arena *a, unsigned *seed, struct touches *touched)
{
	struct plan plan = {.arena_bytes = ARENA * UNIT};
	for (int i = 0; i < BUFFERS; i++) {
		int at = below(seed, ARENA - 6), n = 1 + below(seed, 6);
		vec_push(a, &plan.buffers,
			 ((struct buffer){.kind = BUFFER_ARENA, .type = DT_F32, .elements = n * UNIT / 4, .offset = at * UNIT}));
	}
	vec_push(a, &plan.buffers,
		 ((struct buffer){.kind = BUFFER_MOVING, .type = DT_F32, .elements = ARRAY / LINES * UNIT / 4}));
	vec_push(a, &plan.buffers, ((struct buffer){.kind = BUFFER_SLOT, .type = DT_F32, .elements = ARRAY * UNIT / 4}));
	struct plan_loop loop = {.outer = -1, .begin = 2, .test = -1, .end = 6, .turns = LINES};
	struct plan_move move = {.buffer = LINE, .of_lines = true, .step = 1, .lines = LINES};
	if (below(seed, 2))
		move = (struct plan_move){
			.buffer = LINE, .of_lines = true, .back = true, .first = -1, .step = -1, .lines = LINES};
	vec_push(a, &move.of, WHOLE);
	vec_push(a, &loop.moves, move);
	vec_push(a, &plan.loops, loop);
	for (int i = 0; i < STEPS; i++) {
		struct plan_step s = plan_step_of(i == 2 ? STEP_LOOP_BEGIN : i == 6 ? STEP_LOOP_END : STEP_KERNEL);
		s.loop = i == 2 || i == 6 ? 0 : -1;
		vec_push(a, &plan.steps, s);
		for (int k = 0; s.kind == STEP_KERNEL && k < 1 + below(seed, 3); k++) {
			int buffer = below(seed, i > 2 && i < 6 ? BUFFERS + 2 : BUFFERS + 1);
			buffer = buffer == LINE && !(i > 2 && i < 6) ? WHOLE : buffer;
			int units = (int)plan.buffers.at[buffer].elements * 4 / UNIT, from = below(seed, units);
			double bytes = (1 + below(seed, units - from)) * UNIT;
			vec_push(a, &touched[i].all,
				 ((struct touch){buffer, from * UNIT / 4, bytes, (1 + below(seed, 2)) * bytes}));
		}
	}
	return plan;
}

/* ---- unit by unit ---- */

struct naive {
	const struct plan *plan;
	const struct touches *touched;
	struct arena *arena;
	struct reuses *out;
	int last[ARENA + ARRAY], now, line, visits[STEPS];
	bool record;
};

static int unit_of(const struct naive *n, const struct touch *t)
{
	const struct buffer *b = &n->plan->buffers.at[t->buffer];
	int from = (int)(t->from * 4 / UNIT);
	if (b->kind == BUFFER_ARENA)
		return (int)(b->offset / UNIT) + from;
	return ARENA + (b->kind == BUFFER_MOVING ? n->line * (ARRAY / LINES) : 0) + from;
}

static void naive_step(struct naive *n, int step)
{
	const struct touches *t = &n->touched[step];
	double own = 0;
	for (int i = 0; i < t->all.n; i++)
		own += t->all.at[i].bytes;
	for (int i = 0; i < t->all.n && n->record; i++)
		for (int k = 0; k < (int)t->all.at[i].bytes / UNIT; k++) {
			int since = 0, unit = unit_of(n, &t->all.at[i]) + k;
			for (int u = 0; u < ARENA + ARRAY; u++)
				since += n->last[u] > n->last[unit];
			reuse_add(n->arena, &n->out[step], reuse_round(since * UNIT + own),
				  UNIT * t->all.at[i].moved / t->all.at[i].bytes);
		}
	n->now++;
	for (int i = 0; i < t->all.n; i++)
		for (int k = 0; k < (int)t->all.at[i].bytes / UNIT; k++)
			n->last[unit_of(n, &t->all.at[i]) + k] = n->now;
	n->visits[step] += n->record;
}

static void naive_walk(struct naive *n)
{
	const struct plan_loop *l = &n->plan->loops.at[0];
	for (int i = 0; i < STEPS; i++) {
		if (i != l->begin) {
			naive_step(n, i);
			continue;
		}
		for (int turn = 0; turn < LINES; turn++) {
			n->line = l->moves.at[0].back ? LINES - 1 - turn : turn;
			for (int k = l->begin + 1; k < l->end; k++)
				naive_step(n, k);
		}
		i = l->end;
	}
}

static double bytes_at(const struct reuses *r, double distance)
{
	for (int i = 0; i < r->all.n; i++)
		if (r->all.at[i].distance == distance)
			return r->all.at[i].bytes;
	return 0;
}

START_TEST(distances_are_those_of_a_list)
{
	unsigned seed = 1;
	int seen = 0;
	for (int c = 0; c < CASES; c++) {
		struct arena *a = arena_new("test");
		struct touches touched[STEPS] = {0};
		struct reuses out[STEPS] = {0}, wanted[STEPS] = {0};
		struct plan plan = random_plan(a, &seed, touched);
		struct naive n = {.plan = &plan, .touched = touched, .arena = a, .out = wanted};
		memset(n.last, -1, sizeof n.last);
		naive_walk(&n);
		n.record = true;
		naive_walk(&n);
		find_reuses(a, &plan, touched, out);
		for (int i = 0; i < STEPS; i++) {
			ck_assert_int_eq(out[i].all.n, wanted[i].all.n);
			for (int k = 0; k < wanted[i].all.n; k++, seen++) {
				const struct reuse *w = &wanted[i].all.at[k];
				double got = bytes_at(&out[i], w->distance);
				if (got * n.visits[i] < w->bytes - 1e-6 || got * n.visits[i] > w->bytes + 1e-6)
					ck_abort_msg("case %d, step %d: %g bytes at %g instead of %g", c, i, got,
						     w->distance, w->bytes / n.visits[i]);
			}
		}
		arena_free(a);
	}
	ck_assert_int_gt(seen, CASES);
}
END_TEST

/* A turn that stands for many marks the lines of all of them: what lies between is as much as if all were walked. */
START_TEST(a_turn_stands_for_many)
{
	struct arena *a = arena_new("test");
	enum { TURNS = 1000, BYTES = 4096 };
	struct plan plan = {0};
	struct touches touched[4] = {0};
	struct reuses out[4] = {0};
	vec_push(a, &plan.buffers, ((struct buffer){.kind = BUFFER_SLOT, .slot = 0, .type = DT_F32, .elements = BYTES / 4}));
	vec_push(a, &plan.buffers, ((struct buffer){.kind = BUFFER_MOVING, .type = DT_F32, .elements = BYTES / 4}));
	vec_push(a, &plan.buffers,
		 ((struct buffer){.kind = BUFFER_SLOT, .slot = 1, .type = DT_F32, .elements = TURNS * (BYTES / 4)}));
	struct plan_loop loop = {.outer = -1, .begin = 1, .test = -1, .end = 3, .turns = TURNS};
	struct plan_move move = {.buffer = 1, .of_lines = true, .step = 1, .lines = TURNS};
	vec_push(a, &move.of, 2);
	vec_push(a, &loop.moves, move);
	vec_push(a, &plan.loops, loop);
	const enum plan_step_kind kinds[] = {STEP_KERNEL, STEP_LOOP_BEGIN, STEP_KERNEL, STEP_LOOP_END};
	for (int i = 0; i < 4; i++) {
		struct plan_step s = plan_step_of(kinds[i]);
		s.loop = i % 2 ? 0 : -1;
		vec_push(a, &plan.steps, s);
	}
	vec_push(a, &touched[0].all, ((struct touch){0, 0, BYTES, 2 * BYTES}));
	vec_push(a, &touched[2].all, ((struct touch){1, 0, BYTES, BYTES}));
	find_reuses(a, &plan, touched, out);
	double all = reuse_round((TURNS + 1.0) * BYTES);
	ck_assert_int_eq(out[0].all.n, 1);
	ck_assert_double_eq(out[0].all.at[0].distance, all);
	ck_assert_double_eq(out[0].all.at[0].bytes, 2 * BYTES);
	ck_assert_double_eq_tol(bytes_at(&out[2], all), BYTES, 1e-6);
	arena_free(a);
}
END_TEST

int main(void)
{
	Suite *s;
	TCase *t = suite_begin(&s, "reuse");
	tcase_add_test(t, distances_are_those_of_a_list);
	tcase_add_test(t, a_turn_stands_for_many);
	return suite_end(s);
}
