/* period.c — finds the periods of a pipeline. Where what a set of ranks does goes on as before with every micro-batch
 * one later, it is a period:
 *
 *   F0 F1 B0 | F2 B1 | F3 B2 … F, B: stage 0, f, b: stage 1; digits: micro-batches
 *   f0 b0 | f1 b1 | f2 b2 …
 *
 * So in every turn of the loop, pass q is over micro-batch first(q) + turn. Where turns begin is chosen for each set of
 * ranks so that least is held from one to the next; all then do what they did, in the same order. Where all forward
 * passes come first, they are a loop of their own. */
#include "steady.h"

#include <limits.h>
#include <stdlib.h>

enum { LEAST_TURNS = 3 }; /* of a loop, for it to be one */

/* The periods as they are put together, by place. */
struct finder {
	struct arena *arena;
	struct steady *s;
	int nplaces;
	const struct pass_unit **unit; /* its pass in the first period of its ranks; NULL: it is no part of one */
	int *in;                       /* which of the loops it is in */
	int *first;                    /* the micro-batch of the first turn */
	int *rank;                     /* which it is of the passes of its ranks in a turn */
	int *at;                       /* which it is of all in a turn */
	int *list, nlist;              /* places of the loop that is looked at, in the order of their passes */
};

struct sequence {
	VEC(const struct pass_unit *) at;
};

static const struct pass_unit *unit_at(const struct pass_plan *p, int at)
{
	return &p->units.at[p->order[at]];
}

static bool is_rolled(const struct finder *d, int place)
{
	return d->s->units.micro_count.at[place] > 1;
}

static int ranks_of(const struct finder *d, int place)
{
	return d->s->units.plan.places.at[place].ranks;
}

/* ---- what a set of ranks does again and again ---- */

/* Every place once, and none over micro-batch 0: what sums begin with and what they go on with are two things. */
static bool is_period(const struct sequence *q, int begin, int length, int *seen)
{
	for (int i = begin; i < begin + length; i++) {
		const struct pass_unit *x = q->at.at[i];
		if (x->micro < 1 || seen[x->place] == begin + 1)
			return false;
		seen[x->place] = begin + 1;
	}
	return true;
}

/* Whether as many passes from `begin` on as loops have at least are followed, a period later, by the same one over the
 * next micro-batch. */
static bool goes_on(const struct sequence *q, int begin, int length)
{
	for (int i = begin; i < begin + (LEAST_TURNS - 1) * length; i++)
		if (q->at.at[i]->place != q->at.at[i + length]->place ||
		    q->at.at[i]->micro + 1 != q->at.at[i + length]->micro)
			return false;
	return true;
}

/* Of the passes of a set of ranks that are in one loop. */
static bool find_period(struct finder *d, const struct sequence *q)
{
	int *seen = ARENA_ARRAY(d->arena, int, d->nplaces), length = 0;
	for (int i = 0; i < q->at.n; i++) {
		length += !seen[q->at.at[i]->place];
		seen[q->at.at[i]->place] = -1;
	}
	for (int begin = 0; begin + LEAST_TURNS * length <= q->at.n; begin++) {
		if (!is_period(q, begin, length, seen) || !goes_on(q, begin, length))
			continue;
		for (int i = 0; i < length; i++) {
			const struct pass_unit *x = q->at.at[begin + i];
			d->unit[x->place] = x;
			d->first[x->place] = x->micro;
			d->rank[x->place] = i;
		}
		return true;
	}
	return !length;
}

/* False: a set of ranks has none, or it does passes of the second loop before some of the first. */
static bool find_periods(struct finder *d)
{
	const struct pass_plan *p = &d->s->units.plan;
	for (int ranks = 0; ranks < p->nranks; ranks++) {
		struct sequence q[STEADY_LOOPS] = {0};
		for (int i = 0; i < p->units.n; i++) {
			const struct pass_unit *x = unit_at(p, i);
			if (ranks_of(d, x->place) != ranks || !is_rolled(d, x->place))
				continue;
			int in = d->in[x->place];
			if (in + 1 < d->s->nloops && q[in + 1].at.n)
				return false;
			vec_push(d->arena, &q[in].at, x);
		}
		for (int k = 0; k < d->s->nloops; k++)
			if (!find_period(d, &q[k]))
				return false;
	}
	return true;
}

