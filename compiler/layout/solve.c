/* solve.c — the layouts left free: one choice per node so that the fewest bytes move between ranks (cost.h says what
 * else counts). Exact, by elimination over a network of costs (network.h).
 *
 * A variable is a free node (its choices), or a transfer between placements that may take its input in any layout. A
 * factor is one value and all who use it: having the value in each of the wanted layouts costs convert_tree, so an
 * equal conversion is paid once however many want it, and a P that several add up is finished once, after the
 * additions. Values of the program itself are fixed; gradients take them as they are where they can. Example: x:S(0),
 * g:S(0), w:B: the gradient x^T g is P(sum), wanted as B: one all-reduce. */
#include "choice.h"
#include "network.h"
#include "stage.h"

enum {
	MAX_DIRECT = 1 << 14, /* entries of the table of one value and its users; beyond, the users are chained */
	MAX_LINK = 1 << 16,   /* entries of a link of the chain */
	MAX_TABLE = 1 << 18,
	MAX_LAYOUTS = 24, /* distinct layouts wanted of one value that are shared exactly */
};

/* One use of a value. */
struct use {
	int var; /* of the user, or -1: it wants `layout` for certain */
	struct layout layout;
	const struct choice *choices; /* of the user */
	int nchoices, operand;
};
struct value {
	VEC(struct use) uses;
};

struct solve {
	struct stage *st;
	struct arena *arena;
	struct network net;
	int *var;                /* by node: its variable, or -1 */
	struct choice **choices; /* by node */
	int *nchoices;
	struct value *values;       /* by node */
	uint8_t (*parts)[MAX_AXES]; /* by node and axis: combiners of the P it may be by itself, as bits */
	bool *moved; /* by node: a value of the program itself that some user has to convert */
	bool exact;
};

/* ---- what is dominated ---- */

static void note_parts(struct solve *s, const struct node *n, const struct layout *l)
{
	for (int a = 0; a < n->place->naxes; a++)
		if (l->atom[a].kind == SHARD_P)
			s->parts[n->id][a] |= (uint8_t)(1u << l->atom[a].combiner);
}

/* Whether operand i is taken split along each of its dimensions by some choice. */
static bool takes_all_splits(const struct node *n, int axis, int i, const struct choice *list, int count)
{
	uint32_t taken = 0;
	for (int k = 0; k < count; k++)
		if (list[k].in[i].atom[axis].kind == SHARD_S)
			taken |= 1u << list[k].in[i].atom[axis].dim;
	return taken == (1u << n->in[i]->shape.rank) - 1;
}

/* Whether a choice works on a P that it would first have to make. A single one: as it is, B or split, the operand gives
 * a result that converts into this one's for nothing. Several are kept: they are how values split differently meet
 * without moving. */
static bool makes_parts(const struct solve *s, const struct node *n, const struct choice *c, const struct choice *list,
			int count)
{
	for (int a = 0; a < n->place->naxes; a++) {
		int wanted = 0, last = 0;
		bool there = false;
		for (int i = 0; i < n->nin; i++) {
			struct shard_atom x = c->in[i].atom[a];
			if (x.kind != SHARD_P)
				continue;
			wanted++;
			last = i;
			there |= s->parts[stage_value(s->st, n->in[i])->id][a] >> x.combiner & 1;
		}
		if (wanted == 1 && !there && takes_all_splits(n, a, last, list, count))
			return true;
	}
	return false;
}

static bool is_variable(const struct stage *st, const struct node *n)
{
	const struct note *note = &st->notes[n->id];
	return note->is_live && !note->is_alias && (note->is_free || note->is_open);
}

/* Whether a choice takes input i, a value of the program itself, in a layout that costs bytes to have. */
static bool moves_input(const struct solve *s, const struct node *n, const struct choice *c, int i)
{
	const struct node *v = stage_value(s->st, n->in[i]);
	return v->origin == ORIGIN_SOURCE && !is_variable(s->st, v) &&
	       convert_bytes(s->st->costs, v->dtype, &v->shape, v->place, &v->layout, v->place, &c->in[i]) > 0;
}

