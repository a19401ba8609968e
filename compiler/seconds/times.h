/* times.h — the times of a program on a machine, as rows of its report. */
#ifndef PML_SECONDS_TIMES_H
#define PML_SECONDS_TIMES_H

#include "../machine/machine.h"
#include "../report/report.h"
#include "../program.h"
#include "play.h"

/* Why the program cannot be timed on the machine, as text; NULL if it can. */
const char *times_refused(struct arena *a, const struct program *p, const struct machine *m);

/* "product 64 x 10 x 32", "all-reduce w1": what a step is; "" for what takes no time. */
const char *times_step_text(struct arena *a, const struct program *p, const struct plan_step *s);
/* The file and position of a place; NULL: nowhere. */
const struct source *times_source(const struct program *p, struct span at, struct line_column *position);

/* Plays every region, and adds the rows to the report that was made of the program. */
void times_add(struct report *r, const struct program *p, const struct machine *m, const struct play_options *o);

#endif
