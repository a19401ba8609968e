/* test_solve.c — the solver of `pmlc solve` against brute force on random problems, with and without limits of memory,
 * forbidden entries, several edges between the same nodes, edges within one node and over three; bounds that do not lie
 * where the search is cut off; costs whose sums need more than 64 bits. */
#include "suite.h"

#include "compiler/solve/search.h"
#include "compiler/solve/solver.h"

#include <string.h>

enum { MOST_NODES = 7 };

static int64_t below(uint64_t *seed, int64_t n)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (int64_t)((*seed >> 33) % (uint64_t)n);
}

/* How a random problem is drawn. */
struct form {
	int most_values, most_edges;
	int64_t range, limit; /* of costs; 0: no limit of memory */
	bool forbids;
};

static int64_t random_cost(uint64_t *seed, const struct form *f, int forbidden_in)
{
	return f->forbids && below(seed, forbidden_in) == 0 ? COST_FORBIDDEN + below(seed, 9) : below(seed, f->range);
}

static struct problem_node random_node(struct arena *a, uint64_t *seed, const struct form *f)
{
	struct problem_node n = {.nvalues = 1 + (int)below(seed, f->most_values), .from = below(seed, 10) - 5};
	int64_t *cost = ARENA_ARRAY(a, int64_t, n.nvalues), *usage = ARENA_ARRAY(a, int64_t, n.nvalues);
	for (int v = 0; v < n.nvalues; v++) {
		cost[v] = random_cost(seed, f, 15);
		usage[v] = below(seed, 3) ? below(seed, 30) : 0;
	}
	n.cost = cost;
	n.usage = below(seed, 9) ? usage : NULL;
	n.to = n.from + below(seed, 6) - (below(seed, 9) == 0);
	return n;
}

/* Some tables let each value have one partner only, as between a tensor and what is computed from it alone. */
static void random_edge(struct arena *a, uint64_t *seed, const struct form *f, const struct problem *p,
			struct problem_edge *e)
{
	static const int arity[] = {1, 3, 2, 2, 2, 2, 2, 2, 2, 2};
	int *node = ARENA_ARRAY(a, int, 3);
	e->nnodes = arity[below(seed, 10)];
	for (int i = 0; i < e->nnodes; i++)
		node[i] = (int)below(seed, p->nnodes);
	e->node = node;
	int64_t n = problem_entries(p, e), *cost = ARENA_ARRAY(a, int64_t, n);
	int kind = (int)below(seed, 4), values = p->node[node[0]].nvalues, shift = (int)below(seed, values);
	for (int64_t k = 0; k < n; k++) {
		cost[k] = random_cost(seed, f, kind == 0 ? 2 : 6);
		if (f->forbids && kind == 1 && n == (int64_t)values * values &&
		    (k / values + shift) % values != k % values)
			cost[k] = COST_FORBIDDEN;
	}
	e->cost = cost;
}

static struct problem random_problem(struct arena *a, uint64_t seed, const struct form *f)
{
	struct problem p = {.nnodes = 1 + (int)below(&seed, MOST_NODES),
			    .nedges = (int)below(&seed, f->most_edges + 1)};
	p.node = ARENA_ARRAY(a, struct problem_node, p.nnodes);
	p.edge = ARENA_ARRAY(a, struct problem_edge, p.nedges);
	p.has_limit = f->limit > 0;
	p.limit = f->limit ? below(&seed, f->limit) : 0;
	for (int i = 0; i < p.nnodes; i++)
		p.node[i] = random_node(a, &seed, f);
	for (int k = 0; k < p.nedges; k++)
		random_edge(a, &seed, f, &p, &p.edge[k]);
	return p;
}

/* ---- brute force, by the definition ---- */

static int64_t entry_at(const struct problem *p, const struct problem_edge *e, const int *value)
{
	int64_t at = 0;
	for (int i = 0; i < e->nnodes; i++)
		at = at * p->node[e->node[i]].nvalues + value[e->node[i]];
	return e->cost[at];
}

/* -1: not allowed. */
static int64_t cost_of(const struct problem *p, const int *value)
{
	int64_t sum = 0;
	for (int i = 0; i < p->nnodes; i++) {
		if (p->node[i].cost[value[i]] >= COST_FORBIDDEN)
			return -1;
		sum += p->node[i].cost[value[i]];
	}
	for (int k = 0; k < p->nedges; k++) {
		int64_t c = entry_at(p, &p->edge[k], value);
		if (c >= COST_FORBIDDEN)
			return -1;
		sum += c;
	}
	for (int64_t t = -10; p->has_limit && t < 20; t++) {
		int64_t memory = 0;
		for (int i = 0; i < p->nnodes; i++)
			if (p->node[i].usage && p->node[i].from <= t && t < p->node[i].to)
				memory += p->node[i].usage[value[i]];
		if (memory > p->limit)
			return -1;
	}
	return sum;
}

