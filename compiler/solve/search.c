/* search.c — see search.h. Depth first, values that look cheap before others. A dive is one way down, many variables at
 * a time, for large cores that have no solution yet. */
#include "level.h"

#include <string.h>

enum { ROOT_PASSES = 1000, LEVEL_PASSES = 60, DIVE_PASSES = 30 };

#define MOST_HELD ((size_t)1 << 30) /* bytes of nested cores */

static bool is_over(struct search *s)
{
	s->stopped |= s->effort >= s->most_effort || s->nodes >= s->most_nodes || search_is_late(s);
	return s->stopped;
}

/* ---- branching ---- */

struct branch {
	int value;
	int64_t cost; /* with what the messages bring */
};

/* How much the priced memory of a variable's promising values differs. */
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

/* Without prices, or where they do not tell, the variable with the most edges. */
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

static void search_level(struct search *s, struct level *l);

/* The bound of a level is the least of those of its branches. */
static void search_branches(struct search *s, struct level *l)
{
	struct arena *a = arena_new("solve: branches");
	struct dual *d = level_dual(s, l, a);
	int var = choose_variable(d, s->upper - l->bound);
	struct branch *b = ARENA_ARRAY(a, struct branch, l->core->var[var].n);
	int n = order_values(d, var, b);
	int64_t least = CORE_FORBIDDEN;
	for (int i = 0; i < n; i++) {
		if (is_over(s)) {
			least = l->bound;
			break;
		}
		struct level next;
		bool **alive = level_alive(l, a);
		memset(alive[var], false, sizeof **alive * (size_t)n);
		alive[var][b[i].value] = true;
		level_begin(&next, l, l->core, alive);
		s->effort += next.core->spent;
		search_level(s, &next);
		least = next.bound < least ? next.bound : least;
		level_end(&next);
	}
	arena_free(a);
	l->bound = least > l->bound ? least : l->bound;
}

/* Deep searches of large cores would fill the memory and come to no end. */
static bool is_too_deep(struct search *s, const struct level *l)
{
	s->stopped |= l->held > MOST_HELD;
	return s->stopped;
}

static void search_level(struct search *s, struct level *l)
{
	s->nodes++;
	level_tighten(s, l, LEVEL_PASSES);
	if (!level_is_done(s, l) && l->core->nvars && !is_over(s) && !is_too_deep(s, l))
		search_branches(s, l);
}

/* ---- the whole ---- */

void search_init(struct search *s, const struct core *root, struct arena *a, struct deadline deadline)
{
	*s = (struct search){.root = root, .deadline = deadline, .upper = CORE_LARGEST, .bound = -CORE_LARGEST};
	s->best = ARENA_ARRAY(a, int, root->nvars);
	s->unit = root->scale > 0 ? (int64_t)1 << root->scale : 1;
	s->top = ARENA_NEW(a, struct level);
	level_begin(s->top, NULL, root, NULL);
}

void search_end(struct search *s)
{
	level_end(s->top);
}

/* Whatever was ruled out costs more than s->upper, if the bound of the rest says so or not. */
static void note_bound(struct search *s)
{
	int64_t most = s->upper + s->unit;
	s->bound = s->top->bound < most ? s->top->bound : most;
}

static bool is_open(const struct search *s)
{
	return !level_is_done(s, s->top) && s->top->core->nvars;
}

void search_root(struct search *s, int64_t effort)
{
	int64_t passes = effort / (2 * core_effort(s->top->core));
	s->nodes++;
	level_tighten(s, s->top,
		      passes < LEVEL_PASSES  ? LEVEL_PASSES
		      : passes > ROOT_PASSES ? ROOT_PASSES
					     : (int)passes);
	note_bound(s);
	s->stopped = is_open(s);
}

static void allow(struct search *s, int64_t effort, int64_t nodes)
{
	s->most_effort = s->effort + effort;
	s->most_nodes = s->nodes + nodes;
	s->stopped = false;
}

void search_run(struct search *s, int64_t effort, int64_t nodes)
{
	allow(s, effort, nodes);
	if (is_open(s) && !is_over(s))
		search_branches(s, s->top);
	note_bound(s);
}

/* ---- diving ---- */

/* What the messages say of a level. */
struct dive {
	int *value;    /* by variable */
	int64_t *loss; /* by variable: what any other value adds */
	int *order;    /* of the variables: the largest loss first */
};

static int64_t loss_of(const struct dual *d, int var, int value)
{
	int64_t second = INT64_MAX;
	dual_total(d, var, d->total);
	for (int k = 0; k < d->core->var[var].n; k++)
		if (k != value && d->total[k] < second)
			second = d->total[k];
	return second - d->total[value];
}

/* Sorts by loss, the largest first; equal ones by number. */
static void sort_by_loss(struct dive *x, int n)
{
	for (int gap = n / 2; gap; gap /= 2)
		for (int i = gap; i < n; i++) {
			int v = x->order[i], k = i;
			for (; k >= gap; k -= gap) {
				int w = x->order[k - gap];
				if (x->loss[w] > x->loss[v] || (x->loss[w] == x->loss[v] && w < v))
					break;
				x->order[k] = w;
			}
			x->order[k] = v;
		}
}

static struct dive look(struct search *s, const struct level *l, struct arena *a)
{
	int n = l->core->nvars;
	struct dual *d = level_dual(s, l, a);
	struct dive x = {ARENA_ARRAY(a, int, n), ARENA_ARRAY(a, int64_t, n), ARENA_ARRAY(a, int, n)};
	dual_decode(d, x.value);
	for (int v = 0; v < n; v++) {
		x.order[v] = v;
		x.loss[v] = loss_of(d, v, x.value[v]);
	}
	sort_by_loss(&x, n);
	return x;
}

/* The level below, with so many variables fixed; false if there is nothing in it. */
static bool fix(struct search *s, const struct level *l, const struct dive *x, int n, struct level *next,
		struct arena *a)
{
	bool **alive = level_alive(l, a);
	for (int i = 0; i < n; i++) {
		int v = x->order[i];
		memset(alive[v], false, sizeof **alive * (size_t)l->core->var[v].n);
		alive[v][x->value[v]] = true;
	}
	level_begin(next, l, l->core, alive);
	s->effort += next->core->spent;
	level_tighten(s, next, DIVE_PASSES);
	if (!level_is_done(s, next))
		return true;
	level_end(next);
	return false;
}

/* Fixes a third of the variables, then a third of the rest; fewer where that leads nowhere. */
static void dive(struct search *s, struct level *l)
{
	enum { FEW = 30, TRIES = 5 };
	if (is_over(s) || !l->core->nvars)
		return;
	if (l->core->nvars <= FEW) {
		search_branches(s, l);
		return;
	}
	struct arena *a = arena_new("solve: dive");
	struct dive x = look(s, l, a);
	struct level next;
	int n = l->core->nvars / 3;
	for (int i = 0; i < TRIES && !is_over(s); i++, n = (n + 2) / 3) {
		int64_t upper = s->upper;
		if (fix(s, l, &x, n, &next, a)) {
			dive(s, &next);
			level_end(&next);
		}
		if (s->upper < upper)
			break;
	}
	arena_free(a);
}

void search_dive(struct search *s, int64_t effort)
{
	enum { NODES = 2000 };
	allow(s, effort, NODES);
	if (is_open(s))
		dive(s, s->top);
	note_bound(s);
	s->stopped = is_open(s);
}
