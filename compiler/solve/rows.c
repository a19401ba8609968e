/* rows.c — fewer rows of memory. What a variable takes with each of its values is a matter of the limits; a row that
 * even the largest values keep says nothing; nor does one next to a row in which every variable takes at least as much,
 * with no more room. */
#include "core.h"

#include <stdlib.h>
#include <string.h>

/* ---- what every value takes ---- */

static int64_t least(const int64_t *at, int n)
{
	int64_t x = at[0];
	for (int i = 1; i < n; i++)
		x = at[i] < x ? at[i] : x;
	return x;
}

static int64_t most(const int64_t *at, int n)
{
	int64_t x = at[0];
	for (int i = 1; i < n; i++)
		x = at[i] > x ? at[i] : x;
	return x;
}

static bool same_span(const struct core_item *x, const struct core_item *y)
{
	return x->from == y->from && x->to == y->to;
}

/* By span, so that equal ones stand together; insertion sort: mostly sorted, and short. */
static int compare_spans(const void *x, const void *y)
{
	const struct core_item *a = x, *b = y;
	return a->from != b->from ? (a->from > b->from) - (a->from < b->from) : (a->to > b->to) - (a->to < b->to);
}

/* Items of the same span become one, the least usage goes to `taken`, items of nothing go. */
static void tidy_items(struct core_var *v, int64_t *taken)
{
	int n = 0;
	if (v->items.n > 1)
		qsort(v->items.at, (size_t)v->items.n, sizeof *v->items.at, compare_spans);
	for (int i = 0; i < v->items.n; i++) {
		struct core_item *x = &v->items.at[i];
		if (x->from >= x->to)
			continue;
		if (n && same_span(&v->items.at[n - 1], x))
			for (int k = 0; k < v->n; k++)
				v->items.at[n - 1].usage[k] += x->usage[k];
		else
			v->items.at[n++] = *x;
	}
	v->items.n = n;
	n = 0;
	for (int i = 0; i < v->items.n; i++) {
		struct core_item *x = &v->items.at[i];
		int64_t low = least(x->usage, v->n);
		taken[x->from] += low;
		taken[x->to] -= low;
		for (int k = 0; k < v->n; k++)
			x->usage[k] -= low;
		if (most(x->usage, v->n) > 0)
			v->items.at[n++] = *x;
	}
	v->items.n = n;
}

static void take_least(struct core *c, struct arena *a)
{
	int64_t *taken = ARENA_ARRAY(a, int64_t, c->nrows + 1), now = 0;
	for (int v = 0; v < c->nvars; v++)
		tidy_items(&c->var[v], taken);
	for (int r = 0; r < c->nrows; r++) {
		now += taken[r];
		c->limit[r] -= now;
		c->infeasible |= c->limit[r] < 0;
	}
}

/* ---- rows that are implied ---- */

/* Items by the row where they begin (or end). */
struct turn {
	int var;
	const struct core_item *item;
	bool begins;
};

struct turns {
	int *first; /* by row: into at; nrows + 2 */
	struct turn *at;
};

static struct turns find_turns(const struct core *c, struct arena *a)
{
	struct turns t = {.first = ARENA_ARRAY(a, int, c->nrows + 2)};
	for (int v = 0; v < c->nvars; v++)
		for (int i = 0; i < c->var[v].items.n; i++) {
			t.first[c->var[v].items.at[i].from + 1]++;
			t.first[c->var[v].items.at[i].to + 1]++;
		}
	for (int r = 0; r <= c->nrows; r++)
		t.first[r + 1] += t.first[r];
	t.at = ARENA_ARRAY(a, struct turn, t.first[c->nrows + 1]);
	int *next = ARENA_ARRAY(a, int, c->nrows + 1);
	memcpy(next, t.first, sizeof *next * (size_t)(c->nrows + 1));
	for (int v = 0; v < c->nvars; v++) /* so the turns of a variable stand together */
		for (int i = 0; i < c->var[v].items.n; i++) {
			const struct core_item *x = &c->var[v].items.at[i];
			t.at[next[x->from]++] = (struct turn){v, x, true};
			t.at[next[x->to]++] = (struct turn){v, x, false};
		}
	return t;
}