/* Notes the values that a node cannot use as they are, whatever it chooses. */
static void note_moved(struct solve *s, const struct node *n)
{
	int id = n->id;
	for (int k = 0; k < s->nchoices[id]; k++) {
		bool moves = false;
		for (int i = 0; i < n->nin; i++)
			moves |= moves_input(s, n, &s->choices[id][k], i);
		if (!moves)
			return;
	}
	for (int i = 0; i < n->nin; i++)
		s->moved[stage_value(s->st, n->in[i])->id] = true;
}

/* Moving values of the program itself counts before everything else (cost.h), so one that every user can do with as it
 * is stays: a choice that moves it is in no best solution. */
static bool moves_needlessly(const struct solve *s, const struct node *n, const struct choice *c)
{
	for (int i = 0; i < n->nin; i++)
		if (!s->moved[stage_value(s->st, n->in[i])->id] && moves_input(s, n, c, i))
			return true;
	return false;
}

static int keep_others(struct choice *list, int count, const bool *drop)
{
	int kept = 0;
	for (int i = 0; i < count; i++)
		if (!drop[i])
			list[kept++] = list[i];
	return kept;
}

static int drop_dominated(struct solve *s, const struct node *n, struct choice *list, int count)
{
	bool *drop = ARENA_ARRAY(s->arena, bool, count);
	int needless = 0;
	for (int i = 0; i < count; i++)
		drop[i] = makes_parts(s, n, &list[i], list, count);
	count = keep_others(list, count, drop);
	for (int i = 0; i < count; i++)
		needless += drop[i] = moves_needlessly(s, n, &list[i]);
	return needless == count ? count : keep_others(list, count, drop);
}

/* ---- variables ---- */

/* Whether the layout has a P on an axis where the value is none by itself, or, for one the transfer gives, anywhere. */
static bool is_idle_part(const struct solve *s, const struct node *x, const struct layout *l)
{
	for (int a = 0; a < x->place->naxes; a++)
		if (l->atom[a].kind == SHARD_P && !(s->parts[x->id][a] >> l->atom[a].combiner & 1))
			return true;
	return false;
}

/* A transfer takes its input in any layout and gives the fixed one, or any. A P is given only where one is taken: an S
 * costs no more and converts into it. */
static int transfer_choices(struct solve *s, const struct node *n, struct choice **out)
{
	const struct node *x = n->in[0];
	struct layout *from, *to = NULL;
	int nfrom = layouts_of(s->arena, x->place, &x->shape, true, &from), nto = 1, count = 0;
	if (!s->st->notes[n->id].is_open)
		nto = layouts_of(s->arena, n->place, &n->shape, true, &to);
	struct choice *list = ARENA_ARRAY(s->arena, struct choice, (int64_t)nfrom * nto);
	for (int j = 0; j < nto; j++)
		for (int i = 0; i < nfrom; i++) {
			if (is_idle_part(s, stage_value(s->st, n->in[0]), &from[i]))
				continue;
			if (to && layout_has_partial(n->place, &to[j]) && !layout_has_partial(x->place, &from[i]))
				continue;
			struct choice *c = &list[count++];
			c->in[0] = from[i];
			c->out = to ? to[j] : n->layout;
			struct cost cost =
				convert_cost(s->st->costs, n->dtype, &n->shape, x->place, &c->in[0], n->place, &c->out);
			c->bytes = cost.bytes;
			c->work = cost.work;
		}
	*out = list;
	return count;
}

static void add_variable(struct solve *s, const struct node *n)
{
	int id = n->id;
	if (n->kind == NODE_TO) {
		s->nchoices[id] = transfer_choices(s, n, &s->choices[id]);
	} else {
		s->nchoices[id] = drop_dominated(s, n, s->choices[id], s->nchoices[id]);
	}
	for (int i = 0; i < s->nchoices[id]; i++)
		note_parts(s, n, &s->choices[id][i].out);
	s->var[id] = network_variable(&s->net, s->nchoices[id]);
	struct cost *own = network_factor(&s->net, 1, &s->var[id]);
	for (int i = 0; i < s->nchoices[id]; i++)
		own[i] = (struct cost){.bytes = s->choices[id][i].bytes, .work = s->choices[id][i].work};
}

/* ---- uses ---- */

static void add_use(struct solve *s, struct node *x, struct use use)
{
	vec_push(s->arena, &s->values[stage_value(s->st, x)->id].uses, use);
}

