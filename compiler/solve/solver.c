/* solver.c — see solver.h. The problem becomes a core, which shrinks. Its bound and a dive give a beginning; then the
 * search through all and the improvement of the best take turns, each with twice the effort of the time before, until
 * one of them ends it. What was found is added up once more from the problem. */
#include "solver.h"

#include "improve.h"
#include "level.h"

#include "base/session.h"

/* What a second or two do, some tenths of one, and some ten milliseconds. */
static const int64_t root_effort = 2 * SOLVE_EFFORT, dive_effort = SOLVE_EFFORT / 5, first_effort = SOLVE_EFFORT / 20;
static const int64_t most_effort = INT64_C(1) << 60;

static void check_solution(const struct problem *p, const struct core *c, const struct search *found,
			   struct solution *s)
{
	enum verdict v = problem_evaluate(p, s->value, &s->cost, &s->peak);
	BUG_IF(v == VERDICT_FORBIDDEN, "solve: the solution is forbidden");
	BUG_IF(v == VERDICT_MEMORY, "solve: the solution takes %lld bytes", (long long)s->peak);
	BUG_IF(c->scale >= 0 && core_scaled(c, s->cost) != found->cost,
	       "solve: the solution does not cost what was searched for");
}

static void take_solution(const struct problem *p, struct arena *a, const struct core *c, const struct search *found,
			  struct solution *s)
{
	s->bound = core_unscaled(c, found->bound);
	if (!found->found) {
		s->kind = found->stopped ? SOLUTION_UNKNOWN : SOLUTION_INFEASIBLE;
		return;
	}
	s->value = ARENA_ARRAY(a, int, c->nnodes);
	core_choices(c, found->best, s->value);
	check_solution(p, c, found, s);
	s->bound = s->bound < s->cost ? s->bound : s->cost;
	s->kind = s->bound < s->cost ? SOLUTION_FOUND : SOLUTION_OPTIMAL;
}

/* Whether branching has a chance to come to an end with so much effort. */
static bool may_branch(const struct search *s, int64_t effort)
{
	enum { LEVELS = 20, PASSES = 100 };
	return !s->found || effort / (LEVELS * PASSES) > core_effort(s->top->core);
}

/* False: values of the core have to be compared first. */
static bool run(struct search *s, struct arena *a)
{
	struct improver m;
	search_root(s, root_effort);
	if (!s->stopped || search_is_late(s))
		return true;
	if (!s->root->compares)
		return false;
	search_dive(s, dive_effort);
	improve_init(&m, s, a);
	for (int64_t effort = first_effort; s->stopped && !search_is_late(s);
	     effort += effort < most_effort ? effort : 0) {
		if (s->found)
			improve_run(&m, effort);
		search_root(s, effort);
		if (s->stopped && may_branch(s, effort))
			search_run(s, effort, INT64_MAX / 2);
	}
	return true;
}

struct solution problem_solve(const struct problem *p, struct arena *a, struct solve_limit limit)
{
	struct deadline deadline = search_deadline(limit);
	struct solution s = {.kind = SOLUTION_INFEASIBLE};
	struct arena *own = arena_new("solve: search");
	struct core_history h = {.arena = own};
	struct core *c = core_reduce(core_new(p, &h), NULL);
	for (bool ended = false; !ended && !c->infeasible;) {
		struct search search;
		search_init(&search, c, own, deadline);
		ended = run(&search, own);
		if (ended)
			take_solution(p, a, c, &search, &s);
		search_end(&search);
		if (!ended) {
			c->compares = true;
			c = core_reduce(c, NULL);
		}
	}
	core_free(c);
	arena_free(own);
	return s;
}

double solution_gap(const struct solution *s)
{
	double gap = (double)(s->cost - s->bound), cost = (double)(s->cost < 0 ? -s->cost : s->cost);
	return gap <= 0 ? 0 : cost > 0 ? gap / cost : 1;
}
