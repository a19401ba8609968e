/* storage.c — which values get memory: those that something other than a map reads, and those that another kernel than
 * their own reads and that cost more than the traffic to compute again. Decided from the last map to the first. Memory
 * traffic is the model: a store and a load cost as much as about six operations. */
#include "join.h"
#include "../kernel/prefix.h"
#include "../layout/exchange.h"

#include "../../runtime/moves/count.h"

enum { STORE_AND_LOAD = 6, GENERAL_REUSE = 2, CHAIN_LIMIT = 32 };

struct cost {
	int64_t flops;  /* of computing one element from what is stored */
	int64_t work;   /* with what is made of numbers alone, for which nothing is kept */
	int64_t leaves; /* tensors of its own size read for that */
	int chain;      /* maps behind each other from there on, this one included */
};

struct storage {
	struct planner *p;
	struct cost *cost;
	VEC(struct group *) * users; /* by node: groups that evaluate it */
	/* By node: behind how many others, each read once, it is computed where the last of them is; -1: it may be
	 * computed again. */
	int *once;
};

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

/* Whether only products read the view, which read what is stored behind it. */
static bool products_see_through(const struct planner *p, const struct phys_node *n)
{
	if (n->kind != PHYS_VIEW || !shape_equal(&n->shape, &n->in[0]->shape))
		return false;
	for (struct phys_node **user = p->users[n->id]; *user; user++)
		if (p->treat[(*user)->id] != TREAT_PRODUCT && p->treat[(*user)->id] != TREAT_ABSORBED)
			return false;
	return true;
}

/* Rows are all computed before the first of them is written, and so is what else reads a few elements of what they are
 * written onto. */
static void store_for_rows(struct planner *p, const struct phys_node *n)
{
	enum { FEWER = 4 };
	must_store(p, n->in[n->nin - 1]); /* behind what says which rows */
	must_store(p, n->onto);           /* also if nobody reads it beside */
	for (struct phys_node **user = p->users[n->onto->id]; *user; user++)
		if (n->loop && (*user)->loop == n->loop &&
		    shape_volume(&(*user)->shape) < shape_volume(&n->shape) / FEWER)
			must_store(p, *user);
}

static bool reads_elements_of(const struct phys_node *u, const struct phys_node *n)
{
	for (int k = 0; k < u->nin; k++)
		if (u->in[k] == n && !planner_reads_elements(u, k))
			return false;
	return map_is_pointwise(u);
}

/* A large value that a turn replaces element for element, beside which it reads few of the others, is written over if
 * these are computed first: so less memory is gone through than by two that take turns. */
static void store_for_carry(struct planner *p, const struct phys_node *end)
{
	enum { LARGE = 4096, FEWER = 4 };
	const struct phys_node *carry = end->in[0], *next = planner_root(end->in[1]);
	int64_t volume = shape_volume(&carry->shape);
	if (volume < LARGE || next->kind != PHYS_MAP || next->loop != carry->loop)
		return;
	for (int pass = 0; pass < 2; pass++)
		for (struct phys_node **user = p->users[carry->id]; *user; user++) {
			bool is_small = shape_volume(&(*user)->shape) < volume / FEWER;
			if (*user == end)
				continue;
			if ((*user)->kind != PHYS_MAP || (*user)->loop != carry->loop ||
			    (!is_small && !reads_elements_of(*user, carry)))
				return;
			p->must_store[(*user)->id] |= pass && is_small;
		}
}

