/* test_layout_loops.c — layouts of loops: what is carried settles as it does turn by turn, verdicts and values are
 * those of the unrolled program. The solver's part is in test_layout_solve.c. */
#include "layout_fixture.h"
#include "suite.h"

#include "compiler/compiler.h"

#include <math.h>

enum { N = 6, MAX_SLOTS = 16, MAX_LOOPS = 16 };

#define SQUARE    " {i=6, j=6, k=6}"
#define FLAT      " {i=6, j=6}"
#define ADD       "add(a[i, j], b[i, j]) -> [i, j] = a + b" FLAT
#define MUL       "mul(a[i, j], b[i, j]) -> [i, j] = a * b" FLAT
#define MATMUL    "matmul(a[i, k], b[k, j]) -> [i, j] = sum[k] a * b" SQUARE
#define TRANSPOSE "transpose(a[j, i]) -> [i, j] = a" FLAT
#define NEG       "neg(a[i, j]) -> [i, j] = -a" FLAT
#define EXP       "exp(a[i, j]) -> [i, j] = exp(a)" FLAT

static int64_t below(uint64_t *seed, int64_t n)
{
	return (int64_t)(fixture_random(seed) % (uint64_t)n);
}

static struct node *zero(struct fixture *f)
{
	struct shape s = SHAPE(N, N);
	return graph_fill(f->graph, &f->site, graph_float(f->graph, &f->site, DT_F32, 0.0), &s);
}

/* turns -1: counted by the host. */
static struct loop *loop_of(struct fixture *f, struct loop *outer, int64_t turns)
{
	struct loop *l = graph_loop(f->graph, outer, turns, (struct span){0});
	if (turns < 0)
		l->count = graph_host(f->graph, &f->site, 0, DT_I64);
	return l;
}

static void tidy(struct fixture *f)
{
	const char *wrong = graph_order(f->graph);
	ck_assert_msg(!wrong, "%s", wrong);
	wrong = graph_verify(f->graph);
	ck_assert_msg(!wrong, "%s\n%s", wrong, fixture_print(f->graph));
}

/* The layout of the last slot, or the code of the error. */
static const char *outcome(struct fixture *f)
{
	bool ok = stage_layout(f->session, f->graph, NULL, NULL);
	if (ok) {
		const char *wrong = graph_verify(f->graph);
		ck_assert_msg(!wrong, "%s\n%s", wrong, fixture_print(f->graph));
		struct slot *s = f->program->slots.at[f->program->slots.n - 1];
		return layout_name(f, s->place, &s->laid_out);
	}
	ck_assert_msg(f->session->errors == 1, "%d errors", f->session->errors);
	return diag_code_name(f->session->diags.at[0]->code);
}

/* ---- what is carried ---- */

struct carried_row {
	const char *rule, *start, *y; /* h = rule(h, y), or rule(h); start "": a number */
	int64_t turns;
	const char *result;
	int loops; /* that are left */
};
static const struct carried_row carried_rows[] = {
	{ADD, "S0", "S0", 5, "S(0)", 1},
	{ADD, "B", "S0", 5, "S(0)", 1},
	{ADD, "B", "P", 5, "P(sum)", 1},
	{ADD, "", "P", 5, "P(sum)", 1},
	{ADD, "", "S1", 5, "S(1)", 1},
	{ADD, "", "B", 5, "B", 1},
	{ADD, "P", "P", 5, "P(sum)", 1},
	{ADD, "P", "B", 5, "P(sum)", 1},
	{ADD, "S0", "S1", 5, "PML0304", 0},
	{ADD, "", "S1", -1, "S(1)", 1},
	{ADD, "B", "P", -1, "P(sum)", 1},
	{MUL, "B", "P", 5, "PML0308", 0}, /* parts times parts in the second turn, */
	{MUL, "B", "P", 1, "P(sum)", 0},  /* which is not made */
	{MUL, "B", "P", 0, "B", 0},
	{MUL, "B", "P", -1, "PML0308", 0},
	{MATMUL, "S0", "B", 5, "S(0)", 1},
	{MATMUL, "S1", "B", 5, "P(sum)", 0},
	{MATMUL, "S1", "B", -1, "PML0306", 0},
	{TRANSPOSE, "S0", NULL, 4, "S(0)", 0},
	{TRANSPOSE, "S0", NULL, 3, "S(1)", 0},
	{TRANSPOSE, "S0", NULL, -1, "PML0306", 0},
	{TRANSPOSE, "B", NULL, -1, "B", 1},
	{TRANSPOSE, "S0", NULL, 100000, "PML0306", 0}, /* too many to unroll */
	{ADD, "B", "S0", 100000, "S(0)", 1},
	{EXP, "P", NULL, 3, "PML0307", 0},
	{EXP, "P", NULL, 0, "P(sum)", 0},
	{EXP, "", NULL, 3, "B", 1},
};

