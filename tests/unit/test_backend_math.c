/* test_backend_math.c — every function of scalar.def as compiled code against scalar_eval, on every element type with
 * the values that are easy to get wrong; and the errors that backend/math.h states, measured over dense samples. */
#define _POSIX_C_SOURCE 200809L
#include "compiled_kernel.h"

#include "op/scalars/function.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_VALUES = 32 };

/* What other machines have: the whole of the tests runs on the host's features, a part on each of these. */
static const char *const cpus[] = {NULL, "x86-64-v3", "x86-64-v2", "x86-64"};
enum { CPUS = 4 };

static kernel_call *compile(struct session *s, const char *text, struct backend_jit **jit)
{
	const char *error = NULL;
	struct kernel *k = kernel_read(s->arena, text, &error);
	ck_assert_msg(k != NULL, "%s\n%s", error, text);
	return compiled_kernel(s, k, false, text, jit);
}

/* A function of n numbers, one at a time. */
static kernel_call *compile_unary(struct session *s, const char *function, enum dtype type, int n,
				  struct backend_jit **jit)
{
	const char *t = dtype_text(type);
	return compile(s,
		       arena_printf(s->arena,
				    "kernel \"f\"(in b0: %s[%d], out b1: %s[%d]) flops 0 { vloop i0 %d {\n"
				    " %%0 = load %s b0[1*i0] %%1 = %s %s %%0 store b1[1*i0] %%1 } }",
				    t, n, t, n, n, t, function, t),
		       jit);
}

/* ---- one element in memory ---- */

static void put(void *at, enum dtype t, int64_t i, union scalar_value v)
{
	float f = (float)v.f;
	uint32_t bits;
	memcpy(&bits, &f, 4);
	switch (t) {
	case DT_F32:
		((float *)at)[i] = f;
		break;
	case DT_F64:
		((double *)at)[i] = v.f;
		break;
	case DT_BF16:
		((uint16_t *)at)[i] = (uint16_t)(bits >> 16 | (v.f != v.f ? 0x40 : 0));
		break;
	case DT_F16: {
		_Float16 h = (_Float16)f;
		memcpy((uint16_t *)at + i, &h, 2);
		break;
	}
	case DT_I8:
	case DT_U8:
		((int8_t *)at)[i] = (int8_t)v.i;
		break;
	case DT_I16:
	case DT_U16:
		((int16_t *)at)[i] = (int16_t)v.i;
		break;
	case DT_I32:
	case DT_U32:
		((int32_t *)at)[i] = (int32_t)v.i;
		break;
	case DT_I64:
	case DT_U64:
		((int64_t *)at)[i] = v.i;
		break;
	case DT_BOOL:
		((uint8_t *)at)[i] = v.i != 0;
		break;
	case DT_COUNT:
		break;
	}
}

static union scalar_value get(const void *at, enum dtype t, int64_t i)
{
	union scalar_value v = {.i = 0};
	uint32_t bits;
	float f;
	_Float16 h;
	switch (t) {
	case DT_F32:
		v.f = (double)((const float *)at)[i];
		break;
	case DT_F64:
		v.f = ((const double *)at)[i];
		break;
	case DT_BF16:
		bits = (uint32_t)((const uint16_t *)at)[i] << 16;
		memcpy(&f, &bits, 4);
		v.f = (double)f;
		break;
	case DT_F16:
		memcpy(&h, (const uint16_t *)at + i, 2);
		v.f = (double)h;
		break;
	case DT_I8:
		v.i = ((const int8_t *)at)[i];
		break;
	case DT_I16:
		v.i = ((const int16_t *)at)[i];
		break;
	case DT_I32:
		v.i = ((const int32_t *)at)[i];
		break;
	case DT_I64:
	case DT_U64:
		v.i = ((const int64_t *)at)[i];
		break;
	case DT_U8:
	case DT_BOOL:
		v.i = ((const uint8_t *)at)[i];
		break;
	case DT_U16:
		v.i = ((const uint16_t *)at)[i];
		break;
	case DT_U32:
		v.i = ((const uint32_t *)at)[i];
		break;
	case DT_COUNT:
		break;
	}
	return v;
}

