/* reproducible.c — what becomes of a node with --reproducible. */
#include "rewrite.h"

#include "../layout/parts.h"

/* The one unfinished input whose elements a map only puts in other places, or -1. */
static int copied_input(struct rewrite *w, const struct node *n)
{
	const struct rule *r = n->rule;
	if (r->combiner != COMBINE_NONE || r->body->kind != SCALAR_OPERAND)
		return -1;
	for (int k = 0; k < n->nin; k++)
		if (k != r->body->index && is_unfinished(value_of(w, n->in[k])))
			return -1;
	const struct value *v = value_of(w, n->in[r->body->index]);
	return v->kind == VALUE_SUMS || v->kind == VALUE_BITS ? r->body->index : -1;
}

/* What a copy of the value has for bounds: the same copy of what bounds each of its elements. */
static struct bounds copy_bounds(struct rewrite *w, const struct node *n, int k, struct node *const *in)
{
	struct bounds b = bounds_of_each(w, value_of(w, n->in[k]));
	struct rule *r = ARENA_NEW(w->arena, struct rule);
	struct node *read[MAX_OPERANDS];
	struct node_site at = node_site_of(n);
	struct layout whole = without_parts(n->place, &n->layout);
	at.name = NULL;
	*r = *n->rule;
	rule_own_operands(w->arena, r, 0)[k].type = r->out.type = DT_F64;
	r->body = scalar_operand(w->arena, DT_F64, k);
	/* Where ranks keep what they have of a split dimension as parts of the copy, all have the copy of the bounds.
	 */
	struct layout from = b.of[0]->layout;
	for (int i = 0; i < n->place->naxes; i++)
		if (n->layout.atom[i].kind == SHARD_P)
			from.atom[i] = whole.atom[i];
	for (int i = 0; i < n->nin; i++)
		read[i] = i == k ? add_to(w, &at, b.of[0], n->place, &from) : in[i];
	b.of[0] = add_map(w, &at, r, read, n->place, &whole);
	return b;
}

/* Copies of quanta and bits are copies of integers. */
static struct value copy_parts(struct rewrite *w, struct node *n, int k)
{
	const struct value *from = value_of(w, n->in[k]);
	struct rule *r = ARENA_NEW(w->arena, struct rule);
	struct node *in[MAX_OPERANDS];
	struct node_site at = node_site_of(n);
	*r = *n->rule;
	rule_own_operands(w->arena, r, 0)[k].type = r->out.type = from->node->dtype;
	r->body = scalar_operand(w->arena, from->node->dtype, k);
	for (int i = 0; i < n->nin; i++)
		in[i] = value_of(w, n->in[i])->node;
	struct value v = {.kind = from->kind, .old = n, .node = add_map(w, &at, r, in, n->place, &n->layout)};
	if (v.kind == VALUE_SUMS)
		v.grid = bounds_are_of_all(&from->grid) ? from->grid : copy_bounds(w, n, k, in);
	return v;
}

static bool reads_parts(struct rewrite *w, const struct node *n)
{
	for (int k = 0; k < n->nin; k++)
		if (is_unfinished(value_of(w, n->in[k])))
			return true;
	return false;
}

/* Parts of maxima under a function that need not keep their order in its last bit. */
static bool bends_extrema(const struct node *n)
{
	bool parts = false;
	for (int k = 0; k < n->nin; k++)
		parts = parts || (dtype_is_float(n->in[k]->dtype) && layout_has_partial(n->place, &n->in[k]->layout));
	return parts && !scalar_is_correctly_rounded(n->rule->body);
}

static struct value finished(struct node *old, struct node *node)
{
	return (struct value){.kind = VALUE_FINISHED, .old = old, .node = node};
}

struct value value_of_map(struct rewrite *w, struct node *n, struct node *const *in, const struct layout *l)
{
	struct node_site at = node_site_of(n);
	enum combiner c = dtype_is_float(n->dtype) && w->exact ? n->rule->combiner : COMBINE_COUNT;
	switch (c) {
	case COMBINE_NONE:
		if (has_combiner_part(n->place, l, SHARD_SUM))
			return bits_of_map(w, n, in, l);
		break;
	case COMBINE_SUM:
		return sum_of_map(w, n, in, l);
	case COMBINE_PROD:
		return finished(n, product_of_map(w, n, in, l));
	case COMBINE_MAX:
	case COMBINE_MIN:
	case COMBINE_ARGMAX:
	case COMBINE_ARGMIN:
	case COMBINE_COUNT:
		break;
	}
	struct value v = finished(n, add_map(w, &at, n->rule, in, n->place, l));
	if (!w->exact && is_float_sum(n->dtype, n->place, l)) {
		v.kind = VALUE_PARTS;
		v.owned = n->rule->combiner == COMBINE_NONE;
	}
	return v;
}

