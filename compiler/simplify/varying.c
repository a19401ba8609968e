/* varying.c — a reduction over something that does not vary: sum[k] of x[i] over 10 values of k is x[i] * 10, a max is
 * x[i]. Such rules come from broadcasts that were looked through and from gradients of means. */
#include "simplify.h"

static bool is_used(const struct rule *r, int f)
{
	bool used = access_uses(&r->out, f) || scalar_uses_factor(r->body, f);
	for (int i = 0; i < r->noperands && !used; i++)
		used = access_uses(&r->operand[i], f);
	return used;
}

/* A point outside contributes the combiner's neutral element; with the last factor gone it would contribute 0 instead.
 */
static bool can_drop(const struct rule *r, int f)
{
	if (r->factor[f].extent < 1 || is_used(r, f) || rule_is_scatter(r))
		return false;
	if (r->combiner == COMBINE_SUM)
		return true;
	return (r->combiner == COMBINE_MAX || r->combiner == COMBINE_MIN) && !rule_is_guarded(r);
}

static void renumber(struct access *a, const int *to)
{
	for (int d = 0; d < a->rank; d++)
		for (int i = 0; i < a->index[d].nterms; i++)
			a->index[d].term[i].factor = to[a->index[d].term[i].factor];
}

static const struct scalar *times(struct arena *a, const struct scalar *body, int64_t n)
{
	const struct scalar *c =
		dtype_is_float(body->type) ? scalar_float(a, body->type, (double)n) : scalar_int(a, body->type, n);
	return scalar_apply(a, SC_MUL, body->type, body, c, NULL);
}

const struct rule *simplify_without_factor(struct arena *a, const struct rule *r, int gone)
{
	int to[MAX_FACTORS] = {0};
	struct rule *fresh = ARENA_NEW(a, struct rule);
	*fresh = *r;
	struct access *operand = rule_own_operands(a, fresh, 0);
	fresh->nfactors = 0;
	for (int f = 0; f < r->nfactors; f++) {
		to[f] = fresh->nfactors;
		if (f != gone)
			fresh->factor[fresh->nfactors++] = r->factor[f];
	}
	renumber(&fresh->out, to);
	for (int i = 0; i < r->noperands; i++)
		renumber(&operand[i], to);
	fresh->body = scalar_substitute(a, r->body, NULL, to);
	bool reduced = false;
	for (int f = 0; f < fresh->nfactors; f++)
		reduced |= rule_reduces(fresh, f);
	if (!reduced)
		fresh->combiner = COMBINE_NONE;
	return fresh;
}

static const struct rule *drop(struct arena *a, const struct rule *r, int gone)
{
	struct rule fresh = *r;
	if (r->combiner == COMBINE_SUM && r->factor[gone].extent > 1)
		fresh.body = times(a, r->body, r->factor[gone].extent);
	return simplify_without_factor(a, &fresh, gone);
}

const struct rule *simplify_unvarying(struct arena *a, const struct rule *r, bool sums)
{
	if (!sums && r->combiner == COMBINE_SUM && dtype_is_float(r->out.type))
		return r;
	for (int f = r->nfactors - 1; f >= 0; f--)
		if (can_drop(r, f))
			r = drop(a, r, f);
	return r;
}
