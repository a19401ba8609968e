/* prune.c — see prune.h. */
#include "prune.h"

#include "vectors.h"

#include <string.h>

static void kill(struct pruner *p, int var, int value)
{
	p->alive[var][value] = false;
	p->core->infeasible |= --p->n[var] == 0;
	p->changes++;
}

static int other_end(const struct core_edge *e, int var)
{
	return e->a == var ? e->b : e->a;
}

/* The entries of an edge for one value of an end: of the other end's values, so far apart. */
struct line {
	const int64_t *at;
	int64_t step;
};

static struct line line_of(const struct core *c, const struct core_edge *e, int var, int value)
{
	int64_t columns = c->var[e->b].n;
	return e->a == var ? (struct line){e->at + value * columns, 1} : (struct line){e->at + value, columns};
}

/* ---- impossible values ---- */

/* The least limit of any span of rows, from tables of spans of 2^k rows. */
struct ranges {
	int levels;
	int64_t **least; /* by level and row */
};

static struct ranges find_ranges(const struct core *c, struct arena *a)
{
	struct ranges r = {.levels = 1};
	while (1 << r.levels <= c->nrows)
		r.levels++;
	r.least = ARENA_ARRAY(a, int64_t *, r.levels);
	r.least[0] = c->limit;
	for (int k = 1; k < r.levels; k++) {
		r.least[k] = ARENA_ARRAY(a, int64_t, c->nrows);
		for (int i = 0; i + (1 << k) <= c->nrows; i++) {
			int64_t x = r.least[k - 1][i], y = r.least[k - 1][i + (1 << (k - 1))];
			r.least[k][i] = x < y ? x : y;
		}
	}
	return r;
}

static int64_t least_limit(const struct ranges *r, int from, int to)
{
	int k = 31 - __builtin_clz((unsigned)(to - from));
	int64_t x = r->least[k][from], y = r->least[k][to - (1 << k)];
	return x < y ? x : y;
}

static void prune_by_memory(struct pruner *p)
{
	struct ranges r = find_ranges(p->core, p->scratch);
	for (int v = 0; v < p->core->nvars; v++)
		for (int i = 0; i < p->core->var[v].items.n; i++) {
			const struct core_item *x = &p->core->var[v].items.at[i];
			int64_t limit = least_limit(&r, x->from, x->to);
			for (int k = 0; k < p->core->var[v].n; k++)
				if (p->alive[v][k] && x->usage[k] > limit)
					kill(p, v, k);
		}
}

static bool has_partner(const struct pruner *p, const struct core_edge *e, int var, int value)
{
	const int other = other_end(e, var), n = p->core->var[other].n;
	const bool *alive = p->alive[other];
	const struct line line = line_of(p->core, e, var, value);
	for (int k = 0; k < n; k++)
		if (alive[k] && !core_forbids(line.at[k * line.step]))
			return true;
	return false;
}

/* Kills values of one end without a partner; true if there were some. */
static bool revise(struct pruner *p, const struct core_edge *e, int var)
{
	int before = p->n[var];
	for (int k = 0; k < p->core->var[var].n; k++)
		if (p->alive[var][k] && !has_partner(p, e, var, k))
			kill(p, var, k);
	return p->n[var] < before;
}

static void prune_without_partner(struct pruner *p)
{
	const struct core *c = p->core;
	VEC(int) stack = {0};
	bool *waits = ARENA_ARRAY(p->scratch, bool, c->nedges);
	for (int k = c->nedges - 1; k >= 0; k--) {
		vec_push(p->scratch, &stack, k);
		waits[k] = true;
	}
	while (stack.n && !c->infeasible) {
		int k = stack.at[--stack.n];
		const struct core_edge *e = &c->edge[k];
		waits[k] = false;
		for (int end = 0; end < 2; end++) {
			int var = end ? e->b : e->a;
			if (!revise(p, e, var))
				continue;
			for (int i = 0; i < c->var[var].edges.n; i++) {
				int next = c->var[var].edges.at[i];
				if (!waits[next])
					vec_push(p->scratch, &stack, next);
				waits[next] = true;
			}
		}
	}
}

void prune_impossible(struct pruner *p)
{
	for (int v = 0; v < p->core->nvars; v++)
		for (int k = 0; k < p->core->var[v].n; k++)
			if (p->alive[v][k] && core_forbids(p->core->var[v].cost[k]))
				kill(p, v, k);
	prune_by_memory(p);
	if (!p->core->infeasible)
		prune_without_partner(p);
}

/* ---- dominated values ---- */

/* The most that taking d for x can add along an edge; CORE_FORBIDDEN if it may forbid. */
static int64_t worst_change(const struct pruner *p, const struct core_edge *e, int var, int x, int d)
{
	const int other = other_end(e, var), n = p->core->var[other].n;
	const bool *alive = p->alive[other];
	const struct line of_x = line_of(p->core, e, var, x), of_d = line_of(p->core, e, var, d);
	int64_t worst = -CORE_FORBIDDEN;
	for (int k = 0; k < n; k++) {
		if (!alive[k])
			continue;
		int64_t had = of_x.at[k * of_x.step], has = of_d.at[k * of_d.step];
		if (core_forbids(had))
			continue;
		if (core_forbids(has))
			return CORE_FORBIDDEN;
		worst = has - had > worst ? has - had : worst;
	}
	return worst;
}

