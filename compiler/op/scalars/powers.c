/* powers.c — powers, roots, exponentials and logarithms. */
#include "joins.h"
#include "terms.h"

#include <math.h>

/* ---- pow ---- */

/* y x^(y-1) dx + x^y log(x) dy; 0 where y is 0 and where x is, as there is no slope to choose. */
static const struct scalar *derive_power(struct derivation *d, const struct scalar *s, const struct scalar *const *dx)
{
	struct arena *a = d->arena;
	const struct scalar *x = s->arg[0], *y = s->arg[1], *zero = number(a, s->type, 0);
	const struct scalar *lower = op2(a, SC_POW, x, op2(a, SC_SUB, y, number(a, s->type, 1)));
	const struct scalar *by_x = scalar_flow(a, scalar_flow(a, y, lower), dx[0]);
	if (y->kind != SCALAR_CONST || scalar_is_zero(y))
		by_x = choose(a, op2(a, SC_EQ, y, zero), zero, by_x);
	if (scalar_is_zero(dx[1]))
		return by_x;
	const struct scalar *nowhere = op2(a, SC_AND, op2(a, SC_EQ, x, zero), op2(a, SC_GE, y, zero));
	const struct scalar *by_y = choose(a, nowhere, zero, op2(a, SC_MUL, s, op1(a, SC_LOG, x)));
	return op2(a, SC_ADD, by_x, scalar_flow(a, by_y, dx[1]));
}

static const struct scalar *fold_power(struct arena *a, const struct scalar *s)
{
	const struct scalar *x = s->arg[0], *y = s->arg[1];
	if (is_number(y, 0))
		return number(a, x->type, 1);
	if (is_number(y, 1))
		return x;
	return is_number(y, 2) ? op2(a, SC_MUL, x, x) : NULL;
}

const struct scalar_function scalar_fn_pow = {
	.text = "pow",
	.arity = 2,
	.result = SCALAR_FLOAT,
	.flops = 16,
	.effort = EFFORT_FUNCTION,
	.float2 = pow,
	.approximate = true,
	.derive = derive_power,
	.fold = fold_power,
};

/* ---- sqrt, rsqrt ---- */

static unsigned stays_finite(const struct scalar *s, const unsigned *x)
{
	(void)s;
	return x[0] & FACT_FINITE;
}

static const struct scalar *slope_of_root(struct arena *a, const struct scalar *s)
{
	return op2(a, SC_DIV, number(a, s->type, 0.5), s);
}

const struct scalar_function scalar_fn_sqrt = {
	.text = "sqrt",
	.arity = 1,
	.result = SCALAR_FLOAT,
	.flops = 4,
	.effort = EFFORT_DIVISION,
	.float1 = sqrt,
	.slope = slope_of_root,
	.facts = stays_finite,
	.joins = joins_rising_from,
};

static double reciprocal_root(double x)
{
	return 1 / sqrt(x);
}

static const struct scalar *slope_of_reciprocal_root(struct arena *a, const struct scalar *s)
{
	return op2(a, SC_DIV, op2(a, SC_MUL, number(a, s->type, -0.5), s), s->arg[0]);
}

static int joins_reciprocal_root(const struct analysis *n, const struct scalar *s, const int *v)
{
	return joins_turned(joins_rising_from(n, s, v));
}

const struct scalar_function scalar_fn_rsqrt = {
	.text = "rsqrt",
	.arity = 1,
	.result = SCALAR_FLOAT,
	.flops = 4,
	.effort = EFFORT_DIVISION,
	.float1 = reciprocal_root,
	.approximate = true,
	.slope = slope_of_reciprocal_root,
	.joins = joins_reciprocal_root,
};

/* ---- exp, expm1 ---- */

static const struct scalar *slope_of_exp(struct arena *a, const struct scalar *s)
{
	(void)a;
	return s;
}

/* Or 0, from far below, whose quotient is the limit. */
static unsigned sign_of_exp(const unsigned *x)
{
	(void)x;
	return SIGN_POSITIVE | SIGN_NOT_NEGATIVE;
}

const struct scalar_function scalar_fn_exp = {
	.text = "exp",
	.arity = 1,
	.result = SCALAR_FLOAT,
	.flops = 8,
	.effort = EFFORT_FUNCTION,
	.float1 = exp,
	.approximate = true,
	.slope = slope_of_exp,
	.sign = sign_of_exp,
	.joins = joins_rising,
};

static const struct scalar *slope_of_expm1(struct arena *a, const struct scalar *s)
{
	return op1(a, SC_EXP, s->arg[0]);
}

const struct scalar_function scalar_fn_expm1 = {
	.text = "expm1",
	.arity = 1,
	.result = SCALAR_FLOAT,
	.flops = 8,
	.effort = EFFORT_FUNCTION,
	.float1 = expm1,
	.approximate = true,
	.slope = slope_of_expm1,
	.joins = joins_rising,
};

/* ---- log, log1p ---- */

static const struct scalar *slope_of_log(struct arena *a, const struct scalar *s)
{
	return op2(a, SC_DIV, number(a, s->type, 1), s->arg[0]);
}

const struct scalar_function scalar_fn_log = {
	.text = "log",
	.arity = 1,
	.result = SCALAR_FLOAT,
	.flops = 8,
	.effort = EFFORT_FUNCTION,
	.float1 = log,
	.approximate = true,
	.slope = slope_of_log,
	.joins = joins_rising_from,
};

static const struct scalar *slope_of_log1p(struct arena *a, const struct scalar *s)
{
	const struct scalar *one = number(a, s->type, 1);
	return op2(a, SC_DIV, one, op2(a, SC_ADD, one, s->arg[0]));
}

const struct scalar_function scalar_fn_log1p = {
	.text = "log1p",
	.arity = 1,
	.result = SCALAR_FLOAT,
	.flops = 8,
	.effort = EFFORT_FUNCTION,
	.float1 = log1p,
	.approximate = true,
	.slope = slope_of_log1p,
	.joins = joins_rising_from,
};
