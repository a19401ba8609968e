/* test_layout_loops.c — layouts of loops: what is carried settles as it does turn by turn, lines are laid out like what
 * they are lines of, calls bind layouts in each turn, conditions reach all placements. Any loops are in
 * test_layout_loops_any.c, the solver's part in test_layout_solve.c. */
#include "layout_loops.h"

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
	return suite_end(s);
}
