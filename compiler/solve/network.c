/* network.c — see network.h. Each elimination remembers the best value for every assignment of its neighbours; going
 * back through these in reverse order gives the values. The variable whose elimination makes the smallest table goes
 * first. Where tables get large, values that no best assignment needs are dropped beforehand, and the order is one that
 * takes longer to find. */
#include "network.h"
#include "order.h"

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
	VEC(int) * touching; /* per variable: factors that mention it, gone ones included */
	struct order order;
	VEC(struct decision) decisions;
	const int *at; /* values to settle variables at; NULL: those with the least costs in the tables at hand */
	int *settled;  /* per variable: how often it was settled so far, in all rounds */
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
 * value of each neighbour is from it, and the next value of the variable itself; the last neighbour it mentions, or -1.
 */
struct reading {
	const struct cost *entry;
	int64_t own, *step;
	int last;
};

static struct reading reading_of(struct solver *s, const struct factor_table *f, const struct decision *d)
{
	struct reading r = {.entry = f->at, .step = ARENA_ARRAY(s->arena, int64_t, d->nvars), .last = -1};
	int64_t stride = 1;
	for (int i = f->nvars - 1; i >= 0; i--) {
		for (int k = 0; k < d->nvars; k++)
			if (d->vars[k] == f->vars[i]) {
				r.step[k] = stride;
				r.last = k > r.last ? k : r.last;
			}
		if (f->vars[i] == d->var)
			r.own = stride;
		stride *= s->net->domains.at[f->vars[i]];
	}
	return r;
}

/* A table that is filled: row by row, one neighbour's values after the other's. What factors cost whose last neighbour
 * has its value is added up once for all values of those behind it. */
struct filling {
	const struct network *net;
	int nvars, *vars, values, nreadings; /* the neighbours; the values of the variable */
	struct reading *readings;            /* by their last neighbours */
	struct cost *sums, *at;              /* for each number of neighbours a sum for each value; the next entry */
	uint16_t *best;
};

/* The sums where the first k neighbours have their values: those where one fewer has, and the factors that mention no
 * other. */
static struct cost *add_up(const struct filling *f, int k)
{
	struct cost *to = f->sums + (int64_t)k * f->values;
	if (k > 0)
		memcpy(to, to - f->values, sizeof *to * (size_t)f->values);
	for (int i = 0; i < f->nreadings; i++) {
		const struct reading *r = &f->readings[i];
		for (int v = 0; r->last == k - 1 && v < f->values; v++)
			if (!to[v].forbidden)
				to[v] = cost_add(to[v], r->entry[v * r->own]);
	}
	return to;
}

static void fill(struct filling *f, int k)
{
	const struct cost *sum = add_up(f, k);
	if (k == f->nvars) {
		int best = 0;
		for (int v = 1; v < f->values; v++)
			if (cost_less(sum[v], sum[best]))
				best = v;
		*f->at++ = sum[best];
		*f->best++ = (uint16_t)best;
		return;
	}
	int n = f->net->domains.at[f->vars[k]];
	for (int value = 0; value < n; value++) {
		fill(f, k + 1);
		for (int i = 0; i < f->nreadings; i++)
			f->readings[i].entry +=
				value + 1 < n ? f->readings[i].step[k] : -value * f->readings[i].step[k];
	}
}

