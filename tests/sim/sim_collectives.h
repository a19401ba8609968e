/* sim_collectives.h — a collective under way, between the calls that make it (sim_collectives.c) and what comes of it
 * (sim_results.c). */
#ifndef SIM_COLLECTIVES_H
#define SIM_COLLECTIVES_H

#include "sim_world.h"

enum sim_kind { BARRIER, BROADCAST, ALL_REDUCE, REDUCE_SCATTER, ALL_GATHER, ALL_TO_ALL, CREATE };

/* What one member calls with. Counts and displacements stay the caller's until it is done. */
struct sim_call {
	bool here;
	int rank; /* world rank */
	enum sim_kind kind;
	const void *from;
	void *to;
	int count, root;
	const int *counts, *at, *to_counts, *to_at;
	MPI_Datatype type;
	MPI_Op op;
	MPI_Request request;
	int64_t label;
	char *result; /* what arrives, piece by piece */
	MPI_Comm *made;
};

struct sim_collective {
	struct sim_collective *next;
	MPI_Comm comm; /* for CREATE: the parent */
	bool creates;
	int n, arrived, ranks[SIM_MOST_RANKS];
	struct sim_call call[SIM_MOST_RANKS];
};

/* Bytes of so many elements of a call's type. */
static inline size_t sim_bytes(const struct sim_call *c, int64_t count)
{
	return (size_t)count * sim_type_size(c->type);
}

static inline int64_t sim_sum(const int *counts, int n)
{
	int64_t total = 0;
	for (int i = 0; i < n; i++)
		total += counts[i];
	return total;
}

/* All members are here and fit together: works out what each of them gets, and lets it arrive. */
void sim_work_out(struct sim_collective *x);

#endif
