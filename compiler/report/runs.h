/* runs.h — how often each region of a program runs, read off the host code around it. */
#ifndef PML_REPORT_RUNS_H
#define PML_REPORT_RUNS_H

#include "../program.h"
#include "report.h"

/* One entry per region of the program; weight: bytes each region sends, to choose the step's loop. */
struct report_runs *runs_of_regions(struct arena *a, const struct program *p, const int64_t *weight);

#endif