static void collect_uses(struct solve *s, const struct node *n)
{
	const struct note *note = &s->st->notes[n->id];
	if (!note->is_live || note->is_alias)
		return;
	for (int i = 0; i < n->nin; i++) {
		struct use use = {.var = s->var[n->id], .operand = i};
		if (use.var < 0) {
			use.layout = note->want[i];
		} else {
			use.choices = s->choices[n->id];
			use.nchoices = s->nchoices[n->id];
		}
		add_use(s, n->in[i], use);
	}
}

static void collect_output_uses(struct solve *s)
{
	for (int i = 0; i < s->st->graph->outputs.n; i++)
		add_use(s, s->st->graph->outputs.at[i].node, (struct use){.var = -1, .layout = s->st->output_want[i]});
}

/* ---- the factor of one value ---- */

/* The layouts wanted of a value, each once, as bits; users are grouped by variable. */
struct demand {
	const struct node *node;
	int nlayouts;
	struct layout layouts[MAX_LAYOUTS];
	uint32_t certain;     /* wanted by users that are fixed */
	bool too_many;        /* layouts for a bit each */
	VEC(int) vars;        /* of the users, each once */
	VEC(uint32_t *) bits; /* per user and choice: what it wants */
	struct map costs;     /* by (layout made, set) */
};

/* No bit, and `too_many`, if there is none left. */
static uint32_t bit_of(struct demand *d, const struct layout *l)
{
	for (int i = 0; i < d->nlayouts; i++)
		if (layout_equal(d->node->place, &d->layouts[i], l))
			return 1u << i;
	if (d->nlayouts == MAX_LAYOUTS) {
		d->too_many = true;
		return 0;
	}
	d->layouts[d->nlayouts] = *l;
	return 1u << d->nlayouts++;
}

static uint32_t *bits_of_user(struct solve *s, struct demand *d, const struct use *use)
{
	for (int i = 0; i < d->vars.n; i++)
		if (d->vars.at[i] == use->var)
			return d->bits.at[i];
	uint32_t *bits = ARENA_ARRAY(s->arena, uint32_t, use->nchoices);
	vec_push(s->arena, &d->vars, use->var);
	vec_push(s->arena, &d->bits, bits);
	return bits;
}

/* Whether a fixed value is had without a byte moved in every layout that a user may want: then users do not depend on
 * each other by it, but for the copies they might share. Each is charged its own. */
static bool is_indifferent(struct solve *s, const struct node *v, const struct use *use)
{
	for (int i = 0; i < use->nchoices; i++)
		if (convert_bytes(s->st->costs, v->dtype, &v->shape, v->place, &v->layout, v->place,
				  &use->choices[i].in[use->operand]))
			return false;
	return true;
}

static void charge_copies(struct solve *s, const struct node *v, const struct use *use)
{
	struct cost *table = network_factor(&s->net, 1, &use->var);
	for (int i = 0; i < use->nchoices; i++) {
		const struct layout *l = &use->choices[i].in[use->operand];
		if (!layout_equal(v->place, &v->layout, l))
			table[i] = convert_cost(s->st->costs, v->dtype, &v->shape, v->place, &v->layout, v->place, l);
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
	map_init(&d->costs, s->arena);
	struct value *value = &s->values[v->id];
	for (int u = 0; u < value->uses.n; u++)
		if (value->uses.at[u].var < 0)
			d->certain |= bit_of(d, &value->uses.at[u].layout);
	for (int u = 0; u < value->uses.n; u++) {
		const struct use *use = &value->uses.at[u];
		if (use->var >= 0 && !joins_demand(s, v, use))
			charge_copies(s, v, use);
		if (!joins_demand(s, v, use))
			continue;
		uint32_t *bits = bits_of_user(s, d, use);
		for (int i = 0; i < use->nchoices; i++)
			bits[i] |= bit_of(d, &use->choices[i].in[use->operand]);
	}
}

/* Bytes to have the value, made in the layout of its choice, in a set of layouts. */
static struct cost demand_cost(struct solve *s, struct demand *d, int choice, uint32_t set)
{
	uint64_t key = (uint64_t)(unsigned)choice << 32 | set;
	struct cost *known = map_get_u64(&d->costs, key);
	if (known)
		return *known;
	const struct node *v = d->node;
	const struct layout *made = s->var[v->id] < 0 ? &v->layout : &s->choices[v->id][choice].out;
	struct layout wanted[MAX_LAYOUTS];
	int parent[MAX_LAYOUTS], n = 0;
	for (int i = 0; i < d->nlayouts; i++)
		if (set >> i & 1 && !layout_equal(v->place, made, &d->layouts[i]))
			wanted[n++] = d->layouts[i];
	known = ARENA_NEW(s->arena, struct cost);
	*known = convert_tree(s->st->costs, v->dtype, &v->shape, v->place, made, n, wanted, parent);
	if (s->var[v->id] < 0 && v->origin == ORIGIN_SOURCE)
		known->again = known->bytes;
	map_set_u64(&d->costs, key, known);
	return *known;
}

/* One table over the value and all its users. */
static void direct_factor(struct solve *s, struct demand *d, int own)
{
	int *vars = ARENA_ARRAY(s->arena, int, d->vars.n + 1), n = 0;
	int *value = ARENA_ARRAY(s->arena, int, d->vars.n + 1);
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
		uint32_t set = d->certain;
		for (int i = 0; i < d->vars.n; i++)
			set |= d->bits.at[i][value[i + (own >= 0)]];
		table[k] = demand_cost(s, d, own >= 0 ? value[0] : 0, set);
	}
}

