/* sim.h — ranks as coroutines of one process, and the network between them.
 *
 * A world runs one function on every rank. A rank runs until a request it tests is not complete; then the scheduler
 * picks, by the seed, the next rank to run or the next thing of the network to happen: a message arrives, or a
 * collective ends on one rank. So every run can be repeated, and seeds are schedules. A run ends in an error if nobody
 * can go on (deadlock), if a message has another length or type than its receiver expects, if ranks of one communicator
 * call different collectives or with counts that do not fit, if buffers overlap that must not, or if something is left
 * over at the end. */
#ifndef SIM_H
#define SIM_H

#include "mpi.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SIM_MOST_RANKS = 32 };

/* Bytes that ranks exchanged under one label, self excluded. A reduction counts as if every rank owned an even share
 * (MPI_Iallreduce) or its result (MPI_Ireduce_scatter) and added it up from all others' parts, and an all-reduce then
 * gave it to all: the least that can be sent. */
struct sim_traffic {
	int64_t sent, received;
	int64_t crossed; /* of what is sent, by messages or MPI_Ialltoallv, to ranks of other hosts */
};

struct sim_options {
	int ranks;
	uint64_t seed;
	int64_t labels;              /* messages carry their tag as label, collectives what sim_label said last */
	struct sim_traffic *traffic; /* [label * ranks + rank], or NULL */
	const int32_t *host;         /* of every rank; NULL: all are on one */
};

/* Runs body on every rank. NULL, or what went wrong, valid until the next call; ranks that were under way are dropped
 * where they are, so what they hold must be known to the caller. */
const char *sim_run(const struct sim_options *options, void (*body)(void *context, int rank), void *context);
/* The label of what went wrong in the last run, -1 if it has none. */
int64_t sim_error_label(void);
/* Frees stacks kept for the next world. */
void sim_end(void);

/* ---- called on a rank ---- */
/* What the rank does next; to be said before every call that may wait. */
void sim_label(int64_t label);
/* Ends the run. */
_Noreturn void sim_fail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Another rank may run now. */
void sim_yield(void);

/* xorshift64*; the state is never 0. */
static inline uint64_t sim_random(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * UINT64_C(2685821657736338717);
}

#endif
