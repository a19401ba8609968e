/* special.c — tanh, erf, erfinv, sigmoid, softplus, lgamma, normal_cdf. */
#include "joins.h"
#include "terms.h"

#include <math.h>

static const struct scalar *slope_of_tanh(struct arena *a, const struct scalar *s)
{
	return op2(a, SC_SUB, number(a, s->type, 1), op2(a, SC_MUL, s, s));
}

const struct scalar_function scalar_fn_tanh = {
	.text = "tanh",
	.arity = 1,
	.result = SCALAR_FLOAT,
	.flops = 8,
	.effort = EFFORT_FUNCTION,
	.float1 = tanh,
	.approximate = true,
	.slope = slope_of_tanh,
	.always = FACT_FINITE,
	.joins = joins_rising,
};

/* 2 / sqrt(pi) exp(-x^2) */
static const struct scalar *slope_of_erf(struct arena *a, const struct scalar *s)
{
	const struct scalar *square = op2(a, SC_MUL, s->arg[0], s->arg[0]);
	return op2(a, SC_MUL, number(a, s->type, 1.12837916709551257390), op1(a, SC_EXP, op1(a, SC_NEG, square)));
}

const struct scalar_function scalar_fn_erf = {
	.text = "erf",
	.arity = 1,
	.result = SCALAR_FLOAT,
	.flops = 8,
	.effort = EFFORT_FUNCTION,
	.float1 = erf,
	.approximate = true,
	.slope = slope_of_erf,
	.always = FACT_FINITE,
	.joins = joins_rising,
};

/* ---- erfinv: what erf makes x ---- */

/* sqrt(pi) / 2 exp(y^2) at y = erfinv x. */
static const struct scalar *slope_of_erfinv(struct arena *a, const struct scalar *s)
{
	return op2(a, SC_MUL, number(a, s->type, 0.88622692545275801365), op1(a, SC_EXP, op2(a, SC_MUL, s, s)));
}

/* Newton's steps on the logarithm of what is left to 1, which is nearly straight in y^2: each doubles the digits from
 * wherever it begins; below 1/2 on erf itself. */
static double erfinv(double x)
{
	double a = fabs(x), rest = 1 - a;
	if (!(a < 1))
		return a == 1 ? copysign(INFINITY, x) : NAN;
	double y = a < 0.5 ? a : sqrt(-log(rest));
	for (int i = 0; i < 40; i++) {
		double slope = 1.12837916709551257390 * exp(-y * y), left = erfc(y);
		double step = a < 0.5 ? (erf(y) - a) / slope : left / slope * log(rest / left);
		if (y - step == y)
			break;
		y -= step;
	}
	return copysign(y, x);
}

const struct scalar_function scalar_fn_erfinv = {
	.text = "erfinv",
	.arity = 1,
	.result = SCALAR_FLOAT,
	.flops = 32,
	.effort = EFFORT_FUNCTION,
	.float1 = erfinv,
	.approximate = true,
	.slope = slope_of_erfinv,
};

static unsigned never_negative(const unsigned *x)
{
	(void)x;
	return SIGN_NOT_NEGATIVE;
}

/* ---- sigmoid: 1 / (1 + exp(-x)), small numbers with all their digits ---- */

static double sigmoid(double x)
{
	double t = exp(-fabs(x));
	return (x > 0 ? 1 : t) / (1 + t);
}

static const struct scalar *slope_of_sigmoid(struct arena *a, const struct scalar *s)
{
	return op2(a, SC_MUL, s, op2(a, SC_SUB, number(a, s->type, 1), s));
}

const struct scalar_function scalar_fn_sigmoid = {
	.text = "sigmoid",
	.arity = 1,
	.result = SCALAR_FLOAT,
	.flops = 8,
	.effort = EFFORT_FUNCTION,
	.float1 = sigmoid,
	.approximate = true,
	.slope = slope_of_sigmoid,
	.sign = never_negative,
	.always = FACT_FINITE,
	.joins = joins_rising,
};

/* ---- softplus: log(1 + exp(x)) ---- */

static double softplus(double x)
{
	return (x > 0 ? x : 0) + log1p(exp(-fabs(x)));
}

static const struct scalar *slope_of_softplus(struct arena *a, const struct scalar *s)
{
	return op1(a, SC_SIGMOID, s->arg[0]);
}

const struct scalar_function scalar_fn_softplus = {
	.text = "softplus",
	.arity = 1,
	.result = SCALAR_FLOAT,
	.flops = 8,
	.effort = EFFORT_FUNCTION,
	.float1 = softplus,
	.approximate = true,
	.slope = slope_of_softplus,
	.sign = never_negative,
	.joins = joins_rising,
};

