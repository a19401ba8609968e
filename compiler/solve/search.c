/* search.c — see search.h. */
#define _POSIX_C_SOURCE 200809L
#include "search.h"

#include <string.h>

enum { PASSES_PER_STEP = 3, MOST_ROUNDS = 20 };

/* A subproblem: its core's nodes are the variables of the parent's core. */
struct level {
	const struct level *parent;
	struct core *core;
	struct core_history history;
};

double search_clock(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool is_over(struct search *s)
{
	if (!s->stopped && (search_clock() > s->deadline || s->nodes > s->most_nodes))
		s->stopped = true;
	return s->stopped;
}

/* ---- levels ---- */

static void level_begin(struct level *l, const struct level *parent, const struct core *from, bool **alive)
{
	*l = (struct level){.parent = parent, .history = {.arena = arena_new("solve: steps")}};
	l->core = core_reduce(core_sub(from, &l->history), alive);
}

static void level_end(struct level *l)
{
	core_free(l->core);
	arena_free(l->history.arena);
}

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

/* An assignment of a level that fits into memory. */
static void offer(struct search *s, const struct level *l, const int *value)
{
	int64_t cost = core_cost(l->core, value);
	if (core_forbids(cost) || cost > s->upper)
		return;
	struct arena *a = arena_new("solve: offer");
	int *values = values_of_root(l, value, a);
	int64_t *used = ARENA_ARRAY(a, int64_t, s->root->nrows + 1);
	cost = core_cost(s->root, values);
	if (cost <= s->upper && core_memory(s->root, values, used)) {
		memcpy(s->best, values, sizeof *values * (size_t)s->root->nvars);
		s->cost = cost;
		s->found = true;
		s->upper = cost - s->unit;
	}
	arena_free(a);
}

/* ---- bounds ---- */

static int64_t ascend(struct search *s, const struct level *l, struct dual *d, int most)
{
	const struct core *c = l->core;
	struct dual *best = dual_copy(d, d->arena);
	int *value = ARENA_ARRAY(d->arena, int, c->nvars);
	int64_t bound = -CORE_LARGEST, bound_before = -CORE_LARGEST;
	double step = 1;
	int stale = 0;
	for (int i = 0; i < most && bound <= s->upper && step > 1e-4 && !is_over(s); i++) {
		int64_t now = dual_pass(d);
		if (now > bound) {
			bound = now;
			dual_take(best, d);
			stale = 0;
		} else if (++stale > 5 * PASSES_PER_STEP) {
			stale = 0;
			step *= 0.6;
			dual_take(d, best);
		}
		if (i % 100 == 99) {
			if (bound - bound_before < (s->upper - bound) / 200)
				break;
			bound_before = bound;
		}
		if (i % PASSES_PER_STEP != PASSES_PER_STEP - 1)
			continue;
		dual_decode(d, value);
		if (dual_fits(d, value))
			offer(s, l, value);
		if (!c->nrows)
			continue;
		double goal = (double)(s->upper - bound), modest = 0.1 * (double)(bound < 0 ? -bound : bound) + 4096;
		dual_step(d, step * (s->found || goal < modest ? goal : modest));
	}
	dual_take(d, best);
	return bound;
}

static bool **all_alive(const struct core *c, struct arena *a)
{
	bool **alive = ARENA_ARRAY(a, bool *, c->nvars);
	for (int v = 0; v < c->nvars; v++) {
		alive[v] = ARENA_ARRAY(a, bool, c->var[v].n);
		memset(alive[v], true, sizeof **alive * (size_t)c->var[v].n);
	}
	return alive;
}

static int count_values(const struct core *c)
{
	int n = 0;
	for (int v = 0; v < c->nvars; v++)
		n += c->var[v].n;
	return n;
}

/* Bounds and reduces a level in turn as long as that helps. */
static int64_t tighten(struct search *s, struct level *l, int passes)
{
	int64_t bound = -CORE_LARGEST;
	for (int round = 0; round < MOST_ROUNDS && !l->core->infeasible && l->core->nvars; round++) {
		struct arena *a = arena_new("solve: bound");
		struct dual *d = dual_new(l->core, a);
		int64_t now = ascend(s, l, d, passes);
		bound = now > bound ? now : bound;
		int values = count_values(l->core), killed = 0;
		if (bound <= s->upper) {
			bool **alive = all_alive(l->core, a);
			now = dual_pass(d);
			bound = now > bound ? now : bound;
			killed = dual_fix(d, now, s->upper, alive);
			memcpy(l->core->price, d->price, sizeof *d->price * (size_t)l->core->nrows);
			if (killed)
				l->core = core_reduce(l->core, alive);
		}
		arena_free(a);
		if (bound > s->upper || is_over(s) || killed * 20 < values)
			break;
	}
	return bound;
}

/* ---- branching ---- */

struct branch {
	int value;
	int64_t cost; /* about what it adds to the bound */
};

static int64_t spread(const struct dual *d, int var, int64_t gap)
{
	const struct core_var *x = &d->core->var[var];
	int64_t least = INT64_MAX, low = INT64_MAX, high = INT64_MIN;
	dual_total(d, var, d->total);
	for (int k = 0; k < x->n; k++)
		least = d->total[k] < least ? d->total[k] : least;
	for (int k = 0; k < x->n; k++) {
		int64_t paid = d->theta[var][k] - x->cost[k];
		if (d->total[k] - least > gap)
			continue;
		low = paid < low ? paid : low;
		high = paid > high ? paid : high;
	}
	return high - low;
}

static int choose_variable(const struct dual *d, int64_t gap)
{
	int best = 0;
	double score = -1;
	for (int v = 0; v < d->core->nvars; v++) {
		double now = (double)spread(d, v, gap) + 1e-3 * (double)d->core->var[v].edges.n;
		if (now > score) {
			score = now;
			best = v;
		}
	}
	return best;
}

static int order_values(const struct dual *d, int var, struct branch *to)
{
	const struct core_var *x = &d->core->var[var];
	dual_total(d, var, d->total);
	for (int k = 0; k < x->n; k++) {
		int i = k;
		for (; i > 0 && to[i - 1].cost > d->total[k]; i--)
			to[i] = to[i - 1];
		to[i] = (struct branch){k, d->total[k]};
	}
	return x->n;
}

static int64_t search_level(struct search *s, struct level *l, int passes);

static int64_t search_branches(struct search *s, struct level *l, int64_t bound)
{
	struct arena *a = arena_new("solve: branches");
	struct dual *d = dual_new(l->core, a);
	for (int i = 0; i < 10; i++)
		dual_pass(d);
	int var = choose_variable(d, s->upper - bound);
	struct branch *b = ARENA_ARRAY(a, struct branch, l->core->var[var].n);
	int n = order_values(d, var, b);
	int64_t least = CORE_FORBIDDEN;
	for (int i = 0; i < n; i++) {
		if (is_over(s)) {
			least = bound < least ? bound : least;
			break;
		}
		struct level next;
		bool **alive = all_alive(l->core, a);
		memset(alive[var], false, sizeof **alive * (size_t)n);
		alive[var][b[i].value] = true;
		level_begin(&next, l, l->core, alive);
		int64_t now = search_level(s, &next, 60);
		now = now > bound ? now : bound;
		least = now < least ? now : least;
		level_end(&next);
	}
	arena_free(a);
	return least;
}

static int64_t search_level(struct search *s, struct level *l, int passes)
{
	s->nodes++;
	int64_t bound = tighten(s, l, passes);
	if (l->core->infeasible || bound > s->upper)
		return l->core->infeasible && s->found ? s->upper + s->unit
		       : l->core->infeasible           ? CORE_FORBIDDEN
						       : bound;
	if (!l->core->nvars) {
		offer(s, l, (int[]){0});
		return l->core->constant;
	}
	if (is_over(s))
		return bound;
	return search_branches(s, l, bound);
}

/* ---- the whole ---- */

void search_init(struct search *s, const struct core *root, struct arena *a, double deadline)
{
	*s = (struct search){
		.root = root, .arena = a, .deadline = deadline, .upper = CORE_LARGEST, .most_nodes = INT64_MAX};
	s->best = ARENA_ARRAY(a, int, root->nvars);
	s->unit = root->scale > 0 ? (int64_t)1 << root->scale : 1;
}

int64_t search_run(struct search *s)
{
	struct level l;
	level_begin(&l, NULL, s->root, NULL);
	int64_t bound = search_level(s, &l, 1000);
	level_end(&l);
	return bound;
}
