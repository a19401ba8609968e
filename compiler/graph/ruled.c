/* ruled.c — functions with derivatives of their own (`custom_jvp`) once all derivatives are taken: what is left of them
 * is what they compute. */
#include "graph.h"

static struct node *value_of(struct graph *g, struct node *n, void *context, bool *changed)
{
	(void)g;
	(void)context;
	(void)changed;
	return n->kind == NODE_RULED || n->kind == NODE_PULLED ? n->in[0] : n;
}

static bool has_rules(const struct graph *g)
{
	for (int i = 0; i < g->nodes.n; i++)
		if (node_is_of_rule(g->nodes.at[i]))
			return true;
	return false;
}

const struct node *graph_finish_ruled(struct graph *g)
{
	if (!has_rules(g))
		return NULL;
	graph_rewrite(g, value_of, NULL);
	graph_compact(g);
	for (int i = 0; i < g->nodes.n; i++)
		if (g->nodes.at[i]->kind == NODE_TANGENT)
			return g->nodes.at[i];
	return NULL;
}
