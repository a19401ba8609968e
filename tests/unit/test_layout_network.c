/* test_layout_network.c — elimination against brute force on random networks of costs, its determinism, and what it
 * does where a table would grow too large. Also the place pass and the trees of conversions, which are as small. */
#include "layout_fixture.h"
#include "suite.h"

#include "compiler/solve/network.h"

static int64_t below(uint64_t *seed, int64_t n)
{
	return (int64_t)(fixture_random(seed) % (uint64_t)n);
}

static void random_network(struct network *n, struct arena *a, uint64_t seed, int vars, int factors, bool forbids)
{
	network_init(n, a);
	for (int i = 0; i < vars; i++)
		network_variable(n, 1 + (int)below(&seed, 4));
	for (int i = 0; i < factors; i++) {
		int scope[3], arity = (int)below(&seed, vars < 3 ? vars + 1 : 4);
		for (int k = 0; k < arity; k++) {
			scope[k] = (int)below(&seed, vars);
			for (int m = 0; m < k; m++)
				if (scope[m] == scope[k]) {
					scope[k] = (scope[k] + 1) % vars;
					m = -1;
				}
		}
		struct cost *table = network_factor(n, arity, scope);
		for (int64_t e = network_size(n, arity, scope) - 1; e >= 0; e--)
			table[e] = (struct cost){.bytes = below(&seed, 5) * 100,
						 .work = below(&seed, 9),
						 .forbidden = forbids && below(&seed, 12) == 0};
	}
}

static struct cost brute_force(const struct network *n)
{
	int value[16] = {0};
	struct cost best = {.forbidden = true};
	for (;;) {
		struct cost c = network_evaluate(n, value);
		if (cost_less(c, best))
			best = c;
		int i = n->domains.n - 1;
		while (i >= 0 && ++value[i] == n->domains.at[i])
			value[i--] = 0;
		if (i < 0)
			return best;
	}
}

START_TEST(elimination_finds_the_least_cost)
{
	for (uint64_t seed = 1; seed <= 400; seed++) {
		struct arena *a = arena_new("test");
		struct network n;
		int value[16];
		bool exact;
		random_network(&n, a, seed, 1 + (int)(seed % 7), (int)(seed % 11), seed % 3 == 0);
		struct cost best = brute_force(&n), found = network_solve(&n, 1 << 20, value, &exact);
		ck_assert(exact);
		ck_assert_int_eq(best.forbidden, found.forbidden);
		if (!best.forbidden) {
			ck_assert_int_eq(best.bytes, found.bytes);
			ck_assert_int_eq(best.work, found.work);
		}
		arena_free(a);
	}
}
END_TEST

START_TEST(small_tables_make_it_inexact_but_never_wrong)
{
	int inexact = 0, worse = 0;
	for (uint64_t seed = 1; seed <= 200; seed++) {
		struct arena *a = arena_new("test");
		struct network n;
		int value[16];
		bool exact;
		random_network(&n, a, seed, 6, 9, false);
		struct cost best = brute_force(&n), found = network_solve(&n, 8, value, &exact);
		struct cost again = network_evaluate(&n, value);
		ck_assert_int_eq(found.bytes, again.bytes);
		ck_assert(!cost_less(found, best));
		if (exact)
			ck_assert_int_eq(found.bytes, best.bytes);
		inexact += !exact;
		worse += cost_less(best, found);
		arena_free(a);
	}
	ck_assert_int_gt(inexact, 10);
	ck_assert_int_lt(worse, 20);
}
END_TEST