/* The sets that can have come together after a user, given those before it. */
static int next_sets(struct solve *s, const struct demand *d, int user, int n, const uint32_t *sets, uint32_t **out)
{
	VEC(uint32_t) list = {0};
	for (int i = 0; i < n; i++)
		for (int c = 0; c < s->net.domains.at[d->vars.at[user]]; c++) {
			uint32_t set = sets[i] | d->bits.at[user][c];
			bool known = false;
			for (int k = 0; k < list.n && !known; k++)
				known = list.at[k] == set;
			if (!known)
				vec_push(s->arena, &list, set);
		}
	*out = list.at;
	return list.n;
}

/* set' = set | what the user wants; all else is forbidden. before < 0: the first user. */
static void link_factor(struct solve *s, const struct demand *d, int user, int before, int nbefore,
			const uint32_t *sets, int after, int nafter, const uint32_t *next)
{
	int vars[3], n = 0, domain = s->net.domains.at[d->vars.at[user]];
	if (before >= 0)
		vars[n++] = before;
	vars[n++] = d->vars.at[user];
	vars[n++] = after;
	struct cost *table = network_factor(&s->net, n, vars);
	for (int i = 0; i < nbefore; i++)
		for (int c = 0; c < domain; c++)
			for (int k = 0; k < nafter; k++)
				table[((int64_t)i * domain + c) * nafter + k].forbidden =
					next[k] != (sets[i] | d->bits.at[user][c]);
}

/* The sets wanted by the first users, one user after another. */
struct chain {
	int *n;
	uint32_t **sets;
};

/* False if a link would need too large a table. */
static bool chain_make(struct solve *s, struct demand *d, struct chain *c)
{
	c->n = ARENA_ARRAY(s->arena, int, d->vars.n + 1);
	c->sets = ARENA_ARRAY(s->arena, uint32_t *, d->vars.n + 1);
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
	for (int u = 0; u < d->vars.n; u++) {
		int after = network_variable(&s->net, c->n[u + 1]);
		link_factor(s, d, u, before, c->n[u], c->sets[u], after, c->n[u + 1], c->sets[u + 1]);
		before = after;
	}
	int vars[2] = {before, own}, domain = own >= 0 ? s->net.domains.at[own] : 1;
	struct cost *table = network_factor(&s->net, own >= 0 ? 2 : 1, vars);
	for (int i = 0; i < n; i++)
		for (int k = 0; k < domain; k++)
			table[i * domain + k] = demand_cost(s, d, k, c->sets[d->vars.n][i]);
}

/* Cost of one conversion of a value to what a user wants of it. */
static struct cost conversion_cost(struct solve *s, const struct node *v, const struct layout *made,
				   const struct layout *wanted)
{
	if (layout_equal(v->place, made, wanted))
		return (struct cost){0};
	struct cost c = convert_cost(s->st->costs, v->dtype, &v->shape, v->place, made, v->place, wanted);
	if (s->var[v->id] < 0 && v->origin == ORIGIN_SOURCE)
		c.again = c.bytes;
	return c;
}

