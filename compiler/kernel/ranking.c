/* ranking.c — recognises sum[j] (x[j] before x[i]) by its body: the one way to write it, with the operands in either
 * order; and positions written where that says. */
#include "ranking.h"

#include "lower.h"

#include "../simplify/simplify.h"

static const struct scalar *compare(struct arena *a, enum scalar_fn fn, const struct scalar *x, const struct scalar *y)
{
	return scalar_apply(a, fn, DT_BOOL, x, y, NULL);
}

static const struct scalar *both(struct arena *a, const struct scalar *x, const struct scalar *y)
{
	return compare(a, SC_AND, x, y);
}

static const struct scalar *either(struct arena *a, const struct scalar *x, const struct scalar *y)
{
	return compare(a, SC_OR, x, y);
}

static const struct scalar *is_nan(struct arena *a, const struct scalar *x)
{
	return compare(a, SC_NE, x, x);
}

/* `other` at factor j comes before `self` at factor i. */
static const struct scalar *comes_before(struct arena *a, const struct scalar *self, const struct scalar *other, int i,
					 int j, bool down)
{
	const struct scalar *beyond = compare(a, down ? SC_GT : SC_LT, other, self);
	const struct scalar *last = down ? other : self, *first = down ? self : other;
	const struct scalar *past_numbers = both(a, is_nan(a, last), compare(a, SC_EQ, first, first));
	const struct scalar *equal =
		either(a, compare(a, SC_EQ, other, self), both(a, is_nan(a, self), is_nan(a, other)));
	const struct scalar *earlier = both(a, compare(a, SC_LT, scalar_factor(a, j), scalar_factor(a, i)), equal);
	const struct scalar *all = either(a, either(a, beyond, past_numbers), earlier);
	return simplify_body(a, scalar_apply(a, SC_CAST, DT_I32, all, NULL, NULL));
}

static bool body_matches(const struct rule *r, int self, int i, int j, bool *down)
{
	struct arena *a = arena_new("ranking");
	const struct scalar *x = scalar_operand(a, r->operand[self].type, self);
	const struct scalar *y = scalar_operand(a, r->operand[1 - self].type, 1 - self);
	const struct scalar *body = simplify_body(a, r->body);
	bool found = false;
	for (int k = 0; k < 2 && !found; k++) {
		*down = k == 1;
		found = scalar_equal(body, comes_before(a, x, y, i, j, *down));
	}
	arena_free(a);
	return found;
}

/* The access is the result's, but for dimension `d`, which is factor f. */
static bool reads_lines(const struct rule *r, const struct access *at, int d, int f)
{
	if (at->rank != r->out.rank)
		return false;
	for (int k = 0; k < at->rank; k++) {
		int want = k == d ? f : index_factor(&r->out.index[k]);
		if (want < 0 || at->dim[k] != r->out.dim[k] || index_factor(&at->index[k]) != want ||
		    at->index[k].guarded)
			return false;
	}
	return true;
}

bool ranking_of_map(struct phys_node *n, struct ranking *out)
{
	const struct rule *r = n->rule;
	int i = -1, j = -1, d = -1;
	if (r->combiner != COMBINE_SUM || r->noperands != 2 || r->out.type != DT_I32 || n->in[0] != n->in[1] ||
	    r->nfactors != r->out.rank + 1)
		return false;
	for (int f = 0; f < r->nfactors; f++)
		if (rule_reduces(r, f))
			j = f;
	for (int self = 0; self < 2 && j >= 0; self++) {
		d = access_dim_of(&r->operand[1 - self], j);
		i = d < 0 || d >= r->out.rank ? -1 : index_factor(&r->out.index[d]);
		if (i < 0 || r->factor[i].extent != r->factor[j].extent || !reads_lines(r, &r->operand[self], d, i) ||
		    !reads_lines(r, &r->operand[1 - self], d, j) || !body_matches(r, self, i, j, &out->down))
			continue;
		out->x = n->in[0];
		out->type = r->operand[0].type;
		out->n = r->out.dim[d];
		out->first = out->from = 0;
		out->outer = out->inner = 1;
		for (int k = 0; k < r->out.rank; k++)
			*(k < d ? &out->outer : &out->inner) *= k == d ? 1 : r->out.dim[k];
		return true;
	}
	return false;
}