/* What is read by something that cannot compute it: transfers, products, views, the outside. */
void planner_find_must_store(struct planner *p)
{
	for (int i = 0; i < p->graph->nodes.n; i++) {
		struct phys_node *n = p->graph->nodes.at[i];
		if (n->kind != PHYS_MAP && !products_see_through(p, n))
			for (int k = 0; k < n->nin; k++)
				must_store(p, n->in[k]);
		if (n->is_turned)
			must_store(p, n);
		if (n->kind == PHYS_END)
			store_for_carry(p, n);
	}
	for (int i = 0; i < p->graph->outputs.n; i++)
		must_store(p, p->graph->outputs.at[i].node);
	for (int i = 0; i < p->graph->loops.n; i++) {
		const struct phys_loop *l = p->graph->loops.at[i];
		if (l->count || l->condition)
			must_store(p, l->count ? l->count : l->condition);
	}
	for (int i = 0; i < p->products.n; i++) {
		const struct product *x = p->products.at[i];
		must_store(p, x->c.a);
		must_store(p, x->c.b);
		if (x->c.grid)
			must_store(p, x->c.grid);
		must_store(p, x->result);
		store_coefficient(p, &x->c.alpha);
		store_coefficient(p, &x->beta);
		if (x->onto)
			must_store(p, x->onto);
	}
	for (int i = 0; i < p->sorts.n; i++)
		must_store(p, p->sorts.at[i]->ranking.x);
	for (int i = 0; i < p->transforms.n; i++)
		for (int k = 0; k < 2; k++)
			must_store(p, p->transforms.at[i]->fourier.in.at[k]);
	for (int i = 0; i < p->graph->nodes.n; i++)
		if (p->rows[i] == ROWS_ONTO)
			store_for_rows(p, p->graph->nodes.at[i]);
}

static bool is_cheap(const struct storage *c, const struct phys_node *n)
{
	const struct cost *x = &c->cost[n->id];
	return n->kind == PHYS_MAP && map_is_pointwise(n) && !scalar_draws(n->rule->body) && x->chain <= CHAIN_LIMIT &&
	       x->flops + 2 * (x->leaves > 0 ? x->leaves - 1 : 0) <= STORE_AND_LOAD;
}

