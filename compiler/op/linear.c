/* linear.c — the body of a rule over unfinished operands, by abstract evaluation: every node is found to be fixed (the
 * same on all ranks), part (joins like the operands do), counter (joins the other way: min for max), or lost. A node
 * can be fixed and part at once: 0 among sums, any fixed value among maxima, 1 and 0 among products. */
#include "linear.h"

#include <math.h>

enum { FIXED = 1, PART = 2, COUNTER = 4 };

struct analysis {
	unsigned parts;
	enum shard_combiner combiner;
	bool single;              /* one operand only: then max and min of it are also monotone in sums */
	const struct scalar *cut; /* a number that the operand is compared with, if only one side of it is looked at */
	bool is_above;
};

static bool is_extremum(const struct analysis *n)
{
	return n->combiner == SHARD_MAX || n->combiner == SHARD_MIN;
}

static int flipped(int v)
{
	return (v & FIXED) | (v & PART ? COUNTER : 0) | (v & COUNTER ? PART : 0);
}

/* What a fixed value is besides. */
static int fixed(const struct analysis *n, const struct scalar *s)
{
	bool number = s->kind == SCALAR_CONST;
	bool one = number && (dtype_is_float(s->type) ? s->f == 1 : s->i == 1);
	if (is_extremum(n))
		return FIXED | PART | COUNTER;
	if (scalar_is_zero(s) || (one && n->combiner == SHARD_PROD))
		return FIXED | PART;
	return FIXED;
}

/* Of a number that may be multiplied with: infinity times a part that is 0 is none. */
static int sign_of(const struct scalar *s)
{
	if (s->kind != SCALAR_CONST || !dtype_is_float(s->type) || !isfinite(s->f))
		return 0;
	return s->f > 0 ? 1 : s->f < 0 ? -1 : 0;
}

/* True if the value cannot be 0 or less, whatever the operands are (a NaN aside). */
static bool is_positive(const struct scalar *s)
{
	if (s->kind != SCALAR_APPLY)
		return sign_of(s) > 0;
	if (s->fn == SC_EXP)
		return true; /* or 0, from far below, whose quotient is the limit */
	return s->fn == SC_ADD && is_positive(s->arg[0]) && is_positive(s->arg[1]);
}

/* True if the value cannot be below 0, whatever the operands are (a NaN aside). */
static bool is_nonnegative(const struct scalar *s)
{
	if (is_positive(s) || scalar_is_zero(s))
		return true;
	if (s->kind != SCALAR_APPLY || !dtype_is_float(s->type))
		return false;
	if (s->fn == SC_MAX)
		return is_nonnegative(s->arg[0]) || is_nonnegative(s->arg[1]);
	if (s->fn == SC_ADD || s->fn == SC_MUL || s->fn == SC_MIN)
		return is_nonnegative(s->arg[0]) && is_nonnegative(s->arg[1]);
	return s->fn == SC_ABS || s->fn == SC_SOFTPLUS;
}

/* Parts of a maximum are -inf where a rank has nothing, and wrap around nowhere: integers near their ends do. */
static int keep_float(const struct scalar *s, int v)
{
	return dtype_is_float(s->type) ? v : v & FIXED;
}

static int sum_of(const struct analysis *n, const struct scalar *s, int x, int y)
{
	int second = s->fn == SC_SUB && is_extremum(n) ? flipped(y) : y;
	if (n->combiner == SHARD_SUM)
		return x & y & PART;
	if (n->combiner == SHARD_PROD)
		return 0;
	if (x & FIXED)
		return keep_float(s, second & (PART | COUNTER));
	if (y & FIXED)
		return keep_float(s, x & (PART | COUNTER));
	return n->single ? keep_float(s, x & second & (PART | COUNTER)) : 0;
}

static int product_of(const struct analysis *n, const struct scalar *s, int x, int y)
{
	bool quotient = s->fn == SC_DIV;
	if (quotient && !dtype_is_float(s->type))
		return 0;
	if (n->combiner == SHARD_PROD)
		return x & y & PART;
	if (n->combiner == SHARD_SUM)
		return y & FIXED ? x & PART : quotient ? 0 : x & FIXED ? y & PART : 0;
	if (quotient && x & FIXED && !(y & FIXED) && sign_of(s->arg[0]) && is_positive(s->arg[1]))
		return (sign_of(s->arg[0]) > 0 ? flipped(y) : y) & (PART | COUNTER);
	if (!(y & FIXED) && (quotient || !(x & FIXED)))
		return 0;
	int sign = sign_of(s->arg[y & FIXED ? 1 : 0]), part = keep_float(s, y & FIXED ? x : y) & (PART | COUNTER);
	return sign > 0 ? part : sign < 0 ? flipped(part) : 0;
}

