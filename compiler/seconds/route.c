/* route.c — see route.h. The runtime sends messages straight between ranks; what it leaves to MPI among many is taken
 * as the algorithms that MPI implementations use for large messages: recursive halving and doubling. */
#include "route.h"

#include "../../runtime/moves/levels.h"
#include "../../runtime/moves/mesh.h"
#include "../../runtime/moves/moves.h"
#include "../layout/exchange.h"

#include "base/memo.h"

#include <string.h>

/* A run of shares that a rank sends or gets in an all-reduce; its round follows from where it stands. */
struct level_run {
	int peer, first, last;
};
struct level_runs {
	VEC(struct level_run) list[LEVELS][2]; /* received, sent */
};

/* The ranks of an all-reduce, and the runs of each: they do not hang on what is reduced. */
struct meeting {
	struct levels levels;
	struct level_runs **runs; /* by number; NULL: not worked out yet */
};

struct routes {
	struct arena *arena;
	const struct program *program;
	int *like;            /* by transfer: the first one that goes the same way */
	struct route ***made; /* by transfer that others are like, by rank; NULL: not yet */
	struct memo meetings;
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
	struct route route;
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
	struct route_message x = {peer, sends, bytes};
	if (bytes > 0)
		vec_push(m->arena, &r->messages, x);
}

/* ---- groups of ranks along axes ---- */

/* The ranks that differ from this one in the coordinates of these axes alone; its number among them at *own. */
static int32_t *group_ranks(struct maker *m, const struct pmlrt_place *p, uint32_t axes, int64_t *own)
{
	int64_t n = mesh_extent(p, axes), coordinate[PMLRT_MAX_AXES], other[PMLRT_MAX_AXES];
	int32_t *ranks = ARENA_ARRAY(m->arena, int32_t, n);
	mesh_coordinates(p->naxes, p->extent, mesh_position(p, m->rank), coordinate);
	for (int64_t i = 0; i < n; i++) {
		int64_t number = i, position = 0;
		for (int a = p->naxes - 1; a >= 0; a--) {
			bool varies = axes >> a & 1;
			other[a] = varies ? number % p->extent[a] : coordinate[a];
			number /= varies ? p->extent[a] : 1;
		}
		for (int a = 0; a < p->naxes; a++)
			position = position * p->extent[a] + other[a];
		ranks[i] = mesh_rank(p, position);
		if (ranks[i] == m->rank)
			*own = i;
	}
	return ranks;
}

/* ---- all-reduce ---- */

/* Who takes part, in blocks as on one host: levels.h. */
static struct meeting *make_meeting(struct maker *m, uint32_t axes, uint32_t groups)
{
	const struct pmlrt_place *p = m->src.place;
	int64_t n = mesh_extent(p, axes | groups), parts = mesh_extent(p, axes), own, coordinate[PMLRT_MAX_AXES];
	const int32_t *ranks = group_ranks(m, p, axes | groups, &own);
	struct meeting *x = ARENA_NEW(m->arena, struct meeting);
	int32_t *peer = ARENA_ARRAY(m->arena, int32_t, n), *block = ARENA_ARRAY(m->arena, int32_t, n);
	for (int64_t i = 0; i < n; i++) {
		mesh_coordinates(p->naxes, p->extent, mesh_position(p, ranks[i]), coordinate);
		peer[mesh_number(p, groups, coordinate) * parts + mesh_number(p, axes, coordinate)] = ranks[i];
	}
	int64_t blocks = levels_neighbours(n, PMLRT_FEW_RANKS, block);
	levels_make(&x->levels, ARENA_ARRAY(m->arena, int32_t, levels_room(n, parts, blocks)), n, parts, blocks, peer,
		    block);
	x->runs = ARENA_ARRAY(m->arena, struct level_runs *, n);
	return x;
}

static void add_place(struct memo *m, const struct pmlrt_place *p)
{
	memo_add_pointer(m, p->ranks);
	memo_add(m, (uint64_t)p->first);
	for (int a = 0; a < p->naxes; a++)
		memo_add(m, (uint64_t)p->extent[a]);
}

