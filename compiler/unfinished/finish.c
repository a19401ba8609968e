/* finish.c — unfinished values where a `to` of the program finishes them. Quanta and bits move as they are and become
 * floats where they arrive. What the program computed from parts (a P plus a P, a P times a number) rounds in every
 * step, and one rank would round whole values there: so the parts are finished first, in the layout that is wanted in
 * the end, and the operator works on whole values. So do products of matrices: what they contract beside is summed in
 * quanta as ever. */
#include "rewrite.h"

#include "../layout/choice.h"
#include "../layout/parts.h"
#include "../op/signature.h"

struct value *value_of(struct rewrite *w, const struct node *old)
{
	struct value *v = map_get(&w->values, old);
	BUG_IF(!v, "node %%%d (%s) is used before it is made", old->id, node_kind_text(old->kind));
	return v;
}

/* The signature that gives the atom from finished operands; all B if there is none. */
static const struct signature *signature_giving(const struct signature *s, int n, const struct rule *r,
						struct shard_atom atom)
{
	for (int k = 0; k < n; k++)
		if (atom_equal(s[k].out, atom) && !signature_takes_parts(&s[k], r))
			return &s[k];
	return s;
}

static bool reads_part(const struct node *n, int axis)
{
	for (int k = 0; k < n->nin; k++)
		if (n->in[k]->layout.atom[axis].kind == SHARD_P)
			return true;
	return false;
}

/* Layouts of the operands of a map, and of its result: on axes where operands are unfinished, or a product is, those
 * that give what is wanted from finished operands; on the others those it has, so that a sum over split elements stays
 * one of parts. */
static void finished_layouts(struct arena *arena, const struct node *n, const struct layout *wanted, struct layout *in,
			     struct layout *out)
{
	const struct signature *s;
	int count = rule_signatures(arena, n->rule, &s);
	for (int a = 0; a < n->place->naxes; a++) {
		bool sums = n->layout.atom[a].kind == SHARD_P && n->layout.atom[a].combiner == SHARD_SUM;
		if (n->layout.atom[a].kind != SHARD_P || (sums && !reads_part(n, a))) {
			for (int k = 0; k < n->nin; k++)
				in[k].atom[a] = n->in[k]->layout.atom[a];
			out->atom[a] = n->layout.atom[a];
			continue;
		}
		const struct signature *with = signature_giving(s, count, n->rule, wanted->atom[a]);
		for (int k = 0; k < n->nin; k++)
			in[k].atom[a] = with->operand[k];
		out->atom[a] = with->out;
	}
}

static struct node *again_map(struct rewrite *w, struct node *n, const struct layout *wanted)
{
	struct layout layout[MAX_OPERANDS], out = layout_broadcast();
	struct node *in[MAX_OPERANDS];
	for (int k = 0; k < n->nin; k++)
		layout[k] = layout_broadcast();
	finished_layouts(w->arena, n, wanted, layout, &out);
	for (int k = 0; k < n->nin; k++)
		in[k] = finish(w, value_of(w, n->in[k]), n->place, &layout[k]);
	struct value v = value_of_map(w, n, in, &out);
	bool floats = v.kind == VALUE_FINISHED || v.kind == VALUE_PARTS;
	return floats ? v.node : floats_of_parts(w, &v, n->place, wanted);
}

static struct node *again_reshape(struct rewrite *w, const struct node *n)
{
	const struct node *x = n->in[0];
	struct layout from = without_parts(x->place, &x->layout), to;
	struct node_site at = node_site_of(n);
	BUG_IF(!reshape_layout(w->g->arena, n->place, &x->shape, &from, &n->shape, &to),
	       "a reshape of a finished value");
	struct node *fresh = graph_reshape(w->g, &at, finish(w, value_of(w, x), x->place, &from), &n->shape);
	fresh->layout = to;
	return fresh;
}

/* The layout to compute in: the one wanted, where it differs by what is finished alone; else that with B for parts. */
static struct layout layout_to_make(const struct node *n, const struct place *p, const struct layout *wanted)
{
	struct layout whole = without_parts(n->place, &n->layout);
	if (p != n->place)
		return whole;
	for (int a = 0; a < p->naxes; a++)
		if (n->layout.atom[a].kind != SHARD_P && !atom_equal(n->layout.atom[a], wanted->atom[a]))
			return whole;
	return *wanted;
}

static struct node *make_again(struct rewrite *w, const struct value *v, const struct place *p, const struct layout *l)
{
	struct node *n = v->old;
	struct node_site at = node_site_of(n);
	struct layout made = layout_to_make(n, p, l);
	struct node *x = n->kind == NODE_RESHAPE ? again_reshape(w, n) : again_map(w, n, &made);
	return add_to(w, &at, x, p, l);
}

static struct node *finish_now(struct rewrite *w, struct value *v, const struct place *p, const struct layout *l)
{
	struct node_site at = node_site_of(v->old);
	switch (v->kind) {
	case VALUE_FINISHED:
	case VALUE_VIEW:
		break;
	case VALUE_SUMS:
	case VALUE_BITS:
		return floats_of_parts(w, v, p, l);
	case VALUE_PARTS:
		if (!v->waits || is_float_sum(v->old->dtype, p, l))
			break;
		/* fallthrough */
	case VALUE_MADE:
		return make_again(w, v, p, l);
	}
	return add_to(w, &at, v->node, p, l);
}

struct node *finish(struct rewrite *w, struct value *v, const struct place *p, const struct layout *l)
{
	if (v->kind == VALUE_FINISHED && v->node->place == p && layout_equal(p, &v->node->layout, l))
		return v->node;
	for (struct finished *f = v->finished; f; f = f->next)
		if (f->place == p && layout_equal(p, &f->layout, l))
			return f->node;
	struct finished *f = ARENA_NEW(w->arena, struct finished);
	*f = (struct finished){.place = p, .layout = *l, .node = finish_now(w, v, p, l), .next = v->finished};
	v->finished = f;
	return f->node;
}
