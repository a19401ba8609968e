/* network.c — see network.h. The variable whose elimination makes the smallest table goes first (ties: the lowest
 * number); a heap knows which that is, and who shares a factor with whom is kept up to date, so that the time does not
 * grow faster than the number of variables. Each elimination remembers the best value for every assignment of its
 * neighbours; going back through these in reverse order gives the values. */
#include "network.h"

#include <string.h>

/* The best value of `var` for every assignment of its neighbours. */
struct decision {
	int var, nvars;
	int *vars;
	uint16_t *best;
};

/* The variables that share a factor with one, ascending. */
struct neighbours {
	int *at, n, cap;
};

struct offer {
	int64_t price;
	int var;
};

struct solver {
	const struct network *net;
	struct arena *arena;
	VEC(struct factor_table) factors;
	VEC(int) * touching; /* per variable: factors that mention it, gone ones included */
	struct neighbours *near;
	int64_t *price; /* per variable: entries of the table its elimination makes */
	bool *done;
	VEC(struct offer) heap; /* the least price on top; offers that are not the price any more are skipped */
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
	vec_push(n->arena, &n->follows, false);
	return n->domains.n - 1;
}

int network_follower(struct network *n, int values)
{
	int var = network_variable(n, values);
	n->follows.at[var] = true;
	return var;
}

int64_t network_size(const struct network *n, int nvars, const int *vars)
{
	int64_t size = 1;
	for (int i = 0; i < nvars; i++)
		if (__builtin_mul_overflow(size, n->domains.at[vars[i]], &size))
			return INT64_MAX;
	return size;
}

void network_factor_like(struct network *n, int nvars, const int *vars, struct cost *table)
{
	struct factor_table f = {.nvars = nvars, .vars = ARENA_ARRAY(n->arena, int, nvars), .at = table};
	memcpy(f.vars, vars, sizeof *vars * (size_t)nvars);
	vec_push(n->arena, &n->factors, f);
}

struct cost *network_factor(struct network *n, int nvars, const int *vars)
{
	struct cost *table = ARENA_ARRAY(n->arena, struct cost, network_size(n, nvars, vars));
	network_factor_like(n, nvars, vars, table);
	return table;
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
	for (int i = 0; i < f->nvars; i++)
		vec_push(s->arena, &s->touching[f->vars[i]], factor);
}

