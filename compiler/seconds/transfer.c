/* transfer.c — see transfer.h. The messages of route.h over the links of network.h, round by round: a rank's next round
 * begins when all messages of the last one are there and put in place. */
#include "transfer.h"

#include "alike.h"
#include "network.h"
#include "price.h"
#include "route.h"

#include "../layout/redist.h"
#include "../layout/routes.h"

#include <pthread.h>
#include <string.h>

enum { MANY = 32 }; /* ranks; beyond, those that are looked at stand for all */

/* What is known. Placements are told apart by their ranks, so programs that are compiled one after the other, or at a
 * time, share it. */
struct transfer_table {
	const struct machine *machine;
	int nranks;
	pthread_mutex_t lock; /* of all that follows; nothing is worked out under it */
	struct arena *arena;
	VEC(const struct place *) places;
	struct memo known, by_steps;
};

/* With what one program works out: two may work out the same, which is the same. What it has met once it finds in
 * memos of its own, for which nobody waits. */
struct transfer_times {
	struct transfer_table *table;
	struct arena *arena, *scratch; /* the latter for one transfer after the other */
	struct memo known, by_steps;   /* answers of the table */
	struct map places;             /* by placement of the program: that of the table */
	struct network *network;       /* for one transfer after the other, and for who shares what */
	struct routes *routes;         /* what ranks that meet have in common */
	double *taken;                 /* by level: room */
	struct route_steps *steps;     /* what movements send */
};

struct transfer_table *transfer_table_new(struct arena *a, const struct machine *m, int64_t nranks)
{
	struct transfer_table *t = ARENA_NEW(a, struct transfer_table);
	*t = (struct transfer_table){
		.lock = PTHREAD_MUTEX_INITIALIZER, .arena = a, .machine = machine_in_turns(m), .nranks = (int)nranks};
	memo_init(&t->known, a);
	memo_init(&t->by_steps, a);
	return t;
}

struct transfer_times *transfer_times_new(struct arena *a, const struct program *p, const struct machine *m)
{
	struct transfer_table *given = p->session->options.transfers;
	m = machine_in_turns(m);
	bool is_same = given && given->machine == m && given->nranks == p->nranks;
	struct transfer_times *t = ARENA_NEW(a, struct transfer_times);
	t->arena = a;
	t->scratch = arena_inner(a, "seconds: transfer");
	t->table = is_same ? given : transfer_table_new(a, m, p->nranks);
	map_init(&t->places, a);
	memo_init(&t->known, a);
	memo_init(&t->by_steps, a);
	t->network = network_new(a, m, t->table->nranks);
	t->routes = routes_new(a, NULL, m);
	t->taken = ARENA_ARRAY(a, double, m->networks.n + 1);
	t->steps = route_steps_new(a);
	return t;
}

/* ---- placements ---- */

static bool is_like(const struct place *a, const struct place *b)
{
	return a->naxes == b->naxes && !memcmp(a->extent, b->extent, sizeof *a->extent * (size_t)a->naxes) &&
	       place_same_ranks(a, b);
}

static const struct place *copy_place(struct transfer_table *t, const struct place *p)
{
	struct place *q = ARENA_NEW(t->arena, struct place);
	*q = (struct place){.id = t->places.n, .name = "", .naxes = p->naxes, .count = p->count, .first = p->first};
	for (int a = 0; a < p->naxes; a++) {
		q->axis[a] = "";
		q->extent[a] = p->extent[a];
	}
	if (p->ranks) {
		int32_t *ranks = ARENA_ARRAY(t->arena, int32_t, p->count);
		memcpy(ranks, p->ranks, sizeof *ranks * (size_t)p->count);
		q->ranks = ranks;
	}
	place_look_up(t->arena, q);
	vec_push(t->arena, &t->places, q);
	return q;
}

static const struct place *place_of(struct transfer_times *t, const struct place *p)
{
	const struct place *known = map_get(&t->places, p);
	if (known)
		return known;
	pthread_mutex_lock(&t->table->lock);
	for (int i = 0; !known && i < t->table->places.n; i++)
		if (is_like(t->table->places.at[i], p))
			known = t->table->places.at[i];
	known = known ? known : copy_place(t->table, p);
	pthread_mutex_unlock(&t->table->lock);
	map_set(&t->places, p, (void *)known);
	return known;
}

/* ---- one transfer ---- */