START_TEST(a_carried_value_has_the_layout_in_which_turns_settle)
{
	const struct carried_row *r = &carried_rows[_i];
	struct fixture f = fixture_new();
	struct node *y = r->y ? fixture_param(&f, "y", SHAPE(N, N), f.left, r->y) : NULL;
	struct node *start = *r->start ? fixture_param(&f, "h", SHAPE(N, N), f.left, r->start) : zero(&f);
	struct loop *l = loop_of(&f, NULL, r->turns);
	if (!*r->start && !r->y)
		start = graph_to(f.graph, &f.site, start, f.left, &(struct layout_spec){.form = LAYOUT_INFER});
	struct node *h = graph_carry(f.graph, &f.site, l, start);
	struct node *end = graph_end(f.graph, &f.site, h, fixture_map(&f, r->rule, h, y, NULL));
	fixture_keep(&f, "z", end);
	tidy(&f);
	const char *got = outcome(&f);
	ck_assert_msg(!strcmp(got, r->result), "%s of %s and %s, %d turns, gives %s, not %s", r->rule, r->start,
		      r->y ? r->y : "nothing", (int)r->turns, got, r->result);
	if (strncmp(got, "PML", 3))
		ck_assert_int_eq(f.graph->loops.n, r->loops);
	session_free(f.session);
}
END_TEST

/* A sum of parts over all turns is finished once, behind the loop. */
START_TEST(parts_are_added_up_in_the_loop_and_finished_behind_it)
{
	struct fixture f = fixture_new();
	struct node *x = fixture_param(&f, "x", SHAPE(N, N), f.left, "S1");
	struct node *w = fixture_param(&f, "w", SHAPE(N, N), f.left, "S0");
	struct loop *l = loop_of(&f, NULL, 8);
	struct node *h = graph_carry(f.graph, &f.site, l, zero(&f));
	struct node *y = fixture_map(&f, "scale(a[i, j], t: i64) -> [i, j] = a * f32(t)" FLAT, x,
				     graph_turn(f.graph, &f.site, l), NULL);
	struct node *end =
		graph_end(f.graph, &f.site, h, fixture_map(&f, ADD, h, fixture_map(&f, MATMUL, y, w, NULL), NULL));
	struct layout_spec whole = given("B");
	fixture_keep(&f, "z", graph_to(f.graph, &f.site, end, NULL, &whole));
	tidy(&f);
	ck_assert_str_eq(outcome(&f), "B");
	int moves = 0;
	for (int i = 0; i < f.graph->nodes.n; i++) {
		const struct node *n = f.graph->nodes.at[i];
		if (n->kind == NODE_CARRY)
			ck_assert_str_eq(layout_name(&f, n->place, &n->layout), "P(sum)");
		if (n->kind != NODE_TO ||
		    !redist_bytes(n->dtype, &n->shape, n->place, &n->in[0]->layout, n->place, &n->layout))
			continue;
		moves++;
		ck_assert_ptr_null(n->loop);
	}
	ck_assert_msg(moves == 1, "%s", fixture_print(f.graph));
	session_free(f.session);
}
END_TEST

/* ---- lines and stacks ---- */

struct line_row {
	const char *xs, *line, *stack; /* layouts of the tensor, its line, and the stack of the lines' negatives */
};
static const struct line_row line_rows[] = {
	{"B", "B", "B"},           {"S1", "S(0)", "S(1)"}, {"S2", "S(1)", "S(2)"},
	{"P", "P(sum)", "P(sum)"}, {"S0", "P(sum)", ""},
};

