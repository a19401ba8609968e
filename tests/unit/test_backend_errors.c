/* test_backend_errors.c — the errors that backend/math.h states of compiled functions, measured over dense samples. */
#define _POSIX_C_SOURCE 200809L
#include "compiled_math.h"

#include "op/scalars/function.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static long double rsqrtl(long double x)
{
	return 1 / sqrtl(x);
}

static const struct sample samples[] = {
	{"rsqrt", 0.25, 4, 1.0, 1.0, rsqrtl},
	{"rsqrt", 3e-45, 3e38, 1.0, 1.0, rsqrtl},
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
	{"erfinv", -0.999999, 0.999999, 2.0, 2.2, erfinvl},
	{"erfinv", 0.9999, 0.99999994, 2.0, 2.2, erfinvl},
	{"erfinv", -0.6, 0.6, 2.0, 2.2, erfinvl},
	{"erfinv", -1e-6, 1e-6, 2.0, 2.2, erfinvl},
	{"asin", -1, 1, 1.7, 1.7, asinl},
	{"asin", -1e-3, 1e-3, 1.7, 1.7, asinl},
	{"acos", -1, 1, 1.5, 1.5, acosl},
	{"acos", 0.999, 1, 1.5, 1.5, acosl},
	{"tan", -10, 10, 3.0, 2.5, tanl},
	{"tan", -0.8, 0.8, 3.0, 2.5, tanl},
	{"tan", -1e-3, 1e-3, 3.0, 2.5, tanl},
	{"tan", 1.57, 1.5716, 3.0, 2.5, tanl},
	{"tan", -1e5, 1e5, 3.0, 2.5, tanl},
	{"tan", -6e7, 6e7, 3.0, 2.5, tanl},
	{"tan", -1e12, 1e12, 3.0, 2.5, tanl},
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
	{"sin", 0, 100, 1.6, 2.0, sinl}, {"sin", 0, 5e7, 1.6, 2.0, sinl}, {"cos", 0, 100, 1.6, 2.0, cosl},
	{"cos", 0, 5e7, 1.6, 2.0, cosl}, {"tan", 0, 100, 3.0, 2.5, tanl}, {"tan", 0, 2e7, 3.0, 2.5, tanl},
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
		double narrow = worst_error(p, near_a_quarter, false, cpu),
		       wide = worst_error(p, near_a_quarter, true, cpu);
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

int main(void)
{
	Suite *suite;
	TCase *t = suite_begin(&suite, "errors of compiled functions");
	tcase_add_loop_test(t, errors_are_as_stated, 0, (int)(sizeof samples / sizeof *samples));
	tcase_add_loop_test(t, angles_next_to_quarter_turns_keep_their_digits, 0,
			    (int)(sizeof quarters / sizeof *quarters));
	tcase_add_test(t, powers_are_right_to_the_last_bit);
	tcase_add_test(t, what_divisions_leave_is_exact);
	tcase_add_test(t, angles_are_right);
	return suite_end(suite);
}