/* Of one round: what each rank sends goes off when it is packed and started. */
static void send_round(const struct machine *m, struct network *net, const struct route *routes, int nranks, int round,
		       const double *ready, double *done)
{
	for (int r = 0; r < nranks; r++) {
		if (round >= routes[r].rounds.n)
			continue;
		const struct route_round *x = &routes[r].rounds.at[round];
		double clock = ready[r];
		if (x->packed)
			clock += price_copy(machine_place_of(m, r).processor, (double)x->packed);
		for (int i = 0; i < x->messages.n; i++) {
			const struct route_message *msg = &x->messages.at[i];
			int32_t peer = route_peer(&routes[r], msg);
			int64_t bytes = route_message_bytes(&routes[r], msg);
			clock += bytes ? network_start(net, (int32_t)r, peer, x->in_memory) : 0;
			if (!msg->sends || !bytes)
				continue;
			struct arrival a = network_send(net, (int32_t)r, peer, bytes, x->in_memory, clock);
			clock += a.busy;
			double there = a.arrived + a.busy;
			done[peer] = done[peer] > there ? done[peer] : there;
		}
		done[r] = done[r] > clock ? done[r] : clock;
	}
}

static double play_alone(const struct machine *m, struct network *net, const struct route *routes, int nranks,
			 struct arena *a)
{
	double *ready = ARENA_ARRAY(a, double, nranks), *done = ARENA_ARRAY(a, double, nranks), end = 0;
	int rounds = 0;
	for (int r = 0; r < nranks; r++)
		rounds = routes[r].rounds.n > rounds ? routes[r].rounds.n : rounds;
	for (int round = 0; round < rounds; round++) {
		memcpy(done, ready, sizeof *done * (size_t)nranks);
		send_round(m, net, routes, nranks, round, ready, done);
		for (int r = 0; r < nranks; r++) {
			ready[r] = done[r];
			if (round < routes[r].rounds.n && routes[r].rounds.at[round].settled)
				ready[r] += price_copy(machine_place_of(m, r).processor,
						       (double)routes[r].rounds.at[round].settled);
		}
	}
	for (int r = 0; r < nranks; r++)
		end = ready[r] > end ? ready[r] : end;
	return end;
}

/* ---- many ranks ---- */

/* Whether a rank sends and receives in a round. */
static bool goes_both_ways(const struct route *route, const struct route_round *x)
{
	bool sends = false, receives = false;
	for (int i = 0; i < x->messages.n; i++) {
		bool any = route_message_bytes(route, &x->messages.at[i]) > 0;
		sends = sends || (any && x->messages.at[i].sends);
		receives = receives || (any && !x->messages.at[i].sends);
	}
	return sends && receives;
}

/* What a rank sends in a round when all others do the same: each link it passes is taken for the messages of all that
 * share it. */
static double round_alike(const struct transfer_times *t, const struct route *route, const struct route_round *x,
			  int32_t rank)
{
	const struct machine *m = t->table->machine;
	const struct network *net = t->network;
	const struct machine_processor *p = machine_place_of(m, rank).processor;
	double clock = x->packed ? price_copy(p, (double)x->packed) : 0, latency = 0, most = 0;
	double *taken = t->taken;
	const bool both = goes_both_ways(route, x);
	for (int level = 0; level <= m->networks.n; level++)
		taken[level] = 0;
	for (int i = 0; i < x->messages.n; i++) {
		const struct route_message *msg = &x->messages.at[i];
		int64_t bytes = route_message_bytes(route, msg);
		if (!bytes)
			continue;
		struct network_way way = network_way(net, rank, route_peer(route, msg), x->in_memory);
		clock += network_start(net, rank, route_peer(route, msg), x->in_memory);
		latency = way.latency > latency ? way.latency : latency;
		for (int level = way.low; msg->sends && level <= way.top; level++) {
			const struct machine_link *link = network_link(net, rank, level, x->in_memory);
			double ns = curve_time(&link->rate, (double)bytes);
			taken[level] += ns * network_sharers(net, rank, level) * (both ? 1 + link->both_ways : 1);
			clock += level == way.top ? (1 - link->overlap) * ns : 0;
		}
	}
	for (int level = 0; level <= m->networks.n; level++)
		most = taken[level] > most ? taken[level] : most;
	most = most > clock ? most : clock;
	return most + latency + (x->settled ? price_copy(p, (double)x->settled) : 0);
}

