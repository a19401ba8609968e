/* relay.c — see relay.h: what is common, and copies. Parts are in relay_sums.c.
 * Example: S(0) on ranks 0..2 of one host to B on ranks 2..4 of another: rank 0 sends to rank 2, rank 1 to rank 3, and
 * these to each other. */
#include "relay.h"

#include "meet.h"
#include "mesh.h"
#include "relay_sums.h"

int64_t relay_room(int world)
{
	return 2 * (int64_t)world;
}

struct relays relays_make(const struct side *src, const struct side *dst, const int32_t *host, int world, int32_t *room)
{
	return (struct relays){
		.src = src, .dst = dst, .host = host, .ranks = room, .turns = room + world, .world = world};
}

bool relays_help(const struct side *src, const struct side *dst)
{
	if (side_uses(src, SHARD_P))
		return true;
	return !side_uses(dst, SHARD_P) && (side_division(dst).replicas > 1 || side_division(src).replicas > 1);
}

/* A rank on the receiver's host that holds a contribution: the one that serves it, or another in turn; -1: there is
 * none. */
static int32_t near_holder(const struct relays *v, int64_t receiver, int64_t contribution)
{
	int32_t served = moves_server(v->src, v->dst, receiver, contribution);
	int32_t host = v->host[mesh_rank(v->dst->place, receiver)];
	int64_t replicas = side_division(v->src).replicas, near = 0;
	if (v->host[served] == host)
		return served;
	for (int64_t k = 0; k < replicas; k++)
		near += v->host[mesh_rank(v->src->place, side_holder(v->src, contribution, k))] == host;
	int64_t turn = near ? side_numbers(v->dst, receiver).replicas % near : 0;
	for (int64_t k = 0; near > 0 && k < replicas; k++) {
		int32_t rank = mesh_rank(v->src->place, side_holder(v->src, contribution, k));
		if (v->host[rank] == host && turn-- == 0)
			return rank;
	}
	return -1;
}

/* The ranks of a host that want the box of a number. */
static int64_t find_fellows(const struct relays *v, int64_t number, int32_t host)
{
	int64_t n = 0, replicas = side_division(v->dst).replicas;
	for (int64_t k = 0; k < replicas; k++) {
		int32_t rank = mesh_rank(v->dst->place, side_holder(v->dst, number, k));
		if (v->host[rank] == host)
			v->ranks[n++] = rank;
	}
	return n;
}

/* The contributions that meet a receiver's box, in ascending order; `turn` counts those that come from other hosts. */
struct copies {
	const struct relays *v;
	relay_visitor *visit;
	void *context;
	int64_t receiver, fellows, turn, until; /* until: no further than this contribution */
	int32_t rank;
	int round;
	bool sends;
};

static void emit(const struct copies *c, int32_t from, int32_t to, const struct box *box, int64_t number)
{
	struct relay r = {.move = {.from = from, .to = to, .box = *box, .number = number, .first = true},
			  .end = to,
			  .round = c->round,
			  .on = c->round == 1};
	c->visit(c->context, &r);
}

static void visit_each(struct copies *c, meet_visitor *visit)
{
	int64_t only[PMLRT_MAX_AXES];
	struct box wanted = side_box(c->v->dst, c->receiver);
	for (int a = 0; a < c->v->src->place->naxes; a++)
		only[a] = side_repeats(c->v->src, a) ? 0 : -1;
	side_meet(c->v->src, &wanted, only, visit, c);
}

