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

static bool is_candidate(const struct node *n)
{
	int perm[MAX_RANK];
	return n->kind == NODE_MAP && transposition(n, perm) && is_reduction(n->in[0]) && n->in[0]->origin == n->origin;
}

/* Of the reductions that are transposed: number of uses by nodes and outputs before the rewriting. */
struct uses {
	struct map index; /* node to one of count */
	VEC(int) count;
};

static void add_use(struct uses *u, const struct node *n)
{
	uintptr_t number = (uintptr_t)map_get(&u->index, n);
	if (number)
		u->count.at[number - 1]++;
}

/* False if there is none. */
static bool count_uses(const struct graph *g, struct uses *u, struct arena *scratch)
{
	*u = (struct uses){0};
	map_init(&u->index, scratch);
	for (int i = 0; i < g->nodes.n; i++) {
		const struct node *n = g->nodes.at[i];
		if (!is_candidate(n))
			continue;
		vec_push(scratch, &u->count, 0);
		map_set(&u->index, n->in[0], (void *)(uintptr_t)u->count.n);
	}
	for (int i = 0; u->count.n && i < g->nodes.n; i++)
		for (int k = 0; k < g->nodes.at[i]->nin; k++)
			add_use(u, g->nodes.at[i]->in[k]);
	for (int i = 0; u->count.n && i < g->outputs.n; i++)
		add_use(u, g->outputs.at[i].node);
	return u->count.n > 0;
}

static bool is_used_once(const struct uses *u, const struct node *n)
{
	uintptr_t number = (uintptr_t)map_get(&u->index, n);
	return number && u->count.at[number - 1] == 1;
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
	if (!is_candidate(n) || !is_used_once(context, n->in[0]))
		return n;
	const struct node *p = n->in[0];
	transposition(n, perm);
	struct node_site at = node_site_of(p);
	at.name = n->name ? n->name : p->name;
	return graph_map(g, &at, transposed(g->arena, p->rule, perm), p->in);
}

bool pass_absorb(struct session *s, struct graph *g)
{
	(void)s;
	struct uses uses;
	struct arena *scratch = arena_new("absorb");
	bool changed = count_uses(g, &uses, scratch) && graph_rewrite(g, absorb, &uses);
	arena_free(scratch);
	return changed;
}
