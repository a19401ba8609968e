/* join.c — binds a map's factors to the dimensions of a group's domain.
 *
 * A factor is bound through an operand that a member makes: the operand's dimension is a dimension of the domain there.
 * What stays unbound (broadcasts) is bound in order. The result's dimensions then say where the map stands: points,
 * rows, columns or scalars. A member that depends on a row's reduction can be read at that row only. What is read
 * elsewhere than at the point itself, as by a stencil, is computed again there, with all that it reads in the group: so
 * it is cheap, or has memory. */
#include "join.h"

#include <string.h>

/* Memory traffic is the model for AGAIN, as in storage.c: a store and a load cost as much as about six operations. */
enum { MAX_MEMBERS = 48, UNBOUND = -2, AGAIN = 6 };

static struct member *member_of(const struct group *g, const struct phys_node *n)
{
	for (int i = 0; i < g->members.n; i++)
		if (g->members.at[i]->node == n)
			return g->members.at[i];
	return NULL;
}

/* The domain's dimension behind dimension d of a member's result; -1 for extent 1. */
static int domain_dim(const struct member *m, int d)
{
	int f = index_factor(&m->node->rule->out.index[d]);
	return f < 0 || m->node->shape.dim[d] == 1 ? -1 : m->map[f];
}

static bool is_wide(const struct rule *r, int f)
{
	return r->factor[f].extent != 1;
}

static void bind_start(struct member *m)
{
	const struct rule *r = m->node->rule;
	for (int f = 0; f < r->nfactors; f++)
		m->map[f] = is_wide(r, f) ? UNBOUND : -1;
}

static void bind_through_operands(const struct group *g, struct member *m)
{
	const struct phys_node *n = m->node;
	for (int k = 0; k < n->nin; k++) {
		const struct member *in = member_of(g, n->in[k]);
		for (int d = 0; in && d < n->in[k]->shape.rank; d++) {
			int f = index_factor(&n->rule->operand[k].index[d]), to = domain_dim(in, d);
			if (f >= 0 && to >= 0 && m->map[f] == UNBOUND && n->rule->factor[f].extent == g->extent[to])
				m->map[f] = to;
		}
	}
}

/* The result's wide dimensions, in order, against dimensions first.. of the domain. */
static bool bind_in_order(const struct group *g, struct member *m, int first, int count)
{
	const struct rule *r = m->node->rule;
	int map[MAX_FACTORS], at = first;
	memcpy(map, m->map, sizeof map);
	for (int d = 0; d < r->out.rank; d++) {
		int f = index_factor(&r->out.index[d]);
		if (f < 0 || !is_wide(r, f))
			continue;
		if (at == first + count || g->extent[at] != r->factor[f].extent || (map[f] != UNBOUND && map[f] != at))
			return false;
		map[f] = at++;
	}
	if (at != first + count)
		return false;
	memcpy(m->map, map, sizeof map);
	return true;
}

static bool bind_pointwise(const struct group *g, struct member *m)
{
	m->reduces = false;
	if (bind_in_order(g, m, 0, g->ndims))
		m->space = SPACE_POINT;
	else if (bind_in_order(g, m, 0, 0))
		m->space = SPACE_SCALAR;
	else if (g->split > 0 && bind_in_order(g, m, 0, g->split))
		m->space = SPACE_ROW;
	else if (g->split > 0 && bind_in_order(g, m, g->split, g->ndims - g->split))
		m->space = SPACE_COLUMN;
	else
		return false;
	if (g->ndims == 0)
		m->space = SPACE_SCALAR;
	m->from = m->space;
	return true;
}

/* Unbound factors take the free dimensions in order, through an operand from outside that covers the domain. */
static bool bind_rest(const struct group *g, struct member *m)
{
	const struct phys_node *n = m->node;
	for (int k = 0; k < n->nin; k++) {
		int map[MAX_FACTORS], at = 0;
		memcpy(map, m->map, sizeof map);
		for (int d = 0; d < n->in[k]->shape.rank && at >= 0; d++) {
			int f = index_factor(&n->rule->operand[k].index[d]);
			if (n->in[k]->shape.dim[d] == 1)
				continue;
			if (f < 0 || at == g->ndims || g->extent[at] != n->rule->factor[f].extent ||
			    (map[f] != UNBOUND && map[f] != at))
				at = -1;
			else
				map[f] = at++;
		}
		if (at != g->ndims)
			continue;
		memcpy(m->map, map, sizeof map);
		return true;
	}
	return false;
}

static bool all_bound(const struct member *m)
{
	for (int f = 0; f < m->node->rule->nfactors; f++)
		if (m->map[f] == UNBOUND)
			return false;
	return true;
}

/* The wide factors of a reduction in the order of its own domain: that of the first operand that has all of them.
 * Their number, or -1: there is no such operand. */