/* The cheapest living partner of a value along each edge of its variable. */
static void find_best_partners(const struct pruner *p, int var, int x, int *partner)
{
	const struct core_var *v = &p->core->var[var];
	for (int i = 0; i < v->edges.n; i++) {
		const struct core_edge *e = &p->core->edge[v->edges.at[i]];
		const int other = other_end(e, var), n = p->core->var[other].n;
		const bool *alive = p->alive[other];
		const struct line line = line_of(p->core, e, var, x);
		int best = -1;
		for (int k = 0; k < n; k++)
			if (alive[k] && (best < 0 || line.at[k * line.step] < line.at[best * line.step]))
				best = k;
		partner[i] = best;
	}
}

/* What taking d for x adds if the neighbours do what is best for x: if that is too much, so is the worst. */
static int64_t likely_change(const struct pruner *p, int var, int x, int d, const int *partner)
{
	const struct core_var *v = &p->core->var[var];
	int64_t change = v->cost[d] - v->cost[x];
	for (int i = 0; i < v->edges.n; i++) {
		const struct core_edge *e = &p->core->edge[v->edges.at[i]];
		const struct line of_x = line_of(p->core, e, var, x), of_d = line_of(p->core, e, var, d);
		change += of_d.at[partner[i] * of_d.step] - of_x.at[partner[i] * of_x.step];
	}
	return change;
}

static bool dominates(struct pruner *p, int var, int x, int d, const int *partner)
{
	const struct core_var *v = &p->core->var[var];
	int64_t change = v->cost[d] - v->cost[x];
	p->effort -= v->edges.n + v->items.n;
	for (int i = 0; i < v->items.n; i++)
		if (v->items.at[i].usage[d] > v->items.at[i].usage[x])
			return false;
	if (likely_change(p, var, x, d, partner) > 0)
		return false;
	for (int i = 0; i < v->edges.n; i++) {
		const struct core_edge *e = &p->core->edge[v->edges.at[i]];
		int64_t worst = worst_change(p, e, var, x, d);
		p->effort -= p->core->var[other_end(e, var)].n;
		if (worst == CORE_FORBIDDEN)
			return false;
		change += worst;
	}
	return change <= 0;
}

/* Whether a value of the variable went. */
static bool prune_dominated_of(struct pruner *p, int v, int *partner)
{
	int before = p->n[v];
	for (int x = p->core->var[v].n - 1; x >= 0; x--) {
		bool dominated = false;
		if (!p->alive[v][x])
			continue;
		find_best_partners(p, v, x, partner);
		for (int d = 0; d < p->core->var[v].n && !dominated; d++)
			dominated = d != x && p->alive[v][d] && dominates(p, v, x, d, partner);
		if (dominated)
			kill(p, v, x);
	}
	return p->n[v] < before;
}

/* A variable with fewer values makes more of its neighbours' comparable, so these are looked at again. */
void prune_dominated(struct pruner *p)
{
	const struct core *c = p->core;
	int *partner = ARENA_ARRAY(p->scratch, int, c->nedges);
	bool *waits = ARENA_ARRAY(p->scratch, bool, c->nvars);
	VEC(int) stack = {0};
	for (int v = c->nvars - 1; v >= 0; v--) {
		vec_push(p->scratch, &stack, v);
		waits[v] = true;
	}
	while (stack.n && p->effort > 0) {
		int v = stack.at[--stack.n];
		waits[v] = false;
		if (!prune_dominated_of(p, v, partner))
			continue;
		for (int i = 0; i < c->var[v].edges.n; i++) {
			int w = other_end(&c->edge[c->var[v].edges.at[i]], v);
			if (!waits[w])
				vec_push(p->scratch, &stack, w);
			waits[w] = true;
		}
	}
}

/* ---- variables ---- */

struct side {
	int var;
	const struct core_edge *edge;
};

/* The neighbours of a variable; -1 if they are more than two. */
static int find_sides(const struct pruner *p, int var, struct side *to)
{
	const struct core_var *v = &p->core->var[var];
	if (v->items.n || v->edges.n > 2)
		return -1;
	for (int i = 0; i < v->edges.n; i++) {
		const struct core_edge *e = &p->core->edge[v->edges.at[i]];
		to[i] = (struct side){other_end(e, var), e};
	}
	return v->edges.n == 2 && to[0].var == to[1].var ? -1 : v->edges.n;
}

/* By value of var and of a neighbour; of none, all 0. */
static const int64_t *table_by_value(const struct pruner *p, int var, const struct side *s)
{
	const struct core *c = p->core;
	int n = c->var[var].n, nother = s ? c->var[s->var].n : 1;
	if (s && s->edge->a == var)
		return s->edge->at;
	int64_t *table = ARENA_ARRAY(p->scratch, int64_t, (int64_t)n * nother);
	for (int j = 0; s && j < nother; j++)
		for (int k = 0; k < n; k++)
			table[(int64_t)k * nother + j] = core_entry(c, s->edge, j, k);
	return table;
}

