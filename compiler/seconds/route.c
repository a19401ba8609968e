/* route.c — see route.h. The runtime sends messages straight between ranks; what it leaves to MPI among many is taken
 * as the algorithms that MPI implementations use for large messages: recursive halving and doubling. */
#include "route.h"

#include "../../runtime/moves/mesh.h"
#include "../../runtime/moves/moves.h"
#include "../layout/exchange.h"
#include "meeting.h"
#include "pairs.h"

#include <string.h>

struct routes {
	struct arena *arena;
	const struct program *program;
	int *like;           /* by transfer: the first one that goes the same way */
	struct route **made; /* by transfer that others are like, by rank; NULL: not yet */
	int32_t *role;       /* by rank; -1: none */
	struct meetings meetings;
	struct memo shares;
};

/* One transfer of one rank being worked out. */
struct maker {
	struct arena *arena;
	struct routes *routes; /* what is known of others */
	const struct program *program;
	struct side src, dst;
	struct pmlrt_place room[2];
	int64_t size; /* of an element */
	int32_t rank;
	bool paired;
	struct route route;
	VEC(int64_t) begin; /* of the route, if its messages are boxes or halves */
};

static void make_sides(struct maker *m, const struct placed_type *src, const struct placed_type *dst)
{
	m->src = side_make(src->shape.rank, src->shape.dim, place_table(src->place, &m->room[0]), src->layout.atom);
	m->dst = side_make(dst->shape.rank, dst->shape.dim, place_table(dst->place, &m->room[1]), dst->layout.atom);
	m->size = dtype_size(src->dtype);
}

static struct route_round *add_round(struct maker *m)
{
	vec_push(m->arena, &m->route.rounds, (struct route_round){0});
	return &m->route.rounds.at[m->route.rounds.n - 1];
}

static void add_message(struct maker *m, struct route_round *r, int32_t peer, bool sends, int64_t bytes)
{
	if (bytes <= 0)
		return;
	if (!m->begin.n)
		vec_push(m->arena, &m->begin, 0);
	int n = m->begin.n;
	vec_push(m->arena, &m->begin, m->begin.at[n - 1] + bytes);
	m->route.begin = m->begin.at;
	struct route_message x = {.peer = peer, .sends = sends, .first = n - 1, .last = n};
	vec_push(m->arena, &r->messages, x);
	r->full++;
}

/* ---- all-reduce ---- */

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
		make_sides(&one, &p->types.at[t->src], &p->types.at[t->dst]);
		add_carried(m, &one, &c);
	}
	return c;
}

