/* transfers.h — what moves between ranks. */
#ifndef PML_PLAN_TRANSFERS_H
#define PML_PLAN_TRANSFERS_H

#include "../program.h"

/* Adds the region's transfers to the program, in order of computation. By node id: the number of the transfer, or -1.
 */
int *transfers_of_region(struct program *p, const struct region *r);

#endif
