/* eval.c — what a body means: reference evaluation on single values; that of each function is in its record (scalars/).
 *
 * Floats are computed in double and rounded to the node's type at every step, which for f32 +, -, *, / and sqrt is the
 * IEEE result; bf16 and f16 to f32, and to their own digits at the root (wide.c). Integers wrap to their width. To leave nothing undefined: x / 0 and x % 0 are 0 for integers, integer
 * division truncates and % has the sign of the dividend, max and min hand a NaN on, a float becomes an integer by
 * truncation, saturating at the ends, and NaN becomes 0; anything not zero is true. */
#include "scalars/function.h"

#include <math.h>

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

static inline double round_float(enum dtype t, double v)
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

int64_t scalar_int_divide(enum dtype t, int64_t x, int64_t y)
{
	if (y == 0)
		return 0;
	if (dtype_kind(t) == DTYPE_UINT)
		return (int64_t)((uint64_t)x / (uint64_t)y);
	return y == -1 ? (int64_t)(0 - (uint64_t)x) : x / y;
}

bool scalar_int_less(enum dtype t, int64_t x, int64_t y)
{
	return t == DT_U64 ? (uint64_t)x < (uint64_t)y : x < y;
}

/* The function of node s on values whose types are those of its arguments. What has no meaning on a type gives 0, or
 * NaN. */
static inline union scalar_value apply(const struct scalar_function *f, const struct scalar *s,
				       const union scalar_value *x)
{
	union scalar_value r = {.i = 0};
	if (f->eval)
		return f->eval(s, x);
	if (dtype_is_float(s->type))
		r.f = round_float(dtype_is_narrow(s->type) ? DT_F32 : s->type,
				  f->float2 ? f->float2(x[0].f, x[1].f) : f->float1 ? f->float1(x[0].f) : NAN);
	else if (f->ints)
		r.i = wrap_int(s->type, f->ints(s->type, x[0].i, x[1].i));
	return r;
}

union scalar_value scalar_eval_wide(const struct scalar *s, const union scalar_value *operands, const int64_t *factors)
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
	const struct scalar_function *f = scalar_functions[s->fn];
	union scalar_value x[3] = {{.i = 0}, {.i = 0}, {.i = 0}};
	if (f->chooses) {
		x[0] = scalar_eval_wide(s->arg[0], operands, factors);
		return scalar_eval_wide(s->arg[x[0].i ? 1 : 2], operands, factors);
	}
	for (int k = 0; k < 3 && s->arg[k]; k++)
		x[k] = scalar_eval_wide(s->arg[k], operands, factors);
	return apply(f, s, x);
}

union scalar_value scalar_eval(const struct scalar *s, const union scalar_value *operands, const int64_t *factors)
{
	union scalar_value v = scalar_eval_wide(s, operands, factors);
	return dtype_is_narrow(s->type) ? scalar_convert(v, DT_F32, s->type) : v;
}

union scalar_value scalar_eval_function(enum scalar_fn fn, enum dtype type, const enum dtype *t,
					const union scalar_value *x)
{
	struct scalar operand[3], node = {.kind = SCALAR_APPLY, .type = type, .fn = fn};
	for (int i = 0; i < scalar_arity(fn); i++) {
		operand[i] = (struct scalar){.kind = SCALAR_OPERAND, .type = t[i], .index = i};
		node.arg[i] = &operand[i];
	}
	return scalar_eval(&node, x, NULL);
}