/* Whether all ranks hold as much. */
static bool is_even(const struct placed_type *t)
{
	struct shape most = layout_largest_shape(t->place, &t->layout, &t->shape);
	struct shape last = layout_local_shape(t->place, &t->layout, &t->shape, t->place->count - 1);
	bool even = shape_equal(&most, &last);
	for (int a = 0; a < t->place->naxes; a++)
		even = even && !t->layout.atom[a].shares;
	return even;
}

/* Ranks that stand for all: the first one and one inside of all groups, of both sides; where some hold more, also the
 * second, another one inside and the last. */
static int find_some(int all, const struct placed_type *src, const struct placed_type *dst, int32_t *some)
{
	int n = 0;
	bool same = place_same_ranks(src->place, dst->place);
	for (int side = 0; side < (same ? 1 : 2); side++) {
		const struct place *p = side ? dst->place : src->place;
		some[n++] = place_rank(p, 0);
		some[n++] = place_rank(p, p->count / 3);
	}
	if (is_even(src) && is_even(dst))
		return n;
	some[n++] = 1;
	some[n++] = all / 2;
	some[n++] = all - 1;
	return n;
}

static double time_of_some(const struct transfer_times *t, const struct placed_type *src, const struct placed_type *dst,
			   enum redist_method method, struct arena *scratch)
{
	int32_t some[7];
	int n = find_some(t->table->nranks, src, dst, some);
	double most = 0;
	for (int k = 0; k < n; k++) {
		struct route r = route_between(t->routes, scratch, src, dst, method, some[k]);
		double ns = 0;
		for (int i = 0; i < r.rounds.n; i++)
			ns += round_alike(t, &r, &r.rounds.at[i], some[k]);
		most = ns > most ? ns : most;
	}
	return most;
}

static double time_by(const struct transfer_times *t, const struct placed_type *src, const struct placed_type *dst,
		      enum redist_method method)
{
	int nranks = t->table->nranks;
	arena_empty(t->scratch);
	if (nranks > MANY)
		return time_of_some(t, src, dst, method, t->scratch);
	const struct route *routes = routes_between(t->routes, t->scratch, src, dst, method, nranks);
	network_empty(t->network);
	return play_alone(t->table->machine, t->network, routes, nranks, t->scratch);
}

static double time_of(const struct transfer_times *t, const struct placed_type *src, const struct placed_type *dst)
{
	return time_by(t, src, dst, redist_method_of(&src->shape, src->place, &src->layout, dst->place, &dst->layout));
}

static void add_type(struct memo *m, const struct placed_type *t)
{
	memo_add_pointer(m, t->place);
	layout_add_key(m, t->place, &t->layout);
}

/* Which steps are taken hangs on all lengths. */
static void add_lengths(struct memo *m, const struct placed_type *src, const struct placed_type *dst)
{
	memo_add(m, (uint64_t)src->dtype << 8 | (uint64_t)src->shape.rank);
	for (int d = 0; d < src->shape.rank; d++)
		memo_add(m, (uint64_t)src->shape.dim[d]);
	add_type(m, src);
	add_type(m, dst);
}

/* Writes what the answer of a transfer follows from. */
typedef void add_key(struct memo *m, const struct placed_type *src, const struct placed_type *dst);

/* NULL: it is not known yet. */
static const double *find_known(struct transfer_times *t, struct memo *own, struct memo *all, add_key *key,
				const struct placed_type *src, const struct placed_type *dst)
{
	memo_begin(own);
	key(own, src, dst);
	void **known = memo_find(own);
	if (*known)
		return *known;
	pthread_mutex_lock(&t->table->lock);
	*known = *memo_find_words(all, own->key.at, own->key.n);
	pthread_mutex_unlock(&t->table->lock);
	return *known;
}

static double keep(struct transfer_times *t, struct memo *own, struct memo *all, add_key *key,
		   const struct placed_type *src, const struct placed_type *dst, double time)
{
	memo_begin(own);
	key(own, src, dst);
	pthread_mutex_lock(&t->table->lock);
	void **known = memo_find_words(all, own->key.at, own->key.n);
	if (!*known) {
		double *ns = ARENA_NEW(t->table->arena, double);
		*ns = time;
		*known = ns;
	}
	*memo_find(own) = *known;
	pthread_mutex_unlock(&t->table->lock);
	return time;
}