static bool next(const struct problem *p, int *value)
{
	for (int i = p->nnodes - 1; i >= 0; i--) {
		if (++value[i] < p->node[i].nvalues)
			return true;
		value[i] = 0;
	}
	return false;
}

/* The least cost, -1 if nothing is allowed; the evaluator must agree on every assignment. */
static int64_t brute_force(const struct problem *p)
{
	int value[MOST_NODES] = {0};
	int64_t best = -1;
	do {
		int64_t cost = cost_of(p, value), peak;
		wide sum;
		enum verdict v = problem_evaluate(p, value, &sum, &peak);
		if ((v == VERDICT_GOOD) != (cost >= 0) || (cost >= 0 && sum != cost))
			ck_abort_msg("the evaluator says %d, %lld instead of %lld", (int)v, (long long)sum,
				     (long long)cost);
		if (cost >= 0 && (best < 0 || cost < best))
			best = cost;
	} while (next(p, value));
	return best;
}

/* ---- the solver ---- */

static void agrees(const struct problem *p, struct arena *a, uint64_t seed, int64_t best)
{
	struct solution s = problem_solve(p, a, (struct solve_limit){.seconds = 20});
	if (best < 0) {
		if (s.kind != SOLUTION_INFEASIBLE)
			ck_abort_msg("seed %lld: kind %d, and there is no solution", (long long)seed, (int)s.kind);
		return;
	}
	if (s.kind != SOLUTION_OPTIMAL || s.cost != best || s.bound != best || cost_of(p, s.value) != best)
		ck_abort_msg("seed %lld: kind %d, cost %lld, bound %lld, not %lld", (long long)seed, (int)s.kind,
			     (long long)s.cost, (long long)s.bound, (long long)best);
}

/* How many problems are tried where TEST_LONG tries n. */
static int problems(int n)
{
	return suite_count(n, n / 3, n / 6);
}

static void compare(uint64_t first, int n, const struct form *f, int *infeasible)
{
	for (uint64_t seed = first; seed < first + (uint64_t)n; seed++) {
		struct arena *a = arena_new("test");
		struct problem p = random_problem(a, seed * 7919, f);
		int64_t best = brute_force(&p);
		*infeasible += best < 0;
		agrees(&p, a, seed, best);
		arena_free(a);
	}
}

START_TEST(without_limits_the_least_cost_is_found)
{
	int infeasible = 0;
	compare(1, problems(400), &(struct form){.most_values = 4, .most_edges = 12, .range = 1000}, &infeasible);
	compare(1000, problems(400), &(struct form){.most_values = 5, .most_edges = 18, .range = 4}, &infeasible);
	ck_assert_int_eq(infeasible, 0);
}
END_TEST

START_TEST(forbidden_entries_are_avoided_or_there_is_no_solution)
{
	int infeasible = 0;
	compare(1, problems(800), &(struct form){.most_values = 4, .most_edges = 12, .range = 1000, .forbids = true},
		&infeasible);
	ck_assert_int_gt(infeasible, problems(50));
	ck_assert_int_lt(infeasible, problems(750));
}
END_TEST

START_TEST(memory_suffices_at_every_time)
{
	int infeasible = 0;
	compare(1, problems(600), &(struct form){.most_values = 4, .most_edges = 10, .range = 1000, .limit = 80},
		&infeasible);
	compare(1000, problems(400),
		&(struct form){.most_values = 4, .most_edges = 8, .range = 9, .limit = 60, .forbids = true},
		&infeasible);
	ck_assert_int_gt(infeasible, problems(100));
	ck_assert_int_lt(infeasible, problems(800));
}
END_TEST