/* ---- values that are easy to get wrong ---- */

static int values_of(enum dtype t, union scalar_value *out)
{
	static const double real[] = {0.0,       -0.0, 1.0,  -1.0,  0.5,   -0.5,  2.0,    -2.0,  3.0,
				      -3.0,      0.25, 1.5,  7.75,  -7.75, 100.0, -100.0, 1e-3,  INFINITY,
				      -INFINITY, NAN,  88.5, -88.5, 1e-30, 1e30,  -1e30,  1e-41, 12345.678};
	int64_t bits = 8 * dtype_size(t), top = bits == 64 ? INT64_MAX : ((int64_t)1 << (bits - 1)) - 1;
	int n = 0;
	if (dtype_is_float(t)) {
		for (size_t i = 0; i < sizeof real / sizeof *real; i++) {
			char room[8];
			put(room, t, 0, (union scalar_value){.f = real[i]});
			out[n++] = get(room, t, 0);
		}
		return n;
	}
	const int64_t whole[] = {0, 1, 2, 3, 7, 100, top, top - 1, -1, -2, -3, -7, -100, -top - 1, -top};
	for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
		char room[8];
		put(room, t, 0, (union scalar_value){.i = whole[i]});
		out[n++] = get(room, t, 0);
	}
	return n;
}

/* Units in the last place that a function of f32 or f64 may be off on these values; what must be exact is 0. bf16 and
 * f16 are rounded from f32, so at most one step. */
static double allowance(enum scalar_fn fn, enum dtype t)
{
	if (t == DT_BF16 || t == DT_F16)
		return 1;
	return scalar_functions[fn]->approximate ? 2 : 0;
}

static double step_of(enum dtype t, double v)
{
	int digits = t == DT_F64 ? 53 : t == DT_F32 ? 24 : t == DT_BF16 ? 8 : 11;
	int least = t == DT_F64 ? -1074 : t == DT_F32 ? -149 : t == DT_BF16 ? -133 : -24, e;
	frexp(v, &e);
	return ldexp(1, e - digits > least ? e - digits : least);
}

/* Beside what a result counts: normal_cdf gives shares of 1, whose own last places nobody needs. */
static double counts_beside(const char *fn, double v)
{
	return !strcmp(fn, scalar_text(SC_NORMAL_CDF)) && fabs(v) < 1 ? 1 : v;
}

static bool agree(enum scalar_fn fn, enum dtype t, union scalar_value x, union scalar_value y)
{
	double steps = allowance(fn, t);
	if (!dtype_is_float(t))
		return x.i == y.i;
	if (isnan(y.f) || isnan(x.f))
		return isnan(x.f) && isnan(y.f);
	return x.f == y.f || fabs(x.f - y.f) <= steps * step_of(t, counts_beside(scalar_text(fn), y.f)) ||
	       (steps > 0 && isinf(y.f) && fabs(x.f) >= (t == DT_F16 ? 65000 : 3.38e38));
}

static void print_call(struct text *t, enum scalar_fn fn, enum dtype type, const enum dtype *from, bool vector, int n)
{
	int arity = scalar_arity(fn);
	text_add(t, "kernel \"f\"(");
	for (int i = 0; i < arity; i++)
		text_printf(t, "in b%d: %s[%d], ", i, dtype_text(from[i]), n);
	text_printf(t, "out b%d: %s[%d]) flops 0 { %sloop i0 %d {\n", arity, dtype_text(type), n, vector ? "v" : "", n);
	for (int i = 0; i < arity; i++)
		text_printf(t, " %%%d = load %s b%d[1*i0]\n", i, dtype_text(from[i]), i);
	text_printf(t, " %%9 = %s %s", scalar_text(fn), dtype_text(type));
	for (int i = 0; i < arity; i++)
		text_printf(t, "%s %%%d", i ? "," : "", i);
	text_printf(t, " store b%d[1*i0] %%9 } }", arity);
}

