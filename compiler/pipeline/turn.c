/* turn.c — one turn of a loop of periods: what is read in it has to be made before, and nobody should wait.
 *
 * A transfer ends in the turn in which it begins. So whoever gets a message ahead of the turn in which it is read waits
 * for it at the end of a turn. That is no loss if it is the first that the next turn reads; else the sender keeps what
 * it is to send and does so when its turn begins in which it is read. */
#include "turn.h"

#include <limits.h>
#include <string.h>

int turn_ranks_of(const struct turns *d, int place)
{
	return d->units->plan.places.at[place].ranks;
}

static bool together(const struct turns *d, int x, int y)
{
	return turn_ranks_of(d, x) == turn_ranks_of(d, y);
}

int turn_lag(const struct turns *d, const struct turn_edge *e)
{
	return d->first[e->from] + e->later - d->first[e->to];
}

bool turn_sends_later(const struct turns *d, int from, int to)
{
	return d->in[from] == d->in[to] && d->first[from] > d->first[to] && d->rank[to] > 0;
}

void turn_look_at(struct turns *d, int loop)
{
	const struct pass_plan *p = &d->units->plan;
	d->n = 0;
	d->edges.n = 0;
	for (int i = 0; i < p->units.n; i++) {
		int u = p->order[i], place = p->units.at[u].place;
		if (d->unit[place] == u && d->in[place] == loop)
			d->list[d->n++] = place;
	}
	for (int i = 0; i < d->n; i++) {
		const struct pass_unit *x = &p->units.at[d->unit[d->list[i]]];
		for (int k = 0; k < x->after.n; k++) {
			const struct pass_unit *y = &p->units.at[x->after.at[k]];
			if (d->unit[y->place] >= 0 && d->in[y->place] == loop)
				vec_push(d->arena, &d->edges,
					 ((struct turn_edge){x->place, y->place, y->micro - x->micro}));
		}
	}
}

/* Passes of a place's ranks in a turn. */
static int count_of(const struct turns *d, int place)
{
	int n = 0;
	for (int i = 0; i < d->n; i++)
		n += together(d, d->list[i], place);
	return n;
}

static void shift(struct turns *d, int place, int by)
{
	for (int i = 0; i < d->n; i++)
		d->first[d->list[i]] += together(d, d->list[i], place) ? by : 0;
}

/* A turn of the place's ranks begins with their pass number `cut`. */
static void rotate(struct turns *d, int place, int cut)
{
	int n = count_of(d, place);
	for (int i = 0; i < d->n; i++) {
		int x = d->list[i];
		if (!together(d, x, place))
			continue;
		d->first[x] += d->rank[x] < cut;
		d->rank[x] = (d->rank[x] + n - cut) % n;
	}
}

/* How many turns what passes of the place's ranks make for each other is held, if they begin so. */
static int held_with(const struct turns *d, int place, int cut)
{
	int held = 0;
	for (int i = 0; i < d->edges.n; i++) {
		const struct turn_edge *e = &d->edges.at[i];
		if (together(d, e->from, place) && together(d, e->to, place))
			held += turn_lag(d, e) + (d->rank[e->from] < cut) - (d->rank[e->to] < cut);
	}
	return held;
}

void turn_cut(struct turns *d)
{
	for (int i = 0; i < d->n; i++) {
		int place = d->list[i], best = 0, least = INT_MAX;
		if (d->rank[place])
			continue;
		for (int cut = 1; cut < count_of(d, place); cut++)
			if (held_with(d, place, cut) < held_with(d, place, best))
				best = cut;
		rotate(d, place, best);
		for (int k = 0; k < d->n; k++)
			if (together(d, d->list[k], place) && d->first[d->list[k]] < least)
				least = d->first[d->list[k]];
		shift(d, place, -least);
	}
}

/* Ranks whose results are read in a turn before they are made begin with later micro-batches. */
static bool shift_turns(struct turns *d)
{
	bool moved = true;
	for (int round = 0; moved; round++) {
		moved = false;
		for (int i = 0; i < d->edges.n; i++) {
			const struct turn_edge *e = &d->edges.at[i];
			int lag = turn_lag(d, e);
			if (lag >= 0)
				continue;
			if (together(d, e->from, e->to) || round > d->units->plan.nranks)
				return false;
			shift(d, e->from, -lag);
			moved = true;
		}
	}
	return true;
}

