/* network_prune.c — values that no best assignment needs: forbidden ones, and those that another value of the same
 * variable undercuts whatever the others are (dead-end elimination: R. F. Goldstein, Biophysical Journal 66, 1994).
 * Costs are compared in their order, which additions keep, so the least difference of sums is at least the sum of the
 * least differences. Of two values that are never worse than each other the lower one stays. What goes wakes its
 * neighbours, until nothing goes any more. */
#include "network.h"

#include <string.h>

struct pruner {
	const struct network *net;
	struct arena *arena;
	bool **lives;        /* per variable and value; at least one value of each */
	VEC(int) * touching; /* per variable: factors that mention it */
	bool *waits;         /* per variable: it is in the queue */
	VEC(int) queue;
};

/* ---- differences of costs: members may be below 0; false if one does not fit ---- */

static bool cost_between(struct cost a, struct cost b, struct cost *difference)
{
	*difference = (struct cost){0};
	return a.again < INT64_MAX && a.bytes < INT64_MAX && a.work < INT64_MAX && b.again < INT64_MAX &&
	       b.bytes < INT64_MAX && b.work < INT64_MAX &&
	       !__builtin_sub_overflow(a.again, b.again, &difference->again) &&
	       !__builtin_sub_overflow(a.bytes, b.bytes, &difference->bytes) &&
	       !__builtin_sub_overflow(a.work, b.work, &difference->work);
}

static bool cost_increase(struct cost *sum, struct cost difference)
{
	return !__builtin_add_overflow(sum->again, difference.again, &sum->again) &&
	       !__builtin_add_overflow(sum->bytes, difference.bytes, &sum->bytes) &&
	       !__builtin_add_overflow(sum->work, difference.work, &sum->work);
}

/* ---- one factor: the assignments of its other variables to values that live ---- */

struct walk {
	const struct factor_table *factor;
	int own, *value; /* the place of the variable in question; a value for each place, that one's is 0 */
	int64_t *stride, at;
};

/* The first value from `value` on that lives; the number of values if there is none. */
static int living(const struct pruner *p, int var, int value)
{
	while (value < p->net->domains.at[var] && !p->lives[var][value])
		value++;
	return value;
}

static void walk_set(struct walk *w, int place, int value)
{
	w->at += (value - w->value[place]) * w->stride[place];
	w->value[place] = value;
}

static struct walk walk_begin(const struct pruner *p, const struct factor_table *f, int var, struct arena *a)
{
	struct walk w = {
		.factor = f, .value = ARENA_ARRAY(a, int, f->nvars), .stride = ARENA_ARRAY(a, int64_t, f->nvars)};
	int64_t stride = 1;
	for (int i = f->nvars - 1; i >= 0; i--) {
		w.stride[i] = stride;
		stride *= p->net->domains.at[f->vars[i]];
		if (f->vars[i] == var)
			w.own = i;
		else
			walk_set(&w, i, living(p, f->vars[i], 0));
	}
	return w;
}

static bool walk_next(const struct pruner *p, struct walk *w)
{
	for (int i = w->factor->nvars - 1; i >= 0; i--) {
		int var = w->factor->vars[i];
		if (i == w->own)
			continue;
		int next = living(p, var, w->value[i] + 1);
		if (next < p->net->domains.at[var]) {
			walk_set(w, i, next);
			return true;
		}
		walk_set(w, i, living(p, var, 0));
	}
	return false;
}

/* ---- dominance ---- */

enum verdict { MAY_BE_BETTER, IS_NEVER_BETTER, IS_FORBIDDEN };

/* What v costs more than w in a factor, whatever the others are, at least: is added to *more. */
static enum verdict compare_in(const struct pruner *p, struct walk w, int v, int other, struct cost *more)
{
	struct cost least = {.forbidden = true}, d;
	do {
		struct cost a = w.factor->at[w.at + v * w.stride[w.own]],
			    b = w.factor->at[w.at + other * w.stride[w.own]];
		if (a.forbidden)
			continue;
		if (b.forbidden || !cost_between(a, b, &d))
			return MAY_BE_BETTER;
		if (least.forbidden || cost_less(d, least))
			least = d;
	} while (walk_next(p, &w));
	if (least.forbidden)
		return IS_FORBIDDEN;
	return cost_increase(more, least) ? IS_NEVER_BETTER : MAY_BE_BETTER;
}

