/* times.h — the times of a program on a machine, as rows of its report. */
#ifndef PML_SECONDS_TIMES_H
#define PML_SECONDS_TIMES_H

#include "../machine/machine.h"
#include "../plan/report.h"
#include "../program.h"
#include "play.h"

/* Why the program cannot be timed on the machine, as text; NULL if it can. */
const char *times_refused(struct arena *a, const struct program *p, const struct machine *m);

/* Plays every region, and adds the rows to the report that was made of the program. */
void times_add(struct report *r, const struct program *p, const struct machine *m, const struct play_options *o);

#endif
