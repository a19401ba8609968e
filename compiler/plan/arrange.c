/* arrange.c — the order in which values of a region store their dimensions.
 *
 * A program names dimensions in the order that reads best: queries of several heads are [n, h, t, k], so that attention
 * is a product per row and head, though the product that makes them has its rows n, t and its columns h, k. Stored as
 * [n, t, h, k] that product is one call instead of one per head, and attention reads the same matrices at another
 * stride. Values that only maps of the region read may be stored in any order: the indices of the map that makes them
 * and of those that read them are permuted.
 *
 * Values that are read element for element are stored alike, as one class. A class tries the orders that its products
 * would like to have, and takes the one for which all maps that touch it cost least, for two rounds over all classes.
 * The innermost dimension stays, so that rows of neighbours do. */
#include "planner.h"
#include "../op/intern.h"

#include <string.h>

/* In multiplications: an element that is read in another order than it is written in; one of a product that no call
 * computes. */
enum { MISMATCH_COST = 16, LOOP_COST = 8, ROUNDS = 2, MAX_ORDERS = 8 };

/* Which dimension comes first, second, … */
struct order {
	int dim[MAX_RANK];
};

struct alike {
	VEC(struct phys_node *) members;
	VEC(struct phys_node *) touching; /* members and the maps that read them, each once */
	int rank;
	bool is_fixed;
};

struct arranger {
	struct planner *p;
	int *parent;          /* by node id: union-find */
	struct alike **class; /* by node id */
	bool *owned;          /* by node id: the rule is this region's own, to be changed in place */
	int *seen;            /* by node id: mark of the last list it was put on */
	int mark;
};

static int root_of(struct arranger *a, int id)
{
	while (a->parent[id] != id)
		id = a->parent[id] = a->parent[a->parent[id]];
	return id;
}

/* Operand k has the result's dimensions, in its order; extents may differ, as those of the parts of a concat. */
static bool is_aligned(const struct phys_node *n, int k)
{
	const struct access *in = &n->rule->operand[k], *out = &n->rule->out;
	if (in->rank != out->rank)
		return false;
	for (int d = 0; d < in->rank; d++)
		if ((in->dim[d] != 1 || out->dim[d] != 1) &&
		    (index_factor(&in->index[d]) < 0 || index_factor(&in->index[d]) != index_factor(&out->index[d])))
			return false;
	return true;
}

/* Every dimension is read along a factor of its own, maybe shifted, or at one place. */
static bool reads_plainly(const struct access *a)
{
	for (int d = 0; d < a->rank; d++)
		if (!index_is_fixed(&a->index[d]) && index_shifted_factor(&a->index[d]) < 0)
			return false;
	return true;
}

static int factor_along(const struct access *a, int d)
{
	return a->index[d].nterms == 1 ? a->index[d].term[0].factor : -1;
}

static bool is_ranking(struct phys_node *n)
{
	struct ranking r;
	return n->dtype == DT_I32 && n->rule->combiner == COMBINE_SUM && ranking_of_map(n, &r);
}

/* Whether all that make and read the value go by whatever order it has. */
static bool may_be_permuted(const struct arranger *a, struct phys_node *n)
{
	if (n->shape.rank < 3 || n->is_turned || !map_is_plain(n) || is_ranking(n))
		return false;
	for (struct phys_node **u = a->p->users[n->id]; *u; u++) {
		if ((*u)->kind != PHYS_MAP || !map_is_plain(*u) || is_ranking(*u))
			return false;
		for (int k = 0; k < (*u)->nin; k++)
			if ((*u)->in[k] == n && !reads_plainly(&(*u)->rule->operand[k]))
				return false;
	}
	return true;
}

static void find_classes(struct arranger *a)
{
	struct phys_graph *g = a->p->graph;
	bool *fixed = ARENA_ARRAY(a->p->scratch, bool, g->nodes.n);
	for (int i = 0; i < g->outputs.n; i++)
		fixed[g->outputs.at[i].node->id] = true;
	for (int i = 0; i < g->nodes.n; i++) {
		struct phys_node *n = g->nodes.at[i];
		a->parent[i] = i;
		fixed[i] = fixed[i] || n->kind != PHYS_MAP || !may_be_permuted(a, n);
		for (int k = 0; n->kind == PHYS_MAP && map_is_pointwise(n) && k < n->nin; k++)
			if (is_aligned(n, k)) {
				int x = root_of(a, i), y = root_of(a, n->in[k]->id);
				fixed[y] = fixed[y] || fixed[x];
				a->parent[x] = y;
			}
	}
	for (int i = 0; i < g->nodes.n; i++) {
		struct phys_node *n = g->nodes.at[i];
		int r = root_of(a, i);
		struct alike *c = a->class[r] ? a->class[r] : ARENA_NEW(a->p->scratch, struct alike);
		a->class[r] = a->class[i] = c;
		c->rank = n->shape.rank;
		c->is_fixed = fixed[r];
		vec_push(a->p->scratch, &c->members, n);
	}
}

static void touch(struct arranger *a, struct alike *c, struct phys_node *n)
{
	if (a->seen[n->id] == a->mark)
		return;
	a->seen[n->id] = a->mark;
	vec_push(a->p->scratch, &c->touching, n);
}

