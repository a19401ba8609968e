/* sim_collectives.c — nonblocking collectives. The n-th call of every member of a communicator is one collective; when
 * all are there, it is checked that they fit together, and the results are worked out (sim_results.c). Making a
 * communicator of a group is a collective of its members. */
#include "sim_collectives.h"

#include <stdio.h>
#include <string.h>

static const char *const names[] = {"MPI_Ibarrier",    "MPI_Ibcast",     "MPI_Iallreduce",       "MPI_Ireduce_scatter",
				    "MPI_Iallgatherv", "MPI_Ialltoallv", "MPI_Comm_create_group"};

/* ---- what fits together ---- */

static void check_pair(const struct sim_collective *x, int i, int j)
{
	const struct sim_call *a = &x->call[i], *b = &x->call[j];
	bool fits = a->type == b->type;
	if (a->kind != b->kind)
		sim_fail("rank %d calls %s where rank %d calls %s", a->rank, names[a->kind], b->rank, names[b->kind]);
	switch (a->kind) {
	case BARRIER:
	case CREATE:
		break;
	case BROADCAST:
		fits = fits && a->count == b->count && a->root == b->root;
		break;
	case ALL_REDUCE:
		fits = fits && a->count == b->count;
		break;
	case REDUCE_SCATTER:
		fits = fits && !memcmp(a->counts, b->counts, (size_t)x->n * sizeof(int));
		break;
	case ALL_GATHER:
		fits = fits && a->count == b->to_counts[i] && b->count == a->to_counts[j];
		break;
	case ALL_TO_ALL:
		fits = fits && a->counts[j] == b->to_counts[i] && b->counts[i] == a->to_counts[j];
		break;
	}
	if (fits && a->op && b->op)
		fits = a->op->function == b->op->function && a->op->kind == b->op->kind;
	if (!fits)
		sim_fail("%s: the counts, types or operations of ranks %d and %d do not fit", names[a->kind], a->rank,
			 b->rank);
}

/* Open MPI takes equal addresses for MPI_IN_PLACE, also of buffers that hold nothing. */
static void check_overlap(const struct sim_call *c, int64_t sends, int64_t receives)
{
	const char *from = c->from, *to = c->to;
	if (from && from == to)
		sim_fail("%s on rank %d: both buffers have one address", names[c->kind], sim_rank());
	if (c->from == MPI_IN_PLACE || !sends || !receives)
		return;
	if (from < to + sim_bytes(c, receives) && to < from + sim_bytes(c, sends))
		sim_fail("%s on rank %d: the buffers overlap", names[c->kind], sim_rank());
}

/* ---- joining ---- */

static int member_of(const int *ranks, int n, int rank)
{
	for (int i = 0; i < n; i++)
		if (ranks[i] == rank)
			return i;
	return -1;
}

/* The earliest collective of these ranks that this one has not joined, or a new one behind the others. */
static struct sim_collective *open_collective(MPI_Comm comm, const int *ranks, int n, bool creates)
{
	struct sim_collective **at = &sim_now()->collectives;
	for (; *at; at = &(*at)->next) {
		struct sim_collective *x = *at;
		if (x->comm == comm && x->creates == creates && x->n == n &&
		    !memcmp(x->ranks, ranks, (size_t)n * sizeof *ranks) &&
		    !x->call[member_of(ranks, n, sim_rank())].here)
			return x;
	}
	struct sim_collective *x = *at = sim_alloc(sizeof *x);
	x->comm = comm;
	x->creates = creates;
	x->n = n;
	memcpy(x->ranks, ranks, (size_t)n * sizeof *ranks);
	return x;
}

static void forget(struct sim_collective *x)
{
	struct sim_collective **at = &sim_now()->collectives;
	while (*at != x)
		at = &(*at)->next;
	*at = x->next;
}

static int join(MPI_Comm comm, const int *ranks, int n, struct sim_call call, MPI_Request *request)
{
	sim_yield();
	int i = member_of(ranks, n, sim_rank());
	if (i < 0)
		sim_fail("rank %d calls %s of a communicator it is not in", sim_rank(), names[call.kind]);
	struct sim_collective *x = open_collective(comm, ranks, n, call.kind == CREATE);
	call.here = true;
	call.rank = sim_rank();
	call.request = *request = sim_request_make();
	call.label = sim_current_label();
	x->call[i] = call;
	if (++x->arrived == n) {
		forget(x);
		for (int k = 0; k < n; k++)
			for (int j = 0; j < k; j++)
				check_pair(x, k, j);
		sim_work_out(x);
	}
	return MPI_SUCCESS;
}

