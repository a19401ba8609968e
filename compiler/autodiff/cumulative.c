/* cumulative.c — see cumulative.h. */
#include "cumulative.h"

#include "../op/prefix.h"
#include "../op/scalar.h"

#include <string.h>

/* A cumulative product with as many elements as values, the first of which is the first value, and of no other type. */
static bool is_cumulative_product(struct arena *a, const struct rule *r, struct prefix *p)
{
	if (r->combiner != COMBINE_PROD || !prefix_of_rule(a, r, p) || p->shift)
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

bool cumulative_of_map(struct graph *g, const struct node *n, struct node *const *in, struct cumulative *c)
{
	struct prefix p;
	if (n->kind != NODE_MAP || !is_cumulative_product(g->arena, n->rule, &p))
		return false;
	struct node_site at = node_site_backward(n);
	int d = access_dim_of(&n->rule->out, p.along);
	*c = (struct cumulative){.values = graph_map(g, &at, rule_of_values(g, n->rule, &p), in)};
	struct node *x = c->values;
	for (int64_t by = 1; by < n->shape.dim[d]; by *= 2) {
		c->back[c->n] = elements_back(g, &at, x, d, p.backward ? -by : by);
		x = c->product[c->n] = product_with(g, &at, x, c->back[c->n], d, p.backward ? -by : by);
		c->n++;
	}
	return true;
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

struct node *cumulative_cotangent(struct graph *g, const struct cumulative *c, struct node *cotangent)
{
	for (int i = c->n - 1; i >= 0; i--) {
		struct node *here = by_input(g, c->product[i], 0, rule_gradient, cotangent);
		struct node *back = by_input(g, c->product[i], 1, rule_gradient, cotangent);
		cotangent = adjoint_add(g, c->product[i], here, by_input(g, c->back[i], 0, rule_gradient, back));
	}
	return cotangent;
}

struct node *cumulative_tangent(struct graph *g, const struct cumulative *c, struct node *tangent)
{
	for (int i = 0; i < c->n; i++) {
		struct node *back = by_input(g, c->back[i], 0, rule_tangent, tangent);
		struct node *here = by_input(g, c->product[i], 0, rule_tangent, tangent);
		tangent = adjoint_add(g, c->product[i], here, by_input(g, c->product[i], 1, rule_tangent, back));
	}
	return tangent;
}
