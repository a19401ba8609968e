/* demand.c — what it costs to have one value in every layout that its users want: convert_tree over the set of layouts,
 * so an equal conversion is paid once however many want it, and as often as it is computed: a conversion stands where
 * the value does. One table over the value and its users; where that is too large, the users are chained by auxiliary
 * variables, each the set wanted so far. */
#include "solve.h"

#include <string.h>

enum {
	MAX_DIRECT = 1 << 14, /* entries of the table of one value and its users; beyond, the users are chained */
	MAX_LINK = 1 << 16,   /* entries of a link of the chain */
	MAX_LAYOUTS = 48,     /* distinct layouts wanted of one value that are shared exactly */
};

/* The layouts wanted of a value, each once, as bits; those in which a user adds rows up, for that user alone. Users are
 * grouped by variable. */
struct demand {
	const struct node *node;
	int nlayouts;
	struct wanted layouts[MAX_LAYOUTS];     /* by one reader, or by others */
	const struct node *reader[MAX_LAYOUTS]; /* by layout: who adds rows up; NULL: others want it */
	uint64_t certain;                       /* wanted by users that are fixed */
	bool too_many;                          /* layouts for a bit each */
	VEC(int) vars;                          /* of the users, each once */
	VEC(uint64_t *) bits;                   /* per user and choice: what it wants */
	struct map costs;                       /* by (layout made, set) */
};

static struct wanted wanted_for_certain(const struct solve *s, const struct node *v, const struct use *use)
{
	struct layout out = use->user ? solve_fixed(s, use->user, &use->user->layout) : layout_broadcast();
	return stage_wanted(s->st, v, solve_place(s, v), use->user, &use->layout, &out);
}

static struct wanted wanted_in(const struct solve *s, const struct node *v, const struct use *use, int choice)
{
	const struct choice *c = &use->choices[choice];
	return stage_wanted(s->st, v, solve_place(s, v), use->user, &c->in[use->operand], &c->out);
}

/* No bit, and `too_many`, if there is none left. */
static uint64_t bit_of(struct solve *s, struct demand *d, const struct wanted *w, const struct node *user)
{
	const struct node *reader = w->readers ? user : NULL;
	for (int i = 0; i < d->nlayouts; i++)
		if (d->reader[i] == reader && d->layouts[i].owning == w->owning &&
		    layout_equal(solve_place(s, d->node), &d->layouts[i].layout, &w->layout))
			return UINT64_C(1) << i;
	if (d->nlayouts == MAX_LAYOUTS) {
		d->too_many = true;
		return 0;
	}
	d->layouts[d->nlayouts] = *w;
	d->reader[d->nlayouts] = reader;
	return UINT64_C(1) << d->nlayouts++;
}

/* Layouts in a set, each once: with all who add rows up in it, or for others. Returns how many. */
static int wanted_of_set(struct solve *s, const struct demand *d, const struct layout *made, uint64_t set,
			 struct wanted *out)
{
	const struct place *p = solve_place(s, d->node);
	int n = 0;
	for (int i = 0; i < d->nlayouts; i++)
		if (set >> i & 1 && !layout_equal(p, made, &d->layouts[i].layout))
			n = wanted_add(p, n, out, &d->layouts[i]);
	return n;
}

static uint64_t *bits_of_user(struct solve *s, struct demand *d, const struct use *use)
{
	if (d->vars.n && d->vars.at[d->vars.n - 1] == use->var)
		return d->bits.at[d->bits.n - 1];
	uint64_t *bits = ARENA_ARRAY(s->net.arena, uint64_t, use->nchoices);
	vec_push(s->net.arena, &d->vars, use->var);
	vec_push(s->net.arena, &d->bits, bits);
	return bits;
}

/* Whether a fixed value is had without a byte moved in every layout that a user may want: then users do not depend on
 * each other by it, but for the copies they might share. Each is charged its own. */
