/* buckets.h — small reductions that travel together. */
#ifndef PML_PLAN_BUCKETS_H
#define PML_PLAN_BUCKETS_H

#include "../program.h"

/* Sets `bucket` of the transfers first..last, which are those of the region. */
void buckets_of_region(struct program *p, const struct region *r, int first, int last);

#endif
