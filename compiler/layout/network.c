/* network.c — see network.h. The variable whose elimination makes the smallest table goes first (ties: the lowest number).
 * Each elimination remembers the best value for every assignment of its neighbours; going back through these in reverse
 * order gives the values. */
#include "network.h"

#include <string.h>

/* The best value of `var` for every assignment of its neighbours. */
struct decision {
	int var, nvars;
	int *vars;
	uint16_t *best;
};

struct solver {
	const struct network *net;
	struct arena *arena;
	VEC(struct factor_table) factors;
	VEC(int) *touching; /* per variable: factors that mention it, gone ones included */
	int64_t *price;     /* per variable: entries of the table its elimination makes; -1: to be found anew */
	bool *done;
	VEC(struct decision) decisions;
};

void network_init(struct network *n, struct arena *a)
{
	memset(n, 0, sizeof *n);
	n->arena = a;
}

int network_variable(struct network *n, int values)
{
	BUG_IF(values < 1 || values > UINT16_MAX, "a variable with %d values", values);
	vec_push(n->arena, &n->domains, values);
	return n->domains.n - 1;
}

int64_t network_size(const struct network *n, int nvars, const int *vars)
{
	int64_t size = 1;
	for (int i = 0; i < nvars; i++)
		if (__builtin_mul_overflow(size, n->domains.at[vars[i]], &size))
			return INT64_MAX;
	return size;
}

struct cost *network_factor(struct network *n, int nvars, const int *vars)
{
	struct factor_table f = {.nvars = nvars, .vars = ARENA_ARRAY(n->arena, int, nvars)};
	memcpy(f.vars, vars, sizeof *vars * (size_t)nvars);
	f.at = ARENA_ARRAY(n->arena, struct cost, network_size(n, nvars, vars));
	vec_push(n->arena, &n->factors, f);
	return f.at;
}

static int64_t entry_of(const struct network *n, const struct factor_table *f, const int *value)
{
	int64_t at = 0;
	for (int i = 0; i < f->nvars; i++)
		at = at * n->domains.at[f->vars[i]] + value[f->vars[i]];
	return at;
}

struct cost network_evaluate(const struct network *n, const int *value)
{
	struct cost sum = {0};
	for (int i = 0; i < n->factors.n; i++) {
		const struct factor_table *f = &n->factors.at[i];
		sum = cost_add(sum, f->at[entry_of(n, f, value)]);
	}
	return sum;
}

/* ---- elimination ---- */

static void touch(struct solver *s, int factor)
{
	const struct factor_table *f = &s->factors.at[factor];
	for (int i = 0; i < f->nvars; i++) {
		vec_push(s->arena, &s->touching[f->vars[i]], factor);
		s->price[f->vars[i]] = -1;
	}
}

/* The other variables of the factors that mention var, ascending. */
static int neighbours(struct solver *s, int var, int **out)
{
	VEC(int) list = {0};
	for (int i = 0; i < s->touching[var].n; i++) {
		const struct factor_table *f = &s->factors.at[s->touching[var].at[i]];
		for (int k = 0; !f->gone && k < f->nvars; k++) {
			int v = f->vars[k], at = 0;
			while (at < list.n && list.at[at] < v)
				at++;
			if (v == var || (at < list.n && list.at[at] == v))
				continue;
			vec_push(s->arena, &list, v);
			for (int m = list.n - 1; m > at; m--)
				list.at[m] = list.at[m - 1];
			list.at[at] = v;
		}
	}
	*out = list.at;
	return list.n;
}

static int cheapest_variable(struct solver *s)
{
	int best = -1;
	for (int v = 0; v < s->net->domains.n; v++) {
		if (s->done[v])
			continue;
		if (s->price[v] < 0) {
			int *vars, n = neighbours(s, v, &vars);
			s->price[v] = network_size(s->net, n, vars);
		}
		if (best < 0 || s->price[v] < s->price[best])
			best = v;
	}
	return best;
}

/* The sum of the live factors that mention var, at an assignment. */
static struct cost sum_touching(const struct solver *s, int var, const int *value)
{
	struct cost sum = {0};
	for (int i = 0; i < s->touching[var].n; i++) {
		const struct factor_table *f = &s->factors.at[s->touching[var].at[i]];
		if (!f->gone)
			sum = cost_add(sum, f->at[entry_of(s->net, f, value)]);
	}
	return sum;
}

static struct cost best_value(const struct solver *s, int var, int *value, uint16_t *best)
{
	struct cost least = {0};
	for (int v = 0; v < s->net->domains.at[var]; v++) {
		value[var] = v;
		struct cost c = sum_touching(s, var, value);
		if (v && !cost_less(c, least))
			continue;
		least = c;
		*best = (uint16_t)v;
	}
	return least;
}

/* Counts the values of vars up like the digits of a number, the last fastest; false after the last assignment. */
static bool next_assignment(const struct network *n, int nvars, const int *vars, int *value)
{
	for (int i = nvars - 1; i >= 0; i--) {
		if (++value[vars[i]] < n->domains.at[vars[i]])
			return true;
		value[vars[i]] = 0;
	}
	return false;
}

