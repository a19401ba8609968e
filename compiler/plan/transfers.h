/* transfers.h — what moves between ranks. */
#ifndef PML_PLAN_TRANSFERS_H
#define PML_PLAN_TRANSFERS_H

#include "../program.h"

/* Adds the region's transfers to the program, in order of computation, and says which they are (region.transfer_of,
 * asked_of). */
void transfers_of_region(struct program *p, struct region *r);

/* epochs.c. By node: the last transfer that its value depends on, -1 if on none; number: that of a TO, -1 of others. */
int *transfer_epochs(struct arena *a, const struct graph *g, const int *number);
/* By loop: the last transfer that stands in it and that its condition depends on, -1: there is none. */
int *transfers_asked(struct arena *a, const struct graph *g, const int *number);

#endif
