/* test_graph_loops.c — loops in graphs: their text, their order, what they compute, and that they compute the same turn
 * by turn. */
#include "graph_fixture.h"
#include "suite.h"

static struct fixture f;

enum { N = 3, LINES = 5 };

static void setup(void)
{
	f = fixture_new();
	fixture_slot(&f, "x", DT_F64, SHAPE(N), f.left);
	fixture_slot(&f, "xs", DT_F64, SHAPE(LINES, N), f.left);
	fixture_slot(&f, "y", DT_F64, SHAPE(N), f.left);
	fixture_slot(&f, "ys", DT_F64, SHAPE(LINES, N), f.left);
}

static void teardown(void)
{
	session_free(f.session);
}

#define X    "%0 \"x\" = slot \"x\" : f64[3] @left\n"
#define XS   "%1 \"xs\" = slot \"xs\" : f64[5, 3] @left\n"
#define ADD  "{add(a[i]: f64, b[i]: f64) -> [i] = a + b {i=3}} : f64[3] @left\n"
#define MUL  "{mul(a[i]: f64, b[i]: f64) -> [i] = a * b {i=3}} : f64[3] @left\n"
#define NUM  "{scale(a[i]: f64, n: i64) -> [i] = a * f64(n) {i=3}} : f64[3] @left\n"
#define LINE " : f64[3] @left\n"

static const char *const graphs[] = {
	/* what is carried */
	"graph logical\n" X XS "%2 = carry(%0) of 0" LINE "%3 = map(%2, %0) " MUL "%4 = end(%2, %3) of 0" LINE
	"loop 0 turns 5\noutput slot \"y\" = %4\n",
	/* lines forward and backward, and a stack of them */
	"graph logical\n" X XS "%2 = carry(%0) of 0" LINE "%3 = line(%1) of 0 first 0 step 1" LINE
	"%4 = line(%1) of 0 first -1 step -1 back" LINE "%5 = map(%3, %4) " ADD "%6 = map(%2, %5) " ADD
	"%7 = end(%2, %6) of 0" LINE "%8 = stack(%6) of 0 back : f64[5, 3] @left\nloop 0 turns 5\n"
	"output slot \"y\" = %7\noutput slot \"ys\" = %8\n",
	/* two values that take each other's place, the number of the turn, one of several tensors */
	"graph logical\n" X XS "%2 = map(%0, %0) " ADD "%3 = carry(%0) of 0" LINE "%4 = carry(%2) of 0" LINE
	"%5 = turn of 0 : i64\n%6 = line(%0, %2, %0, %2) of 0 first 3 step -1" LINE "%7 = map(%4, %5) " NUM
	"%8 = map(%7, %6) " ADD "%9 = end(%3, %8) of 0" LINE "%10 = end(%4, %3) of 0" LINE "%11 = map(%9, %10) " ADD
	"loop 0 turns 4\noutput slot \"y\" = %11\n",
	/* no turn at all */
	"graph logical\n" X XS "%2 = carry(%0) of 0" LINE "%3 = map(%2, %0) " MUL "%4 = end(%2, %3) of 0" LINE
	"loop 0 turns 0\noutput slot \"y\" = %4\n",
	/* a loop in a loop, which reads the outer one's number, and a stack of its results that a third reads back */
	"graph logical\n" X XS "%2 = carry(%0) of 0" LINE "%3 = turn of 0 : i64\n%4 = carry(%2) of 1" LINE
	"%5 = map(%4, %3) " NUM "%6 = map(%5, %0) " ADD "%7 = end(%4, %6) of 1" LINE "%8 = end(%2, %7) of 0" LINE
	"%9 = stack(%7) of 0 : f64[5, 3] @left\n%10 = carry(%8) of 2" LINE
	"%11 = line(%9) of 2 first -1 step -1 back" LINE "%12 = map(%10, %11) " ADD "%13 = end(%10, %12) of 2" LINE
	"loop 0 turns 5\nloop 1 in 0 turns 2\nloop 2 turns 5\noutput slot \"y\" = %13\n",
};
enum { GRAPHS = sizeof graphs / sizeof *graphs };

static struct graph *read(const char *text)
{
	const char *error = NULL;
	struct graph *g = graph_read(f.session, f.program, text, &error);
	ck_assert_msg(g, "%s\n%s", error ? error : "", text);
	return g;
}