static bool is_indifferent(struct solve *s, const struct node *v, const struct use *use)
{
	const struct place *p = solve_place(s, v);
	struct layout has = solve_fixed(s, v, &v->layout);
	for (int i = 0; i < use->nchoices; i++)
		if (convert_bytes(s->st->costs, v->dtype, &v->shape, p, &has, p, &use->choices[i].in[use->operand]))
			return false;
	return true;
}

static void charge_copies(struct solve *s, const struct node *v, const struct use *use)
{
	struct cost *table = network_factor(&s->net, 1, &use->var);
	const struct place *p = solve_place(s, v);
	struct layout has = solve_fixed(s, v, &v->layout);
	int64_t turns = solve_turns(v->loop);
	for (int i = 0; i < use->nchoices; i++) {
		const struct layout *l = &use->choices[i].in[use->operand];
		if (!layout_equal(p, &has, l))
			table[i] = cost_times(convert_cost(s->st->costs, v->dtype, &v->shape, p, &has, p, l), turns);
	}
}

/* Whether a use has a part in the common demand of all users; if not, it is charged for itself. */
static bool joins_demand(struct solve *s, const struct node *v, const struct use *use)
{
	return use->var >= 0 && (s->var[v->id] >= 0 || !is_indifferent(s, v, use));
}

static void demand_make(struct solve *s, struct demand *d, const struct node *v)
{
	*d = (struct demand){.node = v};
	map_init(&d->costs, s->net.arena);
	struct value *value = &s->values[v->id];
	for (int u = 0; u < value->uses.n; u++) {
		const struct use *use = &value->uses.at[u];
		if (use->var >= 0)
			continue;
		struct wanted w = wanted_for_certain(s, v, use);
		d->certain |= bit_of(s, d, &w, use->user);
	}
	for (int u = 0; u < value->uses.n; u++) {
		const struct use *use = &value->uses.at[u];
		bool joins = joins_demand(s, v, use);
		if (use->var >= 0 && !joins)
			charge_copies(s, v, use);
		if (!joins)
			continue;
		uint64_t *bits = bits_of_user(s, d, use);
		for (int i = 0; i < use->nchoices; i++) {
			struct wanted w = wanted_in(s, v, use, i);
			bits[i] |= bit_of(s, d, &w, use->user);
		}
	}
}

/* Bytes that a fixed value is moved by: halos belong to the operators that read them, it stays where it is. */
static int64_t bytes_but_halos(struct solve *s, const struct node *v, const struct layout *made, int n,
			       const struct wanted *wanted)
{
	const struct place *p = solve_place(s, v);
	struct wanted moved[MAX_LAYOUTS];
	int parent[MAX_LAYOUTS], nmoved = 0;
	for (int i = 0; i < n; i++)
		if (!layout_has_window(p, &wanted[i].layout) || !layout_reaches(p, made, &wanted[i].layout))
			moved[nmoved++] = wanted[i];
	struct cost cost = convert_tree(s->st->costs, v->dtype, &v->shape, p, made, nmoved, moved, parent);
	return cost_times(cost, solve_turns(v->loop)).bytes;
}

/* Bytes to have the value, made in the layout of its choice, in a set of layouts. */
static struct cost demand_cost(struct solve *s, struct demand *d, int choice, uint64_t set)
{
	uint64_t key = (uint64_t)choice << MAX_LAYOUTS | set;
	struct cost *known = map_get_u64(&d->costs, key);
	if (known)
		return *known;
	const struct node *v = d->node;
	const struct place *p = solve_place(s, v);
	struct layout fixed = solve_fixed(s, v, &v->layout);
	const struct layout *made = s->var[v->id] < 0 ? &fixed : &s->choices[v->id][choice].out;
	struct wanted wanted[MAX_LAYOUTS];
	int parent[MAX_LAYOUTS], n = wanted_of_set(s, d, made, set, wanted);
	n = convert_join_windows(s->st->costs, v->dtype, &v->shape, p, made, n, wanted);
	known = ARENA_NEW(s->net.arena, struct cost);
	*known = cost_times(convert_tree(s->st->costs, v->dtype, &v->shape, p, made, n, wanted, parent),
			    solve_turns(v->loop));
	if (s->var[v->id] < 0 && v->origin == ORIGIN_SOURCE)
		known->again = bytes_but_halos(s, v, made, n, wanted);
	map_set_u64(&d->costs, key, known);
	return *known;
}