/* Where v is in the list, or would be. */
static int position_of(const struct neighbours *list, int v)
{
	int low = 0, high = list->n;
	while (low < high) {
		int mid = low + (high - low) / 2;
		if (list->at[mid] < v)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static void join(struct solver *s, int var, int v)
{
	struct neighbours *list = &s->near[var];
	int at = position_of(list, v);
	if (v == var || (at < list->n && list->at[at] == v))
		return;
	vec_reserve_(s->arena, &list->at, list->n, &list->cap, sizeof *list->at);
	memmove(list->at + at + 1, list->at + at, sizeof *list->at * (size_t)(list->n - at));
	list->at[at] = v;
	list->n++;
}

static void part(struct solver *s, int var, int v)
{
	struct neighbours *list = &s->near[var];
	int at = position_of(list, v);
	list->n--;
	memmove(list->at + at, list->at + at + 1, sizeof *list->at * (size_t)(list->n - at));
}

static bool offer_less(struct offer x, struct offer y)
{
	return x.price != y.price ? x.price < y.price : x.var < y.var;
}

/* Finds the price of a variable and puts it on the heap. */
static void put_price(struct solver *s, int var)
{
	struct offer o = {network_size(s->net, s->near[var].n, s->near[var].at), var};
	s->price[var] = o.price;
	vec_push(s->arena, &s->heap, o);
	int i = s->heap.n - 1;
	for (; i > 0 && offer_less(o, s->heap.at[(i - 1) / 2]); i = (i - 1) / 2)
		s->heap.at[i] = s->heap.at[(i - 1) / 2];
	s->heap.at[i] = o;
}

static struct offer take_offer(struct solver *s)
{
	struct offer top = s->heap.at[0], last = s->heap.at[--s->heap.n];
	int i = 0, n = s->heap.n;
	for (int k = 1; k < n; k = 2 * i + 1) {
		k += k + 1 < n && offer_less(s->heap.at[k + 1], s->heap.at[k]);
		if (!offer_less(s->heap.at[k], last))
			break;
		s->heap.at[i] = s->heap.at[k];
		i = k;
	}
	if (n)
		s->heap.at[i] = last;
	return top;
}

/* The variable with the least price, or -1 after the last; its offer stays on top. */
static int cheapest_variable(struct solver *s)
{
	while (s->heap.n) {
		struct offer o = s->heap.at[0];
		if (!s->done[o.var] && s->price[o.var] == o.price)
			return o.var;
		take_offer(s);
	}
	return -1;
}

/* Variables of one value are decided from the start and connect nothing. */
static void connect(struct solver *s, const struct factor_table *f)
{
	for (int i = 0; i < f->nvars; i++)
		for (int k = 0; k < f->nvars && !s->done[f->vars[i]]; k++)
			if (!s->done[f->vars[k]])
				join(s, f->vars[i], f->vars[k]);
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

/* A factor while the table of an elimination is filled: the entry that the neighbours' values lead to, how far the next
 * value of each neighbour is from it, and the next value of the variable itself. */
struct reading {
	const struct cost *entry;
	int64_t own, *step;
};

static struct reading reading_of(struct solver *s, const struct factor_table *f, const struct decision *d)
{
	struct reading r = {.entry = f->at, .step = ARENA_ARRAY(s->arena, int64_t, d->nvars)};
	int64_t stride = 1;
	for (int i = f->nvars - 1; i >= 0; i--) {
		for (int k = 0; k < d->nvars; k++)
			if (d->vars[k] == f->vars[i])
				r.step[k] = stride;
		if (f->vars[i] == d->var)
			r.own = stride;
		stride *= s->net->domains.at[f->vars[i]];
	}
	return r;
}

static struct cost best_value(int values, int nreadings, const struct reading *r, uint16_t *best)
{
	struct cost least = {0};
	for (int v = 0; v < values; v++) {
		struct cost sum = {0};
		for (int i = 0; i < nreadings; i++)
			sum = cost_add(sum, r[i].entry[v * r[i].own]);
		if (v && !cost_less(sum, least))
			continue;
		least = sum;
		*best = (uint16_t)v;
	}
	return least;
}

/* Moves the readings on to the next assignment of the neighbours. */
static void advance(const struct network *n, const struct decision *d, int *digit, int nreadings, struct reading *r)
{
	for (int k = d->nvars - 1; k >= 0; k--) {
		int64_t steps = 1;
		bool carry = ++digit[k] == n->domains.at[d->vars[k]];
		if (carry) {
			steps -= digit[k];
			digit[k] = 0;
		}
		for (int i = 0; i < nreadings; i++)
			r[i].entry += steps * r[i].step[k];
		if (!carry)
			return;
	}
}

/* Ends a variable and the factors that mention it; `linked`: its neighbours share a factor from now on. */
static void retire(struct solver *s, int var, bool linked)
{
	s->done[var] = true;
	const struct neighbours *near = &s->near[var];
	for (int i = 0; i < near->n; i++)
		part(s, near->at[i], var);
	for (int i = 0; linked && i < near->n; i++)
		for (int k = 0; k < near->n; k++)
			join(s, near->at[i], near->at[k]);
	for (int i = 0; i < near->n; i++)
		put_price(s, near->at[i]);
	for (int i = 0; i < s->touching[var].n; i++) {
		struct factor_table *f = &s->factors.at[s->touching[var].at[i]];
		f->gone = true;
		if (f->memory)
			arena_free(f->memory);
		f->memory = NULL;
	}
}

/* An empty table; large ones have memory of their own. */
static struct factor_table table_new(struct solver *s, int nvars, int *vars)
{
	enum { LARGE = 1 << 12 };
	struct factor_table f = {.nvars = nvars, .vars = vars};
	int64_t size = network_size(s->net, nvars, vars);
	if (size > LARGE)
		f.memory = arena_new("solve: table");
	f.at = ARENA_ARRAY(f.memory ? f.memory : s->arena, struct cost, size);
	return f;
}

static void eliminate(struct solver *s, int var)
{
	struct decision d = {.var = var};
	VEC(struct reading) readings = {0};
	d.nvars = s->near[var].n;
	d.vars = s->near[var].at;
	for (int i = 0; i < s->touching[var].n; i++)
		if (!s->factors.at[s->touching[var].at[i]].gone)
			vec_push(s->arena, &readings, reading_of(s, &s->factors.at[s->touching[var].at[i]], &d));
	int64_t size = network_size(s->net, d.nvars, d.vars);
	int *digit = ARENA_ARRAY(s->arena, int, d.nvars);
	d.best = ARENA_ARRAY(s->arena, uint16_t, size);
	struct factor_table f = table_new(s, d.nvars, d.vars);
	for (int64_t k = 0; k < size; k++) {
		f.at[k] = best_value(s->net->domains.at[var], readings.n, readings.at, &d.best[k]);
		advance(s->net, &d, digit, readings.n, readings.at);
	}
	retire(s, var, true);
	vec_push(s->arena, &s->decisions, d);
	vec_push(s->arena, &s->factors, f);
	touch(s, s->factors.n - 1);
}

/* The least entry of a factor that agrees with var = v. */
static struct cost least_entry(const struct solver *s, const struct factor_table *f, int var, int v, int *value)
{
	struct cost least = {.forbidden = true};
	for (int k = 0; k < f->nvars; k++)
		value[f->vars[k]] = 0;
	do {
		struct cost c = f->at[entry_of(s->net, f, value)];
		if (value[var] == v && (least.forbidden || cost_less(c, least)))
			least = c;
	} while (next_assignment(s->net, f->nvars, f->vars, value));
	return least;
}

/* The value of var with the least sum of what its factors cost at best. */
static int promising_value(const struct solver *s, int var, int *value)
{
	struct cost least = {0};
	int best = 0;
	for (int v = 0; v < s->net->domains.at[var]; v++) {
		struct cost sum = {0};
		for (int i = 0; i < s->touching[var].n; i++) {
			const struct factor_table *f = &s->factors.at[s->touching[var].at[i]];
			if (!f->gone)
				sum = cost_add(sum, least_entry(s, f, var, v, value));
		}
		if (v == 0 || cost_less(sum, least)) {
			least = sum;
			best = v;
		}
	}
	return best;
}

/* A factor with var settled: one dimension less. */
static struct factor_table factor_cut(struct solver *s, const struct factor_table *f, int var, int v, int *value)
{
	struct factor_table cut = {.vars = ARENA_ARRAY(s->arena, int, f->nvars)};
	for (int k = 0; k < f->nvars; k++) {
		value[f->vars[k]] = 0;
		if (f->vars[k] != var)
			cut.vars[cut.nvars++] = f->vars[k];
	}
	cut.at = ARENA_ARRAY(s->arena, struct cost, network_size(s->net, cut.nvars, cut.vars));
	value[var] = v;
	int64_t at = 0;
	do
		cut.at[at++] = f->at[entry_of(s->net, f, value)];
	while (next_assignment(s->net, cut.nvars, cut.vars, value));
	return cut;
}

/* Decides var without looking at all its neighbours, where a table over them would be too large. */
static void settle(struct solver *s, int var, int *value)
{
	struct decision d = {.var = var, .best = ARENA_ARRAY(s->arena, uint16_t, 1)};
	d.best[0] = (uint16_t)promising_value(s, var, value);
	int old = s->touching[var].n;
	for (int i = 0; i < old; i++) {
		struct factor_table f = s->factors.at[s->touching[var].at[i]];
		if (f.gone)
			continue;
		struct factor_table cut = factor_cut(s, &f, var, d.best[0], value);
		vec_push(s->arena, &s->factors, cut);
		touch(s, s->factors.n - 1);
	}
	retire(s, var, false);
	vec_push(s->arena, &s->decisions, d);
}

/* The variable with the largest table stands in the way of the most others; one that follows from others is none to
 * decide on, as what these may then be hardly shows in any one table. */
static int widest_variable(const struct solver *s)
{
	const bool *follows = s->net->follows.at;
	int widest = -1;
	for (int v = 0; v < s->net->domains.n; v++)
		if (!s->done[v] && (widest < 0 || follows[v] < follows[widest] ||
				    (follows[v] == follows[widest] && s->price[v] > s->price[widest])))
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

static void solver_begin(struct solver *s, const struct network *n)
{
	*s = (struct solver){.net = n, .arena = arena_new("solve: elimination")};
	s->touching = arena_alloc(s->arena, sizeof *s->touching * (size_t)n->domains.n);
	s->price = ARENA_ARRAY(s->arena, int64_t, n->domains.n);
	s->near = ARENA_ARRAY(s->arena, struct neighbours, n->domains.n);
	s->done = ARENA_ARRAY(s->arena, bool, n->domains.n);
	for (int v = 0; v < n->domains.n; v++)
		s->done[v] = n->domains.at[v] == 1;
	for (int i = 0; i < n->factors.n; i++) {
		vec_push(s->arena, &s->factors, n->factors.at[i]);
		touch(s, i);
		connect(s, &s->factors.at[i]);
	}
	for (int v = 0; v < n->domains.n; v++)
		if (!s->done[v])
			put_price(s, v);
}

bool network_is_narrow(const struct network *n, int64_t max_table, int64_t max_sum)
{
	struct solver s;
	int64_t sum = 0;
	bool narrow = true;
	solver_begin(&s, n);
	for (int v; narrow && (v = cheapest_variable(&s)) >= 0;) {
		sum = count_add(sum, count_mul(s.price[v], n->domains.at[v]));
		narrow = s.price[v] <= max_table && sum <= max_sum;
		retire(&s, v, true);
	}
	arena_free(s.arena);
	return narrow;
}

struct cost network_solve(const struct network *n, int64_t max_table, int *value, bool *exact)
{
	struct solver s;
	solver_begin(&s, n);
	*exact = true;
	for (int v = 0; v < n->domains.n; v++)
		value[v] = 0;
	for (int v; (v = cheapest_variable(&s)) >= 0;) {
		if (s.price[v] <= max_table) {
			eliminate(&s, v);
			continue;
		}
		*exact = false;
		settle(&s, widest_variable(&s), value);
	}
	decide(&s, value);
	arena_free(s.arena);
	return network_evaluate(n, value);
}