/* What slots hold afterwards. */
static void run(const struct graph *g, struct tensor_value slots[4])
{
	memset(slots, 0, sizeof *slots * 4);
	for (int s = 0; s < 4; s++) {
		const struct slot *slot = f.program->slots.at[s];
		int64_t n = shape_volume(&slot->shape);
		slots[s].at = ARENA_ARRAY(f.session->arena, union scalar_value, n);
		for (int i = 0; i < n; i++)
			slots[s].at[i].f = 0.5 + 0.25 * i + s;
	}
	struct tensor_value none = {0};
	graph_interpret(g, slots, &none, ARENA_ARRAY(f.session->arena, struct tensor_value, g->nodes.n));
}

static void assert_same(const struct tensor_value *a, const struct tensor_value *b)
{
	for (int s = 0; s < 4; s++)
		for (int i = 0; i < shape_volume(&f.program->slots.at[s]->shape); i++)
			ck_assert_msg(a[s].at[i].f == b[s].at[i].f, "slot %d, element %d: %g and %g", s, i,
				      a[s].at[i].f, b[s].at[i].f);
}

START_TEST(turn_by_turn_is_the_same)
{
	struct tensor_value kept[4], unrolled[4];
	struct graph *g = read(graphs[_i]);
	run(g, kept);
	ck_assert(graph_unroll(g));
	const char *wrong = graph_verify(g);
	ck_assert_msg(!wrong, "%s\n%s", wrong, fixture_print(g));
	ck_assert_int_eq(g->loops.n, 0);
	run(g, unrolled);
	assert_same(kept, unrolled);
}
END_TEST

START_TEST(text_and_copies_are_the_same_loops)
{
	struct graph *g = read(graphs[_i]);
	const char *text = fixture_print(g);
	ck_assert_str_eq(fixture_print(read(text)), text);
	struct graph *copy = graph_copy(g, f.session->arena);
	ck_assert_str_eq(fixture_print(copy), text);
	for (int i = 0; i < copy->nodes.n; i++)
		ck_assert(!copy->nodes.at[i]->of || copy->loops.at[copy->nodes.at[i]->of->id] == copy->nodes.at[i]->of);
	graph_compact(g);
	ck_assert(!graph_verify(g));
}
END_TEST

START_TEST(what_is_carried_doubles)
{
	struct tensor_value slots[4];
	run(read("graph logical\n" X "%1 = carry(%0) of 0" LINE "%2 = map(%1, %1) " ADD "%3 = end(%1, %2) of 0" LINE
		 "loop 0 turns 10\noutput slot \"y\" = %3\n"),
	    slots);
	ck_assert(slots[2].at[0].f == 512 && slots[2].at[1].f == 768);
}
END_TEST

static struct node *op(const char *rule, struct node *x, struct node *y)
{
	return fixture_map(&f, rule, x, y, NULL);
}

#define ADD_RULE "add(a[i]: f64, b[i]: f64) -> [i] = a + b {i=3}"

/* h doubles while its sum is less than 100, at each turn it is stacked, and a second loop of as many turns adds up the
 * stack. */
START_TEST(turns_counted_by_a_condition_are_those_of_a_second_loop)
{
	struct graph *g = f.graph;
	struct node *x = graph_slot(g, &f.site, 0);
	struct loop *l = graph_loop(g, NULL, -1, (struct span){0});
	struct node *h = graph_carry(g, &f.site, l, x), *twice = op(ADD_RULE, h, h);
	struct node *count = graph_carry(g, &f.site, l, graph_int(g, &f.site, DT_I64, 0));
	struct node *more = graph_pointwise(g, &f.site, SC_ADD, count, graph_int(g, &f.site, DT_I64, 1), NULL);
	l->condition = op("most(a[i]: f64) -> [] = max[i] a {i=3}", h, NULL);
	l->condition = op("less(a: f64) -> [] = a < 100.0", l->condition, NULL);
	struct node *end = graph_end(g, &f.site, h, twice), *turns = graph_end(g, &f.site, count, more);
	struct node *stack = graph_stack(g, &f.site, l, h, false);
	struct loop *again = graph_loop(g, NULL, -1, (struct span){0});
	again->count = turns;
	struct node *sum = graph_carry(g, &f.site, again, end);
	struct node *line = graph_line(g, &f.site, again, 1, &stack, -1, -1, true);
	graph_output(g, OUTPUT_SLOT, 2, graph_end(g, &f.site, sum, op(ADD_RULE, sum, line)), (struct span){0});
	graph_compact(g);
	const char *wrong = graph_verify(g);
	ck_assert_msg(!wrong, "%s\n%s", wrong, fixture_print(g));
	ck_assert_str_eq(fixture_print(read(fixture_print(g))), fixture_print(g));
	struct tensor_value slots[4];
	run(g, slots);
	/* 0.5 … 64 in 7 turns (1.0 is the largest), 0.5 * (2^8 - 1) in all */
	ck_assert_msg(slots[2].at[0].f == 127.5, "%g", slots[2].at[0].f);
	struct tensor_value unrolled[4];
	ck_assert(!graph_unroll(g));
	ck_assert(!graph_verify(g));
	run(g, unrolled);
	assert_same(slots, unrolled);
}
END_TEST

