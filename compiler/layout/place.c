/* place.c — gives every node a placement. Data, constants, host scalars and what is computed from them alone are on no
 * rank; a copy is made on each placement where a placed node, a `to`, a contract or a slot uses them, once per
 * placement. What only the host sees is computed by all ranks. In: GRAPH_LOGICAL.  Out: GRAPH_PLACED. Example: 0.5 * x
 * on left and 0.5 * y on right: two constants. */
#include "stage.h"

#include "../program.h"

/* Where copies of one unplaced node are wanted, and the copies. */
struct copies {
	VEC(const struct place *) at;
	VEC(struct node *) made;
};

static void want_copy(struct graph *g, struct copies *c, const struct place *p)
{
	for (int i = 0; i < c->at.n; i++)
		if (c->at.at[i] == p)
			return;
	vec_push(g->arena, &c->at, p);
}

static struct node *copy_at(const struct copies *c, const struct place *p)
{
	for (int i = 0; i < c->made.n; i++)
		if (c->at.at[i] == p)
			return c->made.at[i];
	BUG_IF(true, "an unplaced value was not copied to `%s`", p->name);
	return NULL;
}

static const struct place *output_place(const struct graph *g, const struct output *o)
{
	const struct program *p = g->program;
	if (o->kind == OUTPUT_SLOT && p->slots.at[o->index]->place)
		return p->slots.at[o->index]->place;
	return p->places.at[0];
}

/* From the last node to the first: users come before what they use. */
static void collect_wishes(struct graph *g, struct copies *copies)
{
	for (int i = 0; i < g->outputs.n; i++) {
		const struct output *o = &g->outputs.at[i];
		if (!o->node->place)
			want_copy(g, &copies[o->node->id], output_place(g, o));
	}
	for (int i = g->nodes.n - 1; i >= 0; i--) {
		const struct node *n = g->nodes.at[i];
		for (int k = 0; k < n->nin; k++) {
			struct copies *c = &copies[n->in[k]->id];
			if (n->in[k]->place)
				continue;
			if (n->place)
				want_copy(g, c, n->place);
			for (int j = 0; !n->place && j < copies[i].at.n; j++)
				want_copy(g, c, copies[i].at.at[j]);
		}
	}
}

static void make_copies(struct graph *g, struct copies *copies, const struct node *n, struct copies *own)
{
	for (int i = 0; i < own->at.n; i++) {
		struct node *copy = graph_node(g);
		*copy = *n;
		copy->place = own->at.at[i];
		copy->id = g->nodes.n;
		copy->in = ARENA_ARRAY(g->arena, struct node *, n->nin);
		for (int k = 0; k < n->nin; k++)
			copy->in[k] = copy_at(&copies[n->in[k]->id], copy->place);
		vec_push(g->arena, &own->made, copy);
		vec_push(g->arena, &g->nodes, copy);
	}
}

static void relink_outputs(struct graph *g, const struct copies *copies)
{
	for (int i = 0; i < g->outputs.n; i++) {
		struct output *o = &g->outputs.at[i];
		if (!o->node->place)
			o->node = copy_at(&copies[o->node->id], output_place(g, o));
	}
}

void stage_place(struct graph *g)
{
	struct node **old = g->nodes.at;
	int n = g->nodes.n;
	struct arena *scratch = arena_new("layout: place");
	struct copies *copies = ARENA_ARRAY(scratch, struct copies, n);
	collect_wishes(g, copies);
	g->nodes.at = NULL;
	g->nodes.n = g->nodes.cap = 0;
	/* Ids of old nodes stay as they are until all are placed: copies are found by them. */
	for (int i = 0; i < n; i++) {
		struct node *x = old[i];
		if (!x->place) {
			make_copies(g, copies, x, &copies[i]);
			continue;
		}
		for (int k = 0; k < x->nin; k++)
			if (!x->in[k]->place)
				x->in[k] = copy_at(&copies[x->in[k]->id], x->place);
		vec_push(g->arena, &g->nodes, x);
	}
	relink_outputs(g, copies);
	for (int i = 0; i < g->nodes.n; i++) {
		struct node *x = g->nodes.at[i];
		if (x->forward && !x->forward->place)
			x->forward = NULL;
		if (x->after && !x->after->place)
			x->after = NULL;
		x->id = i;
	}
	g->stage = GRAPH_PLACED;
	arena_free(scratch);
}
