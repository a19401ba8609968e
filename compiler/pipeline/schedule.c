/* schedule.c — the simulation. At every moment each idle set of ranks begins the best pass that is ready.
 *
 * 1F1B: a forward pass needs a credit, which it gives back when every pass of its micro-batch that reads what it made
 * is done (its own backward pass comes last). With p - s credits in stage s the known order comes out: warm-up, one
 * forward one backward, cool-down (Narayanan et al., PipeDream-2BW, 2021). Where both directions are ready, it matters
 * for stages of unequal length which goes first: both rules are tried and the sooner end is taken. GPipe: no credits; a
 * backward pass begins when these ranks have no forward pass left (Huang et al., GPipe, 2019). */
#include "schedule.h"

#include <stdlib.h>

struct simulation {
	struct pass_plan *plan;
	struct arena *arena;
	bool forward_first;
	int64_t now;
	int *waits;          /* by unit */
	int64_t *busy_until; /* by set of ranks */
	int *forward_left;   /* by set of ranks */
	int *held;           /* by place */
	int *readers;        /* by unit: of its micro-batch, not done yet */
	VEC(int) * reads;    /* by unit: units of its micro-batch that it reads */
	VEC(int) ready, running;
};

static bool is_backward(const struct pass_plan *p, int u)
{
	return p->places.at[p->units.at[u].place].backward;
}

/* Which of two ready passes goes first. */
static bool better(const struct simulation *s, int a, int b)
{
	const struct pass_plan *p = s->plan;
	const struct pass_unit *x = &p->units.at[a], *y = &p->units.at[b];
	if (is_backward(p, a) != is_backward(p, b))
		return is_backward(p, a) != s->forward_first;
	if (x->micro != y->micro)
		return x->micro < y->micro;
	return a < b;
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
	if (place->backward)
		return s->plan->schedule != SCHEDULE_GPIPE || !s->forward_left[place->ranks];
	return s->plan->schedule == SCHEDULE_GPIPE || !place->credits || s->held[x->place] < place->credits;
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

static void release(struct simulation *s, int u)
{
	if (!is_backward(s->plan, u))
		s->held[s->plan->units.at[u].place]--;
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
	if (!place->backward) {
		s->forward_left[place->ranks]--;
		if (++s->held[x->place] > place->held)
			place->held = s->held[x->place];
	}
	vec_push(s->arena, &s->running, u);
}

static void finish(struct simulation *s, int u)
{
	struct pass_unit *x = &s->plan->units.at[u];
	for (int i = 0; i < x->after.n; i++)
		if (--s->waits[x->after.at[i]] == 0)
			vec_push(s->arena, &s->ready, x->after.at[i]);
	for (int i = 0; i < s->reads[u].n; i++)
		if (--s->readers[s->reads[u].at[i]] == 0)
			release(s, s->reads[u].at[i]);
	if (!s->readers[u])
		release(s, u);
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

static void set_up(struct simulation *s)
{
	struct pass_plan *p = s->plan;
	int n = p->units.n;
	s->busy_until = ARENA_ARRAY(s->arena, int64_t, p->nranks);
	s->forward_left = ARENA_ARRAY(s->arena, int, p->nranks);
	s->held = ARENA_ARRAY(s->arena, int, p->places.n);
	s->readers = ARENA_ARRAY(s->arena, int, n);
	s->waits = ARENA_ARRAY(s->arena, int, n);
	s->reads = arena_alloc(s->arena, sizeof *s->reads * (size_t)n);
	p->busy = ARENA_ARRAY(s->arena, int64_t, p->nranks);
	p->forced = 0;
	for (int i = 0; i < p->places.n; i++)
		p->places.at[i].held = 0;
	for (int u = 0; u < n; u++)
		s->waits[u] = p->units.at[u].waits;
	for (int u = 0; u < n; u++) {
		struct pass_unit *x = &p->units.at[u];
		if (!is_backward(p, u))
			s->forward_left[p->places.at[x->place].ranks]++;
		for (int i = 0; i < x->after.n; i++) {
			int v = x->after.at[i];
			if (p->units.at[v].micro != x->micro)
				continue;
			s->readers[u]++;
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

static bool simulate(struct arena *a, struct pass_plan *p, bool forward_first)
{
	struct simulation s = {.plan = p, .arena = a, .forward_first = forward_first};
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
	p->span = s.now;
	return true;
}

bool schedule_passes(struct arena *a, struct pass_plan *p)
{
	if (!simulate(a, p, false))
		return false;
	int64_t span = p->span;
	if (p->schedule == SCHEDULE_ONE_F_ONE_B) {
		simulate(a, p, true);
		if (p->span >= span)
			simulate(a, p, false);
	}
	put_in_order(a, p);
	return true;
}