static int own_factors(const struct phys_node *n, int *factor)
{
	const struct rule *r = n->rule;
	int wide = 0;
	for (int f = 0; f < r->nfactors; f++)
		wide += is_wide(r, f);
	for (int k = 0; k < n->nin; k++) {
		uint32_t seen = 0;
		int found = 0;
		for (int d = 0; d < r->operand[k].rank; d++) {
			int f = index_factor(&r->operand[k].index[d]);
			if (f < 0 || !is_wide(r, f) || (seen >> f & 1))
				continue;
			seen |= 1u << f;
			factor[found++] = f;
		}
		if (found == wide)
			return wide;
	}
	return -1;
}

/* Where a reduction stands, from the dimensions it keeps; split becomes what it needs. It visits the whole domain in
 * the order of its own: so the order in which it adds up is the same in every group. */
static bool classify_reduction(const struct group *g, struct member *m, int *split)
{
	const struct rule *r = m->node->rule;
	uint32_t kept = 0, all = (1u << g->ndims) - 1;
	int own[MAX_FACTORS];
	if (own_factors(m->node, own) != g->ndims)
		return false;
	for (int d = 0; d < g->ndims; d++) {
		if (m->map[own[d]] != d)
			return false;
		if (!rule_reduces(r, own[d]))
			kept |= 1u << d;
	}
	bool winner = r->combiner == COMBINE_ARGMAX || r->combiner == COMBINE_ARGMIN;
	m->reduces = true;
	m->from = SPACE_POINT;
	if (kept == all)
		return false;
	if (kept == 0) {
		m->space = SPACE_SCALAR;
		return true;
	}
	int first = __builtin_ctz(~kept), low = __builtin_ctz(kept);
	if (kept == (1u << first) - 1) {
		m->space = SPACE_ROW;
		*split = first;
	} else if (kept == (all & ~((1u << low) - 1)) && !winner) {
		m->space = SPACE_COLUMN;
		*split = low;
	} else {
		return false;
	}
	return g->split < 0 || g->split == *split;
}

/* Every wide dimension of operand k is read at the point itself; rows_only: every one that is a row of the domain. */
static bool reads_in_place(const struct group *g, const struct member *m, int k, const struct member *in, int split,
			   bool rows_only)
{
	(void)g;
	const struct phys_node *n = m->node;
	for (int d = 0; d < n->in[k]->shape.rank; d++) {
		int to = domain_dim(in, d), f = index_factor(&n->rule->operand[k].index[d]);
		if (to < 0 || (rows_only && to >= split))
			continue;
		if (f < 0 || n->rule->operand[k].index[d].guarded || m->map[f] != to)
			return false;
	}
	return true;
}

static bool reading_is_legal(const struct group *g, struct member *m, int k, const struct member *in, int split)
{
	if (in->late) {
		if (m->reduces || (m->space != SPACE_COLUMN && m->space != SPACE_SCALAR))
			return false;
		m->late = true;
		return in->space == SPACE_SCALAR ||
		       (m->space == SPACE_COLUMN && reads_in_place(g, m, k, in, split, false));
	}
	if (!in->varies)
		return in->again <= AGAIN || reads_in_place(g, m, k, in, split, false);
	m->varies = true;
	if (m->ready < in->ready)
		m->ready = in->ready;
	if (m->from != SPACE_POINT && m->from != SPACE_ROW)
		return false;
	return reads_in_place(g, m, k, in, split, !in->reduces && in->space == SPACE_POINT);
}

static bool check_reads(const struct group *g, struct member *m, int split)
{
	m->ready = -1;
	m->late = m->varies = false;
	for (int k = 0; k < m->node->nin; k++) {
		const struct member *in = member_of(g, m->node->in[k]);
		if (in && !reading_is_legal(g, m, k, in, split))
			return false;
	}
	if (!m->reduces)
		return true;
	m->varies = true;
	if (m->space == SPACE_ROW)
		m->ready++;
	else
		m->late = true;
	return true;
}

static bool fit(const struct group *g, struct member *m, int *split)
{
	bind_start(m);
	bind_through_operands(g, m);
	*split = g->split;
	if (map_is_pointwise(m->node)) {
		if (!bind_pointwise(g, m))
			return false;
	} else {
		if ((!all_bound(m) && !bind_rest(g, m)) || !all_bound(m))
			return false;
		if (!classify_reduction(g, m, split))
			return false;
	}
	return check_reads(g, m, *split);
}

static int operations_again(const struct group *g, const struct phys_node *n)
{
	int again = scalar_flops(n->rule->body);
	for (int k = 0; k < n->nin && again <= AGAIN; k++) {
		const struct member *in = member_of(g, n->in[k]);
		again += in ? in->again : 0;
	}
	return again <= AGAIN ? again : AGAIN + 1;
}

static bool counts_as_reduction(const struct member *m)
{
	return m->reduces && m->space != SPACE_COLUMN;
}

static bool belongs(const struct planner *p, const struct group *g, const struct phys_node *n)
{
	return g->epoch == p->epoch[n->id] && g->segment == planner_segment(n) && g->loop == n->loop &&
	       g->asked == p->asked[n->id] && g->members.n < MAX_MEMBERS;
}

