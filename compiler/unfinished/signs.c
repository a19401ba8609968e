/* signs.c — signs of zeros that sums come to. Parts that are not zeros add up to 0.0, whatever was done to each of
 * them, so that -s of s = 0 would not be -0.0 as on one rank, nor s * -2.0. A map of which that is not known to be 0.0
 * is made again behind the `to` that finishes it (a slot keeps it finished, too), if the sum takes no more bytes than
 * what is made of it: then it costs the same on either side. Elsewhere (in a product of matrices, added to other parts,
 * carried by a loop) parts stay parts: a sum of zeros of either sign begins with 0.0 again, and no more is sent for the
 * sign of a zero. */
#include "rewrite.h"

#include "../layout/parts.h"

#include <math.h>

/* What the map gives where the parts are 0.0 is known to be 0.0. */
static bool keeps_zero(const struct node *n, int parts)
{
	union scalar_value x[MAX_OPERANDS] = {{0}};
	for (int f = 0; f < n->rule->nfactors; f++)
		if (scalar_uses_factor(n->rule->body, f))
			return false;
	for (int k = 0; k < n->nin; k++) {
		if (k == parts)
			continue;
		if (n->in[k]->kind != NODE_CONST && scalar_uses_operand(n->rule->body, k))
			return false;
		if (n->in[k]->kind == NODE_CONST)
			x[k] = n->in[k]->number;
	}
	x[parts].f = 0;
	return !signbit(scalar_eval(n->rule->body, x, NULL).f);
}

/* The only operand in parts of an elementwise map that has as many elements; -1: it is no such map. */
static int parts_of(const struct node *n)
{
	int parts = -1;
	if (n->kind != NODE_MAP || n->rule->combiner != COMBINE_NONE || rule_is_guarded(n->rule) ||
	    rule_is_scatter(n->rule) || !is_float_sum(n->dtype, n->place, &n->layout))
		return -1;
	for (int k = 0; k < n->nin; k++) {
		const struct node *x = n->in[k];
		if (!is_float_sum(x->dtype, x->place, &x->layout))
			continue;
		if (parts >= 0 || !shape_equal(&x->shape, &n->shape) || dtype_size(x->dtype) > dtype_size(n->dtype))
			return -1;
		parts = k;
	}
	return parts;
}

bool waits_for_signs(struct rewrite *w, const struct node *n)
{
	int parts = parts_of(n);
	return parts >= 0 && (value_of(w, n->in[parts])->waits || !keeps_zero(n, parts));
}
