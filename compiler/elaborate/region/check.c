/* check.c — indices and divisors that only the running program knows. Rules leave out the points whose index is
 * outside, which is how a rank reads its part of a table; so that a wrong index is not left out as well, what is
 * indexed reads it through a CHECK node, except where the program says `i?`. So does what divides by ints, of which a
 * quotient by 0 is 0, and what takes a number of the running program as an element of a narrower type. The check is of
 * all elements of a tensor, and lives as long as anything that reads by it. */
#include "region.h"

#include "../../layout/exchange.h"

/* Of elements, and of the nodes that make them. */
enum { MAX_KNOWN = 4096, MAX_MAKERS = 16 };

static bool has_few_points(const struct rule *r)
{
	int64_t points = 1;
	for (int f = 0; f < r->nfactors; f++)
		points = count_mul(points, r->factor[f].extent);
	return points <= MAX_KNOWN;
}

/* The elements of what is made of numbers alone, as lists are; NULL: of something else, or there are many. */
static union scalar_value *known_elements(struct arena *a, const struct node *x, int *left)
{
	static const struct rule_origin whole;
	union scalar_value *in[MAX_OPERANDS], *out;
	if (--*left < 0 || shape_volume(&x->shape) > MAX_KNOWN ||
	    (x->kind != NODE_MAP && x->kind != NODE_CONST && x->kind != NODE_RESHAPE))
		return NULL;
	for (int i = 0; i < x->nin; i++) {
		in[i] = known_elements(a, x->in[i], left);
		if (!in[i])
			return NULL;
	}
	if (x->kind == NODE_RESHAPE)
		return in[0];
	out = ARENA_ARRAY(a, union scalar_value, shape_volume(&x->shape) + 1);
	if (x->kind == NODE_CONST)
		out[0] = x->number;
	else if (has_few_points(x->rule))
		rule_interpret(x->rule, in, out, &whole);
	else
		return NULL;
	return out;
}

/* Whether the elements are known now, so that nothing is left to check: the first that is not as asked is told, unless
 * that is for the running program. */
static bool checked_now(struct elab *e, const struct node *x, const struct check *c)
{
	struct arena *scratch = arena_new("indices");
	int left = MAX_MAKERS;
	const union scalar_value *v = known_elements(scratch, x, &left);
	int64_t n = shape_volume(&x->shape), i = 0;
	while (v && i < n && asked_holds(c->asked, c->extent, v[i].i))
		i++;
	if (v && i < n && elab_may_never_come(e))
		v = NULL;
	else if (v && i < n && c->asked == ASKED_NOT_ZERO)
		elab_zero_division(e, c->where);
	else if (v && i < n)
		elab_error(e, PML0210, c->where, "index %lld is out of range, %s", (long long)v[i].i, c->range);
	arena_free(scratch);
	return v != NULL;
}

/* To messages about layouts the check is what it checks. */
static struct node *check_node(struct elab *e, struct node *x, const struct check *made)
{
	struct node_site site = elab_site(e, made->where), of = node_site_of(x);
	struct graph *g = region_graph(e);
	struct check c = *made;
	c.where = site.span;
	site.span = of.span;
	site.call = of.call;
	site.in_library = of.in_library;
	site.doc = of.doc;
	site.name = of.name;
	return graph_check(g, &site, c.asked == ASKED_WITHIN ? graph_cast(g, &site, x, DT_I64) : x, &c);
}

/* x, a scalar, where all guards hold, else what passes. */
static struct node *where_it_counts(struct elab *e, struct node *x, int64_t passes, struct span at)
{
	struct node_site site = elab_site(e, at);
	for (const struct guard *g = x->shape.rank ? NULL : e->guard; g; g = g->outer) {
		struct node *c = value_is_tensor(g->condition) ? tensor_node(e, g->condition, g->at)
							       : tensor_of_host(e, g->condition, DT_BOOL, g->at);
		struct node *other = graph_int(region_graph(e), &site, x->dtype, passes);
		x = graph_pointwise(region_graph(e), &site, SC_WHERE, c, g->holds ? x : other, g->holds ? other : x);
	}
	return x;
}

