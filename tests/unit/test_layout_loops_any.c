/* test_layout_loops_any.c — random programs with loops: verdicts of layouts, values, and parts of sums are those of the
 * program turn by turn. */
#include "layout_loops.h"

#include "compiler/compiler.h"

#include <math.h>

enum { MAX_SLOTS = 16, MAX_LOOPS = 16 };

static int64_t below(uint64_t *seed, int64_t n)
{
	return (int64_t)(fixture_random(seed) % (uint64_t)n);
}

static const char *any_layout(uint64_t *seed)
{
	static const char *const all[] = {"B", "S0", "S1", "P"};
	return all[below(seed, 4)];
}

/* One for each axis; of lines: those of a tensor that has another dimension in front. */
static const char *layout_on(struct fixture *f, uint64_t *seed, const struct place *p, bool lines)
{
	struct text t;
	text_init(&t, f->session->arena);
	for (int a = 0; a < p->naxes; a++) {
		const char *l = any_layout(seed);
		text_printf(&t, "%s%c", a ? "," : "", l[0]);
		if (l[0] == 'S')
			text_printf(&t, "%c", l[1] + (lines && below(seed, 4)));
	}
	return text_get(&t);
}

struct pool {
	const struct place *place;
	struct node *at[64];
	int n;
};

static struct node *any_of(uint64_t *seed, const struct pool *p)
{
	return p->at[below(seed, p->n)];
}

/* Gradients are read by gradients alone. */
static bool is_backward(const struct node *n)
{
	return n->origin == ORIGIN_BACKWARD;
}

static void add_map(struct fixture *f, uint64_t *seed, struct pool *p)
{
	static const char *const binary[] = {ADD, ADD, MUL, MATMUL}, *const unary[] = {TRANSPOSE, NEG, NEG, EXP};
	struct node *x = any_of(seed, p), *y = any_of(seed, p);
	bool two = below(seed, 3) > 0, backward = is_backward(x) || (two && is_backward(y));
	f->site.origin = backward || below(seed, 4) == 0 ? ORIGIN_BACKWARD : ORIGIN_SOURCE;
	p->at[p->n++] = fixture_map(f, two ? binary[below(seed, 4)] : unary[below(seed, 4)], x, two ? y : NULL, NULL);
	f->site.origin = ORIGIN_SOURCE;
}

static struct node *end_of(struct fixture *f, struct node *carry, struct node *next)
{
	f->site.origin = carry->origin;
	struct node *end =
		graph_end(f->graph, &f->site, carry, is_backward(next) && !is_backward(carry) ? carry : next);
	f->site.origin = ORIGIN_SOURCE;
	return end;
}

/* Adds a loop's results to the pool. */
static void add_loop(struct fixture *f, uint64_t *seed, struct pool *p, struct loop *outer, int64_t turns)
{
	struct loop *l = loop_of(f, outer, turns);
	struct pool inside = *p;
	struct node *carry[3];
	int ncarried = 1 + (int)below(seed, 2);
	for (int i = 0; i < ncarried; i++) {
		struct node *start = below(seed, 3) ? any_of(seed, p) : zero(f);
		f->site.origin = is_backward(start) || below(seed, 4) == 0 ? ORIGIN_BACKWARD : ORIGIN_SOURCE;
		carry[i] = inside.at[inside.n++] = graph_carry(f->graph, &f->site, l, start);
		f->site.origin = ORIGIN_SOURCE;
	}
	if (below(seed, 2)) {
		struct node *xs = fixture_param(f, arena_printf(f->session->arena, "xs%d", f->program->slots.n),
						SHAPE(4, N, N), p->place, layout_on(f, seed, p->place, true));
		inside.at[inside.n++] = graph_line(f->graph, &f->site, l, 1, &xs, 0, 1, false);
	}
	if (below(seed, 3) == 0) {
		struct node *w[4];
		for (int i = 0; i < 4; i++) {
			w[i] = any_of(seed, p);
			f->site.origin = is_backward(w[i]) ? ORIGIN_BACKWARD : f->site.origin;
		}
		inside.at[inside.n++] = graph_line(f->graph, &f->site, l, 4, w, 0, 1, false);
	}
	f->site.origin = ORIGIN_SOURCE;
	for (int i = (int)below(seed, 4); i >= 0; i--)
		add_map(f, seed, &inside);
	if (!outer && below(seed, 3) == 0)
		add_loop(f, seed, &inside, l, 1 + below(seed, 3));
	for (int i = 0; i < ncarried; i++)
		p->at[p->n++] = end_of(f, carry[i], inside.at[inside.n - 1 - below(seed, 2)]);
	if (turns >= 0 && below(seed, 2)) {
		struct loop *reader = loop_of(f, outer, turns);
		struct node *x = any_of(seed, &inside), *start = any_of(seed, p);
		f->site.origin = is_backward(x) || is_backward(start) ? ORIGIN_BACKWARD : ORIGIN_SOURCE;
		struct node *stack = graph_stack(f->graph, &f->site, l, x, below(seed, 2));
		struct node *sum = graph_carry(f->graph, &f->site, reader, start);
		struct node *line = graph_line(f->graph, &f->site, reader, 1, &stack, 0, 1, false);
		struct node *next = fixture_map(f, ADD, sum, line, NULL);
		p->at[p->n++] = end_of(f, sum, next);
	}
}

