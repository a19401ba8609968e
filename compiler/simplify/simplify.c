/* simplify.c — the stage: all passes on every region, and what the passes share. */
#include "simplify.h"

#include "../compiler.h"

void compiler_simplify(struct program *p)
{
	for (int i = 0; i < p->regions.n; i++)
		graph_run_passes(p->session, p->regions.at[i]->graph);
}

static const struct place *common_place(int n, struct node *const *in)
{
	for (int i = 0; i < n; i++)
		if (in[i]->place)
			return in[i]->place;
	return NULL;
}

bool simplify_set_rule(struct graph *g, struct node *n, const struct rule *r, struct node *const *in)
{
	struct node *kept[MAX_OPERANDS];
	for (int i = 0; i < r->noperands; i++)
		kept[i] = in[i];
	const struct rule *fresh = rule_prune_inputs(g, r, kept);
	if (fresh == n->rule || common_place(fresh->noperands, kept) != n->place)
		return false;
	n->rule = fresh;
	n->nin = fresh->noperands;
	n->in = ARENA_ARRAY(g->arena, struct node *, n->nin);
	for (int i = 0; i < n->nin; i++)
		n->in[i] = kept[i];
	return true;
}

int simplify_view_of(const struct node *n)
{
	const struct rule *r = n->kind == NODE_MAP ? n->rule : NULL;
	if (!r || r->combiner != COMBINE_NONE || r->body->kind != SCALAR_OPERAND || r->noperands != 1)
		return -1;
	const struct access *a = &r->operand[0];
	if (a->type != r->out.type || rule_is_scatter(r) || r->out.rank != r->nfactors)
		return -1;
	for (int d = 0; d < a->rank; d++)
		if (a->index[d].data >= 0 || a->index[d].guarded || a->index[d].div != 1)
			return -1;
	return 0;
}