static void retire(struct solver *s, int var)
{
	s->done[var] = true;
	for (int i = 0; i < s->touching[var].n; i++)
		s->factors.at[s->touching[var].at[i]].gone = true;
}

static void eliminate(struct solver *s, int var, int *value)
{
	struct decision d = {.var = var};
	d.nvars = neighbours(s, var, &d.vars);
	int64_t size = network_size(s->net, d.nvars, d.vars);
	d.best = ARENA_ARRAY(s->arena, uint16_t, size);
	struct factor_table f = {.nvars = d.nvars, .vars = d.vars, .at = ARENA_ARRAY(s->arena, struct cost, size)};
	for (int i = 0; i < d.nvars; i++)
		value[d.vars[i]] = 0;
	for (int64_t k = 0; k < size; k++) {
		f.at[k] = best_value(s, var, value, &d.best[k]);
		next_assignment(s->net, d.nvars, d.vars, value);
	}
	retire(s, var);
	vec_push(s->arena, &s->decisions, d);
	vec_push(s->arena, &s->factors, f);
	touch(s, s->factors.n - 1);
}

/* Settles var at one value: its factors lose a dimension. The value is the one with the least sum of each factor's minimum. */
static void settle(struct solver *s, int var, int *value)
{
	struct cost least = {0};
	int best = 0;
	for (int v = 0; v < s->net->domains.at[var]; v++) {
		struct cost sum = {0};
		for (int i = 0; i < s->touching[var].n; i++) {
			const struct factor_table *f = &s->factors.at[s->touching[var].at[i]];
			struct cost smallest = {.forbidden = true};
			if (f->gone)
				continue;
			for (int k = 0; k < f->nvars; k++)
				value[f->vars[k]] = 0;
			do {
				if (value[var] != v)
					continue;
				struct cost c = f->at[entry_of(s->net, f, value)];
				smallest = smallest.forbidden || cost_less(c, smallest) ? c : smallest;
			} while (next_assignment(s->net, f->nvars, f->vars, value));
			sum = cost_add(sum, smallest);
		}
		if (v == 0 || cost_less(sum, least)) {
			least = sum;
			best = v;
		}
	}
	struct decision d = {.var = var, .best = ARENA_ARRAY(s->arena, uint16_t, 1)};
	d.best[0] = (uint16_t)best;
	int old = s->touching[var].n;
	for (int i = 0; i < old; i++) {
		struct factor_table f = s->factors.at[s->touching[var].at[i]], cut = {.vars = ARENA_ARRAY(s->arena, int, f.nvars)};
		if (f.gone)
			continue;
		for (int k = 0; k < f.nvars; k++)
			if (f.vars[k] != var)
				cut.vars[cut.nvars++] = f.vars[k];
		cut.at = ARENA_ARRAY(s->arena, struct cost, network_size(s->net, cut.nvars, cut.vars));
		for (int k = 0; k < f.nvars; k++)
			value[f.vars[k]] = 0;
		value[var] = best;
		int64_t at = 0;
		do
			cut.at[at++] = f.at[entry_of(s->net, &f, value)];
		while (next_assignment(s->net, cut.nvars, cut.vars, value));
		vec_push(s->arena, &s->factors, cut);
		touch(s, s->factors.n - 1);
	}
	retire(s, var);
	vec_push(s->arena, &s->decisions, d);
}

/* The variable with the largest table stands in the way of the most others. */
static int widest_variable(const struct solver *s)
{
	int widest = -1;
	for (int v = 0; v < s->net->domains.n; v++)
		if (!s->done[v] && (widest < 0 || s->price[v] > s->price[widest]))
			widest = v;
	return widest;
}

static void decide(const struct solver *s, int *value)
{
	for (int i = s->decisions.n - 1; i >= 0; i--) {
		const struct decision *d = &s->decisions.at[i];
		int64_t at = 0;
		for (int k = 0; k < d->nvars; k++)
			at = at * s->net->domains.at[d->vars[k]] + value[d->vars[k]];
		value[d->var] = d->best[at];
	}
}

struct cost network_solve(const struct network *n, int64_t max_table, int *value, bool *exact)
{
	struct solver s = {.net = n, .arena = arena_new("layout: elimination")};
	s.touching = arena_alloc(s.arena, sizeof *s.touching * (size_t)n->domains.n);
	s.price = ARENA_ARRAY(s.arena, int64_t, n->domains.n);
	s.done = ARENA_ARRAY(s.arena, bool, n->domains.n);
	*exact = true;
	for (int i = 0; i < n->factors.n; i++) {
		vec_push(s.arena, &s.factors, n->factors.at[i]);
		touch(&s, i);
	}
	for (int v = 0; v < n->domains.n; v++) {
		value[v] = 0;
		s.price[v] = -1;
	}
	for (int v; (v = cheapest_variable(&s)) >= 0;) {
		if (s.price[v] <= max_table) {
			eliminate(&s, v, value);
			continue;
		}
		*exact = false;
		settle(&s, widest_variable(&s), value);
	}
	decide(&s, value);
	arena_free(s.arena);
	return network_evaluate(n, value);
}