static struct fixture any_program(uint64_t seed, bool known)
{
	struct fixture f = fixture_new();
	struct pool p = {.place = below(&seed, 3) ? f.left : f.grid};
	for (int i = 0; i < 2; i++)
		p.at[p.n++] = fixture_param(&f, arena_printf(f.session->arena, "p%d", i), SHAPE(N, N), p.place,
					    layout_on(&f, &seed, p.place, false));
	add_map(&f, &seed, &p);
	int64_t turns = below(&seed, 5);
	for (int i = (int)below(&seed, 2); i >= 0; i--)
		add_loop(&f, &seed, &p, NULL, known ? turns : -1);
	add_map(&f, &seed, &p);
	struct layout_spec whole = {.form = LAYOUT_FINISH};
	for (int i = 0; i < 2; i++)
		fixture_keep(&f, arena_printf(f.session->arena, "out%d", i),
			     graph_to(f.graph, &f.site, p.at[p.n - 1 - i], p.place, &whole));
	tidy(&f);
	return f;
}

/* What slots hold afterwards. */
static void run(struct fixture *f, struct tensor_value *slots, int64_t turns)
{
	union scalar_value count = {.i = turns};
	struct tensor_value argument = {.dtype = DT_I64, .at = &count};
	memset(slots, 0, sizeof *slots * MAX_SLOTS);
	ck_assert_int_le(f->program->slots.n, MAX_SLOTS);
	for (int s = 0; s < f->program->slots.n; s++) {
		int64_t n = shape_volume(&f->program->slots.at[s]->shape);
		slots[s].at = ARENA_ARRAY(f->session->arena, union scalar_value, n);
		for (int i = 0; i < n; i++)
			slots[s].at[i].f = 0.25 * ((i * 7 + s) % 5) - 0.5;
	}
	graph_interpret(f->graph, slots, &argument,
			ARENA_ARRAY(f->session->arena, struct tensor_value, f->graph->nodes.n));
}

/* But for signs of 0, which a stack that is put together from its lines does not keep. */
static bool same_values(const struct fixture *f, const struct tensor_value *a, const struct tensor_value *b)
{
	for (int s = 0; s < f->program->slots.n; s++)
		for (int i = 0; i < shape_volume(&f->program->slots.at[s]->shape); i++)
			if (a[s].at[i].f != b[s].at[i].f && !(isnan(a[s].at[i].f) && isnan(b[s].at[i].f)))
				return false;
	return true;
}

/* With what nobody reads, which may be wrong too. */
static void unroll(struct fixture *f)
{
	bool all[MAX_LOOPS];
	ck_assert_int_le(f->graph->loops.n, MAX_LOOPS);
	memset(all, true, sizeof all);
	graph_unroll_marked(f->graph, all);
	ck_assert_int_eq(f->graph->loops.n, 0);
}

