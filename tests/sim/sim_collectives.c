/* sim_collectives.c — nonblocking collectives. The n-th call of every member of a communicator is one collective; when all
 * are there, it is checked that they fit together, the result of each is worked out (reductions in a random order of ranks),
 * and it arrives at each rank at a time of its own. Making a communicator of a group is a collective of its members. */
#include "sim_world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { BARRIER, BROADCAST, ALL_REDUCE, REDUCE_SCATTER, ALL_GATHER, ALL_TO_ALL, CREATE };
static const char *const names[] = {"MPI_Ibarrier",    "MPI_Ibcast",     "MPI_Iallreduce",        "MPI_Ireduce_scatter",
                                    "MPI_Iallgatherv", "MPI_Ialltoallv", "MPI_Comm_create_group"};

/* What one member calls with. Counts and displacements stay the caller's until it is done. */
struct call {
	bool here;
	int rank; /* world rank */
	enum kind kind;
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
	struct call call[SIM_MOST_RANKS];
};

static size_t bytes_of(const struct call *c, int64_t count)
{
	return (size_t)count * sim_type_size(c->type);
}

static int64_t sum(const int *counts, int n)
{
	int64_t total = 0;
	for (int i = 0; i < n; i++)
		total += counts[i];
	return total;
}

/* ---- what fits together ---- */

static void check_pair(const struct sim_collective *x, int i, int j)
{
	const struct call *a = &x->call[i], *b = &x->call[j];
	bool fits = a->type == b->type;
	if (a->kind != b->kind)
		sim_fail("rank %d calls %s where rank %d calls %s", a->rank, names[a->kind], b->rank, names[b->kind]);
	switch (a->kind) {
	case BARRIER: case CREATE: break;
	case BROADCAST: fits = fits && a->count == b->count && a->root == b->root; break;
	case ALL_REDUCE: fits = fits && a->count == b->count; break;
	case REDUCE_SCATTER: fits = fits && !memcmp(a->counts, b->counts, (size_t)x->n * sizeof(int)); break;
	case ALL_GATHER: fits = fits && a->count == b->to_counts[i] && b->count == a->to_counts[j]; break;
	case ALL_TO_ALL: fits = fits && a->counts[j] == b->to_counts[i] && b->counts[i] == a->to_counts[j]; break;
	}
	if (fits && a->op && b->op)
		fits = a->op->function == b->op->function && a->op->kind == b->op->kind;
	if (!fits)
		sim_fail("%s: the counts, types or operations of ranks %d and %d do not fit", names[a->kind], a->rank, b->rank);
}

static void check_overlap(const struct call *c, int64_t sends, int64_t receives)
{
	const char *from = c->from, *to = c->to;
	if (c->from == MPI_IN_PLACE || !sends || !receives)
		return;
	if (from < to + bytes_of(c, receives) && to < from + bytes_of(c, sends))
		sim_fail("%s on rank %d: the buffers overlap", names[c->kind], c->rank);
}

/* ---- results ---- */

static void reduce_all(struct sim_collective *x, int64_t n)
{
	struct sim_world *w = sim_now();
	int order[SIM_MOST_RANKS];
	for (int i = 0; i < x->n; i++) {
		int k = (int)(sim_random(&w->random) % (uint64_t)(i + 1));
		order[i] = order[k];
		order[k] = i;
	}
	char *total = sim_alloc(bytes_of(&x->call[0], n));
	for (int i = 0; i < x->n; i++) {
		const struct call *c = &x->call[order[i]];
		const void *part = c->from == MPI_IN_PLACE ? c->to : c->from;
		if (i == 0 && n)
			memcpy(total, part, bytes_of(c, n));
		else
			sim_reduce(c->op, c->type, total, part, (int)n);
	}
	int64_t at = 0;
	for (int i = 0; i < x->n; i++) {
		struct call *c = &x->call[i];
		c->result = total + (c->kind == REDUCE_SCATTER ? bytes_of(c, at) : 0);
		at += c->kind == REDUCE_SCATTER ? c->counts[i] : 0;
	}
}