/* Nodes as they come when a loop is walked, and later ones that read of it: invariants between, exits before. */
START_TEST(nodes_are_put_in_order)
{
	struct graph *g = f.graph;
	struct node *x = graph_slot(g, &f.site, 0);
	struct loop *l = graph_loop(g, NULL, 4, (struct span){0});
	struct node *h = graph_carry(g, &f.site, l, x), *outside = op(ADD_RULE, x, x), *sum = op(ADD_RULE, h, outside);
	ck_assert_ptr_eq(sum->loop, l);
	ck_assert_ptr_eq(outside->loop, NULL);
	ck_assert_ptr_eq(h->loop, l);
	struct node *end = graph_end(g, &f.site, h, sum), *after = op(ADD_RULE, end, end);
	struct node *late = op(ADD_RULE, sum, sum), *stack = graph_stack(g, &f.site, l, late, false);
	ck_assert(graph_verify(g) != NULL);
	graph_output(g, OUTPUT_SLOT, 2, after, (struct span){0});
	graph_output(g, OUTPUT_SLOT, 3, stack, (struct span){0});
	g->loops.at[0]->turns = LINES;
	stack->shape.dim[0] = LINES;
	graph_compact(g);
	const char *wrong = graph_verify(g);
	ck_assert_msg(!wrong, "%s\n%s", wrong, fixture_print(g));
	ck_assert(outside->id < h->id && late->id < end->id && stack->id < after->id);
}
END_TEST

START_TEST(a_loop_that_reads_its_own_result_is_refused)
{
	struct graph *g = f.graph;
	struct node *x = graph_slot(g, &f.site, 0);
	struct loop *l = graph_loop(g, NULL, 4, (struct span){0});
	struct node *h = graph_carry(g, &f.site, l, x), *end = graph_end(g, &f.site, h, op(ADD_RULE, h, x));
	struct node *inside = op(ADD_RULE, graph_turn(g, &f.site, l) ? h : h, end);
	graph_stack(g, &f.site, l, inside, false);
	ck_assert(graph_order(g) != NULL);
}
END_TEST

/* A call in a loop has its layout parameters anew in each turn, and is given in each what stands outside: behind the
 * arguments that stand before it in the call, or before the first that reads it. */
/* Unrolls a graph whose contracts stand where the names of their parameters say, each at a place of its own. */
static void unroll_contracts(struct graph *g)
{
	for (int i = 0; i < g->nodes.n; i++)
		if (g->nodes.at[i]->kind == NODE_CONTRACT) {
			uint32_t at = (uint32_t)g->nodes.at[i]->target->what[0];
			graph_retarget(g, g->nodes.at[i])->where = (struct span){.file = 1, .begin = at, .end = at + 1};
		}
	ck_assert(graph_unroll(g));
	graph_compact(g);
	ck_assert_ptr_null(graph_verify(g));
}

/* The contracts in order: the first letter of what each names, and the variable of its layout. */
static void contracts_are(const struct graph *g, const char *what, const int *var)
{
	size_t n = 0;
	for (int i = 0; i < g->nodes.n; i++) {
		const struct node *x = g->nodes.at[i];
		if (x->kind != NODE_CONTRACT)
			continue;
		ck_assert_msg(n < strlen(what) && x->target->what[0] == what[n] && x->target->layout.var == var[n],
			      "contract %zu\n%s", n, fixture_print(g));
		n++;
	}
	ck_assert_int_eq(n, strlen(what));
}

START_TEST(layout_parameters_are_new_in_each_turn)
{
	struct graph *g = read("graph logical vars 2\n" X "%1 = contract(%0) [@left : ?0, \"b\"] : f64[3] @left\n%2 = "
			       "contract(%0) [@left : ?0, \"d\"] : f64[3] @left\n%3 = carry(%0) of 0" LINE
			       "%4 = contract(%3) [@left : ?1, \"a\"] : f64[3] @left\n%5 = contract(%4) [@left : ?0, "
			       "\"c\"] : f64[3] @left\n%6 = map(%5, %2) " MUL "%7 = map(%6, %1) " MUL
			       "%8 = end(%3, %7) of 0" LINE "loop 0 turns 2\noutput slot \"y\" = %8\n");
	unroll_contracts(g);
	static const char what[] = "abcdabcd"; /* of each turn; %1 and %2 themselves are read by nobody */
	static const int var[] = {1, 2, 2, 2, 4, 3, 3, 3};
	contracts_are(g, what, var);
}
END_TEST