/* ---- where turns begin ---- */

/* How many turns before y x is done, of which y reads the result. */
static int turns_between(const struct finder *d, const struct pass_unit *x, const struct pass_unit *y)
{
	return d->first[x->place] - x->micro - d->first[y->place] + y->micro;
}

/* Whether passes of x and y are in the same loop, and done by the same ranks. */
static bool together(const struct finder *d, int x, int y)
{
	return d->unit[y] && d->in[x] == d->in[y] && ranks_of(d, x) == ranks_of(d, y);
}

/* How many turns what passes of a place's ranks make for each other is held, if a turn of theirs begins with their pass
 * number `cut`. */
static int held_with(const struct finder *d, int place, int cut)
{
	const struct pass_plan *p = &d->s->units.plan;
	int held = 0;
	for (int i = 0; i < d->nplaces; i++) {
		const struct pass_unit *x = d->unit[i];
		for (int k = 0; x && k < x->after.n && together(d, place, i); k++) {
			const struct pass_unit *y = &p->units.at[x->after.at[k]];
			if (together(d, i, y->place))
				held += turns_between(d, x, y) + (d->rank[i] < cut) - (d->rank[y->place] < cut);
		}
	}
	return held;
}

static void shift(const struct finder *d, int place, int by)
{
	for (int i = 0; i < d->nplaces; i++)
		d->first[i] += d->unit[i] && together(d, place, i) ? by : 0;
}

/* A turn of a place's ranks begins with the pass with which least is held from turn to turn: a forward pass and the
 * backward pass behind it are in one. Their first one is over micro-batch 0. */
static void cut_turns(struct finder *d, int place)
{
	int n = 0, best = 0, least = INT_MAX;
	for (int i = 0; i < d->nplaces; i++)
		n += d->unit[i] && together(d, place, i);
	for (int cut = 1; cut < n; cut++)
		if (held_with(d, place, cut) < held_with(d, place, best))
			best = cut;
	for (int i = 0; i < d->nplaces; i++)
		if (d->unit[i] && together(d, place, i)) {
			d->first[i] += d->rank[i] < best;
			d->rank[i] = (d->rank[i] + n - best) % n;
			least = d->first[i] < least ? d->first[i] : least;
		}
	shift(d, place, -least);
}

/* Ranks whose results are read in a turn before they are made begin with later micro-batches. So do those that read a
 * message of an earlier turn, unless that is the first they do: a message is there when the turn ends in which it
 * leaves, and they would wait for it although they have work. False: that is asking too much. */
static bool shift_turns(struct finder *d)
{
	const struct pass_plan *p = &d->s->units.plan;
	bool moved = true;
	for (int round = 0; moved; round++) {
		moved = false;
		for (int i = 0; i < d->nlist; i++) {
			const struct pass_unit *x = d->unit[d->list[i]];
			for (int k = 0; k < x->after.n; k++) {
				const struct pass_unit *y = &p->units.at[x->after.at[k]];
				if (!d->unit[y->place] || d->in[x->place] != d->in[y->place])
					continue;
				bool here = together(d, x->place, y->place);
				int lag = turns_between(d, x, y);
				bool waits = lag > 0 && !here && d->rank[y->place];
				if ((lag < 0 && here) || ((lag < 0 || waits) && round > p->nranks))
					return false;
				if (lag < 0)
					shift(d, x->place, -lag);
				else if (waits)
					shift(d, y->place, lag);
				moved |= lag < 0 || waits;
			}
		}
	}
	return true;
}

/* ---- one turn of all ranks ---- */