static struct meeting *find_meeting(struct maker *m, uint32_t axes)
{
	const struct pmlrt_place *p = m->src.place;
	uint32_t groups = moves_groups(&m->src, &m->dst);
	int64_t coordinate[PMLRT_MAX_AXES];
	mesh_coordinates(p->naxes, p->extent, mesh_position(p, m->rank), coordinate);
	memo_begin(&m->routes->meetings);
	memo_add(&m->routes->meetings, axes);
	memo_add(&m->routes->meetings, groups);
	memo_add(&m->routes->meetings, (uint64_t)mesh_number(p, ~(axes | groups), coordinate));
	add_place(&m->routes->meetings, p);
	void **known = memo_find(&m->routes->meetings);
	if (!*known)
		*known = make_meeting(m, axes, groups);
	return *known;
}

struct run_adding {
	struct arena *arena;
	struct level_runs *runs;
	int level;
	bool sends;
};

static void add_run(void *context, int peer, int first, int last)
{
	struct run_adding *x = context;
	vec_push(x->arena, &x->runs->list[x->level][x->sends], ((struct level_run){peer, first, last}));
}

static const struct level_runs *find_runs(struct maker *m, struct meeting *x, int own)
{
	if (x->runs[own])
		return x->runs[own];
	struct run_adding to = {.arena = m->arena, .runs = ARENA_NEW(m->arena, struct level_runs)};
	for (to.level = 0; to.level < LEVELS; to.level++) {
		to.sends = false;
		levels_visit(&x->levels, (enum level)to.level, own, false, add_run, &to);
		to.sends = true;
		levels_visit(&x->levels, (enum level)to.level, own, true, add_run, &to);
	}
	return x->runs[own] = to.runs;
}

static void add_shares(const struct maker *m, const struct maker *one, int ranks, int64_t *begin)
{
	int64_t n = side_volume(&one->src, mesh_position(one->src.place, m->rank));
	for (int r = 0; r <= ranks; r++)
		begin[r] += m->size * shard_begin(n, ranks, r);
}

/* Bytes in front of each share, of all members of the bucket together. */
static int64_t *find_shares(const struct maker *m, int transfer, int ranks)
{
	const struct program *p = m->program;
	int64_t *begin = ARENA_ARRAY(m->arena, int64_t, ranks + 1);
	if (transfer < 0)
		add_shares(m, m, ranks, begin);
	for (int i = 0; i <= transfer; i++) {
		const struct transfer *t = &p->transfers.at[i];
		if (i != transfer && t->bucket != transfer)
			continue;
		struct maker one = {.program = p};
		make_sides(&one, &p->types.at[t->src], &p->types.at[t->dst]);
		add_shares(m, &one, ranks, begin);
	}
	return begin;
}

/* Bytes of all runs; their messages are the round's. */
static int64_t add_runs(struct maker *m, struct route_round *r, const struct meeting *x, const struct level_runs *runs,
			int level, bool sends, const int64_t *begin)
{
	int64_t all = 0;
	for (int i = 0; i < runs->list[level][sends].n; i++) {
		const struct level_run *run = &runs->list[level][sends].at[i];
		int64_t bytes = begin[run->last] - begin[run->first];
		add_message(m, r, x->levels.peer[run->peer], sends, bytes);
		all += bytes;
	}
	return all;
}