/* Each user pays for its own conversions: too much where several want the same, so not exact. */
static void separate_factors(struct solve *s, struct demand *d, int own)
{
	const struct node *v = d->node;
	int made = own >= 0 ? s->net.domains.at[own] : 1;
	for (int u = 0; u < s->values[v->id].uses.n; u++) {
		const struct use *use = &s->values[v->id].uses.at[u];
		int vars[2] = {use->var, own};
		if (!joins_demand(s, v, use))
			continue;
		struct cost *table = network_factor(&s->net, own >= 0 ? 2 : 1, vars);
		for (int i = 0; i < use->nchoices; i++)
			for (int k = 0; k < made; k++)
				table[i * made + k] = conversion_cost(
					s, v, own >= 0 ? &s->choices[v->id][k].out : &v->layout,
					&use->choices[i].in[use->operand]);
	}
	struct cost *table = own >= 0 ? network_factor(&s->net, 1, &own) : NULL;
	for (int k = 0; table && k < made; k++)
		table[k] = demand_cost(s, d, k, d->certain);
	s->exact = false;
}

static void add_value(struct solve *s, const struct node *v)
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

/* ---- the whole ---- */

static void write_back(struct solve *s, const int *value)
{
	struct stage *st = s->st;
	for (int id = 0; id < st->graph->nodes.n; id++) {
		struct node *n = st->graph->nodes.at[id];
		if (s->var[id] >= 0) {
			const struct choice *c = &s->choices[id][value[s->var[id]]];
			n->layout = c->out;
			for (int i = 0; i < n->nin; i++)
				st->notes[id].want[i] = c->in[i];
		}
		if (st->notes[id].is_alias)
			n->layout = n->in[0]->layout;
	}
}

/* Conversions of one fixed value for another fixed user are no choice, but belong to the sum (a gradient of given
 * layout). */
/* The choices of maps and the like, and the values they have to move. */
static void list_choices(struct solve *s)
{
	const struct graph *g = s->st->graph;
	for (int i = 0; i < g->nodes.n; i++) {
		const struct node *n = g->nodes.at[i];
		if (!is_variable(s->st, n) || n->kind == NODE_TO)
			continue;
		s->nchoices[i] = choices_of(s->arena, n, &s->choices[i]);
		note_moved(s, n);
	}
	for (int i = 0; i < g->outputs.n; i++) {
		const struct node *v = stage_value(s->st, g->outputs.at[i].node);
		if (!is_variable(s->st, v) && convert_bytes(s->st->costs, v->dtype, &v->shape, v->place, &v->layout,
							    v->place, &s->st->output_want[i]) > 0)
			s->moved[v->id] = true;
	}
}

static struct cost solve_graph(struct solve *s)
{
	struct graph *g = s->st->graph;
	list_choices(s);
	for (int i = 0; i < g->nodes.n; i++) {
		s->var[i] = -1;
		if (is_variable(s->st, g->nodes.at[i]))
			add_variable(s, g->nodes.at[i]);
		else if (s->st->notes[i].is_live)
			note_parts(s, g->nodes.at[i], &g->nodes.at[i]->layout);
	}
	for (int i = 0; i < g->nodes.n; i++)
		collect_uses(s, g->nodes.at[i]);
	collect_output_uses(s);
	for (int i = 0; i < g->nodes.n; i++)
		if (s->st->notes[i].is_live && !s->st->notes[i].is_alias)
			add_value(s, g->nodes.at[i]);
	int *value = ARENA_ARRAY(s->arena, int, s->net.domains.n);
	bool exact;
	struct cost cost = network_solve(&s->net, MAX_TABLE, value, &exact);
	s->st->exact = s->exact && exact;
	BUG_IF(cost.forbidden, "no layouts at all for a graph");
	write_back(s, value);
	return cost;
}

struct cost stage_solve(struct stage *st)
{
	struct solve s = {.st = st, .arena = arena_new("layout: solve"), .exact = true};
	int n = st->graph->nodes.n;
	s.var = ARENA_ARRAY(s.arena, int, n);
	s.choices = ARENA_ARRAY(s.arena, struct choice *, n);
	s.nchoices = ARENA_ARRAY(s.arena, int, n);
	s.parts = arena_alloc(s.arena, sizeof *s.parts * (size_t)n);
	s.values = ARENA_ARRAY(s.arena, struct value, n);
	s.moved = ARENA_ARRAY(s.arena, bool, n);
	network_init(&s.net, s.arena);
	struct cost cost = solve_graph(&s);
	arena_free(s.arena);
	return cost;
}