static double movement_time(struct transfer_times *t, const struct placed_type *src, const struct placed_type *dst)
{
	if (src->place == dst->place && layout_same(src->place, &src->layout, &dst->layout))
		return 0;
	const double *ns = find_known(t, &t->known, &t->table->known, alike_add_key, src, dst);
	return ns ? *ns : keep(t, &t->known, &t->table->known, alike_add_key, src, dst, time_of(t, src, dst));
}

static double way_time(struct transfer_times *t, const struct placed_type *src, const struct placed_type *dst)
{
	if (!route_has_steps(src->place, &src->layout, dst->place, &dst->layout))
		return movement_time(t, src, dst);
	const double *ns = find_known(t, &t->by_steps, &t->table->by_steps, add_lengths, src, dst);
	if (ns)
		return *ns;
	double whole = movement_time(t, src, dst), steps = 0;
	struct route_way way =
		route_find(t->steps, src->dtype, &src->shape, src->place, &src->layout, dst->place, &dst->layout);
	struct placed_type at = *src;
	for (int i = 0; i <= way.n; i++) {
		struct placed_type next = *dst;
		if (i < way.n) {
			next.place = way.via[i].place;
			next.layout = way.via[i].layout;
		}
		steps += movement_time(t, &at, &next);
		at = next;
	}
	return keep(t, &t->by_steps, &t->table->by_steps, add_lengths, src, dst,
		    way.n && steps < whole ? steps : whole);
}

static double time_between(struct transfer_times *t, enum dtype dtype, const struct shape *s, const struct place *from,
			   const struct layout *a, const struct place *to, const struct layout *b,
			   double (*time)(struct transfer_times *, const struct placed_type *,
					  const struct placed_type *))
{
	if (from == to && layout_same(from, a, b))
		return 0;
	const struct placed_type src = {dtype, *s, place_of(t, from), *a}, dst = {dtype, *s, place_of(t, to), *b};
	return time(t, &src, &dst);
}

double transfer_time(struct transfer_times *t, enum dtype dtype, const struct shape *s, const struct place *from,
		     const struct layout *a, const struct place *to, const struct layout *b)
{
	return time_between(t, dtype, s, from, a, to, b, movement_time);
}

double transfer_time_by_steps(struct transfer_times *t, enum dtype dtype, const struct shape *s,
			      const struct place *from, const struct layout *a, const struct place *to,
			      const struct layout *b)
{
	return time_between(t, dtype, s, from, a, to, b, way_time);
}

double transfer_time_returned(struct transfer_times *t, enum dtype dtype, const struct shape *s, const struct place *p,
			      const struct layout *a, const struct layout *b)
{
	const struct placed_type src = {dtype, *s, place_of(t, p), *a}, dst = {dtype, *s, place_of(t, p), *b};
	return time_by(t, &src, &dst, REDIST_ROW_RETURN);
}

/* ---- of a program ---- */

double transfer_alone(const struct machine *m, struct routes *r, int transfer, int64_t nranks)
{
	struct arena *scratch = arena_new("seconds: transfer");
	struct route *routes = ARENA_ARRAY(scratch, struct route, nranks);
	for (int64_t i = 0; i < nranks; i++)
		routes[i] = *route_of(r, transfer, (int32_t)i);
	double ns = play_alone(m, network_new(scratch, m, (int)nranks), routes, (int)nranks, scratch);
	arena_free(scratch);
	return ns;
}

int transfer_level(const struct machine *m, struct routes *r, int transfer, int64_t nranks)
{
	int most = -1;
	for (int64_t rank = 0; rank < nranks; rank++) {
		const struct route *x = route_of(r, transfer, (int32_t)rank);
		for (int i = 0; i < x->rounds.n; i++)
			for (int k = 0; k < x->rounds.at[i].messages.n; k++) {
				const struct route_message *message = &x->rounds.at[i].messages.at[k];
				int level = machine_level(m, rank, route_peer(x, message));
				most = route_message_bytes(x, message) && level > most ? level : most;
			}
	}
	return most;
}

bool transfer_in_memory(struct routes *r, int transfer, int64_t nranks)
{
	for (int64_t rank = 0; rank < nranks; rank++) {
		const struct route *x = route_of(r, transfer, (int32_t)rank);
		for (int i = 0; i < x->rounds.n; i++)
			if (x->rounds.at[i].full)
				return x->rounds.at[i].in_memory;
	}
	return false;
}
