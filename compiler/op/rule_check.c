/* rule_check.c — the structure every rule obeys. Elaboration and tests call it; what it accepts, no other part may
 * crash on. */
#include "intern.h"

#include <inttypes.h>

static const char *check_index(struct arena *a, const struct rule *r, const struct access *at, int d)
{
	const struct index *x = &at->index[d];
	if (x->nterms < 0 || x->nterms > MAX_TERMS || x->div < 1)
		return arena_printf(a, "the index of dimension %d is malformed", d);
	if (x->data >= 0) {
		if (x->data >= r->noperands || x->nterms || x->offset || x->div != 1 || !x->guarded)
			return arena_printf(a, "the data index of dimension %d is malformed", d);
		enum dtype_kind kind = dtype_kind(r->operand[x->data].type);
		if (kind != DTYPE_INT && kind != DTYPE_UINT)
			return arena_printf(a, "dimension %d is indexed by %s", d,
					    dtype_text(r->operand[x->data].type));
		return NULL;
	}
	for (int k = 0; k < x->nterms; k++) {
		if (x->term[k].factor < 0 || x->term[k].factor >= r->nfactors || x->term[k].coef == 0)
			return arena_printf(a, "the index of dimension %d names no factor", d);
		for (int j = 0; j < k; j++)
			if (x->term[j].factor == x->term[k].factor)
				return arena_printf(a, "the index of dimension %d names a factor twice", d);
	}
	int64_t low, high;
	if (!index_range(r, x, &low, &high))
		return arena_printf(a, "the index of dimension %d does not fit in 64 bits", d);
	if (!x->guarded && index_needs_guard(r, x, at->dim[d]))
		return arena_printf(a, "the index of dimension %d can leave the extent %" PRId64, d, at->dim[d]);
	return NULL;
}

static const char *check_access(struct arena *a, const struct rule *r, const struct access *at)
{
	if (at->rank < 0 || at->rank > MAX_RANK)
		return arena_printf(a, "%d dimensions, at most %d are possible", at->rank, MAX_RANK);
	if (at->type >= DT_COUNT)
		return "no type";
	struct shape shape = {.rank = at->rank};
	for (int d = 0; d < at->rank; d++) {
		shape.dim[d] = at->dim[d];
		const char *wrong = at->dim[d] < 0 ? "a negative extent" : check_index(a, r, at, d);
		if (wrong)
			return wrong;
	}
	return shape_volume(&shape) < 0 ? "too many elements" : NULL;
}

/* An operand that supplies an index is read before those that use it, so it must not need one itself. */
static const char *check_data(const struct rule *r)
{
	for (int k = 0; k < r->noperands; k++)
		for (int d = 0; d < r->operand[k].rank; d++)
			if (r->operand[k].index[d].data >= 0 && rule_reads_index(r, k))
				return "an index is itself read through an index";
	return NULL;
}

/* Without a combiner two points must never meet: every factor stands alone in some out index. */
static const char *check_unique(struct arena *a, const struct rule *r)
{
	for (int d = 0; d < r->out.rank; d++)
		if (r->out.index[d].data >= 0)
			return "a scatter needs a combiner";
	for (int f = 0; f < r->nfactors; f++) {
		bool alone = r->factor[f].extent <= 1 && !rule_reduces(r, f);
		for (int d = 0; d < r->out.rank; d++)
			alone = alone || (r->out.index[d].nterms == 1 && r->out.index[d].term[0].factor == f);
		if (!alone)
			return arena_printf(a, "factor %s is reduced, but there is no combiner", r->factor[f].name);
	}
	return NULL;
}

static const char *check_combiner(struct arena *a, const struct rule *r)
{
	enum dtype body = r->body->type;
	bool index = r->combiner == COMBINE_ARGMAX || r->combiner == COMBINE_ARGMIN;
	if (r->combiner >= COMBINE_COUNT)
		return "an unknown combiner";
	if (r->out.type != (index ? DT_I32 : body))
		return arena_printf(a, "the result is %s, the body %s", dtype_text(r->out.type), dtype_text(body));
	if ((r->combiner == COMBINE_SUM || r->combiner == COMBINE_PROD) && body == DT_BOOL)
		return arena_printf(a, "a %s of bools", combiner_text(r->combiner));
	if (r->combiner == COMBINE_NONE)
		return check_unique(a, r);
	int reduced = 0;
	for (int f = 0; f < r->nfactors; f++)
		reduced += rule_reduces(r, f);
	if (index && (reduced != 1 || rule_is_scatter(r)))
		return arena_printf(a, "%s is over exactly one factor", combiner_text(r->combiner));
	return NULL;
}

static const char *check(struct arena *a, const struct rule *r)
{
	if (r->nfactors < 0 || r->nfactors > MAX_FACTORS)
		return arena_printf(a, "%d factors, at most %d are possible", r->nfactors, MAX_FACTORS);
	if (r->noperands < 0 || r->noperands > MAX_OPERANDS)
		return arena_printf(a, "%d operands, at most %d are possible", r->noperands, MAX_OPERANDS);
	for (int f = 0; f < r->nfactors; f++)
		if (r->factor[f].extent < 0 || !r->factor[f].name)
			return arena_printf(a, "factor %d has no name or a negative extent", f);
	for (int k = 0; k < r->noperands; k++) {
		const char *wrong = check_access(a, r, &r->operand[k]);
		if (wrong)
			return arena_printf(a, "operand %d: %s", k, wrong);
	}
	const char *wrong = check_access(a, r, &r->out);
	if (wrong)
		return arena_printf(a, "the result: %s", wrong);
	wrong = check_data(r);
	wrong = wrong ? wrong : !r->body ? "no body" : scalar_check(a, r->body, r->noperands, r->nfactors);
	if (wrong)
		return wrong;
	const struct scalar *body = r->body; /* operands are read with their types */
	for (int k = 0; k < r->noperands && !wrong; k++)
		wrong = scalar_check_operand(a, body, k, r->operand[k].type);
	return wrong ? wrong : check_combiner(a, r);
}

const char *rule_check(struct arena *a, const struct rule *r)
{
	struct rule_facts *facts = rule_facts(r);
	if (facts && facts->is_right)
		return NULL;
	const char *wrong = check(a, r);
	if (facts)
		facts->is_right = !wrong;
	return wrong;
}
