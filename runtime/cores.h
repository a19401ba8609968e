/* cores.h — a warning where ranks share a core while others are idle. */
#ifndef RT_CORES_H
#define RT_CORES_H

#include "rt.h"

/* At start, by all ranks; rank 0 says it. */
void rt_cores_check(struct pmlrt *rt);

#endif
