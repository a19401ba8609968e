/* dual.c — see dual.h. */
#include "dual.h"

#include "vectors.h"

#include <string.h>

static int widest(const struct core *c)
{
	int n = 1;
	for (int v = 0; v < c->nvars; v++)
		n = c->var[v].n > n ? c->var[v].n : n;
	return n;
}

struct dual *dual_new(const struct core *c, struct arena *a)
{
	struct dual *d = ARENA_NEW(a, struct dual);
	d->core = c;
	d->arena = a;
	d->price = ARENA_ARRAY(a, double, c->nrows);
	if (c->nrows)
		memcpy(d->price, c->price, sizeof *d->price * (size_t)c->nrows);
	d->direction = ARENA_ARRAY(a, double, c->nrows);
	d->used = ARENA_ARRAY(a, int64_t, c->nrows + 1);
	d->theta = ARENA_ARRAY(a, int64_t *, c->nvars);
	for (int v = 0; v < c->nvars; v++)
		d->theta[v] = ARENA_ARRAY(a, int64_t, c->var[v].n);
	for (int s = 0; s < 2; s++) {
		d->to[s] = ARENA_ARRAY(a, int64_t *, c->nedges);
		for (int k = 0; k < c->nedges; k++)
			d->to[s][k] = ARENA_ARRAY(a, int64_t, c->var[s ? c->edge[k].b : c->edge[k].a].n);
	}
	d->total = ARENA_ARRAY(a, int64_t, widest(c));
	d->share = ARENA_ARRAY(a, int64_t, widest(c));
	d->part = ARENA_ARRAY(a, int64_t, widest(c));
	dual_price(d);
	return d;
}

/* Prices as whole numbers of 2^-PRICE_BITS. What values pay is rounded down and what the limits give back is rounded
 * up, so that the bound is never too high. */
void dual_price(struct dual *d)
{
	const struct core *c = d->core;
	struct arena *a = arena_new("solve: prices");
	wide *before = ARENA_ARRAY(a, wide, c->nrows + 1), limits = 0;
	for (int r = 0; r < c->nrows; r++) {
		wide price = (wide)(d->price[r] * (1 << PRICE_BITS));
		before[r + 1] = before[r] + price;
		limits += price * c->limit[r];
	}
	d->base = c->constant - (int64_t)((limits + ((1 << PRICE_BITS) - 1)) >> PRICE_BITS);
	for (int v = 0; v < c->nvars; v++) {
		const struct core_var *x = &c->var[v];
		for (int k = 0; k < x->n; k++) {
			wide sum = 0;
			for (int i = 0; i < x->items.n; i++)
				sum += x->items.at[i].usage[k] *
				       (before[x->items.at[i].to] - before[x->items.at[i].from]);
			d->theta[v][k] = x->cost[k] + (int64_t)(sum >> PRICE_BITS);
		}
	}
	arena_free(a);
}

void dual_total(const struct dual *d, int var, int64_t *total)
{
	const struct core_var *x = &d->core->var[var];
	memcpy(total, d->theta[var], sizeof *total * (size_t)x->n);
	for (int i = 0; i < x->edges.n; i++) {
		int k = x->edges.at[i];
		const int64_t *to = d->to[d->core->edge[k].b == var][k];
		for (int v = 0; v < x->n; v++)
			total[v] += to[v];
	}
}

static int64_t least_of(const int64_t *at, int n)
{
	int64_t x = at[0];
	for (int i = 1; i < n; i++)
		x = at[i] < x ? at[i] : x;
	return x;
}

/* to[j] = the least of part[i] + at[i, j]. */
VECTORS static void least_of_columns(int na, int nb, const int64_t *at, const int64_t *part, int64_t *to)
{
	for (int j = 0; j < nb; j++)
		to[j] = part[0] + at[j];
	for (int i = 1; i < na; i++) {
		at += nb;
		for (int j = 0; j < nb; j++) {
			int64_t x = part[i] + at[j];
			to[j] = x < to[j] ? x : to[j];
		}
	}
}

/* to[i] = the least of part[j] + at[i, j]. */
VECTORS static void least_of_rows(int na, int nb, const int64_t *at, const int64_t *part, int64_t *to)
{
	for (int i = 0; i < na; i++, at += nb) {
		int64_t best = INT64_MAX;
		for (int j = 0; j < nb; j++) {
			int64_t x = part[j] + at[j];
			best = x < best ? x : best;
		}
		to[i] = best;
	}
}

/* The message along an edge from the end that has d->part, normalised to a least entry of 0; the least entry there was.
 */
static int64_t send(struct dual *d, int edge, bool from_a)
{
	const struct core_edge *e = &d->core->edge[edge];
	int na = d->core->var[e->a].n, nb = d->core->var[e->b].n, n = from_a ? nb : na;
	int64_t *to = d->to[from_a][edge];
	(from_a ? least_of_columns : least_of_rows)(na, nb, e->at, d->part, to);
	int64_t least = least_of(to, n);
	for (int i = 0; i < n; i++)
		to[i] -= least;
	return least;
}

/* A variable shares what it costs with the edges that it sends along and keeps the rest; the sum of the least entries
 * of all these is its part of the bound. */
