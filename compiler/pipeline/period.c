/* period.c — finds the period of a pipeline. Where the order of all passes goes on as before with every micro-batch one
 * later, it is a period:
 *
 *   F0 F1 f0 b0 | B0 F2 f1 b1 | B1 F3 f2 b2 | B2 … F, B: stage 0, f, b: stage 1; digits: micro-batches
 *
 * So in every turn of the loop, pass q is over micro-batch first(q) + turn. Where turns begin is chosen for each set of
 * ranks so that least is held from one to the next; all then do what they did, in the same order. */
#include "steady.h"

#include <limits.h>

enum { LEAST_TURNS = 3 }; /* of the loop, for it to be one */

static const struct pass_unit *unit_at(const struct pass_plan *p, int at)
{
	return &p->units.at[p->order[at]];
}

/* The period as it is put together. */
struct period {
	struct arena *arena;
	struct steady *s;
	int begin, length; /* the passes of the first one, in the order of all */
	int *first;        /* by place: the micro-batch of the first turn */
	int *rank;         /* by place: which it is of the passes of its ranks in a turn */
	int *at;           /* by place: which it is of all */
};

/* Passes from `begin` on that are followed, a period later, by the same one over the next micro-batch. */
static int run_from(const struct period *d, int begin)
{
	const struct pass_plan *p = &d->s->units.plan;
	int n = 0;
	for (; begin + n + d->length < p->units.n; n++) {
		const struct pass_unit *x = unit_at(p, begin + n), *y = unit_at(p, begin + n + d->length);
		if (x->place != y->place || x->micro + 1 != y->micro)
			break;
	}
	return n;
}

/* Every place once, and none over micro-batch 0: what sums begin with and what they go on with are two things. */
static bool is_period(const struct period *d, int begin, int *seen)
{
	const struct pass_plan *p = &d->s->units.plan;
	for (int i = 0; i < d->length; i++) {
		const struct pass_unit *x = unit_at(p, begin + i);
		if (x->micro < 1 || d->s->units.micro_count.at[x->place] == 1 || seen[x->place] == begin + 1)
			return false;
		seen[x->place] = begin + 1;
	}
	return true;
}

static bool find_period(struct period *d)
{
	const struct pass_plan *p = &d->s->units.plan;
	int count = d->s->units.micro_count.n, *seen = ARENA_ARRAY(d->arena, int, count);
	for (int i = 0; i < count; i++)
		d->length += d->s->units.micro_count.at[i] > 1;
	for (int i = 0; i + LEAST_TURNS * d->length <= p->units.n; i++)
		if (is_period(d, i, seen) && run_from(d, i) >= (LEAST_TURNS - 1) * d->length) {
			d->begin = i;
			return true;
		}
	return false;
}

static bool is_rolled(const struct period *d, int place)
{
	return d->s->units.micro_count.at[place] > 1;
}

static int ranks_of(const struct period *d, int place)
{
	return d->s->units.plan.places.at[place].ranks;
}

/* How many turns what passes of these ranks make for each other is held, if a turn of theirs begins with their pass
 * number `cut`. */
static int held_with(const struct period *d, int ranks, int cut)
{
	const struct pass_plan *p = &d->s->units.plan;
	int held = 0;
	for (int i = 0; i < d->length; i++) {
		const struct pass_unit *x = unit_at(p, d->begin + i);
		for (int k = 0; k < x->after.n && ranks_of(d, x->place) == ranks; k++) {
			const struct pass_unit *y = &p->units.at[x->after.at[k]];
			if (ranks_of(d, y->place) == ranks && is_rolled(d, y->place))
				held += d->first[x->place] + (d->rank[x->place] < cut) - d->first[y->place] -
					(d->rank[y->place] < cut);
		}
	}
	return held;
}

/* A turn of each set of ranks begins with the pass with which least is held from turn to turn: a forward pass and the
 * backward pass behind it are in one. */
static void cut_turns(struct period *d)
{
	const struct pass_plan *p = &d->s->units.plan;
	for (int ranks = 0; ranks < p->nranks; ranks++) {
		int n = 0, best = 0;
		for (int i = 0; i < d->length; i++) {
			int place = unit_at(p, d->begin + i)->place;
			if (ranks_of(d, place) == ranks)
				d->rank[place] = n++;
		}
		for (int cut = 1; cut < n; cut++)
			if (held_with(d, ranks, cut) < held_with(d, ranks, best))
				best = cut;
		for (int place = 0; place < p->places.n; place++)
			if (is_rolled(d, place) && ranks_of(d, place) == ranks) {
				d->first[place] += d->rank[place] < best;
				d->rank[place] = (d->rank[place] + n - best) % n;
			}
	}
}

/* How many turns before y x is done, of which y reads the result. */
static int turns_between(const struct period *d, const struct pass_unit *x, const struct pass_unit *y)
{
	return d->first[x->place] - x->micro - d->first[y->place] + y->micro;
}

static void shift(const struct period *d, int ranks, int by)
{
	for (int place = 0; place < d->s->units.plan.places.n; place++)
		d->first[place] += ranks_of(d, place) == ranks ? by : 0;
}

/* Ranks whose results are read in a turn before they are made begin with later micro-batches. So do those that read a
 * message of an earlier turn, unless that is the first they do: a message is there when the turn ends in which it
 * leaves, and they would wait for it although they have work. False: that is asking too much. */
