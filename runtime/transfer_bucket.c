/* transfer_bucket.c — several small all-reduces along the same axes as one: the members of a bucket begin with the last
 * of them, and are done together. Every member has the shares that it would have by itself, added up in the same order,
 * and a message holds those of all members, one behind the other; so neither bytes nor bits change, only the number of
 * messages. */
#include "transfer_levels.h"

#include <string.h>

struct bucket {
	struct reducer reducer;
	int n;
	struct rt_transfer **member;
	int64_t *volume; /* by member: elements this rank holds */
	char *whole;     /* the shares of all members, rank by rank: parts, then sums */
};

static int64_t local_volume(const struct pmlrt *rt, const struct rt_transfer *t)
{
	return side_volume(&t->from, rt->places[rt->program->types[t->decl->src].place].position);
}

static int64_t shares_of(const struct bucket *b, int rank)
{
	int64_t n = 0;
	for (int i = 0; i < b->n; i++)
		n += shard_count(b->volume[i], b->reducer.levels.ranks, rank);
	return n;
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

/* Bytes that this rank sends for a member, as if it went alone. */
static int64_t sent_alone(struct pmlrt *rt, struct rt_transfer *t, const struct bucket *b, int64_t volume)
{
	struct reducer alone = b->reducer;
	alone.begin = rt_alloc(rt, (alone.levels.ranks + 1) * (int64_t)sizeof *alone.begin);
	for (int i = 0; i <= alone.levels.ranks; i++)
		alone.begin[i] = shard_begin(volume, alone.levels.ranks, i);
	int64_t sent = reducer_sent(t, &alone);
	rt_release(rt, alone.begin);
	return sent;
}

static bool bucket_prepare(struct pmlrt *rt, struct rt_transfer *t)
{
	if (!rt->buckets || t->decl->bucket == 0 || !transfer_finished_axes(t))
		return false;
	if (t->decl->bucket != t->id + 1)
		t->leader = &rt->transfers[t->decl->bucket - 1];
	return true;
}

/* The last member carries all: it is made when all are prepared. */
static void bucket_connect(struct pmlrt *rt, struct rt_transfer *t)
{
	if (t->leader)
		return;
	struct bucket *b = t->plan = rt_alloc(rt, sizeof *b);
	find_members(rt, t, b);
	reducer_make(rt, t, &b->reducer);
	for (int r = 0; r < b->reducer.levels.ranks; r++)
		b->reducer.begin[r + 1] = b->reducer.begin[r] + shares_of(b, r);
	b->whole = transfer_staging(rt, t, b->reducer.begin[b->reducer.levels.ranks] * t->size);
	reducer_prepare(rt, t, &b->reducer);
	for (int i = 0; i < b->n; i++)
		b->member[i]->sends = sent_alone(rt, t, b, b->volume[i]);
}

/* Between the members' tensors and the shares of a rank, one behind the other. */
static void copy_shares(const struct rt_transfer *t, const struct bucket *b, int r, bool out)
{
	char *shares = b->whole + b->reducer.begin[r] * t->size;
	for (int i = 0; i < b->n; i++) {
		int64_t begin = shard_begin(b->volume[i], b->reducer.levels.ranks, r) * t->size;
		size_t bytes = (size_t)(shard_count(b->volume[i], b->reducer.levels.ranks, r) * t->size);
		if (!bytes)
			continue;
		if (out)
			memcpy((char *)b->member[i]->dst + begin, shares, bytes);
		else
			memcpy(shares, (const char *)b->member[i]->src + begin, bytes);
		shares += bytes;
	}
}

static void bucket_begin(struct pmlrt *rt, struct rt_transfer *t)
{
	struct bucket *b = t->plan;
	t->nrequests = 0;
	if (t->leader) {
		t->leader->finished = false;
		return;
	}
	for (int r = 0; r < b->reducer.levels.ranks; r++)
		copy_shares(t, b, r, false);
	reducer_begin(rt, t, &b->reducer, b->whole, b->whole);
}

static bool bucket_next(struct pmlrt *rt, struct rt_transfer *t)
{
	struct bucket *b = t->plan;
	if (!reducer_next(rt, t, &b->reducer))
		return false;
	for (int r = 0; r < b->reducer.levels.ranks; r++)
		copy_shares(t, b, r, true);
	return true;
}

const struct rt_method rt_method_bucket = {.prepare = bucket_prepare,
					   .connect = bucket_connect,
					   .begin = bucket_begin,
					   .next = bucket_next,
					   .otherwise = &rt_method_levels};
