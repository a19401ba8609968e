/* fold.c — simpler equals of a node: constants are computed, neutral elements vanish. Keeps derivatives small.
 * Rules hold for every finite value; x * 0 is 0 even where x could be infinite, because derivatives need it. Functions
 * of operands that happen to be the same one stay (max(x, x) is not x): which layouts an operator takes is read off the
 * body, and must not depend on what it is given. */
#include "scalar.h"

static bool is_const(const struct scalar *s)
{
	return s->kind == SCALAR_CONST;
}

static bool is_number(const struct scalar *s, double v)
{
	return is_const(s) && (dtype_is_float(s->type) ? s->f == v : (double)s->i == v);
}

static bool is_fn(const struct scalar *s, enum scalar_fn fn)
{
	return s->kind == SCALAR_APPLY && s->fn == fn;
}

static const struct scalar *number(struct arena *a, enum dtype t, int64_t v)
{
	return dtype_is_float(t) ? scalar_float(a, t, (double)v) : scalar_int(a, t, v);
}

static const struct scalar *fold_constants(struct arena *a, const struct scalar *s)
{
	for (int k = 0; k < 3 && s->arg[k]; k++)
		if (!is_const(s->arg[k]))
			return NULL;
	if (scalar_result_kind(s->fn) == SCALAR_FROM && s->fn != SC_CAST)
		return NULL;
	union scalar_value v = scalar_eval(s, NULL, NULL);
	return dtype_is_float(s->type) ? scalar_float(a, s->type, v.f) : scalar_int(a, s->type, v.i);
}

/* A choice among constants, possibly nested: a factor to multiply into. */
static bool is_choice(const struct scalar *s)
{
	return is_fn(s, SC_WHERE) && (is_const(s->arg[1]) || is_choice(s->arg[1])) &&
	       (is_const(s->arg[2]) || is_choice(s->arg[2]));
}

static const struct scalar *times_choice(struct arena *a, const struct scalar *x, const struct scalar *choice)
{
	const struct scalar *yes = scalar_apply(a, SC_MUL, x->type, x, choice->arg[1], NULL);
	const struct scalar *no = scalar_apply(a, SC_MUL, x->type, x, choice->arg[2], NULL);
	return scalar_apply(a, SC_WHERE, x->type, choice->arg[0], yes, no);
}

static const struct scalar *op2(struct arena *a, enum scalar_fn fn, const struct scalar *x, const struct scalar *y)
{
	return scalar_apply(a, fn, x->type, x, y, NULL);
}

static const struct scalar *negative(struct arena *a, const struct scalar *x)
{
	return scalar_apply(a, SC_NEG, x->type, x, NULL, NULL);
}

/* Signs go outwards, where two of them cancel; x * (1 / y) is a quotient. */
static const struct scalar *fold_factors(struct arena *a, const struct scalar *x, const struct scalar *y)
{
	if (is_fn(x, SC_NEG))
		return negative(a, op2(a, SC_MUL, x->arg[0], y));
	if (is_fn(y, SC_NEG))
		return negative(a, op2(a, SC_MUL, x, y->arg[0]));
	if (is_fn(y, SC_DIV) && is_number(y->arg[0], 1) && dtype_is_float(y->type))
		return op2(a, SC_DIV, x, y->arg[1]);
	return NULL;
}

static const struct scalar *fold_product(struct arena *a, const struct scalar *x, const struct scalar *y)
{
	if (scalar_is_zero(x) || scalar_is_zero(y))
		return number(a, x->type, 0);
	if (is_number(x, 1))
		return y;
	if (is_number(y, 1))
		return x;
	if (is_number(x, -1))
		return negative(a, y);
	if (is_number(y, -1))
		return negative(a, x);
	if (is_choice(y))
		return times_choice(a, x, y);
	if (is_choice(x))
		return times_choice(a, y, x);
	return fold_factors(a, x, y);
}