/* All combinations of values of one function on given types, as vectors and as scalars; of functions, types and
 * processors a share. */
static void check_function(enum scalar_fn fn, enum dtype type, const enum dtype *from, bool vector, int cpu)
{
	if (!suite_takes((int)fn + (int)type + (int)from[0] + vector + cpu, 4))
		return;
	struct session *s = session_new();
	s->options.target_cpu = cpus[cpu];
	union scalar_value value[3][MAX_VALUES];
	int count[3] = {1, 1, 1}, arity = scalar_arity(fn);
	for (int i = 0; i < arity; i++)
		count[i] = values_of(from[i], value[i]);
	if (fn == SC_WHERE)
		count[2] = 5;
	int n = count[0] * count[1] * count[2];
	void *buffer[4];
	for (int i = 0; i <= arity; i++)
		buffer[i] = aligned((size_t)n * 8);
	for (int i = 0; i < n; i++) {
		int rest = i;
		for (int k = 0; k < arity; rest /= count[k++])
			put(buffer[k], from[k], i, value[k][rest % count[k]]);
	}
	struct text text;
	text_init(&text, s->arena);
	print_call(&text, fn, type, from, vector, n);
	struct backend_jit *jit;
	s->options.opt_level = 2;
	compile(s, text_get(&text), &jit)(buffer, NULL);
	for (int i = 0; i < n; i++) {
		struct scalar operand[3], node = {.kind = SCALAR_APPLY, .type = type, .fn = fn};
		union scalar_value x[3] = {{.i = 0}, {.i = 0}, {.i = 0}};
		for (int k = 0; k < arity; k++) {
			operand[k] = (struct scalar){.kind = SCALAR_OPERAND, .type = from[k], .index = k};
			node.arg[k] = &operand[k];
			x[k] = get(buffer[k], from[k], i);
		}
		union scalar_value right = scalar_eval(&node, x, NULL), mine = get(buffer[arity], type, i);
		ck_assert_msg(agree(fn, type, mine, right),
			      "%s of %s (%.9g or %lld, %.9g or %lld) to %s %s: %.17g or %lld, not %.17g or %lld",
			      scalar_text(fn), dtype_text(from[0]), x[0].f, (long long)x[0].i, x[1].f,
			      (long long)x[1].i, dtype_text(type), vector ? "vector" : "scalar", mine.f,
			      (long long)mine.i, right.f, (long long)right.i);
	}
	for (int i = 0; i <= arity; i++)
		free(buffer[i]);
	backend_jit_free(jit);
	session_free(s);
}

/* Scalars of a third of the types, for each function others; with TEST_LONG of all. */
static void check_both(enum scalar_fn fn, enum dtype type, const enum dtype *from)
{
	check_function(fn, type, from, true, 0);
	if (getenv("TEST_LONG") || ((int)fn + (int)type + 2 * (int)from[0]) % 3 == 0)
		check_function(fn, type, from, false, 0);
	for (int cpu = 1; cpu < CPUS; cpu++)
		if (from[0] == DT_F32 || (from[0] == DT_F64 && cpu == 1) || (from[0] == DT_I16 && cpu == 2))
			check_function(fn, type, from, true, cpu);
}

static void check_on_types(enum scalar_fn fn)
{
	for (enum dtype t = 0; t < DT_COUNT; t++) {
		enum dtype from[] = {t, t, t};
		if (scalar_result_kind(fn) == SCALAR_FLOAT && !dtype_is_float(t))
			continue;
		if ((scalar_is_of_bools(fn) && t != DT_BOOL) || (scalar_is_of_ints(fn) && !dtype_is_int(t)))
			continue;
		if (fn == SC_WHERE)
			from[0] = DT_BOOL;
		check_both(fn, scalar_result_kind(fn) == SCALAR_PRED ? DT_BOOL : t, from);
	}
}

START_TEST(functions_agree_with_their_meaning)
{
	for (enum scalar_fn fn = 0; fn < SC_CAST; fn++)
		if (fn % 6 == (enum scalar_fn)_i)
			check_on_types(fn);
}
END_TEST

