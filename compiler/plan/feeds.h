/* feeds.h — what roles read of the batches of each loop, and how much memory that takes. */
#ifndef PML_PLAN_FEEDS_H
#define PML_PLAN_FEEDS_H

#include "../program.h"

/* How the program's loops over batches stand in its host code. */
struct feed_loops {
	int *around;                 /* by loop: the one around it, -1: none */
	const int **feeds_of_region; /* by region, by argument: the loop whose handle it is, -1; NULL: nobody runs it */
};
struct feed_loops feeds_of_loops(struct program *p);

/* The role's feeds and batch_bytes, and the part of every STEP_BATCH_READ of its plans. */
void feeds_of_role(struct program *p, struct role *role, const struct feed_loops *loops);

#endif
