/* replay.h — a simulated step for another simulator: SimGrid, whose SMPI replays what ranks did (time-independent
 * traces) on a platform with a network model of its own. */
#ifndef PML_SECONDS_REPLAY_H
#define PML_SECONDS_REPLAY_H

#include "simulate.h"

/* The acts of all ranks of a region, played with play_options.acts: a line each, "RANK ACTION ...". Processor time is
 * given in operations of a processor that does one in a ns. */
void replay_trace(struct text *t, const struct play *p);

/* The machine as a platform for so many ranks, each of which is a host of SimGrid: rank0, rank1, ... A link has one
 * bandwidth there: that of its longest messages. */
void replay_platform(struct text *t, const struct machine *m, int nranks);
/* Where SMPI puts ranks: the names of these hosts, one in a line. */
void replay_hosts(struct text *t, int nranks);

#endif