/* A search that may look at a few subproblems only: bounds hold, and what it found is allowed. */
static bool search_shortly(const struct problem *p, struct arena *a, int64_t nodes, int64_t best)
{
	struct core_history h = {.arena = a};
	struct core *c = core_reduce(core_new(p, &h), NULL);
	struct search s;
	bool cut = false;
	if (!c->infeasible) {
		search_init(&s, c, a, search_deadline((struct solve_limit){.seconds = 20}));
		search_root(&s, INT64_MAX / 2);
		if (s.stopped)
			search_run(&s, INT64_MAX / 2, nodes);
		cut = s.stopped;
		if (best < 0 ? s.found : s.found ? core_unscaled(c, s.cost) < best : !cut)
			ck_abort_msg("the best is %lld, found %d: %lld", (long long)best, s.found, (long long)s.cost);
		if (best >= 0 && core_unscaled(c, s.bound) > best)
			ck_abort_msg("bound %lld, best %lld", (long long)core_unscaled(c, s.bound), (long long)best);
		search_end(&s);
	}
	core_free(c);
	return cut;
}

START_TEST(bounds_hold_where_the_search_is_cut_off)
{
	struct form f = {.most_values = 5, .most_edges = 9, .range = 1000, .limit = 120};
	int cut = 0;
	for (uint64_t seed = 1; seed <= 600; seed++) {
		struct arena *a = arena_new("test");
		struct problem p = random_problem(a, seed * 104729, &f);
		cut += search_shortly(&p, a, (int64_t)(seed % 3), brute_force(&p));
		arena_free(a);
	}
	ck_assert_int_gt(cut, 5);
}
END_TEST

/* A square of random nodes, each joined with those beside it; limit: of the memory of some 250 that are alive together,
 * 0: none. */
static struct problem random_grid(struct arena *a, int side, int values, uint64_t seed, int64_t limit)
{
	struct problem p = {
		.nnodes = side * side, .nedges = 2 * side * (side - 1), .has_limit = limit > 0, .limit = limit};
	p.node = ARENA_ARRAY(a, struct problem_node, p.nnodes);
	p.edge = ARENA_ARRAY(a, struct problem_edge, p.nedges);
	for (int i = 0, k = 0; i < p.nnodes; i++) {
		int64_t *cost = ARENA_ARRAY(a, int64_t, values), *usage = ARENA_ARRAY(a, int64_t, values);
		for (int v = 0; v < values; v++) {
			cost[v] = below(&seed, 1000);
			if (limit)
				usage[v] = below(&seed, 100);
		}
		p.node[i] =
			(struct problem_node){values, cost, limit ? usage : NULL, limit ? i : 0, limit ? i + 250 : 0};
		for (int d = 0; d < 2; d++) {
			if (d ? i >= side * (side - 1) : i % side == side - 1)
				continue;
			int *node = ARENA_ARRAY(a, int, 2);
			int64_t *table = ARENA_ARRAY(a, int64_t, values * values);
			node[0] = i;
			node[1] = i + (d ? side : 1);
			for (int v = 0; v < values * values; v++)
				table[v] = below(&seed, 1000);
			p.edge[k++] = (struct problem_edge){2, node, table};
		}
	}
	return p;
}

/* A grid is too much for one bound: what is found first is bettered in parts, and the limit is kept. */
static struct solution solution_of_large_grid(struct arena *a, struct solve_limit limit)
{
	struct problem p = random_grid(a, 20, 6, 4, 9000);
	double begin = search_clock();
	struct solution s = problem_solve(&p, a, limit);
	ck_assert_double_lt(search_clock() - begin, 60);
	ck_assert_int_eq(s.kind, SOLUTION_FOUND);
	ck_assert(s.peak <= p.limit && s.bound <= s.cost);
	return s;
}

START_TEST(a_large_grid_gives_a_good_solution_in_time)
{
	struct arena *a = arena_new("test");
	struct solution s = solution_of_large_grid(a, (struct solve_limit){.seconds = 3});
	ck_assert_double_lt(solution_gap(&s), 0.15);
	arena_free(a);
}
END_TEST

/* So much effort gives the same on every machine, and twice: the seconds do not come to be asked. */
START_TEST(a_limit_of_effort_gives_the_same_solution)
{
	struct arena *a = arena_new("test");
	struct solve_limit limit = {.seconds = 1e6, .effort = SOLVE_EFFORT / 2};
	struct solution x = solution_of_large_grid(a, limit), y = solution_of_large_grid(a, limit);
	ck_assert_mem_eq(x.value, y.value, sizeof *x.value * 400);
	ck_assert(x.bound == y.bound);
	arena_free(a);
}
END_TEST

/* Without memory, a grid too wide for elimination, and with entries too unlike for passes of messages alone: values are
 * compared. */
