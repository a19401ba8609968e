/* team.h — the threads of a rank (--threads). They make parts of one piece of work at a time, which the main thread
 * hands out and makes a part of itself; everything else, MPI above all, is the main thread's. What a part computes must
 * not hang on how many there are, so that neither do bits. */
#ifndef RT_TEAM_H
#define RT_TEAM_H

#include "rt.h"

/* As many threads as the options ask for; for 0 of them as many as there are cores for this rank. All ranks call it,
 * once hosts are known. */
void rt_team_start(struct pmlrt *rt);
void rt_team_end(struct pmlrt *rt);

/* Multiplications, below which sharing a product costs more than it gains. */
enum { TEAM_LEAST_PRODUCT = 1 << 18 };

/* Threads, the main one among them: at least 1. */
int rt_team_size(const struct pmlrt *rt);

/* part(work, 0) to part(work, size - 1), side by side. Not from within a part. */
typedef void rt_part(void *work, int part);
void rt_team_run(struct pmlrt *rt, rt_part *part, void *work);

#endif