START_TEST(lines_are_laid_out_like_the_tensor_without_its_first_dimension)
{
	const struct line_row *r = &line_rows[_i / 2];
	struct fixture f = fixture_new();
	struct node *xs = fixture_param(&f, "xs", SHAPE(4, N, N), f.left, r->xs);
	struct loop *l = loop_of(&f, NULL, _i % 2 ? -1 : 4);
	struct node *x = graph_line(f.graph, &f.site, l, 1, &xs, 0, 1, false);
	struct node *sum = graph_carry(f.graph, &f.site, l, zero(&f));
	struct node *end = graph_end(f.graph, &f.site, sum, fixture_map(&f, ADD, sum, x, NULL));
	if (_i % 2 == 0)
		fixture_keep(&f, "ys", graph_stack(f.graph, &f.site, l, fixture_map(&f, NEG, x, NULL, NULL), false));
	fixture_keep(&f, "y", end);
	tidy(&f);
	/* Which rank has a line is another turn by turn: such a loop is unrolled. */
	bool split = !*r->stack;
	ck_assert_str_eq(outcome(&f), split && _i % 2 ? "PML0304" : r->line);
	ck_assert(f.session->errors || f.graph->loops.n == !split);
	struct slot *ys = f.program->slots.at[1];
	if (*r->stack && _i % 2 == 0)
		ck_assert_str_eq(layout_name(&f, ys->place, &ys->laid_out), r->stack);
	session_free(f.session);
}
END_TEST

static const char *of_two(const char *a, const char *b, int64_t turns, int *loops)
{
	struct fixture f = fixture_new();
	struct node *w[2] = {fixture_param(&f, "a", SHAPE(N, N), f.left, a),
			     fixture_param(&f, "b", SHAPE(N, N), f.left, b)};
	struct loop *l = loop_of(&f, NULL, turns);
	struct node *h = graph_carry(f.graph, &f.site, l, zero(&f));
	struct node *x = graph_line(f.graph, &f.site, l, 2, w, 0, 1, false);
	fixture_keep(&f, "y", graph_end(f.graph, &f.site, h, fixture_map(&f, ADD, h, x, NULL)));
	tidy(&f);
	static char got[32];
	snprintf(got, sizeof got, "%s", outcome(&f));
	*loops = f.graph->loops.n;
	session_free(f.session);
	return got;
}

START_TEST(one_of_several_tensors_wants_them_alike)
{
	int loops;
	ck_assert_str_eq(of_two("S0", "S0", 2, &loops), "S(0)");
	ck_assert_int_eq(loops, 1);
	ck_assert_str_eq(of_two("P", "B", 2, &loops), "P(sum)");
	ck_assert_int_eq(loops, 0);
	ck_assert_str_eq(of_two("B", "S1", -1, &loops), "S(1)");
	ck_assert_int_eq(loops, 1);
	ck_assert_str_eq(of_two("S0", "S1", 2, &loops), "PML0304");
	ck_assert_str_eq(of_two("S0", "S1", -1, &loops), "PML0304");
}
END_TEST

/* ---- calls ---- */

static struct node *give(struct fixture *f, struct node *x, const char *what, uint32_t where)
{
	struct layout_spec spec = {.form = LAYOUT_VAR, .var = 0};
	struct span declared = {.file = 1, .begin = where, .end = where + 1};
	return graph_contract(f->graph, &f->site, x, NULL, &spec, what, declared);
}

