/* where.c — where(condition, x, y): only the side that is chosen is computed. */
#include "joins.h"
#include "terms.h"

#include "../range.h"
#include "../rule.h"

#include <math.h>

static const char *check(struct arena *a, const struct scalar *s)
{
	if (s->arg[0]->type != DT_BOOL || s->arg[1]->type != s->arg[2]->type)
		return arena_printf(a, "`where` takes a bool and two values of one type");
	return NULL;
}

static union scalar_value eval(const struct scalar *s, const union scalar_value *x)
{
	(void)s;
	return x[0].i ? x[1] : x[2];
}

static const struct scalar *derive(struct derivation *d, const struct scalar *s, const struct scalar *const *dx)
{
	return choose(d->arena, s->arg[0], dx[1], dx[2]);
}

static const struct scalar *fold(struct arena *a, const struct scalar *s)
{
	(void)a;
	if (is_const(s->arg[0]))
		return s->arg[scalar_is_zero(s->arg[0]) ? 2 : 1];
	return is_const(s->arg[1]) && scalar_equal(s->arg[1], s->arg[2]) ? s->arg[1] : NULL;
}

static struct range range(const struct range *x)
{
	return range_hull(x[1], x[2]);
}

static unsigned facts(const struct scalar *s, const unsigned *x)
{
	(void)s;
	return x[1] & x[2];
}

/* ---- where(a > c, f(a), g(a)) of an a in parts ---- */

static bool is_part(const struct analysis *n, const struct scalar *s)
{
	return s->kind == SCALAR_OPERAND && n->parts >> s->index & 1;
}

/* The number c of a condition a > c, a >= c, a < c or a <= c on the one operand in parts, of f32, f64 or ints; NULL: it
 * is none. *above: what the condition is above c. */
static const struct scalar *cut_of(const struct analysis *n, const struct scalar *condition, bool *above)
{
	if (condition->kind != SCALAR_APPLY)
		return NULL;
	bool greater = condition->fn == SC_GT || condition->fn == SC_GE;
	if (!greater && condition->fn != SC_LT && condition->fn != SC_LE)
		return NULL;
	bool turned = is_part(n, condition->arg[1]);
	const struct scalar *a = condition->arg[turned], *c = condition->arg[!turned];
	*above = greater != turned;
	bool wide = a->type == DT_F32 || a->type == DT_F64, whole = dtype_is_int(a->type);
	return is_part(n, a) && is_const(c) && (whole || (wide && isfinite(c->f))) ? c : NULL;
}

/* The operand, if s reads it and numbers alone; else -1. */
static int only_operand(const struct scalar *s)
{
	int operand = -1;
	if (s->kind != SCALAR_APPLY)
		return s->kind == SCALAR_OPERAND ? s->index : -1;
	if (scalar_draws(s))
		return -1;
	for (int k = 0; k < 3 && s->arg[k]; k++) {
		int inner = only_operand(s->arg[k]);
		if (!is_const(s->arg[k]) && (inner < 0 || (operand >= 0 && inner != operand)))
			return -1;
		operand = inner >= 0 ? inner : operand;
	}
	return operand;
}

static union scalar_value value_at(const struct scalar *s, int operand, union scalar_value x)
{
	union scalar_value v[MAX_OPERANDS] = {{.f = 0}};
	v[operand] = x;
	return scalar_eval(s, v, NULL);
}

static bool is_at_most(enum dtype t, union scalar_value x, union scalar_value y)
{
	return dtype_is_float(t) ? x.f <= y.f : !scalar_int_less(t, y.i, x.i);
}

static bool is_same_number(const struct scalar *x, const struct scalar *y)
{
	return x->type == y->type && (dtype_is_float(x->type) ? x->f == y->f : x->i == y->i);
}

