/* rolled.c — a roll is two shifts joined, each of which drops what the other has:
 *
 *     roll(x, 1)[i] = if i >= 1 then x[i - 1] else x[i + n - 1]
 *
 * Elements are copied as they are, so rolling back gives the same bits. */
#include "rolled.h"

/* x[…, i - by, …]. */
static struct rule shift_rule(struct graph *g, struct access *operand, const struct node *x, int dim, int64_t by)
{
	struct rule r = rule_over_shape("shift", x->dtype, &x->shape);
	*operand = access_of_shape(x->dtype, &x->shape);
	operand->index[dim].offset = -by;
	operand->index[dim].guarded = true;
	r.operand = operand;
	r.noperands = 1;
	r.body = scalar_operand(g->arena, x->dtype, 0);
	return r;
}

static struct node *shifted(struct graph *g, const struct node_site *at, struct node *x, int dim, int64_t by)
{
	struct access operand;
	struct rule r = shift_rule(g, &operand, x, dim, by);
	return graph_map(g, at, &r, &x);
}

/* Its first operand from `by` on, before that its second. */
static struct rule join_rule(struct graph *g, struct access operand[2], const struct node *x, int dim, int64_t by)
{
	struct rule r = rule_over_shape("roll", x->dtype, &x->shape);
	operand[0] = operand[1] = access_of_shape(x->dtype, &x->shape);
	r.operand = operand;
	r.noperands = 2;
	const struct scalar *behind = scalar_apply(g->arena, SC_GE, DT_BOOL, scalar_factor(g->arena, dim),
						   scalar_int(g->arena, DT_I64, by), NULL);
	r.body = scalar_apply(g->arena, SC_WHERE, x->dtype, behind, scalar_operand(g->arena, x->dtype, 0),
			      scalar_operand(g->arena, x->dtype, 1));
	return r;
}

struct node *rolled_by(struct graph *g, const struct node_site *at, struct node *x, int dim, int64_t by)
{
	int64_t n = x->shape.dim[dim];
	by = n ? (by % n + n) % n : 0;
	if (!by)
		return x;
	struct access operand[2];
	struct node *in[2] = {shifted(g, at, x, dim, by), shifted(g, at, x, dim, by - n)};
	struct rule r = join_rule(g, operand, x, dim, by);
	return graph_map(g, at, &r, in);
}

/* What it is on the same ranks, whatever it says of layouts. */
static struct node *moved(struct node *x)
{
	while ((x->kind == NODE_TO || x->kind == NODE_CONTRACT) && x->place == x->in[0]->place)
		x = x->in[0];
	return x;
}

static bool shifts(struct graph *g, const struct node *n, const struct node *x, int dim, int64_t by)
{
	struct access operand;
	struct rule r = shift_rule(g, &operand, x, dim, by);
	return n->kind == NODE_MAP && n->nin == 1 && moved(n->in[0]) == x && rule_equal(n->rule, &r);
}

bool rolled_from(struct graph *g, struct node *x, struct rolled *r)
{
	struct node *n = moved(x);
	const struct scalar *body = n->kind == NODE_MAP && n->nin == 2 ? n->rule->body : NULL;
	if (!body || body->kind != SCALAR_APPLY || body->fn != SC_WHERE || body->arg[0]->kind != SCALAR_APPLY ||
	    body->arg[0]->arg[0]->kind != SCALAR_FACTOR || body->arg[0]->arg[1]->kind != SCALAR_CONST)
		return false;
	int dim = body->arg[0]->arg[0]->index;
	int64_t by = body->arg[0]->arg[1]->i;
	struct node *carry = n->in[0]->nin == 1 ? moved(n->in[0]->in[0]) : NULL;
	if (!carry || carry->kind != NODE_CARRY || carry->of != x->loop || carry->place != x->place ||
	    !shape_equal(&carry->shape, &n->shape) || dim >= n->shape.rank || by <= 0 || by >= n->shape.dim[dim])
		return false;
	struct access operand[2];
	struct rule join = join_rule(g, operand, carry, dim, by);
	*r = (struct rolled){carry, x, dim, by};
	return rule_equal(n->rule, &join) && shifts(g, n->in[0], carry, dim, by) &&
	       shifts(g, n->in[1], carry, dim, by - n->shape.dim[dim]);
}
