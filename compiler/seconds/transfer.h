/* transfer.h — what one transfer takes on a machine when nothing else is under way: what a search has for an edge of
 * its problem. What plans take in all is asked of play.h. */
#ifndef PML_SECONDS_TRANSFER_H
#define PML_SECONDS_TRANSFER_H

#include "../machine/machine.h"
#include "../program.h"

/* Transfers among so many ranks of one machine, each remembered, for any number of programs, on any threads. Up to 32
 * ranks all of them are played; of more some stand for all, and links are shared by as many as could use them. */
struct transfer_table;
struct transfer_table *transfer_table_new(struct arena *a, const struct machine *m, int64_t nranks);

/* Those of one program: in the table of its session (options.transfers) if that is for the machine and as many ranks,
 * else in one of its own. */
struct transfer_times;
struct transfer_times *transfer_times_new(struct arena *a, const struct program *p, const struct machine *m);

/* ns from the begin on all ranks to the end of the last; 0 if nothing has to be done. */
double transfer_time(struct transfer_times *t, enum dtype dtype, const struct shape *s, const struct place *from,
		     const struct layout *a, const struct place *to, const struct layout *b);

/* The same by the steps that a program for this machine is given (layout/routes.h), if these take less than one
 * movement. */
double transfer_time_by_steps(struct transfer_times *t, enum dtype dtype, const struct shape *s,
			      const struct place *from, const struct layout *a, const struct place *to,
			      const struct layout *b);

/* Of rows that return to their owners along the axes that are gathered, where each rank owns as many. */
double transfer_time_returned(struct transfer_times *t, enum dtype dtype, const struct shape *s, const struct place *p,
			      const struct layout *a, const struct layout *b);

/* A transfer of a program's table (route.h) that is its own carrier, with all that travels along, in one movement and
 * played by all ranks; the level of the outermost links that its messages pass, -1: there are none. */
struct routes;
double transfer_alone(const struct machine *m, struct routes *r, int transfer, int64_t nranks);
int transfer_level(const struct machine *m, struct routes *r, int transfer, int64_t nranks);
/* Whether it goes through memory that ranks of a host share. */
bool transfer_in_memory(struct routes *r, int transfer, int64_t nranks);

#endif
