/* body.c — the value and tangent of one point. Derivatives follow docs/operators.md and docs/language.md: the winners
 * of max and min share a tangent evenly, but where a constant is reached nothing passes. */
#include "random.h"

#include <math.h>

static struct dual extremum(const struct body *b, struct dual x, struct dual y, bool larger)
{
	bool x_wins = isnan(x.v) || (larger ? x.v > y.v : x.v < y.v); /* a NaN wins over numbers */
	double v = x_wins ? x.v : y.v;
	if (x.v != y.v)
		return (struct dual){v, x_wins ? x.t : y.t};
	bool constant = b->arg[0]->fn == FN_CONST || b->arg[1]->fn == FN_CONST;
	return (struct dual){v, constant ? 0 : 0.5 * (x.t + y.t)};
}

static struct dual quotient(const struct body *b, struct dual x, struct dual y)
{
	if (!dtype_is_float(b->type))
		return (struct dual){y.v == 0 ? 0 : floor(x.v / y.v), 0};
	double q = x.v / y.v;
	return (struct dual){q, (x.t - q * y.t) / y.v};
}

static struct dual remainder_of(const struct body *b, struct dual x, struct dual y)
{
	if (!dtype_is_float(b->type) && y.v == 0)
		return (struct dual){0, 0};
	return (struct dual){fmod(x.v, y.v), x.t - trunc(x.v / y.v) * y.t};
}

static struct dual convert(enum dtype to, struct dual x)
{
	if (to == BOOL)
		return (struct dual){x.v != 0, 0};
	if (to == I32)
		return (struct dual){isnan(x.v) ? 0 : fmin(fmax(trunc(x.v), INT32_MIN), INT32_MAX), 0};
	return (struct dual){to == F32 ? (double)(float)x.v : x.v, x.t};
}

static struct dual truth(bool holds)
{
	return (struct dual){holds, 0};
}

static struct dual smooth(enum fn fn, struct dual x)
{
	double v, slope;
	switch (fn) {
	case FN_EXP:
		v = slope = exp(x.v);
		break;
	case FN_LOG:
		v = log(x.v);
		slope = 1 / x.v;
		break;
	case FN_SQRT:
		v = sqrt(x.v);
		slope = 0.5 / v;
		break;
	case FN_RSQRT:
		v = 1 / sqrt(x.v);
		slope = -0.5 * v / x.v;
		break;
	case FN_TANH:
		v = tanh(x.v);
		slope = 1 - v * v;
		break;
	case FN_ERF:
		v = erf(x.v);
		slope = 2 / sqrt(acos(-1.0)) * exp(-x.v * x.v);
		break;
	case FN_SIN:
		v = sin(x.v);
		slope = cos(x.v);
		break;
	default: /* FN_COS */
		v = cos(x.v);
		slope = -sin(x.v);
		break;
	}
	return (struct dual){v, slope * x.t};
}

struct dual body_eval(const struct body *b, const struct dual *operand, const int *factor)
{
	struct dual x = {0, 0}, y = {0, 0};
	if (b->arg[0])
		x = body_eval(b->arg[0], operand, factor);
	if (b->arg[1])
		y = body_eval(b->arg[1], operand, factor);
	switch (b->fn) {
	case FN_OPERAND:
		return operand[b->index];
	case FN_CONST:
		return (struct dual){b->value, 0};
	case FN_FACTOR:
		return (struct dual){factor[b->index], 0};
	case FN_ADD:
		return (struct dual){x.v + y.v, x.t + y.t};
	case FN_SUB:
		return (struct dual){x.v - y.v, x.t - y.t};
	case FN_MUL:
		return (struct dual){x.v * y.v, x.t * y.v + x.v * y.t};
	case FN_DIV:
		return quotient(b, x, y);
	case FN_MOD:
		return remainder_of(b, x, y);
	case FN_LT:
		return truth(x.v < y.v);
	case FN_LE:
		return truth(x.v <= y.v);
	case FN_GT:
		return truth(x.v > y.v);
	case FN_GE:
		return truth(x.v >= y.v);
	case FN_EQ:
		return truth(x.v == y.v);
	case FN_NE:
		return truth(x.v != y.v);
	case FN_AND:
		return truth(x.v != 0 && y.v != 0);
	case FN_OR:
		return truth(x.v != 0 || y.v != 0);
	case FN_LARGER:
	case FN_SMALLER:
		return extremum(b, x, y, b->fn == FN_LARGER);
	case FN_NOT:
		return truth(x.v == 0);
	case FN_NEG:
		return (struct dual){-x.v, -x.t};
	case FN_ABS:
		return (struct dual){fabs(x.v), x.v > 0 ? x.t : x.v < 0 ? -x.t : 0};
	case FN_FLOOR:
		return (struct dual){floor(x.v), 0};
	case FN_WHERE:
		return x.v != 0 ? y : body_eval(b->arg[2], operand, factor);
	case FN_CAST:
		return convert(b->type, x);
	case FN_EXP:
	case FN_LOG:
	case FN_SQRT:
	case FN_RSQRT:
	case FN_TANH:
	case FN_ERF:
	case FN_SIN:
	case FN_COS:
	case FNS:
		break;
	}
	return smooth(b->fn, x);
}

bool body_is_exact(const struct body *b)
{
	if ((b->fn >= FN_EXP && b->fn <= FN_COS) || (b->fn == FN_DIV && dtype_is_float(b->type)))
		return false;
	for (int i = 0; i < 3; i++)
		if (b->arg[i] && !body_is_exact(b->arg[i]))
			return false;
	return true;
}

bool body_is_continuous(const struct body *b)
{
	bool jumps = (b->fn >= FN_MOD && b->fn <= FN_OR) || b->fn == FN_FLOOR ||
		     (b->fn == FN_CAST && !dtype_is_float(b->type));
	for (int i = 0; i < 3 && !jumps; i++)
		jumps = b->arg[i] && !body_is_continuous(b->arg[i]);
	return !jumps;
}

double body_margin(const struct body *b, const struct dual *operand, const int *factor)
{
	double least = INFINITY;
	for (int i = 0; i < 3; i++)
		if (b->arg[i])
			least = fmin(least, body_margin(b->arg[i], operand, factor));
	if (b->fn == FN_LARGER || b->fn == FN_SMALLER)
		least = fmin(least,
			     fabs(body_eval(b->arg[0], operand, factor).v - body_eval(b->arg[1], operand, factor).v));
	if (b->fn == FN_ABS)
		least = fmin(least, fabs(body_eval(b->arg[0], operand, factor).v));
	return least;
}