/* The number next to c, above or below; c itself where there is none. */
static union scalar_value next_to(const struct scalar *c, bool above)
{
	double end = above ? INFINITY : -INFINITY;
	if (c->type == DT_F64)
		return (union scalar_value){.f = nextafter(c->f, end)};
	if (c->type == DT_F32)
		return (union scalar_value){.f = nextafterf((float)c->f, (float)end)};
	union scalar_value v = {.i = (int64_t)((uint64_t)c->i + (above ? 1 : UINT64_MAX))};
	int64_t x = scalar_convert(v, DT_I64, c->type).i;
	bool is_next = above ? scalar_int_less(c->type, c->i, x) : scalar_int_less(c->type, x, c->i);
	return (union scalar_value){.i = is_next ? x : c->i};
}

/* Rising (falling) on either side of a number, and not turning there: it is enough to look at the numbers next to it.
 * A NaN must stay one, for it follows no order: where(a > 0, 1, -1) makes a -1 of it, which other parts outdo. */
static int pieces(const struct analysis *n, const struct scalar *s)
{
	bool above;
	const struct scalar *cut = cut_of(n, s->arg[0], &above);
	if (!cut || !joins_by_extremum(n) || !(dtype_is_float(s->type) || dtype_is_int(s->type)) ||
	    (dtype_is_float(cut->type) && !dtype_is_float(s->type)))
		return 0;
	if (n->cut)
		return is_same_number(n->cut, cut) ? joins_of(n, s->arg[n->is_above == above ? 1 : 2]) : 0;
	int operand = only_operand(s);
	if (operand < 0)
		return 0;
	struct analysis side = *n;
	side.cut = cut;
	side.known = joins_again(n->known);
	int sides = joins_of(&side, s);
	side.is_above = true;
	side.known = joins_again(n->known);
	sides &= joins_of(&side, s);
	union scalar_value c =
		dtype_is_float(cut->type) ? (union scalar_value){.f = cut->f} : (union scalar_value){.i = cut->i};
	union scalar_value low = value_at(s, operand, next_to(cut, false)), here = value_at(s, operand, c),
			   high = value_at(s, operand, next_to(cut, true));
	bool rises = is_at_most(s->type, low, here) && is_at_most(s->type, here, high),
	     falls = is_at_most(s->type, here, low) && is_at_most(s->type, high, here);
	if (dtype_is_float(cut->type) && !isnan(value_at(s, operand, (union scalar_value){.f = NAN}).f))
		return 0;
	return (rises ? sides & PART : 0) | (falls ? sides & COUNTER : 0);
}

/* One of two numbers, by a condition in parts: it rises or falls with that. */
static int numbers(const struct scalar *s, const int *v)
{
	const struct scalar *x = s->arg[1], *y = s->arg[2];
	union scalar_value a = {.i = x->i}, b = {.i = y->i};
	if (dtype_is_float(s->type)) {
		a.f = x->f;
		b.f = y->f;
	}
	int falls = is_at_most(s->type, a, b) ? joins_turned(v[0]) : 0, rises = is_at_most(s->type, b, a) ? v[0] : 0;
	return (falls | rises) & (PART | COUNTER);
}

static int joins(const struct analysis *n, const struct scalar *s, const int *v)
{
	if (v[0] & FIXED)
		return v[1] & v[2] & (PART | COUNTER);
	if (v[0] && joins_by_extremum(n) && is_const(s->arg[1]) && is_const(s->arg[2]))
		return numbers(s, v);
	return pieces(n, s);
}

const struct scalar_function scalar_fn_where = {
	.text = "where",
	.arity = 3,
	.result = SCALAR_SAME,
	.bools = BOOLS_TOO,
	.chooses = true,
	.check = check,
	.flops = 1,
	.effort = EFFORT_ARITHMETIC,
	.keeps_digits = true,
	.eval = eval,
	.derive = derive,
	.fold = fold,
	.range = range,
	.facts = facts,
	.joins = joins,
	.absence = 2 | 4,
};