START_TEST(casts_agree_with_their_meaning)
{
	for (enum dtype from = 0; from < DT_COUNT; from++)
		for (enum dtype to = 0; to < DT_COUNT; to++)
			if ((int)(from % 3) == _i)
				check_both(SC_CAST, to, (enum dtype[]){from, from, from});
}
END_TEST

/* ---- errors over dense samples ---- */

struct sample {
	const char *fn;
	double low, high, limit32, limit64;
	long double (*right)(long double);
};
static long double softplusl(long double x)
{
	return (x > 0 ? x : 0) + log1pl(expl(-fabsl(x)));
}

static long double sigmoidl(long double x)
{
	return 1 / (1 + expl(-x));
}

/* Newton's steps on erfl and erfcl, until they are smaller than what counts here. */
static long double normal_cdfl(long double x)
{
	return 0.5L * erfcl(x * -0.70710678118654752440L);
}

static long double erfinvl(long double x)
{
	long double a = fabsl(x), rest = 1 - a, y = a < 0.5 ? a : sqrtl(-logl(rest));
	for (int i = 0; i < 60; i++) {
		long double slope = 1.128379167095512573896159L * expl(-y * y), left = erfcl(y);
		long double step = a < 0.5 ? (erfl(y) - a) / slope : left / slope * logl(rest / left);
		y -= step;
		if (fabsl(step) <= 1e-18L * y)
			break;
	}
	return x < 0 ? -y : y;
}

static const struct sample samples[] = {
	{"sigmoid", -86, 20, 2.5, 2.5, sigmoidl},
	{"sigmoid", -1, 1, 2.5, 2.5, sigmoidl},
	{"softplus", -20, 20, 3.0, 3.0, softplusl},
	{"softplus", -100, -10, 3.0, 3.0, softplusl},

	{"exp", -103, 88.7, 1.0, 1.1, expl},
	{"exp", -1, 1, 1.0, 1.1, expl},
	{"exp", -3000, -88, 1.0, 1.1, expl},
	{"exp", -1e30, -1e5, 1.0, 1.1, expl},
	{"log", 1e-30, 1e30, 1.0, 1.0, logl},
	{"log", 0.5, 2, 1.0, 1.0, logl},
	{"tanh", -12, 12, 3.0, 3.0, tanhl},
	{"tanh", -25, 25, 3.0, 3.0, tanhl},
	{"tanh", -1, 1, 3.0, 3.0, tanhl},
	{"erf", -6, 6, 1.5, 1.5, erfl},
	{"erf", -1, 1, 1.5, 1.5, erfl},
	{"normal_cdf", -9, 9, 1.0, 1.0, normal_cdfl},
	{"normal_cdf", -2, 2, 1.0, 1.0, normal_cdfl},
	{"erfinv", -0.999999, 0.999999, 0.6, 2.0, erfinvl},
	{"erfinv", 0.9999, 0.99999994, 0.6, 2.0, erfinvl},
	{"erfinv", -0.6, 0.6, 0.6, 2.0, erfinvl},
	{"erfinv", -1e-6, 1e-6, 0.6, 2.0, erfinvl},
	{"asin", -1, 1, 2.5, 2.5, asinl},
	{"asin", -1e-3, 1e-3, 2.5, 2.5, asinl},
	{"acos", -1, 1, 2.5, 2.5, acosl},
	{"acos", 0.999, 1, 2.5, 2.5, acosl},
	{"sin", -10, 10, 1.6, 2.0, sinl},
	{"lgamma", 1e-30, 1e30, 1.0, 4, lgammal},
	{"lgamma", 0.01, 12, 1.0, 4, lgammal},
	{"lgamma", -1.999, -0.001, 1.0, 4, lgammal},
	{"lgamma", 0.49, 3.1, 1.0, 4, lgammal},
	{"lgamma", 0.9999, 1.0001, 1.0, 4, lgammal},
	{"lgamma", 1.9999, 2.0001, 1.0, 4, lgammal},
	{"lgamma", -12.7, -2.001, 1.0, 8, lgammal},
	{"log1p", -0.999, 100, 2.5, 2.5, log1pl},
	{"log1p", 1e-9, 1e9, 2.5, 2.5, log1pl},
	{"log1p", -1e-6, 1e-6, 2.5, 2.5, log1pl},
	{"expm1", -20, 88.7, 1.5, 2.0, expm1l},
	{"expm1", -1, 1, 1.5, 2.0, expm1l},
	{"expm1", -1e-6, 1e-6, 1.5, 2.0, expm1l},
	{"sin", -1e-5, 1e-5, 1.6, 2.0, sinl},
	{"sin", 1e-300, 1e6, 1.6, 2.0, sinl},
	{"sin", -1e5, 1e5, 1.6, 2.0, sinl},
	{"sin", -6e7, 6e7, 1.6, 2.0, sinl},
	{"sin", -1e8, 1e8, 1.6, 2.0, sinl},
	{"cos", -10, 10, 1.6, 2.0, cosl},
	{"cos", -1e6, 1e6, 1.6, 2.0, cosl},
	{"cos", -1e12, 1e12, 1.6, 2.0, cosl},
	{"cos", -0.8, 0.8, 1.6, 2.0, cosl},
};
/* At numbers next to multiples of a quarter turn, of numbers from low to high. */
static const struct sample quarters[] = {
	{"sin", 0, 100, 1.6, 2.0, sinl},
	{"sin", 0, 5e7, 1.6, 2.0, sinl},
	{"cos", 0, 100, 1.6, 2.0, cosl},
	{"cos", 0, 5e7, 1.6, 2.0, cosl},
};

