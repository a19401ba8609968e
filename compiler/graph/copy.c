/* copy.c — a second graph with the same nodes, for stages that try something and throw it away. */
#include "graph.h"

#include <string.h>

static struct loop *twin(const struct graph *copy, const struct loop *l)
{
	return l ? copy->loops.at[l->id] : NULL;
}

struct graph *graph_copy(const struct graph *g, struct arena *arena)
{
	struct graph *copy = ARENA_NEW(arena, struct graph);
	*copy = *g;
	copy->arena = arena;
	memset(&copy->nodes, 0, sizeof copy->nodes);
	memset(&copy->outputs, 0, sizeof copy->outputs);
	memset(&copy->spare, 0, sizeof copy->spare);
	memset(&copy->loops, 0, sizeof copy->loops);
	copy->nroom = 0;
	for (int i = 0; i < g->loops.n; i++) {
		struct loop *l = ARENA_NEW(arena, struct loop);
		*l = *g->loops.at[i];
		l->outer = twin(copy, l->outer);
		vec_push(arena, &copy->loops, l);
	}
	copy->nodes.cap = g->nodes.n;
	copy->nodes.at = ARENA_ARRAY(arena, struct node *, g->nodes.n);
	for (int i = 0; i < g->nodes.n; i++) {
		const struct node *n = g->nodes.at[i], *f = n->forward;
		struct node *x = graph_node(copy);
		*x = *n;
		x->in = ARENA_ARRAY(arena, struct node *, n->nin);
		for (int k = 0; k < n->nin; k++)
			x->in[k] = copy->nodes.at[n->in[k]->id];
		bool known = f && f->id < i && g->nodes.at[f->id] == f;
		x->forward = known ? copy->nodes.at[f->id] : NULL;
		x->loop = twin(copy, n->loop);
		x->of = twin(copy, n->of);
		x->after = NULL; /* of the order of computation, which a copy has none of */
		vec_push(arena, &copy->nodes, x);
	}
	for (int i = 0; i < g->loops.n; i++) {
		struct loop *l = copy->loops.at[i];
		l->count = l->count ? copy->nodes.at[l->count->id] : NULL;
		l->condition = l->condition ? copy->nodes.at[l->condition->id] : NULL;
		memset(&l->elsewhere, 0, sizeof l->elsewhere);
		for (int k = 0; k < g->loops.at[i]->elsewhere.n; k++)
			vec_push(arena, &l->elsewhere, copy->nodes.at[g->loops.at[i]->elsewhere.at[k]->id]);
	}
	for (int i = 0; i < g->outputs.n; i++) {
		struct output o = g->outputs.at[i];
		o.node = copy->nodes.at[o.node->id];
		vec_push(arena, &copy->outputs, o);
	}
	return copy;
}
