/* buckets.h — small reductions that travel together. */
#ifndef PML_PLAN_BUCKETS_H
#define PML_PLAN_BUCKETS_H

#include "../program.h"

/* Sets `bucket` of the transfers first..last of a region with this graph; number[]: by node id, the transfer that a TO
 * node is, or -1. */
void buckets_of_region(struct program *p, const struct graph *g, const int *number, int first, int last);

#endif