static int sample_count(void)
{
	return suite_count(100000, 20000, 10000);
}

/* The place at f of 0..1. */
typedef double place_of(const struct sample *p, double f);

static double along(const struct sample *p, double f)
{
	bool even = p->low <= 0 || p->high / p->low < 1000;
	return even ? p->low + (p->high - p->low) * f : p->low * pow(p->high / p->low, f);
}

/* A number next to a multiple of a quarter turn, or one of those beside it. */
static double near_a_quarter(const struct sample *p, double f)
{
	double k = nearbyint(along(p, f)), x = (double)(k * 1.57079632679489661923132169163975144L);
	for (int i = 0, beside = (int)fmod(k, 5); i < beside; i++)
		x = nextafter(x, beside % 2 ? 0 : INFINITY);
	return fmod(k, 3) == 0 ? -x : x;
}

static double worst_error(const struct sample *p, place_of *place, bool wide, int cpu)
{
	struct session *s = session_new();
	s->options.target_cpu = cpus[cpu];
	enum dtype t = wide ? DT_F64 : DT_F32;
	int n = sample_count();
	void *buffer[] = {aligned((size_t)n * 8), aligned((size_t)n * 8)};
	for (int i = 0; i < n; i++)
		put(buffer[0], t, i, (union scalar_value){.f = place(p, (double)i / (n - 1))});
	struct backend_jit *jit;
	s->options.opt_level = 2;
	compile_unary(s, p->fn, t, n, &jit)(buffer, NULL);
	double worst = 0;
	for (int i = 0; i < n; i++) {
		long double right = p->right((long double)get(buffer[0], t, i).f);
		double error = (double)(fabsl((long double)get(buffer[1], t, i).f - right) /
					(long double)step_of(t, counts_beside(p->fn, (double)right)));
		worst = error > worst || error != error ? error : worst;
	}
	backend_jit_free(jit);
	free(buffer[0]);
	free(buffer[1]);
	session_free(s);
	return worst;
}