/* ---- normal_cdf: the standard normal distribution function, (1 + erf(x / sqrt 2)) / 2, to the last bits of 1 ---- */

static double normal_cdf(double x)
{
	return 0.5 * erfc(x * -0.70710678118654752440);
}

/* exp(-x^2 / 2) / sqrt(2 pi); halved before it is squared, so that no derivative doubles x. */
static const struct scalar *slope_of_normal_cdf(struct arena *a, const struct scalar *s)
{
	const struct scalar *x = s->arg[0], *half = op2(a, SC_MUL, number(a, s->type, -0.5), x);
	const struct scalar *power = op1(a, SC_EXP, op2(a, SC_MUL, half, x));
	return op2(a, SC_MUL, number(a, s->type, 0.39894228040143267794), power);
}

const struct scalar_function scalar_fn_normal_cdf = {
	.text = "normal_cdf",
	.arity = 1,
	.result = SCALAR_FLOAT,
	.flops = 8,
	.effort = EFFORT_FUNCTION,
	.float1 = normal_cdf,
	.approximate = true,
	.slope = slope_of_normal_cdf,
	.sign = never_negative,
	.always = FACT_FINITE,
	.joins = joins_rising,
};

/* ---- lgamma: log |gamma(x)| ---- */

/* The derivative of lgamma at x, of f32 or f64: log(v) - 1/2v - 1/12v^2 + 1/120v^4 - … at v = x + 8 (Abramowitz and
 * Stegun, 6.3.18), less 1/x + … + 1/(x + 7); below 1/2 that of 1 - x, less pi cot(pi x), whose period is 1: of what x
 * is above or below a whole number, so that no digit is lost next to a pole. */
static const struct scalar *digamma(struct arena *a, const struct scalar *x)
{
	static const double series[] = {1.0 / 12,  -1.0 / 120,     1.0 / 252, -1.0 / 240,
					1.0 / 132, -691.0 / 32760, 1.0 / 12};
	enum dtype t = x->type;
	enum { TERMS = sizeof series / sizeof *series, SHIFT = 8 };
	const struct scalar *one = number(a, t, 1), *below = op2(a, SC_LT, x, number(a, t, 0.5));
	const struct scalar *w = choose(a, below, op2(a, SC_SUB, one, x), x);
	const struct scalar *v = op2(a, SC_ADD, w, number(a, t, SHIFT)), *r = op2(a, SC_DIV, one, v);
	const struct scalar *square = op2(a, SC_MUL, r, r), *tail = number(a, t, 0);
	for (int i = TERMS - 1; i >= 0; i--)
		tail = op2(a, SC_MUL, square, op2(a, SC_ADD, number(a, t, series[i]), tail));
	tail = op2(a, SC_ADD, tail, op2(a, SC_MUL, number(a, t, 0.5), r));
	for (int i = 0; i < SHIFT; i++)
		tail = op2(a, SC_ADD, tail, op2(a, SC_DIV, one, op2(a, SC_ADD, w, number(a, t, i))));
	const struct scalar *turn = number(a, t, 3.14159265358979323846);
	const struct scalar *angle = op2(a, SC_MUL, turn, op2(a, SC_SUB, x, op1(a, SC_ROUND, x)));
	const struct scalar *other = op2(a, SC_DIV, op1(a, SC_COS, angle), op1(a, SC_SIN, angle));
	const struct scalar *reflected = choose(a, below, op2(a, SC_MUL, turn, other), number(a, t, 0));
	return op2(a, SC_SUB, op2(a, SC_SUB, op1(a, SC_LOG, v), tail), reflected);
}

/* In f32 where x has fewer digits. */
static const struct scalar *slope_of_lgamma(struct arena *a, const struct scalar *s)
{
	const struct scalar *x = s->arg[0];
	enum dtype t = x->type, wide = t == DT_F64 ? DT_F64 : DT_F32;
	const struct scalar *y = digamma(a, scalar_apply(a, SC_CAST, wide, x, NULL, NULL));
	return scalar_apply(a, SC_CAST, t, y, NULL, NULL);
}

const struct scalar_function scalar_fn_lgamma = {
	.text = "lgamma",
	.arity = 1,
	.result = SCALAR_FLOAT,
	.flops = 64,
	.effort = EFFORT_FUNCTION,
	.float1 = lgamma,
	.approximate = true,
	.slope = slope_of_lgamma,
};