static int extremum_of(const struct analysis *n, const struct scalar *s, int x, int y)
{
	int along = (s->fn == SC_MAX || s->fn == SC_OR) == (n->combiner == SHARD_MAX) ? PART : COUNTER;
	if (!is_extremum(n))
		return 0;
	/* max of maxima always; min of maxima if one side is fixed, or both follow one operand. */
	if ((x | y) & FIXED || n->single)
		return x & y & (PART | COUNTER);
	return x & y & along;
}

/* Functions of one argument that never fall, or never rise. Those that are undefined below some number keep the values
 * of P(min), whose parts are not below the whole, but of P(max) only if the parts cannot be below 0. */
static int monotone(const struct analysis *n, const struct scalar *s, int x)
{
	bool undefined_below = s->fn == SC_LOG || s->fn == SC_LOG1P || s->fn == SC_SQRT || s->fn == SC_RSQRT;
	if (!is_extremum(n))
		return 0;
	if (undefined_below && !is_nonnegative(s->arg[0]))
		x &= n->combiner == SHARD_MIN ? PART : COUNTER;
	return s->fn == SC_RSQRT ? flipped(x) : x & (PART | COUNTER);
}

/* The angle of (x, y) rises with y where x is positive, falls with x where y is, and rises where y is negative. */
static int angle_of(const struct analysis *n, const struct scalar *s, int y, int x)
{
	if (!is_extremum(n))
		return 0;
	if (x & FIXED)
		return is_positive(s->arg[1]) ? y & (PART | COUNTER) : 0;
	int sign = y & FIXED ? sign_of(s->arg[0]) : 0;
	return sign ? (sign > 0 ? flipped(x) : x) & (PART | COUNTER) : 0;
}

static int cast_of(const struct scalar *s, int x)
{
	bool floats = dtype_is_float(s->type) && dtype_is_float(s->arg[0]->type);
	bool bf16_f16 = (s->type == DT_BF16 || s->type == DT_F16) && s->type != s->arg[0]->type;
	bool wider = floats && !bf16_f16 && dtype_size(s->type) >= dtype_size(s->arg[0]->type);
	return wider ? x & (PART | COUNTER) : 0;
}

static int analyse(const struct analysis *n, const struct scalar *s);

/* ---- where(a > c, f(a), g(a)) ---- */

static bool is_part(const struct analysis *n, const struct scalar *s)
{
	return s->kind == SCALAR_OPERAND && n->parts >> s->index & 1;
}

/* The number c of a condition a > c, a >= c, a < c or a <= c on the one operand in parts, of f32 or f64; NULL: it is
 * none. *above: what the condition is above c. */
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
	bool wide = a->type == DT_F32 || a->type == DT_F64;
	return wide && is_part(n, a) && c->kind == SCALAR_CONST && isfinite(c->f) ? c : NULL;
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
		if (s->arg[k]->kind != SCALAR_CONST && (inner < 0 || (operand >= 0 && inner != operand)))
			return -1;
		operand = inner >= 0 ? inner : operand;
	}
	return operand;
}

static double value_at(const struct scalar *s, int operand, double x)
{
	union scalar_value v[MAX_OPERANDS] = {{.f = 0}};
	v[operand].f = x;
	return scalar_eval(s, v, NULL).f;
}

/* Rising (falling) on either side of a number, and not turning there: it is enough to look at the numbers next to it.
 * A NaN must stay one, for it follows no order: where(a > 0, 1, -1) makes a -1 of it, which other parts outdo. */
static int pieces(const struct analysis *n, const struct scalar *s)
{
	bool above;
	const struct scalar *cut = cut_of(n, s->arg[0], &above);
	if (!cut || !is_extremum(n) || !dtype_is_float(s->type))
		return 0;
	if (n->cut)
		return n->cut->f == cut->f ? analyse(n, s->arg[n->is_above == above ? 1 : 2]) : 0;
	int operand = only_operand(s);
	if (operand < 0)
		return 0;
	struct analysis side = *n;
	side.cut = cut;
	int sides = analyse(&side, s);
	side.is_above = true;
	sides &= analyse(&side, s);
	double c = cut->f, next = cut->type == DT_F64 ? nextafter(c, INFINITY) : nextafterf((float)c, INFINITY),
	       last = cut->type == DT_F64 ? nextafter(c, -INFINITY) : nextafterf((float)c, -INFINITY);
	double low = value_at(s, operand, last), here = value_at(s, operand, c), high = value_at(s, operand, next);
	bool rises = low <= here && here <= high, falls = low >= here && here >= high;
	if (!isnan(value_at(s, operand, NAN)))
		return 0;
	return (rises ? sides & PART : 0) | (falls ? sides & COUNTER : 0);
}

