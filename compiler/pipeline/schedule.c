/* schedule.c — the simulation. At every moment each idle set of ranks begins the best pass that is ready.
 *
 * 1F1B: a forward pass needs a credit, which it gives back when every pass of its micro-batch that reads what it made
 * is done (its own backward pass comes last). With p - s credits in stage s the known order comes out: warm-up, one
 * forward one backward, cool-down (Narayanan et al., PipeDream-2BW, 2021).
 *
 * GPipe: a backward pass begins when these ranks have no forward pass left (Huang et al., GPipe, 2019). Passes of
 * either kind need a credit, which they give back when those of that kind that read them are done: a stage that is
 * faster than the next gets no further ahead of it with every micro-batch, which would gain nothing and leave no
 * period.
 *
 * Zero-bubble (Qi et al., Zero Bubble Pipeline Parallelism, 2023): the backward pass gives the credit back, and the
 * gradients of weights wait until nothing else can begin. What they are computed from is held till then, so a forward
 * pass also waits while its ranks hold as much as they may: as 1F1B makes stage 0 do, which is the paper's H1, or more.
 * With 2 p - 1, H2, stages may have up to 2 (p - s) - 1 micro-batches under way, so that those behind never wait for
 * a forward pass.
 *
 * Which of two ready passes goes first matters for stages of unequal length: all preferences of `preferences_of` are
 * tried, and the one is taken that ends soonest and lets the next pipeline begin soonest. */
#include "schedule.h"

#include <stdlib.h>

/* What schedules leave open. */
struct preference {
	int before[PASS_KINDS]; /* the least goes first */
	bool ahead;             /* more credits than 1F1B gives */
};

struct simulation {
	struct pass_plan *plan;
	struct arena *arena;
	const struct preference *preference;
	int64_t now;
	int *waits;                  /* by unit */
	int64_t *begun, *busy_until; /* by set of ranks; begun -1: not yet */
	int *forward_left;           /* by set of ranks */
	int nstages;                 /* sets of ranks with passes forward */
	bool *is_last;               /* by unit: no backward pass reads it that another stage waits for */
	int *held;                   /* by place: forward passes that something still reads */
	int *under_way;              /* by place: those that have a credit still */
	int *held_by;                /* by set of ranks: as held */
	struct readers {
		int all, awaited; /* passes of its micro-batch that read it and are not done yet; those with a credit */
	} * readers;              /* by unit */
	VEC(int) * reads;         /* by unit: units of its micro-batch that it reads */
	VEC(int) ready, running;
};

static enum pass_kind kind_of(const struct pass_plan *p, int u)
{
	return p->places.at[p->units.at[u].place].kind;
}

/* Which comes first of passes of a kind. A micro-batch that is done sooner is held no longer. Under GPipe all are held,
 * and it is what comes first if all passes take the same time: stages that are come back to begin another micro-batch
 * in between. */
static int64_t turn_of(const struct simulation *s, const struct pass_unit *x)
{
	if (s->plan->schedule != SCHEDULE_GPIPE)
		return x->micro;
	return s->plan->places.at[x->place].level + (int64_t)x->micro * s->nstages;
}

static bool better(const struct simulation *s, int a, int b)
{
	const struct pass_plan *p = s->plan;
	const struct pass_unit *x = &p->units.at[a], *y = &p->units.at[b];
	int i = s->preference->before[kind_of(p, a)], k = s->preference->before[kind_of(p, b)];
	int64_t first = turn_of(s, x), second = turn_of(s, y);
	if (i != k)
		return i < k;
	if (first != second)
		return first < second;
	return x->micro == y->micro ? a < b : x->micro > y->micro;
}

static bool is_idle(const struct simulation *s, int ranks)
{
	for (int r = 0; r < s->plan->nranks; r++)
		if (s->plan->overlap[ranks * s->plan->nranks + r] && s->busy_until[r] > s->now)
			return false;
	return true;
}

static bool is_allowed(const struct simulation *s, int u)
{
	const struct pass_unit *x = &s->plan->units.at[u];
	const struct pass_place *place = &s->plan->places.at[x->place];
	if (s->plan->schedule == SCHEDULE_GPIPE)
		return (place->kind == PASS_FORWARD || !s->forward_left[place->ranks]) &&
		       (!place->credits || s->under_way[x->place] < place->credits);
	if (place->kind != PASS_FORWARD || !place->credits)
		return true;
	int credits = s->preference->ahead ? 2 * place->credits - 1 : place->credits;
	return s->under_way[x->place] < credits &&
	       (!schedule_splits(s->plan->schedule) || s->held_by[place->ranks] < s->plan->hold);
}

