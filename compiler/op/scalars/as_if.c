/* as_if.c — as_if(x, y): x, with the derivatives of y. Once all derivatives are made it is x (simplify/body.c), and y is
 * computed only where they read it. It joins as x does: y may be anything. */
#include "joins.h"

#include "../range.h"

static union scalar_value eval(const struct scalar *s, const union scalar_value *x)
{
	(void)s;
	return x[0];
}

static const struct scalar *derive(struct derivation *d, const struct scalar *s, const struct scalar *const *dx)
{
	(void)d;
	(void)s;
	return dx[1];
}

static struct range range(const struct range *x)
{
	return x[0];
}

static unsigned sign(const unsigned *x)
{
	return x[0];
}

static unsigned facts(const struct scalar *s, const unsigned *x)
{
	(void)s;
	return x[0];
}

static int joins(const struct analysis *n, const struct scalar *s, const int *v)
{
	(void)n;
	(void)s;
	return v[0];
}

const struct scalar_function scalar_fn_as_if = {
	.text = "as_if",
	.arity = 2,
	.result = SCALAR_SAME,
	.bools = BOOLS_TOO,
	.effort = EFFORT_ARITHMETIC,
	.keeps_digits = true,
	.eval = eval,
	.derive = derive,
	.range = range,
	.sign = sign,
	.facts = facts,
	.joins = joins,
	.absence = 1,
};
