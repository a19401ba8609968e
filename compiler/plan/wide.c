/* wide.c — what is of 16 bits is computed in f32 and rounded once (../op/wide.c): bodies say so step by
 * step, and sums and products are added up in f32 by a node of their own, which another one rounds.
 *
 *     bf16[m] = sum[k] f(a)      becomes      f32[m] = sum[k] f(f32(a));  bf16[m] = bf16(.)
 *
 * Products of matrices stay: their kernels do the same, if they need no loop along k, in which they would round. Such
 * ones are products of f32, of factors that become f32 beforehand, and so are those that see windows, unless the
 * machine has products of pairs: each element is widened once, not once for each window that sees it, and is
 * read where it lies, or filtered (runtime/product_filter.h). */
#include "planner.h"

#include "../kernel/contraction.h"
#include "../op/intern.h"

static bool adds_up(const struct rule *r)
{
	return r->combiner == COMBINE_SUM || r->combiner == COMBINE_PROD;
}

struct widening {
	struct rules *rules;
	bool has_pairs; /* of bf16 are multiplied */
	struct arena *arena;
	struct phys_graph *graph; /* its nodes are those that are done */
};

/* Makes n the conversion of another node, element by element. */
static void convert(const struct widening *w, struct phys_node *n, struct phys_node *from)
{
	struct access in = access_of_shape(from->dtype, &n->shape);
	struct rule to = rule_over_shape(n->rule->name, n->dtype, &n->shape);
	rule_add_operand(w->arena, &to, &in);
	to.body = scalar_apply(w->arena, SC_CAST, n->dtype, scalar_operand(w->arena, from->dtype, 0), NULL, NULL);
	n->rule = rule_intern(w->rules, &to);
	n->origins = NULL;
	n->owned = NULL;
	n->nin = 1;
	n->in = ARENA_ARRAY(w->arena, struct phys_node *, 1);
	n->in[0] = from;
}

/* The node of a sum in f32 that n is to round. */
static struct phys_node *sum_of(const struct widening *w, const struct phys_node *n)
{
	struct phys_node *sum = ARENA_NEW(w->arena, struct phys_node);
	struct rule r = *n->rule;
	*sum = *n;
	r.body = scalar_widened(w->arena, r.body);
	r.out.type = DT_F32;
	sum->rule = rule_intern(w->rules, &r);
	sum->dtype = DT_F32;
	return sum;
}

/* Operand k of a sum becomes a node of f32, where it is of 16 bits. */
static struct phys_node *factor_of(const struct widening *w, const struct phys_node *sum, int k)
{
	struct phys_node *in = sum->in[k], *x = ARENA_NEW(w->arena, struct phys_node);
	*x = *sum;
	x->name = in->name;
	x->shape = in->shape;
	x->onto = NULL;
	x->part = NULL;
	convert(w, x, in);
	return x;
}

/* The sum of factors of f32, if it is a product of matrices then; else NULL. */
static struct phys_node *product_of(const struct widening *w, const struct phys_node *sum)
{
	struct phys_node *p = ARENA_NEW(w->arena, struct phys_node);
	struct rule r = *sum->rule;
	const struct scalar **to = ARENA_ARRAY(w->arena, const struct scalar *, r.noperands + 1);
	struct contraction c;
	*p = *sum;
	p->in = ARENA_ARRAY(w->arena, struct phys_node *, p->nin);
	struct access *operand = rule_own_operands(w->arena, &r, 0);
	for (int k = 0; k < r.noperands; k++) {
		p->in[k] = dtype_is_narrow(operand[k].type) ? factor_of(w, sum, k) : sum->in[k];
		operand[k].type = p->in[k]->dtype;
		to[k] = scalar_operand(w->arena, operand[k].type, k);
	}
	r.body = scalar_widened(w->arena, scalar_substitute(w->arena, r.body, to, NULL));
	p->rule = rule_intern(w->rules, &r);
	return contraction_of_map(w->arena, p, &c) ? p : NULL;
}

/* Puts n and what it needs behind what is done. */
static void add_sum(const struct widening *w, struct phys_node *n)
{
	struct phys_node *sum = sum_of(w, n), *product = product_of(w, sum);
	for (int k = 0; product && k < product->nin; k++)
		if (product->in[k] != sum->in[k])
			vec_push(w->arena, &w->graph->nodes, product->in[k]);
	vec_push(w->arena, &w->graph->nodes, product ? product : sum);
	convert(w, n, product ? product : sum);
}

/* The body of n with every step of 16 bits in f32. */
static void widen_steps(const struct widening *w, struct phys_node *n)
{
	const struct scalar *body = scalar_rounded_once(w->arena, n->rule->body);
	if (body == n->rule->body)
		return;
	struct rule r = *n->rule;
	r.body = body;
	n->rule = rule_intern(w->rules, &r);
}

/* A product that reads a tensor through windows, of which several see an element. */
static bool sees_windows(const struct rule *r, const struct contraction *c)
{
	bool some = false;
	for (int k = 0; k < r->noperands; k++)
		for (int d = 0; d < r->operand[k].rank; d++)
			some = some || r->operand[k].index[d].nterms > 1;
	return some && (c->pack[0] || c->pack[1]);
}

static void widen(const struct widening *w, struct phys_node *n)
{
	struct contraction c;
	if (n->kind != PHYS_MAP)
		return;
	if (!adds_up(n->rule) || !dtype_is_narrow(n->dtype) || map_is_pointwise(n))
		widen_steps(w, n);
	else if (!contraction_of_map(w->arena, n, &c) || (!w->has_pairs && sees_windows(n->rule, &c)))
		add_sum(w, n);
}

void planner_widen(struct program *program, struct arena *a, struct phys_graph *g)
{
	const struct options *o = &program->session->options;
	struct widening w = {program->rules, o->multiplies_bf16 && !o->reproducible, a, g};
	int count = g->nodes.n;
	struct phys_node **old = physical_take_nodes(a, g);
	for (int i = 0; i < count; i++) {
		widen(&w, old[i]);
		vec_push(a, &g->nodes, old[i]);
	}
	physical_number(g);
}
