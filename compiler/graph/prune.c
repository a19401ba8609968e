/* prune.c — the same rule with fewer operands. Derived rules (gradients above all) are written over every operand of
 * the rule they come from; what the body does not read would still have to be kept, moved and matched. */
#include "graph.h"

#include "../op/intern.h"

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

static struct rule merged(struct arena *a, const struct rule *r, const int *to, int kept)
{
	const struct scalar *operand[MAX_OPERANDS] = {NULL};
	struct rule fresh = *r;
	struct access *at = rule_own_operands(a, &fresh, 0);
	fresh.noperands = kept;
	for (int i = 0; i < r->noperands; i++) {
		operand[i] = scalar_operand(a, r->operand[i].type, to[i]);
		at[to[i]] = r->operand[i];
	}
	fresh.body = scalar_substitute(a, r->body, operand, NULL);
	renumber_data(&fresh.out, to);
	for (int i = 0; i < kept; i++)
		renumber_data(&at[i], to);
	return fresh;
}

static bool has_twins(const struct rule *r, struct node *const *in)
{
	for (int i = 1; i < r->noperands; i++)
		for (int k = 0; k < i; k++)
			if (in[k] == in[i])
				return true;
	return false;
}

static const struct rule *without_twins(const struct graph *g, const struct rule *r, struct node **in)
{
	int to[MAX_OPERANDS], kept = has_twins(r, in) ? join_twins(r, in, to) : r->noperands;
	uint64_t key = 0;
	if (kept == r->noperands)
		return r;
	for (int i = 0; i < r->noperands; i++) {
		in[to[i]] = in[i];
		key = key << 4 | (uint64_t)to[i];
	}
	struct derived *d = rule_derived(r, DERIVE_WITHOUT_TWINS, key, 0);
	if (!d->is_wanted)
		return d->rule;
	struct rule fresh = merged(g->arena, r, to, kept);
	return rule_derived_is(d, graph_rule(g, &fresh));
}

const struct rule *rule_prune_inputs(const struct graph *g, const struct rule *r, struct node **in)
{
	int kept[MAX_OPERANDS];
	r = graph_rule(g, r);
	const struct rule *fresh = rule_prune(g->arena, r, kept);
	if (!in)
		return fresh;
	for (int i = 0; fresh != r && i < fresh->noperands; i++)
		in[i] = in[kept[i]];
	return without_twins(g, fresh, in);
}

struct node *graph_map_pruned(struct graph *g, const struct node_site *at, const struct rule *r, struct node *const *in)
{
	struct node *kept[MAX_OPERANDS];
	for (int i = 0; i < r->noperands; i++)
		kept[i] = in[i];
	const struct rule *fresh = rule_prune_inputs(g, r, kept);
	return graph_map(g, at, fresh, kept);
}
