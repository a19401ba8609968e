/* product.c — products in the order of a fixed tree.
 *
 * A product has no grid: its terms are made one tensor, of which halves are multiplied until one is left. The tree
 * depends on extents alone; it needs the reduced dimensions whole on a rank, so a product over a split dimension is an
 * error. */
#include "rewrite.h"

/* Kept factors in the result's order, then the reduced ones. False if the result is not just its factors, or too wide.
 */
static bool spread_shape(const struct rule *r, int *factor, struct shape *s)
{
	int n = 0;
	for (int d = 0; d < r->out.rank; d++) {
		int f = index_factor(&r->out.index[d]);
		if (f < 0 || r->out.dim[d] != r->factor[f].extent)
			return false;
		factor[n++] = f;
	}
	for (int f = 0; f < r->nfactors; f++)
		if (rule_reduces(r, f)) {
			if (n == MAX_RANK)
				return false;
			factor[n++] = f;
		}
	if (n != r->nfactors)
		return false;
	s->rank = n;
	for (int d = 0; d < n; d++)
		s->dim[d] = r->factor[factor[d]].extent;
	return true;
}

/* One product being made. */
struct product {
	struct rewrite *w;
	const struct node *n;
	const struct layout *layout;
	enum dtype type; /* in which it is multiplied: f32 where the product is of 16 bits */
};

static struct node *spread(const struct product *p, struct node *const *in, const struct scalar *body,
			   const int *factor, const struct shape *s)
{
	struct rule *r = ARENA_NEW(p->w->arena, struct rule);
	struct node_site at = node_site_of(p->n);
	*r = *p->n->rule;
	r->name = "terms";
	r->combiner = COMBINE_NONE;
	r->body = scalar_widened(p->w->arena, body);
	r->out.type = p->type;
	r->out.rank = s->rank;
	for (int d = 0; d < s->rank; d++) {
		r->out.dim[d] = s->dim[d];
		r->out.index[d] = index_of_factor(factor[d]);
	}
	return add_map(p->w, &at, r, in, p->n->place, p->layout);
}

/* Points that are dropped count as 1. */
static struct node *ones_where_dropped(const struct product *p, struct node *terms, struct node *counts)
{
	struct arena *a = p->w->arena;
	struct node_site at = node_site_of(p->n);
	struct rule *r = new_rule_over(a, "terms", p->type, &terms->shape);
	struct node *in[] = {terms, counts};
	rule_reads(p->w, r, terms);
	rule_reads(p->w, r, counts);
	const struct scalar *x = scalar_operand(a, p->type, 0), *one = scalar_float(a, p->type, 1);
	const struct scalar *is_there = scalar_apply(a, SC_EQ, DT_BOOL, scalar_operand(a, p->type, 1), one, NULL);
	r->body = scalar_apply(a, SC_WHERE, p->type, is_there, x, one);
	return add_map(p->w, &at, r, in, p->n->place, p->layout);
}

/* t[.., i] * t[.., i + half] for i below half, or, with one operand, t[.., at]: without the last dimension if last. */
static struct node *pick(const struct product *p, struct node *t, int64_t half, int64_t at, bool last)
{
	struct arena *a = p->w->arena;
	struct node_site site = node_site_of(p->n);
	struct shape s = t->shape;
	int d = s.rank - 1;
	s.dim[d] = half;
	s.rank -= last;
	struct rule *r = new_rule_over(a, last ? "last" : "halves", p->type, &s);
	struct node *in[] = {t, t};
	const struct scalar *x = scalar_operand(a, p->type, 0);
	struct access operand[2] = {access_of_shape(t->dtype, &t->shape), access_of_shape(t->dtype, &t->shape)};
	r->operand = operand;
	r->noperands = 1 + !last;
	if (last) {
		operand[0].index[d] = (struct index){.offset = at, .div = 1, .data = -1};
		r->body = x;
		return add_map(p->w, &site, r, in, p->n->place, p->layout);
	}
	operand[1].index[d].offset = half;
	r->body = scalar_apply(a, SC_MUL, p->type, x, scalar_operand(a, p->type, 1), NULL);
	return add_map(p->w, &site, r, in, p->n->place, p->layout);
}

static struct node *times(const struct product *p, struct node *x, struct node *y)
{
	struct node_site at = node_site_of(p->n);
	struct rule *r = new_rule_over(p->w->arena, "mul", p->type, &x->shape);
	struct node *in[] = {x, y};
	rule_reads(p->w, r, x);
	rule_reads(p->w, r, y);
	r->body = scalar_apply(p->w->arena, SC_MUL, p->type, scalar_operand(p->w->arena, p->type, 0),
			       scalar_operand(p->w->arena, p->type, 1), NULL);
	return add_map(p->w, &at, r, in, p->n->place, p->layout);
}

/* The product along the last dimension, which is not empty. */
static struct node *along_last(const struct product *p, struct node *t)
{
	struct node *left[64];
	int nleft = 0;
	for (int64_t extent = t->shape.dim[t->shape.rank - 1]; extent > 1; extent /= 2) {
		if (extent % 2)
			left[nleft++] = pick(p, t, extent, extent - 1, true);
		t = pick(p, t, extent / 2, 0, false);
	}
	t = pick(p, t, 1, 0, true);
	while (nleft > 0)
		t = times(p, t, left[--nleft]);
	return t;
}

static struct node *rounded(const struct product *p, struct node *x)
{
	struct node_site at = node_site_of(p->n);
	struct rule *r = new_rule_over(p->w->arena, "rounded", p->n->dtype, &x->shape);
	rule_reads(p->w, r, x);
	r->body = scalar_apply(p->w->arena, SC_CAST, p->n->dtype, scalar_operand(p->w->arena, p->type, 0), NULL, NULL);
	return add_map(p->w, &at, r, &x, p->n->place, p->layout);
}

/* Where the result is not just its factors (a scatter), every rank multiplies in the order of the points. */
struct node *product_of_map(struct rewrite *w, const struct node *n, struct node *const *in, const struct layout *l)
{
	bool narrow = dtype_is_narrow(n->dtype);
	struct product p = {.w = w, .n = n, .layout = l, .type = narrow ? DT_F32 : n->dtype};
	struct node_site at = node_site_of(n);
	struct shape s;
	int factor[MAX_FACTORS];
	bool spreads = spread_shape(n->rule, factor, &s);
	for (int d = 0; spreads && d < s.rank; d++)
		spreads = s.dim[d] > 0;
	if (!spreads)
		return add_map(w, &at, n->rule, in, n->place, l);
	struct node *t = spread(&p, in, n->rule->body, factor, &s);
	if (rule_is_guarded(n->rule))
		t = ones_where_dropped(&p, t, spread(&p, in, scalar_float(w->arena, p.type, 1), factor, &s));
	while (t->shape.rank > n->shape.rank)
		t = along_last(&p, t);
	return narrow ? rounded(&p, t) : t;
}
