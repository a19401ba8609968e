/* coefficient.c — products of numbers and one-element tensors, and bodies that are linear in an operand by them. */
#include "contraction.h"

#include "lower.h"

#include <string.h>

struct phys_node *scalar_behind(struct phys_node *n)
{
	if (shape_volume(&n->shape) == 1)
		return n;
	if (n->kind == PHYS_MAP && n->nin == 1 && map_is_pointwise(n) && n->rule->body->kind == SCALAR_OPERAND)
		return scalar_behind(n->in[0]);
	return NULL;
}

bool coefficient_multiply(struct coefficient *x, const struct coefficient *y)
{
	if (x->ntimes + y->ntimes > MAX_COEFFICIENTS || x->nover + y->nover > MAX_COEFFICIENTS)
		return false;
	x->number *= y->number;
	memcpy(x->times + x->ntimes, y->times, sizeof y->times[0] * (size_t)y->ntimes);
	memcpy(x->over + x->nover, y->over, sizeof y->over[0] * (size_t)y->nover);
	x->ntimes += y->ntimes;
	x->nover += y->nover;
	return true;
}

/* x /= y; false if there is no room. */
static bool coefficient_divide(struct coefficient *x, const struct coefficient *y)
{
	struct coefficient inverse = {.number = 1 / y->number, .ntimes = y->nover, .nover = y->ntimes};
	memcpy(inverse.times, y->over, sizeof y->over);
	memcpy(inverse.over, y->times, sizeof y->times);
	return coefficient_multiply(x, &inverse);
}

bool coefficient_of_body(const struct phys_node *n, const struct scalar *s, struct coefficient *c)
{
	struct coefficient x, y;
	*c = (struct coefficient){.number = 1};
	if (s->kind == SCALAR_CONST) {
		c->number = dtype_is_float(s->type) ? s->f : (double)s->i;
		return true;
	}
	if (s->kind == SCALAR_OPERAND) {
		struct phys_node *one = scalar_behind(n->in[s->index]);
		if (!one || one->dtype != n->dtype)
			return false;
		if (one->kind == PHYS_CONST)
			c->number = one->number.f;
		else
			c->times[c->ntimes++] = one;
		return true;
	}
	if (s->kind != SCALAR_APPLY || s->type != n->dtype)
		return false;
	if (s->fn == SC_NEG && coefficient_of_body(n, s->arg[0], c)) {
		c->number = -c->number;
		return true;
	}
	if ((s->fn != SC_MUL && s->fn != SC_DIV) || !coefficient_of_body(n, s->arg[0], &x) ||
	    !coefficient_of_body(n, s->arg[1], &y))
		return false;
	*c = x;
	if (s->fn == SC_MUL)
		return coefficient_multiply(c, &y);
	return coefficient_divide(c, &y);
}

static const struct scalar *apply(struct arena *a, enum scalar_fn fn, enum dtype t, const struct scalar *x,
				  const struct scalar *y)
{
	return scalar_apply(a, fn, t, x, y, NULL);
}

bool linear_in_operand(struct arena *a, const struct phys_node *n, const struct scalar *s, int k,
		       struct coefficient *coef, const struct scalar **rest)
{
	*coef = (struct coefficient){.number = 1};
	*rest = NULL;
	if (s->kind == SCALAR_OPERAND && s->index == k)
		return true;
	if (s->kind != SCALAR_APPLY || s->type != n->dtype)
		return false;
	if (s->fn == SC_NEG) {
		if (!linear_in_operand(a, n, s->arg[0], k, coef, rest))
			return false;
		coef->number = -coef->number;
		*rest = *rest ? apply(a, SC_NEG, s->type, *rest, NULL) : NULL;
		return true;
	}
	bool left = s->arg[0] && scalar_uses_operand(s->arg[0], k);
	bool right = scalar_arity(s->fn) > 1 && scalar_uses_operand(s->arg[1], k);
	if (left == right)
		return false;
	const struct scalar *with = s->arg[left ? 0 : 1], *other = s->arg[left ? 1 : 0];
	if (s->fn == SC_ADD || s->fn == SC_SUB) {
		if (!linear_in_operand(a, n, with, k, coef, rest))
			return false;
		bool minus = s->fn == SC_SUB && right;
		coef->number = minus ? -coef->number : coef->number;
		if (s->fn == SC_SUB && left)
			*rest = *rest ? apply(a, SC_SUB, s->type, *rest, other)
				      : apply(a, SC_NEG, s->type, other, NULL);
		else
			*rest = *rest ? apply(a, s->fn, s->type, other, *rest) : other;
		return true;
	}
	struct coefficient c;
	if ((s->fn != SC_MUL && (s->fn != SC_DIV || right)) || !linear_in_operand(a, n, with, k, coef, rest) ||
	    !coefficient_of_body(n, other, &c))
		return false;
	*rest = *rest ? apply(a, s->fn, s->type, *rest, other) : NULL;
	if (s->fn == SC_MUL)
		return coefficient_multiply(coef, &c);
	return coefficient_divide(coef, &c);
}
