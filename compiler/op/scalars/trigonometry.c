/* trigonometry.c — sin, cos, tan, atan2(y, x), asin, acos. */
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

/* 1 + tan^2 */
static const struct scalar *slope_of_tangent(struct arena *a, const struct scalar *s)
{
	return op2(a, SC_ADD, number(a, s->type, 1), op2(a, SC_MUL, s, s));
}

const struct scalar_function scalar_fn_tan = {
	.text = "tan",
	.arity = 1,
	.result = SCALAR_FLOAT,
	.flops = 12,
	.effort = EFFORT_FUNCTION,
	.float1 = tan,
	.approximate = true,
	.slope = slope_of_tangent,
	.always = FACT_FINITE,
};

/* The angle of (x, y) turns by (x dy - y dx) / (x^2 + y^2). With m the larger of the two and s the smaller that is
 * (x/m dy - y/m dx) / (m + s/m s), whose derivatives have no squares that overflow or vanish. At (0, 0) there is no
 * angle and no slope. */
static const struct scalar *derive_angle(struct derivation *d, const struct scalar *s, const struct scalar *const *dx)
{
	struct arena *a = d->arena;
	const struct scalar *y = s->arg[0], *x = s->arg[1];
	const struct scalar *zero = number(a, s->type, 0);
	const struct scalar *ax = op1(a, SC_ABS, x), *ay = op1(a, SC_ABS, y), *steep = op2(a, SC_GT, ay, ax);
	const struct scalar *m = choose(a, steep, y, x), *least = choose(a, steep, x, y);
	const struct scalar *far = op2(a, SC_ADD, m, op2(a, SC_MUL, op2(a, SC_DIV, least, m), least));
	const struct scalar *by_y = scalar_flow(a, op2(a, SC_DIV, x, m), dx[0]);
	const struct scalar *by_x = scalar_flow(a, op2(a, SC_DIV, y, m), dx[1]);
	const struct scalar *turn = op2(a, SC_DIV, op2(a, SC_SUB, by_y, by_x), far);
	if (sign_of_number(x) || sign_of_number(y))
		return turn;
	return choose(a, op2(a, SC_EQ, op2(a, SC_ADD, ax, ay), zero), zero, turn);
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

/* 1 / sqrt(1 - x^2). Parts of an extremum may lie outside of -1 to 1, so none of these takes them. Near 1 the
 * difference is a product, near 0 a square, each with the digits of its derivatives. */
static const struct scalar *slope_of_arcsine(struct arena *a, const struct scalar *s)
{
	const struct scalar *x = s->arg[0], *one = number(a, s->type, 1);
	const struct scalar *near_1 = op2(a, SC_MUL, op2(a, SC_SUB, one, x), op2(a, SC_ADD, one, x));
	const struct scalar *near_0 = op2(a, SC_SUB, one, op2(a, SC_MUL, x, x));
	const struct scalar *small = op2(a, SC_LT, op1(a, SC_ABS, x), number(a, s->type, 0.5));
	return op1(a, SC_RSQRT, choose(a, small, near_0, near_1));
}

static const struct scalar *slope_of_arccosine(struct arena *a, const struct scalar *s)
{
	return op1(a, SC_NEG, slope_of_arcsine(a, s));
}

const struct scalar_function scalar_fn_asin = {
	.text = "asin",
	.arity = 1,
	.result = SCALAR_FLOAT,
	.flops = 16,
	.effort = EFFORT_FUNCTION,
	.float1 = asin,
	.approximate = true,
	.slope = slope_of_arcsine,
	.always = FACT_FINITE,
};

const struct scalar_function scalar_fn_acos = {
	.text = "acos",
	.arity = 1,
	.result = SCALAR_FLOAT,
	.flops = 16,
	.effort = EFFORT_FUNCTION,
	.float1 = acos,
	.approximate = true,
	.slope = slope_of_arccosine,
	.always = FACT_FINITE,
};
