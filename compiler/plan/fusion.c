/* fusion.c — which maps share a kernel.
 *
 * Maps are taken in order of computation; each joins the group that makes what it reads if it fits the group's domain
 * (join.c), else it starts a group. Every group has a level: all that its members read from outside is made at lower
 * levels, so no path leaves a group and comes back. Members also depend on the same last transfer: since transfers
 * begin in the order of their numbers, a group that waited for a later one than some member needs could hold up what
 * comes before it. Afterwards, from the last map to the first, it is decided which values get memory: those that
 * something other than a map reads, and those that another kernel reads and that cost more than the traffic to compute
 * again. Memory traffic is the model: a store and a load cost as much as about six operations. */
#include "join.h"
#include "../layout/exchange.h"

#include <string.h>

enum { STORE_AND_LOAD = 6, SCALAR_LIMIT = 12, GENERAL_REUSE = 2 };

struct cost {
	int64_t flops;  /* of computing one element from what is stored */
	int64_t leaves; /* tensors of its own size read for that */
};

struct chooser {
	struct planner *p;
	int *avail; /* by node: level from which on other groups may read it */
	int begun; /* level at which the last transfer begins: they begin in order, so the next one begins no earlier */
	struct cost *cost;
	VEC(struct group *) * users; /* by node: groups that evaluate it */
};

/* Made of numbers, arguments and index values alone, and cheap. */
static bool is_inline(const struct planner *p, const struct phys_node *n)
{
	if (p->must_store[n->id] || !map_is_pointwise(n) || scalar_flops(n->rule->body) > SCALAR_LIMIT ||
	    scalar_draws(n->rule->body))
		return false;
	for (int k = 0; k < n->nin; k++) {
		const struct phys_node *x = n->in[k];
		if (x->kind != PHYS_CONST && x->kind != PHYS_HOST && p->treat[x->id] != TREAT_INLINE)
			return false;
	}
	return true;
}

static void must_store(struct planner *p, struct phys_node *n)
{
	n = planner_root(n);
	if (n->kind == PHYS_MAP)
		p->must_store[n->id] = true;
}

static void store_coefficient(struct planner *p, const struct coefficient *c)
{
	for (int i = 0; i < c->ntimes; i++)
		must_store(p, c->times[i]);
	for (int i = 0; i < c->nover; i++)
		must_store(p, c->over[i]);
}

/* What is read by something that cannot compute it: transfers, products, views, the outside. */
static void find_must_store(struct planner *p)
{
	for (int i = 0; i < p->graph->nodes.n; i++) {
		struct phys_node *n = p->graph->nodes.at[i];
		if (n->kind != PHYS_MAP)
			for (int k = 0; k < n->nin; k++)
				must_store(p, n->in[k]);
	}
	for (int i = 0; i < p->graph->outputs.n; i++)
		must_store(p, p->graph->outputs.at[i].node);
	for (int i = 0; i < p->products.n; i++) {
		const struct product *x = p->products.at[i];
		must_store(p, x->c.a);
		must_store(p, x->c.b);
		must_store(p, x->result);
		store_coefficient(p, &x->c.alpha);
		store_coefficient(p, &x->beta);
		if (x->onto)
			must_store(p, x->onto);
	}
	for (int i = 0; i < p->sorts.n; i++)
		must_store(p, p->sorts.at[i]->ranking.x);
}

static void find_epochs(struct planner *p)
{
	for (int i = 0; i < p->graph->nodes.n; i++) {
		const struct phys_node *n = p->graph->nodes.at[i];
		int epoch = n->kind == PHYS_TRANSFER ? n->transfer : -1;
		for (int k = 0; k < n->nin; k++)
			epoch = p->epoch[n->in[k]->id] > epoch ? p->epoch[n->in[k]->id] : epoch;
		if (n->after && p->epoch[n->after->id] > epoch)
			epoch = p->epoch[n->after->id];
		p->epoch[i] = epoch;
	}
}

static int level_of_coefficient(const struct chooser *c, const struct coefficient *x)
{
	int level = 0;
	for (int i = 0; i < x->ntimes; i++)
		level = c->avail[x->times[i]->id] > level ? c->avail[x->times[i]->id] : level;
	for (int i = 0; i < x->nover; i++)
		level = c->avail[x->over[i]->id] > level ? c->avail[x->over[i]->id] : level;
	return level;
}

static int level_of_inputs(const struct chooser *c, const struct phys_node *n)
{
	int level = n->after ? c->avail[n->after->id] : 0;
	for (int k = 0; k < n->nin; k++)
		level = c->avail[n->in[k]->id] > level ? c->avail[n->in[k]->id] : level;
	return level;
}

