/* workers.h — what does not hang on each other, done on all processors at a time. */
#ifndef PML_WORKERS_H
#define PML_WORKERS_H

/* task(context, i) for all i from 0 to n - 1, once each, in any order and on any thread; back when all are done. Tasks
 * share nothing that one of them writes, but for what looks after itself, and print nothing, so what comes of them is
 * the same however many processors there are. */
void workers_run(int n, void (*task)(void *context, int i), void *context);

#endif