static void find_touching(struct arranger *a, struct alike *c)
{
	a->mark++;
	for (int i = 0; i < c->members.n; i++) {
		touch(a, c, c->members.at[i]);
		for (struct phys_node **u = a->p->users[c->members.at[i]->id]; *u; u++)
			touch(a, c, *u);
	}
}

static void permute_dims(int64_t *dim, const struct order *o, int rank)
{
	int64_t old[MAX_RANK];
	memcpy(old, dim, sizeof old);
	for (int d = 0; d < rank; d++)
		dim[d] = old[o->dim[d]];
}

static void permute_access(struct access *a, struct phys_origin *origin, const struct order *o)
{
	struct index index[MAX_RANK];
	struct phys_origin old[MAX_RANK];
	memcpy(index, a->index, sizeof index);
	if (origin)
		memcpy(old, origin, sizeof old);
	for (int d = 0; d < a->rank; d++) {
		a->index[d] = index[o->dim[d]];
		if (origin)
			origin[d] = old[o->dim[d]];
	}
	permute_dims(a->dim, o, a->rank);
}

/* The node's rule and origins, to be written to. */
static struct rule *own_rule(struct arranger *a, struct phys_node *n)
{
	if (!a->owned[n->id]) {
		struct rule *r = ARENA_NEW(a->p->scratch, struct rule);
		*r = *n->rule;
		rule_own_operands(a->p->scratch, r, 0);
		n->rule = r;
		if (n->origins)
			n->origins = phys_origins_copy(a->p->scratch, n->origins, r->noperands);
		a->owned[n->id] = true;
	}
	return (struct rule *)n->rule;
}

static void permute(struct arranger *a, struct alike *c, const struct order *o)
{
	for (int i = 0; i < c->touching.n; i++) {
		struct phys_node *n = c->touching.at[i];
		struct rule *r = own_rule(a, n);
		struct access *operand = (struct access *)r->operand;
		struct phys_origins *origins = (struct phys_origins *)n->origins;
		for (int k = 0; k < n->nin; k++)
			if (a->class[n->in[k]->id] == c)
				permute_access(&operand[k], origins ? origins->operand[k] : NULL, o);
		if (a->class[n->id] == c) {
			permute_access(&r->out, origins ? origins->out : NULL, o);
			permute_dims(n->shape.dim, o, c->rank);
		}
	}
}

static struct order inverse(const struct order *o, int rank)
{
	struct order x;
	for (int d = 0; d < rank; d++)
		x.dim[o->dim[d]] = d;
	return x;
}

static int place_in(const struct access *a, int factor)
{
	for (int d = 0; factor >= 0 && d < a->rank; d++)
		if (factor_along(a, d) == factor)
			return d;
	return -1;
}

/* Operand k visits its elements in another order than the result is written in, or sums over dimensions that are
 * neither the outermost nor the innermost. */
static bool is_mismatch(const struct phys_node *n, int k)
{
	const struct access *in = &n->rule->operand[k];
	int last = -1, turns = 0;
	bool was_kept = false, any = false;
	for (int d = 0; d < in->rank; d++) {
		if (in->dim[d] == 1)
			continue;
		int at = place_in(&n->rule->out, factor_along(in, d));
		if (at >= 0 && at < last)
			return true;
		last = at >= 0 ? at : last;
		turns += any && (at >= 0) != was_kept;
		was_kept = at >= 0;
		any = true;
	}
	return turns > 1;
}

static double cost_of_map(struct arena *scratch, struct phys_node *n)
{
	struct contraction c;
	double points = 1, cost = 0;
	for (int f = 0; f < n->rule->nfactors; f++)
		points *= (double)n->rule->factor[f].extent;
	if (contraction_of_map(scratch, n, &c))
		return contraction_cost(&c);
	bool product = n->rule->combiner == COMBINE_SUM && n->nin > 1 && !map_is_pointwise(n);
	for (int k = 0; k < n->nin; k++)
		cost += is_mismatch(n, k) ? MISMATCH_COST * (double)shape_volume(&n->in[k]->shape) : 0;
	return cost + (product ? LOOP_COST * points : 0);
}

static double cost_of_class(struct arena *scratch, const struct alike *c)
{
	double cost = 0;
	for (int i = 0; i < c->touching.n; i++)
		cost += cost_of_map(scratch, c->touching.at[i]);
	return cost;
}

/* Dimensions of an access sorted by two keys, outermost first; false if that changes the innermost one, or nothing. */
static bool sorted_order(const struct access *a, const int *group, const int *place, struct order *o)
{
	int rank = a->rank, innermost = rank - 1;
	bool changed = false;
	for (int d = 0; d < rank; d++)
		o->dim[d] = d;
	for (int i = 1; i < rank; i++)
		for (int j = i; j > 0; j--) {
			int x = o->dim[j - 1], y = o->dim[j];
			if (group[x] < group[y] || (group[x] == group[y] && place[x] <= place[y]))
				break;
			o->dim[j - 1] = y;
			o->dim[j] = x;
		}
	while (innermost > 0 && a->dim[innermost] == 1)
		innermost--;
	int last = rank - 1;
	while (last > 0 && a->dim[o->dim[last]] == 1)
		last--;
	for (int d = 0; d < rank; d++)
		changed = changed || o->dim[d] != d;
	return changed && o->dim[last] == innermost;
}

