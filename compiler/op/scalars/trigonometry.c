/* trigonometry.c — sin, cos, atan2(y, x). */
#include "joins.h"
#include "terms.h"

#include <math.h>

static const struct scalar *slope_of_sine(struct arena *a, const struct scalar *s)
{
	return op1(a, SC_COS, s->arg[0]);
}

const struct scalar_function scalar_fn_sin = {
	.text = "sin",
	.arity = 1,
	.result = SCALAR_FLOAT,
	.flops = 8,
	.effort = EFFORT_FUNCTION,
	.float1 = sin,
	.approximate = true,
	.slope = slope_of_sine,
	.always = FACT_FINITE,
};

static const struct scalar *slope_of_cosine(struct arena *a, const struct scalar *s)
{
	return op1(a, SC_NEG, op1(a, SC_SIN, s->arg[0]));
}

const struct scalar_function scalar_fn_cos = {
	.text = "cos",
	.arity = 1,
	.result = SCALAR_FLOAT,
	.flops = 8,
	.effort = EFFORT_FUNCTION,
	.float1 = cos,
	.approximate = true,
	.slope = slope_of_cosine,
	.always = FACT_FINITE,
};

/* y / x turns the angle of (x, y): (x dy - y dx) / (x^2 + y^2). */
static const struct scalar *derive_angle(struct derivation *d, const struct scalar *s, const struct scalar *const *dx)
{
	struct arena *a = d->arena;
	const struct scalar *y = s->arg[0], *x = s->arg[1];
	const struct scalar *turn = op2(a, SC_SUB, op2(a, SC_MUL, x, dx[0]), op2(a, SC_MUL, y, dx[1]));
	return op2(a, SC_DIV, turn, op2(a, SC_ADD, op2(a, SC_MUL, x, x), op2(a, SC_MUL, y, y)));
}

/* The angle of (x, y) rises with y where x is positive, falls with x where y is, and rises where y is negative. */
static int joins_angle(const struct analysis *n, const struct scalar *s, const int *v)
{
	int y = v[0], x = v[1];
	if (!joins_by_extremum(n))
		return 0;
	if (x & FIXED)
		return sign_of(s->arg[1]) & SIGN_POSITIVE ? y & (PART | COUNTER) : 0;
	int sign = y & FIXED ? sign_of_number(s->arg[0]) : 0;
	return sign ? (sign > 0 ? joins_turned(x) : x) & (PART | COUNTER) : 0;
}

const struct scalar_function scalar_fn_atan2 = {
	.text = "atan2",
	.arity = 2,
	.result = SCALAR_FLOAT,
	.flops = 16,
	.effort = EFFORT_FUNCTION,
	.float2 = atan2,
	.approximate = true,
	.derive = derive_angle,
	.always = FACT_FINITE,
	.joins = joins_angle,
};
