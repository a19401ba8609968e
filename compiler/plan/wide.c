/* wide.c — what is of 16 bits is computed in f32 and rounded once (../op/wide.c): bodies say so step by
 * step, and sums and products are added up in f32 by a node of their own, which another one rounds.
 *
 *     bf16[m] = sum[k] f(a)      becomes      f32[m] = sum[k] f(f32(a));  bf16[m] = bf16(.)
 *
 * Products of matrices stay: their kernels do the same. */
#include "planner.h"

#include "../kernel/contraction.h"
#include "../op/intern.h"

#include <string.h>

static bool adds_up(const struct rule *r)
{
	return r->combiner == COMBINE_SUM || r->combiner == COMBINE_PROD;
}

/* The conversion of a node of f32, element by element. */
static struct rule *rounding(struct arena *a, const struct rule *r)
{
	struct shape s = {.rank = r->out.rank};
	memcpy(s.dim, r->out.dim, sizeof s.dim);
	struct access in = access_of_shape(DT_F32, &s);
	struct rule *to = ARENA_NEW(a, struct rule);
	*to = rule_over_shape(r->name, r->out.type, &s);
	rule_add_operand(a, to, &in);
	to->body = scalar_apply(a, SC_CAST, r->out.type, scalar_operand(a, DT_F32, 0), NULL, NULL);
	return to;
}

/* Makes n round a node in f32, which is returned. */
static struct phys_node *split(struct rules *rules, struct arena *a, struct phys_node *n)
{
	struct phys_node *sum = ARENA_NEW(a, struct phys_node);
	struct rule *r = ARENA_NEW(a, struct rule);
	*sum = *n;
	*r = *n->rule;
	r->body = scalar_widened(a, r->body);
	r->out.type = DT_F32;
	sum->rule = rule_intern(rules, r);
	sum->dtype = DT_F32;
	n->rule = rule_intern(rules, rounding(a, n->rule));
	n->origins = NULL;
	n->nin = 1;
	n->in = ARENA_ARRAY(a, struct phys_node *, 1);
	n->in[0] = sum;
	return sum;
}

static struct phys_node *widen(struct rules *rules, struct arena *a, struct phys_node *n)
{
	struct contraction c;
	if (n->kind != PHYS_MAP)
		return NULL;
	if (adds_up(n->rule) && dtype_is_narrow(n->dtype) && !map_is_pointwise(n))
		return contraction_of_map(a, n, &c) ? NULL : split(rules, a, n);
	const struct scalar *body = scalar_rounded_once(a, n->rule->body);
	if (body == n->rule->body)
		return NULL;
	struct rule *r = ARENA_NEW(a, struct rule);
	*r = *n->rule;
	r->body = body;
	n->rule = rule_intern(rules, r);
	return NULL;
}

void planner_widen(struct program *program, struct arena *a, struct phys_graph *g)
{
	int count = g->nodes.n;
	struct phys_node **old = ARENA_ARRAY(a, struct phys_node *, count);
	memcpy(old, g->nodes.at, sizeof *old * (size_t)count);
	g->nodes.n = 0;
	for (int i = 0; i < count; i++) {
		struct phys_node *sum = widen(program->rules, a, old[i]);
		if (sum)
			vec_push(a, &g->nodes, sum);
		vec_push(a, &g->nodes, old[i]);
	}
	for (int i = 0; i < g->nodes.n; i++)
		g->nodes.at[i]->id = i;
}