/* A call that is computed again in another loop has names of its own in each turn there; what stands between the loops
 * and names the parameter comes before those of the second one alone. */
START_TEST(layout_parameters_are_new_in_a_second_loop)
{
	struct graph *g = read("graph logical vars 1\n" X "%1 = carry(%0) of 0" LINE
			       "%2 = contract(%1) [@left : ?0, \"b\"] : f64[3] @left\n%3 = map(%2, %0) " MUL
			       "%4 = end(%1, %3) of 0" LINE
			       "%5 = contract(%4) [@left : ?0, \"a\"] : f64[3] @left\n%6 = carry(%4) of 1" LINE
			       "%7 = contract(%6) [@left : ?0, \"b\"] : f64[3] @left\n%8 = map(%7, %5) " MUL
			       "%9 = end(%6, %8) of 1" LINE "loop 0 turns 2\nloop 1 turns 2\noutput slot \"y\" = %9\n");
	unroll_contracts(g);
	static const char what[] = "bbabab"; /* %5 itself is read by nobody */
	static const int var[] = {1, 2, 3, 3, 4, 4};
	contracts_are(g, what, var);
}
END_TEST

/* What a REMAT is to wait for is of its own turn; one that waits for what is in no graph is not legal. */
START_TEST(copies_wait_for_what_is_made_in_their_turn)
{
	struct graph *g = read("graph logical\n" X XS "%2 = carry(%0) of 0" LINE "%3 = map(%2, %0) " MUL
			       "%4 = remat(%2) after %3" LINE "%5 = map(%4, %3) " ADD "%6 = end(%2, %5) of 0" LINE
			       "loop 0 turns 3\noutput slot \"y\" = %6\n");
	ck_assert(graph_unroll(g));
	ck_assert_ptr_null(graph_verify(g));
	int n = 0;
	const struct node *product = NULL;
	for (int i = 0; i < g->nodes.n; i++) {
		const struct node *x = g->nodes.at[i];
		if (x->kind == NODE_MAP && x->rule->body->fn == SC_MUL)
			product = x;
		if (x->kind != NODE_REMAT)
			continue;
		ck_assert_msg(product && x->after == product, "turn %d\n%s", n, fixture_print(g));
		n++;
	}
	ck_assert_int_eq(n, 3);
	struct node copy = *product;
	for (int i = 0; i < g->nodes.n; i++)
		if (g->nodes.at[i]->kind == NODE_REMAT)
			g->nodes.at[i]->after = &copy;
	ck_assert_ptr_nonnull(graph_verify(g));
}
END_TEST

#define MORE "%5 = map(%3) {less(a: i64) -> [] = a < 3} : bool @left\n"
#define PLACED \
	"graph placed\n" X "%1 = const 0 : i64 @left\n%2 = carry(%0) of 0" LINE \
	"%3 = carry(%1) of 0 : i64 @left\n%4 = map(%3) {next(a: i64) -> [] = a + 1} : i64 @left\n" MORE \
	"%6 = to(%2) [@right : B] : f64[3] @right\n%7 = map(%6, %6) " \
	"{add(a[i]: f64, b[i]: f64) -> [i] = a + b {i=3}} : f64[3] @right\n" \
	"%8 = to(%7) [@left : B]" LINE "%9 = to(%5) [@right : B] : bool @right\n%10 = end(%2, %8) of 0" LINE \
	"%11 = end(%3, %4) of 0 : i64 @left\n"

