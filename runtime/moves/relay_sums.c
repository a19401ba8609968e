/* relay_sums.c — see relay_sums.h. A team is the ranks that have parts of one box and serve the same receivers; those
 * of it on one host take turns with the receivers on another: the one whose turn it is adds up what they have. Example:
 * P on ranks 0..4 to S(0) there, two hosts of two: of what rank 2 wants rank 0 adds up the parts of ranks 0 and 1, and
 * rank 1 for rank 3; each gets one sum from the other host, and the part of its neighbour. */
#include "relay_sums.h"

#include "meet.h"
#include "mesh.h"

struct sums {
	const struct relays *v;
	relay_visitor *visit;
	void *context;
	int32_t rank;
	int round;
	bool sends;
	/* A team: the ranks in v->ranks that hold a box as replica `replica` and whose parts go to part `part`. */
	int64_t replica, part, members;
	int64_t mates, own; /* of a team who shares the rank's host: so many, the rank's number among them */
	bool ends;          /* the pass for what ends on this host, else for what is added up here */
	int64_t receiver;   /* the rank's position on the destination */
};

static void emit(const struct sums *s, int32_t from, int32_t to, int32_t end, const struct move *m, bool on)
{
	struct relay r = {.move = *m, .end = end, .round = s->round, .on = on};
	r.move.from = from;
	r.move.to = to;
	s->visit(s->context, &r);
}

static void add_member(void *context, int64_t position, const struct box *common)
{
	struct sums *s = context;
	const struct side *src = s->v->src;
	int64_t contribution = side_numbers(src, position).contributions;
	(void)common;
	if (moves_part(src, s->v->dst, contribution) == s->part)
		s->v->ranks[s->members++] = mesh_rank(src->place, side_holder(src, contribution, s->replica));
}

/* The team that a holder is in but for part and replica, which are given; parts in ascending order. */
static void find_team(struct sums *s, int64_t holder)
{
	const struct side *src = s->v->src;
	int64_t only[PMLRT_MAX_AXES];
	struct box box = side_box(src, holder);
	mesh_coordinates(src->place->naxes, src->place->extent, holder, only);
	for (int a = 0; a < src->place->naxes; a++)
		if (src->atom[a].kind == SHARD_P)
			only[a] = -1;
	s->members = 0;
	side_meet(src, &box, only, add_member, s);
}

/* ---- what a rank sends of its part, or adds up ---- */

/* Leaves those of a team who share the rank's host. */
static void keep_mates(struct sums *s)
{
	s->mates = s->own = 0;
	for (int64_t i = 0; i < s->members; i++) {
		int32_t rank = s->v->ranks[i];
		if (s->v->host[rank] != s->v->host[s->rank])
			continue;
		if (rank == s->rank)
			s->own = s->mates;
		s->v->ranks[s->mates++] = rank;
	}
}

static void add_up(struct sums *s, const struct move *m)
{
	struct move part = *m;
	for (int64_t i = 0; i < s->mates; i++) {
		part.first = i == 0;
		emit(s, s->v->ranks[i], s->rank, m->to, &part, false);
	}
}

static void visit_receiver(void *context, const struct move *m)
{
	struct sums *s = context;
	int32_t host = s->v->host[m->to];
	if (host == s->v->host[s->rank]) {
		if (s->sends && s->ends && s->round == 0 && m->to != s->rank)
			emit(s, s->rank, m->to, m->to, m, false);
		return;
	}
	int64_t adder = s->v->turns[host]++ % s->mates;
	if (s->round == 1 && adder == s->own)
		emit(s, s->rank, m->to, m->to, m, s->mates > 1);
	if (s->round == 1 || s->ends || s->mates == 1)
		return;
	if (s->sends && adder != s->own)
		emit(s, s->rank, s->v->ranks[adder], m->to, m, false);
	if (!s->sends && adder == s->own)
		add_up(s, m);
}

static void visit_receivers(struct sums *s, bool ends)
{
	for (int h = 0; h < s->v->world; h++)
		s->v->turns[h] = 0;
	s->ends = ends;
	moves_from(s->v->src, s->v->dst, s->rank, visit_receiver, s);
}