static int level_of_product(const struct chooser *c, const struct product *x)
{
	int level = level_of_coefficient(c, &x->c.alpha), beta = level_of_coefficient(c, &x->beta);
	int inputs = level_of_inputs(c, x->result); /* through views, which may say what to wait for */
	const struct phys_node *in[] = {x->c.a, x->c.b, x->onto ? x->onto : x->c.a};
	level = beta > level ? beta : level;
	level = inputs > level ? inputs : level;
	for (int i = 0; i < 3; i++)
		level = c->avail[in[i]->id] > level ? c->avail[in[i]->id] : level;
	return level;
}

static bool reads_lower(const struct chooser *c, const struct phys_node *n, const struct group *g)
{
	for (int k = 0; k < n->nin; k++)
		if (c->p->group_of[n->in[k]->id] != g && c->avail[n->in[k]->id] > g->level)
			return false;
	return true;
}

/* The groups that made the inputs, at the highest level, become one if they can. NULL if there is none or they cannot.
 */
static struct group *producer_group(struct chooser *c, const struct phys_node *n)
{
	struct planner *p = c->p;
	struct group *best = NULL;
	for (int k = 0; k < n->nin; k++) {
		struct group *g = p->group_of[n->in[k]->id];
		if (g && !g->general && (!best || g->level > best->level))
			best = g;
	}
	for (int k = 0; k < n->nin && best; k++) {
		struct group *g = p->group_of[n->in[k]->id];
		if (g && g != best && !g->general && g->level == best->level)
			group_merge(p, best, g);
	}
	return best && reads_lower(c, n, best) ? best : NULL;
}

/* A group that reads the same big tensor over the same domain, late enough. */
static struct group *sibling_group(struct chooser *c, const struct phys_node *n, struct member *m)
{
	struct planner *p = c->p;
	int level = level_of_inputs(c, n);
	for (int k = 0; k < n->nin; k++) {
		struct phys_node **user = p->users[n->in[k]->id];
		for (int i = 0; user[i] && user[i]->id < n->id && i < 16; i++) {
			struct group *g = p->group_of[user[i]->id];
			if (!g || g->general || g->level < level || !reads_lower(c, n, g))
				continue;
			if (shape_volume(&n->in[k]->shape) == group_volume(g) && group_join(p, g, m))
				return g;
		}
	}
	return NULL;
}

static void place_map(struct chooser *c, struct phys_node *n)
{
	struct planner *p = c->p;
	struct member *m = ARENA_NEW(p->scratch, struct member);
	m->node = n;
	struct group *g = p->fuse ? producer_group(c, n) : NULL;
	if (g && !group_join(p, g, m))
		g = NULL;
	if (!g && p->fuse)
		g = sibling_group(c, n, m);
	if (!g)
		g = group_new(p, m, level_of_inputs(c, n));
	p->treat[n->id] = TREAT_GROUP;
	p->group_of[n->id] = g;
	c->avail[n->id] = g->level + 1;
}

static void place_node(struct chooser *c, struct phys_node *n)
{
	struct planner *p = c->p;
	switch (p->treat[n->id]) {
	case TREAT_PRODUCT:
		for (int i = 0; i < p->products.n; i++)
			if (p->products.at[i]->result == n)
				c->avail[n->id] = level_of_product(c, p->products.at[i]) + 1;
		return;
	case TREAT_SORTED:
		c->avail[n->id] = level_of_inputs(c, n) + 1;
		return;
	case TREAT_ABSORBED:
		c->avail[n->id] = level_of_inputs(c, n);
		return;
	case TREAT_NONE:
	case TREAT_GROUP:
	case TREAT_INLINE:
		break;
	}
	if (n->kind == PHYS_TRANSFER || n->kind == PHYS_SEND) {
		int level = level_of_inputs(c, n);
		c->begun = level > c->begun ? level : c->begun;
		c->avail[n->id] = c->begun + 1;
	} else if (n->kind != PHYS_MAP) {
		c->avail[n->id] = level_of_inputs(c, n);
	} else if (is_inline(p, n)) {
		p->treat[n->id] = TREAT_INLINE;
		c->avail[n->id] = level_of_inputs(c, n);
	} else {
		place_map(c, n);
	}
}

static bool is_cheap(const struct chooser *c, const struct phys_node *n)
{
	const struct cost *x = &c->cost[n->id];
	return n->kind == PHYS_MAP && map_is_pointwise(n) && !scalar_draws(n->rule->body) &&
	       x->flops + 2 * (x->leaves > 0 ? x->leaves - 1 : 0) <= STORE_AND_LOAD;
}

/* What an element costs if it is not stored, from what surely is: what is dear to compute will be. */
static void estimate(struct chooser *c, const struct phys_node *n)
{
	struct cost *x = &c->cost[n->id];
	if (n->kind != PHYS_MAP)
		return;
	x->flops = scalar_flops(n->rule->body);
	for (int k = 0; k < n->nin; k++) {
		const struct phys_node *in = n->in[k];
		bool inlined = is_cheap(c, in) && !c->p->must_store[in->id];
		x->flops += inlined ? c->cost[in->id].flops : 0;
		x->leaves +=
			inlined ? c->cost[in->id].leaves
				: shape_volume(&in->shape) >= shape_volume(&n->shape) && shape_volume(&in->shape) > 1;
	}
}

