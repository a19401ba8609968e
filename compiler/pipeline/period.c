/* period.c — finds the periods of a pipeline. Where what a set of ranks does goes on as before with every micro-batch
 * one later, it is a period:
 *
 *   F0 F1 B0 | F2 B1 | F3 B2 … F, B: stage 0, f, b: stage 1; digits: micro-batches
 *   f0 b0 | f1 b1 | f2 b2 …
 *
 * So in every turn of the loop, pass q is over micro-batch first(q) + turn. Where turns begin is chosen for each set of
 * ranks so that least is held from one to the next; all then do what they did, in the same order. Where all forward
 * passes come first, they are a loop of their own. */
#include "turn.h"

#include <limits.h>

enum { LEAST_TURNS = 3 }; /* of a loop, for it to be one */

struct finder {
	struct arena *arena;
	struct steady *s;
	struct turns t;
	int turns; /* behind its first pass that each place was looked at */
};

struct sequence {
	VEC(int) at; /* units */
};

static bool is_rolled(const struct finder *d, int place)
{
	return d->s->units.micro_count.at[place] > 1;
}

static const struct pass_unit *unit_of(const struct finder *d, int unit)
{
	return &d->s->units.plan.units.at[unit];
}

/* ---- what a set of ranks does again and again ---- */

/* Every place once, and none over micro-batch 0: what sums begin with and what they go on with are two things. */
static bool is_period(const struct finder *d, const struct sequence *q, int begin, int length, int *seen)
{
	for (int i = begin; i < begin + length; i++) {
		const struct pass_unit *x = unit_of(d, q->at.at[i]);
		if (x->micro < 1 || seen[x->place] == begin + 1)
			return false;
		seen[x->place] = begin + 1;
	}
	return true;
}

/* Whether as many passes from `begin` on as loops have at least are followed, a period later, by the same one over the
 * next micro-batch. */
static bool goes_on(const struct finder *d, const struct sequence *q, int begin, int length)
{
	for (int i = begin; i < begin + (LEAST_TURNS - 1) * length; i++) {
		const struct pass_unit *x = unit_of(d, q->at.at[i]), *y = unit_of(d, q->at.at[i + length]);
		if (x->place != y->place || x->micro + 1 != y->micro)
			return false;
	}
	return true;
}

/* Of the passes of a set of ranks that are in one loop. */
static bool find_period(struct finder *d, const struct sequence *q)
{
	struct turns *t = &d->t;
	int *seen = ARENA_ARRAY(d->arena, int, t->nplaces), length = 0;
	for (int i = 0; i < q->at.n; i++) {
		int place = unit_of(d, q->at.at[i])->place;
		length += !seen[place];
		seen[place] = -1;
	}
	for (int begin = 0; begin + LEAST_TURNS * length <= q->at.n; begin++) {
		if (!is_period(d, q, begin, length, seen) || !goes_on(d, q, begin, length))
			continue;
		for (int i = 0; i < length; i++) {
			int place = unit_of(d, q->at.at[begin + i])->place;
			t->unit[place] = q->at.at[begin + i];
			t->first[place] = unit_of(d, t->unit[place])->micro;
			t->rank[place] = i;
		}
		return true;
	}
	return !length;
}

/* The passes of a set of ranks, by loop. False: it does some of the second loop before some of the first. */
static bool find_sequences(const struct finder *d, int ranks, struct sequence q[STEADY_LOOPS])
{
	const struct pass_plan *p = &d->s->units.plan;
	for (int i = 0; i < p->units.n; i++) {
		int place = p->units.at[p->order[i]].place, in = d->t.in[place];
		if (turn_ranks_of(&d->t, place) != ranks || !is_rolled(d, place))
			continue;
		if (in + 1 < d->s->nloops && q[in + 1].at.n)
			return false;
		vec_push(d->arena, &q[in].at, p->order[i]);
	}
	return true;
}

static bool find_periods(struct finder *d)
{
	for (int ranks = 0; ranks < d->s->units.plan.nranks; ranks++) {
		struct sequence q[STEADY_LOOPS] = {0};
		find_sequences(d, ranks, q);
		for (int k = 0; k < d->s->nloops; k++)
			if (!find_period(d, &q[k]))
				return false;
	}
	return true;
}

/* ---- what they do on the average ---- */

static int64_t start_of(const struct finder *d, int place, int micro)
{
	return unit_of(d, pass_unit(&d->s->units, place, micro))->start;
}

/* What the order of all passes takes for a micro-batch where `unit` says, and some turns behind it. */
static int64_t pace_of(const struct finder *d, int loop, int turns)
{
	const struct turns *t = &d->t;
	int64_t pace = 0;
	for (int i = 0; i < t->nplaces; i++) {
		if (t->unit[i] < 0 || t->in[i] != loop)
			continue;
		int micro = unit_of(d, t->unit[i])->micro;
		int64_t own = (start_of(d, i, micro + turns) - start_of(d, i, micro)) / turns;
		pace = own > pace ? own : pace;
	}
	return pace;
}

/* Where stages are come back to, the order may have a period of several micro-batches or none, and yet go on and on.
 * Then it is when passes begin on the average, of the micro-batches in the middle, that says what is in a turn and in
 * which order: what is read is made before on the average, too. */
