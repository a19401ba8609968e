/* reduced.c — all-reduces, as ranks meet in them (meeting.h); and what is left to MPI among many ranks: recursive
 * halving and doubling. */
#include "maker.h"

/* The elements of what travels, of a rank, with their bytes: of all members of the bucket, or of the transfer itself.
 */
struct carried {
	VEC(int64_t) elements, size;
};

static void add_carried(const struct maker *m, const struct maker *one, struct carried *c)
{
	vec_push(m->arena, &c->elements, side_volume(&one->src, mesh_position(one->src.place, m->rank)));
	vec_push(m->arena, &c->size, one->size);
}

static struct carried find_carried(const struct maker *m, int transfer)
{
	const struct program *p = m->program;
	struct carried c = {0};
	if (transfer < 0)
		add_carried(m, m, &c);
	for (int i = 0; i <= transfer; i++) {
		const struct transfer *t = &p->transfers.at[i];
		if (i != transfer && t->bucket != transfer)
			continue;
		struct maker one = {.program = p};
		maker_sides(&one, &p->types.at[t->src], &p->types.at[t->dst]);
		add_carried(m, &one, &c);
	}
	return c;
}

static int64_t carried_bytes(const struct carried *c)
{
	int64_t bytes = 0;
	for (int i = 0; i < c->elements.n; i++)
		bytes += c->elements.at[i] * c->size.at[i];
	return bytes;
}

/* Bytes in front of each share. */
static const int64_t *find_shares(const struct maker *m, const struct carried *c, int ranks)
{
	struct memo *shares = &m->routes->shares;
	memo_begin(shares);
	memo_add(shares, (uint64_t)ranks);
	for (int i = 0; i < c->elements.n; i++) {
		memo_add(shares, (uint64_t)c->elements.at[i]);
		memo_add(shares, (uint64_t)c->size.at[i]);
	}
	void **known = memo_find(shares);
	if (*known)
		return *known;
	int64_t *begin = ARENA_ARRAY(m->routes->arena, int64_t, ranks + 1);
	for (int i = 0; i < c->elements.n; i++)
		for (int r = 0; r <= ranks; r++)
			begin[r] += c->size.at[i] * shard_begin(c->elements.at[i], ranks, r);
	*known = begin;
	return begin;
}

/* The messages of a level are the round's; the bytes that it receives. */
static int64_t add_level(struct maker *m, struct route_round *r, const struct meeting_round *level)
{
	int64_t received = 0;
	r->messages.at = level->messages.at;
	r->messages.n = level->messages.n;
	for (int i = 0; i < level->messages.n; i++) {
		const struct route_message *x = &level->messages.at[i];
		int64_t bytes = route_message_bytes(&m->route, x);
		r->full += bytes > 0;
		received += x->sends ? 0 : bytes;
	}
	return received;
}

void route_all_reduce(struct maker *m, int transfer, uint32_t axes)
{
	struct meetings *all = &m->routes->meetings;
	const struct carried c = find_carried(m, transfer);
	int own;
	const struct meeting *x =
		meeting_find(all, &m->src, &m->dst, axes, carried_bytes(&c), m->in_memory, m->rank, &own);
	const struct meeting_round *levels = meeting_rounds(all, x, own, m->paired);
	const int64_t *begin = find_shares(m, &c, x->ranks);
	const int64_t share = x->at_once ? begin[x->ranks] : begin[own + 1] - begin[own];
	bool is_bucket = transfer >= 0 && m->program->transfers.at[transfer].bucket >= 0;
	m->route.ranks = x->rank;
	m->route.begin = begin;
	for (int level = 0; level < LEVELS; level++) {
		struct route_round *r = maker_add_round(m);
		r->in_memory = x->in_memory;
		int64_t bytes = add_level(m, r, &levels[level]);
		/* What is read from shared memory is added up as it comes. */
		r->settled = level <= LEVEL_BLOCKS && bytes ? (x->in_memory ? 0 : bytes) + share : 0;
		r->packed = level == LEVEL_PARTS && is_bucket ? begin[x->ranks] : 0;
		r->settled += level == LEVEL_SPREAD && is_bucket ? begin[x->ranks] : 0;
	}
}

/* ---- what is left to MPI among many ranks ---- */

/* Ranks beyond the last power of two hand over to a neighbour first, and take the result last. */
struct halving {
	int64_t n, power, own, number; /* number: among those that stay; -1: handed over */
	const int32_t *ranks;
};

static struct halving halving_of(const int32_t *ranks, int64_t n, int64_t own)
{
	struct halving h = {.n = n, .power = 1, .own = own, .ranks = ranks};
	while (2 * h.power <= n)
		h.power *= 2;
	int64_t extra = n - h.power;
	h.number = own >= 2 * extra ? own - extra : own % 2 ? own / 2 : -1;
	return h;
}

static int32_t staying(const struct halving *h, int64_t number)
{
	int64_t extra = h->n - h->power;
	return h->ranks[number < extra ? 2 * number + 1 : number + extra];
}

/* What is handed over before, or back after. */
static void hand_over(struct maker *m, const struct halving *h, int64_t bytes, bool back)
{
	int64_t extra = h->n - h->power;
	if (h->own >= 2 * extra)
		return;
	bool gives = (h->own % 2 == 0) != back;
	struct route_round *r = maker_add_round(m);
	maker_add_message(m, r, h->ranks[h->own ^ 1], gives, bytes);
	r->settled = gives || back ? 0 : bytes;
}

/* Halves are exchanged and added up until each rank has its share, or shares are gathered in the same way back. */
static void halve(struct maker *m, const struct halving *h, int64_t bytes, bool gathers)
{
	if (h->number < 0)
		return;
	for (int64_t d = gathers ? 1 : h->power / 2; d >= 1 && d < h->power; d = gathers ? 2 * d : d / 2) {
		struct route_round *r = maker_add_round(m);
		int64_t part = bytes / h->power * d;
		part = part > 0 ? part : bytes < h->power ? 1 : 0;
		maker_add_message(m, r, staying(h, h->number ^ d), false, part);
		maker_add_message(m, r, staying(h, h->number ^ d), true, part);
		r->settled = gathers ? 0 : part;
	}
}

/* Scattered along one axis; what a rank holds in the end is its share. */
void route_reduce_scatter(struct maker *m, uint32_t axes)
{
	int64_t own = 0, n = mesh_extent(m->src.place, axes);
	const int32_t *ranks = meeting_group(&m->routes->meetings, m->src.place, axes, m->rank, &own);
	struct halving h = halving_of(ranks, n, own);
	int64_t bytes = m->size * side_volume(&m->src, mesh_position(m->src.place, m->rank));
	hand_over(m, &h, bytes, false);
	halve(m, &h, bytes, false);
	hand_over(m, &h, bytes / n, true);
}

/* Shares are taken as equal: what is gathered is the same on all. */
void route_all_gather(struct maker *m, uint32_t axes)
{
	int64_t own = 0, n = mesh_extent(m->src.place, axes);
	const int32_t *ranks = meeting_group(&m->routes->meetings, m->src.place, axes, m->rank, &own);
	struct halving h = halving_of(ranks, n, own);
	int64_t bytes = m->size * side_volume(&m->dst, mesh_position(m->dst.place, m->rank));
	hand_over(m, &h, bytes / n, false);
	halve(m, &h, bytes, true);
	hand_over(m, &h, bytes, true);
}
