/* narrow.c — products whose factors are rounded to 16 bits and whose sums are of f32: what `mixed bf16` makes of a sum
 * of products of two f32 operands.
 *
 *     sum[k] a * b      becomes      sum[k] narrow_bf16(a) * narrow_bf16(b)
 *
 * The types stay f32, so layouts, gradients and transfers are those of the rule as it was written; a body that rounds
 * is linear in nothing, so an unfinished sum is finished before it is a factor. Derivatives are products of the same
 * kind: the derivative of the rounding is that of the identity, and what flows in is rounded as the factor beside it
 * is. So all products of a training step have the same form, and kernels that multiply 16 bits serve all of them. */
#include "rule.h"

#include "../../runtime/moves/count.h"

enum dtype scalar_narrows(const struct scalar *s)
{
	if (s->kind != SCALAR_APPLY)
		return DT_COUNT;
	return s->fn == SC_NARROW_BF16 ? DT_BF16 : s->fn == SC_NARROW_F16 ? DT_F16 : DT_COUNT;
}

const struct scalar *scalar_narrowed(struct arena *a, const struct scalar *s, enum dtype t)
{
	return scalar_apply(a, t == DT_BF16 ? SC_NARROW_BF16 : SC_NARROW_F16, DT_F32, s, NULL, NULL);
}

/* What the factors of a product are rounded to; DT_COUNT: none is. */
static enum dtype type_of_factors(const struct scalar *s)
{
	enum dtype t = scalar_narrows(s);
	if (t != DT_COUNT || s->kind != SCALAR_APPLY || (s->fn != SC_MUL && s->fn != SC_NEG))
		return t;
	t = type_of_factors(s->arg[0]);
	return t == DT_COUNT && s->fn == SC_MUL ? type_of_factors(s->arg[1]) : t;
}

const struct scalar *scalar_narrow_beside(struct arena *a, const struct scalar *flow, const struct scalar *partial)
{
	enum dtype t = type_of_factors(partial);
	return t == DT_COUNT || flow->type != DT_F32 ? flow : scalar_narrowed(a, flow, t);
}

const struct scalar *scalar_without_narrowing(struct arena *a, const struct scalar *s, int operand)
{
	if (s->kind != SCALAR_APPLY)
		return s;
	if (scalar_narrows(s) != DT_COUNT && s->arg[0]->kind == SCALAR_OPERAND && s->arg[0]->index == operand)
		return s->arg[0];
	const struct scalar *x[3] = {NULL, NULL, NULL};
	for (int k = 0; k < 3 && s->arg[k]; k++)
		x[k] = scalar_without_narrowing(a, s->arg[k], operand);
	return scalar_apply(a, s->fn, s->type, x[0], x[1], x[2]);
}

enum dtype scalar_narrowing_of(const struct scalar *s, int operand)
{
	if (s->kind != SCALAR_APPLY)
		return DT_COUNT;
	if (s->arg[0]->kind == SCALAR_OPERAND && s->arg[0]->index == operand)
		return scalar_narrows(s);
	enum dtype t = DT_COUNT;
	for (int k = 0; k < 3 && s->arg[k] && t == DT_COUNT; k++)
		t = scalar_narrowing_of(s->arg[k], operand);
	return t;
}

/* The operands that a product of operands and numbers reads, those of one element aside; false if it is something else
 * or reads one twice. */
static bool find_factors(const struct rule *r, const struct scalar *s, bool *factor)
{
	if (s->kind == SCALAR_CONST)
		return true;
	if (s->kind == SCALAR_OPERAND) {
		bool had = factor[s->index];
		factor[s->index] = r->operand[s->index].rank > 0;
		return !had;
	}
	if (s->kind != SCALAR_APPLY || (s->fn != SC_MUL && s->fn != SC_NEG))
		return false;
	return find_factors(r, s->arg[0], factor) && (s->fn == SC_NEG || find_factors(r, s->arg[1], factor));
}

static bool reads_by_data(const struct access *x)
{
	for (int d = 0; d < x->rank; d++)
		if (x->index[d].data >= 0)
			return true;
	return false;
}

/* Points of the result that share an element of a factor: with so few, reading it takes longer than multiplying, and
 * rounding it gains nothing. */
enum { FEW = 8 };

/* A sum over what both factors have, of two that each have indices of the result that the other has not. */
static bool is_product_of(const struct rule *r, const struct access *x, const struct access *y)
{
	bool summed = false;
	int64_t own_x = 1, own_y = 1;
	for (int f = 0; f < r->nfactors; f++) {
		bool in_x = access_uses(x, f), in_y = access_uses(y, f), kept = !rule_reduces(r, f);
		summed = summed || (in_x && in_y && !kept);
		if (in_x && !in_y && kept)
			own_x = count_mul(own_x, r->factor[f].extent);
		if (in_y && !in_x && kept)
			own_y = count_mul(own_y, r->factor[f].extent);
	}
	return summed && own_x > FEW && own_y > FEW && !reads_by_data(x) && !reads_by_data(y);
}

void rule_narrow_factors(struct arena *a, struct rule *r, enum dtype t)
{
	bool factor[MAX_OPERANDS] = {false};
	int at[2], n = 0;
	if (r->combiner != COMBINE_SUM || r->body->type != DT_F32 || !find_factors(r, r->body, factor))
		return;
	for (int k = 0; k < r->noperands; k++)
		if (factor[k] && (n == 2 || r->operand[k].type != DT_F32))
			return;
		else if (factor[k])
			at[n++] = k;
	if (n != 2 || reads_by_data(&r->out) || !is_product_of(r, &r->operand[at[0]], &r->operand[at[1]]))
		return;
	const struct scalar *to[MAX_OPERANDS] = {NULL};
	for (int i = 0; i < 2; i++)
		to[at[i]] = scalar_narrowed(a, scalar_operand(a, DT_F32, at[i]), t);
	r->body = scalar_substitute(a, r->body, to, NULL);
}