START_TEST(what_is_pruned_is_not_needed)
{
	int dropped = 0;
	for (uint64_t seed = 1; seed <= 400; seed++) {
		struct arena *a = arena_new("test");
		struct network n, pruned;
		random_network(&n, a, seed, 1 + (int)(seed % 7), (int)(seed % 11), seed % 2 == 0);
		int **kept = network_prune(&n, &pruned, a);
		struct cost best = brute_force(&n), left = brute_force(&pruned);
		ck_assert(best.forbidden ? left.forbidden : cost_equal(best, left));
		int value[16] = {0}, old[16];
		for (int v = 0; v < n.domains.n; v++) {
			dropped += n.domains.at[v] - pruned.domains.at[v];
			value[v] = pruned.domains.at[v] - 1;
			old[v] = kept[v][value[v]];
		}
		struct cost before = network_evaluate(&n, old), after = network_evaluate(&pruned, value);
		ck_assert(cost_equal(before, after));
		arena_free(a);
	}
	ck_assert_int_gt(dropped, 500);
}
END_TEST

/* Rows of variables with a factor over any two side by side, which elimination looks through row by row. */
static void lattice(struct network *n, struct arena *a, uint64_t seed)
{
	enum { ROWS = 24, COLUMNS = 6 };
	network_init(n, a);
	for (int v = 0; v < ROWS * COLUMNS; v++)
		network_variable(n, 3);
	for (int v = 0; v < ROWS * COLUMNS; v++)
		for (int step = 1; step <= COLUMNS; step += COLUMNS - 1) {
			if (v + step >= ROWS * COLUMNS || (step == 1 && (v + 1) % COLUMNS == 0))
				continue;
			struct cost *table = network_factor(n, 2, (int[]){v, v + step});
			for (int e = 0; e < 9; e++)
				table[e] = (struct cost){.bytes = 100 + below(&seed, 100),
							 .forbidden = e && below(&seed, 9) == 0};
		}
}

/* What rounds with tables of at most so many entries cost in all, of networks for so many seeds, by the best. */
static double rounds_by_best(void (*make)(struct network *, struct arena *, uint64_t), uint64_t seeds, int64_t most)
{
	int64_t best = 0, found = 0;
	for (uint64_t seed = 1; seed <= seeds; seed++) {
		struct arena *a = arena_new("test");
		struct network n;
		bool exact;
		make(&n, a, seed);
		int *value = ARENA_ARRAY(a, int, n.domains.n);
		best += network_solve(&n, 1 << 18, value, &exact).bytes;
		ck_assert(exact);
		struct cost rounds = network_solve(&n, most, value, &exact);
		ck_assert(!exact && !rounds.forbidden);
		found += rounds.bytes;
		arena_free(a);
	}
	ck_assert_int_ge(found, best);
	return (double)found / (double)best;
}

START_TEST(rounds_come_close_to_the_best_where_tables_are_too_large)
{
	double ratio = rounds_by_best(lattice, 20, 27);
	ck_assert_msg(ratio <= 1.001, "%.4f times the best", ratio);
}
END_TEST

/* Five variables of four values, any two with a factor; of the values of one, one is cheap, if the others do not make
 * it dear. What is found with tables of at most so many entries. */
enum { CLIQUE = 5 };
static struct cost solve_clique(int64_t cheap, int64_t dear, int64_t most, int *value, bool *exact)
{
	enum { VALUES = 4 };
	struct arena *a = arena_new("test");
	struct network n;
	network_init(&n, a);
	for (int v = 0; v < CLIQUE; v++)
		network_variable(&n, VALUES);
	for (int v = 0; v < CLIQUE; v++) {
		for (int w = 0; w < v; w++) {
			struct cost *t = network_factor(&n, 2, (int[]){w, v});
			for (int k = 0; k < VALUES * VALUES && cheap < dear; k++)
				t[k].bytes = (k / VALUES + VALUES - w % VALUES + k % VALUES + VALUES - v % VALUES) %
								     VALUES ==
							     2
						     ? 2 * dear
						     : 0;
		}
		struct cost *t = network_factor(&n, 1, &v);
		for (int k = 0; k < VALUES; k++)
			t[k].bytes = k == v % VALUES ? cheap : dear;
	}
	struct cost found = network_solve(&n, most, value, exact);
	arena_free(a);
	return found;
}

