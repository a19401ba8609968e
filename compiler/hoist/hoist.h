/* hoist.h — what a loop of the host computes alike in all its turns: what the files of this folder share. */
#ifndef PML_HOIST_H
#define PML_HOIST_H

#include "../program.h"

/* What may change while a loop runs. */
struct changes {
	const struct host_stmt *loop; /* HOST_WHILE */
	bool *variables;              /* of the function: set in the loop */
	bool *slots;                  /* of the program: assigned in it */
};

/* In the order of the graph. */
struct invariants {
	VEC(struct node *) nodes;
};
/* invariant.c: the nodes of a laid-out graph whose values the program text has in front of the loop and which are the
 * same in all its turns, as few as possible of those that take longer to compute than to read: to be computed once.
 * Whole loops of the graph count as one. run: the statement that runs the region, in the loop. None if nothing is worth
 * it. */
struct invariants invariants_find(const struct program *p, const struct graph *g, const struct host_stmt *run,
				  const struct changes *c);

#endif