/* for … { h = add(h, y) } with fn add[l: layout](h : l, y : l), or with y first; kept, counted by the host, unrolled */
static const char *call_in_loop(const char *h_layout, const char *y_layout, bool y_first, int how)
{
	static char got[32];
	struct fixture f = fixture_new();
	f.graph->nlayout_vars = 1;
	struct node *y = fixture_param(&f, "y", SHAPE(N, N), f.left, y_layout);
	struct node *start = fixture_param(&f, "h", SHAPE(N, N), f.left, h_layout);
	struct loop *l = loop_of(&f, NULL, how == 1 ? -1 : 3);
	struct node *h = graph_carry(f.graph, &f.site, l, start);
	struct node *a = give(&f, h, "parameter `h` of `add`", 10),
		    *b = give(&f, y, "parameter `y` of `add`", y_first ? 5 : 15);
	fixture_keep(&f, "z", graph_end(f.graph, &f.site, h, fixture_map(&f, ADD, a, b, NULL)));
	tidy(&f);
	if (how == 2)
		ck_assert(graph_unroll(f.graph));
	snprintf(got, sizeof got, "%s", outcome(&f));
	session_free(f.session);
	return got;
}

START_TEST(a_call_in_a_loop_binds_layout_parameters_by_its_first_argument)
{
	ck_assert_str_eq(call_in_loop("S0", "S0", false, _i), "S(0)");
	ck_assert_str_eq(call_in_loop("S0", "B", false, _i), "S(0)");
	ck_assert_str_eq(call_in_loop("S0", "B", true, _i), "PML0305");
	ck_assert_str_eq(call_in_loop("B", "S0", true, _i), "S(0)");
	ck_assert_str_eq(call_in_loop("B", "S0", false, _i), "PML0305");
	ck_assert_str_eq(call_in_loop("S0", "S1", false, _i), "PML0305");
	ck_assert_str_eq(call_in_loop("S0", "S1", true, _i), "PML0305");
}
END_TEST

/* fn same[l: layout](h : l) = h; for … { h = same(h) + y }: l is B in the first turn and S(0) in the second. */
START_TEST(layout_parameters_stand_for_another_layout_in_each_turn)
{
	struct fixture f = fixture_new();
	f.graph->nlayout_vars = 1;
	struct node *y = fixture_param(&f, "y", SHAPE(N, N), f.left, "S0");
	struct node *start = fixture_param(&f, "h", SHAPE(N, N), f.left, "B");
	struct loop *l = loop_of(&f, NULL, _i ? -1 : 3);
	struct node *h = graph_carry(f.graph, &f.site, l, start);
	struct node *same = give(&f, h, "parameter `h` of `same`", 10);
	fixture_keep(&f, "z", graph_end(f.graph, &f.site, h, fixture_map(&f, ADD, same, y, NULL)));
	tidy(&f);
	ck_assert_str_eq(outcome(&f), "S(0)");
	ck_assert_int_eq(f.graph->loops.n, 1);
	session_free(f.session);
}
END_TEST

/* ---- placements ---- */

/* while i < n { h = (h to right + r) to left; i = i + 1 }, where i is on no rank: both placements count. */
START_TEST(a_counter_is_kept_on_all_placements_of_a_loop)
{
	struct fixture f = fixture_new();
	struct graph *g = f.graph;
	struct node *h0 = fixture_param(&f, "h", SHAPE(N, N), f.left, "S0");
	struct node *r = fixture_param(&f, "r", SHAPE(N, N), f.right, "S0");
	struct loop *l = graph_loop(g, NULL, -1, (struct span){0});
	struct node *i = graph_carry(g, &f.site, l, graph_int(g, &f.site, DT_I64, 0));
	struct node *h = graph_carry(g, &f.site, l, h0);
	l->condition = graph_pointwise(g, &f.site, SC_LT, i, graph_host(g, &f.site, 0, DT_I64), NULL);
	struct layout_spec any = {.form = LAYOUT_INFER};
	struct node *x = fixture_map(&f, ADD, graph_to(g, &f.site, h, f.right, &any), r, NULL);
	struct node *end = graph_end(g, &f.site, h, graph_to(g, &f.site, x, f.left, &any));
	graph_end(g, &f.site, i, graph_pointwise(g, &f.site, SC_ADD, i, graph_int(g, &f.site, DT_I64, 1), NULL));
	fixture_keep(&f, "z", end);
	tidy(&f);
	ck_assert_str_eq(outcome(&f), "S(0)");
	l = g->loops.at[0];
	ck_assert_int_eq(l->elsewhere.n, 1);
	ck_assert(loop_asks(l, f.left) && loop_asks(l, f.right));
	ck_assert_int_eq(loop_asks(l, f.right)->kind, NODE_MAP);
	ck_assert_msg(count_to(g) == 2, "%s", fixture_print(g));
	session_free(f.session);
}
END_TEST