static int analyse_apply(const struct analysis *n, const struct scalar *s, const int *v)
{
	switch (s->fn) {
	case SC_ADD:
	case SC_SUB:
		return sum_of(n, s, v[0], v[1]);
	case SC_MUL:
	case SC_DIV:
		return product_of(n, s, v[0], v[1]);
	case SC_MIN:
	case SC_MAX:
	case SC_AND:
	case SC_OR:
		return extremum_of(n, s, v[0], v[1]);
	case SC_NEG:
		return n->combiner == SHARD_SUM ? v[0] & PART
		       : is_extremum(n)         ? keep_float(s, flipped(v[0])) & (PART | COUNTER)
						: 0;
	case SC_NOT:
		return is_extremum(n) ? flipped(v[0]) & (PART | COUNTER) : 0;
	case SC_ABS:
		return n->combiner == SHARD_PROD ? keep_float(s, v[0]) & PART : 0;
	case SC_EXP:
	case SC_LOG:
	case SC_SQRT:
	case SC_RSQRT:
	case SC_TANH:
	case SC_ERF:
	case SC_LOG1P:
	case SC_EXPM1:
	case SC_SOFTPLUS:
	case SC_FLOOR:
	case SC_ROUND:
		return monotone(n, s, v[0]);
	case SC_ATAN2:
		return angle_of(n, s, v[0], v[1]);
	case SC_WHERE:
		return v[0] & FIXED ? v[1] & v[2] & (PART | COUNTER) : pieces(n, s);
	case SC_CAST:
		return cast_of(s, v[0]);
	case SC_MOD:
	case SC_POW:
	case SC_SIN:
	case SC_COS:
	case SC_LGAMMA:
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
	return 0;
}

static int analyse(const struct analysis *n, const struct scalar *s)
{
	int v[3] = {FIXED, FIXED, FIXED};
	if (s->kind == SCALAR_OPERAND && n->parts >> s->index & 1)
		return PART;
	if (s->kind != SCALAR_APPLY)
		return fixed(n, s);
	bool all_fixed = true;
	for (int k = 0; k < 3 && s->arg[k]; k++) {
		v[k] = analyse(n, s->arg[k]);
		all_fixed = all_fixed && v[k] & FIXED;
	}
	return all_fixed ? fixed(n, s) : analyse_apply(n, s, v);
}

static enum shard_combiner other_way(enum shard_combiner c)
{
	return c == SHARD_MAX ? SHARD_MIN : SHARD_MAX;
}

/* Points that are dropped, and elements that no point reaches, hold the neutral element on every rank, or 0; both join
 * to themselves under the combiners accepted here. */
static bool reduction_joins(enum combiner c, enum shard_combiner parts)
{
	switch (c) {
	case COMBINE_NONE:
		return true;
	case COMBINE_SUM:
		return parts == SHARD_SUM;
	case COMBINE_PROD:
		return parts == SHARD_PROD;
	case COMBINE_MAX:
		return parts == SHARD_MAX;
	case COMBINE_MIN:
		return parts == SHARD_MIN;
	case COMBINE_ARGMAX:
	case COMBINE_ARGMIN:
	case COMBINE_COUNT:
		break;
	}
	return false;
}

bool rule_takes_parts(const struct rule *r, unsigned parts, enum shard_combiner combiner, enum shard_combiner *result)
{
	struct analysis n = {.parts = parts, .combiner = combiner, .single = (parts & (parts - 1)) == 0};
	for (int k = 0; k < r->noperands; k++) {
		if (!(parts >> k & 1))
			continue;
		bool numeric = dtype_kind(r->operand[k].type) != DTYPE_BOOL || is_extremum(&n);
		if (!numeric || rule_reads_index(r, k) || !scalar_uses_operand(r->body, k))
			return false;
	}
	int v = analyse(&n, r->body);
	*result = combiner;
	if (v & PART && reduction_joins(r->combiner, *result))
		return true;
	*result = other_way(combiner);
	return is_extremum(&n) && v & COUNTER && reduction_joins(r->combiner, *result);
}
