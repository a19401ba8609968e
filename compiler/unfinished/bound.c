/* bound.c — the grid of a sum: a power of two above all its terms, found by maxima, which no order changes.
 *
 * A term that is an operand, or a product of two, is bounded by the largest size of what is read of each operand: a
 * small reduction per operand, made once where it is read as a whole, though it may be more than the terms that occur.
 * Any other term is bounded by the largest size of itself: the same points once more with max for sum. Where the
 * operands are split, the maximum is a P(max) of one element and a `to` brings it to all ranks: a transfer like any
 * other in the plan. */
#include "rewrite.h"

#include <math.h>

static const struct scalar *widened(struct arena *a, const struct scalar *s)
{
	return s->type == DT_F64 ? s : scalar_apply(a, SC_CAST, DT_F64, s, NULL, NULL);
}

/* Of terms of 16 bits that are computed the size before they are rounded, as they are added up. */
static const struct scalar *size_of(struct arena *a, const struct scalar *s)
{
	if (dtype_is_narrow(s->type) && s->kind == SCALAR_APPLY)
		s = scalar_apply(a, SC_CAST, DT_F32, s, NULL, NULL);
	return scalar_apply(a, SC_ABS, s->type, s, NULL, NULL);
}

/* A float as it is stored, or a number. */
static bool is_factor(const struct scalar *s)
{
	return dtype_is_float(s->type) && (s->kind == SCALAR_OPERAND || s->kind == SCALAR_CONST);
}

static bool is_product(const struct scalar *s)
{
	return s->kind == SCALAR_APPLY && s->fn == SC_MUL && is_factor(s->arg[0]) && is_factor(s->arg[1]);
}

const struct scalar *sum_term(struct arena *a, const struct scalar *body)
{
	if (!is_product(body))
		return widened(a, body);
	return scalar_apply(a, SC_MUL, DT_F64, widened(a, body->arg[0]), widened(a, body->arg[1]), NULL);
}

/* A value of one element, the same for all, on all ranks. */
static struct node *on_all_ranks(struct rewrite *w, const struct node_site *at, const struct rule *r,
				 struct node *const *in, const struct place *p)
{
	struct layout l, whole = layout_broadcast();
	r = graph_rule(w->g, r);
	BUG_IF(!layout_of_inputs(r, p, in, &l), "no layout for the maximum of `%s`", r->name);
	return add_to(w, at, add_map(w, at, r, in, p, &l), p, &whole);
}

static const char *value_name(const struct node *x)
{
	return x->name ? x->name : x->kind == NODE_MAP && x->rule->name ? x->rule->name : "value";
}

/* The largest size of a body over all points of n, with what of n's operands it reads. */
static struct node *largest_of(struct rewrite *w, const struct node *n, struct node *const *in,
			       const struct scalar *body, const char *name)
{
	struct node *kept[MAX_OPERANDS];
	struct rule *r = ARENA_NEW(w->arena, struct rule);
	*r = *n->rule;
	r->name = "largest";
	r->hint = HINT_NONE;
	r->out.rank = 0;
	r->body = size_of(w->arena, body);
	r->out.type = r->body->type;
	r->combiner = r->nfactors ? COMBINE_MAX : COMBINE_NONE;
	for (int i = 0; i < r->noperands; i++)
		kept[i] = in[i];
	struct node_site at = node_site_of(n);
	at.name = arena_printf(w->arena, "max|%s|", name);
	return on_all_ranks(w, &at, rule_prune_inputs(w->g, r, kept), kept, n->place);
}

/* Every element of the operand is read: its dimensions are factors, each another one. */
static bool reads_everything(const struct rule *r, const struct access *x)
{
	uint32_t seen = 0;
	for (int d = 0; d < x->rank; d++) {
		int f = index_factor(&x->index[d]);
		if (x->dim[d] == 1 && f < 0 && x->index[d].data < 0 && !x->index[d].guarded)
			continue;
		if (f < 0 || r->factor[f].extent != x->dim[d] || seen >> f & 1)
			return false;
		seen |= 1u << f;
	}
	return true;
}

