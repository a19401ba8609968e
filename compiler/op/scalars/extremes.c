/* extremes.c — min(x, y), max(x, y), which hand a NaN on and take 0.0 for greater than -0.0, so that it does not matter
 * in which order numbers come. max(x, x) does not fold to x: which layouts an operator takes
 * is read off the body, and must not depend on what it is given. */
#include "joins.h"
#include "terms.h"

#include "../range.h"

#include <math.h>

/* The larger (smaller) side's; half of each where they are equal, but nothing where a constant is reached: relu has
 * derivative 0 at 0. Where one is NaN both are handed on, beside a constant that of the NaN. */
static const struct scalar *derive_extremum(struct derivation *d, const struct scalar *s,
					    const struct scalar *const *dx)
{
	struct arena *a = d->arena;
	enum scalar_fn loses = s->fn == SC_MAX ? SC_LT : SC_GT;
	const struct scalar *x = s->arg[0], *y = s->arg[1], *half = number(a, s->type, 0.5);
	const struct scalar *zero = number(a, s->type, 0), *one = number(a, s->type, 1);
	enum scalar_fn not_beyond = s->fn == SC_MAX ? SC_LE : SC_GE;
	if (is_const(y))
		return choose(a, op2(a, not_beyond, x, y), zero, dx[0]);
	if (is_const(x))
		return choose(a, op2(a, not_beyond, y, x), zero, dx[1]);
	const struct scalar *most = choose(a, op2(a, SC_EQ, x, y), half, one);
	const struct scalar *x_share = choose(a, op2(a, loses, x, y), zero, most);
	const struct scalar *y_share = choose(a, op2(a, loses, y, x), zero, most);
	return op2(a, SC_ADD, scalar_flow(a, dx[0], x_share), scalar_flow(a, dx[1], y_share));
}

static unsigned facts_of_both(const struct scalar *s, const unsigned *x)
{
	(void)s;
	return x[0] & x[1];
}

/* ---- min ---- */

static double min_floats(double x, double y)
{
	return x != x || x < y || (x == y && signbit(x)) ? x : y;
}

static int64_t min_ints(enum dtype t, int64_t x, int64_t y)
{
	return scalar_int_less(t, x, y) ? x : y;
}

static bool is_clamp(const struct scalar *s)
{
	const struct scalar *x = s->arg[0];
	return is_fn(x, SC_MAX) && !is_const(x->arg[1]) && !is_const(s->arg[1]);
}

/* min(max(a, low), high): a's derivative between low and high; at the bounds, and beyond, theirs. */
static const struct scalar *derive_min(struct derivation *d, const struct scalar *s, const struct scalar *const *dx)
{
	if (!is_clamp(s))
		return derive_extremum(d, s, dx);
	struct arena *a = d->arena;
	const struct scalar *inner = s->arg[0], *x = inner->arg[0], *low = inner->arg[1], *high = s->arg[1];
	const struct scalar *within = choose(a, op2(a, SC_GT, x, low), derivative(d, x), derivative(d, low));
	return choose(a, op2(a, SC_LT, inner, high), within, dx[1]);
}

static struct range range_of_min(const struct range *x)
{
	return (struct range){x[0].low < x[1].low ? x[0].low : x[1].low, x[0].high < x[1].high ? x[0].high : x[1].high};
}

static unsigned sign_of_min(const unsigned *x)
{
	return x[0] & x[1] & SIGN_NOT_NEGATIVE;
}

static int joins_min(const struct analysis *n, const struct scalar *s, const int *v)
{
	(void)s;
	return joins_extremum(n, v, false);
}

const struct scalar_function scalar_fn_min = {
	.text = "min",
	.arity = 2,
	.result = SCALAR_SAME,
	.bools = BOOLS_TOO,
	.flops = 1,
	.effort = EFFORT_ARITHMETIC,
	.keeps_digits = true,
	.float2 = min_floats,
	.ints = min_ints,
	.derive = derive_min,
	.range = range_of_min,
	.sign = sign_of_min,
	.facts = facts_of_both,
	.joins = joins_min,
};

/* ---- max ---- */

static double max_floats(double x, double y)
{
	return x != x || x > y || (x == y && !signbit(x)) ? x : y;
}

static int64_t max_ints(enum dtype t, int64_t x, int64_t y)
{
	return scalar_int_less(t, x, y) ? y : x;
}

static struct range range_of_max(const struct range *x)
{
	return (struct range){x[0].low > x[1].low ? x[0].low : x[1].low, x[0].high > x[1].high ? x[0].high : x[1].high};
}

static unsigned sign_of_max(const unsigned *x)
{
	return (x[0] | x[1]) & SIGN_NOT_NEGATIVE;
}

static int joins_max(const struct analysis *n, const struct scalar *s, const int *v)
{
	(void)s;
	return joins_extremum(n, v, true);
}

const struct scalar_function scalar_fn_max = {
	.text = "max",
	.arity = 2,
	.result = SCALAR_SAME,
	.bools = BOOLS_TOO,
	.flops = 1,
	.effort = EFFORT_ARITHMETIC,
	.keeps_digits = true,
	.float2 = max_floats,
	.ints = max_ints,
	.derive = derive_extremum,
	.range = range_of_max,
	.sign = sign_of_max,
	.facts = facts_of_both,
	.joins = joins_max,
};
