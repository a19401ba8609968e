/* solver.h — the least cost of a problem, or a good cost and a bound that says how good. */
#ifndef PML_SOLVE_SOLVER_H
#define PML_SOLVE_SOLVER_H

#include "problem.h"

enum solution_kind {
	SOLUTION_OPTIMAL,    /* no assignment costs less */
	SOLUTION_FOUND,      /* the time was up; none costs less than `bound` */
	SOLUTION_INFEASIBLE, /* there is none */
	SOLUTION_UNKNOWN,    /* the time was up and none was found; if there is one, it costs `bound` or more */
};

struct solution {
	enum solution_kind kind;
	int *value; /* by node; NULL if none was found */
	wide cost, bound;
	int64_t peak;
};

/* Looks for so many seconds at most. What it gives is the same whenever the same problem is given, but for what a
 * limit that is reached cuts off. The costs are those of problem_evaluate. */
struct solution problem_solve(const struct problem *p, struct arena *a, double seconds);

/* (cost - bound) / cost, 0 if the solution is known to be the best. */
double solution_gap(const struct solution *s);

#endif