/* An operand's own rule: it is read where n reads it, whatever else n reads. */
static struct node *largest_read(struct rewrite *w, const struct node *n, struct node *const *in, int k)
{
	int to[MAX_FACTORS] = {0};
	struct rule *r = ARENA_NEW(w->arena, struct rule);
	struct node alone = *n;
	const struct rule *whole = n->rule;
	*r = *whole;
	struct access *operand = rule_own_operands(w->arena, r, 0);
	r->nfactors = 0;
	for (int f = 0; f < whole->nfactors; f++) {
		bool used = access_uses(&whole->operand[k], f);
		for (int d = 0; d < whole->operand[k].rank; d++) {
			int by = whole->operand[k].index[d].data;
			used = used || (by >= 0 && access_uses(&whole->operand[by], f));
		}
		to[f] = r->nfactors;
		if (used)
			r->factor[r->nfactors++] = whole->factor[f];
	}
	for (int i = 0; i < r->noperands; i++) {
		bool supplies = false;
		for (int d = 0; d < whole->operand[k].rank; d++)
			supplies = supplies || whole->operand[k].index[d].data == i;
		for (int d = 0; d < operand[i].rank; d++) {
			struct index *x = &operand[i].index[d];
			for (int t = 0; t < x->nterms; t++)
				x->term[t].factor = to[x->term[t].factor];
		}
		if (i != k && !supplies)
			operand[i].rank = 0;
	}
	alone.rule = r;
	return largest_of(w, &alone, in, scalar_operand(w->arena, whole->operand[k].type, k), value_name(in[k]));
}

/* The largest size of the elements of operand k that n reads, of the operand's type. Only these: whether a slice is
 * read where it lies or copied out first depends on layouts. */
static struct node *largest(struct rewrite *w, const struct node *n, struct node *const *in, int k)
{
	struct node *x = in[k];
	if (!reads_everything(n->rule, &n->rule->operand[k]))
		return largest_read(w, n, in, k);
	struct node *known = map_get(&w->bounds, x);
	if (known)
		return known;
	struct node_site at = node_site_of(n);
	at.name = arena_printf(w->arena, "max|%s|", value_name(x));
	struct rule *r = new_rule_over(w->arena, "largest", x->dtype, &x->shape);
	rule_reads(w, r, x);
	r->body = size_of(w->arena, scalar_operand(w->arena, x->dtype, 0));
	r->combiner = x->shape.rank ? COMBINE_MAX : COMBINE_NONE;
	r->out.rank = 0;
	known = on_all_ranks(w, &at, r, &x, x->place);
	map_set(&w->bounds, x, known);
	return known;
}

/* How many terms may meet in one sum. */
static double most_terms(const struct rule *r)
{
	double n = 1;
	bool scatter = rule_is_scatter(r);
	for (int f = 0; f < r->nfactors; f++)
		if (scatter || rule_reduces(r, f))
			n *= (double)r->factor[f].extent;
	return n;
}

/* Terms of 2^51 units at most; beyond 2^11 of them the unit grows, so that sums stay below 2^62. */
static double growth(const struct rule *r)
{
	int e;
	double n = most_terms(r);
	if (n <= 0x1p11)
		return 1;
	double m = frexp(n, &e);
	return ldexp(1, (m > 0.5 ? e : e - 1) - 11);
}

struct node *grid_of_sum(struct rewrite *w, const struct node *n, struct node *const *in)
{
	struct arena *a = w->arena;
	const struct scalar *body = n->rule->body, *bound = NULL;
	struct rule *r = new_rule_over(a, "sum_grid", DT_F64, &(struct shape){.rank = 0});
	struct node *scalar[MAX_OPERANDS];
	const struct scalar *factor[2] = {body, NULL};
	bool simple = is_factor(body) || is_product(body);
	if (is_product(body)) {
		factor[0] = body->arg[0];
		factor[1] = body->arg[1];
	}
	for (int i = 0; i < 2 && factor[i]; i++) {
		const struct scalar *size;
		if (simple && factor[i]->kind == SCALAR_CONST) {
			size = size_of(a, widened(a, factor[i]));
		} else {
			struct node *m = simple ? largest(w, n, in, factor[i]->index)
						: largest_of(w, n, in, body, value_name(n));
			scalar[r->noperands] = m;
			rule_reads(w, r, m);
			/* The maximum of nothing is below every size. */
			size = scalar_apply(a, SC_MAX, DT_F64,
					    widened(a, scalar_operand(a, m->dtype, r->noperands - 1)),
					    scalar_float(a, DT_F64, 0), NULL);
		}
		bound = bound ? scalar_apply(a, SC_MUL, DT_F64, bound, size, NULL) : size;
	}
	bound = scalar_apply(a, SC_MUL, DT_F64, bound, scalar_float(a, DT_F64, growth(n->rule)), NULL);
	r->body = scalar_apply(a, SC_SUM_GRID, DT_F64, bound, NULL, NULL);
	struct node_site at = node_site_of(n);
	at.name = NULL;
	struct layout whole = layout_broadcast();
	return add_map(w, &at, r, scalar, n->place, &whole);
}
