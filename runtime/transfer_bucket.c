/* transfer_bucket.c — several small all-reduces along the same axes as one: the members of a bucket begin with the last
 * of them, and are done together. As in transfer_direct.c every rank sends each other rank that one's shares, adds up
 * its own and sends the sums to all; but a message holds the shares of all members, one behind the other. Shares are
 * those that each member would have by itself, added up in the same order, so neither bytes nor bits change, only the
 * number of messages. */
#include "combine.h"
#include "transfer.h"

#include <string.h>

struct bucket {
	int32_t *peer; /* world ranks of the group */
	int ranks, own, n;
	bool sums; /* in the first round: shares arrive to be added up */
	int32_t combiner;
	struct rt_transfer **member;
	int64_t *volume; /* by member: elements this rank holds */
	int64_t *share;  /* by rank: elements of its shares of all members */
	char *whole;     /* all shares, rank by rank: first parts to be sent, then sums */
	char *parts;     /* the parts of the own shares, rank by rank */
};

static int64_t local_volume(const struct pmlrt *rt, const struct rt_transfer *t)
{
	return side_volume(&t->from, rt->places[rt->program->types[t->decl->src].place].position);
}

/* Every member is counted as if it went alone. */
static bool bucket_prepare(struct pmlrt *rt, struct rt_transfer *t)
{
	uint32_t axes = !rt->buckets || t->decl->bucket == 0 ? 0 : transfer_finished_axes(t);
	if (!axes || rt_group_size(t->from.place, axes) > rt->few_ranks)
		return false;
	int32_t place = rt->program->types[t->decl->src].place;
	int64_t n = local_volume(rt, t), ranks = rt_group_size(t->from.place, axes);
	int32_t *peer = rt_alloc(rt, ranks * (int64_t)sizeof *peer);
	t->sends = moves_all_reduced(n, ranks, rt_group_ranks(rt, place, axes, peer)) * t->size;
	rt_release(rt, peer);
	if (t->decl->bucket != t->id + 1)
		t->leader = &rt->transfers[t->decl->bucket - 1];
	return true;
}

static void find_members(struct pmlrt *rt, const struct rt_transfer *t, struct bucket *b)
{
	for (int pass = 0; pass < 2; pass++) {
		if (pass) {
			b->member = rt_alloc(rt, b->n * (int64_t)sizeof *b->member);
			b->volume = rt_alloc(rt, b->n * (int64_t)sizeof *b->volume);
		}
		b->n = 0;
		for (int32_t i = 0; i <= t->id; i++) {
			if (rt->program->transfers[i].bucket != t->id + 1)
				continue;
			if (pass) {
				b->member[b->n] = &rt->transfers[i];
				b->volume[b->n] = local_volume(rt, &rt->transfers[i]);
			}
			b->n++;
		}
	}
}

/* The last member carries all: it is made when all are prepared. */
static void bucket_connect(struct pmlrt *rt, struct rt_transfer *t)
{
	if (t->leader)
		return;
	uint32_t axes = transfer_finished_axes(t);
	int messages = 0;
	int64_t all = 0;
	struct bucket *b = t->plan = rt_alloc(rt, sizeof *b);
	b->combiner = side_combiner(&t->from);
	find_members(rt, t, b);
	b->ranks = (int)rt_group_size(t->from.place, axes);
	b->peer = rt_alloc(rt, b->ranks * (int64_t)sizeof *b->peer);
	b->own = (int)rt_group_ranks(rt, rt->program->types[t->decl->src].place, axes, b->peer);
	b->share = rt_alloc(rt, b->ranks * (int64_t)sizeof *b->share);
	for (int r = 0; r < b->ranks; r++) {
		b->share[r] = 0;
		for (int i = 0; i < b->n; i++)
			b->share[r] += shard_count(b->volume[i], b->ranks, r);
		all += b->share[r];
		messages += transfer_messages(rt, b->share[r]);
	}
	b->whole = transfer_staging(rt, t, all * t->size);
	b->parts = transfer_staging(rt, t, b->share[b->own] * b->ranks * t->size);
	transfer_requests(rt, t, messages + b->ranks * transfer_messages(rt, b->share[b->own]));
}

