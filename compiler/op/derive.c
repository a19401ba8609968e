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
	return s->fn == SC_POW ? derive_power(d, s, dx, dy) : derive_extremum(d, s, dx, dy);
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
	if (s->fn == SC_SIN)
		return op1(d, SC_COS, x);
	if (s->fn == SC_COS)
		return op1(d, SC_NEG, op1(d, SC_SIN, x));
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
	case SC_SIN:
	case SC_COS:
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