/* What changes from row r - 1 to r: *up if no value of a variable takes less, *down if none takes more. */
static void compare_rows(const struct core *c, const struct turns *t, int r, int64_t *delta, bool *up, bool *down)
{
	*up = *down = true;
	for (int i = t->first[r], end; i < t->first[r + 1] && (*up || *down); i = end) {
		const struct core_var *v = &c->var[t->at[i].var];
		memset(delta, 0, sizeof *delta * (size_t)v->n);
		for (end = i; end < t->first[r + 1] && t->at[end].var == t->at[i].var; end++)
			for (int k = 0; k < v->n; k++)
				delta[k] += t->at[end].begins ? t->at[end].item->usage[k] : -t->at[end].item->usage[k];
		*up &= least(delta, v->n) >= 0;
		*down &= most(delta, v->n) <= 0;
	}
}

static void mark_slack(const struct core *c, struct arena *a, bool *drop)
{
	int64_t *sum = ARENA_ARRAY(a, int64_t, c->nrows + 1), now = 0;
	for (int v = 0; v < c->nvars; v++)
		for (int i = 0; i < c->var[v].items.n; i++) {
			const struct core_item *x = &c->var[v].items.at[i];
			int64_t high = most(x->usage, c->var[v].n);
			sum[x->from] += high;
			sum[x->to] -= high;
		}
	for (int r = 0; r < c->nrows; r++) {
		now += sum[r];
		drop[r] = now <= c->limit[r];
	}
}

/* The price of a row that goes is paid in the one that implies it. */
static void imply(struct core *c, bool *drop, int gone, int by)
{
	drop[gone] = true;
	c->price[by] += c->price[gone];
	c->price[gone] = 0;
}

/* A row goes for its neighbour only, so the last of a chain of such rows stays. */
static void mark_implied(struct core *c, struct arena *a, bool *drop)
{
	struct turns t = find_turns(c, a);
	int widest = 1;
	for (int v = 0; v < c->nvars; v++)
		widest = c->var[v].n > widest ? c->var[v].n : widest;
	int64_t *delta = ARENA_ARRAY(a, int64_t, widest);
	for (int r = 1; r < c->nrows; r++) {
		bool up, down;
		compare_rows(c, &t, r, delta, &up, &down);
		if (up && c->limit[r - 1] >= c->limit[r])
			imply(c, drop, r - 1, r);
		else if (down && c->limit[r] >= c->limit[r - 1])
			imply(c, drop, r, r - 1);
	}
}

static bool drop_rows(struct core *c, const bool *drop, struct arena *a)
{
	int *at = ARENA_ARRAY(a, int, c->nrows + 1), n = 0;
	for (int r = 0; r < c->nrows; r++) {
		at[r] = n;
		if (drop[r])
			continue;
		c->limit[n] = c->limit[r];
		c->price[n++] = c->price[r];
	}
	at[c->nrows] = n;
	bool fewer = n < c->nrows;
	c->nrows = n;
	for (int v = 0; v < c->nvars; v++)
		for (int i = 0; i < c->var[v].items.n; i++) {
			struct core_item *x = &c->var[v].items.at[i];
			x->from = at[x->from];
			x->to = at[x->to];
		}
	return fewer;
}

void core_prune_rows(struct core *c)
{
	for (bool fewer = true; fewer && !c->infeasible;) {
		struct arena *a = arena_new("solve: rows");
		take_least(c, a);
		bool *drop = ARENA_ARRAY(a, bool, c->nrows);
		mark_slack(c, a, drop);
		fewer = drop_rows(c, drop, a);
		drop = ARENA_ARRAY(a, bool, c->nrows);
		mark_implied(c, a, drop);
		fewer |= drop_rows(c, drop, a);
		arena_free(a);
	}
}
