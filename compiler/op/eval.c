/* eval.c — what the functions of a point mean: reference evaluation on single values.
 *
 * Floats are computed in double and rounded to the node's type at every step, which for f32 +, -, *, / and sqrt is the
 * IEEE result. Integers wrap to their width. To leave nothing undefined: x / 0 and x % 0 are 0 for integers, integer
 * division truncates and % has the sign of the dividend, max and min hand a NaN on, a float becomes an integer by
 * truncation, saturating at the ends, and NaN becomes 0; anything not zero is true. */
#include "scalar.h"

#include "../../runtime/philox.h"

#include <float.h>
#include <string.h>

/* v to `digits` binary digits, smallest step 2^least, to the nearest even; infinite from `most` on. */
static double round_digits(double v, int digits, int least, double most)
{
	int e;
	if (v == 0 || !isfinite(v))
		return v;
	frexp(v, &e);
	int step = e - digits > least ? e - digits : least;
	double r = ldexp(nearbyint(ldexp(v, -step)), step);
	return fabs(r) > most ? copysign(INFINITY, v) : r;
}

static double round_float(enum dtype t, double v)
{
	if (t == DT_F32)
		return (float)v;
	if (t == DT_BF16)
		return round_digits(v, 8, -133, 0x1.fep127);
	if (t == DT_F16)
		return round_digits(v, 11, -24, 65504);
	return v;
}

static int64_t wrap_int(enum dtype t, int64_t v)
{
	int unused = 64 - 8 * (int)dtype_size(t);
	if (dtype_kind(t) == DTYPE_BOOL)
		return v != 0;
	uint64_t high = (uint64_t)v << unused;
	if (dtype_kind(t) == DTYPE_UINT)
		return (int64_t)(high >> unused);
	return unused ? (int64_t)high / ((int64_t)1 << unused) : v;
}

static int64_t int_of_float(enum dtype t, double v)
{
	int bits = 8 * (int)dtype_size(t);
	bool is_unsigned = dtype_kind(t) == DTYPE_UINT;
	double low = is_unsigned ? 0 : -ldexp(1, bits - 1), high = ldexp(1, is_unsigned ? bits : bits - 1);
	if (v != v)
		return 0;
	v = trunc(v);
	if (v <= low)
		return is_unsigned ? 0 : (int64_t)low;
	if (v >= high)
		return is_unsigned ? (int64_t)(UINT64_MAX >> (64 - bits)) : (int64_t)((UINT64_MAX >> 1) >> (64 - bits));
	return is_unsigned ? (int64_t)(uint64_t)v : (int64_t)v;
}

union scalar_value scalar_convert(union scalar_value v, enum dtype from, enum dtype to)
{
	union scalar_value r = {.i = 0};
	if (dtype_is_float(to)) {
		double f = dtype_is_float(from) ? v.f : from == DT_U64 ? (double)(uint64_t)v.i : (double)v.i;
		r.f = round_float(to, f);
	} else if (dtype_is_float(from)) {
		r.i = dtype_kind(to) == DTYPE_BOOL ? v.f != 0 : int_of_float(to, v.f);
	} else {
		r.i = wrap_int(to, v.i);
	}
	return r;
}