static int64_t pass_variable(struct dual *d, int var, bool forward)
{
	const struct core *c = d->core;
	const struct core_var *x = &c->var[var];
	int later = 0;
	for (int i = 0; i < x->edges.n; i++)
		later += c->edge[x->edges.at[i]].a == var;
	int earlier = x->edges.n - later, shares = later > earlier ? later : earlier;
	int64_t sum = 0;
	dual_total(d, var, d->total);
	for (int v = 0; v < x->n; v++)
		d->share[v] = shares > 1 ? d->total[v] / shares : d->total[v];
	for (int i = 0; i < x->edges.n; i++) {
		int k = x->edges.at[i];
		bool from_a = c->edge[k].a == var;
		if (from_a != forward)
			continue;
		const int64_t *had = d->to[!from_a][k];
		for (int v = 0; v < x->n; v++)
			d->part[v] = d->share[v] - had[v];
		sum += send(d, k, from_a);
	}
	for (int v = 0; v < x->n; v++)
		d->part[v] = d->total[v] - d->share[v] * (forward ? later : earlier);
	return sum + least_of(d->part, x->n);
}

int64_t dual_pass(struct dual *d)
{
	int64_t sum = d->base;
	for (int v = 0; v < d->core->nvars; v++)
		pass_variable(d, v, true);
	for (int v = d->core->nvars - 1; v >= 0; v--)
		sum += pass_variable(d, v, false);
	return sum;
}

void dual_decode(struct dual *d, int *value)
{
	const struct core *c = d->core;
	for (int v = 0; v < c->nvars; v++) {
		const struct core_var *x = &c->var[v];
		memcpy(d->total, d->theta[v], sizeof *d->total * (size_t)x->n);
		for (int i = 0; i < x->edges.n; i++) {
			int k = x->edges.at[i];
			const struct core_edge *e = &c->edge[k];
			for (int m = 0; m < x->n; m++)
				d->total[m] += e->a == v ? d->to[0][k][m] : core_entry(c, e, value[e->a], m);
		}
		value[v] = 0;
		for (int m = 1; m < x->n; m++)
			if (d->total[m] < d->total[value[v]])
				value[v] = m;
	}
}

bool dual_fits(struct dual *d, const int *value)
{
	return core_memory(d->core, value, d->used);
}

void dual_step(struct dual *d, double step)
{
	const struct core *c = d->core;
	double square = 0;
	for (int r = 0; r < c->nrows; r++) {
		double over = (double)(d->used[r] - c->limit[r]);
		d->direction[r] = 0.7 * d->direction[r] + 0.3 * over;
		if (d->price[r] > 0 || d->direction[r] > 0)
			square += d->direction[r] * d->direction[r];
	}
	for (int r = 0; square > 0 && r < c->nrows; r++) {
		d->price[r] += step * d->direction[r] / square;
		if (d->price[r] < 0)
			d->price[r] = 0;
	}
	dual_price(d);
}

struct dual *dual_copy(const struct dual *d, struct arena *a)
{
	struct dual *to = dual_new(d->core, a);
	dual_take(to, d);
	return to;
}

void dual_take(struct dual *d, const struct dual *from)
{
	const struct core *c = d->core;
	memcpy(d->price, from->price, sizeof *d->price * (size_t)c->nrows);
	for (int s = 0; s < 2; s++)
		for (int k = 0; k < c->nedges; k++)
			memcpy(d->to[s][k], from->to[s][k],
			       sizeof **d->to[s] * (size_t)c->var[s ? c->edge[k].b : c->edge[k].a].n);
	dual_price(d);
}

/* The least entry of an edge to an earlier variable where var has value k, with var's share. */
static int64_t least_with(const struct dual *d, int edge, int k, int64_t share)
{
	const struct core_edge *e = &d->core->edge[edge];
	int64_t least = INT64_MAX;
	for (int i = 0; i < d->core->var[e->a].n; i++) {
		int64_t x = core_entry(d->core, e, i, k) - d->to[0][edge][i];
		least = x < least ? x : least;
	}
	return least + share - d->to[1][edge][k];
}

/* As after a pass: all least entries of edges to earlier variables are known to be reached with d->part. */
static void add_shares(struct dual *d, int var, int earlier, int shares, int64_t *total)
{
	const struct core_var *x = &d->core->var[var];
	for (int k = 0; k < x->n; k++) {
		int64_t share = total[k] / shares;
		total[k] -= share * earlier;
		for (int i = 0; i < x->edges.n; i++)
			if (d->core->edge[x->edges.at[i]].b == var)
				total[k] += least_with(d, x->edges.at[i], k, share);
	}
}

int dual_fix(struct dual *d, int64_t bound, int64_t upper, bool **alive)
{
	int killed = 0;
	for (int v = 0; v < d->core->nvars; v++) {
		const struct core_var *x = &d->core->var[v];
		int earlier = 0, later;
		for (int i = 0; i < x->edges.n; i++)
			earlier += d->core->edge[x->edges.at[i]].b == v;
		later = x->edges.n - earlier;
		dual_total(d, v, d->total);
		if (earlier)
			add_shares(d, v, earlier, earlier > later ? earlier : later, d->total);
		int64_t least = least_of(d->total, x->n);
		for (int k = 0; k < x->n; k++)
			if (alive[v][k] && bound + d->total[k] - least > upper) {
				alive[v][k] = false;
				killed++;
			}
	}
	return killed;
}
