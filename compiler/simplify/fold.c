/* fold.c — constants. A scalar whose operands are all constants becomes one; a constant that a map reads is written
 * into its body, where the body's own simplification (x * 1, x + 0) finds it.
 *
 *   %1 = const 1    %2 = map(%0, %1) {mul(x[i], c) -> [i] = x * c}    becomes    %2 = map(%0) {mul(x[i]) -> [i] = x}
 *
 * It is written in only if no layout is lost: as an operand a constant may be kept on one rank of an unfinished sum, as
 * part of the body it would be added by every rank. What is lost is read off the derived layouts of the two rules.
 * Where the constant stays an operand, it costs nothing either: kernels take it as an immediate. */
#include "simplify.h"

#include "../graph/known.h"
#include "../op/intern.h"

#include <string.h>

enum { MAX_POINTS = 1 << 16 };

static bool is_const(const struct node *n)
{
	return n->kind == NODE_CONST;
}

static int64_t points(const struct rule *r)
{
	int64_t n = 1;
	for (int f = 0; f < r->nfactors; f++)
		if (__builtin_mul_overflow(n, r->factor[f].extent, &n))
			return INT64_MAX;
	return n;
}

static struct node *compute(struct graph *g, const struct node *n)
{
	static const struct rule_origin whole;
	union scalar_value value[MAX_OPERANDS], *operand[MAX_OPERANDS], result = {0};
	for (int i = 0; i < n->nin; i++) {
		value[i] = n->in[i]->number;
		operand[i] = &value[i];
	}
	rule_interpret(n->rule, operand, &result, &whole);
	struct node_site at = node_site_of(n);
	return graph_number(g, &at, n->dtype, result);
}

/* Whether the compiler computes what the program would, bit for bit. */
static bool same_bits(const struct rule *r)
{
	bool joins = r->combiner == COMBINE_SUM || r->combiner == COMBINE_PROD;
	return scalar_is_correctly_rounded(r->body) && !(joins && dtype_is_float(r->out.type));
}

static bool can_compute(const struct graph *g, const struct node *n)
{
	if (n->shape.rank || n->place || points(n->rule) > MAX_POINTS)
		return false;
	if (g->session->options.reproducible && !same_bits(n->rule))
		return false;
	for (int i = 0; i < n->nin; i++)
		if (!is_const(n->in[i]))
			return false;
	return true;
}

/* The number that every element of n is; false if there is none. */
static bool constant_of(const struct node *n, union scalar_value *number)
{
	if (is_const(n)) {
		*number = n->number;
		return true;
	}
	const struct scalar *body = n->kind == NODE_MAP ? n->rule->body : NULL;
	if (!body || body->kind != SCALAR_CONST || n->rule->combiner != COMBINE_NONE || n->rule->noperands ||
	    rule_is_scatter(n->rule))
		return false;
	if (dtype_is_float(body->type))
		number->f = body->f;
	else
		number->i = body->i;
	return true;
}

static bool is_guarded(const struct access *a)
{
	for (int d = 0; d < a->rank; d++)
		if (a->index[d].guarded)
			return true;
	return false;
}

/* Whether signature s of r, without the operand, is one of those of the smaller rule; kept[i]: new number of operand i.
 */
static bool has_signature(const struct signature *s, const struct rule *r, const int *kept, const struct signature *of,
			  int n)
{
	for (int k = 0; k < n; k++) {
		bool same = atom_equal(s->out, of[k].out);
		for (int i = 0; i < r->noperands && same; i++)
			same = kept[i] < 0 || atom_equal(s->operand[i], of[k].operand[kept[i]]);
		if (same)
			return true;
	}
	return false;
}

/* A signature is of use without the dropped operands if a result in parts comes from an operand in parts or a split
 * factor. */
static bool is_of_use(const struct signature *s, const struct rule *r, const int *kept)
{
	if (s->out.kind != SHARD_P || s->factor >= 0 || s->split_operand >= 0)
		return true;
	for (int i = 0; i < r->noperands; i++)
		if (kept[i] >= 0 && s->operand[i].kind == SHARD_P)
			return true;
	return false;
}

/* before and after are the same rule, but after has a constant where before has operand number `operand`. */
static bool loses_layouts(struct arena *a, const struct rule *before, const struct rule *after)
{
	const struct signature *s, *t;
	int old[MAX_OPERANDS], kept[MAX_OPERANDS];
	const struct rule *pruned = rule_prune(a, after, old);
	for (int i = 0; i < before->noperands; i++)
		kept[i] = -1;
	for (int k = 0; k < pruned->noperands; k++)
		kept[old[k]] = k;
	int ns = rule_signatures(a, before, &s), nt = rule_signatures(a, pruned, &t);
	for (int k = 0; k < ns; k++)
		if (is_of_use(&s[k], before, kept) && !has_signature(&s[k], before, kept, t, nt))
			return true;
	return false;
}

static const struct rule *write_constant(const struct graph *g, const struct rule *r, int i, union scalar_value number,
					 struct arena *scratch)
{
	if (rule_reads_index(r, i) || is_guarded(&r->operand[i]))
		return NULL;
	if (g->session->options.reproducible && !scalar_is_correctly_rounded(r->body))
		return NULL;
	const struct rule *fresh = rule_with_number(r, i, number);
	return loses_layouts(scratch, r, fresh) ? NULL : fresh;
}

/* r with the number for operand i; NULL if it has to stay an operand. */
static const struct rule *with_constant(const struct graph *g, const struct rule *r, int i, union scalar_value number,
					struct arena *scratch)
{
	uint64_t bits;
	memcpy(&bits, &number, sizeof bits);
	struct derived *d = rule_derived(r, DERIVE_CONSTANT, (uint64_t)i, bits);
	return d->is_wanted ? rule_derived_is(d, write_constant(g, r, i, number, scratch)) : d->rule;
}

/* Writes the constant that operand i is into n. */
static bool write_in_operand(struct graph *g, struct node *n, int i, struct arena *scratch)
{
	union scalar_value number;
	const struct rule *r = constant_of(n->in[i], &number) ? with_constant(g, n->rule, i, number, scratch) : NULL;
	return r && simplify_set_rule(g, n, r, n->in);
}

static struct node *fold(struct graph *g, struct node *n, void *scratch, bool *changed)
{
	if (n->kind != NODE_MAP)
		return n;
	if (can_compute(g, n))
		return compute(g, n);
	/* A fill stays one: what reads it reads the constant through it (views.c). */
	for (int i = 0; i < n->nin && simplify_view_of(n) < 0; i++)
		if (write_in_operand(g, n, i, scratch)) {
			*changed = true;
			i = -1;
		}
	return n;
}

bool pass_fold(struct session *s, struct graph *g)
{
	(void)s;
	struct arena *scratch = arena_new("fold");
	bool changed = graph_rewrite(g, fold, scratch);
	arena_free(scratch);
	return changed;
}