START_TEST(errors_are_as_stated)
{
	const struct sample *p = &samples[_i];
	double narrow = worst_error(p, along, false, 0), wide = suite_takes(_i, 2) ? worst_error(p, along, true, 0) : 0;
	double unfused = suite_takes(_i + 1, 2) ? worst_error(p, along, false, 2) : 0;
	if (getenv("PML_TEST_VERBOSE"))
		printf("%s on %g..%g: f32 %.3f ulp, f64 %.3f ulp, f32 without fma %.3f ulp\n", p->fn, p->low, p->high,
		       narrow, wide, unfused);
	ck_assert_msg(narrow <= p->limit32, "%s of f32 is off by %g ulp", p->fn, narrow);
	ck_assert_msg(unfused <= 3.0, "%s of f32 without fma is off by %g ulp", p->fn, unfused);
	ck_assert_msg(wide <= p->limit64, "%s of f64 is off by %g ulp", p->fn, wide);
}
END_TEST

START_TEST(angles_next_to_quarter_turns_keep_their_digits)
{
	const struct sample *p = &quarters[_i];
	for (int cpu = 0; cpu < 3; cpu++) {
		double narrow = worst_error(p, near_a_quarter, false, cpu), wide = worst_error(p, near_a_quarter, true, cpu);
		ck_assert_msg(narrow <= (cpu == 2 ? 3.0 : p->limit32), "%s of f32 is off by %g ulp", p->fn, narrow);
		ck_assert_msg(wide <= p->limit64, "%s of f64 is off by %g ulp", p->fn, wide);
	}
}
END_TEST

/* The worst error of a function of two numbers in units of the last place, over all pairs of 200 x and 200 y. */
enum { SIDE = 200 };
static double worst_of_pairs(const char *function, bool wide, double first(int), double second(int),
			     long double right(long double, long double))
{
	struct session *s = session_new();
	enum dtype t = wide ? DT_F64 : DT_F32;
	enum { N = SIDE * SIDE };
	void *buffer[] = {aligned(N * 8), aligned(N * 8), aligned(N * 8)};
	struct backend_jit *jit;
	s->options.opt_level = 2;
	for (int i = 0; i < N; i++) {
		put(buffer[0], t, i, (union scalar_value){.f = first(i % SIDE)});
		put(buffer[1], t, i, (union scalar_value){.f = second(i / SIDE)});
	}
	struct text text;
	text_init(&text, s->arena);
	enum scalar_fn fn = 0;
	while (strcmp(scalar_text(fn), function))
		fn++;
	print_call(&text, fn, t, (enum dtype[]){t, t}, true, N);
	compile(s, text_get(&text), &jit)(buffer, NULL);
	double worst = 0, most = wide ? DBL_MAX : (double)FLT_MAX, least = wide ? DBL_MIN : (double)FLT_MIN;
	for (int i = 0; i < N; i++) {
		long double r = right((long double)get(buffer[0], t, i).f, (long double)get(buffer[1], t, i).f);
		if (fabs((double)r) > most || fabs((double)r) < least)
			continue;
		double error =
			(double)(fabsl((long double)get(buffer[2], t, i).f - r) / (long double)step_of(t, (double)r));
		worst = error > worst || error != error ? error : worst;
	}
	if (getenv("PML_TEST_VERBOSE"))
		printf("%s: %s %.3f ulp\n", function, dtype_text(t), worst);
	backend_jit_free(jit);
	for (int i = 0; i < 3; i++)
		free(buffer[i]);
	session_free(s);
	return worst;
}

static double base_of_power(int i)
{
	return ldexp(1 + (double)i / SIDE, i % 7 - 3);
}

static double exponent_of_power(int i)
{
	return (double)(i - SIDE / 2) / 3;
}

static double near_one(int i)
{
	return 1 + ldexp((double)(i - SIDE / 2) + 0.3, -16);
}

static double large_exponent(int i)
{
	return 1000.37 * (double)(i - SIDE / 2);
}

START_TEST(powers_are_right_to_the_last_bit)
{
	for (int wide = 0; wide < 2; wide++) {
		double worst = worst_of_pairs("pow", wide, base_of_power, exponent_of_power, powl);
		ck_assert_msg(worst <= (wide ? 1.1 : 0.6), "pow is off by %g ulp", worst);
		worst = worst_of_pairs("pow", wide, near_one, large_exponent, powl);
		ck_assert_msg(worst <= (wide ? 1.1 : 0.6), "pow near 1 is off by %g ulp", worst);
	}
}
END_TEST