static bool shift_turns(struct period *d)
{
	const struct pass_plan *p = &d->s->units.plan;
	bool moved = true;
	for (int round = 0; moved; round++) {
		moved = false;
		for (int i = 0; i < d->length; i++) {
			const struct pass_unit *x = unit_at(p, d->begin + i);
			for (int k = 0; k < x->after.n; k++) {
				const struct pass_unit *y = &p->units.at[x->after.at[k]];
				bool here = ranks_of(d, x->place) == ranks_of(d, y->place);
				int lag = is_rolled(d, y->place) ? turns_between(d, x, y) : 0;
				if (lag < 0 ? here || round > p->nranks
					    : lag > 0 && !here && d->rank[y->place] && round > p->nranks)
					return false;
				if (lag < 0)
					shift(d, ranks_of(d, x->place), -lag);
				else if (lag > 0 && !here && d->rank[y->place])
					shift(d, ranks_of(d, y->place), lag);
				moved |= lag < 0 || (lag > 0 && !here && d->rank[y->place]);
			}
		}
	}
	return true;
}

/* Whether all that the place needs in a turn is in its order already. */
static bool is_ready(const struct period *d, int place)
{
	const struct pass_plan *p = &d->s->units.plan;
	for (int i = 0; i < d->length; i++) {
		const struct pass_unit *x = unit_at(p, d->begin + i);
		if (d->at[x->place])
			continue;
		if (x->place != place && ranks_of(d, x->place) == ranks_of(d, place) &&
		    d->rank[x->place] < d->rank[place])
			return false;
		for (int k = 0; k < x->after.n; k++) {
			const struct pass_unit *y = &p->units.at[x->after.at[k]];
			if (y->place == place && x->place != place && !turns_between(d, x, y))
				return false;
		}
	}
	return true;
}

/* The passes of a turn, what is read before who reads it; false: there is a circle. */
static bool order_turn(struct period *d)
{
	const struct pass_plan *p = &d->s->units.plan;
	for (int n = 0; n < d->length;) {
		int found = n;
		for (int i = 0; i < d->length && found == n; i++) {
			int place = unit_at(p, d->begin + i)->place;
			if (!d->at[place] && is_ready(d, place))
				d->at[place] = ++n;
		}
		if (found == n)
			return false;
	}
	return true;
}

/* Segments of all passes: those ahead of the loop, its own, those behind. */
static void number_units(const struct period *d)
{
	struct steady *s = d->s;
	const struct pass_plan *p = &s->units.plan;
	s->of_unit = ARENA_ARRAY(d->arena, int, p->units.n);
	int last = 0;
	for (int part = 0; part < 3; part++) {
		for (int i = 0; i < p->units.n; i++) {
			const struct pass_unit *x = unit_at(p, i);
			bool rolls = is_rolled(d, x->place);
			int64_t turn = rolls ? x->micro - d->first[x->place] : -1;
			if ((turn >= 0) + (turn >= s->turns) != part)
				continue;
			s->of_unit[p->order[i]] = part == 1 ? s->begin + d->at[x->place] : ++last;
		}
		s->begin = part ? s->begin : last;
		last += part ? 0 : s->length;
	}
}

static bool put_together(struct arena *a, struct period *d)
{
	struct steady *s = d->s;
	const struct pass_plan *p = &s->units.plan;
	int count = p->places.n, least = INT_MAX;
	d->first = ARENA_ARRAY(a, int, count);
	d->rank = ARENA_ARRAY(a, int, count);
	d->at = ARENA_ARRAY(a, int, count);
	for (int i = 0; i < d->length; i++)
		d->first[unit_at(p, d->begin + i)->place] = unit_at(p, d->begin + i)->micro;
	cut_turns(d);
	if (!shift_turns(d) || !order_turn(d))
		return false;
	for (int i = 0; i < count; i++)
		least = is_rolled(d, i) && d->first[i] < least ? d->first[i] : least;
	for (int i = 0; i < count; i++) {
		d->first[i] -= least - 1;
		s->most = is_rolled(d, i) && d->first[i] > s->most ? d->first[i] : s->most;
	}
	s->length = d->length;
	s->turns = s->loop->turns - s->most;
	return s->turns >= LEAST_TURNS;
}

/* A message leaves in the turn that makes it, whenever it is read. */
static void place_in_period(struct arena *a, const struct graph *g, const struct period *d)
{
	struct steady *s = d->s;
	int n = s->extent.exits - s->from;
	number_units(d);
	s->first = ARENA_ARRAY(a, int, n);
	s->segment = ARENA_ARRAY(a, int, n);
	for (int i = 0; i < n; i++) {
		const struct node *x = g->nodes.at[s->from + i];
		bool sends = x->kind == NODE_TO && !place_same_ranks(x->place, x->in[0]->place);
		int from = sends ? x->in[0]->id - s->from : -1;
		if (s->place[i] < 0)
			continue;
		int of = s->place[from >= 0 && from < n && s->place[from] >= 0 ? from : i];
		s->first[i] = d->first[of];
		s->segment[i] = s->begin + d->at[of];
	}
}

bool steady_period(struct arena *a, const struct graph *g, struct steady *s)
{
	struct period d = {.arena = a, .s = s};
	if (!find_period(&d) || !put_together(a, &d))
		return false;
	place_in_period(a, g, &d);
	return true;
}
