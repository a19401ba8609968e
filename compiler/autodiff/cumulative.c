/* cumulative.c — see cumulative.h. */
#include "cumulative.h"

#include "../op/prefix.h"
#include "../op/scalar.h"

#include <math.h>
#include <string.h>

/* As many elements as values, of no other type; products and extremes end with the value of their own place. Sums of
 * elements as they are have a derivative of that kind anyway. */
static bool is_cumulative(struct arena *a, const struct rule *r, struct prefix *p)
{
	bool is_sum = r->combiner == COMBINE_SUM, is_extreme = r->combiner == COMBINE_MAX || r->combiner == COMBINE_MIN;
	if ((r->combiner != COMBINE_PROD && !is_extreme && !is_sum) || !prefix_of_rule(a, r, p) ||
	    (is_sum ? p->value->kind != SCALAR_APPLY : p->shift != 0))
		return false;
	return r->factor[p->along].extent == r->factor[p->over].extent && r->body->type == r->out.type &&
	       p->value->type == r->out.type;
}

/* The rule of the values: `over` takes the place of `along`. It reads what r reads. */
static const struct rule *rule_of_values(struct graph *g, const struct rule *r, const struct prefix *p)
{
	struct rule q = *r;
	int to[MAX_FACTORS];
	q.nfactors = 0;
	for (int f = 0; f < r->nfactors; f++)
		if (f != p->over) {
			to[f] = q.nfactors;
			q.factor[q.nfactors++] = r->factor[f];
		}
	to[p->over] = to[p->along];
	q.name = arena_printf(g->arena, "values(%s)", r->name);
	q.combiner = COMBINE_NONE;
	q.hint = HINT_NONE;
	q.facts = NULL;
	q.body = scalar_substitute(g->arena, p->value, NULL, to);
	struct access *operand = rule_own_operands(g->arena, &q, 0);
	for (int k = 0; k < r->noperands; k++)
		access_rename_factors(&operand[k], to);
	access_rename_factors(&q.out, to);
	return graph_rule(g, &q);
}

/* What is `by` elements before along dimension d (after, if by is negative); 0 where there is none. */
static struct node *elements_back(struct graph *g, const struct node_site *at, struct node *x, int d, int64_t by)
{
	struct rule q = rule_over_shape("back", x->dtype, &x->shape);
	struct access from = access_of_shape(x->dtype, &x->shape);
	from.index[d].offset = -by;
	from.index[d].guarded = true;
	rule_add_operand(g->arena, &q, &from);
	q.body = scalar_operand(g->arena, x->dtype, 0);
	return graph_map(g, at, graph_rule(g, &q), &x);
}

/* x times what is `by` elements back where there is something. */
static struct node *product_with(struct graph *g, const struct node_site *at, struct node *x, struct node *back, int d,
				 int64_t by)
{
	struct rule q = rule_over_shape("product", x->dtype, &x->shape);
	struct access here = access_of_shape(x->dtype, &x->shape);
	struct arena *a = g->arena;
	const struct scalar *i = scalar_factor(a, d), *one = scalar_operand(a, x->dtype, 0);
	int64_t end = by < 0 ? x->shape.dim[d] + by : by;
	const struct scalar *is_there =
		scalar_apply(a, by < 0 ? SC_LT : SC_GE, DT_BOOL, i, scalar_int(a, i->type, end), NULL);
	rule_add_operand(a, &q, &here);
	rule_add_operand(a, &q, &here);
	q.body = scalar_apply(a, SC_WHERE, x->dtype, is_there,
			      scalar_apply(a, SC_MUL, x->dtype, one, scalar_operand(a, x->dtype, 1), NULL), one);
	return graph_map(g, at, graph_rule(g, &q), (struct node *[]){x, back});
}

/* ---- products ---- */

static void find_products(struct graph *g, struct cumulative *c, const struct node_site *at)
{
	struct node *x = c->values;
	for (int64_t by = 1; by < x->shape.dim[c->dim]; by *= 2) {
		c->back[c->n] = elements_back(g, at, x, c->dim, c->backward ? -by : by);
		x = c->product[c->n] = product_with(g, at, x, c->back[c->n], c->dim, c->backward ? -by : by);
		c->n++;
	}
}

typedef struct rule_gradient derivative_of(struct arena *a, const struct rule *r, int wrt);

/* What input i of a map gets of the map's cotangent, or the map of the tangent of that input. */
static struct node *by_input(struct graph *g, struct node *map, int i, derivative_of *of, struct node *moving)
{
	struct node *values[MAX_GIVEN_OPERANDS + 1];
	memcpy(values, map->in, sizeof *values * (size_t)map->nin);
	values[map->nin] = map;
	struct rule_gradient d = of(g->arena, map->rule, i);
	return adjoint_map(g, map, &d, values, moving);
}