static void to_receiver(void *context, int64_t holder, const struct box *common)
{
	struct copies *c = context;
	int64_t contribution = side_numbers(c->v->src, holder).contributions;
	int64_t number = side_numbers(c->v->dst, c->receiver).contributions;
	int32_t near = near_holder(c->v, c->receiver, contribution);
	int32_t relay = near < 0 ? c->v->ranks[c->turn++ % c->fellows] : c->rank;
	if (!c->sends && c->round == 0 && relay == c->rank)
		emit(c, near >= 0 ? near : moves_server(c->v->src, c->v->dst, c->receiver, contribution), c->rank,
		     common, number);
	else if (!c->sends && c->round == 1 && relay != c->rank)
		emit(c, relay, c->rank, common, contribution);
	for (int64_t k = 0; c->sends && near < 0 && relay == c->rank && k < c->fellows; k++)
		if (c->v->ranks[k] != c->rank)
			emit(c, c->rank, c->v->ranks[k], common, contribution);
}

static void count_turn(void *context, int64_t holder, const struct box *common)
{
	struct copies *c = context;
	int64_t contribution = side_numbers(c->v->src, holder).contributions;
	(void)common;
	c->turn += contribution < c->until && near_holder(c->v, c->receiver, contribution) < 0;
}

/* The rank on the receiver's host to which a contribution goes that nobody holds there. */
static int32_t relay_of(const struct relays *v, int64_t receiver, int64_t contribution)
{
	struct copies c = {.v = v, .receiver = receiver, .until = contribution};
	int64_t n = find_fellows(v, side_numbers(v->dst, receiver).contributions,
				 v->host[mesh_rank(v->dst->place, receiver)]);
	visit_each(&c, count_turn);
	return v->ranks[c.turn % n];
}

/* What a rank sends of what it holds. */
struct sender {
	struct copies c;
	int64_t contribution, number;
	int32_t host, relay; /* to whom it goes, for the box of that number there; number -1: not known yet */
};

static void from_sender(void *context, int64_t receiver, const struct box *common)
{
	struct sender *s = context;
	const struct relays *v = s->c.v;
	int32_t rank = mesh_rank(v->dst->place, receiver), near = near_holder(v, receiver, s->contribution);
	int64_t number = side_numbers(v->dst, receiver).contributions;
	if (near < 0 && (s->number != number || s->host != v->host[rank])) {
		s->number = number;
		s->host = v->host[rank];
		s->relay = relay_of(v, receiver, s->contribution);
	}
	bool crosses =
		near < 0 && s->relay == rank && moves_server(v->src, v->dst, receiver, s->contribution) == s->c.rank;
	if (crosses || (near == s->c.rank && rank != near))
		emit(&s->c, s->c.rank, rank, common, number);
}

static void copies_held(struct copies *c)
{
	int64_t only[PMLRT_MAX_AXES], position = mesh_position(c->v->src->place, c->rank);
	struct sender s = {.c = *c, .number = -1};
	if (position < 0)
		return;
	s.contribution = side_numbers(c->v->src, position).contributions;
	for (int a = 0; a < c->v->dst->place->naxes; a++)
		only[a] = -1;
	struct box held = side_box(c->v->src, position);
	side_meet(c->v->dst, &held, only, from_sender, &s);
}

static void copies_wanted(struct copies *c)
{
	c->receiver = mesh_position(c->v->dst->place, c->rank);
	if (c->receiver < 0)
		return;
	c->fellows = find_fellows(c->v, side_numbers(c->v->dst, c->receiver).contributions, c->v->host[c->rank]);
	visit_each(c, to_receiver);
}

void relays_to(const struct relays *v, int32_t rank, int round, relay_visitor *visit, void *context)
{
	struct copies c = {.v = v, .visit = visit, .context = context, .rank = rank, .round = round};
	if (side_uses(v->src, SHARD_P))
		sums_to(v, rank, round, visit, context);
	else
		copies_wanted(&c);
}

void relays_from(const struct relays *v, int32_t rank, int round, relay_visitor *visit, void *context)
{
	struct copies c = {.v = v, .visit = visit, .context = context, .rank = rank, .round = round, .sends = true};
	if (side_uses(v->src, SHARD_P))
		sums_from(v, rank, round, visit, context);
	else if (round == 0)
		copies_held(&c);
	else
		copies_wanted(&c);
}