/* One table over the value and all its users. */
static void direct_factor(struct solve *s, struct demand *d, int own)
{
	int *vars = ARENA_ARRAY(s->net.arena, int, d->vars.n + 1), n = 0;
	int *value = ARENA_ARRAY(s->net.arena, int, d->vars.n + 1);
	if (own >= 0)
		vars[n++] = own;
	for (int i = 0; i < d->vars.n; i++)
		vars[n++] = d->vars.at[i];
	struct cost *table = network_factor(&s->net, n, vars);
	int64_t size = network_size(&s->net, n, vars);
	for (int64_t k = 0; k < size; k++) {
		int64_t rest = k;
		for (int i = n - 1; i >= 0; i--) {
			value[i] = (int)(rest % s->net.domains.at[vars[i]]);
			rest /= s->net.domains.at[vars[i]];
		}
		uint64_t set = d->certain;
		for (int i = 0; i < d->vars.n; i++)
			set |= d->bits.at[i][value[i + (own >= 0)]];
		table[k] = demand_cost(s, d, own >= 0 ? value[0] : 0, set);
	}
}

/* The sets that can have come together after a user, given those before it. */
static int next_sets(struct solve *s, const struct demand *d, int user, int n, const uint64_t *sets, uint64_t **out)
{
	VEC(uint64_t) list = {0};
	for (int i = 0; i < n; i++)
		for (int c = 0; c < s->net.domains.at[d->vars.at[user]]; c++) {
			uint64_t set = sets[i] | d->bits.at[user][c];
			bool known = false;
			for (int k = 0; k < list.n && !known; k++)
				known = list.at[k] == set;
			if (!known)
				vec_push(s->net.arena, &list, set);
		}
	*out = list.at;
	return list.n;
}

/* The sets wanted by the first users, one user after another. */
struct chain {
	int *n;
	uint64_t **sets;
};

/* Whether a user is linked to the one before it by the same table as that one to its own. */
static bool links_alike(struct solve *s, const struct demand *d, const struct chain *c, int user)
{
	int domain = s->net.domains.at[d->vars.at[user]];
	return user > 1 && s->net.domains.at[d->vars.at[user - 1]] == domain && c->n[user - 1] == c->n[user] &&
	       c->n[user] == c->n[user + 1] &&
	       !memcmp(d->bits.at[user - 1], d->bits.at[user], sizeof **c->sets * (size_t)domain) &&
	       !memcmp(c->sets[user - 1], c->sets[user], sizeof **c->sets * (size_t)c->n[user]) &&
	       !memcmp(c->sets[user], c->sets[user + 1], sizeof **c->sets * (size_t)c->n[user]);
}

/* set' = set | what the user wants; all else is forbidden. The factor is over the sets before the user (none before
 * the first), the user and the sets after it. alike: the table of the link before this one; NULL: another is made. */
static struct cost *link_factor(struct solve *s, const struct demand *d, const struct chain *c, int user, int before,
				int after, struct cost *alike)
{
	int vars[3], n = 0, domain = s->net.domains.at[d->vars.at[user]];
	if (before >= 0)
		vars[n++] = before;
	vars[n++] = d->vars.at[user];
	vars[n++] = after;
	if (alike) {
		network_factor_like(&s->net, n, vars, alike);
		return alike;
	}
	struct cost *table = network_factor(&s->net, n, vars);
	for (int i = 0; i < c->n[user]; i++)
		for (int k = 0; k < domain; k++)
			for (int j = 0; j < c->n[user + 1]; j++)
				table[((int64_t)i * domain + k) * c->n[user + 1] + j].forbidden =
					c->sets[user + 1][j] != (c->sets[user][i] | d->bits.at[user][k]);
	return table;
}