static struct node *cotangent_of_products(struct graph *g, const struct cumulative *c, struct node *cotangent)
{
	for (int i = c->n - 1; i >= 0; i--) {
		struct node *here = by_input(g, c->product[i], 0, rule_gradient, cotangent);
		struct node *back = by_input(g, c->product[i], 1, rule_gradient, cotangent);
		cotangent = adjoint_add(g, c->product[i], here, by_input(g, c->back[i], 0, rule_gradient, back));
	}
	return cotangent;
}

static struct node *tangent_of_products(struct graph *g, const struct cumulative *c, struct node *tangent)
{
	for (int i = 0; i < c->n; i++) {
		struct node *back = by_input(g, c->back[i], 0, rule_tangent, tangent);
		struct node *here = by_input(g, c->product[i], 0, rule_tangent, tangent);
		tangent = adjoint_add(g, c->product[i], here, by_input(g, c->product[i], 1, rule_tangent, back));
	}
	return tangent;
}

/* ---- sums ---- */

/* The same sums of the values. */
static const struct rule *rule_of_sums(struct graph *g, const struct rule *r, const struct prefix *p)
{
	struct arena *a = g->arena;
	struct rule q = *r;
	struct access from = r->out;
	int to[MAX_FACTORS];
	for (int f = 0; f < r->nfactors; f++)
		to[f] = f == p->along ? p->over : f;
	access_rename_factors(&from, to);
	q.name = arena_printf(a, "sums(%s)", r->name);
	q.noperands = 0;
	q.operand = NULL;
	q.hint = HINT_NONE;
	q.facts = NULL;
	rule_add_operand(a, &q, &from);
	const struct scalar *place =
		scalar_apply(a, SC_ADD, DT_I64, scalar_factor(a, p->over), scalar_int(a, DT_I64, p->shift), NULL);
	q.body = scalar_apply(
		a, SC_WHERE, from.type,
		scalar_apply(a, p->backward ? SC_GE : SC_LE, DT_BOOL, place, scalar_factor(a, p->along), NULL),
		scalar_operand(a, from.type, 0), scalar_float(a, from.type, 0));
	return graph_rule(g, &q);
}

/* ---- largest and smallest ---- */

/* Results that are equal stand side by side, so a sum over those of them that come before (after, if by is negative)
 * takes steps of length 1, 4, 16 and so on: with what is one, two and three times `by` elements back (0 where there is
 * nothing), as long as the results there are the same. */
enum { BEFORE = 3 };
static struct node *sum_with(struct graph *g, const struct node_site *at, const struct cumulative *c, struct node *x,
			     int64_t by)
{
	struct arena *a = g->arena;
	struct rule q = rule_over_shape("sum of equals", x->dtype, &x->shape);
	struct access here = access_of_shape(x->dtype, &x->shape),
		      result = access_of_shape(c->result->dtype, &x->shape);
	struct node *in[2 + 2 * BEFORE] = {x, c->result};
	int64_t n = x->shape.dim[c->dim];
	rule_add_operand(a, &q, &here);
	rule_add_operand(a, &q, &result);
	q.body = scalar_operand(a, x->dtype, 0);
	for (int k = 1, i = 2; k <= BEFORE && by * k < n && by * k > -n; k++, i += 2) {
		const struct scalar *is_same = scalar_apply(a, SC_EQ, DT_BOOL, scalar_operand(a, c->result->dtype, 1),
							    scalar_operand(a, c->result->dtype, i + 1), NULL);
		in[i] = elements_back(g, at, x, c->dim, by * k);
		in[i + 1] = elements_back(g, at, c->result, c->dim, by * k);
		rule_add_operand(a, &q, &here);
		rule_add_operand(a, &q, &result);
		const struct scalar *more = scalar_apply(a, SC_WHERE, x->dtype, is_same, scalar_operand(a, x->dtype, i),
							 scalar_float(a, x->dtype, 0));
		q.body = scalar_apply(a, SC_ADD, x->dtype, q.body, more, NULL);
	}
	return graph_map(g, at, graph_rule(g, &q), in);
}

static struct node *sum_of_equals(struct graph *g, const struct node_site *at, const struct cumulative *c,
				  struct node *x, bool backward)
{
	for (int64_t by = 1; by < x->shape.dim[c->dim]; by *= BEFORE + 1)
		x = sum_with(g, at, c, x, backward ? -by : by);
	return x;
}

