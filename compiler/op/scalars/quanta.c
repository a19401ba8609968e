/* quanta.c — what sums are made of whose order does not matter (compiler/unfinished/); the compiler alone makes these.
 *
 * sum_grid(m): 3 * 2^e with the least 2^e > m, of f64; NaN where m is one or has no room above. c = sum_grid(m) rounds
 * x, |x| <= 2^e, to a multiple of u = 2^(e-51), the distance of c to the next number, when it is added to it. quanta(x,
 * c): that multiple, an i64.  of_quanta(n, c): n u in f64. (A c that is no number gives any quanta, but a NaN back.)
 * reinterpret: the bits of an f32 as an i32, of an f64 as an i64, and back. */
#include "function.h"

#include <math.h>
#include <string.h>

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

/* ---- sum_grid ---- */

static const char *check_sum_grid(struct arena *a, const struct scalar *s)
{
	return s->arg[0]->type == DT_F64 ? NULL : function_gives_no(a, s);
}

static double sum_grid(double m)
{
	int e;
	if (m != m || m >= 0x1p1021)
		return NAN;
	frexp(m < 0x1p-1022 ? 0x1p-1023 : m, &e);
	return ldexp(3, e);
}

const struct scalar_function scalar_fn_sum_grid = {
	.text = "sum_grid",
	.internal = true,
	.arity = 1,
	.result = SCALAR_FLOAT,
	.check = check_sum_grid,
	.flops = 1,
	.effort = EFFORT_ARITHMETIC,
	.float1 = sum_grid,
};

/* ---- quanta, of_quanta: bits wrap as integers do ---- */

static const char *check_quanta(struct arena *a, const struct scalar *s)
{
	return s->arg[0]->type == DT_F64 && s->arg[1]->type == DT_F64 ? NULL : function_gives_no(a, s);
}

static union scalar_value quanta(const struct scalar *s, const union scalar_value *x)
{
	(void)s;
	int64_t n = (int64_t)((uint64_t)bits_of(x[0].f + x[1].f) - (uint64_t)bits_of(x[1].f));
	return (union scalar_value){.i = n};
}

const struct scalar_function scalar_fn_quanta = {
	.text = "quanta",
	.internal = true,
	.arity = 2,
	.result = SCALAR_INT,
	.check = check_quanta,
	.flops = 1,
	.effort = EFFORT_ARITHMETIC,
	.eval = quanta,
};

static const char *check_of_quanta(struct arena *a, const struct scalar *s)
{
	bool right = s->arg[0]->type == DT_I64 && s->arg[1]->type == DT_F64 && s->type == DT_F64;
	return right ? NULL : function_gives_no(a, s);
}

static union scalar_value of_quanta(const struct scalar *s, const union scalar_value *x)
{
	(void)s;
	return (union scalar_value){.f = (double)x[0].i * (of_bits(bits_of(x[1].f) + 1) - x[1].f)};
}

const struct scalar_function scalar_fn_of_quanta = {
	.text = "of_quanta",
	.internal = true,
	.arity = 2,
	.result = SCALAR_FROM,
	.check = check_of_quanta,
	.flops = 1,
	.effort = EFFORT_ARITHMETIC,
	.eval = of_quanta,
};

/* ---- reinterpret ---- */

static bool has_both_ways(enum dtype t)
{
	return t == DT_F32 || t == DT_F64 || t == DT_I32 || t == DT_I64;
}

static const char *check_reinterpret(struct arena *a, const struct scalar *s)
{
	enum dtype x = s->arg[0]->type;
	bool right = dtype_is_float(x) != dtype_is_float(s->type) && dtype_size(x) == dtype_size(s->type) &&
		     has_both_ways(x) && has_both_ways(s->type);
	return right ? NULL : function_gives_no(a, s);
}

static union scalar_value reinterpret(const struct scalar *s, const union scalar_value *x)
{
	union scalar_value r = {.i = 0};
	float narrow;
	int32_t word = (int32_t)x[0].i;
	if (s->arg[0]->type == DT_F64) {
		r.i = bits_of(x[0].f);
	} else if (s->type == DT_F64) {
		r.f = of_bits(x[0].i);
	} else if (s->arg[0]->type == DT_F32) {
		narrow = (float)x[0].f;
		memcpy(&word, &narrow, sizeof word);
		r.i = word;
	} else {
		memcpy(&narrow, &word, sizeof narrow);
		r.f = narrow;
	}
	return r;
}

const struct scalar_function scalar_fn_reinterpret = {
	.text = "reinterpret",
	.internal = true,
	.arity = 1,
	.result = SCALAR_FROM,
	.check = check_reinterpret,
	.effort = EFFORT_ARITHMETIC,
	.eval = reinterpret,
};
