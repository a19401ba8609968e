/* derive.c — ∂body/∂operand, one rule per function. Factors multiply the inner derivative last, so that a zero one ends
 * the work; shared subtrees are derived once. */
#include "scalar.h"

#include "base/map.h"

struct derivation {
	struct arena *arena;
	struct map done;
	int operand;
};

static const struct scalar *derive(struct derivation *d, const struct scalar *s);

static const struct scalar *number(struct derivation *d, enum dtype t, double v)
{
	return dtype_is_float(t) ? scalar_float(d->arena, t, v) : scalar_int(d->arena, t, (int64_t)v);
}

static const struct scalar *op2(struct derivation *d, enum scalar_fn fn, const struct scalar *x, const struct scalar *y)
{
	return scalar_apply(d->arena, fn, x->type, x, y, NULL);
}

static const struct scalar *op1(struct derivation *d, enum scalar_fn fn, const struct scalar *x)
{
	return scalar_apply(d->arena, fn, x->type, x, NULL, NULL);
}

static const struct scalar *choose(struct derivation *d, const struct scalar *c, const struct scalar *x,
				   const struct scalar *y)
{
	return scalar_apply(d->arena, SC_WHERE, x->type, c, x, y);
}

/* max and min: the larger (smaller) side's; half of each where they are equal, but nothing where a constant is reached:
 * relu has derivative 0 at 0. */
static const struct scalar *derive_extremum(struct derivation *d, const struct scalar *s, const struct scalar *dx,
					    const struct scalar *dy)
{
	const struct scalar *x = s->arg[0], *y = s->arg[1], *half = number(d, s->type, 0.5);
	const struct scalar *wins = op2(d, s->fn == SC_MAX ? SC_GT : SC_LT, x, y);
	if (y->kind == SCALAR_CONST)
		return choose(d, wins, dx, number(d, s->type, 0));
	if (x->kind == SCALAR_CONST)
		return choose(d, op2(d, s->fn == SC_MAX ? SC_GT : SC_LT, y, x), dy, number(d, s->type, 0));
	const struct scalar *ties = op2(d, SC_EQ, x, y);
	const struct scalar *x_share =
		choose(d, wins, number(d, s->type, 1), choose(d, ties, half, number(d, s->type, 0)));
	const struct scalar *y_share =
		choose(d, wins, number(d, s->type, 0), choose(d, ties, half, number(d, s->type, 1)));
	return op2(d, SC_ADD, op2(d, SC_MUL, dx, x_share), op2(d, SC_MUL, dy, y_share));
}

static bool is_clamp(const struct scalar *s)
{
	const struct scalar *x = s->arg[0];
	return s->fn == SC_MIN && x->kind == SCALAR_APPLY && x->fn == SC_MAX && x->arg[1]->kind != SCALAR_CONST &&
	       s->arg[1]->kind != SCALAR_CONST;
}

/* min(max(a, low), high): a's derivative from low to high, both included. */
static const struct scalar *derive_clamp(struct derivation *d, const struct scalar *s)
{
	const struct scalar *inner = s->arg[0], *a = inner->arg[0], *low = inner->arg[1], *high = s->arg[1];
	const struct scalar *within = choose(d, op2(d, SC_LT, a, low), derive(d, low), derive(d, a));
	return choose(d, op2(d, SC_GT, inner, high), derive(d, high), within);
}

/* y x^(y-1) dx + x^y log(x) dy; 0 where y is 0 and where x is, as there is no slope to choose. */
static const struct scalar *derive_power(struct derivation *d, const struct scalar *s, const struct scalar *dx,
					 const struct scalar *dy)
{
	const struct scalar *x = s->arg[0], *y = s->arg[1], *zero = number(d, s->type, 0);
	const struct scalar *lower = op2(d, SC_POW, x, op2(d, SC_SUB, y, number(d, s->type, 1)));
	const struct scalar *by_x = op2(d, SC_MUL, op2(d, SC_MUL, y, lower), dx);
	if (y->kind != SCALAR_CONST || scalar_is_zero(y))
		by_x = choose(d, op2(d, SC_EQ, y, zero), zero, by_x);
	if (scalar_is_zero(dy))
		return by_x;
	const struct scalar *nowhere = op2(d, SC_AND, op2(d, SC_EQ, x, zero), op2(d, SC_GE, y, zero));
	const struct scalar *by_y = choose(d, nowhere, zero, op2(d, SC_MUL, s, op1(d, SC_LOG, x)));
	return op2(d, SC_ADD, by_x, op2(d, SC_MUL, by_y, dy));
}

/* The derivative of lgamma at x, of f32 or f64: log(v) - 1/2v - 1/12v^2 + 1/120v^4 - … at v = x + 8 (Abramowitz and
 * Stegun, 6.3.18), less 1/x + … + 1/(x + 7); below 1/2 that of 1 - x, less pi cot(pi x), whose period is 1. */