static bool find_average(struct finder *d, int loop)
{
	struct turns *t = &d->t;
	int count = (int)d->s->loop->turns, from = count / 3, to = 2 * count / 3, first = -1;
	double *start = ARENA_ARRAY(d->arena, double, t->nplaces);
	if (from < 1 || to - from < LEAST_TURNS)
		return false;
	for (int i = 0; i < t->nplaces; i++) {
		if (!is_rolled(d, i) || t->in[i] != loop)
			continue;
		for (int micro = from; micro < to; micro++)
			start[i] += (double)start_of(d, i, micro) / (to - from);
		t->unit[i] = pass_unit(&d->s->units, i, from);
		first = first < 0 || start[i] < start[first] ? i : first;
	}
	double pace = (double)pace_of(d, loop, to - from), least = first < 0 ? 0 : start[first];
	if (pace < 1)
		return false;
	for (int i = 0; i < t->nplaces; i++)
		if (t->unit[i] >= 0 && t->in[i] == loop) {
			t->first[i] = -(int)((start[i] - least) / pace);
			start[i] -= least - t->first[i] * pace;
		}
	for (int i = 0; i < t->nplaces; i++)
		for (int k = 0; k < t->nplaces; k++)
			if (t->unit[i] >= 0 && t->in[i] == loop && t->unit[k] >= 0 && t->in[k] == loop &&
			    turn_ranks_of(t, k) == turn_ranks_of(t, i))
				t->rank[i] += start[k] < start[i] || (start[k] == start[i] && k < i);
	d->turns = to - from;
	return true;
}

/* ---- a turn ---- */

static bool put_together(struct finder *d, int loop, bool average)
{
	enum { PERCENT = 103 }; /* of the pace that is to be kept */
	struct turns *t = &d->t;
	int least = INT_MAX;
	if (average && !find_average(d, loop))
		return false;
	turn_look_at(t, loop);
	if (!average)
		turn_cut(t);
	if (!t->n || !turn_improve(t, pace_of(d, loop, d->turns) * PERCENT / 100))
		return false;
	for (int i = 0; i < t->n; i++)
		least = t->first[t->list[i]] < least ? t->first[t->list[i]] : least;
	for (int i = 0; i < t->n; i++)
		t->first[t->list[i]] -= least - 1;
	d->s->loops[loop].length = t->n;
	return true;
}

/* ---- all turns, and what is around them ---- */

/* Which pass the message comes from that the node is; -1: it is none, or comes from elsewhere. */
static int sender_of(const struct graph *g, const struct steady *s, int i)
{
	const struct node *x = g->nodes.at[s->from + i];
	bool sends = x->kind == NODE_TO && !place_same_ranks(x->place, x->in[0]->place);
	int from = sends ? x->in[0]->id - s->from : -1;
	return from >= 0 && from < s->extent.exits - s->from ? s->place[from] : -1;
}

/* A message leaves in the turn that makes it, whenever it is read, or when the turn begins that reads it. */
static void place_nodes(const struct graph *g, const struct finder *d)
{
	struct steady *s = d->s;
	int n = s->extent.exits - s->from;
	s->in = ARENA_ARRAY(d->arena, int, n);
	s->first = ARENA_ARRAY(d->arena, int, n);
	s->segment = ARENA_ARRAY(d->arena, int, n);
	for (int i = 0; i < n; i++) {
		int from = s->place[i] >= 0 ? sender_of(g, s, i) : -1;
		bool later = from >= 0 && turn_sends_later(&d->t, from, s->place[i]);
		int with = from < 0 || later ? s->place[i] : from;
		if (with < 0)
			continue;
		s->in[i] = d->t.in[with];
		s->first[i] = d->t.first[with];
		s->segment[i] = later ? 1 : d->t.at[with];
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
		for (int i = 0; i < d->t.nplaces; i++)
			d->t.first[i] += d->t.in[i] == loop ? by : 0;
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
			const struct pass_unit *x = &p->units.at[p->order[i]];
			int in = d->t.in[x->place];
			int64_t turn = is_rolled(d, x->place) ? x->micro - d->t.first[x->place] : -1;
			if (2 * in + (turn >= 0) + (turn >= s->loops[in].turns) == part)
				s->of_unit[p->order[i]] = own ? last + d->t.at[x->place] : ++last;
		}
		if (own) {
			own->begin = last;
			last += own->length;
		}
	}
}

static bool try_loops(struct arena *a, const struct graph *g, struct steady *s, bool average)
{
	int n = s->units.plan.places.n;
	struct finder d = {
		.arena = a, .s = s, .turns = LEAST_TURNS - 1, .t = {.arena = a, .units = &s->units, .nplaces = n}};
	d.t.unit = ARENA_ARRAY(a, int, n);
	d.t.in = ARENA_ARRAY(a, int, n);
	d.t.first = ARENA_ARRAY(a, int, n);
	d.t.rank = ARENA_ARRAY(a, int, n);
	d.t.at = ARENA_ARRAY(a, int, n);
	d.t.list = ARENA_ARRAY(a, int, n);
	s->nloops = STEADY_LOOPS;
	for (int i = 0; i < n; i++) {
		d.t.unit[i] = -1;
		d.t.in[i] = s->units.plan.places.at[i].kind != PASS_FORWARD;
	}
	for (int ranks = 0; ranks < s->units.plan.nranks && s->nloops > 1; ranks++)
		if (!find_sequences(&d, ranks, (struct sequence[STEADY_LOOPS]){0}))
			s->nloops = 1;
	for (int i = 0; i < n && s->nloops == 1; i++)
		d.t.in[i] = 0;
	if (!average && !find_periods(&d))
		return false;
	for (int loop = 0; loop < s->nloops; loop++)
		if (!put_together(&d, loop, average))
			return false;
	place_nodes(g, &d);
	if (!count_turns(g, &d))
		return false;
	number_units(&d);
	for (int i = 0; i < s->extent.exits - s->from; i++)
		s->segment[i] += s->place[i] >= 0 ? s->loops[s->in[i]].begin : 0;
	return true;
}

bool steady_period(struct arena *a, const struct graph *g, struct steady *s)
{
	return try_loops(a, g, s, false) || try_loops(a, g, s, true);
}
