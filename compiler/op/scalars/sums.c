/* sums.c — x + y, x - y, -x, |x|. */
#include "joins.h"
#include "terms.h"

#include "../range.h"

#include <math.h>

/* ---- add, sub ---- */

static double add_floats(double x, double y)
{
	return x + y;
}

static int64_t add_ints(enum dtype t, int64_t x, int64_t y)
{
	(void)t;
	return (int64_t)((uint64_t)x + (uint64_t)y);
}

static double sub_floats(double x, double y)
{
	return x - y;
}

static int64_t sub_ints(enum dtype t, int64_t x, int64_t y)
{
	(void)t;
	return (int64_t)((uint64_t)x - (uint64_t)y);
}

static const struct scalar *derive_sum(struct derivation *d, const struct scalar *s, const struct scalar *const *dx)
{
	if (s->fn == SC_SUB && scalar_is_zero(dx[0]) && !scalar_is_zero(dx[1]))
		return op1(d->arena, SC_NEG, dx[1]);
	return op2(d->arena, s->fn, dx[0], dx[1]);
}

static const struct scalar *fold_sum(struct arena *a, const struct scalar *s)
{
	const struct scalar *x = s->arg[0], *y = s->arg[1];
	if (scalar_is_zero(y))
		return x;
	bool negates = !dtype_is_float(x->type) || signbit(x->f); /* 0.0 - 0.0 is 0.0 */
	if (scalar_is_zero(x) && (s->fn == SC_ADD || negates))
		return s->fn == SC_ADD ? y : op1(a, SC_NEG, y);
	if (is_fn(y, SC_NEG))
		return op2(a, s->fn == SC_ADD ? SC_SUB : SC_ADD, x, y->arg[0]);
	if (is_fn(x, SC_NEG) && s->fn == SC_ADD)
		return op2(a, SC_SUB, y, x->arg[0]);
	if (s->fn == SC_ADD && dtype_kind(y->type) == DTYPE_INT && is_const(y) && y->i < 0 && y->i > INT64_MIN)
		return op2(a, SC_SUB, x, scalar_int(a, y->type, -y->i));
	return NULL;
}

static struct range range_of_sum(const struct range *x)
{
	return range_sum(x[0], x[1]);
}

static struct range range_of_difference(const struct range *x)
{
	return range_sum(x[0], range_negative(x[1]));
}

static unsigned sign_of_sum(const unsigned *x)
{
	return x[0] & x[1];
}

static int joins_sum(const struct analysis *n, const struct scalar *s, const int *v)
{
	int x = v[0], y = v[1];
	int second = s->fn == SC_SUB && joins_by_extremum(n) ? joins_turned(y) : y;
	if (n->combiner == SHARD_SUM)
		return x & y & PART;
	if (n->combiner == SHARD_PROD)
		return 0;
	if (x & FIXED)
		return joins_if_float(s, second & (PART | COUNTER));
	if (y & FIXED)
		return joins_if_float(s, x & (PART | COUNTER));
	return n->single ? joins_if_float(s, x & second & (PART | COUNTER)) : 0;
}

const struct scalar_function scalar_fn_add = {
	.text = "+",
	.level = LEVEL_SUM,
	.arity = 2,
	.result = SCALAR_SAME,
	.flops = 1,
	.effort = EFFORT_ARITHMETIC,
	.float2 = add_floats,
	.ints = add_ints,
	.derive = derive_sum,
	.fold = fold_sum,
	.range = range_of_sum,
	.sign = sign_of_sum,
	.joins = joins_sum,
	.absence = 1 | 2,
};

const struct scalar_function scalar_fn_sub = {
	.text = "-",
	.level = LEVEL_SUM,
	.arity = 2,
	.result = SCALAR_SAME,
	.flops = 1,
	.effort = EFFORT_ARITHMETIC,
	.float2 = sub_floats,
	.ints = sub_ints,
	.derive = derive_sum,
	.fold = fold_sum,
	.range = range_of_difference,
	.joins = joins_sum,
};

/* ---- neg ---- */

static double negate(double x)
{
	return -x;
}

static int64_t negate_int(enum dtype t, int64_t x, int64_t y)
{
	(void)t, (void)y;
	return (int64_t)(0 - (uint64_t)x);
}

static const struct scalar *slope_of_negative(struct arena *a, const struct scalar *s)
{
	return number(a, s->type, -1);
}

static const struct scalar *fold_negative(struct arena *a, const struct scalar *s)
{
	(void)a;
	return is_fn(s->arg[0], SC_NEG) ? s->arg[0]->arg[0] : NULL;
}

static struct range range_of_negative(const struct range *x)
{
	return range_negative(x[0]);
}

/* A sign changes neither what is infinite nor what is 0. */
static unsigned same_facts(const struct scalar *s, const unsigned *x)
{
	(void)s;
	return x[0];
}

static int joins_negative(const struct analysis *n, const struct scalar *s, const int *v)
{
	if (n->combiner == SHARD_SUM)
		return v[0] & PART;
	return joins_by_extremum(n) ? joins_if_float(s, joins_turned(v[0])) & (PART | COUNTER) : 0;
}

const struct scalar_function scalar_fn_neg = {
	.text = "neg",
	.level = LEVEL_UNARY,
	.prefix = "-",
	.arity = 1,
	.result = SCALAR_SAME,
	.flops = 1,
	.effort = EFFORT_ARITHMETIC,
	.keeps_digits = true,
	.float1 = negate,
	.ints = negate_int,
	.slope = slope_of_negative,
	.fold = fold_negative,
	.range = range_of_negative,
	.facts = same_facts,
	.joins = joins_negative,
};

/* ---- abs ---- */

static int64_t absolute_int(enum dtype t, int64_t x, int64_t y)
{
	(void)y;
	return dtype_kind(t) == DTYPE_INT && x < 0 ? (int64_t)(0 - (uint64_t)x) : x;
}

/* The sign, 0 at 0. */
static const struct scalar *slope_of_absolute(struct arena *a, const struct scalar *s)
{
	const struct scalar *x = s->arg[0], *zero = number(a, s->type, 0);
	const struct scalar *below = choose(a, op2(a, SC_LT, x, zero), number(a, s->type, -1), zero);
	return choose(a, op2(a, SC_GT, x, zero), number(a, s->type, 1), below);
}

static struct range range_of_absolute(const struct range *x)
{
	return range_hull(x[0], range_negative(x[0]));
}

static unsigned sign_of_absolute(const unsigned *x)
{
	(void)x;
	return SIGN_NOT_NEGATIVE;
}

static int joins_absolute(const struct analysis *n, const struct scalar *s, const int *v)
{
	return n->combiner == SHARD_PROD ? joins_if_float(s, v[0]) & PART : 0;
}

const struct scalar_function scalar_fn_abs = {
	.text = "abs",
	.arity = 1,
	.result = SCALAR_SAME,
	.flops = 1,
	.effort = EFFORT_ARITHMETIC,
	.keeps_digits = true,
	.float1 = fabs,
	.ints = absolute_int,
	.slope = slope_of_absolute,
	.range = range_of_absolute,
	.sign = sign_of_absolute,
	.facts = same_facts,
	.joins = joins_absolute,
};
