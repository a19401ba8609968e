/* core.c — see core.h. */
#include "core.h"

#include "base/map.h"
#include "base/session.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_SCALE = 12 };

/* ---- scale ---- */

static int64_t largest(const int64_t *at, int64_t n)
{
	int64_t most = 0;
	for (int64_t i = 0; i < n; i++)
		if (at[i] < COST_FORBIDDEN) {
			int64_t size = at[i] < 0 ? -(at[i] + 1) + 1 : at[i];
			most = size > most ? size : most;
		}
	return most;
}

/* Largest entries by table, found once. */
static int64_t largest_known(struct map *known, const int64_t *at, int64_t n)
{
	int64_t *most = map_get(known, at);
	if (!most) {
		most = ARENA_NEW(known->arena, int64_t);
		*most = largest(at, n);
		map_set(known, at, most);
	}
	return *most;
}

static int find_scale(const struct core *c, const struct problem *p)
{
	struct map known;
	wide sum = 1;
	int scale = MOST_SCALE;
	map_init(&known, c->arena);
	for (int i = 0; i < p->nnodes; i++)
		sum += largest(p->node[i].cost, p->node[i].nvalues);
	for (int k = 0; k < p->nedges; k++)
		sum += largest_known(&known, p->edge[k].cost, problem_entries(p, &p->edge[k]));
	for (wide at = sum << MOST_SCALE; at >= CORE_LARGEST; at >>= 1)
		scale--;
	return scale;
}

static int64_t scaled(const struct core *c, int64_t cost)
{
	return cost >= COST_FORBIDDEN ? CORE_FORBIDDEN
	       : c->scale < 0         ? cost >> -c->scale
				      : cost * ((int64_t)1 << c->scale);
}

int64_t core_scaled(const struct core *c, wide cost)
{
	return (int64_t)(c->scale < 0 ? -(-cost >> -c->scale) : cost * ((wide)1 << c->scale));
}

wide core_unscaled(const struct core *c, int64_t bound)
{
	return c->scale < 0 ? (wide)bound * ((wide)1 << -c->scale) : -((-(wide)bound) >> c->scale);
}

/* ---- making ---- */

struct maker {
	struct core *core;
	struct map tables; /* scaled ones by the problem's, */
	struct map turned; /* and these by those that they are turned from */
	VEC(struct core_var) vars;
	VEC(struct core_edge) edges;
	VEC(int) nchoices;
};

static int64_t *scaled_table(struct maker *m, const int64_t *at, int64_t n)
{
	int64_t *to = map_get(&m->tables, at);
	if (to)
		return to;
	to = ARENA_ARRAY(m->core->arena, int64_t, n);
	for (int64_t i = 0; i < n; i++)
		to[i] = scaled(m->core, at[i]);
	map_set(&m->tables, at, to);
	return to;
}

static int add_var(struct maker *m, int n)
{
	struct arena *a = m->core->arena;
	struct core_var v = {.n = n, .node = m->vars.n};
	v.cost = ARENA_ARRAY(a, int64_t, n);
	v.label = ARENA_ARRAY(a, int, n);
	for (int i = 0; i < n; i++)
		v.label[i] = i;
	vec_push(a, &m->vars, v);
	vec_push(a, &m->nchoices, n);
	return m->vars.n - 1;
}

struct turned {
	int rows;
	int64_t *at;
};

static int64_t *turned_table(struct maker *m, const int64_t *at, int rows, int columns)
{
	struct turned *t = map_get(&m->turned, at);
	if (t && t->rows == rows)
		return t->at;
	t = ARENA_NEW(m->core->arena, struct turned);
	*t = (struct turned){rows, ARENA_ARRAY(m->core->arena, int64_t, (int64_t)rows * columns)};
	for (int i = 0; i < rows; i++)
		for (int j = 0; j < columns; j++)
			t->at[(int64_t)j * rows + i] = at[(int64_t)i * columns + j];
	map_set(&m->turned, at, t);
	return t->at;
}

/* Adds a table that is the maker's own; it is turned if the variables are in the other order. */
static void add_edge(struct maker *m, int a, int b, const int64_t *at)
{
	int na = m->vars.at[a].n, nb = m->vars.at[b].n;
	if (a > b) {
		add_edge(m, b, a, turned_table(m, at, na, nb));
		return;
	}
	struct core_edge e = {a, b, at};
	vec_push(m->core->arena, &m->edges, e);
}

/* An edge over many nodes is a variable whose values are the entries that are not forbidden, and knows the value of
 * each node. */
