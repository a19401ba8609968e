/* products.c — x * y, x / y, x % y. Of integers, x / 0 and x % 0 are 0, division truncates and % has the sign of x. */
#include "joins.h"
#include "terms.h"

#include "../range.h"

#include <math.h>

/* Parts times infinity need not add up to the sum times infinity, nor parts by 0: joins_product gives what a finite
 * factor and a divisor that is not 0 do. */
static int joins_product(const struct analysis *n, const struct scalar *s, const int *v)
{
	int x = v[0], y = v[1];
	bool quotient = s->fn == SC_DIV;
	if (quotient && !dtype_is_float(s->type))
		return 0;
	if (n->combiner == SHARD_PROD)
		return x & y & PART;
	if (n->combiner == SHARD_SUM)
		return y & FIXED ? x & PART : quotient ? 0 : x & FIXED ? y & PART : 0;
	if (quotient && x & FIXED && !(y & FIXED) && sign_of_number(s->arg[0]) && sign_of(s->arg[1]) & SIGN_POSITIVE)
		return (sign_of_number(s->arg[0]) > 0 ? joins_turned(y) : y) & (PART | COUNTER);
	if (!(y & FIXED) && (quotient || !(x & FIXED)))
		return 0;
	int sign = sign_of_number(s->arg[y & FIXED ? 1 : 0]),
	    part = joins_if_float(s, y & FIXED ? x : y) & (PART | COUNTER);
	return sign > 0 ? part : sign < 0 ? joins_turned(part) : 0;
}

/* ---- mul ---- */

static double mul_floats(double x, double y)
{
	return x * y;
}

static int64_t mul_ints(enum dtype t, int64_t x, int64_t y)
{
	(void)t;
	return (int64_t)((uint64_t)x * (uint64_t)y);
}

static const struct scalar *derive_product(struct derivation *d, const struct scalar *s, const struct scalar *const *dx)
{
	struct arena *a = d->arena;
	return op2(a, SC_ADD, scalar_flow(a, dx[0], s->arg[1]), scalar_flow(a, s->arg[0], dx[1]));
}

/* A choice among constants, possibly nested: a factor to multiply into. */
static bool is_choice(const struct scalar *s)
{
	return is_fn(s, SC_WHERE) && (is_const(s->arg[1]) || is_choice(s->arg[1])) &&
	       (is_const(s->arg[2]) || is_choice(s->arg[2]));
}

static const struct scalar *flow_of_choice(struct arena *a, const struct scalar *x, const struct scalar *choice)
{
	const struct scalar *yes = scalar_flow(a, x, choice->arg[1]);
	const struct scalar *no = scalar_flow(a, x, choice->arg[2]);
	return choose(a, choice->arg[0], yes, no);
}

const struct scalar *scalar_flow(struct arena *a, const struct scalar *x, const struct scalar *y)
{
	if (scalar_is_zero(x) || scalar_is_zero(y))
		return number(a, x->type, 0);
	if (is_choice(y))
		return flow_of_choice(a, x, y);
	if (is_choice(x))
		return flow_of_choice(a, y, x);
	return op2(a, SC_MUL, x, y);
}

/* Signs go outwards, where two of them cancel; x * (1 / y) is a quotient. */
static const struct scalar *fold_factors(struct arena *a, const struct scalar *x, const struct scalar *y)
{
	if (is_fn(x, SC_NEG))
		return op1(a, SC_NEG, op2(a, SC_MUL, x->arg[0], y));
	if (is_fn(y, SC_NEG))
		return op1(a, SC_NEG, op2(a, SC_MUL, x, y->arg[0]));
	if (is_fn(y, SC_DIV) && is_number(y->arg[0], 1) && dtype_is_float(y->type))
		return op2(a, SC_DIV, x, y->arg[1]);
	return NULL;
}

/* Of floats x * 0 is no 0 where x is infinite or no number, and -0.0 where it is negative. Of ints it is what a
 * derivative would make of it. */
static const struct scalar *fold_product(struct arena *a, const struct scalar *s)
{
	const struct scalar *x = s->arg[0], *y = s->arg[1];
	bool vanishes = scalar_is_zero(x) || scalar_is_zero(y) || is_choice(x) || is_choice(y);
	if (!dtype_is_float(x->type) && vanishes)
		return scalar_flow(a, x, y);
	if (is_number(x, 1))
		return y;
	if (is_number(y, 1))
		return x;
	if (is_number(x, -1))
		return op1(a, SC_NEG, y);
	if (is_number(y, -1))
		return op1(a, SC_NEG, x);
	return fold_factors(a, x, y);
}

