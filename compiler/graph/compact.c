/* compact.c — keeping the node list in order: dropping what no output needs, and rewriting node by node.
 * Both work on the list itself: nodes stay where they are in memory, so pointers to those that stay remain good. */
#include "graph.h"

#include <string.h>

/* The layout parameters that a node names; how many. */
static int named_variables(const struct node *n, int *list)
{
	bool may = n->kind == NODE_TO || n->kind == NODE_CONTRACT;
	return may ? layout_variables(n->place, &n->target.layout, list) : 0;
}

/* By layout parameter: the node that binds it, which is the first to name it; past the last where none does. */
static int *find_binders(const struct graph *g)
{
	int *binder = ARENA_ARRAY(g->arena, int, g->nlayout_vars), named[MAX_AXES];
	for (int v = 0; v < g->nlayout_vars; v++)
		binder[v] = g->nodes.n;
	for (int i = g->nodes.n - 1; i >= 0; i--)
		for (int k = named_variables(g->nodes.at[i], named) - 1; k >= 0; k--)
			binder[named[k]] = i;
	return binder;
}

/* A layout parameter that is used needs the value it takes its layout from, even if nobody reads that value. */
static void mark_needed(const struct graph *g, bool *needed)
{
	const int *binder = find_binders(g);
	int named[MAX_AXES];
	for (int i = 0; i < g->outputs.n; i++)
		needed[g->outputs.at[i].node->id] = true;
	for (int i = g->nodes.n - 1; i >= 0; i--) {
		const struct node *n = g->nodes.at[i];
		if (!needed[i])
			continue;
		for (int k = named_variables(n, named) - 1; k >= 0; k--)
			needed[binder[named[k]]] = true;
		for (int k = 0; k < n->nin; k++)
			needed[n->in[k]->id] = true;
	}
}

/* A node outside the list has no place in it. */
static bool stays(const struct graph *g, const bool *needed, const struct node *n)
{
	return n && n->id < g->nodes.n && g->nodes.at[n->id] == n && needed[n->id];
}

void graph_compact(struct graph *g)
{
	bool *needed = ARENA_ARRAY(g->arena, bool, g->nodes.n);
	mark_needed(g, needed);
	/* `forward` and `after` are read while ids are still the old ones. */
	for (int i = 0; i < g->nodes.n; i++) {
		struct node *n = g->nodes.at[i];
		n->forward = stays(g, needed, n->forward) ? n->forward : NULL;
		n->after = stays(g, needed, n->after) ? n->after : NULL;
	}
	int kept = 0;
	for (int i = 0; i < g->nodes.n; i++)
		if (needed[i])
			g->nodes.at[kept++] = g->nodes.at[i];
	g->nodes.n = kept;
	for (int i = 0; i < kept; i++)
		g->nodes.at[i]->id = i;
}

/* The node that took n's place; `old` lists the nodes before rewriting, `now` what became of each. */
static struct node *follow(const struct map *now, const struct node *n)
{
	struct node *m = map_get(now, n);
	return m ? m : (struct node *)n;
}

bool graph_rewrite(struct graph *g, graph_rewriter *f, void *context)
{
	struct map now;
	map_init(&now, g->arena);
	struct node **old = g->nodes.at;
	int n = g->nodes.n;
	bool changed = false;
	memset(&g->nodes, 0, sizeof g->nodes);
	for (int i = 0; i < n; i++) {
		struct node *x = old[i];
		for (int k = 0; k < x->nin; k++)
			x->in[k] = follow(&now, x->in[k]);
		if (x->forward)
			x->forward = follow(&now, x->forward);
		if (x->after)
			x->after = follow(&now, x->after);
		struct node *y = f(g, x, context, &changed);
		if (y == x) {
			x->id = g->nodes.n;
			vec_push(g->arena, &g->nodes, x);
			continue;
		}
		changed = true;
		map_set(&now, x, y);
	}
	for (int i = 0; i < g->outputs.n; i++)
		g->outputs.at[i].node = follow(&now, g->outputs.at[i].node);
	return changed;
}