/* Whether all that the place needs in a turn is in its order already. */
static bool is_ready(const struct turns *d, int place)
{
	for (int i = 0; i < d->n; i++) {
		int x = d->list[i];
		if (!d->at[x] && together(d, x, place) && d->rank[x] < d->rank[place])
			return false;
	}
	for (int i = 0; i < d->edges.n; i++) {
		const struct turn_edge *e = &d->edges.at[i];
		if (e->to == place && e->from != place && !d->at[e->from] && !turn_lag(d, e))
			return false;
	}
	return true;
}

bool turn_order(struct turns *d)
{
	if (!shift_turns(d))
		return false;
	for (int i = 0; i < d->n; i++)
		d->at[d->list[i]] = 0;
	for (int n = 0; n < d->n;) {
		int found = n;
		for (int i = 0; i < d->n && found == n; i++)
			if (!d->at[d->list[i]] && is_ready(d, d->list[i]))
				d->at[d->list[i]] = ++n;
		if (found == n)
			return false;
	}
	return true;
}

/* ---- what it takes ---- */

enum { TRIED = 16 }; /* turns that are played */

struct clock {
	int *order;   /* places of a turn */
	int64_t *end; /* by place: [place * TRIED + turn] */
	int64_t *begun, *free,
		*open; /* by set of ranks: its turn, its last pass, what it waits for before the next turn */
};

