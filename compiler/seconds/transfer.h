/* transfer.h — what one transfer takes on a machine when nothing else is under way: what a search has for an edge of
 * its problem. What plans take in all is asked of play.h. */
#ifndef PML_SECONDS_TRANSFER_H
#define PML_SECONDS_TRANSFER_H

#include "../machine/machine.h"
#include "../program.h"

/* Transfers on one machine, each remembered. Up to 32 ranks all of them are played; of more some stand for all, and
 * links are shared by as many as could use them. */
struct transfer_times;
struct transfer_times *transfer_times_new(struct arena *a, const struct machine *m, const struct program *p);

/* ns from the begin on all ranks to the end of the last; 0 if nothing has to be done. */
double transfer_time(struct transfer_times *t, enum dtype dtype, const struct shape *s, const struct place *from,
		     const struct layout *a, const struct place *to, const struct layout *b);

/* The same by the steps that a program for this machine is given (layout/routes.h), if these take less than one
 * movement. */
double transfer_time_by_steps(struct transfer_times *t, enum dtype dtype, const struct shape *s,
			      const struct place *from, const struct layout *a, const struct place *to,
			      const struct layout *b);

#endif