/* Pieces from all members, in their order. */
static void collect_pieces(struct sim_collective *x, int i)
{
	struct call *c = &x->call[i];
	char *out = c->result = sim_alloc(bytes_of(c, sum(c->to_counts, x->n)));
	for (int j = 0; j < x->n; j++) {
		const struct call *from = &x->call[j];
		size_t bytes = bytes_of(c, c->to_counts[j]);
		const char *piece = from->from;
		if (bytes)
			memcpy(out, c->kind == ALL_TO_ALL ? piece + bytes_of(from, from->at[i]) : piece, bytes);
		out += bytes;
	}
}

/* Bytes that each member sends and receives, by the conventions of sim.h. */
static void count_traffic(const struct sim_collective *x, int i)
{
	const struct call *c = &x->call[i];
	int64_t n = x->n, sent = 0, received = 0, own;
	switch (c->kind) {
	case ALL_REDUCE:
		own = c->count / n + (i < c->count % n);
		sent = received = c->count - own + own * (n - 1);
		break;
	case REDUCE_SCATTER:
		sent = sum(c->counts, x->n) - c->counts[i];
		received = c->counts[i] * (n - 1);
		break;
	case ALL_GATHER:
		sent = c->count * (n - 1);
		received = sum(c->to_counts, x->n) - c->to_counts[i];
		break;
	case ALL_TO_ALL:
		sent = sum(c->counts, x->n) - c->counts[i];
		received = sum(c->to_counts, x->n) - c->to_counts[i];
		break;
	default: return;
	}
	sim_count(c->label, c->rank, (int64_t)bytes_of(c, sent), (int64_t)bytes_of(c, received));
}

struct arrival {
	const struct sim_collective *x;
	int member;
};

static void arrive(void *what)
{
	const struct arrival *a = what;
	const struct call *c = &a->x->call[a->member];
	size_t at = 0;
	switch (c->kind) {
	case ALL_REDUCE:
	case BROADCAST:
		if (c->count)
			memcpy(c->to, c->result, bytes_of(c, c->count));
		break;
	case REDUCE_SCATTER:
		if (c->counts[a->member])
			memcpy(c->to, c->result, bytes_of(c, c->counts[a->member]));
		break;
	case ALL_GATHER:
	case ALL_TO_ALL:
		for (int j = 0; j < a->x->n; j++) {
			size_t bytes = bytes_of(c, c->to_counts[j]);
			if (bytes)
				memcpy((char *)c->to + bytes_of(c, c->to_at[j]), c->result + at, bytes);
			at += bytes;
		}
		break;
	default: break;
	}
	sim_request_complete(c->request);
}

static void work_out(struct sim_collective *x)
{
	struct call *first = &x->call[0];
	MPI_Comm made = x->creates ? sim_comm_make(x->comm, x->ranks, x->n) : NULL;
	char *sent = NULL;
	if (first->kind == ALL_REDUCE)
		reduce_all(x, first->count);
	if (first->kind == REDUCE_SCATTER)
		reduce_all(x, sum(first->counts, x->n));
	if (first->kind == BROADCAST) {
		sent = sim_alloc(bytes_of(first, first->count));
		memcpy(sent, x->call[first->root].to, bytes_of(first, first->count));
	}
	for (int i = 0; i < x->n; i++) {
		struct call *c = &x->call[i];
		if (c->kind == ALL_GATHER || c->kind == ALL_TO_ALL)
			collect_pieces(x, i);
		if (sent)
			c->result = sent;
		if (made)
			*c->made = made;
		count_traffic(x, i);
	}
}