static const struct scalar *digamma(struct derivation *d, const struct scalar *x)
{
	static const double series[] = {1.0 / 12,  -1.0 / 120,     1.0 / 252, -1.0 / 240,
					1.0 / 132, -691.0 / 32760, 1.0 / 12};
	enum dtype t = x->type;
	enum { TERMS = sizeof series / sizeof *series, SHIFT = 8 };
	const struct scalar *one = number(d, t, 1), *below = op2(d, SC_LT, x, number(d, t, 0.5));
	const struct scalar *w = choose(d, below, op2(d, SC_SUB, one, x), x);
	const struct scalar *v = op2(d, SC_ADD, w, number(d, t, SHIFT)), *r = op2(d, SC_DIV, one, v);
	const struct scalar *square = op2(d, SC_MUL, r, r), *tail = number(d, t, 0);
	for (int i = TERMS - 1; i >= 0; i--)
		tail = op2(d, SC_MUL, square, op2(d, SC_ADD, number(d, t, series[i]), tail));
	tail = op2(d, SC_ADD, tail, op2(d, SC_MUL, number(d, t, 0.5), r));
	for (int i = 0; i < SHIFT; i++)
		tail = op2(d, SC_ADD, tail, op2(d, SC_DIV, one, op2(d, SC_ADD, w, number(d, t, i))));
	const struct scalar *turn = number(d, t, 3.14159265358979323846);
	const struct scalar *angle = op2(d, SC_MUL, turn, op2(d, SC_SUB, x, op1(d, SC_FLOOR, x)));
	const struct scalar *other = op2(d, SC_DIV, op1(d, SC_COS, angle), op1(d, SC_SIN, angle));
	const struct scalar *reflected = choose(d, below, op2(d, SC_MUL, turn, other), number(d, t, 0));
	return op2(d, SC_SUB, op2(d, SC_SUB, op1(d, SC_LOG, v), tail), reflected);
}

/* In f32 where x has fewer digits. */
static const struct scalar *derive_lgamma(struct derivation *d, const struct scalar *x)
{
	enum dtype t = x->type, wide = t == DT_F64 ? DT_F64 : DT_F32;
	const struct scalar *y = digamma(d, scalar_apply(d->arena, SC_CAST, wide, x, NULL, NULL));
	return scalar_apply(d->arena, SC_CAST, t, y, NULL, NULL);
}

/* y / x turns the angle of (x, y): (x dy - y dx) / (x^2 + y^2). */
static const struct scalar *derive_angle(struct derivation *d, const struct scalar *s, const struct scalar *dy,
					 const struct scalar *dx)
{
	const struct scalar *y = s->arg[0], *x = s->arg[1];
	const struct scalar *turn = op2(d, SC_SUB, op2(d, SC_MUL, x, dy), op2(d, SC_MUL, y, dx));
	return op2(d, SC_DIV, turn, op2(d, SC_ADD, op2(d, SC_MUL, x, x), op2(d, SC_MUL, y, y)));
}

static const struct scalar *derive_two(struct derivation *d, const struct scalar *s)
{
	if (is_clamp(s))
		return derive_clamp(d, s);
	const struct scalar *x = s->arg[0], *y = s->arg[1], *dx = derive(d, x), *dy = derive(d, y);
	if (scalar_is_zero(dx) && scalar_is_zero(dy))
		return number(d, s->type, 0);
	if (s->fn == SC_ADD || s->fn == SC_SUB)
		return op2(d, s->fn, dx, dy);
	if (s->fn == SC_MUL)
		return op2(d, SC_ADD, op2(d, SC_MUL, dx, y), op2(d, SC_MUL, x, dy));
	if (s->fn == SC_DIV) /* (dx - (x / y) dy) / y */
		return op2(d, SC_DIV, op2(d, SC_SUB, dx, op2(d, SC_MUL, s, dy)), y);
	if (s->fn == SC_MOD) /* x - trunc(x / y) y, the quotient is locally constant */
		return op2(d, SC_SUB, dx, op2(d, SC_MUL, op2(d, SC_DIV, op2(d, SC_SUB, x, s), y), dy));
	if (s->fn == SC_ATAN2)
		return derive_angle(d, s, dx, dy);
	return s->fn == SC_POW ? derive_power(d, s, dx, dy) : derive_extremum(d, s, dx, dy);
}

/* 1 / (1 + exp(-x)), small numbers with all their digits. */
static const struct scalar *sigmoid(struct derivation *d, const struct scalar *x)
{
	const struct scalar *one = number(d, x->type, 1), *right = op2(d, SC_GT, x, number(d, x->type, 0));
	const struct scalar *t = op1(d, SC_EXP, choose(d, right, op1(d, SC_NEG, x), x));
	return op2(d, SC_DIV, choose(d, right, one, t), op2(d, SC_ADD, one, t));
}