/* False if a link would need too large a table. */
static bool chain_make(struct solve *s, struct demand *d, struct chain *c)
{
	c->n = ARENA_ARRAY(s->net.arena, int, d->vars.n + 1);
	c->sets = ARENA_ARRAY(s->net.arena, uint64_t *, d->vars.n + 1);
	c->n[0] = 1;
	c->sets[0] = &d->certain;
	for (int u = 0; u < d->vars.n; u++) {
		c->n[u + 1] = next_sets(s, d, u, c->n[u], c->sets[u], &c->sets[u + 1]);
		if ((int64_t)c->n[u] * c->n[u + 1] * s->net.domains.at[d->vars.at[u]] > MAX_LINK)
			return false;
	}
	return true;
}

/* The same as direct_factor by way of auxiliary variables, one per link of the chain. */
static void chained_factor(struct solve *s, struct demand *d, int own, const struct chain *c)
{
	int before = -1, n = c->n[d->vars.n];
	struct cost *table = NULL;
	for (int u = 0; u < d->vars.n; u++) {
		int after = network_variable(&s->net, c->n[u + 1]);
		table = link_factor(s, d, c, u, before, after, links_alike(s, d, c, u) ? table : NULL);
		before = after;
	}
	int vars[2] = {before, own}, domain = own >= 0 ? s->net.domains.at[own] : 1;
	table = network_factor(&s->net, own >= 0 ? 2 : 1, vars);
	for (int i = 0; i < n; i++)
		for (int k = 0; k < domain; k++)
			table[i * domain + k] = demand_cost(s, d, k, c->sets[d->vars.n][i]);
}

/* Cost of one conversion of a value to what a user wants of it. */
static struct cost conversion_cost(struct solve *s, const struct node *v, const struct layout *made,
				   const struct wanted *wanted)
{
	const struct place *p = solve_place(s, v);
	int parent;
	if (layout_equal(p, made, &wanted->layout))
		return (struct cost){0};
	struct cost c = cost_times(convert_tree(s->st->costs, v->dtype, &v->shape, p, made, 1, wanted, &parent),
				   solve_turns(v->loop));
	if (s->var[v->id] < 0 && v->origin == ORIGIN_SOURCE)
		c.again = bytes_but_halos(s, v, made, 1, wanted);
	return c;
}

/* Each user pays for its own conversions: too much where several want the same, so not exact. */
static void separate_factors(struct solve *s, struct demand *d, int own)
{
	const struct node *v = d->node;
	struct layout fixed = solve_fixed(s, v, &v->layout);
	int made = own >= 0 ? s->net.domains.at[own] : 1;
	s->exact = false;
	if (s->must_be_exact)
		return;
	for (int u = 0; u < s->values[v->id].uses.n; u++) {
		const struct use *use = &s->values[v->id].uses.at[u];
		int vars[2] = {use->var, own};
		if (!joins_demand(s, v, use))
			continue;
		struct cost *table = network_factor(&s->net, own >= 0 ? 2 : 1, vars);
		for (int i = 0; i < use->nchoices; i++)
			for (int k = 0; k < made; k++) {
				struct wanted w = wanted_in(s, v, use, i);
				table[i * made + k] =
					conversion_cost(s, v, own >= 0 ? &s->choices[v->id][k].out : &fixed, &w);
			}
	}
	struct cost *table = own >= 0 ? network_factor(&s->net, 1, &own) : NULL;
	for (int k = 0; table && k < made; k++)
		table[k] = demand_cost(s, d, k, d->certain);
}

void solve_demand(struct solve *s, const struct node *v)
{
	struct demand d;
	int own = s->var[v->id];
	demand_make(s, &d, v);
	if (d.nlayouts == 0)
		return;
	int64_t size = network_size(&s->net, d.vars.n, d.vars.at);
	if (own >= 0 && __builtin_mul_overflow(size, s->net.domains.at[own], &size))
		size = INT64_MAX;
	struct chain chain;
	if (d.too_many)
		separate_factors(s, &d, own);
	else if (size <= MAX_DIRECT)
		direct_factor(s, &d, own);
	else if (chain_make(s, &d, &chain))
		chained_factor(s, &d, own, &chain);
	else
		separate_factors(s, &d, own);
}
