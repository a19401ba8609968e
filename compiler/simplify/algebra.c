/* algebra.c — identities: within a body (body.c), of reductions (varying.c), and between a node and what it reads: a
 * map that copies, a cast of a cast, a negation of a negation, a reshape of a reshape, stop_gradient once gradients are
 * made. */
#include "simplify.h"

#include "../op/intern.h"

static bool accesses_same(const struct access *a, const struct access *b)
{
	if (a->rank != b->rank || a->type != b->type)
		return false;
	for (int d = 0; d < a->rank; d++)
		if (a->dim[d] != b->dim[d] || !index_equal(&a->index[d], &b->index[d]))
			return false;
	return true;
}

static struct node *copied(const struct node *n)
{
	int operand = simplify_view_of(n);
	return operand >= 0 && accesses_same(&n->rule->operand[operand], &n->rule->out) ? n->in[operand] : NULL;
}

/* n is fn(x) for every element x of its one input: a plain cast or negation. */
static bool is_unary(const struct node *n, enum scalar_fn fn)
{
	return n->kind == NODE_MAP && n->nin == 1 && n->rule->body->kind == SCALAR_APPLY && n->rule->body->fn == fn &&
	       n->rule->body->arg[0]->kind == SCALAR_OPERAND && rule_is_elementwise(n->rule) &&
	       n->rule->operand[0].rank == n->rule->out.rank;
}

static struct node *through_twin(struct graph *g, struct node *n)
{
	if (is_unary(n, SC_NEG) && is_unary(n->in[0], SC_NEG))
		return n->in[0]->in[0];
	if (!is_unary(n, SC_CAST) || !is_unary(n->in[0], SC_CAST))
		return n;
	struct node *x = n->in[0]->in[0];
	struct node_site at = node_site_of(n);
	return cast_is_exact(x->dtype, n->in[0]->dtype) ? graph_cast(g, &at, x, n->dtype) : n;
}

static const struct rule *with_body(struct arena *a, const struct rule *r, const struct scalar *body)
{
	if (body == r->body)
		return r;
	struct rule *fresh = ARENA_NEW(a, struct rule);
	*fresh = *r;
	fresh->body = body;
	return fresh;
}

static const struct rule *simpler(const struct graph *g, const struct rule *r)
{
	bool sums = !g->session->options.reproducible;
	struct derived *d = rule_derived(r, DERIVE_IDENTITIES, sums, 0);
	if (!d->is_wanted)
		return d->rule;
	r = simplify_unvarying(g->arena, r, sums);
	r = with_body(g->arena, r, simplify_body(g->arena, r->body));
	return rule_derived_is(d, graph_rule(g, r));
}

static struct node *map_identity(struct graph *g, struct node *n, bool *changed)
{
	const struct rule *r = simpler(g, n->rule);
	/* Even an unchanged rule is offered: inputs that became one node are one operand then. */
	if (simplify_set_rule(g, n, r, n->in))
		*changed = true;
	struct node *x = copied(n);
	return x ? x : through_twin(g, n);
}

static struct node *reshape_identity(struct graph *g, struct node *n)
{
	struct node *x = n->in[0]->kind == NODE_RESHAPE ? n->in[0]->in[0] : n->in[0];
	struct node_site at = node_site_of(n);
	if (shape_equal(&x->shape, &n->shape))
		return x;
	return x == n->in[0] ? n : graph_reshape(g, &at, x, &n->shape);
}

/* Whatever takes n's place has n's placement: it is an input of n, which has no other, or made from it. */
static struct node *identity(struct graph *g, struct node *n, void *context, bool *changed)
{
	(void)context;
	if (n->kind == NODE_MAP)
		return map_identity(g, n, changed);
	if (n->kind == NODE_RESHAPE)
		return reshape_identity(g, n);
	return n->kind == NODE_STOP ? n->in[0] : n;
}

bool pass_algebra(struct session *s, struct graph *g)
{
	(void)s;
	return graph_rewrite(g, identity, NULL);
}
