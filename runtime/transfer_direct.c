/* transfer_direct.c — P -> B along one or several axes, among few ranks, without a collective of MPI: every rank sends
 * each other rank that one's share of the flattened tensor, adds up its own share, and sends the sum to all. That is
 * the least an all-reduce can send, in two rounds however many ranks there are: with more ranks than cores a round
 * costs a turn of all of them. Parts are combined in the order of ranks, so the result does not depend on an algorithm
 * that MPI picks. Tensors too large for MPI's counts go this way among any number of ranks. */
#include "combine.h"
#include "transfer.h"

#include <string.h>

struct direct {
	int32_t *peer; /* world ranks of the group */
	int ranks, own;
	bool sums; /* in the first round: shares arrive to be added up */
	int32_t combiner;
	int64_t *begin; /* of each share; one more: the end */
	char *stage;    /* the parts of the own share, one behind the other */
};

static int64_t share_elements(const struct direct *d, int r)
{
	return d->begin[r + 1] - d->begin[r];
}

static bool direct_prepare(struct pmlrt *rt, struct rt_transfer *t)
{
	uint32_t axes = transfer_finished_axes(t);
	if (!axes || (rt_group_size(t->from.place, axes) > rt->few_ranks && transfer_fits(rt, t)))
		return false;
	int32_t place = rt->program->types[t->decl->src].place;
	int64_t n = side_volume(&t->from, rt->places[place].position);
	struct direct *d = t->plan = rt_alloc(rt, sizeof *d);
	d->ranks = (int)rt_group_size(t->from.place, axes);
	d->combiner = side_combiner(&t->from);
	d->peer = rt_alloc(rt, d->ranks * (int64_t)sizeof *d->peer);
	d->own = (int)rt_group_ranks(rt, place, axes, d->peer);
	d->begin = rt_alloc(rt, (d->ranks + 1) * (int64_t)sizeof *d->begin);
	for (int r = 0; r <= d->ranks; r++)
		d->begin[r] = shard_begin(n, d->ranks, r);
	d->stage = transfer_staging(rt, t, share_elements(d, d->own) * d->ranks * t->size);
	t->sends = moves_all_reduced(n, d->ranks, d->own) * t->size;
	transfer_requests(rt, t, 2 * d->ranks * transfer_messages(rt, shard_count(n, d->ranks, 0)));
	return true;
}

/* A message to or from the rank of a coordinate, where there is something to send. */
static void send_to(struct pmlrt *rt, struct rt_transfer *t, int r, const char *from, int64_t n)
{
	const struct direct *d = t->plan;
	transfer_send(rt, t, d->peer[r], from, n, &t->requests[t->nrequests]);
	t->nrequests += transfer_messages(rt, n);
}

static void receive_from(struct pmlrt *rt, struct rt_transfer *t, int r, char *to, int64_t n)
{
	const struct direct *d = t->plan;
	transfer_receive(rt, t, d->peer[r], to, n, &t->requests[t->nrequests]);
	t->nrequests += transfer_messages(rt, n);
}

/* The r-th other rank to turn to: every rank begins with its right neighbour, so that not all send to one at first. */
static int turn(const struct direct *d, int r)
{
	return (d->own + r) % d->ranks;
}

static void direct_begin(struct pmlrt *rt, struct rt_transfer *t)
{
	struct direct *d = t->plan;
	int64_t mine = share_elements(d, d->own);
	d->sums = true;
	t->nrequests = 0;
	for (int i = 1; i < d->ranks; i++)
		receive_from(rt, t, turn(d, i), d->stage + turn(d, i) * mine * t->size, mine);
	for (int i = 1; i < d->ranks; i++)
		send_to(rt, t, turn(d, i), (const char *)t->src + d->begin[turn(d, i)] * t->size,
			share_elements(d, turn(d, i)));
}

/* Adds up the own share, in the order of ranks, where part 0 lies: in staging, or in the tensor itself. */
static void add_up(struct rt_transfer *t, const struct direct *d)
{
	int64_t n = share_elements(d, d->own), bytes = n * t->size;
	const char *own = (const char *)t->src + d->begin[d->own] * t->size;
	char *out = (char *)t->dst + d->begin[d->own] * t->size, *sum = d->own == 0 ? out : d->stage;
	if (d->own == 0 && own != out)
		memcpy(out, own, (size_t)bytes);
	for (int r = 1; r < d->ranks; r++)
		combine_into(t->dtype, d->combiner, sum, r == d->own ? own : d->stage + r * bytes, n);
	if (sum != out)
		memcpy(out, sum, (size_t)bytes);
}

static bool direct_next(struct pmlrt *rt, struct rt_transfer *t)
{
	struct direct *d = t->plan;
	if (!d->sums)
		return true;
	int64_t mine = share_elements(d, d->own);
	d->sums = false;
	if (mine)
		add_up(t, d);
	for (int i = 1; i < d->ranks; i++)
		receive_from(rt, t, turn(d, i), (char *)t->dst + d->begin[turn(d, i)] * t->size,
			     share_elements(d, turn(d, i)));
	for (int i = 1; i < d->ranks; i++)
		send_to(rt, t, turn(d, i), (char *)t->dst + d->begin[d->own] * t->size, mine);
	return t->nrequests == 0;
}

const struct rt_method rt_method_direct = {
	.prepare = direct_prepare, .begin = direct_begin, .next = direct_next, .otherwise = &rt_method_all_reduce};
