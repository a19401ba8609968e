/* level.c — see level.h. */
#define _POSIX_C_SOURCE 200809L
#include "level.h"

#include <string.h>
#include <time.h>

enum { PASSES_PER_STEP = 3, MOST_ROUNDS = 20, PASSES_TO_LOOK = 10, PASSES_TO_SETTLE = 60 };

double search_clock(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

struct deadline search_deadline(struct solve_limit limit)
{
	return (struct deadline){search_clock() + limit.seconds, limit.effort > 0 ? limit.effort : INT64_MAX};
}

bool search_is_late(const struct search *s)
{
	return s->effort >= s->deadline.effort || search_clock() > s->deadline.time;
}

/* ---- making ---- */

static void drop_dual(struct level *l)
{
	if (l->dual)
		arena_free(l->dual->arena);
	l->dual = NULL;
	l->step = 1;
}

void level_begin(struct level *l, const struct level *parent, const struct core *from, bool **alive)
{
	*l = (struct level){
		.parent = parent, .step = 1, .history = {.arena = arena_new("solve: steps")}, .bound = -CORE_LARGEST};
	l->core = core_sub(from, &l->history);
	if (parent || alive)
		l->core = core_reduce(l->core, alive);
	l->held = arena_used(l->core->arena) + (parent ? parent->held : 0);
	if (l->core->infeasible)
		l->bound = CORE_FORBIDDEN;
}

void level_end(struct level *l)
{
	drop_dual(l);
	core_free(l->core);
	arena_free(l->history.arena);
}

/* ---- assignments ---- */

/* The values of the root's variables. */
static int *values_of_root(const struct level *l, const int *value, struct arena *a)
{
	int *now = NULL;
	for (; l; l = l->parent) {
		now = ARENA_ARRAY(a, int, l->core->nnodes);
		core_choices(l->core, value, now);
		value = now;
	}
	return now;
}

void level_offer(struct search *s, const struct level *l, const int *value)
{
	int64_t cost = core_cost(l->core, value);
	if (core_forbids(cost) || cost > s->upper)
		return;
	struct arena *a = arena_new("solve: offer");
	int *values = values_of_root(l, value, a);
	int64_t *used = ARENA_ARRAY(a, int64_t, s->root->nrows + 1);
	cost = core_cost(s->root, values);
	if (cost <= s->upper && core_memory(s->root, values, used)) {
		if (s->root->nvars)
			memcpy(s->best, values, sizeof *values * (size_t)s->root->nvars);
		s->cost = cost;
		s->found = true;
		s->upper = cost - s->unit;
	}
	arena_free(a);
}

/* ---- bounds ---- */

bool **level_alive(const struct level *l, struct arena *a)
{
	bool **alive = ARENA_ARRAY(a, bool *, l->core->nvars);
	for (int v = 0; v < l->core->nvars; v++) {
		alive[v] = ARENA_ARRAY(a, bool, l->core->var[v].n);
		memset(alive[v], true, sizeof **alive * (size_t)l->core->var[v].n);
	}
	return alive;
}

struct dual *level_dual(struct search *s, const struct level *l, struct arena *a)
{
	struct dual *d = dual_new(l->core, a);
	for (int i = 0; i < PASSES_TO_LOOK; i++)
		dual_pass(d);
	s->effort += 2 * PASSES_TO_LOOK * core_effort(l->core);
	return d;
}

/* How far a step of the prices is to lift the bound: to the best cost known; but where none is known, or it is far off,
 * by a tenth. */
static double goal_of(const struct search *s, int64_t bound)
{
	double all = (double)(s->upper - bound), tenth = 0.1 * (double)(bound < 0 ? -bound : bound) + (double)s->unit;
	return s->found || all < tenth ? all : tenth;
}

struct ascent {
	struct dual *dual, *best;
	int64_t bound;
	double step;
	int stale;
	int *value;
};

static void ascend_once(struct search *s, const struct level *l, struct ascent *x, bool steps)
{
	int64_t now = dual_pass(x->dual);
	if (now > x->bound) {
		x->bound = now;
		dual_take(x->best, x->dual);
		x->stale = 0;
	} else if (++x->stale > 5 * PASSES_PER_STEP) {
		x->stale = 0;
		x->step *= 0.6;
		dual_take(x->dual, x->best);
	}
	if (!steps)
		return;
	dual_decode(x->dual, x->value);
	if (dual_fits(x->dual, x->value))
		level_offer(s, l, x->value);
	if (l->core->nrows)
		dual_step(x->dual, x->step * goal_of(s, x->bound));
}

/* Lifts the bound by passes and steps of the prices until it is above s->upper or little more comes of it. */
static int64_t ascend(struct search *s, struct level *l, struct dual *d, int most)
{
	enum { OFTEN = 100 };
	struct arena *a = arena_new("solve: ascent");
	struct ascent x = {.dual = d, .best = dual_copy(d, a), .bound = -CORE_LARGEST, .step = l->step};
	int64_t before = -CORE_LARGEST, effort = 2 * core_effort(l->core);
	x.value = ARENA_ARRAY(a, int, l->core->nvars);
	for (int i = 1; i <= most && x.bound <= s->upper && x.step > 1e-4; i++) {
		if (i > 1 && search_is_late(s))
			break;
		ascend_once(s, l, &x, i % PASSES_PER_STEP == 0);
		s->effort += effort;
		if (i % OFTEN)
			continue;
		if (x.bound - before < (s->upper - x.bound) / 200)
			break;
		before = x.bound;
	}
	dual_take(d, x.best);
	l->step = x.step * 1.5 < 1 ? x.step * 1.5 : 1;
	arena_free(a);
	return x.bound;
}

static void lift(struct level *l, int64_t bound)
{
	l->bound = bound > l->bound ? bound : l->bound;
}

/* Shrinks the core by the values that lift the bound over s->upper; how many. */
static int shrink(struct search *s, struct level *l, struct dual *d)
{
	struct arena *a = arena_new("solve: shrinking");
	bool **alive = level_alive(l, a);
	int64_t bound = dual_pass(d);
	lift(l, bound);
	int killed = dual_fix(d, bound, s->upper, alive);
	s->effort += 3 * core_effort(l->core);
	if (l->core->nrows)
		memcpy(l->core->price, d->price, sizeof *d->price * (size_t)l->core->nrows);
	if (killed) {
		l->core = core_reduce(l->core, alive);
		s->effort += l->core->spent;
	}
	if (l->core->infeasible)
		lift(l, s->upper + s->unit);
	arena_free(a);
	return killed;
}

static int count_values(const struct core *c)
{
	int n = 0;
	for (int v = 0; v < c->nvars; v++)
		n += c->var[v].n;
	return n;
}

/* One turn of bounding and shrinking; whether another may help. */
static bool tighten(struct search *s, struct level *l, int passes)
{
	int values = count_values(l->core), killed = 0;
	if (!l->dual)
		l->dual = dual_new(l->core, arena_new("solve: bound"));
	lift(l, ascend(s, l, l->dual, passes));
	if (l->bound <= s->upper && !search_is_late(s))
		killed = shrink(s, l, l->dual);
	if (killed || l->parent)
		drop_dual(l);
	return killed && killed * 20 >= values;
}

static bool is_open(const struct search *s, const struct level *l)
{
	return l->core->nvars && !level_is_done(s, l) && !search_is_late(s);
}

/* Without rows of memory, elimination settles most cores, if need be when a few passes have shrunk them. Where it does
 * not, nothing more is tried before values have been compared. */
static void settle(struct search *s, struct level *l)
{
	if (!core_is_narrow(l->core) && is_open(s, l))
		tighten(s, l, PASSES_TO_SETTLE);
	if (core_is_narrow(l->core) && !level_is_done(s, l))
		level_eliminate(s, l);
}

static void tighten_all(struct search *s, struct level *l, int passes)
{
	bool again = true;
	if (core_is_narrow(l->core) && !level_is_done(s, l))
		level_eliminate(s, l);
	for (int i = 0; i < MOST_ROUNDS && again && is_open(s, l); i++)
		again = tighten(s, l, passes);
	if (is_open(s, l))
		level_eliminate(s, l);
}

void level_tighten(struct search *s, struct level *l, int passes)
{
	if (l->core->compares)
		tighten_all(s, l, passes);
	else
		settle(s, l);
	if (l->core->nvars || l->core->infeasible)
		return;
	level_offer(s, l, (int[]){0});
	lift(l, l->core->constant);
}

bool level_is_done(const struct search *s, const struct level *l)
{
	return l->core->infeasible || l->bound > s->upper;
}