/* The derivative of a function of one argument at x; s is its value. */
static const struct scalar *derive_one(struct derivation *d, const struct scalar *s)
{
	enum dtype t = s->type;
	const struct scalar *x = s->arg[0], *zero = number(d, t, 0), *one = number(d, t, 1),
			    *square = op2(d, SC_MUL, x, x);
	if (s->fn == SC_NEG)
		return number(d, t, -1);
	if (s->fn == SC_EXP)
		return s;
	if (s->fn == SC_LOG)
		return op2(d, SC_DIV, one, x);
	if (s->fn == SC_SQRT)
		return op2(d, SC_DIV, number(d, t, 0.5), s);
	if (s->fn == SC_RSQRT)
		return op2(d, SC_DIV, op2(d, SC_MUL, number(d, t, -0.5), s), x);
	if (s->fn == SC_TANH)
		return op2(d, SC_SUB, one, op2(d, SC_MUL, s, s));
	if (s->fn == SC_ERF) /* 2 / sqrt(pi) exp(-x^2) */
		return op2(d, SC_MUL, number(d, t, 1.12837916709551257390), op1(d, SC_EXP, op1(d, SC_NEG, square)));
	if (s->fn == SC_LOG1P)
		return op2(d, SC_DIV, one, op2(d, SC_ADD, one, x));
	if (s->fn == SC_EXPM1)
		return op1(d, SC_EXP, x);
	if (s->fn == SC_SOFTPLUS)
		return sigmoid(d, x);
	if (s->fn == SC_SIN)
		return op1(d, SC_COS, x);
	if (s->fn == SC_COS)
		return op1(d, SC_NEG, op1(d, SC_SIN, x));
	if (s->fn == SC_LGAMMA)
		return derive_lgamma(d, x);
	/* abs */
	return choose(d, op2(d, SC_GT, x, zero), one, choose(d, op2(d, SC_LT, x, zero), number(d, t, -1), zero));
}

static const struct scalar *derive_apply(struct derivation *d, const struct scalar *s)
{
	const struct scalar *inner;
	switch (s->fn) {
	case SC_ADD:
	case SC_SUB:
	case SC_MUL:
	case SC_DIV:
	case SC_MOD:
	case SC_POW:
	case SC_ATAN2:
	case SC_MIN:
	case SC_MAX:
		return derive_two(d, s);
	case SC_NEG:
	case SC_EXP:
	case SC_LOG:
	case SC_SQRT:
	case SC_RSQRT:
	case SC_TANH:
	case SC_ERF:
	case SC_LOG1P:
	case SC_EXPM1:
	case SC_SOFTPLUS:
	case SC_SIN:
	case SC_COS:
	case SC_LGAMMA:
	case SC_ABS:
		inner = derive(d, s->arg[0]);
		return scalar_is_zero(inner) ? inner : op2(d, SC_MUL, derive_one(d, s), inner);
	case SC_WHERE:
		return choose(d, s->arg[0], derive(d, s->arg[1]), derive(d, s->arg[2]));
	case SC_CAST:
		if (!dtype_is_float(s->type) || !dtype_is_float(s->arg[0]->type))
			break;
		return scalar_apply(d->arena, SC_CAST, s->type, derive(d, s->arg[0]), NULL, NULL);
	case SC_FLOOR:
	case SC_ROUND:
	case SC_EQ:
	case SC_NE:
	case SC_LT:
	case SC_LE:
	case SC_GT:
	case SC_GE:
	case SC_AND:
	case SC_OR:
	case SC_NOT:
	case SC_RANDOM_BITS:
	case SC_RANDOM_UNIFORM:
	case SC_RANDOM_NORMAL:
	case SC_FOLD_KEY:
	case SC_SUM_GRID:
	case SC_QUANTA:
	case SC_OF_QUANTA:
	case SC_REINTERPRET:
	case SC_FN_COUNT:
		break;
	}
	return number(d, s->type, 0);
}

static const struct scalar *derive(struct derivation *d, const struct scalar *s)
{
	if (s->kind == SCALAR_OPERAND && s->index == d->operand)
		return number(d, s->type, 1);
	if (s->kind != SCALAR_APPLY || !dtype_is_float(s->type))
		return number(d, s->type, 0);
	const struct scalar *done = map_get(&d->done, s);
	if (!done) {
		done = derive_apply(d, s);
		map_set(&d->done, s, (void *)done);
	}
	return done;
}

const struct scalar *scalar_derive(struct arena *a, const struct scalar *body, int operand)
{
	struct derivation d = {.arena = a, .operand = operand};
	map_init(&d.done, a);
	return derive(&d, body);
}