bool group_join(struct planner *p, struct group *g, struct member *m)
{
	int split;
	if (g->general || !belongs(p, g, m->node) || !map_is_plain(m->node) || !fit(g, m, &split))
		return false;
	if (counts_as_reduction(m) && g->reductions == MAX_ACCS)
		return false;
	g->reductions += counts_as_reduction(m);
	g->split = split;
	m->again = operations_again(g, m->node);
	vec_push(p->scratch, &g->members, m);
	return true;
}

/* What reads from other ranks stays alone, to be computed in parts (halos.c). */
static bool reads_transfers(const struct phys_node *n)
{
	for (int k = 0; k < n->nin; k++) {
		const struct phys_node *x = n->in[k];
		while (x->kind == PHYS_VIEW)
			x = x->in[0];
		if (x->kind == PHYS_TRANSFER)
			return true;
	}
	return false;
}

/* Whether operand k is read at the element itself, on this rank as in the whole tensor. */
static bool reads_own_element(const struct phys_node *n, int k)
{
	const struct rule *r = n->rule;
	if (!rule_reads_in_place(r, k))
		return false;
	for (int d = 0; n->origins && d < r->operand[k].rank; d++)
		if (n->origins->operand[k][d].type != n->origins->factor[index_factor(&r->operand[k].index[d])].type)
			return false;
	return true;
}

bool group_follow(struct planner *p, struct group *g, struct member *m)
{
	const struct phys_node *n = m->node, *first = g->members.at[0]->node;
	bool reads = false;
	if (!g->general || !belongs(p, g, n) || n->onto || n->owned || n->part || !map_is_pointwise(n) ||
	    scalar_draws(n->rule->body) || first->onto || reads_transfers(first) || !map_leaves_lanes(first))
		return false;
	for (int k = 0; k < n->nin; k++) {
		if (!member_of(g, n->in[k]))
			continue;
		if (!reads_own_element(n, k))
			return false;
		reads = true;
	}
	if (reads)
		vec_push(p->scratch, &g->members, m);
	return reads;
}

/* The domain of a map of its own: the result's wide dimensions, or for reductions those of an operand that covers all.
 */
static bool own_domain(struct group *g, const struct phys_node *n)
{
	const struct rule *r = n->rule;
	g->ndims = 0;
	if (map_is_pointwise(n)) {
		for (int d = 0; d < r->out.rank; d++)
			if (r->out.dim[d] != 1)
				g->extent[g->ndims++] = r->out.dim[d];
		return true;
	}
	int own[MAX_FACTORS], wide = own_factors(n, own);
	for (int d = 0; d < wide; d++)
		g->extent[g->ndims++] = r->factor[own[d]].extent;
	return wide >= 0;
}

struct group *group_new(struct planner *p, struct member *m, int level)
{
	struct group *g = ARENA_NEW(p->scratch, struct group);
	*g = (struct group){.id = p->groups.n,
			    .level = level,
			    .epoch = p->epoch[m->node->id],
			    .segment = planner_segment(m->node),
			    .loop = m->node->loop,
			    .asked = p->asked[m->node->id],
			    .split = -1};
	vec_push(p->scratch, &p->groups, g);
	if (map_is_plain(m->node) && own_domain(g, m->node) && group_join(p, g, m))
		return g;
	g->general = true;
	vec_push(p->scratch, &g->members, m);
	return g;
}

bool group_merge(struct planner *p, struct group *into, struct group *from)
{
	if (into->general || from->general || into->ndims != from->ndims || into->level != from->level ||
	    into->epoch != from->epoch || into->segment != from->segment || into->loop != from->loop ||
	    into->asked != from->asked)
		return false;
	if (memcmp(into->extent, from->extent, sizeof into->extent[0] * (size_t)into->ndims) ||
	    (into->split >= 0 && from->split >= 0 && into->split != from->split))
		return false;
	if (into->reductions + from->reductions > MAX_ACCS || into->members.n + from->members.n > MAX_MEMBERS)
		return false;
	for (int i = 0; i < from->members.n; i++) {
		struct member *m = from->members.at[i];
		p->group_of[m->node->id] = into;
		vec_push(p->scratch, &into->members, m);
		for (int j = into->members.n - 1; j > 0 && into->members.at[j - 1]->node->id > m->node->id; j--) {
			into->members.at[j] = into->members.at[j - 1];
			into->members.at[j - 1] = m;
		}
	}
	into->reductions += from->reductions;
	into->split = into->split >= 0 ? into->split : from->split;
	from->members.n = 0;
	return true;
}

void group_drop(struct group *g, const struct phys_node *n)
{
	int kept = 0;
	for (int i = 0; i < g->members.n; i++)
		if (g->members.at[i]->node != n)
			g->members.at[kept++] = g->members.at[i];
	g->members.n = kept;
}

int64_t group_volume(const struct group *g)
{
	int64_t v = 1;
	for (int d = 0; d < g->ndims; d++)
		v *= g->extent[d];
	return v;
}

bool group_stores(const struct group *g, const struct phys_node *n)
{
	const struct member *m = member_of(g, n);
	return g->general ? g->members.n == 1 : m && m->space == SPACE_COLUMN;
}
