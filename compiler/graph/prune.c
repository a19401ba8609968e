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

/* The first operand that reads the same of the same input as operand i; i itself if none before it does. */
static int twin_of(const struct rule *r, struct node *const *in, int i)
{
	int k = 0;
	while (k < i && (in[k] != in[i] || !access_equal(&r->operand[k], &r->operand[i])))
		k++;
	return k;
}

/* The rule without operand `gone`, which is operand k. */
static struct rule joined(struct arena *a, const struct rule *r, int gone, int k, struct access *at)
{
	const struct scalar *operand[MAX_OPERANDS] = {NULL};
	int to[MAX_OPERANDS];
	struct rule fresh = *r;
	fresh.operand = at;
	fresh.noperands = r->noperands - 1;
	for (int i = 0; i < r->noperands; i++) {
		to[i] = i == gone ? k : i - (i > gone);
		operand[i] = scalar_operand(a, r->operand[i].type, to[i]);
		at[to[i]] = r->operand[i];
	}
	fresh.body = scalar_substitute(a, r->body, operand, NULL);
	renumber_data(&fresh.out, to);
	for (int i = 0; i < fresh.noperands; i++)
		renumber_data(&at[i], to);
	return fresh;
}

static const struct rule *without_twin(const struct graph *g, const struct rule *r, int gone, int k)
{
	struct access at[MAX_OPERANDS];
	struct derived *d = rule_derived(r, DERIVE_WITHOUT_TWIN, (uint64_t)gone, (uint64_t)k);
	if (!d->is_wanted)
		return d->rule;
	struct rule fresh = joined(g->arena, r, gone, k, at);
	return rule_derived_is(d, graph_rule(g, &fresh));
}

static const struct rule *without_twins(const struct graph *g, const struct rule *r, struct node **in)
{
	for (int i = 1; i < r->noperands;) {
		int k = twin_of(r, in, i);
		if (k == i) {
			i++;
			continue;
		}
		r = without_twin(g, r, i, k);
		for (int j = i; j < r->noperands; j++)
			in[j] = in[j + 1];
	}
	return r;
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