START_TEST(all_placements_of_a_loop_know_when_it_ends)
{
	const char *error;
	struct graph *g = read(PLACED "loop 0 while %5 and %9\noutput slot \"y\" = %10\n");
	struct loop *l = g->loops.at[0];
	ck_assert_ptr_eq(loop_asks(l, f.left), l->condition);
	ck_assert_ptr_eq(loop_asks(l, f.right), g->nodes.at[9]);
	ck_assert_ptr_null(loop_asks(l, f.grid));
	graph_compact(g);
	ck_assert_str_eq(fixture_print(read(fixture_print(g))), fixture_print(g));
	struct graph *copy = graph_copy(g, f.session->arena);
	ck_assert_str_eq(fixture_print(copy), fixture_print(g));
	ck_assert_ptr_eq(copy->loops.at[0]->elsewhere.at[0], copy->nodes.at[l->elsewhere.at[0]->id]);
	static const char *const ends[] = {"loop 0 while %5", "loop 0 while %5 and %5", "loop 0 while %5 and %2",
					   "loop 0 turns 3 and %9"};
	for (int i = 0; i < 4; i++)
		ck_assert_msg(!graph_read(f.session, f.program,
					  arena_printf(f.session->arena, "%s%s\n", PLACED, ends[i]), &error),
			      "accepted: %s", ends[i]);
}
END_TEST

static const char *const wrong[] = {
	X "%1 = carry(%0) of 0" LINE,
	X "%1 = carry(%0) of 0" LINE "loop 0 turns 2\n",
	X "%1 = carry(%0) of 0" LINE "%2 = end(%1, %0) of 0" LINE "loop 0\n",
	X "%1 = carry(%0) of 0" LINE "%2 = end(%1, %0) of 0" LINE "loop 0 turns -3\n",
	X "%1 = carry(%0) of 0" LINE "%2 = end(%1, %0) of 0" LINE "%3 = end(%1, %0) of 0" LINE "loop 0 turns 2\n",
	X "%1 = carry(%0) of 0" LINE "%2 = end(%0, %1) of 0" LINE "loop 0 turns 2\n",
	X "%1 = carry(%0) of 0" LINE "%2 = end(%1, %0) of 1" LINE "loop 0 turns 2\nloop 1 turns 2\n",
	X "%1 = carry(%0) of 0" LINE "%2 = end(%1, %0) of 0" LINE "loop 0 in 1 turns 2\nloop 1 turns 2\n",
	X "%1 = carry(%0) of 0" LINE "%2 = end(%1, %0) of 0" LINE "loop 0 count %0\n",
	X "%1 = carry(%0) of 0" LINE "%2 = end(%1, %0) of 0" LINE "loop 0 while %1\n",
	X "%1 = carry(%0) of 0" LINE "%2 = end(%1, %0) of 0" LINE "%3 = map(%1, %0) " ADD "loop 0 turns 2\n",
	X XS "%2 = line(%1) of 0 first 0 step 1" LINE "%3 = stack(%2) of 0 : f64[6, 3] @left\nloop 0 turns 6\n",
	X XS "%2 = line(%1) of 0 first 4 step -1" LINE "%3 = stack(%2) of 0 : f64[6, 3] @left\nloop 0 turns 6\n",
	X XS "%2 = line(%1) of 0 first -6 step 1 back" LINE "%3 = stack(%2) of 0 : f64[5, 3] @left\nloop 0 turns 5\n",
	X XS "%2 = line(%1) of 0 first 0 step 1" LINE "%3 = stack(%2) of 0 : f64[4, 3] @left\nloop 0 turns 5\n",
	X "%1 = turn of 0 : i32\nloop 0 turns 5\n",
	X "%1 = turn of 99999999 : i64\nloop 0 turns 5\n",
};

START_TEST(wrong_loops_are_refused_with_a_message)
{
	const char *error = NULL, *text = arena_printf(f.session->arena, "graph logical\n%s", wrong[_i]);
	struct graph *g = graph_read(f.session, f.program, text, &error);
	ck_assert_msg(!g && error && *error, "accepted:\n%s", text);
}
END_TEST

int main(void)
{
	Suite *s;
	TCase *t = suite_begin(&s, "graph loops");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_loop_test(t, turn_by_turn_is_the_same, 0, GRAPHS);
	tcase_add_loop_test(t, text_and_copies_are_the_same_loops, 0, GRAPHS);
	tcase_add_test(t, what_is_carried_doubles);
	tcase_add_test(t, turns_counted_by_a_condition_are_those_of_a_second_loop);
	tcase_add_test(t, nodes_are_put_in_order);
	tcase_add_test(t, a_loop_that_reads_its_own_result_is_refused);
	tcase_add_test(t, layout_parameters_are_new_in_each_turn);
	tcase_add_test(t, layout_parameters_are_new_in_a_second_loop);
	tcase_add_test(t, copies_wait_for_what_is_made_in_their_turn);
	tcase_add_test(t, all_placements_of_a_loop_know_when_it_ends);
	tcase_add_loop_test(t, wrong_loops_are_refused_with_a_message, 0, (int)(sizeof wrong / sizeof *wrong));
	return suite_end(s);
}