/* Whether all that the place needs in a turn is in its order already. */
static bool is_ready(const struct finder *d, int place)
{
	const struct pass_plan *p = &d->s->units.plan;
	for (int i = 0; i < d->nlist; i++) {
		const struct pass_unit *x = d->unit[d->list[i]];
		if (d->at[x->place] || x->place == place)
			continue;
		if (together(d, x->place, place) && d->rank[x->place] < d->rank[place])
			return false;
		for (int k = 0; k < x->after.n; k++) {
			const struct pass_unit *y = &p->units.at[x->after.at[k]];
			if (y->place == place && !turns_between(d, x, y))
				return false;
		}
	}
	return true;
}

/* The passes of a turn, what is read before who reads it; false: there is a circle. */
static bool order_turn(struct finder *d)
{
	for (int n = 0; n < d->nlist;) {
		int found = n;
		for (int i = 0; i < d->nlist && found == n; i++)
			if (!d->at[d->list[i]] && is_ready(d, d->list[i]))
				d->at[d->list[i]] = ++n;
		if (found == n)
			return false;
	}
	return true;
}

/* Places of a loop, as their passes come first. */
static void list_places(struct finder *d, int loop)
{
	const struct pass_plan *p = &d->s->units.plan;
	d->nlist = 0;
	for (int i = 0; i < p->units.n; i++) {
		const struct pass_unit *x = unit_at(p, i);
		if (d->unit[x->place] == x && d->in[x->place] == loop)
			d->list[d->nlist++] = x->place;
	}
}

static bool put_together(struct finder *d, int loop)
{
	int least = INT_MAX;
	list_places(d, loop);
	for (int i = 0; i < d->nlist; i++) {
		bool known = false;
		for (int k = 0; k < i; k++)
			known |= together(d, d->list[k], d->list[i]);
		if (!known)
			cut_turns(d, d->list[i]);
	}
	if (!d->nlist || !shift_turns(d) || !order_turn(d))
		return false;
	for (int i = 0; i < d->nlist; i++)
		least = d->first[d->list[i]] < least ? d->first[d->list[i]] : least;
	for (int i = 0; i < d->nlist; i++)
		d->first[d->list[i]] -= least - 1;
	d->s->loops[loop].length = d->nlist;
	return true;
}

/* ---- all turns, and what is around them ---- */

/* A message leaves in the turn that makes it, whenever it is read: whose pass the node is made with. */
static int made_with(const struct graph *g, const struct finder *d, int i)
{
	const struct steady *s = d->s;
	const struct node *x = g->nodes.at[s->from + i];
	bool sends = x->kind == NODE_TO && !place_same_ranks(x->place, x->in[0]->place);
	int from = sends ? x->in[0]->id - s->from : -1, n = s->extent.exits - s->from;
	return s->place[from >= 0 && from < n && s->place[from] >= 0 ? from : i];
}

static void place_nodes(const struct graph *g, const struct finder *d)
{
	struct steady *s = d->s;
	int n = s->extent.exits - s->from;
	s->in = ARENA_ARRAY(d->arena, int, n);
	s->first = ARENA_ARRAY(d->arena, int, n);
	for (int i = 0; i < n; i++)
		if (s->place[i] >= 0) {
			s->in[i] = d->in[made_with(g, d, i)];
			s->first[i] = d->first[made_with(g, d, i)];
		}
}

/* Of what nodes of a loop read of earlier ones: how many micro-batches later it has to begin so that all of it is made
 * in turns, and, where `left` is not NULL, how many turns are left then. */