/* A value k that costs part[j] + cost more. */
VECTORS static void take_better(int n, int64_t k, int64_t cost, const int64_t *part, int64_t *least, int64_t *best)
{
	for (int j = 0; j < n; j++) {
		int64_t sum = part[j] + cost;
		bool better = sum < least[j];
		best[j] = better ? k : best[j];
		least[j] = better ? sum : least[j];
	}
}

/* The first best value of var, and its cost, for each value of a neighbour, where the other one has the value x. What
 * is forbidden is far above all sums. */
static void find_best_values(const struct pruner *p, int var, const int64_t *with_x, int nx, int x,
			     const int64_t *with_y, int ny, int64_t *least, int64_t *best)
{
	const struct core_var *v = &p->core->var[var];
	for (int y = 0; y < ny; y++) {
		least[y] = CORE_FORBIDDEN;
		best[y] = 0;
	}
	for (int k = 0; k < v->n; k++) {
		int64_t cost = core_add(v->cost[k], with_x[(int64_t)k * nx + x]);
		if (p->alive[var][k] && !core_forbids(cost))
			take_better(ny, k, cost, with_y + (int64_t)k * ny, least, best);
	}
	for (int y = 0; y < ny; y++)
		if (core_forbids(least[y])) {
			least[y] = CORE_FORBIDDEN;
			best[y] = 0;
		}
}

static void eliminate(struct pruner *p, int var, int n, const struct side *s, struct core_edge *made)
{
	struct core *c = p->core;
	const struct core_var *v = &c->var[var], *a = n > 0 ? &c->var[s[0].var] : NULL,
			      *b = n > 1 ? &c->var[s[1].var] : NULL;
	int by[2] = {a ? a->node : -1, b ? b->node : -1}, na = a ? a->n : 1, nb = b ? b->n : 1;
	int *choice = core_determine(c, v->node, n, by);
	const int64_t *with_a = table_by_value(p, var, a ? &s[0] : NULL),
		      *with_b = table_by_value(p, var, b ? &s[1] : NULL);
	int64_t *at = n == 2 ? ARENA_ARRAY(c->arena, int64_t, (int64_t)na * nb) : NULL,
		*least = ARENA_ARRAY(p->scratch, int64_t, nb), *best = ARENA_ARRAY(p->scratch, int64_t, nb);
	*made = (struct core_edge){n > 0 ? s[0].var : -1, n > 1 ? s[1].var : -1, at};
	for (int x = 0; x < na; x++) {
		find_best_values(p, var, with_a, na, x, with_b, nb, least, best);
		for (int y = 0; y < nb; y++) {
			int64_t entry =
				(a ? a->label[x] : 0) * (int64_t)(b ? c->nchoices[b->node] : 1) + (b ? b->label[y] : 0);
			choice[entry] = v->label[best[y]];
		}
		if (n == 2)
			memcpy(at + (int64_t)x * nb, least, sizeof *at * (size_t)nb);
		else if (n == 1)
			a->cost[x] = core_add(a->cost[x], *least);
		else
			c->constant += *least;
	}
	p->gone[var] = true;
	p->changes++;
}

/* Neighbours of what goes stay in this round: their edges are not what they were. */
void prune_variables(struct pruner *p)
{
	struct core *c = p->core;
	bool *kept = ARENA_ARRAY(p->scratch, bool, c->nvars);
	VEC(struct core_edge) edges = {0};
	for (int v = 0; v < c->nvars && !c->infeasible; v++) {
		struct side s[2];
		struct core_edge made;
		int n = kept[v] ? -1 : find_sides(p, v, s);
		if (n < 0)
			continue;
		eliminate(p, v, n, s, &made);
		for (int i = 0; i < n; i++)
			kept[s[i].var] = true;
		if (n == 2 && made.a > made.b) {
			/* Neighbours are named in the order of the edges; a table is by the lower one first. */
			const struct core_var *a = &c->var[made.a], *b = &c->var[made.b];
			int64_t *turned = ARENA_ARRAY(c->arena, int64_t, (int64_t)a->n * b->n);
			for (int i = 0; i < a->n; i++)
				for (int j = 0; j < b->n; j++)
					turned[(int64_t)j * a->n + i] = made.at[(int64_t)i * b->n + j];
			made = (struct core_edge){made.b, made.a, turned};
		}
		if (n == 2)
			vec_push(p->scratch, &edges, made);
	}
	if (!edges.n)
		return;
	struct core_edge *all = ARENA_ARRAY(c->arena, struct core_edge, c->nedges + edges.n);
	if (c->nedges)
		memcpy(all, c->edge, sizeof *all * (size_t)c->nedges);
	memcpy(all + c->nedges, edges.at, sizeof *all * (size_t)edges.n);
	c->edge = all;
	c->nedges += edges.n;
}
