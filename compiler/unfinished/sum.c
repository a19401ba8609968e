/* sum.c — sums of floats as sums of integers: quanta of grids that are fixed before the first term is added. The
 * integers take the way the floats would have taken, through copies and transfers; what comes out is made a float at
 * the end. */
#include "rewrite.h"

#include "../op/fourier.h"

/* Factors that a product rounds are rounded beforehand, so that what is left is a product of operands: *n becomes that,
 * and reads in[]. */
static void round_factors(struct rewrite *w, struct node *n, struct node **in)
{
	struct rule *product = ARENA_NEW(w->arena, struct rule);
	struct node_site at = node_site_of(n);
	*product = *n->rule;
	at.name = NULL;
	for (int k = 0; k < product->noperands; k++) {
		enum dtype t = scalar_narrowing_of(product->body, k);
		if (t == DT_COUNT)
			continue;
		struct rule *r = new_rule_over(w->arena, "rounded", DT_F32, &in[k]->shape);
		rule_reads(w, r, in[k]);
		r->body = scalar_narrowed(w->arena, scalar_operand(w->arena, DT_F32, 0), t);
		in[k] = add_map(w, &at, r, &in[k], in[k]->place, &in[k]->layout);
		product->body = scalar_without_narrowing(w->arena, product->body, k);
	}
	n->rule = product;
}

/* A transform does not add up terms one by one: its bits are alike wherever all of a line is there, so it is computed
 * from whole lines on every rank. */
static struct value transform_of_map(struct rewrite *w, struct node *n, struct node *x, const struct layout *l)
{
	struct layout given = x->layout, whole = without_parts(n->place, l);
	struct node_site at = node_site_of(n);
	for (int a = 0; a < n->place->naxes; a++)
		if (l->atom[a].kind == SHARD_P)
			given.atom[a] = whole.atom[a];
	x = add_to(w, &at, x, n->place, &given);
	return (struct value){.kind = is_float_part(n->dtype, n->place, l) ? VALUE_VIEW : VALUE_FINISHED,
			      .old = n,
			      .node = add_map(w, &at, n->rule, &x, n->place, &whole)};
}

struct value sum_of_map(struct rewrite *w, struct node *old, struct node *const *read, const struct layout *l)
{
	struct node *with_grid[MAX_OPERANDS], *in[MAX_OPERANDS], product = *old, *n = &product;
	for (int i = 0; i < n->rule->noperands; i++)
		in[i] = read[i];
	struct fourier_rule f;
	if (fourier_of_rule(n->rule, &f))
		return transform_of_map(w, old, in[0], l);
	round_factors(w, n, in);
	struct rule *r = ARENA_NEW(w->arena, struct rule);
	struct node_site at = node_site_of(n);
	*r = *n->rule;
	struct value v = {.kind = VALUE_FINISHED, .old = old, .node = old};
	for (int i = 0; i < r->noperands; i++)
		with_grid[i] = in[i];
	v.grid = bounds_of_sum(w, n, in, l);
	const struct scalar *c = read_grids_of_sum(w, n, &v.grid, l, r, with_grid);
	r->body = scalar_apply(w->arena, SC_QUANTA, DT_I64, sum_term(w->arena, n->rule->body), c, NULL);
	r->out.type = DT_I64;
	v.kind = VALUE_SUMS;
	v.node = add_map(w, &at, r, with_grid, n->place, l);
	if (!is_float_part(n->dtype, n->place, l)) {
		v.node = floats_of_parts(w, &v, n->place, l);
		v.kind = VALUE_FINISHED;
	}
	return v;
}

/* f32 in 32 bits, f64 in 64; what is narrower is exact as f32. */
static enum dtype bits_type(enum dtype t)
{
	return t == DT_F64 ? DT_I64 : DT_I32;
}

struct value bits_of_map(struct rewrite *w, struct node *n, struct node *const *in, const struct layout *l)
{
	struct rule *r = ARENA_NEW(w->arena, struct rule);
	struct node_site at = node_site_of(n);
	*r = *n->rule;
	enum dtype wide = n->dtype == DT_F64 ? DT_F64 : DT_F32;
	const struct scalar *x = r->body;
	if (x->type != wide)
		x = scalar_apply(w->arena, SC_CAST, wide, x, NULL, NULL);
	r->out.type = bits_type(n->dtype);
	r->body = scalar_apply(w->arena, SC_REINTERPRET, r->out.type, x, NULL, NULL);
	struct value v = {.kind = VALUE_BITS, .old = n};
	v.node = add_map(w, &at, r, in, n->place, l);
	return v;
}

static const struct scalar *as_type(struct arena *a, const struct scalar *s, enum dtype t)
{
	return s->type == t ? s : scalar_apply(a, SC_CAST, t, s, NULL, NULL);
}

struct node *floats_of_parts(struct rewrite *w, const struct value *v, const struct place *p, const struct layout *l)
{
	struct arena *a = w->arena;
	struct node_site at = node_site_of(v->old);
	bool sums = v->kind == VALUE_SUMS;
	struct node *in[3] = {add_to(w, &at, v->node, p, l)};
	struct node_site grid_at = at;
	grid_at.name = v->old->name ? arena_printf(a, "bound of %s", v->old->name) : "bound";
	enum dtype wide = v->old->dtype == DT_F64 ? DT_F64 : DT_F32;
	struct rule *r = new_rule_over(a, sums ? "of_quanta" : "of_bits", v->old->dtype, &in[0]->shape);
	rule_reads(w, r, in[0]);
	const struct scalar *x = scalar_operand(a, in[0]->dtype, 0);
	if (sums) {
		struct bounds b = bounds_in(w, &grid_at, &v->grid, &v->node->shape, p, l);
		x = scalar_apply(a, SC_OF_QUANTA, DT_F64, x, read_grid(w, r, in, &b), NULL);
	} else {
		x = scalar_apply(a, SC_REINTERPRET, wide, x, NULL, NULL);
	}
	r->body = as_type(a, x, v->old->dtype);
	return add_map(w, &at, r, in, p, l);
}