/* x (NULL: 1) of the values that are results, 0 of the others. */
static struct node *of_results(struct graph *g, const struct node_site *at, const struct cumulative *c, struct node *x)
{
	struct arena *a = g->arena;
	enum dtype t = x ? x->dtype : c->type, of = c->values->dtype;
	struct rule q = rule_over_shape("results", t, &c->values->shape);
	struct access value = access_of_shape(of, &c->values->shape), moving = access_of_shape(t, &c->values->shape);
	rule_add_operand(a, &q, &value);
	rule_add_operand(a, &q, &value);
	if (x)
		rule_add_operand(a, &q, &moving);
	q.body = scalar_apply(a, SC_WHERE, t,
			      scalar_apply(a, SC_EQ, DT_BOOL, scalar_operand(a, of, 0), scalar_operand(a, of, 1), NULL),
			      x ? scalar_operand(a, t, 2) : scalar_float(a, t, 1), scalar_float(a, t, 0));
	return graph_map(g, at, graph_rule(g, &q), (struct node *[]){c->values, c->result, x});
}

/* x, which is NaN wherever the last result is. */
static struct node *unless_nan(struct graph *g, const struct node_site *at, const struct cumulative *c, struct node *x)
{
	struct arena *a = g->arena;
	struct rule q = rule_over_shape("unless nan", x->dtype, &x->shape);
	struct access here = access_of_shape(x->dtype, &x->shape), last = access_of_shape(c->result->dtype, &x->shape);
	struct index at_end = {.offset = c->backward ? 0 : x->shape.dim[c->dim] - 1, .div = 1, .data = -1};
	last.index[c->dim] = at_end;
	rule_add_operand(a, &q, &here);
	rule_add_operand(a, &q, &last);
	const struct scalar *end = scalar_operand(a, c->result->dtype, 1);
	q.body = scalar_apply(a, SC_WHERE, x->dtype, scalar_apply(a, SC_EQ, DT_BOOL, end, end, NULL),
			      scalar_operand(a, x->dtype, 0), scalar_float(a, x->dtype, NAN));
	return graph_map(g, at, graph_rule(g, &q), (struct node *[]){x, c->result});
}

/* Each result is shared by the values so far that are as large. */
static struct node *shared(struct graph *g, const struct node_site *at, const struct cumulative *c, struct node *x)
{
	struct node *sharing = sum_of_equals(g, at, c, of_results(g, at, c, NULL), c->backward);
	return graph_pointwise(g, at, SC_DIV, x, sharing, NULL);
}

static struct node *cotangent_of_extremes(struct graph *g, const struct cumulative *c, struct node *cotangent)
{
	struct node_site at = node_site_backward(c->result);
	struct node *x = shared(g, &at, c, graph_cast(g, &at, cotangent, c->type));
	x = of_results(g, &at, c, sum_of_equals(g, &at, c, x, !c->backward));
	return graph_cast(g, &at, unless_nan(g, &at, c, x), cotangent->dtype);
}

static struct node *tangent_of_extremes(struct graph *g, const struct cumulative *c, struct node *tangent)
{
	struct node_site at = node_site_backward(c->result);
	struct node *x = of_results(g, &at, c, graph_cast(g, &at, tangent, c->type));
	return graph_cast(g, &at, shared(g, &at, c, sum_of_equals(g, &at, c, x, c->backward)), tangent->dtype);
}

/* ---- all ---- */

bool cumulative_of_map(struct graph *g, const struct node *n, struct node *const *values, struct cumulative *c)
{
	struct prefix p;
	if (n->kind != NODE_MAP || !is_cumulative(g->arena, n->rule, &p))
		return false;
	struct node_site at = node_site_backward(n);
	*c = (struct cumulative){
		.values = graph_map(g, &at, rule_of_values(g, n->rule, &p), values),
		.dim = access_dim_of(&n->rule->out, p.along),
		.backward = p.backward,
	};
	if (n->rule->combiner == COMBINE_PROD) {
		find_products(g, c, &at);
		return true;
	}
	if (n->rule->combiner == COMBINE_SUM) {
		c->sums = graph_map(g, &at, rule_of_sums(g, n->rule, &p), &c->values);
		return true;
	}
	c->result = values[n->nin];
	c->type = dtype_is_narrow(n->dtype) ? DT_F32 : n->dtype;
	return true;
}

struct node *cumulative_cotangent(struct graph *g, const struct cumulative *c, struct node *cotangent)
{
	if (c->sums)
		return by_input(g, c->sums, 0, rule_gradient, cotangent);
	return c->result ? cotangent_of_extremes(g, c, cotangent) : cotangent_of_products(g, c, cotangent);
}

struct node *cumulative_tangent(struct graph *g, const struct cumulative *c, struct node *tangent)
{
	if (c->sums)
		return by_input(g, c->sums, 0, rule_tangent, tangent);
	return c->result ? tangent_of_extremes(g, c, tangent) : tangent_of_products(g, c, tangent);
}