static void add_wide_edge(struct maker *m, const struct problem *p, const struct problem_edge *e)
{
	int64_t entries = problem_entries(p, e), n = 0, stride = 1;
	int64_t *entry = ARENA_ARRAY(m->core->arena, int64_t, entries);
	for (int64_t k = 0; k < entries; k++)
		if (e->cost[k] < COST_FORBIDDEN)
			entry[n++] = k;
	if (!n) {
		m->core->infeasible = true;
		return;
	}
	BUG_IF(n > INT32_MAX, "an edge of %lld entries", (long long)n);
	int var = add_var(m, (int)n);
	for (int64_t k = 0; k < n; k++)
		m->vars.at[var].cost[k] = scaled(m->core, e->cost[entry[k]]);
	for (int i = e->nnodes - 1; i >= 0; i--) {
		int values = p->node[e->node[i]].nvalues;
		int64_t *at = ARENA_ARRAY(m->core->arena, int64_t, n * values);
		for (int v = 0; v < values; v++)
			for (int64_t k = 0; k < n; k++)
				at[v * n + k] = entry[k] / stride % values == v ? 0 : CORE_FORBIDDEN;
		add_edge(m, e->node[i], var, at);
		stride *= values;
	}
}

static void add_problem_edge(struct maker *m, const struct problem *p, const struct problem_edge *e)
{
	int64_t n = problem_entries(p, e);
	int a = e->node[0], b = e->node[e->nnodes - 1], na = p->node[a].nvalues;
	if (e->nnodes > 2)
		add_wide_edge(m, p, e);
	else if (a != b)
		add_edge(m, a, b, scaled_table(m, e->cost, n));
	else
		for (int i = 0; i < na; i++)
			m->vars.at[a].cost[i] =
				core_add(m->vars.at[a].cost[i],
					 scaled(m->core, e->cost[e->nnodes == 1 ? i : (int64_t)i * na + i]));
}

static int compare_times(const void *x, const void *y)
{
	const int64_t *a = x, *b = y;
	return (*a > *b) - (*a < *b);
}

static int position(const int64_t *times, int n, int64_t t)
{
	int low = 0;
	while (low < n) {
		int mid = low + (n - low) / 2;
		if (times[mid] < t)
			low = mid + 1;
		else
			n = mid;
	}
	return low;
}

/* A row per span of time in which the same nodes live. */
static void add_memory(struct maker *m, const struct problem *p)
{
	struct core *c = m->core;
	int64_t *times = ARENA_ARRAY(c->arena, int64_t, 2 * (int64_t)p->nnodes);
	int n = 0, distinct = 0;
	for (int i = 0; i < p->nnodes; i++)
		if (p->node[i].usage && p->node[i].from < p->node[i].to) {
			times[n++] = p->node[i].from;
			times[n++] = p->node[i].to;
		}
	qsort(times, (size_t)n, sizeof *times, compare_times);
	for (int i = 0; i < n; i++)
		if (!i || times[i] != times[distinct - 1])
			times[distinct++] = times[i];
	c->nrows = distinct ? distinct - 1 : 0;
	c->limit = ARENA_ARRAY(c->arena, int64_t, c->nrows);
	c->price = ARENA_ARRAY(c->arena, double, c->nrows);
	for (int r = 0; r < c->nrows; r++)
		c->limit[r] = p->limit;
	for (int i = 0; i < p->nnodes; i++) {
		const struct problem_node *x = &p->node[i];
		if (!x->usage || x->from >= x->to)
			continue;
		struct core_item item = {position(times, distinct, x->from), position(times, distinct, x->to),
					 ARENA_ARRAY(c->arena, int64_t, x->nvalues)};
		memcpy(item.usage, x->usage, sizeof *item.usage * (size_t)x->nvalues);
		vec_push(c->arena, &m->vars.at[i].items, item);
	}
}

struct core *core_new(const struct problem *p, struct core_history *h)
{
	struct arena *a = arena_new("solve: core");
	struct core *c = ARENA_NEW(a, struct core);
	*c = (struct core){.arena = a, .history = h};
	struct maker m = {.core = c};
	map_init(&m.tables, a);
	map_init(&m.turned, a);
	c->scale = find_scale(c, p);
	for (int i = 0; i < p->nnodes; i++) {
		add_var(&m, p->node[i].nvalues);
		for (int v = 0; v < p->node[i].nvalues; v++)
			m.vars.at[i].cost[v] = scaled(c, p->node[i].cost[v]);
	}
	if (p->has_limit)
		add_memory(&m, p);
	for (int k = 0; k < p->nedges; k++)
		add_problem_edge(&m, p, &p->edge[k]);
	c->var = m.vars.at;
	c->nvars = c->nnodes = m.vars.n;
	c->edge = m.edges.at;
	c->nedges = m.edges.n;
	c->nchoices = ARENA_ARRAY(h->arena, int, c->nnodes);
	if (c->nnodes)
		memcpy(c->nchoices, m.nchoices.at, sizeof *c->nchoices * (size_t)c->nnodes);
	core_connect(c);
	c->compares = c->nrows > 0;
	return c;
}

void core_free(struct core *c)
{
	arena_free(c->arena);
}

struct core *core_next(const struct core *c)
{
	struct arena *a = arena_new("solve: core");
	struct core *d = ARENA_NEW(a, struct core);
	*d = *c;
	d->arena = a;
	d->nvars = d->nedges = 0;
	d->var = NULL;
	d->edge = NULL;
	d->limit = ARENA_ARRAY(a, int64_t, c->nrows);
	d->price = ARENA_ARRAY(a, double, c->nrows);
	if (c->nrows) {
		memcpy(d->limit, c->limit, sizeof *d->limit * (size_t)c->nrows);
		memcpy(d->price, c->price, sizeof *d->price * (size_t)c->nrows);
	}
	return d;
}

