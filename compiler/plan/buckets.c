/* buckets.c — small all-reduces along the same axes of the same placement are put into buckets: they begin with the
 * last of their bucket and travel as one (runtime/transfer_bucket.c), since a small reduction costs its rounds of
 * messages, not its bytes. Each remains a row of the table with bytes and a source line of its own.
 *
 * Nothing may be needed before the bucket leaves, by a transfer or by a pass over a micro-batch that comes before the
 * last member's: a transfer that depends on a member closes the bucket before itself. Kernels may be fused where they
 * depend on the same last transfer, and then wait for all that one of them waits for; so a value counts as dependent on
 * every transfer up to the last it depends on. A bucket leaves and arrives in the turn of a loop in which it is filled.
 * Example: the gradients of the biases of a network, and its loss, are one
 * message to each rank. */
#include "buckets.h"

#include "transfers.h"

#include "../../runtime/bucket.h"
#include "../layout/exchange.h"

#include <string.h>

struct bucket {
	const struct place *place;
	uint32_t axes, groups; /* that are reduced; whose ranks share that work */
	int combiner;
	enum dtype dtype;
	int first;               /* transfer */
	int needed;              /* the first pass over a micro-batch that needs a member */
	const struct loop *loop; /* that all of it stands in */
	bool is_asked;           /* before the condition of that is known */
	int64_t bytes;
	VEC(int) members;
};

struct buckets {
	struct program *program;
	struct arena *arena;
	VEC(struct bucket) open;
};

/* By node: the first pass over a micro-batch that reads its value. */
static int *find_needed(struct arena *a, const struct graph *g)
{
	int *needed = ARENA_ARRAY(a, int, g->nodes.n);
	for (int i = 0; i < g->nodes.n; i++)
		needed[i] = INT32_MAX;
	for (int i = 0; i < g->nodes.n; i++)
		for (int k = 0; k < g->nodes.at[i]->nin; k++) {
			int *first = &needed[g->nodes.at[i]->in[k]->id];
			*first = g->nodes.at[i]->segment < *first ? g->nodes.at[i]->segment : *first;
		}
	return needed;
}

/* A bucket of its own for the transfer. False if it is not small, or no all-reduce. */
static bool bucket_for(const struct program *p, int id, int needed, struct bucket *b)
{
	const struct transfer *t = &p->transfers.at[id];
	const struct placed_type *src = &p->types.at[t->src], *dst = &p->types.at[t->dst];
	if (t->redist.method != REDIST_ALL_REDUCE || src->place != dst->place)
		return false;
	struct shape local = layout_largest_shape(src->place, &src->layout, &src->shape);
	*b = (struct bucket){.place = src->place, .dtype = src->dtype, .first = id, .needed = needed};
	b->bytes = count_mul(shape_volume(&local), dtype_size(src->dtype));
	for (int a = 0; a < src->place->naxes; a++)
		if (src->place->extent[a] > 1 && src->layout.atom[a].kind == SHARD_P &&
		    dst->layout.atom[a].kind == SHARD_B) {
			b->axes |= 1u << a;
			b->combiner = src->layout.atom[a].combiner;
		} else if (src->place->extent[a] > 1 && src->layout.atom[a].kind == SHARD_B) {
			b->groups |= 1u << a;
		}
	return b->bytes <= BUCKET_MEMBER_BYTES;
}

static bool takes(const struct bucket *b, const struct bucket *x)
{
	return b->place == x->place && b->axes == x->axes && b->groups == x->groups && b->combiner == x->combiner &&
	       b->dtype == x->dtype && b->bytes + x->bytes <= BUCKET_BYTES;
}

static void close_bucket(struct buckets *s, int i)
{
	const struct bucket *b = &s->open.at[i];
	for (int k = 0; k < b->members.n && b->members.n > 1; k++)
		s->program->transfers.at[b->members.at[k]].bucket = b->members.at[b->members.n - 1];
	s->open.at[i] = s->open.at[--s->open.n];
}

static void add_transfer(struct buckets *s, const struct bucket *like, int id)
{
	struct bucket x;
	int i = 0, needed = like->needed;
	if (!bucket_for(s->program, id, needed, &x))
		return;
	x.loop = like->loop;
	x.is_asked = like->is_asked;
	while (i < s->open.n && !takes(&s->open.at[i], &x))
		i++;
	if (i == s->open.n) {
		vec_push(s->arena, &s->open, x);
	} else {
		s->open.at[i].bytes += x.bytes;
		s->open.at[i].needed = needed < s->open.at[i].needed ? needed : s->open.at[i].needed;
	}
	vec_push(s->arena, &s->open.at[i].members, id);
}

/* What transfer t needs of a bucket that it is in. */
static struct bucket wanted(const struct region *r, const struct node *to, int t, int needed)
{
	const struct loop *l = to->loop;
	return (struct bucket){.needed = needed, .loop = l, .is_asked = l && t <= r->asked_of[l->id]};
}

void buckets_of_region(struct program *p, const struct region *r, int first, int last)
{
	struct buckets s = {.program = p, .arena = arena_new("buckets")};
	const struct graph *g = r->graph;
	const int *number = r->transfer_of, *epoch = transfer_epochs(s.arena, g, number);
	const struct node **to = ARENA_ARRAY(s.arena, const struct node *, last - first + 1);
	const int *needed = find_needed(s.arena, g);
	for (int i = 0; i < g->nodes.n; i++)
		if (number[i] >= 0)
			to[number[i] - first] = g->nodes.at[i];
	for (int t = first; t < last; t++) {
		const struct node *n = to[t - first], *from = n->in[0];
		struct bucket want = wanted(r, n, t, needed[n->id]);
		p->transfers.at[t].bucket = -1;
		for (int i = s.open.n - 1; i >= 0; i--) {
			const struct bucket *b = &s.open.at[i];
			if (epoch[from->id] >= b->first || from->segment > b->needed || b->loop != want.loop ||
			    b->is_asked != want.is_asked)
				close_bucket(&s, i);
		}
		add_transfer(&s, &want, t);
	}
	while (s.open.n)
		close_bucket(&s, 0);
	arena_free(s.arena);
}