/* i32(factor f) and nothing else. */
static bool is_position(const struct scalar *s, int *f)
{
	if (s->kind != SCALAR_APPLY || s->fn != SC_CAST || s->type != DT_I32 || s->arg[0]->kind != SCALAR_FACTOR)
		return false;
	*f = s->arg[0]->index;
	return true;
}

/* The result is the operand's, but for dimension d, where the operand says the place of factor f. */
static bool writes_lines(const struct rule *r, int d, int f)
{
	const struct access *at = &r->operand[0];
	for (int k = 0; k < at->rank; k++) {
		int of = index_factor(&at->index[k]);
		if (of < 0 || at->index[k].guarded || at->dim[k] != r->factor[of].extent)
			return false;
		if (k == d ? of != f || r->out.index[k].data != 0
			   : r->out.dim[k] != at->dim[k] || index_factor(&r->out.index[k]) != of ||
				     r->out.index[k].guarded)
			return false;
	}
	return true;
}

/* The int that is an operand or stands in the body. */
static bool is_number(const struct phys_node *n, const struct scalar *s, int64_t *number)
{
	const struct phys_node *x = s->kind == SCALAR_OPERAND ? n->in[s->index] : NULL;
	if (x && x->kind != PHYS_CONST)
		return false;
	*number = x ? x->number.i : s->i;
	return x || s->kind == SCALAR_CONST;
}

struct phys_node *ranks_from(struct phys_node *n, int64_t *from)
{
	const struct rule *r = n->rule;
	if (n->kind != PHYS_MAP || n->dtype != DT_I32 || !map_is_pointwise(n) || r->body->kind != SCALAR_APPLY ||
	    (r->body->fn != SC_SUB && r->body->fn != SC_ADD))
		return NULL;
	const struct scalar *ranks = r->body->arg[0];
	if (ranks->kind != SCALAR_OPERAND || n->in[ranks->index]->kind != PHYS_MAP ||
	    !is_number(n, r->body->arg[1], from) || !reads_lines(r, &r->operand[ranks->index], -1, -1))
		return NULL;
	*from = r->body->fn == SC_ADD ? -*from : *from;
	return n->in[ranks->index];
}

bool order_of_map(struct phys_node *n, struct ranking *out)
{
	const struct rule *r = n->rule;
	int f = -1;
	int64_t from = 0;
	if (n->kind != PHYS_MAP || r->combiner != COMBINE_SUM || r->noperands != 1 || !is_position(r->body, &f) ||
	    r->operand[0].rank != r->out.rank || r->nfactors != r->out.rank || n->in[0]->kind != PHYS_MAP)
		return false;
	int d = access_dim_of(&r->operand[0], f);
	bool part = n->origins && d >= 0 && (n->origins->out[d].type >= 0 || n->origins->factor[f].type >= 0);
	struct phys_node *ranks = ranks_from(n->in[0], &from);
	if (d < 0 || part || !writes_lines(r, d, f) || !ranking_of_map(ranks ? ranks : n->in[0], out))
		return false;
	int64_t inner = 1;
	for (int k = d + 1; k < r->out.rank; k++)
		inner *= r->out.dim[k];
	out->first = r->out.dim[d];
	out->from = from;
	return out->first > 0 && from >= 0 && from <= out->n - out->first && out->n == r->operand[0].dim[d] &&
	       out->inner == inner;
}

int64_t ranking_flops(const struct ranking *r)
{
	int64_t levels = 1, elements = r->outer * r->inner * r->n;
	for (int64_t n = r->first && r->first < r->n ? r->first : r->n; n > 1; n /= 2)
		levels++;
	int64_t flops;
	return __builtin_mul_overflow(elements, 2 * levels, &flops) ? INT64_MAX / 4 : flops;
}
