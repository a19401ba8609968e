/* buckets.c — see buckets.h. */
#include "buckets.h"

#include "rt.h"
#include "transfer.h"

#include <string.h>

/* Which all-reduces fit into one bucket: axes and combiner. -1: no all-reduce on one placement. */
static int kind_of(const struct batch *b, int id)
{
	const struct pmlrt_type *from = &b->types[2 * id], *to = &b->types[2 * id + 1];
	const struct pmlrt_place *p = &b->places[from->place];
	int kind = 0, groups = 0;
	if (from->place != to->place || strcmp(announced_method(b->announced[id].method), "all-reduce"))
		return -1;
	for (int a = 0; a < p->naxes; a++)
		if (p->extent[a] > 1 && from->atom[a].kind == SHARD_P && to->atom[a].kind == SHARD_B)
			kind |= 1 << a | from->atom[a].combiner << 2 * PMLRT_MAX_AXES;
	for (int a = 0; a < p->naxes; a++)
		groups |= (p->extent[a] > 1 && from->atom[a].kind == SHARD_B) << a;
	return kind | groups << PMLRT_MAX_AXES;
}

/* The last transfer of a bucket that is open for one of this kind, drawn among all before it; -1: none. */
static int draw_open(const struct batch *b, const int *member_after, int id, uint64_t *dice)
{
	int open = -1, seen = 0;
	for (int i = 0; i < id; i++)
		if (member_after[i] < 0 && kind_of(b, i) == kind_of(b, id) && sim_random(dice) % (uint64_t)++seen == 0)
			open = i;
	return open;
}

int buckets_draw(struct batch *b, uint64_t *dice)
{
	int next[BATCH_MOST], merged = 0;
	for (int i = 0; i < b->n; i++) {
		int before = kind_of(b, i) >= 0 && sim_random(dice) % 4 ? draw_open(b, next, i, dice) : -1;
		next[i] = -1;
		if (before >= 0)
			next[before] = i;
	}
	for (int i = b->n - 1; i >= 0; i--) {
		b->transfers[i].bucket = 0;
		if (next[i] >= 0) {
			int last = next[i];
			b->transfers[last].bucket = b->transfers[last].bucket ? b->transfers[last].bucket : last + 1;
			b->transfers[i].bucket = b->transfers[last].bucket;
		}
	}
	for (int i = 0; i < b->n; i++)
		merged += b->transfers[i].bucket > 0;
	return merged;
}

/* Whether the runtime had a carrier for a transfer. */
static bool carried(const struct batch *b, int id)
{
	for (int r = 0; r < b->ranks; r++)
		if (b->rank[r]->transfers[id].leader)
			return true;
	return false;
}

static bool carries(const struct batch *b, int carrier)
{
	for (int i = 0; i < carrier; i++)
		if (b->transfers[i].bucket == carrier + 1 && carried(b, i))
			return true;
	return false;
}

/* One rank's part of what a carrier did. */
static void settle_rank(struct batch *b, struct tally *t, int carrier, int r)
{
	struct sim_traffic *all = &b->traffic[carrier * b->ranks + r];
	int64_t sent = 0, received = 0, staging = 0, size = rt_dtype_size(b->types[2 * carrier].dtype);
	for (int i = 0; i <= carrier; i++) {
		if (b->transfers[i].bucket != carrier + 1)
			continue;
		sent += b->rank[r]->transfers[i].sends;
		received += b->announced[i].receives[r];
		staging += b->announced[i].staging + oracle_held(&b->holds[2 * i], r) * size;
	}
	if (all->sent != sent * b->rounds || (!batch_has_levels(b, carrier) && all->received != received * b->rounds))
		batch_complain(b, t, carrier, "a bucket's bytes are not those of its members");
	if (b->rank[r]->transfers[carrier].staging > (batch_has_levels(b, carrier) ? 2 * staging : staging))
		batch_complain(b, t, carrier, "a bucket's staging is more than announced");
	for (int i = 0; i <= carrier; i++) {
		int64_t sends = b->rank[r]->transfers[i].sends;
		int64_t receives = batch_has_levels(b, carrier) ? sends : b->announced[i].receives[r];
		if (b->transfers[i].bucket == carrier + 1)
			b->traffic[i * b->ranks + r] =
				(struct sim_traffic){.sent = sends * b->rounds, .received = receives * b->rounds};
	}
}

/* What is known of one rank's receives with levels: that all together are what is sent. */
static void check_ends(struct batch *b, struct tally *t, int carrier)
{
	int64_t sent = 0, received = 0;
	for (int r = 0; r < b->ranks; r++) {
		sent += b->traffic[carrier * b->ranks + r].sent;
		received += b->traffic[carrier * b->ranks + r].received;
	}
	if (sent != received)
		batch_complain(b, t, carrier, "a bucket's bytes are not received");
}

void buckets_settle(struct batch *b, struct tally *t)
{
	for (int i = 0; i < b->n; i++)
		if (b->transfers[i].bucket == i + 1 && carries(b, i)) {
			check_ends(b, t, i);
			for (int r = 0; r < b->ranks; r++)
				settle_rank(b, t, i, r);
		}
}
