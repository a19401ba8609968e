/* values.h — which values are the same though different regions compute them: each is given a number, and what has the
 * same number has the same elements on the same ranks. Numbers are given in the order in which host code runs; what is
 * not known to be the same is given one of its own. */
#ifndef PML_HOIST_VALUES_H
#define PML_HOIST_VALUES_H

#include "hoist.h"

#include "base/memo.h"

struct values {
	struct arena *arena;
	const struct program *p;
	struct memo known; /* what a value follows from -> its number */
	int n;             /* numbers from 1 to n are given */
	int *mesh;         /* by placement: the first one of the same mesh, on which a layout means the same */
	/* What is now in the variables of the function and in slots; of a handle: what it stands for. */
	VEC(int) variables;
	VEC(int) slots;
};

/* At the begin of a function, of which nothing is known; the arena outlives v. */
void values_begin(struct values *v, struct arena *a, const struct program *p, const struct host_function *f);
/* A number that nothing else has. */
int values_fresh(struct values *v);

/* The state now, and back to it; slots that were made in between keep what they have. */
struct values values_copy(struct values *v);
void values_back(struct values *v, const struct values *then);
/* All that c names has become something else. */
void values_forget(struct values *v, const struct changes *c);

/* By node id, in `arena`: the numbers of a laid-out graph's nodes when `run` runs it. An exit of a loop of the graph follows from all
 * that it is computed from there, which has numbers of its own. */
int *values_of_graph(struct values *v, const struct graph *g, const struct host_stmt *run);
/* A SET, EVAL or REGION has run. number: of the nodes of the region's graph. */
void values_after(struct values *v, const struct host_stmt *s, const int *number);
/* The number of what a slot has from now on, also of one that was made since. */
void values_kept(struct values *v, int slot, int number);

#endif
