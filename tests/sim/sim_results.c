/* sim_results.c — what collectives give: reductions in a random order of ranks, pieces put together, and the bytes that
 * count as sent; it arrives at each member at a time of its own. */
#include "sim_collectives.h"

#include <string.h>

static void reduce_all(struct sim_collective *x, int64_t n)
{
	struct sim_world *w = sim_now();
	int order[SIM_MOST_RANKS];
	for (int i = 0; i < x->n; i++) {
		int k = (int)(sim_random(&w->random) % (uint64_t)(i + 1));
		order[i] = order[k];
		order[k] = i;
	}
	char *total = sim_alloc(sim_bytes(&x->call[0], n));
	for (int i = 0; i < x->n; i++) {
		const struct sim_call *c = &x->call[order[i]];
		const void *part = c->from == MPI_IN_PLACE ? c->to : c->from;
		if (i == 0 && n)
			memcpy(total, part, sim_bytes(c, n));
		else
			sim_reduce(c->op, c->type, total, part, (int)n);
	}
	int64_t at = 0;
	for (int i = 0; i < x->n; i++) {
		struct sim_call *c = &x->call[i];
		c->result = total + (c->kind == REDUCE_SCATTER ? sim_bytes(c, at) : 0);
		at += c->kind == REDUCE_SCATTER ? c->counts[i] : 0;
	}
}

/* Pieces from all members, in their order. */
static void collect_pieces(struct sim_collective *x, int i)
{
	struct sim_call *c = &x->call[i];
	char *out = c->result = sim_alloc(sim_bytes(c, sim_sum(c->to_counts, x->n)));
	for (int j = 0; j < x->n; j++) {
		const struct sim_call *from = &x->call[j];
		size_t bytes = sim_bytes(c, c->to_counts[j]);
		const char *piece = from->from;
		if (bytes)
			memcpy(out, c->kind == ALL_TO_ALL ? piece + sim_bytes(from, from->at[i]) : piece, bytes);
		out += bytes;
	}
}

/* Bytes that each member sends and receives, by the conventions of sim.h. */
static void count_traffic(const struct sim_collective *x, int i)
{
	const struct sim_call *c = &x->call[i];
	int64_t n = x->n, sent = 0, received = 0, own;
	switch (c->kind) {
	case ALL_REDUCE:
		own = c->count / n + (i < c->count % n);
		sent = received = c->count - own + own * (n - 1);
		break;
	case REDUCE_SCATTER:
		sent = sim_sum(c->counts, x->n) - c->counts[i];
		received = c->counts[i] * (n - 1);
		break;
	case ALL_GATHER:
		sent = c->count * (n - 1);
		received = sim_sum(c->to_counts, x->n) - c->to_counts[i];
		break;
	case ALL_TO_ALL:
		sent = sim_sum(c->counts, x->n) - c->counts[i];
		received = sim_sum(c->to_counts, x->n) - c->to_counts[i];
		for (int j = 0; j < x->n; j++)
			sim_count_crossing(c->label, c->rank, x->call[j].rank, (int64_t)sim_bytes(c, c->counts[j]));
		break;
	default:
		return;
	}
	sim_count(c->label, c->rank, (int64_t)sim_bytes(c, sent), (int64_t)sim_bytes(c, received));
}

struct arrival {
	const struct sim_collective *x;
	int member;
};

static void arrive(void *what)
{
	const struct arrival *a = what;
	const struct sim_call *c = &a->x->call[a->member];
	size_t at = 0;
	switch (c->kind) {
	case ALL_REDUCE:
	case BROADCAST:
		if (c->count)
			memcpy(c->to, c->result, sim_bytes(c, c->count));
		break;
	case REDUCE_SCATTER:
		if (c->counts[a->member])
			memcpy(c->to, c->result, sim_bytes(c, c->counts[a->member]));
		break;
	case ALL_GATHER:
	case ALL_TO_ALL:
		for (int j = 0; j < a->x->n; j++) {
			size_t bytes = sim_bytes(c, c->to_counts[j]);
			if (bytes)
				memcpy((char *)c->to + sim_bytes(c, c->to_at[j]), c->result + at, bytes);
			at += bytes;
		}
		break;
	default:
		break;
	}
	sim_request_complete(c->request);
}

static void work_out(struct sim_collective *x)
{
	struct sim_call *first = &x->call[0];
	MPI_Comm made = x->creates ? sim_comm_make(x->comm, x->ranks, x->n) : NULL;
	char *sent = NULL;
	if (first->kind == ALL_REDUCE)
		reduce_all(x, first->count);
	if (first->kind == REDUCE_SCATTER)
		reduce_all(x, sim_sum(first->counts, x->n));
	if (first->kind == BROADCAST) {
		sent = sim_alloc(sim_bytes(first, first->count));
		memcpy(sent, x->call[first->root].to, sim_bytes(first, first->count));
	}
	for (int i = 0; i < x->n; i++) {
		struct sim_call *c = &x->call[i];
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
void sim_work_out(struct sim_collective *x)
{
	work_out(x);
	for (int i = 0; i < x->n; i++) {
		struct sim_call *c = &x->call[i];
		if (c->kind == ALL_REDUCE)
			sim_spoil(c->to, sim_bytes(c, c->count));
		if (c->kind == REDUCE_SCATTER)
			sim_spoil(c->to, sim_bytes(c, c->counts[i]));
		for (int j = 0; (c->kind == ALL_GATHER || c->kind == ALL_TO_ALL) && j < x->n; j++)
			sim_spoil((char *)c->to + sim_bytes(c, c->to_at[j]), sim_bytes(c, c->to_counts[j]));
		struct arrival *a = sim_alloc(sizeof *a);
		*a = (struct arrival){x, i};
		sim_event(arrive, a);
	}
}
