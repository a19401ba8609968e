/* test_backend_math.c — every function of scalar.def as compiled code against scalar_eval, on every element type with
 * the values that are easy to get wrong. */
#define _POSIX_C_SOURCE 200809L
#include "compiled_math.h"

#include "op/scalars/function.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_VALUES = 32 };

/* ---- values that are easy to get wrong ---- */

static int values_of(enum dtype t, union scalar_value *out)
{
	static const double real[] = {0.0,  -0.0,  1.0,   -1.0,  0.5,   -0.5,   2.0,       -2.0,     3.0,       -3.0,
				      0.25, 1.5,   7.75,  -7.75, 100.0, -100.0, 1e-3,      INFINITY, -INFINITY, NAN,
				      88.5, -88.5, 1e-30, 1e30,  -1e30, 1e-41,  12345.678, 3e-310};
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

/* Vectors divide ints as floats: by divisors of all sizes what is a whole number of times them, and what is one less or
 * more; element i of the type from the bits of a generator. */
START_TEST(division_of_ints_cuts_to_the_right_number)
{
	enum { N = 1 << 15 };
	static const enum dtype types[] = {DT_I8, DT_U8, DT_I16, DT_U16, DT_I32, DT_U32};
	enum dtype t = types[_i / CPUS];
	int bits = 8 * (int)dtype_size(t);
	bool is_signed = dtype_kind(t) == DTYPE_INT;
	struct session *s = session_new();
	s->options.target_cpu = cpus[_i % CPUS];
	s->options.opt_level = 2;
	void *x = aligned(N * 8), *y = aligned(N * 8), *q = aligned(N * 8);
	uint64_t state = 1;
	for (int i = 0; i < N; i++) {
		state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		int shift = 64 - 1 - (int)(state >> 40) % bits, more = (int)(state >> 33) % 3 - 1;
		int64_t a = (int64_t)(state * 7919) >> shift, by = (int64_t)(state * 104729) >> (127 - bits - shift);
		put(y, t, i, (union scalar_value){.i = by});
		by = get(y, t, i).i;
		put(x, t, i, (union scalar_value){.i = i % 4 ? a * by + more : a});
	}
	struct text text;
	text_init(&text, s->arena);
	print_call(&text, SC_DIV, t, (enum dtype[]){t, t}, true, N);
	struct backend_jit *jit;
	compile(s, text_get(&text), &jit)((void *[]){x, y, q}, NULL);
	int64_t top = is_signed ? (int64_t)1 << (bits - 1) : (int64_t)1 << bits;
	for (int i = 0; i < N; i++) {
		int64_t a = get(x, t, i).i, b = get(y, t, i).i, right = b == 0 ? 0 : a / b;
		right = is_signed && right == top ? -top : right;
		ck_assert_msg(get(q, t, i).i == right, "%s: %lld / %lld is %lld, not %lld", dtype_text(t), (long long)a,
			      (long long)b, (long long)get(q, t, i).i, (long long)right);
	}
	backend_jit_free(jit);
	free(x);
	free(y);
	free(q);
	session_free(s);
}
END_TEST

/* All numbers of 16 bits by some of them, reproducibly as well. */
START_TEST(division_of_16_bits_by_one_number_is_division)
{
	enum { N = 1 << 16, APART = 997 };
	enum dtype t = _i % 2 ? DT_F16 : DT_BF16;
	struct session *s = session_new();
	uint16_t *x = aligned(N * 2), *y = aligned(N * 2);
	struct backend_jit *jit;
	s->options.opt_level = 2;
	s->options.reproducible = _i / 2;
	const char *name = dtype_text(t);
	kernel_call *call = compile(
		s,
		arena_printf(s->arena,
			     "kernel \"f\"(in b0: %s[65536], in b1: %s[1], out b2: %s[65536]) flops 0 {\n"
			     " %%2 = load %s b1[0] vloop i0 65536 { %%0 = load %s b0[1*i0] %%1 = / %s %%0, %%2\n"
			     "  store b2[1*i0] %%1 } }",
			     name, name, name, name, name, name),
		&jit);
	for (int i = 0; i < N; i++)
		x[i] = (uint16_t)i;
	for (int k = _i; k < N; k += APART) {
		uint16_t d = (uint16_t)k, want;
		call((void *[]){x, &d, y}, NULL);
		for (int i = 0; i < N; i++) {
			float quotient = (float)get(x, t, i).f / (float)get(&d, t, 0).f;
			put(&want, t, 0, scalar_convert((union scalar_value){.f = (double)quotient}, DT_F32, t));
			ck_assert_msg(y[i] == want || (isnan(quotient) && isnan(get(y, t, i).f)),
				      "%s: %.9g / %.9g is %.9g, not %.9g", name, get(x, t, i).f, get(&d, t, 0).f,
				      get(&want, t, 0).f, get(y, t, i).f);
		}
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
	static const char *const functions[] = {"exp",      "log",     "tanh",  "erf",       "log1p", "expm1",
						"softplus", "sigmoid", "sin",   "cos",       "tan",   "asin",
						"acos",     "erfinv",  "rsqrt", "normal_cdf"};
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

/* What is rare goes another way in a vector: numbers beside it have the bits that they have without it. */
START_TEST(numbers_beside_rare_ones_stay_as_they_are)
{
	static const char *const functions[] = {"sin",  "cos",  "tan",  "log",    "lgamma", "rsqrt",
						"asin", "acos", "sqrt", "erfinv", "exp"};
	static const double rare[] = {3e5, 1e9, 0.9999, 1e30, -5.3, 0, -1, 1e-41, INFINITY, NAN, -95, -1e30, -720};
	enum { RARE = (int)(sizeof rare / sizeof *rare), N = 32 * RARE };
	for (size_t f = 0; f < 4 * (sizeof functions / sizeof *functions); f++) {
		struct session *s = session_new();
		s->options.target_cpu = cpus[f / 2 % 2];
		const char *function = functions[f / 4];
		enum dtype t = f % 2 ? DT_F64 : DT_F32;
		void *buffer[] = {aligned(N * 8), aligned(N * 8)};
		double alone[N];
		struct backend_jit *jit;
		s->options.opt_level = 2;
		kernel_call *call = compile_unary(s, function, t, N, &jit);
		for (int beside = 0; beside < 2; beside++) {
			for (int i = 0; i < N; i++) {
				double usual = (double)(i + 1) * 0.9 / N;
				bool is_rare = beside && i % 32 == 7;
				put(buffer[0], t, i, (union scalar_value){.f = is_rare ? rare[i / 32] : usual});
			}
			call(buffer, NULL);
			for (int i = 0; i < N; i++) {
				double y = get(buffer[1], t, i).f;
				if (beside && i % 32 != 7)
					ck_assert_msg(y == alone[i], "%s at %d", function, i);
				alone[i] = y;
			}
		}
		backend_jit_free(jit);
		free(buffer[0]);
		free(buffer[1]);
		session_free(s);
	}
}
END_TEST

/* Annex F: of +0 and -0 these functions make what they are given. */
START_TEST(zeros_keep_their_signs)
{
	static const char *const functions[] = {"tanh", "sin", "tan", "erf", "log1p", "expm1", "sqrt", "asin"};
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

/* Numbers whose roots lie next to the middle m of two numbers: x = m^2 + j in units of 2^-106, for small odd j. x,
 * whose last place is 2^`bits` units, is one where m^2 = -j modulo that, which has roots if -j is 1 modulo 8. */
static int hard_roots(double *out)
{
	int n = 0;
	for (int j = -511; j <= 511; j++)
		for (int bits = 54; bits <= 55 && ((-j) & 7) == 1; bits++) {
			uint64_t ones = (UINT64_C(1) << bits) - 1, half = UINT64_C(1) << (bits - 1), r = 1;
			for (int k = 3; k < bits; k++)
				r += (r * r + (uint64_t)j) >> k & 1 ? UINT64_C(1) << (k - 1) : 0;
			const uint64_t roots[] = {r, 0 - r, r + half, half - r};
			for (int i = 0; i < 4; i++) {
				uint64_t m = roots[i] & ones;
				unsigned __int128 x = (unsigned __int128)m * m + (unsigned __int128)(__int128)j;
				if (m >> 53 == 1 && (x >> 107 != 0) == (bits == 55))
					out[n++] = ldexp((double)(uint64_t)(x >> bits), bits - 106);
			}
		}
	return n;
}

START_TEST(square_roots_of_f64_are_rounded_correctly)
{
	enum { N = 1 << 16, MOST = 1 << 10 };
	static const double special[] = {0.0,      -0.0,        1.0,       4.0,         -1.0,    INFINITY,  -INFINITY,
					 NAN,      5e-324,      3e-310,    DBL_MIN,     DBL_MAX, 0x1p-961,  0x1p-960,
					 0x1p-959, 1 + 0x1p-52, 2 - 2e-16, 1 - 0x1p-53, 0.25,    0x1.8p-960};
	enum { SPECIAL = (int)(sizeof special / sizeof *special) };
	struct session *s = session_new();
	double *x = aligned(N * 8), *y = aligned(N * 8), hard[MOST];
	int hards = hard_roots(hard);
	ck_assert_int_gt(hards, 100);
	uint64_t bits = 1;
	for (int i = 0; i < N; i++) {
		bits = bits * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		uint64_t high = bits >> 1;
		memcpy(&x[i], &high, 8);
		if (i % 4 == 1) /* from 1 to 4 */
			x[i] = 1 + 3 * ((double)(bits >> 11) * 0x1p-53);
		if (i % 4 == 2) /* of a square and what is next to it */
			x[i] = nextafter((double)(bits >> 38) * (double)(bits >> 38), i % 8 == 2 ? INFINITY : 0);
		if (i % 4 == 3)
			x[i] = ldexp(hard[i / 4 % hards], 2 * (i % 7 - 3) * (i % 3));
		if (i % 32 == 5 && i >= N / 2)
			x[i] = special[i / 32 % SPECIAL];
	}
	struct backend_jit *jit;
	s->options.opt_level = 2;
	compile_unary(s, "sqrt", DT_F64, N, &jit)((void *[]){x, y}, NULL);
	for (int i = 0; i < N; i++) {
		double right = sqrt(x[i]);
		ck_assert_msg(isnan(right) ? isnan(y[i]) : !memcmp(&y[i], &right, 8), "sqrt of %a: %a, not %a", x[i],
			      y[i], right);
	}
	backend_jit_free(jit);
	free(x);
	free(y);
	session_free(s);
}
END_TEST

int main(void)
{
	Suite *suite;
	TCase *t = suite_begin(&suite, "backend math");
	tcase_add_loop_test(t, functions_agree_with_their_meaning, 0, 6);
	tcase_add_loop_test(t, casts_agree_with_their_meaning, 0, 3);
	tcase_add_test(t, division_by_one_number_is_division);
	tcase_add_loop_test(t, division_of_ints_cuts_to_the_right_number, 0, 6 * CPUS);
	tcase_add_loop_test(t, division_of_16_bits_by_one_number_is_division, 0, 4);
	tcase_add_test(t, a_value_does_not_depend_on_its_place);
	tcase_add_test(t, numbers_beside_rare_ones_stay_as_they_are);
	tcase_add_test(t, zeros_keep_their_signs);
	tcase_add_test(t, square_roots_of_f64_are_rounded_correctly);
	return suite_end(suite);
}