/* The first other operand that uses the factor, -1: none. */
static int other_user(const struct rule *r, int k, int factor)
{
	for (int j = 0; factor >= 0 && j < r->noperands; j++)
		if (j != k && access_uses(&r->operand[j], factor))
			return j;
	return -1;
}

/* What a sum of products would like: dimensions of one role next to each other, in the order that the other tensor with
 * them has. Operand k, or the result (-1). */
static bool wanted_order(const struct phys_node *n, int k, struct order *o)
{
	const struct rule *r = n->rule;
	const struct access *a = k < 0 ? &r->out : &r->operand[k];
	int group[MAX_RANK], place[MAX_RANK], innermost = -1;
	for (int d = 0; d < a->rank; d++) {
		int f = factor_along(a, d), j = other_user(r, k, f), more = k < 0 && j >= 0 ? other_user(r, j, f) : -1;
		bool in_out = k >= 0 && f >= 0 && access_uses(&r->out, f);
		bool batch = k < 0 ? more >= 0 : in_out && j >= 0;
		group[d] = f < 0 || a->dim[d] == 1 ? -2 : batch ? -1 : k < 0 ? j : in_out;
		const struct access *other = batch ? a : k >= 0 && in_out ? &r->out : j >= 0 ? &r->operand[j] : a;
		place[d] = batch || f < 0 ? d : place_in(other, f);
		if (a->dim[d] != 1)
			innermost = group[d];
	}
	for (int d = 0; d < a->rank; d++)
		if (group[d] == innermost)
			group[d] = MAX_OPERANDS;
	return sorted_order(a, group, place, o);
}

/* The order of the result, for an operand of a pointwise map. */
static bool result_order(const struct phys_node *n, int k, struct order *o)
{
	const struct access *a = &n->rule->operand[k];
	int group[MAX_RANK] = {0}, place[MAX_RANK];
	for (int d = 0; d < a->rank; d++)
		place[d] = a->dim[d] == 1 ? -1 : place_in(&n->rule->out, factor_along(a, d));
	return sorted_order(a, group, place, o);
}

struct orders {
	int n;
	struct order at[MAX_ORDERS];
};

static void propose(struct orders *list, const struct order *o, int rank)
{
	for (int i = 0; i < list->n; i++)
		if (!memcmp(list->at[i].dim, o->dim, sizeof o->dim[0] * (size_t)rank))
			return;
	if (list->n < MAX_ORDERS)
		list->at[list->n++] = *o;
}

static void find_orders(const struct arranger *a, const struct alike *c, struct orders *list)
{
	struct order o;
	for (int i = 0; i < c->touching.n; i++) {
		const struct phys_node *n = c->touching.at[i];
		bool pointwise = map_is_pointwise(n),
		     sums = n->rule->combiner == COMBINE_SUM && n->nin > 1 && !pointwise;
		if (sums && a->class[n->id] == c && wanted_order(n, -1, &o))
			propose(list, &o, c->rank);
		for (int k = 0; k < n->nin; k++)
			if (a->class[n->in[k]->id] == c &&
			    (sums ? wanted_order(n, k, &o) : pointwise && result_order(n, k, &o)))
				propose(list, &o, c->rank);
	}
}

static void improve(struct arranger *a, struct alike *c)
{
	struct orders list = {0};
	find_orders(a, c, &list);
	double least = list.n ? cost_of_class(a->p->scratch, c) : 0;
	int best = -1;
	for (int i = 0; i < list.n; i++) {
		struct order back = inverse(&list.at[i], c->rank);
		permute(a, c, &list.at[i]);
		double cost = cost_of_class(a->p->scratch, c);
		if (cost < least) {
			least = cost;
			best = i;
		}
		permute(a, c, &back);
	}
	if (best >= 0)
		permute(a, c, &list.at[best]);
}

void planner_arrange(struct planner *p)
{
	int n = p->graph->nodes.n;
	struct arranger a = {.p = p,
			     .parent = ARENA_ARRAY(p->scratch, int, n),
			     .class = ARENA_ARRAY(p->scratch, struct alike *, n),
			     .owned = ARENA_ARRAY(p->scratch, bool, n),
			     .seen = ARENA_ARRAY(p->scratch, int, n)};
	find_classes(&a);
	for (int round = 0; round < ROUNDS; round++)
		for (int i = 0; i < n; i++) {
			struct alike *c = a.class[i];
			if (c->is_fixed || c->members.at[0]->id != i)
				continue;
			if (round == 0)
				find_touching(&a, c);
			improve(&a, c);
		}
	/* Rules are not written to any more: equal ones are one again, so that equal layers are looked at once. */
	for (int i = 0; i < n; i++)
		if (a.owned[i])
			p->graph->nodes.at[i]->rule = rule_intern(p->program->rules, p->graph->nodes.at[i]->rule);
}