/* What an element costs if it is not stored, from what surely is: what is dear to compute will be. */
static void estimate(struct storage *c, const struct phys_node *n)
{
	struct cost *x = &c->cost[n->id];
	if (n->kind != PHYS_MAP)
		return;
	x->flops = x->work = scalar_flops(n->rule->body);
	x->chain = 1;
	for (int k = 0; k < n->nin; k++) {
		const struct phys_node *in = n->in[k];
		bool inlined = is_cheap(c, in) && !c->p->must_store[in->id];
		x->flops += inlined ? c->cost[in->id].flops : 0;
		x->work += inlined || c->p->treat[in->id] == TREAT_INLINE ? c->cost[in->id].work : 0;
		if (inlined && c->cost[in->id].chain >= x->chain)
			x->chain = c->cost[in->id].chain + 1;
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

/* Whether the map reads other elements of n from point to point of a line. */
static bool reads_along(const struct phys_node *user, const struct phys_node *n)
{
	int along = -1;
	for (int d = 0; d < user->rule->out.rank; d++)
		if (user->rule->out.dim[d] > 1)
			along = index_factor(&user->rule->out.index[d]);
	for (int k = 0; k < user->nin && along >= 0; k++)
		if (user->in[k] == n && access_uses(&user->rule->operand[k], along))
			return true;
	return false;
}

bool planner_is_line(const struct planner *p, const struct phys_node *n, int64_t work)
{
	enum { LOAD = 3, LINES = 16, MANY = 1 << 16 };
	int64_t volume = shape_volume(&n->shape);
	for (struct phys_node **user = p->users[n->id]; *user && work > LOAD && volume > 1; user++) {
		if ((*user)->kind != PHYS_MAP || !reads_along(*user, n))
			continue;
		int64_t points = 1;
		for (int f = 0; f < (*user)->rule->nfactors; f++)
			points = count_mul(points, (*user)->rule->factor[f].extent);
		if (points >= MANY && points / LINES >= volume)
			return true;
	}
	return false;
}

/* Whether no element of what operand k reads is read at two points of the map. */
static bool reads_apart(const struct rule *r, int k)
{
	for (int f = 0; f < r->nfactors; f++) {
		bool is_there = r->factor[f].extent == 1;
		for (int d = 0; d < r->operand[k].rank && !is_there; d++) {
			const struct index *x = &r->operand[k].index[d];
			is_there = x->nterms == 1 && x->div == 1 && x->term[0].factor == f;
		}
		if (!is_there)
			return false;
	}
	return true;
}

/* Whether nobody but a map of g reads n, each element once, in one pass: then n is not computed again there, however
 * dear it is. What reads from other ranks stays alone, to be computed in parts (halos.c), and what another pass reads
 * is kept for it, not what it is made of. Sets the way to where it is. */
static bool is_read_once(struct storage *c, const struct phys_node *n, const struct group *g)
{
	const struct phys_node *user = c->p->uses[n->id] == 1 ? c->p->users[n->id][0] : NULL;
	if (!user || user->kind != PHYS_MAP || c->once[user->id] < 0 || c->once[user->id] >= CHAIN_LIMIT ||
	    g->general || g->reductions || scalar_draws(n->rule->body) || g->segment != planner_segment(n))
		return false;
	for (int k = 0; k < n->nin; k++)
		if (n->in[k]->kind == PHYS_TRANSFER)
			return false;
	for (int k = 0; k < user->nin; k++)
		if (user->in[k] == n && !reads_apart(user->rule, k))
			return false;
	c->once[n->id] = c->once[user->id] + 1;
	return true;
}

/* Whether group g had better compute n again than load it. */
static bool worth_inlining(struct storage *c, const struct phys_node *n, const struct group *g)
{
	if (c->p->treat[n->id] == TREAT_INLINE) /* made of numbers alone, by nobody else: nothing is kept for it */
		return true;
	if (planner_is_line(c->p, n, c->cost[n->id].work))
		return false;
	if (!map_is_pointwise(n) || n->loop != g->loop || is_other_micro_batch(n, g))
		return false;
	if (is_read_once(c, n, g))
		return true;
	if (!is_cheap(c, n))
		return false;
	if (g->general) {
		int64_t points = 1;
		const struct rule *r = g->members.at[0]->node->rule;
		for (int f = 0; f < r->nfactors; f++)
			points = count_mul(points, r->factor[f].extent);
		if (map_is_prefix(g->members.at[0]->node))
			points = 0; /* every element once */
		if (points > GENERAL_REUSE * shape_volume(&n->shape) && c->cost[n->id].flops > 1)
			return false;
	}
	return true;
}

/* A product, a sort or a transform: always stored, and of no group. */
static bool has_unit_of_its_own(const struct planner *p, const struct phys_node *n)
{
	enum treatment t = p->treat[n->id];
	return t == TREAT_PRODUCT || t == TREAT_SORTED || t == TREAT_FOURIER;
}

static void add_user(struct storage *c, struct phys_node *n, struct group *g)
{
	if (n->kind != PHYS_MAP || has_unit_of_its_own(c->p, n))
		return;
	for (int i = 0; i < c->users[n->id].n; i++)
		if (c->users[n->id].at[i] == g)
			return;
	vec_push(c->p->scratch, &c->users[n->id], g);
}

static void add_reads(struct storage *c, const struct phys_node *n, struct group *g)
{
	for (int k = 0; k < n->nin; k++)
		add_user(c, n->in[k], g);
}

/* n's readers are decided: what becomes of it, and who then evaluates what it reads. */
static void decide(struct storage *c, struct phys_node *n)
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
	if (stored || (at_home && c->users[n->id].n == 1))
		c->once[n->id] = 0;
	if (home && (stored || at_home))
		add_reads(c, n, home);
	for (int i = 0; i < c->users[n->id].n && !stored; i++)
		if (c->users[n->id].at[i] != home)
			add_reads(c, n, c->users[n->id].at[i]);
	if (home && !stored && !at_home)
		group_drop(home, n);
}

void planner_decide_storage(struct planner *p)
{
	struct storage storage = {.p = p}, *c = &storage;
	int count = p->graph->nodes.n;
	c->cost = ARENA_ARRAY(p->scratch, struct cost, count);
	c->users = arena_alloc(p->scratch, sizeof *c->users * (size_t)count);
	c->once = ARENA_ARRAY(p->scratch, int, count + 1);
	for (int i = 0; i < count; i++) {
		c->once[i] = -1;
		estimate(c, p->graph->nodes.at[i]);
	}
	for (int i = count - 1; i >= 0; i--) {
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
