/* progress.h — that no rank waits for ever. */
#ifndef PML_PLAN_PROGRESS_H
#define PML_PLAN_PROGRESS_H

#include "../program.h"

/* Proves that all ranks come to the end of a planned region; NULL if they do, else who waits for whom. */
const char *plan_progress(struct arena *a, const struct program *p, int region);

#endif