static struct range range_of_product(const struct range *x)
{
	return range_product(x[0], x[1]);
}

static unsigned sign_of_product(const unsigned *x)
{
	return x[0] & x[1] & SIGN_NOT_NEGATIVE;
}

const struct scalar_function scalar_fn_mul = {
	.text = "*",
	.level = LEVEL_PRODUCT,
	.arity = 2,
	.result = SCALAR_SAME,
	.flops = 1,
	.effort = EFFORT_ARITHMETIC,
	.float2 = mul_floats,
	.ints = mul_ints,
	.derive = derive_product,
	.fold = fold_product,
	.range = range_of_product,
	.sign = sign_of_product,
	.joins = joins_product,
	.beside = {FACT_FINITE, FACT_FINITE},
};

/* ---- div ---- */

static double div_floats(double x, double y)
{
	return x / y;
}

/* (dx - (x / y) dy) / y */
static const struct scalar *derive_quotient(struct derivation *d, const struct scalar *s,
					    const struct scalar *const *dx)
{
	struct arena *a = d->arena;
	return op2(a, SC_DIV, op2(a, SC_SUB, dx[0], scalar_flow(a, s, dx[1])), s->arg[1]);
}

static const struct scalar *fold_quotient(struct arena *a, const struct scalar *s)
{
	const struct scalar *x = s->arg[0], *y = s->arg[1];
	if (is_number(y, 1) || (scalar_is_zero(x) && !dtype_is_float(x->type)))
		return x;
	return is_fn(x, SC_NEG) && dtype_is_float(x->type) ? op1(a, SC_NEG, op2(a, SC_DIV, x->arg[0], y)) : NULL;
}

/* By a positive divisor; rounded either way. */
static struct range range_of_quotient(const struct range *x)
{
	struct range a = x[0], b = x[1];
	if (b.low < 1 || a.low == INT64_MIN)
		return range_everything;
	int64_t low = a.low < 0 ? a.low / b.low - 1 : a.low / b.high;
	return (struct range){low, a.high < 0 ? 0 : a.high / b.low};
}

const struct scalar_function scalar_fn_div = {
	.text = "/",
	.level = LEVEL_PRODUCT,
	.arity = 2,
	.result = SCALAR_SAME,
	.flops = 1,
	.effort = EFFORT_DIVISION,
	.float2 = div_floats,
	.ints = scalar_int_divide,
	.derive = derive_quotient,
	.fold = fold_quotient,
	.range = range_of_quotient,
	.joins = joins_product,
	.beside = {0, FACT_NOT_ZERO},
};

/* ---- mod ---- */

static int64_t mod_ints(enum dtype t, int64_t x, int64_t y)
{
	return (int64_t)((uint64_t)x - (uint64_t)scalar_int_divide(t, x, y) * (uint64_t)y) * (y != 0);
}

/* x - trunc(x / y) y: the quotient is constant but for jumps. */
static const struct scalar *derive_remainder(struct derivation *d, const struct scalar *s,
					     const struct scalar *const *dx)
{
	struct arena *a = d->arena;
	const struct scalar *quotient = op2(a, SC_DIV, op2(a, SC_SUB, s->arg[0], s), s->arg[1]);
	return op2(a, SC_SUB, dx[0], scalar_flow(a, quotient, dx[1]));
}

static struct range range_of_remainder(const struct range *x)
{
	struct range a = x[0], b = x[1];
	if (b.low < 1)
		return range_everything;
	int64_t most = b.high - 1;
	return (struct range){a.low < 0 ? -most : 0, a.low >= 0 && a.high < most ? a.high : most};
}

const struct scalar_function scalar_fn_mod = {
	.text = "%",
	.level = LEVEL_PRODUCT,
	.arity = 2,
	.result = SCALAR_SAME,
	.flops = 4,
	.effort = EFFORT_DIVISION,
	.float2 = fmod,
	.ints = mod_ints,
	.derive = derive_remainder,
	.range = range_of_remainder,
};