/* What is written is spoiled only now: an earlier one may still be read by a member's call in place. */
static void all_are_here(struct sim_collective *x)
{
	for (int i = 0; i < x->n; i++)
		for (int j = 0; j < i; j++)
			check_pair(x, i, j);
	work_out(x);
	for (int i = 0; i < x->n; i++) {
		struct call *c = &x->call[i];
		if (c->kind == ALL_REDUCE)
			sim_spoil(c->to, bytes_of(c, c->count));
		if (c->kind == REDUCE_SCATTER)
			sim_spoil(c->to, bytes_of(c, c->counts[i]));
		for (int j = 0; (c->kind == ALL_GATHER || c->kind == ALL_TO_ALL) && j < x->n; j++)
			sim_spoil((char *)c->to + bytes_of(c, c->to_at[j]), bytes_of(c, c->to_counts[j]));
		struct arrival *a = sim_alloc(sizeof *a);
		*a = (struct arrival){x, i};
		sim_event(arrive, a);
	}
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
		if (x->comm == comm && x->creates == creates && x->n == n && !memcmp(x->ranks, ranks, (size_t)n * sizeof *ranks) &&
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

static int join(MPI_Comm comm, const int *ranks, int n, struct call call, MPI_Request *request)
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
		all_are_here(x);
	}
	return MPI_SUCCESS;
}

static int join_comm(MPI_Comm comm, struct call call, MPI_Request *request)
{
	if (!comm)
		sim_fail("rank %d calls %s without a communicator", sim_rank(), names[call.kind]);
	return join(comm, comm->ranks, comm->n, call, request);
}

int MPI_Ibarrier(MPI_Comm comm, MPI_Request *request)
{
	return join_comm(comm, (struct call){.kind = BARRIER, .type = MPI_BYTE}, request);
}

int MPI_Ibcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request *request)
{
	return join_comm(comm, (struct call){.kind = BROADCAST, .to = data, .count = count, .type = type, .root = root}, request);
}

int MPI_Iallreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
	struct call c = {.kind = ALL_REDUCE, .from = from, .to = to, .count = count, .type = type, .op = op};
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
	struct call c = {.kind = REDUCE_SCATTER, .from = from, .to = to, .counts = counts, .type = type, .op = op};
	check_overlap(&c, sum(counts, comm->n), counts[sim_comm_rank(comm, sim_rank())]);
	return join_comm(comm, c, request);
}

int MPI_Iallgatherv(const void *from, int count, MPI_Datatype type, void *to, const int *counts, const int *at,
                    MPI_Datatype to_type, MPI_Comm comm, MPI_Request *request)
{
	struct call c = {.kind = ALL_GATHER, .from = from, .to = to, .count = count, .to_counts = counts, .to_at = at, .type = type};
	if (to_type != type)
		sim_fail("MPI_Iallgatherv with two types");
	check_overlap(&c, count, sum(counts, comm->n));
	return join_comm(comm, c, request);
}

int MPI_Ialltoallv(const void *from, const int *counts, const int *at, MPI_Datatype type, void *to, const int *to_counts,
                   const int *to_at, MPI_Datatype to_type, MPI_Comm comm, MPI_Request *request)
{
	struct call c = {.kind = ALL_TO_ALL, .from = from, .to = to, .counts = counts, .at = at, .to_counts = to_counts,
	                 .to_at = to_at, .type = type};
	if (to_type != type)
		sim_fail("MPI_Ialltoallv with two types");
	return join_comm(comm, c, request);
}

int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *out)
{
	MPI_Request request;
	(void)tag;
	join(comm, group->ranks, group->n, (struct call){.kind = CREATE, .made = out}, &request);
	sim_wait(request);
	return MPI_SUCCESS;
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *out)
{
	MPI_Request request;
	join(comm, comm->ranks, comm->n, (struct call){.kind = CREATE, .made = out}, &request);
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
			snprintf(text, size, "; rank %d and %d more wait in %s for %d others", x->call[i].rank, x->arrived - 1,
			         names[x->call[i].kind], x->n - x->arrived);
			sim_now()->error_label = x->call[i].label;
			return;
		}
}

const char *sim_collectives_left(void)
{
	return sim_now()->collectives ? "a collective that not all ranks joined" : NULL;
}