static int join_comm(MPI_Comm comm, struct sim_call call, MPI_Request *request)
{
	if (!comm)
		sim_fail("rank %d calls %s without a communicator", sim_rank(), names[call.kind]);
	return join(comm, comm->ranks, comm->n, call, request);
}

int MPI_Ibarrier(MPI_Comm comm, MPI_Request *request)
{
	return join_comm(comm, (struct sim_call){.kind = BARRIER, .type = MPI_BYTE}, request);
}

int MPI_Ibcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request *request)
{
	return join_comm(comm,
			 (struct sim_call){.kind = BROADCAST, .to = data, .count = count, .type = type, .root = root},
			 request);
}

int MPI_Iallreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
		   MPI_Request *request)
{
	struct sim_call c = {.kind = ALL_REDUCE, .from = from, .to = to, .count = count, .type = type, .op = op};
	check_overlap(&c, count, count);
	return join_comm(comm, c, request);
}

int MPI_Allreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
	MPI_Request request;
	MPI_Iallreduce(from, to, count, type, op, comm, &request);
	sim_wait(request);
	return MPI_SUCCESS;
}

int MPI_Ireduce_scatter(const void *from, void *to, const int *counts, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
			MPI_Request *request)
{
	struct sim_call c = {.kind = REDUCE_SCATTER, .from = from, .to = to, .counts = counts, .type = type, .op = op};
	check_overlap(&c, sim_sum(counts, comm->n), counts[sim_comm_rank(comm, sim_rank())]);
	return join_comm(comm, c, request);
}

int MPI_Iallgatherv(const void *from, int count, MPI_Datatype type, void *to, const int *counts, const int *at,
		    MPI_Datatype to_type, MPI_Comm comm, MPI_Request *request)
{
	struct sim_call c = {.kind = ALL_GATHER,
			     .from = from,
			     .to = to,
			     .count = count,
			     .to_counts = counts,
			     .to_at = at,
			     .type = type};
	if (to_type != type)
		sim_fail("MPI_Iallgatherv with two types");
	check_overlap(&c, count, sim_sum(counts, comm->n));
	return join_comm(comm, c, request);
}

int MPI_Iallgather(const void *from, int count, MPI_Datatype type, void *to, int to_count, MPI_Datatype to_type,
		   MPI_Comm comm, MPI_Request *request)
{
	int *counts = sim_alloc((size_t)comm->n * sizeof *counts), *at = sim_alloc((size_t)comm->n * sizeof *at);
	for (int i = 0; i < comm->n; i++) {
		counts[i] = to_count;
		at[i] = i * to_count;
	}
	return MPI_Iallgatherv(from, count, type, to, counts, at, to_type, comm, request);
}

int MPI_Ialltoallv(const void *from, const int *counts, const int *at, MPI_Datatype type, void *to,
		   const int *to_counts, const int *to_at, MPI_Datatype to_type, MPI_Comm comm, MPI_Request *request)
{
	struct sim_call c = {.kind = ALL_TO_ALL,
			     .from = from,
			     .to = to,
			     .counts = counts,
			     .at = at,
			     .to_counts = to_counts,
			     .to_at = to_at,
			     .type = type};
	if (to_type != type)
		sim_fail("MPI_Ialltoallv with two types");
	check_overlap(&c, 0, 0);
	return join_comm(comm, c, request);
}

int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *out)
{
	MPI_Request request;
	(void)tag;
	join(comm, group->ranks, group->n, (struct sim_call){.kind = CREATE, .made = out}, &request);
	sim_wait(request);
	return MPI_SUCCESS;
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *out)
{
	MPI_Request request;
	join(comm, comm->ranks, comm->n, (struct sim_call){.kind = CREATE, .made = out}, &request);
	sim_wait(request);
	return MPI_SUCCESS;
}

int MPI_Comm_split_type(MPI_Comm comm, int kind, int key, MPI_Info info, MPI_Comm *out)
{
	(void)kind;
	(void)key;
	(void)info;
	return MPI_Comm_dup(comm, out);
}

/* ---- the end ---- */

void sim_collectives_describe(char *text, size_t size)
{
	const struct sim_collective *x = sim_now()->collectives;
	text[0] = 0;
	for (int i = 0; x && i < x->n; i++)
		if (x->call[i].here) {
			snprintf(text, size, "; rank %d and %d more wait in %s for %d others", x->call[i].rank,
				 x->arrived - 1, names[x->call[i].kind], x->n - x->arrived);
			sim_now()->error_label = x->call[i].label;
			return;
		}
}

const char *sim_collectives_left(void)
{
	return sim_now()->collectives ? "a collective that not all ranks joined" : NULL;
}