/* Where the shares of a rank begin in `whole`, in elements. */
static int64_t shares_begin(const struct bucket *b, int r)
{
	int64_t at = 0;
	for (int i = 0; i < r; i++)
		at += b->share[i];
	return at;
}

/* Between the members' tensors and the shares of a rank, one behind the other. */
static void copy_shares(const struct rt_transfer *t, const struct bucket *b, int r, char *shares, bool out)
{
	for (int i = 0; i < b->n; i++) {
		int64_t begin = shard_begin(b->volume[i], b->ranks, r) * t->size;
		size_t bytes = (size_t)(shard_count(b->volume[i], b->ranks, r) * t->size);
		if (!bytes)
			continue;
		if (out)
			memcpy((char *)b->member[i]->dst + begin, shares, bytes);
		else
			memcpy(shares, (const char *)b->member[i]->src + begin, bytes);
		shares += bytes;
	}
}

static void send_to(struct pmlrt *rt, struct rt_transfer *t, int r, const char *from, int64_t n)
{
	const struct bucket *b = t->plan;
	transfer_send(rt, t, b->peer[r], from, n, &t->requests[t->nrequests]);
	t->nrequests += transfer_messages(rt, n);
}

static void receive_from(struct pmlrt *rt, struct rt_transfer *t, int r, char *to, int64_t n)
{
	const struct bucket *b = t->plan;
	transfer_receive(rt, t, b->peer[r], to, n, &t->requests[t->nrequests]);
	t->nrequests += transfer_messages(rt, n);
}

static void bucket_begin(struct pmlrt *rt, struct rt_transfer *t)
{
	struct bucket *b = t->plan;
	t->nrequests = 0;
	if (t->leader) {
		t->leader->finished = false;
		return;
	}
	int64_t mine = b->share[b->own];
	b->sums = true;
	for (int i = 1; i < b->ranks; i++) {
		int r = (b->own + i) % b->ranks;
		receive_from(rt, t, r, b->parts + r * mine * t->size, mine);
	}
	copy_shares(t, b, b->own, b->parts + b->own * mine * t->size, false);
	for (int i = 1; i < b->ranks; i++) {
		int r = (b->own + i) % b->ranks;
		char *shares = b->whole + shares_begin(b, r) * t->size;
		copy_shares(t, b, r, shares, false);
		send_to(rt, t, r, shares, b->share[r]);
	}
}

/* In the order of ranks, into part 0. */
static void add_up(struct rt_transfer *t, const struct bucket *b)
{
	int64_t mine = b->share[b->own];
	for (int r = 1; r < b->ranks && mine; r++)
		combine_into(t->dtype, b->combiner, b->parts, b->parts + r * mine * t->size, mine);
}

static bool bucket_next(struct pmlrt *rt, struct rt_transfer *t)
{
	struct bucket *b = t->plan;
	if (b->sums) {
		b->sums = false;
		add_up(t, b);
		for (int i = 1; i < b->ranks; i++) {
			int r = (b->own + i) % b->ranks;
			receive_from(rt, t, r, b->whole + shares_begin(b, r) * t->size, b->share[r]);
		}
		for (int i = 1; i < b->ranks; i++)
			send_to(rt, t, (b->own + i) % b->ranks, b->parts, b->share[b->own]);
		if (t->nrequests)
			return false;
	}
	for (int r = 0; r < b->ranks; r++)
		copy_shares(t, b, r, r == b->own ? b->parts : b->whole + shares_begin(b, r) * t->size, true);
	return true;
}

const struct rt_method rt_method_bucket = {.prepare = bucket_prepare,
					   .connect = bucket_connect,
					   .begin = bucket_begin,
					   .next = bucket_next,
					   .otherwise = &rt_method_direct};
