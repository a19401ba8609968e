/* conditions.c — comparisons, and functions of bools. A NaN is unequal to everything and neither less nor greater. */
#include "joins.h"
#include "terms.h"

static union scalar_value truth(bool v)
{
	return (union scalar_value){.i = v};
}

/* ---- ==, !=, <, <=, >, >= ---- */

static bool is_equal(const struct scalar *s, union scalar_value x, union scalar_value y)
{
	return dtype_is_float(s->arg[0]->type) ? x.f == y.f : x.i == y.i;
}

static bool is_less(const struct scalar *s, union scalar_value x, union scalar_value y)
{
	enum dtype t = s->arg[0]->type;
	return dtype_is_float(t) ? x.f < y.f : scalar_int_less(t, x.i, y.i);
}

static union scalar_value eq(const struct scalar *s, const union scalar_value *x)
{
	return truth(is_equal(s, x[0], x[1]));
}

static union scalar_value ne(const struct scalar *s, const union scalar_value *x)
{
	return truth(!is_equal(s, x[0], x[1]));
}

static union scalar_value lt(const struct scalar *s, const union scalar_value *x)
{
	return truth(is_less(s, x[0], x[1]));
}

static union scalar_value le(const struct scalar *s, const union scalar_value *x)
{
	return truth(is_less(s, x[0], x[1]) || is_equal(s, x[0], x[1]));
}

static union scalar_value gt(const struct scalar *s, const union scalar_value *x)
{
	return truth(is_less(s, x[1], x[0]));
}

static union scalar_value ge(const struct scalar *s, const union scalar_value *x)
{
	return truth(is_less(s, x[1], x[0]) || is_equal(s, x[0], x[1]));
}

/* Of ints: x > y and x >= y rise with x and fall with y, < and <= the other way. Of floats a NaN, which all parts give
 * way to, is neither. */
static int joins_order(const struct analysis *n, const struct scalar *s, const int *v)
{
	bool rises = s->fn == SC_GT || s->fn == SC_GE;
	if (!joins_by_extremum(n) || !dtype_is_int(s->arg[0]->type))
		return 0;
	int x = v[1] & FIXED ? v[0] : v[0] & FIXED ? joins_turned(v[1]) : 0;
	return (rises ? x : joins_turned(x)) & (PART | COUNTER);
}

/* They differ in what they are called, in what is true, and in how they join. */
#define COMPARISON(name, sign, how) \
	const struct scalar_function scalar_fn_##name = { \
		.text = sign, \
		.level = LEVEL_COMPARE, \
		.arity = 2, \
		.result = SCALAR_PRED, \
		.flops = 1, \
		.effort = EFFORT_ARITHMETIC, \
		.eval = name, \
		.joins = how, \
	};
COMPARISON(eq, "==", NULL)
COMPARISON(ne, "!=", NULL)
COMPARISON(lt, "<", joins_order)
COMPARISON(le, "<=", joins_order)
COMPARISON(gt, ">", joins_order)
COMPARISON(ge, ">=", joins_order)
#undef COMPARISON

/* ---- &&, ||, ! ---- */

/* true || y, false && y */
static const struct scalar *fold_logic(struct arena *a, const struct scalar *s)
{
	const struct scalar *x = s->arg[0], *y = s->arg[1];
	bool decides = s->fn == SC_OR;
	if (is_const(x))
		return scalar_is_zero(x) == decides ? y : scalar_int(a, DT_BOOL, decides);
	if (is_const(y))
		return scalar_is_zero(y) == decides ? x : scalar_int(a, DT_BOOL, decides);
	return NULL;
}

static union scalar_value and (const struct scalar *s, const union scalar_value *x)
{
	(void)s;
	return truth(x[0].i && x[1].i);
}

static int joins_and(const struct analysis *n, const struct scalar *s, const int *v)
{
	(void)s;
	return joins_extremum(n, v, false);
}

const struct scalar_function scalar_fn_and = {
	.text = "&&",
	.level = LEVEL_AND,
	.arity = 2,
	.result = SCALAR_PRED,
	.bools = BOOLS_ONLY,
	.effort = EFFORT_ARITHMETIC,
	.eval = and,
	.fold = fold_logic,
	.joins = joins_and,
};

static union scalar_value or (const struct scalar *s, const union scalar_value *x)
{
	(void)s;
	return truth(x[0].i || x[1].i);
}

static int joins_or(const struct analysis *n, const struct scalar *s, const int *v)
{
	(void)s;
	return joins_extremum(n, v, true);
}

const struct scalar_function scalar_fn_or = {
	.text = "||",
	.level = LEVEL_OR,
	.arity = 2,
	.result = SCALAR_PRED,
	.bools = BOOLS_ONLY,
	.effort = EFFORT_ARITHMETIC,
	.eval = or
	, .fold = fold_logic, .joins = joins_or,
};

static union scalar_value not(const struct scalar *s, const union scalar_value *x)
{
	(void)s;
	return truth(!x[0].i);
}

static const struct scalar *fold_not(struct arena *a, const struct scalar *s)
{
	(void)a;
	return is_fn(s->arg[0], SC_NOT) ? s->arg[0]->arg[0] : NULL;
}

static int joins_not(const struct analysis *n, const struct scalar *s, const int *v)
{
	(void)s;
	return joins_by_extremum(n) ? joins_turned(v[0]) & (PART | COUNTER) : 0;
}

const struct scalar_function scalar_fn_not = {
	.text = "!",
	.level = LEVEL_UNARY,
	.prefix = "!",
	.arity = 1,
	.result = SCALAR_PRED,
	.bools = BOOLS_ONLY,
	.effort = EFFORT_ARITHMETIC,
	.eval = not,
	.fold = fold_not,
	.joins = joins_not,
};