static int64_t later_of(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* When the place's pass of the turn begins. */
static int64_t start_of(const struct turns *d, const struct clock *c, int place, int turn)
{
	const struct pass_plan *p = &d->units->plan;
	int here = turn_ranks_of(d, place);
	int64_t now = c->begun[here];
	for (int r = 0; r < p->nranks; r++)
		if (p->overlap[here * p->nranks + r])
			now = later_of(now, c->free[r]);
	for (int i = 0; i < d->edges.n; i++) {
		const struct turn_edge *e = &d->edges.at[i];
		int lag = turn_lag(d, e);
		if (e->to != place)
			continue;
		if (lag <= turn)
			now = later_of(now, c->end[e->from * TRIED + turn - lag]);
		if (!together(d, e->from, place) && turn_sends_later(d, e->from, place))
			now = later_of(now, c->begun[turn_ranks_of(d, e->from)]);
	}
	return now;
}

int64_t turn_time(const struct turns *d)
{
	const struct pass_plan *p = &d->units->plan;
	struct arena *a = arena_new("turns");
	struct clock c = {.order = ARENA_ARRAY(a, int, d->n), .end = ARENA_ARRAY(a, int64_t, d->nplaces * TRIED)};
	int64_t last[2] = {0};
	c.begun = ARENA_ARRAY(a, int64_t, p->nranks);
	c.free = ARENA_ARRAY(a, int64_t, p->nranks);
	c.open = ARENA_ARRAY(a, int64_t, p->nranks);
	for (int i = 0; i < d->n; i++)
		c.order[d->at[d->list[i]] - 1] = d->list[i];
	for (int turn = 0; turn < TRIED; turn++) {
		for (int r = 0; r < p->nranks; r++)
			c.begun[r] = later_of(c.free[r], c.open[r]);
		for (int i = 0; i < d->n; i++) {
			int place = c.order[i];
			int64_t end = start_of(d, &c, place, turn) + p->units.at[d->unit[place]].cost;
			c.free[turn_ranks_of(d, place)] = c.end[place * TRIED + turn] = end;
			last[turn >= TRIED / 2] = later_of(last[turn >= TRIED / 2], end);
		}
		/* A message has left when who gets it is in that turn, and is there when who sends it is. */
		for (int i = 0; i < d->edges.n; i++) {
			int x = turn_ranks_of(d, d->edges.at[i].from), y = turn_ranks_of(d, d->edges.at[i].to);
			c.open[x] = later_of(c.open[x], c.begun[y]);
			c.open[y] = later_of(c.open[y], c.begun[x]);
		}
	}
	arena_free(a);
	return (last[1] - last[0]) / (TRIED / 2);
}

/* ---- improvements ---- */

struct state {
	int *first, *rank, *at;
	int64_t time;
	int late; /* messages that wait for the next turn of who sends them */
};

static void copy_state(const struct turns *d, const struct state *from, const struct state *to)
{
	size_t bytes = sizeof(int) * (size_t)d->nplaces;
	memcpy(to->first, from->first, bytes);
	memcpy(to->rank, from->rank, bytes);
	memcpy(to->at, from->at, bytes);
}

static int late_messages(const struct turns *d)
{
	int late = 0;
	for (int i = 0; i < d->edges.n; i++) {
		const struct turn_edge *e = &d->edges.at[i];
		late += !together(d, e->from, e->to) && turn_sends_later(d, e->from, e->to);
	}
	return late;
}

/* Whether ranks hold no more micro-batches than in the order of all passes. */
static bool holds_enough(const struct turns *d)
{
	int *more = ARENA_ARRAY(d->arena, int, d->units->plan.nranks);
	for (int i = 0; i < d->n; i++) {
		int held = 0, x = d->list[i];
		const struct pass_place *p = &d->units->plan.places.at[x];
		for (int k = 0; k < d->edges.n; k++) {
			const struct turn_edge *e = &d->edges.at[k];
			int lag = turn_lag(d, e) + (d->rank[x] < d->rank[e->to]);
			if (e->from == x && together(d, x, e->to) && !e->later && lag > held)
				held = lag;
		}
		more[p->ranks] += p->kind == PASS_FORWARD ? held - p->held : 0;
	}
	for (int i = 0; i < d->units->plan.nranks; i++)
		if (more[i] > 0)
			return false;
	return true;
}

/* Exchanges pass number i of the place's ranks and the next one. */
static void exchange(struct turns *d, int place, int i)
{
	int n = count_of(d, place);
	for (int k = 0; k < d->n; k++) {
		int x = d->list[k];
		if (!together(d, x, place))
			continue;
		if (d->rank[x] == i) {
			d->first[x] -= i + 1 == n;
			d->rank[x] = (i + 1) % n;
		} else if (d->rank[x] == (i + 1) % n) {
			d->first[x] += i + 1 == n;
			d->rank[x] = i;
		}
	}
}

/* Number `move` of the place's ranks. */
static void try_move(struct turns *d, int place, int move)
{
	int n = count_of(d, place);
	if (move < n)
		exchange(d, place, move);
	else
		rotate(d, place, move - n + 1);
}

static struct state new_state(const struct turns *d)
{
	return (struct state){.first = ARENA_ARRAY(d->arena, int, d->nplaces),
			      .rank = ARENA_ARRAY(d->arena, int, d->nplaces),
			      .at = ARENA_ARRAY(d->arena, int, d->nplaces),
			      .time = INT64_MAX};
}

/* Of the turns as they are now. */
static void measure(struct turns *d, struct state *x)
{
	bool is_legal = turn_order(d) && holds_enough(d);
	x->time = is_legal ? turn_time(d) : INT64_MAX;
	x->late = is_legal ? late_messages(d) : INT_MAX;
}

/* Less time counts until it is what is wanted, then fewer messages that wait: each keeps who gets the last of them
 * waiting for passes that follow on who sends it. */
static bool is_better(const struct state *x, const struct state *y, int64_t goal)
{
	int64_t a = later_of(x->time, goal), b = later_of(y->time, goal);
	return a != b ? a < b : x->time <= goal && x->late < y->late;
}

bool turn_improve(struct turns *d, int64_t goal)
{
	enum { MOST_ROUNDS = 32 };
	struct state now = {.first = d->first, .rank = d->rank, .at = d->at}, was = new_state(d), best = new_state(d);
	bool moved = true;
	measure(d, &best);
	copy_state(d, &now, &best);
	for (int round = 0; round < MOST_ROUNDS && moved && (best.time > goal || best.late); round++) {
		bool is_slow = best.time > goal;
		moved = false;
		copy_state(d, &now, &was);
		for (int i = 0; i < d->n; i++) {
			int place = d->list[i], n = was.rank[place] ? 0 : count_of(d, place);
			for (int move = is_slow ? 0 : n; n > 1 && move < 2 * n - 1; move++) {
				copy_state(d, &was, &now);
				try_move(d, place, move);
				measure(d, &now);
				if (!is_better(&now, &best, goal))
					continue;
				best.time = now.time;
				best.late = now.late;
				copy_state(d, &now, &best);
				moved = true;
			}
		}
		copy_state(d, &best, &now);
	}
	return best.time <= goal;
}
