/* names.h — loading under the names of a `names` block. */
#ifndef RT_NAMES_H
#define RT_NAMES_H

#include "rt.h"

/* Fills the params and states that have a line in the block from PATH (weights.h); all ranks call. What does not fit
 * ends the job. */
void rt_load_names(struct pmlrt *rt, const char *path, const struct pmlrt_names *names, int32_t site);

#endif