/* A condition that is computed on one placement is brought to the others, and must be finished. */
START_TEST(a_placed_condition_is_brought_to_the_other_placements)
{
	for (int finished = 0; finished < 2; finished++) {
		struct fixture f = fixture_new();
		struct graph *g = f.graph;
		struct node *h0 = fixture_param(&f, "h", SHAPE(N, N), f.left, "S0");
		struct loop *l = graph_loop(g, NULL, -1, (struct span){0});
		struct node *h = graph_carry(g, &f.site, l, h0);
		struct node *most = fixture_map(&f, "any(a[i, j]) -> [] = max[i, j] a" FLAT, h, NULL, NULL);
		struct layout_spec any = {.form = LAYOUT_INFER}, whole = given("B");
		if (finished)
			most = graph_to(g, &f.site, most, NULL, &whole);
		l->condition = fixture_map(&f, "less(a) -> [] = a < 100.0", most, NULL, NULL);
		struct node *x = fixture_map(&f, NEG, graph_to(g, &f.site, h, f.right, &any), NULL, NULL);
		fixture_keep(&f, "z", graph_end(g, &f.site, h, graph_to(g, &f.site, x, f.left, &any)));
		tidy(&f);
		ck_assert_str_eq(outcome(&f), finished ? "S(0)" : "PML0307");
		if (finished) {
			ck_assert_int_eq(g->loops.at[0]->elsewhere.n, 1);
			struct node *there = loop_asks(g->loops.at[0], f.right);
			ck_assert_int_eq(there->kind, NODE_TO);
			ck_assert_ptr_eq(there->in[0], g->loops.at[0]->condition);
		}
		session_free(f.session);
	}
}
END_TEST

START_TEST(an_unfinished_condition_is_refused)
{
	struct fixture f = fixture_new();
	struct graph *g = f.graph;
	struct node *h0 = fixture_param(&f, "h", SHAPE(N, N), f.left, "S0");
	struct loop *l = graph_loop(g, NULL, -1, (struct span){0});
	struct node *h = graph_carry(g, &f.site, l, h0);
	l->condition = fixture_map(&f, "any(a[i, j]) -> [] = max[i, j] (a < 100.0)" FLAT, h, NULL, NULL);
	fixture_keep(&f, "z", graph_end(g, &f.site, h, fixture_map(&f, ADD, h, h, NULL)));
	tidy(&f);
	ck_assert_str_eq(outcome(&f), "PML0310");
	session_free(f.session);
}
END_TEST

/* ---- any loops: verdicts and values are those of the program turn by turn ---- */

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
	TCase *t = suite_begin(&s, "layout loops");
	tcase_add_loop_test(t, a_carried_value_has_the_layout_in_which_turns_settle, 0,
			    (int)(sizeof carried_rows / sizeof *carried_rows));
	tcase_add_test(t, parts_are_added_up_in_the_loop_and_finished_behind_it);
	tcase_add_loop_test(t, lines_are_laid_out_like_the_tensor_without_its_first_dimension, 0,
			    2 * (int)(sizeof line_rows / sizeof *line_rows));
	tcase_add_test(t, one_of_several_tensors_wants_them_alike);
	tcase_add_loop_test(t, a_call_in_a_loop_binds_layout_parameters_by_its_first_argument, 0, 3);
	tcase_add_loop_test(t, layout_parameters_stand_for_another_layout_in_each_turn, 0, 2);
	tcase_add_test(t, a_counter_is_kept_on_all_placements_of_a_loop);
	tcase_add_test(t, a_placed_condition_is_brought_to_the_other_placements);
	tcase_add_test(t, an_unfinished_condition_is_refused);
	tcase_add_test(t, verdicts_and_values_are_those_turn_by_turn);
	tcase_add_test(t, loops_of_unknown_turns_are_legal_for_any_number);
	tcase_add_test(t, unfinished_values_in_loops_are_those_turn_by_turn);
	return suite_end(s);
}
