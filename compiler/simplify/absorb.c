/* absorb.c — a transposition of a reduction's result that is the only use of it: the reduction writes its result in
 * that order. The gradient of `x @ transpose(w)` with respect to w is of this kind; the product then gives w's gradient
 * as w lies.
 *
 *   %1 = map(%a, %b) {matmul(…) -> [m, n] = sum[k] …}
 *   %2 = map(%1) {t(x[i, j]) -> [j, i] = x}                 becomes    {matmul(…) -> [n, m] = sum[k] …}
 *
 * Transpositions of other values are left to their readers (views.c). */
#include "simplify.h"

/* perm[d]: the dimension of what is read that dimension d of the result is; false if n is no transposition. */
static bool transposition(const struct node *n, int *perm)
{
	if (simplify_view_of(n) < 0 || n->rule->operand[0].rank != n->rule->out.rank)
		return false;
	for (int d = 0; d < n->rule->out.rank; d++) {
		perm[d] = access_dim_of(&n->rule->operand[0], index_factor(&n->rule->out.index[d]));
		if (perm[d] < 0 || n->rule->operand[0].dim[perm[d]] != n->rule->out.dim[d])
			return false;
	}
	return true;
}

static bool is_reduction(const struct node *n)
{
	return n->kind == NODE_MAP && n->rule->combiner != COMBINE_NONE;
}

/* Number of uses by nodes and outputs, of every node before the rewriting. */
struct uses {
	struct map index; /* node to one of count */
	int *count;
};

static void add_use(struct uses *u, const struct node *n)
{
	int *count = map_get(&u->index, n);
	if (!count)
		map_set(&u->index, n, count = &u->count[n->id]);
	++*count;
}

static struct uses count_uses(const struct graph *g)
{
	struct uses u = {.count = ARENA_ARRAY(g->arena, int, g->nodes.n)};
	map_init(&u.index, g->arena);
	for (int i = 0; i < g->nodes.n; i++)
		for (int k = 0; k < g->nodes.at[i]->nin; k++)
			add_use(&u, g->nodes.at[i]->in[k]);
	for (int i = 0; i < g->outputs.n; i++)
		add_use(&u, g->outputs.at[i].node);
	return u;
}

static bool is_used_once(const struct uses *u, const struct node *n)
{
	const int *count = map_get(&u->index, n);
	return count && *count == 1;
}

static const struct rule *transposed(struct arena *a, const struct rule *r, const int *perm)
{
	struct rule *fresh = ARENA_NEW(a, struct rule);
	*fresh = *r;
	for (int d = 0; d < r->out.rank; d++) {
		fresh->out.dim[d] = r->out.dim[perm[d]];
		fresh->out.index[d] = r->out.index[perm[d]];
	}
	return fresh;
}

static struct node *absorb(struct graph *g, struct node *n, void *context, bool *changed)
{
	int perm[MAX_RANK];
	(void)changed;
	if (n->kind != NODE_MAP || !transposition(n, perm))
		return n;
	const struct node *p = n->in[0];
	if (!is_reduction(p) || p->origin != n->origin || !is_used_once(context, p))
		return n;
	struct node_site at = node_site_of(p);
	at.name = n->name ? n->name : p->name;
	return graph_map(g, &at, transposed(g->arena, p->rule, perm), p->in);
}

bool pass_absorb(struct session *s, struct graph *g)
{
	(void)s;
	struct uses uses = count_uses(g);
	return graph_rewrite(g, absorb, &uses);
}
