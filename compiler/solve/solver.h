/* solver.h — the least cost of a problem, or a good cost and a bound that says how good. */
#ifndef PML_SOLVE_SOLVER_H
#define PML_SOLVE_SOLVER_H

#include "problem.h"

enum solution_kind {
	SOLUTION_OPTIMAL,    /* no assignment costs less */
	SOLUTION_FOUND,      /* the limit came first; none costs less than `bound` */
	SOLUTION_INFEASIBLE, /* there is none */
	SOLUTION_UNKNOWN,    /* the limit came first and none was found; if there is one, it costs `bound` or more */
};

struct solution {
	enum solution_kind kind;
	int *value; /* by node; NULL if none was found */
	wide cost, bound;
	int64_t peak;
};

/* What may be spent on a problem. effort: table entries that are looked at, about (search.h), SOLVE_EFFORT of them in
 * about a second; 0: no matter. */
struct solve_limit {
	double seconds;
	int64_t effort;
};

#define SOLVE_EFFORT INT64_C(1000000000)

/* What it gives is the same whenever the same problem is given, also if the limit of effort ends it; that of seconds
 * cuts off what a slower machine does not come to. The costs are those of problem_evaluate. */
struct solution problem_solve(const struct problem *p, struct arena *a, struct solve_limit limit);

/* (cost - bound) / cost, 0 if the solution is known to be the best. */
double solution_gap(const struct solution *s);

#endif
