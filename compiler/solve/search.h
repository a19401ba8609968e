/* search.h — the least cost of a core: branch and bound, with a bound of every subproblem (dual.h) and everything exact
 * that makes it smaller (core.h). Also from a good assignment to a better one, by the same search among its neighbours.
 */
#ifndef PML_SOLVE_SEARCH_H
#define PML_SOLVE_SEARCH_H

#include "dual.h"

#include <time.h>

struct search {
	const struct core *root;
	struct arena *arena;
	int *best;     /* values of the root's variables */
	int64_t cost;  /* of these, scaled; */
	bool found;    /* once there are any */
	int64_t upper; /* the most that an assignment still worth finding costs */
	int64_t unit;  /* costs differ by at least as much */
	double deadline;
	bool stopped;              /* it has passed, */
	int64_t nodes, most_nodes; /* or so many subproblems were looked at */
};

void search_init(struct search *s, const struct core *root, struct arena *a, double deadline);
/* Seconds of a clock that only goes forward. */
double search_clock(void);
/* A bound of all assignments, above s->upper if the search came to its end: then the best is found. */
int64_t search_run(struct search *s);
#endif