static bool find_mates(struct sums *s)
{
	const struct side *src = s->v->src;
	int64_t position = mesh_position(src->place, s->rank);
	if (position < 0 || side_volume(src, position) == 0)
		return false;
	s->part = moves_part(src, s->v->dst, side_numbers(src, position).contributions);
	s->replica = side_numbers(src, position).replicas;
	find_team(s, position);
	keep_mates(s);
	return true;
}

/* First what ends on the host, then what is added up there: receivers have messages in that order. */
void sums_from(const struct relays *v, int32_t rank, int round, relay_visitor *visit, void *context)
{
	struct sums s = {.v = v, .visit = visit, .context = context, .rank = rank, .round = round, .sends = true};
	if (!find_mates(&s))
		return;
	visit_receivers(&s, true);
	if (round == 0)
		visit_receivers(&s, false);
}

/* ---- what a rank gets of what it wants ---- */

/* Of the receivers of a team, how many on the host of one come before it. */
struct count {
	const struct relays *v;
	int32_t until;
	int64_t turn;
	bool found;
};

static void count_receiver(void *context, const struct move *m)
{
	struct count *c = context;
	c->found |= m->to == c->until;
	c->turn += !c->found && c->v->host[m->to] == c->v->host[c->until];
}

/* Who sends what the members on the host of member i have, in round 1: it alone, or who added up; -1: a member before i
 * is on that host. */
static int32_t sender_of(const struct sums *s, int64_t i, int64_t turn)
{
	const int32_t *host = s->v->host, *rank = s->v->ranks;
	int64_t n = 0;
	for (int64_t k = 0; k < i; k++)
		if (host[rank[k]] == host[rank[i]])
			return -1;
	for (int64_t k = i; k < s->members; k++)
		n += host[rank[k]] == host[rank[i]];
	turn %= n;
	for (int64_t k = i; k < s->members; k++)
		if (host[rank[k]] == host[rank[i]] && turn-- == 0)
			return rank[k];
	return -1;
}

/* All parts of a box that meets what the rank wants, by a holder of the first. */
static void visit_team(void *context, int64_t holder, const struct box *common)
{
	struct sums *s = context;
	const struct relays *v = s->v;
	int64_t contribution = side_numbers(v->src, holder).contributions;
	int32_t server = moves_server(v->src, v->dst, s->receiver, contribution);
	struct move m = {.box = *common, .number = side_numbers(v->dst, s->receiver).contributions};
	struct count c = {.v = v, .until = s->rank};
	s->replica = side_numbers(v->src, mesh_position(v->src->place, server)).replicas;
	s->part = side_numbers(v->dst, s->receiver).parts;
	find_team(s, holder);
	if (s->members > 0 && s->round == 1)
		moves_from(v->src, v->dst, v->ranks[0], count_receiver, &c);
	m.first = moves_copy_first(v->src, v->dst);
	for (int64_t i = 0; s->round == 1 && i < s->members; i++)
		m.first &= v->host[v->ranks[i]] != v->host[s->rank];
	for (int64_t i = 0; i < s->members; i++) {
		bool here = v->host[v->ranks[i]] == v->host[s->rank];
		int32_t sender = here ? v->ranks[i] : s->round == 1 ? sender_of(s, i, c.turn) : -1;
		if (s->round == (here ? 0 : 1) && sender >= 0) {
			emit(s, sender, s->rank, s->rank, &m, false);
			m.first = false;
		}
	}
}

static void visit_teams(struct sums *s)
{
	int64_t only[PMLRT_MAX_AXES];
	const struct side *src = s->v->src;
	s->receiver = mesh_position(s->v->dst->place, s->rank);
	if (s->receiver < 0)
		return;
	for (int a = 0; a < src->place->naxes; a++)
		only[a] = src->atom[a].kind == SHARD_P || side_repeats(src, a) ? 0 : -1;
	struct box wanted = side_box(s->v->dst, s->receiver);
	side_meet(src, &wanted, only, visit_team, s);
}

void sums_to(const struct relays *v, int32_t rank, int round, relay_visitor *visit, void *context)
{
	struct sums s = {.v = v, .visit = visit, .context = context, .rank = rank, .round = round};
	visit_teams(&s);
	if (round == 0 && find_mates(&s))
		visit_receivers(&s, false);
}