struct node *check_indices(struct elab *e, struct node *x, int64_t extent, bool wraps, const char *range,
			   struct span at)
{
	struct check c = {.asked = ASKED_BELOW, .extent = extent, .range = range, .where = at};
	if (!wraps && checked_now(e, x, &c))
		return x;
	x = where_it_counts(e, x, 0, at);
	if (wraps && dtype_kind(x->dtype) == DTYPE_INT)
		c.asked = ASKED_WITHIN;
	return check_node(e, x, &c);
}

struct node *check_divisor(struct elab *e, struct node *x, struct span at)
{
	const char *of = x->name ? arena_printf(e->a, "`%s`", x->name) : "the divisor";
	if (x->shape.rank)
		of = arena_printf(e->a, "an element of %s", of);
	struct check c = {.asked = ASKED_NOT_ZERO, .range = of, .where = at};
	return checked_now(e, x, &c) ? x : check_node(e, where_it_counts(e, x, 1, at), &c);
}

struct node *check_fits(struct elab *e, struct node *x, enum dtype t, struct span at)
{
	int bits = 8 * (int)dtype_size(t) - 1;
	struct node_site site = elab_site(e, at);
	struct check c = {.asked = dtype_kind(t) == DTYPE_INT ? ASKED_FITS : ASKED_NATURAL,
			  .extent = (int64_t)1 << (bits < 62 ? bits : 62),
			  .range = arena_printf(e->a, "beyond what an element of `%s` can be", dtype_text(t)),
			  .where = at};
	return graph_cast(region_graph(e), &site, check_node(e, x, &c), t);
}

/* r, of which `over` must not hold. That is a flag, 0 then, which is added to r: so whoever reads r waits for it. */
static struct node *check_flag(struct elab *e, struct node *over, struct node *r, const char *what, struct span at)
{
	struct graph *g = region_graph(e);
	struct node_site site = elab_site(e, at);
	struct check c = {.asked = ASKED_HELD, .extent = 1, .range = what, .where = at};
	return graph_pointwise(g, &site, SC_ADD, r, check_node(e, graph_cast(g, &site, over, DT_I64), &c), NULL);
}

struct node *check_overflow(struct elab *e, enum scalar_fn fn, struct node *x, struct node *y, struct node *r,
			    struct span at)
{
	enum scalar_fn flag = fn == SC_ADD ? SC_ADD_OVERFLOWS : fn == SC_SUB ? SC_SUB_OVERFLOWS : SC_MUL_OVERFLOWS;
	const char *what = fn == SC_ADD ? "this sum" : fn == SC_SUB ? "this difference" : "this product";
	struct node_site site = elab_site(e, at);
	return check_flag(e, graph_pointwise(region_graph(e), &site, flag, x, y, NULL), r, what, at);
}

/* Bits that are shifted out, and into the sign, are missing when it is shifted back. By a negative number it is 0. */
struct node *check_shifted(struct elab *e, struct node *x, struct node *y, struct node *r, struct span at)
{
	struct node_site site = elab_site(e, at);
	struct graph *g = region_graph(e);
	struct node *back = graph_pointwise(g, &site, SC_RIGHT_SHIFT, r, y, NULL);
	struct node *over = graph_pointwise(g, &site, SC_NE, back, x, NULL);
	struct node *none = graph_int(g, &site, DT_I64, 0);
	over = graph_pointwise(g, &site, SC_AND, over, graph_pointwise(g, &site, SC_GE, y, none, NULL), NULL);
	return check_flag(e, over, r, "this `left_shift`", at);
}

/* The least int has no opposite: 0 - x is asked where y is -1. */
struct node *check_quotient(struct elab *e, struct node *x, struct node *y, struct node *r, struct span at)
{
	struct node_site site = elab_site(e, at);
	struct graph *g = region_graph(e);
	struct node *none = graph_int(g, &site, DT_I64, 0);
	struct node *is_opposite = graph_pointwise(g, &site, SC_EQ, y, graph_int(g, &site, DT_I64, -1), NULL);
	struct node *asked = graph_pointwise(g, &site, SC_WHERE, is_opposite, x, none);
	struct node *over = graph_pointwise(g, &site, SC_SUB_OVERFLOWS, none, asked, NULL);
	return check_flag(e, over, r, "this `floor_div`", at);
}

void elab_zero_division(struct elab *e, struct span at)
{
	elab_error(e, PML0508, at, "division by zero");
}
