/* prune.h — values and variables that exact rules take out of a core, before core_merge builds the next one. */
#ifndef PML_SOLVE_PRUNE_H
#define PML_SOLVE_PRUNE_H

#include "core.h"

struct pruner {
	struct core *core;
	struct arena *scratch;
	bool **alive;   /* by variable and value */
	int *n;         /* living values */
	bool *gone;     /* variables */
	int changes;    /* values and variables that went */
	int64_t effort; /* entries that may still be looked at for dominated values */
};

/* Values that are forbidden, have no partner left in a neighbour, or do not fit into memory by themselves. */
void prune_impossible(struct pruner *p);
/* Values that another one can always stand in for: at most its cost whatever the neighbours do, and at most its memory.
 */
void prune_dominated(struct pruner *p);
/* Variables without memory that have at most two neighbours, left with one value or not: their best values make a table
 * over these. */
void prune_variables(struct pruner *p);

#endif