static double float_apply(enum scalar_fn fn, double x, double y)
{
	switch (fn) {
	case SC_ADD:
		return x + y;
	case SC_SUB:
		return x - y;
	case SC_MUL:
		return x * y;
	case SC_DIV:
		return x / y;
	case SC_MOD:
		return fmod(x, y);
	case SC_NEG:
		return -x;
	case SC_MIN:
		return x != x || x < y ? x : y;
	case SC_MAX:
		return x != x || x > y ? x : y;
	case SC_POW:
		return pow(x, y);
	case SC_EXP:
		return exp(x);
	case SC_LOG:
		return log(x);
	case SC_SQRT:
		return sqrt(x);
	case SC_RSQRT:
		return 1 / sqrt(x);
	case SC_TANH:
		return tanh(x);
	case SC_ERF:
		return erf(x);
	case SC_LOG1P:
		return log1p(x);
	case SC_EXPM1:
		return expm1(x);
	case SC_SOFTPLUS:
		return (x > 0 ? x : 0) + log1p(exp(-fabs(x)));
	case SC_SIN:
		return sin(x);
	case SC_COS:
		return cos(x);
	case SC_ATAN2:
		return atan2(x, y);
	case SC_LGAMMA:
		return lgamma(x);
	case SC_ABS:
		return fabs(x);
	case SC_FLOOR:
		return floor(x);
	case SC_ROUND:
		return nearbyint(x);
	case SC_EQ:
	case SC_NE:
	case SC_LT:
	case SC_LE:
	case SC_GT:
	case SC_GE:
	case SC_AND:
	case SC_OR:
	case SC_NOT:
	case SC_WHERE:
	case SC_CAST:
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
	return NAN;
}

static int64_t int_divide(enum dtype t, int64_t x, int64_t y)
{
	if (y == 0)
		return 0;
	if (dtype_kind(t) == DTYPE_UINT)
		return (int64_t)((uint64_t)x / (uint64_t)y);
	return y == -1 ? (int64_t)(0 - (uint64_t)x) : x / y;
}

static bool int_less(enum dtype t, int64_t x, int64_t y)
{
	return t == DT_U64 ? (uint64_t)x < (uint64_t)y : x < y;
}

static int64_t int_apply(enum scalar_fn fn, enum dtype t, int64_t x, int64_t y)
{
	switch (fn) {
	case SC_ADD:
		return (int64_t)((uint64_t)x + (uint64_t)y);
	case SC_SUB:
		return (int64_t)((uint64_t)x - (uint64_t)y);
	case SC_MUL:
		return (int64_t)((uint64_t)x * (uint64_t)y);
	case SC_DIV:
		return int_divide(t, x, y);
	case SC_MOD:
		return (int64_t)((uint64_t)x - (uint64_t)int_divide(t, x, y) * (uint64_t)y) * (y != 0);
	case SC_NEG:
		return (int64_t)(0 - (uint64_t)x);
	case SC_MIN:
		return int_less(t, x, y) ? x : y;
	case SC_MAX:
		return int_less(t, x, y) ? y : x;
	case SC_ABS:
		return dtype_kind(t) == DTYPE_INT && x < 0 ? (int64_t)(0 - (uint64_t)x) : x;
	case SC_POW:
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
	case SC_WHERE:
	case SC_CAST:
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

/* Comparisons from equal and less; a NaN is neither. */
static bool compare(enum scalar_fn fn, enum dtype t, union scalar_value x, union scalar_value y)
{
	bool is_float = dtype_is_float(t);
	bool equal = is_float ? x.f == y.f : x.i == y.i;
	bool less = is_float ? x.f < y.f : int_less(t, x.i, y.i);
	bool greater = is_float ? x.f > y.f : int_less(t, y.i, x.i);
	if (fn == SC_EQ || fn == SC_NE)
		return equal == (fn == SC_EQ);
	return ((fn == SC_LT || fn == SC_LE) && less) || ((fn == SC_GT || fn == SC_GE) && greater) ||
	       ((fn == SC_LE || fn == SC_GE) && equal);
}

static union scalar_value draw(enum scalar_fn fn, enum dtype t, int64_t key, int64_t at)
{
	union scalar_value r = {.i = 0};
	if (fn == SC_RANDOM_BITS)
		r.i = philox_bits((uint64_t)key, (uint64_t)at);
	else if (fn == SC_RANDOM_UNIFORM)
		r.f = t == DT_F64 ? philox_uniform_f64((uint64_t)key, (uint64_t)at)
				  : (double)philox_uniform_f32((uint64_t)key, (uint64_t)at);
	else
		r.f = t == DT_F64 ? philox_normal_f64((uint64_t)key, (uint64_t)at)
				  : (double)philox_normal_f32((uint64_t)key, (uint64_t)at);
	return r;
}

/* Functions that give what their arguments are. */
static union scalar_value same_apply(enum scalar_fn fn, enum dtype t, union scalar_value x, union scalar_value y)
{
	union scalar_value r = {.i = 0};
	if (dtype_is_float(t))
		r.f = round_float(t, float_apply(fn, x.f, y.f));
	else
		r.i = wrap_int(t, int_apply(fn, t, x.i, y.i));
	return r;
}

static int64_t bits_of(double v)
{
	int64_t bits;
	memcpy(&bits, &v, sizeof bits);
	return bits;
}

static double of_bits(int64_t bits)
{
	double v;
	memcpy(&v, &bits, sizeof v);
	return v;
}

static double sum_grid(double m)
{
	int e;
	if (m != m || m >= 0x1p1021)
		return NAN;
	frexp(m < 0x1p-1022 ? 0x1p-1023 : m, &e);
	return ldexp(3, e);
}

static union scalar_value reinterpret(enum dtype from, enum dtype to, union scalar_value x)
{
	union scalar_value r = {.i = 0};
	float narrow;
	int32_t word = (int32_t)x.i;
	if (from == DT_F64) {
		r.i = bits_of(x.f);
	} else if (to == DT_F64) {
		r.f = of_bits(x.i);
	} else if (from == DT_F32) {
		narrow = (float)x.f;
		memcpy(&word, &narrow, sizeof word);
		r.i = word;
	} else {
		memcpy(&narrow, &word, sizeof narrow);
		r.f = narrow;
	}
	return r;
}

/* Sums as multiples of a unit; bits wrap as integers do. */
static union scalar_value grid_apply(const struct scalar *s, const union scalar_value *x)
{
	if (s->fn == SC_SUM_GRID)
		return (union scalar_value){.f = sum_grid(x[0].f)};
	if (s->fn == SC_QUANTA)
		return (union scalar_value){
			.i = (int64_t)((uint64_t)bits_of(x[0].f + x[1].f) - (uint64_t)bits_of(x[1].f))};
	if (s->fn == SC_OF_QUANTA)
		return (union scalar_value){.f = (double)x[0].i * (of_bits(bits_of(x[1].f) + 1) - x[1].f)};
	return reinterpret(s->arg[0]->type, s->type, x[0]);
}

/* The function of node s on values whose types are those of its arguments. */
static union scalar_value apply(const struct scalar *s, const union scalar_value *x)
{
	switch (s->fn) {
	case SC_EQ:
	case SC_NE:
	case SC_LT:
	case SC_LE:
	case SC_GT:
	case SC_GE:
		return (union scalar_value){.i = compare(s->fn, s->arg[0]->type, x[0], x[1])};
	case SC_AND:
		return (union scalar_value){.i = x[0].i && x[1].i};
	case SC_OR:
		return (union scalar_value){.i = x[0].i || x[1].i};
	case SC_NOT:
		return (union scalar_value){.i = !x[0].i};
	case SC_WHERE:
		return x[0].i ? x[1] : x[2];
	case SC_CAST:
		return scalar_convert(x[0], s->arg[0]->type, s->type);
	case SC_FOLD_KEY:
		return (union scalar_value){.i = (int64_t)philox_key_fold((uint64_t)x[0].i, (uint64_t)x[1].i)};
	case SC_SUM_GRID:
	case SC_QUANTA:
	case SC_OF_QUANTA:
	case SC_REINTERPRET:
		return grid_apply(s, x);
	case SC_RANDOM_BITS:
	case SC_RANDOM_UNIFORM:
	case SC_RANDOM_NORMAL: {
		union scalar_value r = draw(s->fn, s->type, x[0].i, x[1].i);
		if (s->fn == SC_RANDOM_BITS)
			r.i = wrap_int(s->type, r.i);
		else
			r.f = round_float(s->type, r.f);
		return r;
	}
	case SC_ADD:
	case SC_SUB:
	case SC_MUL:
	case SC_DIV:
	case SC_MOD:
	case SC_NEG:
	case SC_MIN:
	case SC_MAX:
	case SC_POW:
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
	case SC_FN_COUNT:
		break;
	}
	return same_apply(s->fn, s->type, x[0], x[1]);
}

union scalar_value scalar_eval(const struct scalar *s, const union scalar_value *operands, const int64_t *factors)
{
	union scalar_value r = {.i = 0};
	switch (s->kind) {
	case SCALAR_CONST:
		if (dtype_is_float(s->type))
			r.f = s->f;
		else
			r.i = s->i;
		return r;
	case SCALAR_OPERAND:
		return operands[s->index];
	case SCALAR_FACTOR:
		r.i = factors[s->index];
		return r;
	case SCALAR_EXTENT:
		return r;
	case SCALAR_APPLY:
		break;
	}
	union scalar_value x[3] = {{.i = 0}, {.i = 0}, {.i = 0}};
	if (s->fn == SC_WHERE) {
		x[0] = scalar_eval(s->arg[0], operands, factors);
		return scalar_eval(s->arg[x[0].i ? 1 : 2], operands, factors);
	}
	for (int k = 0; k < 3 && s->arg[k]; k++)
		x[k] = scalar_eval(s->arg[k], operands, factors);
	return apply(s, x);
}