static void route_all_reduce(struct maker *m, int transfer, uint32_t axes)
{
	struct meeting *x = find_meeting(m, axes);
	const struct levels *l = &x->levels;
	const int64_t *begin = find_shares(m, transfer, l->ranks);
	bool is_bucket = transfer >= 0 && m->program->transfers.at[transfer].bucket >= 0;
	int own = levels_number(l, m->rank);
	const struct level_runs *runs = find_runs(m, x, own);
	for (int level = 0; level < LEVELS; level++) {
		struct route_round *r = add_round(m);
		int64_t bytes = add_runs(m, r, x, runs, level, false, begin);
		r->settled = level <= LEVEL_BLOCKS && bytes ? bytes + begin[own + 1] - begin[own] : 0;
		add_runs(m, r, x, runs, level, true, begin);
		r->packed = level == LEVEL_PARTS && is_bucket ? begin[l->ranks] : 0;
		r->settled += level == LEVEL_SPREAD && is_bucket ? begin[l->ranks] : 0;
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
	int32_t *ranks = group_ranks(m, m->src.place, axes, &own);
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
	int32_t *ranks = group_ranks(m, m->src.place, axes, &own);
	struct halving h = halving_of(ranks, n, own);
	int64_t bytes = m->size * side_volume(&m->dst, mesh_position(m->dst.place, m->rank));
	hand_over(m, &h, bytes / n, false);
	halve(m, &h, bytes, true);
	hand_over(m, &h, bytes, true);
}

/* ---- boxes ---- */

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

static void route_boxes(struct maker *m, bool one_phase)
{
	struct side mid;
	if (!one_phase && moves_between(&m->src, &m->dst, &mid)) {
		route_phase(m, &m->src, &mid);
		route_phase(m, &mid, &m->dst);
	} else {
		route_phase(m, &m->src, &m->dst);
	}
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

/* transfer: the carrier, -1 if there is none. */
static void make_route(struct maker *m, enum redist_method method, int transfer)
{
	if (mesh_position(m->src.place, m->rank) < 0 && mesh_position(m->dst.place, m->rank) < 0)
		return;
	uint32_t axes = mesh_same(m->src.place, m->dst.place) ? side_changes(&m->src, &m->dst) : 0;
	switch (method) {
	case REDIST_LOCAL:
		route_local(m);
		break;
	case REDIST_ALL_REDUCE:
		route_all_reduce(m, transfer, axes);
		break;
	case REDIST_REDUCE_SCATTER:
		if (is_plain(&m->dst, &m->dst, axes) && mesh_extent(m->src.place, axes) > PMLRT_FEW_RANKS)
			route_reduce_scatter(m, axes);
		else
			route_boxes(m, true);
		break;
	case REDIST_ALL_GATHER:
		if (is_plain(&m->src, &m->src, axes) && mesh_extent(m->src.place, axes) > PMLRT_FEW_RANKS)
			route_all_gather(m, axes);
		else
			route_boxes(m, false);
		break;
	case REDIST_ALL_TO_ALL:
	case REDIST_EXCHANGE:
	case REDIST_HALO:
	case REDIST_REDUCE_SEND:
		route_boxes(m, false);
		break;
	}
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

static int64_t left_out(const struct program *p, int transfer, int32_t rank)
{
	for (int i = 0; i < p->roles.n; i++)
		for (int k = 0; k < p->roles.at[i]->ranks.n; k++)
			if (p->roles.at[i]->ranks.at[k] == rank)
				return hole_elements(p, transfer, p->roles.at[i]);
	return 0;
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
	memo_init(&r->meetings, a);
	if (!p)
		return r;
	r->like = ARENA_ARRAY(a, int, p->transfers.n);
	r->made = ARENA_ARRAY(a, struct route **, p->transfers.n);
	find_alike(r);
	return r;
}

const struct route *route_of(struct routes *r, int transfer, int32_t rank)
{
	int like = r->like[transfer];
	const struct transfer *t = &r->program->transfers.at[like];
	if (!r->made[like])
		r->made[like] = ARENA_ARRAY(r->arena, struct route *, r->program->nranks);
	struct route **made = &r->made[like][rank];
	if (*made)
		return *made;
	struct maker m = {.arena = r->arena, .routes = r, .program = r->program, .rank = rank};
	make_sides(&m, &r->program->types.at[t->src], &r->program->types.at[t->dst]);
	make_route(&m, t->redist.method, like);
	if (t->redist.method == REDIST_HALO && m.route.rounds.n)
		m.route.rounds.at[0].settled -= m.size * left_out(r->program, like, rank);
	*made = ARENA_NEW(r->arena, struct route);
	**made = m.route;
	return *made;
}

struct route route_between(struct routes *r, const struct placed_type *src, const struct placed_type *dst,
			   enum redist_method method, int32_t rank)
{
	struct maker m = {.arena = r->arena, .routes = r, .rank = rank};
	make_sides(&m, src, dst);
	make_route(&m, method, -1);
	return m.route;
}