/* Ends a variable and the factors that mention it; `linked`: its neighbours share a factor from now on. */
static void retire(struct solver *s, int var, bool linked)
{
	order_retire(&s->order, var, linked);
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
	d.nvars = s->order.near[var].n;
	d.vars = s->order.near[var].at;
	for (int i = 0; i < s->touching[var].n; i++)
		if (!s->factors.at[s->touching[var].at[i]].gone)
			vec_push(s->arena, &readings, reading_of(s, &s->factors.at[s->touching[var].at[i]], &d));
	d.best = ARENA_ARRAY(s->arena, uint16_t, network_size(s->net, d.nvars, d.vars));
	struct factor_table f = table_new(s, d.nvars, d.vars);
	int values = s->net->domains.at[var];
	struct filling all = {.net = s->net,
			      .nvars = d.nvars,
			      .vars = d.vars,
			      .values = values,
			      .nreadings = readings.n,
			      .readings = readings.at,
			      .sums = ARENA_ARRAY(s->arena, struct cost, (int64_t)values * (d.nvars + 1)),
			      .at = f.at,
			      .best = d.best};
	fill(&all, 0);
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

/* Decides var without looking at its neighbours, where a table over them would be too large. */
static void settle(struct solver *s, int var, int *value)
{
	struct decision d = {.var = var, .best = ARENA_ARRAY(s->arena, uint16_t, 1)};
	d.best[0] = (uint16_t)(s->at ? s->at[var] : promising_value(s, var, value));
	s->settled[var]++;
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

/* How much is won by settling a variable: one with a large table stands in the way of the most others; less each time
 * it was settled, so that rounds differ. */
static int64_t worth_settling(const struct solver *s, int v)
{
	int shift = 2 * s->settled[v];
	return s->order.price[v].table >> (shift < 63 ? shift : 63);
}

static int variable_to_settle(const struct solver *s)
{
	int found = -1;
	for (int v = 0; v < s->net->domains.n; v++)
		if (!s->order.done[v] && (found < 0 || worth_settling(s, v) > worth_settling(s, found)))
			found = v;
	return found;
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

static bool is_narrow(const struct network *n, enum order_by by, int64_t max_table, int64_t max_sum)
{
	struct arena *a = arena_new("solve: width");
	struct order o;
	int64_t sum = 0;
	bool narrow = true;
	order_begin(&o, n, by, a);
	for (int v; narrow && (v = order_next(&o)) >= 0;) {
		sum = count_add(sum, count_mul(o.price[v].table, n->domains.at[v]));
		narrow = o.price[v].table <= max_table && sum <= max_sum;
		order_retire(&o, v, true);
	}
	arena_free(a);
	return narrow;
}

bool network_is_narrow(const struct network *n, int64_t max_table, int64_t max_sum)
{
	return is_narrow(n, BY_TABLE, max_table, max_sum);
}

static void solver_begin(struct solver *s, const struct network *n, enum order_by by)
{
	*s = (struct solver){.net = n, .arena = arena_new("solve: elimination")};
	order_begin(&s->order, n, by, s->arena);
	s->touching = arena_alloc(s->arena, sizeof *s->touching * (size_t)n->domains.n);
	for (int i = 0; i < n->factors.n; i++) {
		vec_push(s->arena, &s->factors, n->factors.at[i]);
		touch(s, i);
	}
}

static void solver_end(struct solver *s)
{
	for (int i = 0; i < s->factors.n; i++)
		if (s->factors.at[i].memory)
			arena_free(s->factors.at[i].memory);
	arena_free(s->arena);
}

/* Eliminates one variable after the other until the next table would be too large; false: none is left. */
static bool eliminate_narrow(struct solver *s, int64_t max_table)
{
	int v = order_next(&s->order);
	for (; v >= 0 && s->order.price[v].table <= max_table; v = order_next(&s->order))
		eliminate(s, v);
	return v >= 0;
}

/* Eliminates all variables but those whose tables would be too large, which are settled: at their values in `at`, if
 * that is given. settled: how often each was; NULL where none can be. */
static void eliminate_all(const struct network *n, enum order_by by, int64_t max_table, const int *at, int *settled,
			  int *value)
{
	struct solver s;
	solver_begin(&s, n, by);
	s.at = at;
	s.settled = settled;
	memset(value, 0, sizeof *value * (size_t)n->domains.n);
	while (eliminate_narrow(&s, max_table))
		settle(&s, variable_to_settle(&s), value);
	decide(&s, value);
	solver_end(&s);
}

/* What nothing undercuts: the least entries of all factors. */
static struct cost bound_of(const struct network *n)
{
	struct cost sum = {0};
	for (int i = 0; i < n->factors.n; i++) {
		const struct factor_table *f = &n->factors.at[i];
		struct cost least = f->at[0];
		for (int64_t k = network_size(n, f->nvars, f->vars) - 1; k > 0; k--)
			least = cost_less(f->at[k], least) ? f->at[k] : least;
		sum = cost_add(sum, least);
	}
	return sum;
}

/* Whether no assignment moves less; there may be less work. */
static bool moves_least(struct cost c, struct cost bound)
{
	return !c.forbidden && c.again == bound.again && c.bytes == bound.bytes;
}

/* Rounds in which some variables are settled as in the best assignment so far, each time others, and the rest is the
 * best that goes with them, so no round is worse than what it began with. Ends when some rounds in a row found nothing,
 * fewer where nothing is left to find but less work. */
static struct cost improve(const struct network *n, int64_t max_table, struct cost bound, int *settled, int *value)
{
	enum { MAX_ROUNDS = 40, ROUNDS_IN_VAIN = 4, ROUNDS_FOR_WORK = 2 };
	struct arena *a = arena_new("solve: rounds");
	int *found = ARENA_ARRAY(a, int, n->domains.n);
	struct cost best = network_evaluate(n, value);
	for (int round = 0, vain = 0;
	     round < MAX_ROUNDS && vain < (moves_least(best, bound) ? ROUNDS_FOR_WORK : ROUNDS_IN_VAIN); round++) {
		eliminate_all(n, BY_FILL, max_table, value, settled, found);
		struct cost cost = network_evaluate(n, found);
		vain = cost_less(cost, best) ? 0 : vain + 1;
		if (cost_less(best, cost))
			continue;
		best = cost;
		memcpy(value, found, sizeof *value * (size_t)n->domains.n);
	}
	arena_free(a);
	return best;
}

/* The variables that are not eliminated yet and what is known of them; the others have one value there. */
static struct network network_left(const struct solver *s)
{
	struct network left;
	network_init(&left, s->arena);
	for (int v = 0; v < s->net->domains.n; v++)
		network_variable(&left, s->order.done[v] ? 1 : s->net->domains.at[v]);
	for (int i = 0; i < s->factors.n; i++)
		if (!s->factors.at[i].gone)
			network_factor_like(&left, s->factors.at[i].nvars, s->factors.at[i].vars, s->factors.at[i].at);
	return left;
}

/* From two beginnings: the first values, which mean B for layouts, and those with the least costs where variables are
 * settled. What goes before any is settled is the same in all rounds, and most of the work, so it goes once. */
static void solve_in_rounds(const struct network *n, int64_t max_table, int *value)
{
	struct solver s;
	solver_begin(&s, n, BY_FILL);
	eliminate_narrow(&s, max_table);
	struct network left = network_left(&s);
	size_t bytes = sizeof *value * (size_t)n->domains.n;
	int *settled = ARENA_ARRAY(s.arena, int, n->domains.n), *other = ARENA_ARRAY(s.arena, int, n->domains.n);
	memset(value, 0, bytes);
	struct cost bound = bound_of(&left), from_first = improve(&left, max_table, bound, settled, value);
	if (!moves_least(from_first, bound)) {
		memset(settled, 0, bytes);
		eliminate_all(&left, BY_FILL, max_table, NULL, settled, other);
		if (cost_less(improve(&left, max_table, bound, settled, other), from_first))
			memcpy(value, other, bytes);
	}
	decide(&s, value);
	solver_end(&s);
}

struct cost network_solve(const struct network *n, int64_t max_table, int *value, bool *exact)
{
	/* Entries to look at from where on it pays to look for fewer, and that take too long; the largest table of a
	 * round. */
	enum { MUCH = 1 << 18, TOO_MUCH = 1 << 25, ROUND_TABLE = 1 << 13 };
	*exact = true;
	if (is_narrow(n, BY_TABLE, max_table, MUCH)) {
		eliminate_all(n, BY_TABLE, max_table, NULL, NULL, value);
	} else {
		struct arena *a = arena_new("solve: pruned network");
		struct network pruned;
		int **kept = network_prune(n, &pruned, a);
		*exact = is_narrow(&pruned, BY_FILL, max_table, TOO_MUCH);
		if (*exact)
			eliminate_all(&pruned, BY_FILL, max_table, NULL, NULL, value);
		else
			solve_in_rounds(&pruned, max_table < ROUND_TABLE ? max_table : ROUND_TABLE, value);
		for (int v = 0; v < n->domains.n; v++)
			value[v] = kept[v][value[v]];
		arena_free(a);
	}
	return network_evaluate(n, value);
}
