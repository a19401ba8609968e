/* unused.c — what a program computes and nobody reads is not compiled, but checked: a copy of the graph keeps it. */
#include "graph.h"

#include <string.h>

static bool *needed_nodes(const struct graph *g)
{
	bool *needed = ARENA_ARRAY(g->arena, bool, g->nodes.n);
	for (int i = 0; i < g->outputs.n; i++)
		needed[g->outputs.at[i].node->id] = true;
	for (int i = g->nodes.n - 1; i >= 0; i--)
		for (int k = 0; needed[i] && k < g->nodes.at[i]->nin; k++)
			needed[g->nodes.at[i]->in[k]->id] = true;
	return needed;
}

/* What the user wrote to be computed: the library computes more than it needs, and the value of a function that is only
 * differentiated is not asked for. */
static bool is_written(const struct node *n)
{
	return n->origin == ORIGIN_SOURCE && !n->in_library && !n->is_derived && n->place;
}

struct graph *graph_with_unused(const struct graph *g)
{
	bool *needed = needed_nodes(g), any = false;
	for (int i = 0; i < g->nodes.n; i++)
		any = any || (!needed[i] && is_written(g->nodes.at[i]));
	if (!any)
		return NULL;
	struct graph *copy = ARENA_NEW(g->arena, struct graph);
	*copy = *g;
	memset(&copy->nodes, 0, sizeof copy->nodes);
	memset(&copy->outputs, 0, sizeof copy->outputs);
	for (int i = 0; i < g->nodes.n; i++) {
		const struct node *n = g->nodes.at[i];
		struct node *x = ARENA_NEW(g->arena, struct node);
		*x = *n;
		x->unused = !needed[i] && is_written(n);
		x->in = ARENA_ARRAY(g->arena, struct node *, n->nin);
		for (int k = 0; k < n->nin; k++)
			x->in[k] = copy->nodes.at[n->in[k]->id];
		bool known = n->forward && n->forward->id < i && g->nodes.at[n->forward->id] == n->forward;
		x->forward = known ? copy->nodes.at[n->forward->id] : NULL;
		x->after = NULL;
		vec_push(g->arena, &copy->nodes, x);
	}
	return copy;
}