/* Position in `ready`, -1 if nothing can begin now. */
static int choose(const struct simulation *s, bool forced)
{
	int best = -1;
	for (int i = 0; i < s->ready.n; i++) {
		int u = s->ready.at[i];
		if (!is_idle(s, s->plan->places.at[s->plan->units.at[u].place].ranks) || (!forced && !is_allowed(s, u)))
			continue;
		if (best < 0 || better(s, u, s->ready.at[best]))
			best = i;
	}
	return best;
}

/* A pass that nothing waits for any more, or nothing that has its credit. */
static void release(struct simulation *s, int u, bool all)
{
	int place = s->plan->units.at[u].place;
	const struct pass_place *p = &s->plan->places.at[place];
	if (!all) {
		s->under_way[place]--;
	} else if (p->kind == PASS_FORWARD) {
		s->held[place]--;
		s->held_by[p->ranks] -= p->credits > 0;
	}
}

static void begin(struct simulation *s, int at)
{
	int u = s->ready.at[at];
	struct pass_unit *x = &s->plan->units.at[u];
	struct pass_place *place = &s->plan->places.at[x->place];
	s->ready.at[at] = s->ready.at[--s->ready.n];
	x->start = s->now;
	x->finish = s->now + x->cost;
	s->busy_until[place->ranks] = x->finish;
	s->plan->busy[place->ranks] += x->cost;
	s->under_way[x->place]++;
	if (s->begun[place->ranks] < 0)
		s->begun[place->ranks] = s->now;
	if (place->kind == PASS_FORWARD) {
		s->forward_left[place->ranks]--;
		s->held_by[place->ranks] += place->credits > 0;
		if (++s->held[x->place] > place->held)
			place->held = s->held[x->place];
	}
	vec_push(s->arena, &s->running, u);
}

/* Whether u, which reads v, keeps v's credit: gradients of weights do where v's stage has nothing else backward. */
static bool has_credit(const struct simulation *s, int v, int u)
{
	if (s->plan->schedule == SCHEDULE_GPIPE)
		return kind_of(s->plan, u) == kind_of(s->plan, v);
	return kind_of(s->plan, u) != PASS_WEIGHTS || s->is_last[v];
}

static void finish(struct simulation *s, int u)
{
	struct pass_unit *x = &s->plan->units.at[u];
	for (int i = 0; i < x->after.n; i++)
		if (--s->waits[x->after.at[i]] == 0)
			vec_push(s->arena, &s->ready, x->after.at[i]);
	for (int i = 0; i < s->reads[u].n; i++) {
		int v = s->reads[u].at[i];
		struct readers *r = &s->readers[v];
		if (has_credit(s, v, u) && --r->awaited == 0)
			release(s, v, false);
		if (--r->all == 0)
			release(s, v, true);
	}
	if (!s->readers[u].awaited)
		release(s, u, false);
	if (!s->readers[u].all)
		release(s, u, true);
}

/* To the next end of a pass; false if none is running. */
static bool advance(struct simulation *s)
{
	int64_t next = INT64_MAX;
	for (int i = 0; i < s->running.n; i++)
		if (s->plan->units.at[s->running.at[i]].finish < next)
			next = s->plan->units.at[s->running.at[i]].finish;
	if (!s->running.n)
		return false;
	s->now = next;
	for (int i = s->running.n - 1; i >= 0; i--) {
		int u = s->running.at[i];
		if (s->plan->units.at[u].finish > next)
			continue;
		s->running.at[i] = s->running.at[--s->running.n];
		finish(s, u);
	}
	return true;
}

/* The first place of its ranks for forward passes over all micro-batches. */
static bool is_first_forward(const struct pass_plan *p, int place)
{
	const struct pass_place *x = &p->places.at[place];
	if (x->kind != PASS_FORWARD || !x->credits)
		return false;
	for (int i = 0; i < place; i++)
		if (p->places.at[i].kind == PASS_FORWARD && p->places.at[i].credits &&
		    p->places.at[i].ranks == x->ranks)
			return false;
	return true;
}