START_TEST(what_is_settled_early_takes_its_cheapest_value)
{
	int value[CLIQUE];
	bool exact;
	ck_assert_int_eq(solve_clique(1, 100, 8, value, &exact).bytes, 5);
	ck_assert(!exact);
	for (int v = 0; v < CLIQUE; v++)
		ck_assert_int_eq(value[v], v % 4);
}
END_TEST

START_TEST(of_equal_costs_the_first_value_is_taken)
{
	int value[CLIQUE];
	bool exact;
	for (int64_t most = 8; most <= 1 << 20; most *= 1 << 17) {
		solve_clique(1, 1, most, value, &exact);
		for (int v = 0; v < CLIQUE; v++)
			ck_assert_int_eq(value[v], 0);
	}
}
END_TEST

/* Users that each want one of four things, and a chain of what was wanted so far, which follows from them and forbids
 * all else. */
static void chain_of_sets(struct network *n, struct arena *a, uint64_t seed)
{
	enum { USERS = 7, THINGS = 4, SETS = 1 << THINGS };
	network_init(n, a);
	for (int u = 0; u < USERS; u++)
		network_variable(n, THINGS);
	for (int u = 0; u < USERS; u++) {
		int before = n->domains.n - 1, after = network_variable(n, SETS);
		struct cost *t = network_factor(n, 2 + (u > 0), u ? (int[]){before, u, after} : (int[]){u, after});
		for (int k = 0; k < (u ? SETS : 1) * THINGS * SETS; k++)
			t[k].forbidden = k % SETS != (k / SETS / THINGS | 1 << k / SETS % THINGS);
		t = network_factor(n, 1, &after);
		for (int k = 0; k < SETS; k++)
			t[k].bytes = below(&seed, 100);
		t = network_factor(n, 1, &u);
		for (int k = 0; k < THINGS; k++)
			t[k].bytes = below(&seed, 100);
	}
}

START_TEST(what_is_settled_leaves_a_way_for_what_follows)
{
	double ratio = rounds_by_best(chain_of_sets, 100, 16);
	ck_assert_msg(ratio <= 1.08, "%.4f times the best", ratio);
}
END_TEST

START_TEST(long_chains_are_solved_in_linear_memory)
{
	struct arena *a = arena_new("test");
	struct network n;
	network_init(&n, a);
	enum { LENGTH = 2000 };
	static int value[LENGTH];
	uint64_t seed = 5;
	for (int i = 0; i < LENGTH; i++)
		network_variable(&n, 4);
	for (int i = 0; i + 1 < LENGTH; i++) {
		struct cost *t = network_factor(&n, 2, (int[]){i, i + 1});
		for (int k = 0; k < 16; k++)
			t[k].bytes = below(&seed, 100);
	}
	bool exact;
	struct cost c = network_solve(&n, 64, value, &exact);
	ck_assert(exact);
	/* The same by walking along the chain. */
	int64_t least[4] = {0}, next[4];
	for (int i = 0; i + 1 < LENGTH; i++) {
		for (int k = 0; k < 4; k++) {
			next[k] = INT64_MAX;
			for (int j = 0; j < 4; j++)
				if (least[j] + n.factors.at[i].at[4 * j + k].bytes < next[k])
					next[k] = least[j] + n.factors.at[i].at[4 * j + k].bytes;
		}
		memcpy(least, next, sizeof least);
	}
	int64_t best = least[0];
	for (int k = 1; k < 4; k++)
		best = least[k] < best ? least[k] : best;
	ck_assert_int_eq(c.bytes, best);
	arena_free(a);
}
END_TEST

/* ---- trees of conversions ---- */

