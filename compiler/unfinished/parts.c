/* parts.c — what becomes of a node without --reproducible: it works on parts where that gives what one rank would
 * (layout/parts.h), and is else made again from finished values. Nothing is computed from a P that is only a finished
 * value in other hands, but where it is added to parts or summed. */
#include "rewrite.h"

#include "../layout/parts.h"

static struct value of_parts(struct value v, bool owned)
{
	v.kind = VALUE_PARTS;
	v.owned = owned;
	return v;
}

/* The inputs of a map that are of that kind, and owned or not. */
static uint64_t inputs_of(struct rewrite *w, const struct node *n, enum value_kind kind, bool owned)
{
	uint64_t mask = 0;
	for (int k = 0; k < n->nin; k++) {
		const struct value *v = value_of(w, n->in[k]);
		if (v->kind == kind && v->owned == owned)
			mask |= UINT64_C(1) << k;
	}
	return mask;
}

static bool is_copy(const struct rule *r)
{
	return r->combiner == COMBINE_NONE && r->body->kind == SCALAR_OPERAND;
}

/* What waits is made again of the old node, which stays as it is. */
static struct node *node_to_keep(struct rewrite *w, struct node *n, bool waits)
{
	if (!waits)
		return n;
	struct node *fresh = graph_node(w->g);
	*fresh = *n;
	fresh->in = ARENA_ARRAY(w->g->arena, struct node *, n->nin);
	return fresh;
}

static struct value keep_on_parts(struct rewrite *w, struct node *n, bool owned)
{
	struct node *in[MAX_OPERANDS];
	for (int k = 0; k < n->nin; k++) {
		struct value *v = value_of(w, n->in[k]);
		in[k] = is_unfinished(v) ? finish(w, v, n->in[k]->place, &n->in[k]->layout) : v->node;
	}
	bool waits = !owned && waits_for_signs(w, n);
	struct node *kept = node_to_keep(w, n, waits);
	for (int k = 0; k < n->nin; k++)
		kept->in[k] = in[k];
	struct value v = of_parts(append(w, kept), owned);
	v.old = n;
	v.waits = waits;
	return v;
}

/* Of what lies on one rank an elementwise function is computed after the `to` that brings it, for the same bytes, so
 * that no other rank has its share in infinities and signs of 0. Two such values that are added travel as one. */
static struct value rewrite_map(struct rewrite *w, struct node *n)
{
	uint64_t views = inputs_of(w, n, VALUE_VIEW, false), owned = inputs_of(w, n, VALUE_PARTS, true);
	uint64_t sums = inputs_of(w, n, VALUE_PARTS, false), made = inputs_of(w, n, VALUE_MADE, false);
	uint64_t parts = views | owned | sums | made;
	if (!parts) {
		struct value v = keep(w, n);
		bool unfinished = is_float_sum(n->dtype, n->place, &n->layout);
		return unfinished ? of_parts(v, n->rule->combiner == COMBINE_NONE) : v;
	}
	if (made || !parts_are_kept(n, parts))
		return made_again(n);
	if (sums || n->rule->combiner != COMBINE_NONE)
		return keep_on_parts(w, n, false);
	bool several = (owned & (owned - 1)) != 0;
	if ((owned && is_copy(n->rule)) || (several && parts_stay_owned(n, parts)))
		return keep_on_parts(w, n, true);
	return made_again(n);
}

static struct value rewrite_to(struct rewrite *w, struct node *n)
{
	struct value *x = value_of(w, n->in[0]);
	bool leaves_parts = is_float_sum(n->dtype, n->place, &n->layout);
	if (!is_unfinished(x) && leaves_parts)
		return (struct value){.kind = VALUE_VIEW, .old = n, .node = x->node};
	if (!is_unfinished(x))
		return keep(w, n);
	if (x->kind == VALUE_PARTS && (leaves_parts || !x->waits)) {
		struct value v = keep(w, n);
		return leaves_parts ? of_parts(v, x->owned) : v;
	}
	if (!leaves_parts)
		return (struct value){.kind = VALUE_FINISHED, .old = n, .node = finish(w, x, n->place, &n->layout)};
	struct layout whole = without_parts(x->old->place, &x->old->layout);
	struct node *node = x->kind == VALUE_MADE ? finish(w, x, x->old->place, &whole) : x->node;
	return (struct value){.kind = VALUE_VIEW, .old = n, .node = node};
}

/* A reshape, or what stops a value from being merged. */
static struct value rewrite_copy(struct rewrite *w, struct node *n)
{
	const struct value *x = value_of(w, n->in[0]);
	if (x->kind == VALUE_FINISHED)
		return keep(w, n);
	if (x->kind == VALUE_PARTS)
		return of_parts(keep(w, n), x->owned);
	return n->kind == NODE_RESHAPE ? made_again(n) : *x;
}

struct value rewrite_parts(struct rewrite *w, struct node *n)
{
	switch (n->kind) {
	case NODE_SLOT:
		if (is_float_sum(n->dtype, n->place, &n->layout))
			return of_parts(keep(w, n), false);
		break;
	case NODE_MAP:
		return rewrite_map(w, n);
	case NODE_RESHAPE:
	case NODE_REMAT:
		return rewrite_copy(w, n);
	case NODE_TO:
		return rewrite_to(w, n);
	case NODE_CARRY:
	case NODE_LINE:
	case NODE_END:
	case NODE_STACK:
		return rewrite_turns(w, n);
	case NODE_DATA:
	case NODE_HOST:
	case NODE_CONST:
	case NODE_CHECK:
	case NODE_FACTORS:
	case NODE_CONTRACT:
	case NODE_STOP:
	case NODE_TURN:
	case NODE_TANGENT:
	case NODE_RULED:
	case NODE_PULLED:
	case NODE_KINDS:
		break;
	}
	return keep(w, n);
}