struct core_var core_copy_var(struct arena *a, const struct core_var *x, int node)
{
	struct core_var v = {.n = x->n, .node = node};
	v.cost = ARENA_ARRAY(a, int64_t, x->n);
	v.label = ARENA_ARRAY(a, int, x->n);
	memcpy(v.cost, x->cost, sizeof *v.cost * (size_t)x->n);
	for (int k = 0; k < x->n; k++)
		v.label[k] = k;
	for (int i = 0; i < x->items.n; i++) {
		struct core_item item = {x->items.at[i].from, x->items.at[i].to, ARENA_ARRAY(a, int64_t, x->n)};
		memcpy(item.usage, x->items.at[i].usage, sizeof *item.usage * (size_t)x->n);
		vec_push(a, &v.items, item);
	}
	return v;
}

struct core *core_sub(const struct core *c, struct core_history *h)
{
	struct core *d = core_next(c);
	d->history = h;
	d->nvars = d->nnodes = c->nvars;
	d->nedges = c->nedges;
	d->var = ARENA_ARRAY(d->arena, struct core_var, c->nvars);
	d->edge = ARENA_ARRAY(d->arena, struct core_edge, c->nedges);
	d->nchoices = ARENA_ARRAY(h->arena, int, c->nvars);
	for (int v = 0; v < c->nvars; v++) {
		d->var[v] = core_copy_var(d->arena, &c->var[v], v);
		d->nchoices[v] = c->var[v].n;
	}
	if (c->nedges)
		memcpy(d->edge, c->edge, sizeof *d->edge * (size_t)c->nedges);
	core_connect(d);
	return d;
}

void core_connect(struct core *c)
{
	for (int v = 0; v < c->nvars; v++)
		c->var[v].edges.n = 0;
	for (int k = 0; k < c->nedges; k++) {
		vec_push(c->arena, &c->var[c->edge[k].a].edges, k);
		vec_push(c->arena, &c->var[c->edge[k].b].edges, k);
	}
}

int64_t core_entries(const struct core *c)
{
	int64_t n = 100;
	for (int k = 0; k < c->nedges; k++)
		n += (int64_t)c->var[c->edge[k].a].n * c->var[c->edge[k].b].n;
	for (int v = 0; v < c->nvars; v++)
		n += (int64_t)c->var[v].n * (1 + c->var[v].items.n);
	return n;
}

int64_t core_effort(const struct core *c)
{
	enum { TO_THE_NEXT = 20 };
	return core_entries(c) + TO_THE_NEXT * (c->nvars + c->nedges);
}

/* ---- back to the problem ---- */

int *core_determine(struct core *c, int node, int nby, const int *by)
{
	struct core_step s = {.node = node, .nby = nby};
	int64_t n = 1;
	for (int i = 0; i < nby; i++) {
		s.by[i] = by[i];
		n *= c->nchoices[by[i]];
	}
	int *choice = ARENA_ARRAY(c->history->arena, int, n);
	s.choice = choice;
	vec_push(c->history->arena, &c->history->steps, s);
	return choice;
}

void core_choices(const struct core *c, const int *value, int *choice)
{
	for (int v = 0; v < c->nvars; v++)
		choice[c->var[v].node] = c->var[v].label[value[v]];
	for (int i = c->history->steps.n - 1; i >= 0; i--) {
		const struct core_step *s = &c->history->steps.at[i];
		int64_t at = 0;
		for (int k = 0; k < s->nby; k++)
			at = at * c->nchoices[s->by[k]] + choice[s->by[k]];
		choice[s->node] = s->choice[at];
	}
}

int64_t core_cost(const struct core *c, const int *value)
{
	int64_t sum = c->constant;
	bool forbidden = false;
	for (int v = 0; v < c->nvars; v++) {
		forbidden |= core_forbids(c->var[v].cost[value[v]]);
		sum += forbidden ? 0 : c->var[v].cost[value[v]];
	}
	for (int k = 0; k < c->nedges; k++) {
		int64_t x = core_entry(c, &c->edge[k], value[c->edge[k].a], value[c->edge[k].b]);
		forbidden |= core_forbids(x);
		sum += forbidden ? 0 : x;
	}
	return forbidden ? CORE_FORBIDDEN : sum;
}

bool core_memory(const struct core *c, const int *value, int64_t *used)
{
	bool fits = true;
	int64_t now = 0;
	memset(used, 0, sizeof *used * (size_t)(c->nrows + 1));
	for (int v = 0; v < c->nvars; v++)
		for (int i = 0; i < c->var[v].items.n; i++) {
			const struct core_item *x = &c->var[v].items.at[i];
			used[x->from] += x->usage[value[v]];
			used[x->to] -= x->usage[value[v]];
		}
	for (int r = 0; r < c->nrows; r++) {
		used[r] = now += used[r];
		fits &= now <= c->limit[r];
	}
	return fits;
}