START_TEST(verdicts_and_values_are_those_turn_by_turn)
{
	int accepted = 0, kept = 0, tried = suite_count(1500, 1500, 500);
	for (int seed = 1; seed <= tried; seed++) {
		struct fixture f = any_program((uint64_t)seed * 7919, true),
			       u = any_program((uint64_t)seed * 7919, true);
		struct tensor_value before[MAX_SLOTS], after[MAX_SLOTS];
		run(&f, before, 0);
		unroll(&u);
		const char *text = fixture_print(f.graph), *wrong = NULL;
		bool ok = stage_layout(f.session, f.graph, NULL, NULL);
		bool also = stage_layout(u.session, u.graph, NULL, NULL);
		ck_assert_msg(ok == also, "seed %d: %d with loops (%s), %d without (%s)\n%s", seed, ok,
			      ok ? "" : f.session->diags.at[0]->message, also,
			      also ? "" : u.session->diags.at[0]->message, text);
		if (ok) {
			wrong = graph_verify(f.graph);
			ck_assert_msg(!wrong, "seed %d: %s\n%s", seed, wrong, fixture_print(f.graph));
			run(&f, after, 0);
			ck_assert_msg(same_values(&f, before, after), "seed %d\n%s", seed, text);
			accepted++;
			kept += f.graph->loops.n > 0;
		}
		session_free(f.session);
		session_free(u.session);
	}
	printf("%d programs with loops: %d legal, of which %d keep loops\n", tried, accepted, kept);
	ck_assert_int_gt(accepted, tried / 8);
	ck_assert_int_gt(kept, tried / 16);
}
END_TEST

/* What is accepted of any number of turns is accepted of each number. */
START_TEST(loops_of_unknown_turns_are_legal_for_any_number)
{
	int accepted = 0, tried = suite_count(600, 600, 200);
	for (int seed = 1; seed <= tried; seed++) {
		struct fixture f = any_program((uint64_t)seed * 7919, false);
		struct tensor_value before[MAX_SLOTS], after[MAX_SLOTS];
		run(&f, before, 3);
		const char *text = fixture_print(f.graph);
		bool ok = stage_layout(f.session, f.graph, NULL, NULL);
		ck_assert_msg(ok || f.session->errors, "seed %d is refused without a message\n%s", seed, text);
		if (ok) {
			const char *wrong = graph_verify(f.graph);
			ck_assert_msg(!wrong, "seed %d: %s\n%s", seed, wrong, fixture_print(f.graph));
			run(&f, after, 3);
			ck_assert_msg(same_values(&f, before, after), "seed %d\n%s", seed, text);
			accepted++;
		}
		session_free(f.session);
	}
	ck_assert_int_gt(accepted, tried / 8);
}
END_TEST

/* ---- parts of sums ---- */

static bool lay_out(struct fixture *f, bool reproducible)
{
	f->session->options.reproducible = reproducible;
	if (!stage_layout(f->session, f->graph, NULL, NULL))
		return false;
	struct region *r = ARENA_NEW(f->session->arena, struct region);
	r->graph = f->graph;
	vec_push(f->session->arena, &f->program->regions, r);
	compiler_unfinished(f->program);
	return true;
}

/* With and without --reproducible, parts that are handed on from turn to turn give what they give turn by turn. */
START_TEST(unfinished_values_in_loops_are_those_turn_by_turn)
{
	int compared = 0, tried = suite_count(800, 800, 270);
	for (int seed = 1; seed <= tried; seed++) {
		struct fixture f = any_program((uint64_t)seed * 6151, true),
			       u = any_program((uint64_t)seed * 6151, true);
		struct tensor_value kept[MAX_SLOTS], unrolled[MAX_SLOTS];
		const char *text = fixture_print(f.graph);
		unroll(&u);
		if (lay_out(&f, seed % 2) && lay_out(&u, seed % 2)) {
			run(&f, kept, 0);
			run(&u, unrolled, 0);
			ck_assert_msg(same_values(&f, kept, unrolled), "seed %d\n%s\n%s", seed, text,
				      fixture_print(f.graph));
			compared += f.graph->loops.n > 0;
		}
		session_free(f.session);
		session_free(u.session);
	}
	ck_assert_int_gt(compared, tried / 8);
}
END_TEST

int main(void)
{
	Suite *s;
	TCase *t = suite_begin(&s, "any layout loops");
	tcase_add_test(t, verdicts_and_values_are_those_turn_by_turn);
	tcase_add_test(t, loops_of_unknown_turns_are_legal_for_any_number);
	tcase_add_test(t, unfinished_values_in_loops_are_those_turn_by_turn);
	return suite_end(s);
}