/* Sums over micro-batches are made one by one: otherwise what is added up would be kept until the last. */
static bool is_other_micro_batch(const struct phys_node *n, const struct group *g)
{
	const struct node *x = n->node, *y = g->members.at[0]->node->node;
	return g->segment != planner_segment(n) && x && y && x->batch && y->batch &&
	       (x->batch != y->batch || x->micro != y->micro);
}

/* Whether group g had better compute n again than load it. */
static bool worth_inlining(const struct chooser *c, const struct phys_node *n, const struct group *g)
{
	if (!map_is_pointwise(n) || is_other_micro_batch(n, g))
		return false;
	if (c->p->treat[n->id] == TREAT_INLINE)
		return true;
	if (!is_cheap(c, n))
		return false;
	if (g->general) {
		int64_t points = 1;
		const struct rule *r = g->members.at[0]->node->rule;
		for (int f = 0; f < r->nfactors; f++)
			points = count_mul(points, r->factor[f].extent);
		if (points > GENERAL_REUSE * shape_volume(&n->shape) && c->cost[n->id].flops > 1)
			return false;
	}
	return true;
}

/* A product or a sort: always stored, and of no group. */
static bool has_unit_of_its_own(const struct planner *p, const struct phys_node *n)
{
	return p->treat[n->id] == TREAT_PRODUCT || p->treat[n->id] == TREAT_SORTED;
}

static void add_user(struct chooser *c, struct phys_node *n, struct group *g)
{
	if (n->kind != PHYS_MAP || has_unit_of_its_own(c->p, n))
		return;
	for (int i = 0; i < c->users[n->id].n; i++)
		if (c->users[n->id].at[i] == g)
			return;
	vec_push(c->p->scratch, &c->users[n->id], g);
}

static void add_reads(struct chooser *c, const struct phys_node *n, struct group *g)
{
	for (int k = 0; k < n->nin; k++)
		add_user(c, n->in[k], g);
}

/* n's readers are decided: what becomes of it, and who then evaluates what it reads. */
static void decide(struct chooser *c, struct phys_node *n)
{
	struct planner *p = c->p;
	struct group *home = p->group_of[n->id];
	bool stored = p->must_store[n->id], at_home = false;
	for (int i = 0; i < c->users[n->id].n; i++) {
		struct group *g = c->users[n->id].at[i];
		at_home = at_home || g == home;
		stored = stored || (g != home && !worth_inlining(c, n, g));
	}
	if (home && !map_is_pointwise(n) && c->users[n->id].n) {
		at_home = true;
		stored = stored || group_stores(home, n);
	}
	stored = stored || (!p->fuse && home);
	p->stored[n->id] = stored;
	if (home && (stored || at_home))
		add_reads(c, n, home);
	for (int i = 0; i < c->users[n->id].n && !stored; i++)
		if (c->users[n->id].at[i] != home)
			add_reads(c, n, c->users[n->id].at[i]);
	if (home && !stored && !at_home)
		group_drop(home, n);
}

static void decide_storage(struct chooser *c)
{
	struct planner *p = c->p;
	for (int i = p->graph->nodes.n - 1; i >= 0; i--) {
		struct phys_node *n = p->graph->nodes.at[i];
		if (n->kind != PHYS_MAP)
			p->stored[n->id] = n->kind != PHYS_CONST && n->kind != PHYS_HOST && n->kind != PHYS_SEND;
		else if (has_unit_of_its_own(p, n))
			p->stored[n->id] = true;
		else if (p->treat[n->id] != TREAT_ABSORBED)
			decide(c, n);
	}
	for (int i = 0; i < p->groups.n; i++)
		for (int k = 0; k < p->groups.at[i]->members.n; k++) {
			struct member *m = p->groups.at[i]->members.at[k];
			m->stored = p->stored[m->node->id];
		}
}

void planner_find_groups(struct planner *p)
{
	struct chooser c = {.p = p};
	int n = p->graph->nodes.n;
	c.avail = ARENA_ARRAY(p->scratch, int, n);
	c.cost = ARENA_ARRAY(p->scratch, struct cost, n);
	c.users = arena_alloc(p->scratch, sizeof *c.users * (size_t)n);
	find_must_store(p);
	find_epochs(p);
	for (int i = 0; i < n; i++)
		place_node(&c, p->graph->nodes.at[i]);
	for (int i = 0; i < n; i++)
		estimate(&c, p->graph->nodes.at[i]);
	decide_storage(&c);
}