/* A map of finished inputs. Products of parts are made whole where they are finished. */
static struct value rewrite_whole(struct rewrite *w, struct node *n)
{
	struct node *in[MAX_OPERANDS];
	if (dtype_is_float(n->dtype) && has_combiner_part(n->place, &n->layout, SHARD_PROD))
		return made_again(n);
	for (int k = 0; k < n->nin; k++)
		in[k] = value_of(w, n->in[k])->node;
	return value_of_map(w, n, in, &n->layout);
}

static struct value rewrite_map(struct rewrite *w, struct node *n)
{
	if (!reads_parts(w, n))
		return bends_extrema(n) ? made_again(n) : rewrite_whole(w, n);
	int k = copied_input(w, n);
	if (k >= 0)
		return copy_parts(w, n, k);
	return made_again(n);
}

static struct value rewrite_reshape(struct rewrite *w, struct node *n)
{
	const struct value *x = value_of(w, n->in[0]);
	struct node_site at = node_site_of(n);
	if (!is_unfinished(x))
		return keep(w, n);
	if (x->kind != VALUE_SUMS && x->kind != VALUE_BITS)
		return made_again(n);
	struct value v = {.kind = x->kind, .old = n, .grid = x->grid};
	v.node = graph_reshape(w->g, &at, x->node, &n->shape);
	v.node->layout = n->layout;
	if (v.kind == VALUE_SUMS && !bounds_are_of_all(&x->grid)) {
		v.grid = bounds_of_each(w, x);
		at.name = NULL;
		v.grid.of[0] = graph_reshape(w->g, &at, v.grid.of[0], &n->shape);
		v.grid.of[0]->layout = without_parts(n->place, &n->layout);
	}
	return v;
}

/* A `to` that leaves a P moves parts; it finishes nothing. */
static struct value move_parts(struct rewrite *w, struct node *n, struct value *x)
{
	struct node_site at = node_site_of(n);
	struct value v = {.kind = x->kind, .old = n, .node = x->node, .grid = x->grid};
	if (x->kind == VALUE_SUMS || x->kind == VALUE_BITS)
		v.node = add_to(w, &at, x->node, n->place, &n->layout);
	if (x->kind == VALUE_SUMS)
		v.grid = bounds_in(w, &at, &x->grid, &n->shape, n->place, &n->layout);
	if (x->kind == VALUE_MADE) {
		struct layout l = without_parts(x->old->place, &x->old->layout);
		v.kind = VALUE_VIEW;
		v.node = finish(w, x, x->old->place, &l);
	}
	return v;
}

/* Finished by this `to`, as far as the name and the place in the source go. */
static struct value finish_at(struct rewrite *w, struct node *n, struct value *x)
{
	return (struct value){.kind = VALUE_FINISHED, .old = n, .node = finish(w, x, n->place, &n->layout)};
}

static struct value rewrite_to(struct rewrite *w, struct node *n)
{
	struct value *x = value_of(w, n->in[0]);
	bool leaves_parts = is_float_part(n->dtype, n->place, &n->layout);
	if (!is_unfinished(x) && leaves_parts)
		return (struct value){.kind = VALUE_VIEW, .old = n, .node = x->node};
	if (!is_unfinished(x))
		return keep(w, n);
	return leaves_parts ? move_parts(w, n, x) : finish_at(w, n, x);
}

/* Kept values are finished (finish_slots); what the program takes for parts is a view of one. */
static struct value read_slot(struct rewrite *w, struct node *n)
{
	if (!is_float_part(n->dtype, n->place, &n->layout))
		return keep(w, n);
	/* Its readers still see in the old node that they were given parts. */
	struct node *whole = graph_node(w->g);
	*whole = *n;
	whole->layout = without_parts(n->place, &n->layout);
	struct value v = keep(w, whole);
	v.kind = VALUE_VIEW;
	v.old = n;
	return v;
}

struct value rewrite_exactly(struct rewrite *w, struct node *n)
{
	switch (n->kind) {
	case NODE_SLOT:
		return read_slot(w, n);
	case NODE_MAP:
		return rewrite_map(w, n);
	case NODE_RESHAPE:
		return rewrite_reshape(w, n);
	case NODE_TO:
		return rewrite_to(w, n);
	case NODE_CARRY:
	case NODE_LINE:
	case NODE_END:
	case NODE_STACK:
		return rewrite_turns(w, n);
	case NODE_REMAT:
		if (is_unfinished(value_of(w, n->in[0])))
			return *value_of(w, n->in[0]);
		break;
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