static int64_t tree(struct fixture *f, const char *made, int n, const char *const *wanted, int *parent)
{
	struct layout from = layout_text(made);
	struct wanted l[MAX_WANTED] = {0};
	for (int i = 0; i < n; i++)
		l[i].layout = layout_text(wanted[i]);
	struct shape s = SHAPE(8, 12);
	struct convert_costs *c = convert_costs_new(f->session->arena, false);
	return convert_tree(c, DT_F32, &s, f->left, &from, n, l, parent).bytes;
}

START_TEST(a_finished_sum_serves_every_split)
{
	struct fixture f = fixture_new();
	int parent[4];
	int64_t t = 8 * 12 * 4;
	ck_assert_int_eq(tree(&f, "P", 3, (const char *const[]){"S0", "B", "S1"}, parent), 2 * t);
	ck_assert_int_eq(parent[1], -1);
	ck_assert_int_eq(parent[0], 1);
	ck_assert_int_eq(parent[2], 1);
	session_free(f.session);
}
END_TEST

START_TEST(two_splits_of_a_sum_cost_a_reduction_and_an_exchange)
{
	struct fixture f = fixture_new();
	int parent[4];
	int64_t t = 8 * 12 * 4;
	ck_assert_int_eq(tree(&f, "P", 2, (const char *const[]){"S0", "S1"}, parent), t + t / 2);
	ck_assert_int_eq(tree(&f, "B", 2, (const char *const[]){"S0", "P"}, parent), 0);
	ck_assert_int_eq(tree(&f, "S0", 0, NULL, parent), 0);
	session_free(f.session);
}
END_TEST

/* Parts that move as i64 are rounded behind their last movement: they cannot be scattered, and then be rows. */
START_TEST(rows_of_wide_sums_are_reduced)
{
	struct fixture f = fixture_new();
	struct shape s = SHAPE(8, 12);
	struct layout from = layout_text("P");
	struct wanted rows = {.layout = layout_text("B"), .readers = 1, .owning = 1}, whole = {.layout = rows.layout};
	for (int wide = 0; wide < 2; wide++) {
		struct convert_costs *c = convert_costs_new(f.session->arena, wide);
		int parent;
		int64_t had = convert_tree(c, DT_F32, &s, f.left, &from, 1, &whole, &parent).bytes,
			returned = convert_tree(c, DT_F32, &s, f.left, &from, 1, &rows, &parent).bytes;
		ck_assert(wide ? returned == had : returned < had);
	}
	session_free(f.session);
}
END_TEST

/* Of 8 rows cut in shares, those that change their ranks; the shares may end before the answers that are remembered. */
START_TEST(shares_are_told_apart_by_what_they_are)
{
	struct fixture f = fixture_new();
	struct shape s = SHAPE(8, 12);
	struct convert_costs *c = convert_costs_new(f.session->arena, false);
	struct layout even = layout_text("S0"), cut = even;
	int k = (int)f.left->extent[0];
	int32_t *shares = ARENA_ARRAY(f.session->arena, int32_t, k + 2);
	cut.atom[0].shares = shares;
	shares[0] = k;
	for (int first = 0; first < 2; first++) {
		for (int i = 0; i < k; i++)
			shares[2 + i] = first || i == k - 1 ? 8 : 0; /* all on the last rank, then on the first */
		int64_t moved = convert_bytes(c, DT_F32, &s, f.left, &even, f.left, &cut);
		ck_assert_int_eq(moved, (8 - 8 / k) * 12 * 4);
		struct layout back = layout_broadcast();
		ck_assert_int_eq(convert_bytes(c, DT_F32, &s, f.left, &cut, f.left, &back), (k - 1) * 8 * 12 * 4);
	}
	for (int i = 0; i < k; i++)
		shares[2 + i] = (i + 1) * 8 / k; /* even after all */
	ck_assert_int_eq(convert_bytes(c, DT_F32, &s, f.left, &even, f.left, &cut), 0);
	session_free(f.session);
}
END_TEST

/* ---- placing ---- */

