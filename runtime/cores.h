/* cores.h — a warning where ranks share a core while others are idle. */
#ifndef RT_CORES_H
#define RT_CORES_H

#include "rt.h"

/* At start, by all ranks; rank 0 says it. */
void rt_cores_check(struct pmlrt *rt);
/* Cores for each of the ranks that are bound to the same ones as this rank, at least 1. All ranks call it, once hosts
 * are known. */
int64_t rt_cores_each(struct pmlrt *rt);

#endif
