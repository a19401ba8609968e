/* problem.h — choose one value per node so that the sum of costs is least and memory suffices at every time.
 *
 * A node has a table of costs by value and, while it lives, takes memory by value: usage[v] at the times from … to - 1.
 * An edge has a table of costs over the values of its nodes. All costs are integers; one of COST_FORBIDDEN or more says
 * that a value, or values together, must not be chosen, however cheap the rest. Several edges may join the same nodes.
 * With a limit, the memory of all nodes that live at a time is at most that, at every time. */
#ifndef PML_SOLVE_PROBLEM_H
#define PML_SOLVE_PROBLEM_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

__extension__ typedef __int128 wide; /* sums of costs */

#define COST_FORBIDDEN INT64_C(1000000000000000000)

struct problem_node {
	int nvalues;
	const int64_t *cost;
	const int64_t *usage; /* bytes, not negative; NULL: none at all */
	int64_t from, to;     /* not from < to: never alive */
};

struct problem_edge {
	int nnodes; /* at least 1; a node may be named twice */
	const int *node;
	const int64_t *cost; /* row-major over the nodes' values, the last node fastest; edges may share it */
};

struct problem {
	int nnodes, nedges;
	struct problem_node *node;
	struct problem_edge *edge;
	bool has_limit;
	int64_t limit;
};

/* Entries of the table of an edge; INT64_MAX if that is too many. */
int64_t problem_entries(const struct problem *p, const struct problem_edge *e);

/* Whether the sizes are sane and memory adds up within 62 bits; if not, a message in the arena, else NULL. */
const char *problem_check(const struct problem *p, struct arena *a);

/* The most that is taken at a time if every node takes its least, and when that is; 0 without nodes that live. */
int64_t problem_least_memory(const struct problem *p, int64_t *time);

enum verdict { VERDICT_GOOD, VERDICT_FORBIDDEN, VERDICT_MEMORY };

/* What an assignment costs and the most memory it takes at a time, added up from the problem alone. *cost leaves out
 * forbidden entries. */
enum verdict problem_evaluate(const struct problem *p, const int *value, wide *cost, int64_t *peak);

#endif
