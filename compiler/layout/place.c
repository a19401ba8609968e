/* place.c — gives every node a placement. Data, constants, host scalars and what is computed from them alone are on no
 * rank; a copy is made on each placement where a placed node, a `to`, a contract or a slot uses them, once per
 * placement. What only the host sees is computed by all ranks. In: GRAPH_LOGICAL.  Out: GRAPH_PLACED. Example: 0.5 * x
 * on left and 0.5 * y on right: two constants.
 *
 * A carried value is where it is computed in the turns, though it may start as a number. All placements that a loop has
 * nodes on know when it ends: a count or condition on no rank is copied to each of them, one that is placed is
 * brought there. */
#include "stage.h"

#include "../program.h"

/* Where copies of one unplaced node are wanted, and the copies. */
struct copies {
	VEC(const struct place *) at;
	VEC(struct node *) made;
};

struct placing {
	struct graph *g;
	struct arena *arena;   /* ends with the step */
	struct copies *copies; /* by node */
	struct copies *loops;  /* by loop: where it has nodes */
	struct node **ends;    /* by CARRY */
	bool changed;
};

static void want_copy(struct placing *w, struct copies *c, const struct place *p)
{
	for (int i = 0; i < c->at.n; i++)
		if (c->at.at[i] == p)
			return;
	vec_push(w->arena, &c->at, p);
	w->changed = true;
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

static void want_all(struct placing *w, struct copies *c, const struct copies *where)
{
	for (int i = 0; i < where->at.n; i++)
		want_copy(w, c, where->at.at[i]);
}

/* x where n is. */
static void want_for(struct placing *w, const struct node *x, const struct node *n)
{
	if (!x->place && n->place)
		want_copy(w, &w->copies[x->id], n->place);
	else if (!x->place)
		want_all(w, &w->copies[x->id], &w->copies[n->id]);
}

/* A loop has nodes where what stands in it is, and its exits, of which one may stack what is made outside; there it is
 * asked. */
static void want_for_loops(struct placing *w, const struct node *n)
{
	for (const struct loop *l = node_part_of(n); l; l = l->outer) {
		struct copies *where = &w->loops[l->id];
		const struct node *asked = l->count ? l->count : l->condition;
		if (n->place)
			want_copy(w, where, n->place);
		else
			want_all(w, where, &w->copies[n->id]);
		if (asked && !asked->place)
			want_all(w, &w->copies[asked->id], where);
	}
}

/* From the last node to the first: users come before what they use, but for what is carried from turn to turn. */
static void collect_wishes(struct placing *w)
{
	struct graph *g = w->g;
	for (int i = 0; i < g->outputs.n; i++) {
		const struct output *o = &g->outputs.at[i];
		if (!o->node->place)
			want_copy(w, &w->copies[o->node->id], output_place(g, o));
	}
	do {
		w->changed = false;
		for (int i = g->nodes.n - 1; i >= 0; i--) {
			const struct node *n = g->nodes.at[i];
			for (int k = 0; k < n->nin; k++)
				want_for(w, n->in[k], n);
			if (n->kind == NODE_CARRY)
				want_for(w, w->ends[i], n);
			want_for_loops(w, n);
		}
	} while (w->changed && g->loops.n);
}

/* ---- what is carried ---- */

/* Where the inputs say that n is; NULL if nowhere in particular. A carried value is where it ends. */
static const struct place *place_said(const struct placing *w, const struct node *n)
{
	const struct place *p = n->kind == NODE_CARRY ? w->ends[n->id]->place : NULL;
	return p ? p : node_place_of_inputs(n);
}

/* A start may be a number, and what a turn leaves a placed tensor: then it is carried there, and so is what is computed
 * of it. Elaboration and differentiation see to it that nothing on another placement reads it. */
static void place_carried(struct placing *w)
{
	struct graph *g = w->g;
	for (bool changed = g->loops.n > 0; changed;) {
		changed = false;
		for (int i = 0; i < g->nodes.n; i++) {
			struct node *n = g->nodes.at[i];
			if (n->place || !(n->place = place_said(w, n)))
				continue;
			changed = true;
		}
	}
}

/* ---- copies ---- */

static void make_copies(struct placing *w, const struct node *n)
{
	struct copies *own = &w->copies[n->id];
	for (int i = 0; i < own->at.n; i++) {
		struct node *copy = graph_node(w->g);
		*copy = *n;
		copy->place = own->at.at[i];
		copy->id = w->g->nodes.n;
		copy->in = ARENA_ARRAY(w->g->arena, struct node *, n->nin);
		for (int k = 0; k < n->nin; k++)
			copy->in[k] = copy_at(&w->copies[n->in[k]->id], copy->place);
		vec_push(w->arena, &own->made, copy);
		vec_push(w->g->arena, &w->g->nodes, copy);
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

/* What a loop asks is brought to another placement as it is on all of its ranks. */
static struct node *bring(struct graph *g, struct node *asked, const struct place *p)
{
	struct node_site at = node_site_of(asked);
	struct layout_spec whole = {.form = LAYOUT_GIVEN, .layout = layout_broadcast()};
	at.origin = ORIGIN_SOURCE;
	return graph_to(g, &at, asked, p, &whole);
}

static void settle_loop(struct placing *w, struct loop *l)
{
	struct node **asked = l->count ? &l->count : &l->condition, *old = *asked;
	const struct copies *where = &w->loops[l->id];
	if (!old)
		return;
	if (!where->at.n) { /* nobody wants anything of it: it has no nodes any more */
		*asked = NULL;
		l->turns = 0;
		return;
	}
	const struct place *first = old->place ? old->place : where->at.at[0];
	*asked = old->place ? old : copy_at(&w->copies[old->id], first);
	for (int i = 0; i < where->at.n; i++) {
		const struct place *p = where->at.at[i];
		if (p == first)
			continue;
		struct node *there = old->place ? bring(w->g, old, p) : copy_at(&w->copies[old->id], p);
		vec_push(w->g->arena, &l->elsewhere, there);
	}
}

void stage_place(struct graph *g)
{
	struct node **old = g->nodes.at;
	int n = g->nodes.n;
	struct placing w = {.g = g, .arena = arena_new("layout: place")};
	w.copies = ARENA_ARRAY(w.arena, struct copies, n);
	w.loops = ARENA_ARRAY(w.arena, struct copies, g->loops.n);
	w.ends = graph_ends(w.g, w.arena);
	place_carried(&w);
	collect_wishes(&w);
	g->nodes.at = NULL;
	g->nodes.n = g->nodes.cap = 0;
	/* Ids of old nodes stay as they are until all are placed: copies are found by them. */
	for (int i = 0; i < n; i++) {
		struct node *x = old[i];
		if (!x->place) {
			make_copies(&w, x);
			continue;
		}
		for (int k = 0; k < x->nin; k++)
			if (!x->in[k]->place)
				x->in[k] = copy_at(&w.copies[x->in[k]->id], x->place);
		vec_push(g->arena, &g->nodes, x);
	}
	relink_outputs(g, w.copies);
	for (int i = 0; i < g->loops.n; i++)
		settle_loop(&w, g->loops.at[i]);
	for (int i = 0; i < g->nodes.n; i++) {
		struct node *x = g->nodes.at[i];
		if (x->forward && !x->forward->place)
			x->forward = NULL;
		if (x->after && !x->after->place)
			x->after = NULL;
		x->id = i;
	}
	g->stage = GRAPH_PLACED;
	const char *wrong = graph_order(g);
	BUG_IF(wrong, "after placing: %s", wrong);
	arena_free(w.arena);
}