static double many_digits(int i)
{
	return ldexp(0.1 + (double)i / 7, i % 40 - 12) * (i % 3 ? 1.0 : -1.0);
}

/* Quotients up to 2^60, whole ones and those that round to a whole number. */
static double divisor(int i)
{
	return i % 5 ? many_digits(i + 1) : ldexp(1, i % 9 - 4);
}

static double with_a_fraction(int i)
{
	return i % 4 ? many_digits(i) : nextafter(21 * divisor(i), i % 8 ? 0 : INFINITY);
}

START_TEST(what_divisions_leave_is_exact)
{
	ck_assert(worst_of_pairs("%", false, with_a_fraction, divisor, fmodl) == 0);
	ck_assert(worst_of_pairs("%", true, with_a_fraction, divisor, fmodl) == 0);
}
END_TEST

static double opposite(int i)
{
	return ldexp(1 + (double)i / SIDE, i % 23 - 11) * (i % 2 ? 1.0 : -1.0);
}

static double adjacent(int i)
{
	return ldexp(1 + (double)i / SIDE, i % 7 - 3) * (i % 2 ? 1.0 : -1.0);
}

static double extreme(int i)
{
	return ldexp(1 + (double)i / SIDE, i % 2 ? 1022 + i / 2 % 2 : i / 2 % 2 - 1022) * (i % 3 ? 1.0 : -1.0);
}

START_TEST(angles_are_right)
{
	double narrow = worst_of_pairs("atan2", false, opposite, adjacent, atan2l);
	double wide = worst_of_pairs("atan2", true, opposite, adjacent, atan2l);
	ck_assert_msg(narrow <= 1.4, "atan2 of f32 is off by %g ulp", narrow);
	ck_assert_msg(wide <= 1.8, "atan2 of f64 is off by %g ulp", wide);
	wide = worst_of_pairs("atan2", true, extreme, extreme, atan2l);
	ck_assert_msg(wide <= 1.8, "atan2 of large and small f64 is off by %g ulp", wide);
}
END_TEST

/* Dividing many numbers by one goes another way than dividing pairs, to the same quotients. */
START_TEST(division_by_one_number_is_division)
{
	enum { N = 1000 };
	static const float divisors[] = {1, 3, 0.1f, -7.5f, 1e-20f, 1e-42f, 1e30f, 3e38f, 0, -0.0f, INFINITY, NAN, 255};
	struct session *s = session_new();
	float *x = aligned(N * 4), *y = aligned(N * 4), d;
	struct backend_jit *jit;
	s->options.opt_level = 2;
	kernel_call *call = compile(s,
				    "kernel \"f\"(in b0: f32[1000], in b1: f32[1], out b2: f32[1000]) flops 0 {\n"
				    " %2 = load f32 b1[0] vloop i0 1000 { %0 = load f32 b0[1*i0] %1 = / f32 %0, %2\n"
				    "  store b2[1*i0] %1 } }",
				    &jit);
	for (int i = 0; i < N; i++)
		x[i] = ldexpf((float)(i * 7919 % 1000) - 500.5f, i % 60 - 30);
	x[5] = INFINITY;
	x[6] = NAN;
	x[7] = 0;
	for (size_t k = 0; k < sizeof divisors / sizeof *divisors; k++) {
		d = divisors[k];
		call((void *[]){x, &d, y}, NULL);
		for (int i = 0; i < N; i++)
			ck_assert_msg(y[i] == x[i] / d || (isnan(y[i]) && isnan(x[i] / d)) ||
					      fabsf(x[i] / d) < 1.2e-38f,
				      "%.9g / %.9g is not %.9g", (double)x[i], (double)d, (double)y[i]);
	}
	backend_jit_free(jit);
	free(x);
	free(y);
	session_free(s);
}
END_TEST