static void set_up(struct simulation *s)
{
	struct pass_plan *p = s->plan;
	int n = p->units.n;
	s->busy_until = ARENA_ARRAY(s->arena, int64_t, p->nranks);
	s->begun = ARENA_ARRAY(s->arena, int64_t, p->nranks);
	s->forward_left = ARENA_ARRAY(s->arena, int, p->nranks);
	s->held = ARENA_ARRAY(s->arena, int, p->places.n);
	s->under_way = ARENA_ARRAY(s->arena, int, p->places.n);
	s->held_by = ARENA_ARRAY(s->arena, int, p->nranks);
	s->readers = ARENA_ARRAY(s->arena, struct readers, n);
	s->is_last = ARENA_ARRAY(s->arena, bool, n);
	s->waits = ARENA_ARRAY(s->arena, int, n);
	s->reads = arena_alloc(s->arena, sizeof *s->reads * (size_t)n);
	p->busy = ARENA_ARRAY(s->arena, int64_t, p->nranks);
	p->forced = 0;
	for (int i = 0; i < p->nranks; i++)
		s->begun[i] = -1;
	for (int i = 0; i < p->places.n; i++) {
		p->places.at[i].held = 0;
		s->nstages += is_first_forward(p, i);
	}
	for (int u = 0; u < n; u++)
		s->waits[u] = p->units.at[u].waits;
	for (int u = 0; u < n; u++) {
		struct pass_unit *x = &p->units.at[u];
		if (kind_of(p, u) == PASS_FORWARD)
			s->forward_left[p->places.at[x->place].ranks]++;
		s->is_last[u] = true;
		for (int i = 0; i < x->after.n; i++)
			s->is_last[u] &= kind_of(p, x->after.at[i]) != PASS_BACKWARD;
		for (int i = 0; i < x->after.n; i++) {
			int v = x->after.at[i];
			if (p->units.at[v].micro != x->micro)
				continue;
			s->readers[u].all++;
			s->readers[u].awaited += has_credit(s, u, v);
			vec_push(s->arena, &s->reads[v], u);
		}
		if (!x->waits)
			vec_push(s->arena, &s->ready, u);
	}
}

struct ending {
	int64_t finish, start;
	int unit;
};

static int by_end(const void *a, const void *b)
{
	const struct ending *x = a, *y = b;
	if (x->finish != y->finish)
		return x->finish < y->finish ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->unit - y->unit;
}

static void put_in_order(struct arena *a, struct pass_plan *p)
{
	struct ending *e = ARENA_ARRAY(a, struct ending, p->units.n);
	for (int u = 0; u < p->units.n; u++)
		e[u] = (struct ending){p->units.at[u].finish, p->units.at[u].start, u};
	qsort(e, (size_t)p->units.n, sizeof *e, by_end);
	p->order = ARENA_ARRAY(a, int, p->units.n);
	for (int i = 0; i < p->units.n; i++)
		p->order[i] = e[i].unit;
}

static void measure(struct simulation *s)
{
	struct pass_plan *p = s->plan;
	p->span = s->now;
	p->period = 0;
	for (int i = 0; i < p->nranks; i++)
		if (s->begun[i] >= 0 && s->busy_until[i] - s->begun[i] > p->period)
			p->period = s->busy_until[i] - s->begun[i];
}

static bool simulate(struct arena *a, struct pass_plan *p, const struct preference *preference)
{
	struct simulation s = {.plan = p, .arena = a, .preference = preference};
	int begun = 0;
	set_up(&s);
	while (begun < p->units.n) {
		int at = choose(&s, false);
		if (at < 0 && advance(&s))
			continue;
		if (at < 0) {
			at = choose(&s, true);
			if (at < 0)
				return false;
			p->forced++;
		}
		begin(&s, at);
		begun++;
	}
	while (advance(&s))
		;
	measure(&s);
	return true;
}

/* As many as 1F1B makes the set of ranks hold that holds most. */
static int customary_hold(struct arena *a, const struct pass_plan *p)
{
	int *credits = ARENA_ARRAY(a, int, p->nranks), most = 1;
	for (int i = 0; i < p->places.n; i++) {
		const struct pass_place *x = &p->places.at[i];
		credits[x->ranks] += x->kind == PASS_FORWARD ? x->credits : 0;
		most = credits[x->ranks] > most ? credits[x->ranks] : most;
	}
	return most;
}

enum { MOST_PREFERENCES = 8 };

static int preferences_of(enum schedule schedule, struct preference list[MOST_PREFERENCES])
{
	int n = 0;
	for (int i = 0; i < MOST_PREFERENCES; i++) {
		bool forward_first = i & 1, weights_at_once = i & 2, ahead = i & 4;
		if ((i && schedule == SCHEDULE_GPIPE) || (i > 1 && !schedule_splits(schedule)))
			break;
		list[n++] = (struct preference){.ahead = ahead,
						.before = {[PASS_FORWARD] = forward_first ? 0 : 3,
							   [PASS_BACKWARD] = 1,
							   [PASS_WEIGHTS] = weights_at_once ? 2 : 4}};
	}
	return n;
}

bool schedule_passes(struct arena *a, struct pass_plan *p)
{
	struct preference preferences[MOST_PREFERENCES];
	int n = preferences_of(p->schedule, preferences), best = 0;
	int64_t least = INT64_MAX;
	p->hold = p->hold ? p->hold : customary_hold(a, p);
	for (int i = 0; i < n; i++) {
		if (!simulate(a, p, &preferences[i]))
			return false;
		if (p->span + p->period < least) {
			least = p->span + p->period;
			best = i;
		}
	}
	simulate(a, p, &preferences[best]);
	put_in_order(a, p);
	return true;
}
