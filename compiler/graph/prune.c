/* prune.c — the same rule with fewer operands. Derived rules (gradients above all) are written over every operand of
 * the rule they come from; what the body does not read would still have to be kept, moved and matched. */
#include "graph.h"

static bool access_equal(const struct access *a, const struct access *b)
{
	if (a->type != b->type || a->rank != b->rank)
		return false;
	for (int d = 0; d < a->rank; d++)
		if (a->dim[d] != b->dim[d] || !index_equal(&a->index[d], &b->index[d]))
			return false;
	return true;
}

static void renumber_data(struct access *a, const int *to)
{
	for (int d = 0; d < a->rank; d++)
		if (a->index[d].data >= 0)
			a->index[d].data = to[a->index[d].data];
}

/* to[i]: the number of operand i once equal ones are one; how many are left. */
static int join_twins(const struct rule *r, struct node *const *in, int *to)
{
	int kept = 0;
	for (int i = 0; i < r->noperands; i++) {
		int k = 0;
		while (k < i && (in[k] != in[i] || !access_equal(&r->operand[k], &r->operand[i])))
			k++;
		to[i] = k < i ? to[k] : kept++;
	}
	return kept;
}

static const struct rule *without_twins(struct arena *a, const struct rule *r, struct node **in)
{
	int to[MAX_OPERANDS], kept = join_twins(r, in, to);
	if (kept == r->noperands)
		return r;
	const struct scalar *operand[MAX_OPERANDS] = {NULL};
	struct rule *fresh = ARENA_NEW(a, struct rule);
	*fresh = *r;
	fresh->noperands = kept;
	for (int i = 0; i < r->noperands; i++) {
		operand[i] = scalar_operand(a, r->operand[i].type, to[i]);
		fresh->operand[to[i]] = r->operand[i];
		in[to[i]] = in[i];
	}
	fresh->body = scalar_substitute(a, r->body, operand, NULL);
	renumber_data(&fresh->out, to);
	for (int i = 0; i < kept; i++)
		renumber_data(&fresh->operand[i], to);
	return fresh;
}

/* Rules are large, so nothing is made where nothing can be dropped: mostly. */
static bool reads_all(const struct rule *r)
{
	for (int i = 0; i < r->noperands; i++)
		if (!scalar_uses_operand(r->body, i) && !rule_reads_index(r, i))
			return false;
	return true;
}

const struct rule *rule_prune_inputs(struct arena *a, const struct rule *r, struct node **in)
{
	int kept[MAX_OPERANDS];
	const struct rule *fresh = reads_all(r) ? r : rule_prune(a, r, kept);
	if (fresh->noperands == r->noperands)
		fresh = r;
	if (!in)
		return fresh;
	for (int i = 0; fresh != r && i < fresh->noperands; i++)
		in[i] = in[kept[i]];
	return without_twins(a, fresh, in);
}

struct node *graph_map_pruned(struct graph *g, const struct node_site *at, const struct rule *r, struct node *const *in)
{
	struct node *kept[MAX_OPERANDS];
	for (int i = 0; i < r->noperands; i++)
		kept[i] = in[i];
	const struct rule *fresh = rule_prune_inputs(g->arena, r, kept);
	return graph_map(g, at, fresh, kept);
}