/* Of VALUES numbers the function's, by the code of a level, each the same in all places of a vector loop. */
enum { PLACES = 77, VALUES = 49 };
static void in_all_places(const char *function, enum dtype t, int level, double *results)
{
	struct session *s = session_new();
	void *buffer[] = {aligned(PLACES * 8), aligned(PLACES * 8)};
	struct backend_jit *jit;
	s->options.opt_level = level;
	kernel_call *call = compile_unary(s, function, t, PLACES, &jit);
	for (int v = 0; v < VALUES; v++) {
		double x = (double)(v + 1) * 0.037;
		for (int i = 0; i < PLACES; i++)
			put(buffer[0], t, i, (union scalar_value){.f = x});
		call(buffer, NULL);
		results[v] = get(buffer[1], t, 0).f;
		for (int i = 1; i < PLACES; i++)
			ck_assert_msg(get(buffer[1], t, i).f == results[v] || results[v] != results[v], "%s(%g) at %d",
				      function, x, i);
	}
	backend_jit_free(jit);
	free(buffer[0]);
	free(buffer[1]);
	session_free(s);
}

/* The same number gives the same bits wherever it stands and whatever stands beside it, and without optimisation, where
 * these are functions that are called. */
START_TEST(a_value_does_not_depend_on_its_place)
{
	static const char *const functions[] = {"exp",     "log", "tanh", "erf",  "log1p", "expm1",  "softplus",
						"sigmoid", "sin", "cos",  "asin", "acos",  "erfinv", "rsqrt",
						"normal_cdf"};
	double called[VALUES], inlined[VALUES];
	for (size_t f = 0; f < sizeof functions / sizeof *functions; f++)
		for (int wide = 0; wide < 2; wide++) {
			in_all_places(functions[f], wide ? DT_F64 : DT_F32, 2, inlined);
			in_all_places(functions[f], wide ? DT_F64 : DT_F32, 0, called);
			ck_assert_msg(!memcmp(called, inlined, sizeof called), "%s: other bits when called",
				      functions[f]);
		}
}
END_TEST

/* Annex F: of +0 and -0 these functions make what they are given. */
START_TEST(zeros_keep_their_signs)
{
	static const char *const functions[] = {"tanh", "sin", "erf", "log1p", "expm1", "sqrt", "asin"};
	enum { N = 19 };
	for (size_t f = 0; f < 2 * sizeof functions / sizeof *functions; f++) {
		struct session *s = session_new();
		enum dtype t = f % 2 ? DT_F64 : DT_F32;
		void *buffer[] = {aligned(N * 8), aligned(N * 8)};
		struct backend_jit *jit;
		kernel_call *call = compile_unary(s, functions[f / 2], t, N, &jit);
		for (int i = 0; i < N; i++)
			put(buffer[0], t, i, (union scalar_value){.f = i % 2 ? -0.0 : 0.0});
		call(buffer, NULL);
		ck_assert_msg(!memcmp(buffer[0], buffer[1], N * dtype_size(t)), "%s", functions[f / 2]);
		backend_jit_free(jit);
		free(buffer[0]);
		free(buffer[1]);
		session_free(s);
	}
}
END_TEST

int main(void)
{
	Suite *suite;
	TCase *t = suite_begin(&suite, "backend math");
	tcase_add_loop_test(t, functions_agree_with_their_meaning, 0, 6);
	tcase_add_loop_test(t, casts_agree_with_their_meaning, 0, 3);
	tcase_add_loop_test(t, errors_are_as_stated, 0, (int)(sizeof samples / sizeof *samples));
	tcase_add_loop_test(t, angles_next_to_quarter_turns_keep_their_digits, 0,
			    (int)(sizeof quarters / sizeof *quarters));
	tcase_add_test(t, powers_are_right_to_the_last_bit);
	tcase_add_test(t, what_divisions_leave_is_exact);
	tcase_add_test(t, angles_are_right);
	tcase_add_test(t, division_by_one_number_is_division);
	tcase_add_test(t, a_value_does_not_depend_on_its_place);
	tcase_add_test(t, zeros_keep_their_signs);
	return suite_end(suite);
}