START_TEST(a_wide_grid_without_limits_is_settled)
{
	struct arena *a = arena_new("test");
	struct problem p = random_grid(a, 11, 4, 11, 0);
	struct core_history h = {.arena = a};
	struct core *c = core_reduce(core_new(&p, &h), NULL);
	struct search s;
	search_init(&s, c, a, search_deadline((struct solve_limit){.seconds = 20}));
	search_root(&s, INT64_MAX / 2);
	ck_assert(s.stopped && !c->compares);
	search_end(&s);
	core_free(c);
	struct solution found = problem_solve(&p, a, (struct solve_limit){.seconds = 20});
	ck_assert_int_eq(found.kind, SOLUTION_OPTIMAL);
	ck_assert(found.bound == found.cost);
	arena_free(a);
}
END_TEST

START_TEST(equal_problems_give_equal_solutions)
{
	struct form f = {.most_values = 5, .most_edges = 18, .range = 3, .limit = 90};
	for (uint64_t seed = 1; seed <= 100; seed++) {
		struct arena *a = arena_new("test");
		struct problem p = random_problem(a, seed, &f);
		struct solve_limit limit = {.seconds = 20};
		struct solution x = problem_solve(&p, a, limit), y = problem_solve(&p, a, limit);
		ck_assert_int_eq(x.kind, y.kind);
		if (x.value)
			ck_assert_mem_eq(x.value, y.value, sizeof *x.value * (size_t)p.nnodes);
		arena_free(a);
	}
}
END_TEST

/* A chain of 300 nodes, of which each value costs half a forbidden one: the sum is beyond 64 bits. */
START_TEST(sums_beyond_64_bits_are_exact)
{
	enum { LENGTH = 300 };
	struct arena *a = arena_new("test");
	struct problem p = {.nnodes = LENGTH, .nedges = LENGTH - 1};
	static const int64_t same[] = {0, COST_FORBIDDEN, COST_FORBIDDEN, 0};
	int64_t cost[] = {COST_FORBIDDEN / 2 + 3, COST_FORBIDDEN / 2 - (INT64_C(1) << 40)};
	p.node = ARENA_ARRAY(a, struct problem_node, p.nnodes);
	p.edge = ARENA_ARRAY(a, struct problem_edge, p.nedges);
	for (int i = 0; i < LENGTH; i++)
		p.node[i] = (struct problem_node){.nvalues = 2, .cost = cost};
	for (int i = 0; i + 1 < LENGTH; i++) {
		int *node = ARENA_ARRAY(a, int, 2);
		node[0] = i;
		node[1] = i + 1;
		p.edge[i] = (struct problem_edge){2, node, same};
	}
	struct solution s = problem_solve(&p, a, (struct solve_limit){.seconds = 20});
	ck_assert_int_eq(s.kind == SOLUTION_OPTIMAL || s.kind == SOLUTION_FOUND, 1);
	ck_assert_int_eq(s.value[0], 1);
	ck_assert(s.cost == (wide)cost[1] * LENGTH);
	ck_assert(s.bound <= s.cost && s.bound > (wide)cost[1] * LENGTH - (INT64_C(1) << 40));
	ck_assert(s.cost > INT64_MAX);
	arena_free(a);
}
END_TEST

START_TEST(a_problem_without_nodes_costs_nothing)
{
	struct arena *a = arena_new("test");
	struct problem p = {.has_limit = true};
	struct solution s = problem_solve(&p, a, (struct solve_limit){.seconds = 20});
	ck_assert_int_eq(s.kind, SOLUTION_OPTIMAL);
	ck_assert(s.cost == 0 && s.bound == 0);
	arena_free(a);
}
END_TEST

int main(void)
{
	Suite *s;
	TCase *t = suite_begin(&s, "solve");
	tcase_add_test(t, without_limits_the_least_cost_is_found);
	tcase_add_test(t, forbidden_entries_are_avoided_or_there_is_no_solution);
	tcase_add_test(t, memory_suffices_at_every_time);
	tcase_add_test(t, bounds_hold_where_the_search_is_cut_off);
	tcase_add_test(t, a_large_grid_gives_a_good_solution_in_time);
	tcase_add_test(t, a_limit_of_effort_gives_the_same_solution);
	tcase_add_test(t, a_wide_grid_without_limits_is_settled);
	tcase_add_test(t, equal_problems_give_equal_solutions);
	tcase_add_test(t, sums_beyond_64_bits_are_exact);
	tcase_add_test(t, a_problem_without_nodes_costs_nothing);
	return suite_end(s);
}