/* Whether v may go because of w. Large tables are not looked through: there v may be better. */
static bool is_dominated(const struct pruner *p, int var, int v, int w, struct arena *a)
{
	enum { LARGE = 1 << 14 };
	static const struct cost nothing;
	struct cost more = {0};
	for (int i = 0; i < p->touching[var].n; i++) {
		const struct factor_table *f = &p->net->factors.at[p->touching[var].at[i]];
		if (network_size(p->net, f->nvars, f->vars) > LARGE)
			return false;
		enum verdict verdict = compare_in(p, walk_begin(p, f, var, a), v, w, &more);
		if (verdict != IS_NEVER_BETTER)
			return verdict == IS_FORBIDDEN;
	}
	return cost_less(nothing, more) || (cost_equal(nothing, more) && w < v);
}

static void wake(struct pruner *p, int var)
{
	if (!p->waits[var])
		vec_push(p->arena, &p->queue, var);
	p->waits[var] = true;
}

static void end_value(struct pruner *p, int var, int value)
{
	p->lives[var][value] = false;
	for (int i = 0; i < p->touching[var].n; i++) {
		const struct factor_table *f = &p->net->factors.at[p->touching[var].at[i]];
		for (int k = 0; k < f->nvars; k++)
			wake(p, f->vars[k]);
	}
}

static void prune_variable(struct pruner *p, int var)
{
	int n = p->net->domains.at[var];
	struct arena *a = arena_new("solve: dominance");
	for (int v = n - 1; v >= 0; v--)
		for (int w = living(p, var, 0); w < n && p->lives[var][v]; w = living(p, var, w + 1))
			if (w != v && is_dominated(p, var, v, w, a))
				end_value(p, var, v);
	arena_free(a);
}

/* ---- what is left ---- */

/* A table with the entries of values that live. */
static void cut_factor(const struct pruner *p, const struct factor_table *f, struct network *pruned)
{
	struct walk w = walk_begin(p, f, -1, p->arena);
	w.own = -1;
	struct cost *at = network_factor(pruned, f->nvars, f->vars);
	do
		*at++ = f->at[w.at];
	while (walk_next(p, &w));
}

int **network_prune(const struct network *n, struct network *pruned, struct arena *a)
{
	int nvars = n->domains.n;
	struct pruner p = {
		.net = n, .arena = a, .lives = ARENA_ARRAY(a, bool *, nvars), .waits = ARENA_ARRAY(a, bool, nvars)};
	p.touching = arena_alloc(a, sizeof *p.touching * (size_t)nvars);
	for (int i = 0; i < n->factors.n; i++)
		for (int k = 0; k < n->factors.at[i].nvars; k++)
			vec_push(a, &p.touching[n->factors.at[i].vars[k]], i);
	for (int v = 0; v < nvars; v++) {
		p.lives[v] = ARENA_ARRAY(a, bool, n->domains.at[v]);
		memset(p.lives[v], true, sizeof *p.lives[v] * (size_t)n->domains.at[v]);
		wake(&p, v);
	}
	for (int i = 0; i < p.queue.n; i++) {
		p.waits[p.queue.at[i]] = false;
		prune_variable(&p, p.queue.at[i]);
	}
	int **kept = ARENA_ARRAY(a, int *, nvars);
	network_init(pruned, a);
	for (int v = 0; v < nvars; v++) {
		int values = 0;
		kept[v] = ARENA_ARRAY(a, int, n->domains.at[v]);
		for (int k = living(&p, v, 0); k < n->domains.at[v]; k = living(&p, v, k + 1))
			kept[v][values++] = k;
		network_variable(pruned, values);
	}
	for (int i = 0; i < n->factors.n; i++)
		cut_factor(&p, &n->factors.at[i], pruned);
	return kept;
}