static int behind_others(const struct graph *g, const struct steady *s, int loop, int64_t *left)
{
	int by = 0, earlier;
	for (int i = 0; i < s->extent.exits - s->from; i++) {
		const struct node *x = g->nodes.at[s->from + i];
		for (int k = 0; k < x->nin && s->place[i] >= 0 && s->in[i] == loop; k++) {
			int from = steady_maker(s, x->in[k], &earlier);
			if (from < 0 || s->place[from] < 0 || s->in[from] >= loop)
				continue;
			int lag = s->first[from] + earlier - s->first[i];
			by = lag > by ? lag : by;
			if (left && lag + s->loops[s->in[from]].turns < *left)
				*left = lag + s->loops[s->in[from]].turns;
		}
	}
	return by;
}

/* A later loop reads only what turns of an earlier one make: it begins so much later, and ends so much earlier. False:
 * one is left with too few turns. */
static bool count_turns(const struct graph *g, struct finder *d)
{
	struct steady *s = d->s;
	for (int loop = 0; loop < s->nloops; loop++) {
		struct steady_loop *l = &s->loops[loop];
		int by = behind_others(g, s, loop, NULL);
		l->most = 0;
		for (int i = 0; i < s->extent.exits - s->from; i++)
			if (s->place[i] >= 0 && s->in[i] == loop) {
				s->first[i] += by;
				l->most = s->first[i] > l->most ? s->first[i] : l->most;
			}
		for (int i = 0; i < d->nplaces; i++)
			d->first[i] += d->in[i] == loop ? by : 0;
		l->turns = s->loop->turns - l->most;
		behind_others(g, s, loop, &l->turns);
		if (l->turns < LEAST_TURNS)
			return false;
	}
	return true;
}

/* Segments of all passes: those ahead of each loop, its own, those behind the last. */
static void number_units(const struct finder *d)
{
	struct steady *s = d->s;
	const struct pass_plan *p = &s->units.plan;
	s->of_unit = ARENA_ARRAY(d->arena, int, p->units.n);
	int last = 0;
	for (int part = 0; part <= 2 * s->nloops; part++) {
		struct steady_loop *own = part & 1 ? &s->loops[part / 2] : NULL;
		for (int i = 0; i < p->units.n; i++) {
			const struct pass_unit *x = unit_at(p, i);
			int in = d->in[x->place];
			int64_t turn = is_rolled(d, x->place) ? x->micro - d->first[x->place] : -1;
			if (2 * in + (turn >= 0) + (turn >= s->loops[in].turns) == part)
				s->of_unit[p->order[i]] = own ? last + d->at[x->place] : ++last;
		}
		if (own) {
			own->begin = last;
			last += own->length;
		}
	}
}

static bool try_loops(struct arena *a, const struct graph *g, struct steady *s, int nloops)
{
	int n = s->units.plan.places.n;
	struct finder d = {.arena = a, .s = s, .nplaces = n};
	d.unit = ARENA_ARRAY(a, const struct pass_unit *, n);
	d.in = ARENA_ARRAY(a, int, n);
	d.first = ARENA_ARRAY(a, int, n);
	d.rank = ARENA_ARRAY(a, int, n);
	d.at = ARENA_ARRAY(a, int, n);
	d.list = ARENA_ARRAY(a, int, n);
	s->nloops = nloops;
	for (int i = 0; i < n; i++)
		d.in[i] = s->units.plan.places.at[i].kind == PASS_FORWARD ? 0 : nloops - 1;
	if (!find_periods(&d))
		return false;
	for (int loop = 0; loop < nloops; loop++)
		if (!put_together(&d, loop))
			return false;
	place_nodes(g, &d);
	if (!count_turns(g, &d))
		return false;
	number_units(&d);
	s->segment = ARENA_ARRAY(a, int, s->extent.exits - s->from);
	for (int i = 0; i < s->extent.exits - s->from; i++)
		if (s->place[i] >= 0)
			s->segment[i] = s->loops[s->in[i]].begin + d.at[made_with(g, &d, i)];
	return true;
}

bool steady_period(struct arena *a, const struct graph *g, struct steady *s)
{
	for (int nloops = 1; nloops <= STEADY_LOOPS; nloops++)
		if (try_loops(a, g, s, nloops))
			return true;
	return false;
}