static const struct scalar *fold_sum(struct arena *a, const struct scalar *s)
{
	const struct scalar *x = s->arg[0], *y = s->arg[1];
	if (scalar_is_zero(y))
		return x;
	if (scalar_is_zero(x))
		return s->fn == SC_ADD ? y : negative(a, y);
	if (is_fn(y, SC_NEG))
		return op2(a, s->fn == SC_ADD ? SC_SUB : SC_ADD, x, y->arg[0]);
	if (is_fn(x, SC_NEG) && s->fn == SC_ADD)
		return op2(a, SC_SUB, y, x->arg[0]);
	if (s->fn == SC_ADD && dtype_kind(y->type) == DTYPE_INT && is_const(y) && y->i < 0 && y->i > INT64_MIN)
		return op2(a, SC_SUB, x, scalar_int(a, y->type, -y->i));
	return NULL;
}

static const struct scalar *fold_quotient(struct arena *a, const struct scalar *x, const struct scalar *y)
{
	if (scalar_is_zero(x) || is_number(y, 1))
		return x;
	return is_fn(x, SC_NEG) && dtype_is_float(x->type) ? negative(a, op2(a, SC_DIV, x->arg[0], y)) : NULL;
}

static const struct scalar *fold_power(struct arena *a, const struct scalar *x, const struct scalar *y)
{
	if (is_number(y, 0))
		return number(a, x->type, 1);
	if (is_number(y, 1))
		return x;
	return is_number(y, 2) ? scalar_apply(a, SC_MUL, x->type, x, x, NULL) : NULL;
}

static const struct scalar *fold_where(const struct scalar *s)
{
	if (is_const(s->arg[0]))
		return s->arg[scalar_is_zero(s->arg[0]) ? 2 : 1];
	return is_const(s->arg[1]) && scalar_equal(s->arg[1], s->arg[2]) ? s->arg[1] : NULL;
}

static const struct scalar *fold_logic(struct arena *a, const struct scalar *s)
{
	const struct scalar *x = s->arg[0], *y = s->arg[1];
	bool decides = s->fn == SC_OR; /* true || y, false && y */
	if (is_const(x))
		return scalar_is_zero(x) == decides ? y : scalar_int(a, DT_BOOL, decides);
	if (is_const(y))
		return scalar_is_zero(y) == decides ? x : scalar_int(a, DT_BOOL, decides);
	return NULL;
}

/* A cast to the own type, and a cast back from a wider type of the same kind. */
static const struct scalar *fold_cast(const struct scalar *s)
{
	const struct scalar *x = s->arg[0];
	if (x->type == s->type)
		return x;
	if (!is_fn(x, SC_CAST) || x->arg[0]->type != s->type || dtype_kind(s->type) != dtype_kind(x->type))
		return NULL;
	return dtype_size(x->type) > dtype_size(s->type) ? x->arg[0] : NULL;
}

const struct scalar *scalar_fold(struct arena *a, const struct scalar *s)
{
	const struct scalar *x = s->arg[0], *constant = fold_constants(a, s);
	if (constant)
		return constant;
	switch (s->fn) {
	case SC_ADD:
	case SC_SUB:
		return fold_sum(a, s);
	case SC_MUL:
		return fold_product(a, x, s->arg[1]);
	case SC_DIV:
		return fold_quotient(a, x, s->arg[1]);
	case SC_NEG:
		return is_fn(x, SC_NEG) ? x->arg[0] : NULL;
	case SC_NOT:
		return is_fn(x, SC_NOT) ? x->arg[0] : NULL;
	case SC_POW:
		return fold_power(a, x, s->arg[1]);
	case SC_AND:
	case SC_OR:
		return fold_logic(a, s);
	case SC_WHERE:
		return fold_where(s);
	case SC_CAST:
		return fold_cast(s);
	case SC_MIN:
	case SC_MAX:
	case SC_MOD:
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
	case SC_ATAN2:
	case SC_LGAMMA:
	case SC_ABS:
	case SC_FLOOR:
	case SC_ROUND:
	case SC_EQ:
	case SC_NE:
	case SC_LT:
	case SC_LE:
	case SC_GT:
	case SC_GE:
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
	return NULL;
}