/* Bytes in front of each share. */
static const int64_t *find_shares(const struct maker *m, int transfer, int ranks)
{
	struct carried c = find_carried(m, transfer);
	struct memo *shares = &m->routes->shares;
	memo_begin(shares);
	memo_add(shares, (uint64_t)ranks);
	for (int i = 0; i < c.elements.n; i++) {
		memo_add(shares, (uint64_t)c.elements.at[i]);
		memo_add(shares, (uint64_t)c.size.at[i]);
	}
	void **known = memo_find(shares);
	if (*known)
		return *known;
	int64_t *begin = ARENA_ARRAY(m->routes->arena, int64_t, ranks + 1);
	for (int i = 0; i < c.elements.n; i++)
		for (int r = 0; r <= ranks; r++)
			begin[r] += c.size.at[i] * shard_begin(c.elements.at[i], ranks, r);
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

static void route_all_reduce(struct maker *m, int transfer, uint32_t axes)
{
	struct meetings *all = &m->routes->meetings;
	int own;
	const struct meeting *x = meeting_find(all, m->src.place, axes, moves_groups(&m->src, &m->dst), m->rank, &own);
	const struct meeting_round *levels = meeting_rounds(all, x, own, m->paired);
	const int64_t *begin = find_shares(m, transfer, x->ranks);
	bool is_bucket = transfer >= 0 && m->program->transfers.at[transfer].bucket >= 0;
	m->route.ranks = x->rank;
	m->route.begin = begin;
	for (int level = 0; level < LEVELS; level++) {
		struct route_round *r = add_round(m);
		int64_t bytes = add_level(m, r, &levels[level]);
		r->settled = level <= LEVEL_BLOCKS && bytes ? bytes + begin[own + 1] - begin[own] : 0;
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
	struct route_round *r = add_round(m);
	add_message(m, r, h->ranks[h->own ^ 1], gives, bytes);
	r->settled = gives || back ? 0 : bytes;
}

/* Halves are exchanged and added up until each rank has its share, or shares are gathered in the same way back. */
static void halve(struct maker *m, const struct halving *h, int64_t bytes, bool gathers)
{
	if (h->number < 0)
		return;
	for (int64_t d = gathers ? 1 : h->power / 2; d >= 1 && d < h->power; d = gathers ? 2 * d : d / 2) {
		struct route_round *r = add_round(m);
		int64_t part = bytes / h->power * d;
		part = part > 0 ? part : bytes < h->power ? 1 : 0;
		add_message(m, r, staying(h, h->number ^ d), false, part);
		add_message(m, r, staying(h, h->number ^ d), true, part);
		r->settled = gathers ? 0 : part;
	}
}

/* Scattered along one axis; what a rank holds in the end is its share. */
static void route_reduce_scatter(struct maker *m, uint32_t axes)
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
static void route_all_gather(struct maker *m, uint32_t axes)
{
	int64_t own = 0, n = mesh_extent(m->src.place, axes);
	const int32_t *ranks = meeting_group(&m->routes->meetings, m->src.place, axes, m->rank, &own);
	struct halving h = halving_of(ranks, n, own);
	int64_t bytes = m->size * side_volume(&m->dst, mesh_position(m->dst.place, m->rank));
	hand_over(m, &h, bytes / n, false);
	halve(m, &h, bytes, true);
	hand_over(m, &h, bytes, true);
}

/* ---- boxes ---- */

static bool takes_part(const struct maker *m)
{
	return mesh_position(m->src.place, m->rank) >= 0 || mesh_position(m->dst.place, m->rank) >= 0;
}

struct boxes {
	struct maker *m;
	struct route_round *round;
	struct box own; /* what this rank holds on the side that is looked at */
	int32_t rank;   /* dimensions */
};

/* Whether a box lies in one piece within what a rank holds. */
static bool is_piece(int32_t rank, const struct box *whole, const struct box *part)
{
	bool inner_whole = true;
	for (int d = rank - 1; d >= 0; d--) {
		int64_t n = part->end[d] - part->begin[d];
		if (!inner_whole && n > 1)
			return false;
		inner_whole = inner_whole && n == whole->end[d] - whole->begin[d];
	}
	return true;
}

static void sent_box(void *context, const struct move *x)
{
	struct boxes *b = context;
	int64_t bytes = b->m->size * box_volume(b->rank, &x->box);
	if (x->to == x->from)
		return;
	add_message(b->m, b->round, x->to, true, bytes);
	b->round->packed += is_piece(b->rank, &b->own, &x->box) ? 0 : bytes;
}

static void received_box(void *context, const struct move *x)
{
	struct boxes *b = context;
	int64_t bytes = b->m->size * box_volume(b->rank, &x->box);
	if (x->to != x->from)
		add_message(b->m, b->round, x->from, false, bytes);
	if (x->to == x->from || !x->first || !is_piece(b->rank, &b->own, &x->box))
		b->round->settled += bytes;
}

static struct box own_box(const struct side *s, int32_t rank)
{
	int64_t position = mesh_position(s->place, rank);
	return position < 0 ? (struct box){{0}, {0}} : side_box(s, position);
}

static void route_phase(struct maker *m, const struct side *src, const struct side *dst)
{
	struct boxes b = {.m = m, .round = add_round(m), .own = own_box(dst, m->rank), .rank = src->rank};
	moves_to(src, dst, m->rank, received_box, &b);
	b.own = own_box(src, m->rank);
	moves_from(src, dst, m->rank, sent_box, &b);
}

/* What all ranks send is what all receive, so it is found once: those that a rank sends to come in the order of their
 * positions, as moves_from has them. */
struct sent_boxes {
	VEC(struct move) moves;
};
struct all_boxes {
	struct boxes *of;        /* by rank */
	struct sent_boxes *sent; /* by rank */
	int32_t to;
};

static void received_by_one(void *context, const struct move *x)
{
	struct all_boxes *all = context;
	struct boxes *b = &all->of[all->to];
	received_box(b, x);
	if (x->to != x->from)
		vec_push(b->m->arena, &all->sent[x->from].moves, *x);
}

static void route_phase_of_all(struct maker *m, int nranks, const struct side *src, const struct side *dst)
{
	struct arena *a = m->arena;
	struct all_boxes all = {ARENA_ARRAY(a, struct boxes, nranks), ARENA_ARRAY(a, struct sent_boxes, nranks), 0};
	for (int r = 0; r < nranks; r++)
		if (takes_part(&m[r]))
			all.of[r] = (struct boxes){&m[r], add_round(&m[r]), own_box(dst, r), src->rank};
	for (int64_t i = 0; i < dst->place->count; i++) {
		all.to = mesh_rank(dst->place, i);
		moves_to(src, dst, all.to, received_by_one, &all);
	}
	for (int r = 0; r < nranks; r++) {
		all.of[r].own = own_box(src, r);
		for (int i = 0; i < all.sent[r].moves.n; i++)
			sent_box(&all.of[r], &all.sent[r].moves.at[i]);
	}
}

/* nranks: m are those of all ranks; 0: it is one. */
static void route_boxes(struct maker *m, int nranks, bool one_phase)
{
	struct side mid;
	bool two = !one_phase && moves_between(&m->src, &m->dst, &mid);
	const struct side *way[] = {&m->src, two ? &mid : &m->dst, &m->dst};
	for (int i = 0; i < (two ? 2 : 1); i++)
		if (nranks)
			route_phase_of_all(m, nranks, way[i], way[i + 1]);
		else
			route_phase(m, way[i], way[i + 1]);
}

static void route_local(struct maker *m)
{
	add_round(m)->settled = m->size * side_volume(&m->src, mesh_position(m->src.place, m->rank));
}

/* Along one axis, with shards that no other axis cuts as well: then MPI's collectives can do it (transfer_fits is left
 * out: shards of 2^31 elements go as boxes). */
static bool is_plain(const struct side *s, const struct side *changed, uint32_t axes)
{
	if (!axes || (axes & (axes - 1)))
		return false;
	int axis = __builtin_ctz(axes);
	return (side_splits(s, changed->atom[axis].dim) & ~axes) == 0;
}

int route_carrier(const struct program *p, int transfer)
{
	int bucket = p->transfers.at[transfer].bucket;
	return bucket < 0 ? transfer : bucket;
}

static uint32_t changed_axes(const struct maker *m)
{
	return mesh_same(m->src.place, m->dst.place) ? side_changes(&m->src, &m->dst) : 0;
}

/* Whether MPI does it among many, a rank at a time. */
static bool is_collective(const struct maker *m, enum redist_method method)
{
	uint32_t axes = changed_axes(m);
	const struct side *split = method == REDIST_REDUCE_SCATTER ? &m->dst : &m->src;
	return (method == REDIST_REDUCE_SCATTER || method == REDIST_ALL_GATHER) && is_plain(split, split, axes) &&
	       mesh_extent(m->src.place, axes) > PMLRT_FEW_RANKS;
}

static bool is_of_boxes(const struct maker *m, enum redist_method method)
{
	return method != REDIST_LOCAL && method != REDIST_ALL_REDUCE && !is_collective(m, method);
}

/* Of one rank that takes part. transfer: the carrier, -1 if there is none. */
static void make_route(struct maker *m, enum redist_method method, int transfer)
{
	if (method == REDIST_LOCAL)
		route_local(m);
	else if (method == REDIST_ALL_REDUCE)
		route_all_reduce(m, transfer, changed_axes(m));
	else if (!is_collective(m, method))
		route_boxes(m, 0, method == REDIST_REDUCE_SCATTER);
	else if (method == REDIST_REDUCE_SCATTER)
		route_reduce_scatter(m, changed_axes(m));
	else
		route_all_gather(m, changed_axes(m));
}

/* Of all ranks, whose number is that of their maker. */
static void make_routes(struct maker *m, int nranks, enum redist_method method, int transfer)
{
	if (nranks && is_of_boxes(m, method)) {
		route_boxes(m, nranks, method == REDIST_REDUCE_SCATTER);
		return;
	}
	for (int r = 0; r < nranks; r++)
		if (takes_part(&m[r]))
			make_route(&m[r], method, transfer);
}

/* Elements of its own shard that a rank of the role leaves out. */
static int64_t hole_elements(const struct program *p, int transfer, const struct role *role)
{
	const struct transfer_hole *h = &role->holes[transfer];
	int64_t n = 1;
	for (int d = 0; d < p->types.at[p->transfers.at[transfer].dst].shape.rank; d++)
		n *= h->end[d] - h->begin[d];
	return n;
}

static int64_t left_out(const struct routes *r, int transfer, int32_t rank)
{
	return r->role[rank] < 0 ? 0 : hole_elements(r->program, transfer, r->program->roles.at[r->role[rank]]);
}

/* ---- transfers that go the same way ---- */

/* The method, then the types of what travels along; of halos what each role leaves out. */
static void add_way(struct memo *m, const struct program *p, int transfer)
{
	const struct transfer *t = &p->transfers.at[transfer];
	memo_add(m, (uint64_t)t->redist.method);
	for (int i = t->bucket < 0 ? transfer : 0; i <= transfer; i++) {
		const struct transfer *with = &p->transfers.at[i];
		if (i != transfer && with->bucket != transfer)
			continue;
		memo_add(m, (uint64_t)with->src);
		memo_add(m, (uint64_t)with->dst);
	}
	memo_add(m, t->bucket >= 0);
	for (int i = 0; t->redist.method == REDIST_HALO && i < p->roles.n; i++)
		memo_add(m, (uint64_t)hole_elements(p, transfer, p->roles.at[i]));
}

static void find_alike(struct routes *r)
{
	struct memo ways;
	memo_init(&ways, r->arena);
	for (int i = 0; i < r->program->transfers.n; i++) {
		r->like[i] = i;
		if (route_carrier(r->program, i) != i)
			continue;
		memo_begin(&ways);
		add_way(&ways, r->program, i);
		void **known = memo_find(&ways);
		if (!*known)
			*known = &r->like[i];
		r->like[i] = *(int *)*known;
	}
}

struct routes *routes_new(struct arena *a, const struct program *p)
{
	struct routes *r = ARENA_NEW(a, struct routes);
	*r = (struct routes){.arena = a, .program = p};
	meetings_init(&r->meetings, a);
	memo_init(&r->shares, a);
	if (!p)
		return r;
	r->like = ARENA_ARRAY(a, int, p->transfers.n);
	r->made = ARENA_ARRAY(a, struct route *, p->transfers.n);
	r->role = ARENA_ARRAY(a, int32_t, p->nranks);
	memset(r->role, -1, sizeof *r->role * (size_t)p->nranks);
	for (int i = 0; i < p->roles.n; i++)
		for (int k = 0; k < p->roles.at[i]->ranks.n; k++)
			r->role[p->roles.at[i]->ranks.at[k]] = i;
	find_alike(r);
	return r;
}

/* As large as it is, in the arena of the routes; what meetings share stays theirs. */
static struct route keep_route(struct arena *a, const struct maker *m)
{
	struct route kept = {.ranks = m->route.ranks, .begin = m->route.begin};
	const int n = m->route.rounds.n;
	kept.rounds.at = ARENA_ARRAY(a, struct route_round, n + 1);
	kept.rounds.n = n;
	for (int i = 0; i < n; i++) {
		struct route_round *r = &kept.rounds.at[i];
		*r = m->route.rounds.at[i];
		if (kept.ranks || !r->messages.n)
			continue;
		r->messages.at = ARENA_ARRAY(a, struct route_message, r->messages.n);
		memcpy(r->messages.at, m->route.rounds.at[i].messages.at,
		       sizeof *r->messages.at * (size_t)r->messages.n);
	}
	if (m->begin.n) {
		int64_t *begin = ARENA_ARRAY(a, int64_t, m->begin.n);
		memcpy(begin, m->begin.at, sizeof *begin * (size_t)m->begin.n);
		kept.begin = begin;
	}
	return kept;
}

static struct maker *makers_of(struct routes *r, struct arena *a, const struct placed_type *src,
			       const struct placed_type *dst, int nranks, bool paired)
{
	struct maker *m = ARENA_ARRAY(a, struct maker, nranks);
	for (int i = 0; i < nranks; i++) {
		m[i] = (struct maker){.arena = a, .routes = r, .program = r->program, .rank = i, .paired = paired};
		make_sides(&m[i], src, dst);
	}
	return m;
}

static void route_all(struct routes *r, int transfer, struct route *made)
{
	const struct transfer *t = &r->program->transfers.at[transfer];
	const struct placed_type *types = r->program->types.at;
	struct arena *scratch = arena_new("seconds: route");
	int n = (int)r->program->nranks;
	struct maker *m = makers_of(r, scratch, &types[t->src], &types[t->dst], n, true);
	make_routes(m, n, t->redist.method, transfer);
	for (int i = 0; i < n; i++) {
		if (t->redist.method == REDIST_HALO && m[i].route.rounds.n)
			m[i].route.rounds.at[0].settled -= m[i].size * left_out(r, transfer, i);
		made[i] = keep_route(r->arena, &m[i]);
	}
	arena_free(scratch);
}

/* Messages of meetings are paired already. */
static void pair_all(struct route *routes, int nranks)
{
	struct arena *scratch = arena_new("seconds: pairs");
	struct pairs *pairs = pairs_new(scratch);
	for (int rank = 0; rank < nranks; rank++)
		for (int k = 0; !routes[rank].ranks && k < routes[rank].rounds.n; k++) {
			struct route_round *x = &routes[rank].rounds.at[k];
			pairs_add(pairs, rank, k, x->messages.at, x->messages.n);
		}
	pairs_find(pairs, nranks);
	arena_free(scratch);
}

const struct route *route_of(struct routes *r, int transfer, int32_t rank)
{
	int like = r->like[transfer], n = (int)r->program->nranks;
	if (!r->made[like]) {
		r->made[like] = ARENA_ARRAY(r->arena, struct route, n);
		route_all(r, like, r->made[like]);
		pair_all(r->made[like], n);
	}
	return &r->made[like][rank];
}

struct route route_between(struct routes *r, struct arena *a, const struct placed_type *src,
			   const struct placed_type *dst, enum redist_method method, int32_t rank)
{
	struct maker m = {.arena = a, .routes = r, .rank = rank};
	make_sides(&m, src, dst);
	if (takes_part(&m))
		make_route(&m, method, -1);
	return m.route;
}

struct route *routes_between(struct routes *r, struct arena *a, const struct placed_type *src,
			     const struct placed_type *dst, enum redist_method method, int nranks)
{
	struct maker *m = makers_of(r, a, src, dst, nranks, false);
	struct route *routes = ARENA_ARRAY(a, struct route, nranks);
	make_routes(m, nranks, method, -1);
	for (int i = 0; i < nranks; i++)
		routes[i] = m[i].route;
	return routes;
}