START_TEST(unplaced_values_are_copied_once_per_placement)
{
	struct fixture f = fixture_new();
	struct node *half = graph_float(f.graph, &f.site, DT_F32, 0.5);
	struct node *twice = fixture_map(&f, "twice(a[]) -> [] = a + a", half, NULL, NULL);
	const char *scale = "scale(a[i], b[]) -> [i] = a * b {i=8}";
	struct node *x = fixture_param(&f, "x", SHAPE(8), f.left, "S0"),
		    *y = fixture_param(&f, "y", SHAPE(8), f.right, "B");
	fixture_keep(&f, "a", fixture_map(&f, scale, x, twice, NULL));
	fixture_keep(&f, "b", fixture_map(&f, scale, fixture_map(&f, scale, x, twice, NULL), half, NULL));
	fixture_keep(&f, "c", fixture_map(&f, scale, y, twice, NULL));
	graph_output(f.graph, OUTPUT_HOST, 0, twice, twice->span);
	stage_place(f.graph);
	ck_assert_ptr_null(graph_verify(f.graph));
	int constants = 0, doubled = 0;
	for (int i = 0; i < f.graph->nodes.n; i++) {
		const struct node *n = f.graph->nodes.at[i];
		ck_assert_ptr_nonnull(n->place);
		constants += n->kind == NODE_CONST;
		doubled += n->kind == NODE_MAP && !strcmp(n->rule->name, "twice");
	}
	ck_assert_int_eq(constants, 3); /* left, right, world */
	ck_assert_int_eq(doubled, 3);
	ck_assert_str_eq(f.graph->outputs.at[3].node->place->name, "world");
	session_free(f.session);
}
END_TEST

START_TEST(data_is_read_in_the_layout_that_is_wanted)
{
	struct fixture f = fixture_new();
	struct shape s = SHAPE(8, 4);
	struct node *image = graph_data(f.graph, &f.site, 0, 0, DT_F32, &s);
	struct node *scaled = fixture_map(&f, "scale(a[i, j]) -> [i, j] = a * 0.5 {i=8, j=4}", image, NULL, NULL);
	struct layout_spec spec = given("S0");
	struct node *x = graph_to(f.graph, &f.site, scaled, f.left, &spec);
	fixture_keep(&f, "y", fixture_map(&f, "exp(a[i, j]) -> [i, j] = exp(a) {i=8, j=4}", x, NULL, NULL));
	ck_assert(stage_layout(f.session, f.graph, NULL, NULL));
	ck_assert_int_eq(count_to(f.graph), 0);
	for (int i = 0; i < f.graph->nodes.n; i++)
		ck_assert_str_eq(layout_name(&f, f.left, &f.graph->nodes.at[i]->layout), "S(0)");
	session_free(f.session);
}
END_TEST

int main(void)
{
	Suite *s;
	TCase *t = suite_begin(&s, "layout network");
	tcase_add_test(t, elimination_finds_the_least_cost);
	tcase_add_test(t, small_tables_make_it_inexact_but_never_wrong);
	tcase_add_test(t, what_is_pruned_is_not_needed);
	tcase_add_test(t, rounds_come_close_to_the_best_where_tables_are_too_large);
	tcase_add_test(t, what_is_settled_early_takes_its_cheapest_value);
	tcase_add_test(t, of_equal_costs_the_first_value_is_taken);
	tcase_add_test(t, what_is_settled_leaves_a_way_for_what_follows);
	tcase_add_test(t, long_chains_are_solved_in_linear_memory);
	tcase_add_test(t, a_finished_sum_serves_every_split);
	tcase_add_test(t, two_splits_of_a_sum_cost_a_reduction_and_an_exchange);
	tcase_add_test(t, rows_of_wide_sums_are_reduced);
	tcase_add_test(t, shares_are_told_apart_by_what_they_are);
	tcase_add_test(t, unplaced_values_are_copied_once_per_placement);
	tcase_add_test(t, data_is_read_in_the_layout_that_is_wanted);
	return suite_end(s);
}
