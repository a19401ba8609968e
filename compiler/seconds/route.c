/* route.c — see route.h. Who makes what route, and transfers that go the same way. What the runtime leaves to MPI is
 * taken as the algorithms that MPI implementations use for large messages: recursive halving and doubling. */
#include "maker.h"

#include "../../runtime/moves/room.h"
#include "pairs.h"

#include <string.h>

void maker_sides(struct maker *m, const struct placed_type *src, const struct placed_type *dst)
{
	m->src = side_make(src->shape.rank, src->shape.dim, place_table(src->place, &m->room[0]), src->layout.atom);
	m->dst = side_make(dst->shape.rank, dst->shape.dim, place_table(dst->place, &m->room[1]), dst->layout.atom);
	m->size = dtype_size(src->dtype);
}

struct route_round *maker_add_round(struct maker *m)
{
	vec_push(m->arena, &m->route.rounds, (struct route_round){.in_memory = m->in_memory});
	return &m->route.rounds.at[m->route.rounds.n - 1];
}

void maker_add_message(struct maker *m, struct route_round *r, int32_t peer, bool sends, int64_t bytes)
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

static void route_local(struct maker *m)
{
	maker_add_round(m)->settled = m->size * side_volume(&m->src, mesh_position(m->src.place, m->rank));
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

/* Whether every rank has a share that it collects and sends to all. A row gather is at most that, and takes as many
 * rounds. */
static bool is_shared_out(const struct maker *m, enum redist_method method)
{
	return method == REDIST_ALL_REDUCE || (method == REDIST_ROW_GATHER && changed_axes(m));
}

/* Whether ranks exchange what the running program knows alone. */
static bool is_of_rows(enum redist_method method)
{
	return method == REDIST_ROW_SCATTER || method == REDIST_ROW_RETURN;
}

static bool is_of_boxes(const struct maker *m, enum redist_method method)
{
	return method != REDIST_LOCAL && !is_of_rows(method) && !is_shared_out(m, method) && !is_collective(m, method);
}

static bool are_on_one_host(const int32_t *host, const struct pmlrt_place *a, const struct pmlrt_place *b)
{
	const struct pmlrt_place *both[] = {a, b};
	for (int k = 0; host && k < 2; k++)
		for (int64_t i = 0; i < both[k]->count; i++)
			if (host[mesh_rank(both[k], i)] != host[mesh_rank(a, 0)])
				return false;
	return true;
}

/* Whether boxes go through memory that ranks of a host share; whether sums may, which hangs on who meets. */
static bool is_in_memory(const struct maker *m, enum redist_method method)
{
	if (!m->routes->has_memory)
		return false;
	if (!is_of_boxes(m, method))
		return method == REDIST_ALL_REDUCE;
	return room_way_of_exchange(&ROOM_LIMITS, &m->src, &m->dst, m->size, method == REDIST_REDUCE_SCATTER) !=
		       ROOM_MESSAGES &&
	       are_on_one_host(m->routes->meetings.host, m->src.place, m->dst.place);
}

/* Of one rank that takes part. transfer: the carrier, -1 if there is none. */
static void make_route(struct maker *m, enum redist_method method, int transfer)
{
	if (method == REDIST_LOCAL)
		route_local(m);
	else if (is_shared_out(m, method))
		route_all_reduce(m, transfer, changed_axes(m));
	else if (is_of_rows(method))
		route_rows(m, changed_axes(m));
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
	bool in_memory = nranks && is_in_memory(&m[0], method);
	for (int r = 0; r < nranks; r++)
		m[r].in_memory = in_memory;
	if (nranks && is_of_boxes(m, method)) {
		route_boxes(m, nranks, method == REDIST_REDUCE_SCATTER);
		return;
	}
	for (int r = 0; r < nranks; r++)
		if (maker_takes_part(&m[r]))
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

/* By rank; NULL if there is one host. */
static const int32_t *hosts_of(struct arena *a, const struct machine *m)
{
	int64_t n = m ? machine_ranks(m) : 0;
	if (!n || machine_place_of(m, n - 1).host == 0)
		return NULL;
	int32_t *host = ARENA_ARRAY(a, int32_t, n);
	for (int64_t i = 0; i < n; i++)
		host[i] = (int32_t)machine_place_of(m, i).host;
	return host;
}

struct routes *routes_new(struct arena *a, const struct program *p, const struct machine *m)
{
	struct routes *r = ARENA_NEW(a, struct routes);
	*r = (struct routes){.arena = a, .program = p};
	meetings_init(&r->meetings, a, hosts_of(a, m));
	for (int i = 0; m && i < m->hosts.n; i++)
		r->has_memory |= m->hosts.at[i].link.shared_memory != NULL;
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
	m[0] = (struct maker){.arena = a, .routes = r, .program = r->program, .paired = paired};
	maker_sides(&m[0], src, dst);
	for (int i = 1; i < nranks; i++) {
		m[i] = m[0];
		m[i].rank = i;
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
	maker_sides(&m, src, dst);
	m.in_memory = is_in_memory(&m, method);
	if (maker_takes_part(&m))
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
