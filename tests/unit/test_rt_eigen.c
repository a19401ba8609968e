/* test_rt_eigen.c — eigenvalues and vectors against their definition, on all levels of vectors that the machine has:
 * random matrices, values that are equal, close or far apart, in clusters that are joined weakly, sparse and
 * tridiagonal ones, the largest and the smallest numbers, and what is none; and that nothing outside of the result is
 * written. */
#include "eigen/eigen.h"
#include "factors_fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double WORST = 2e-14; /* relative to the largest value; about 6e-15 is found */

/* A random reflection applied from both sides, four times: values stay what they are. */
static void mix(int64_t n, double *a)
{
	double *v = take(n * (int64_t)sizeof *v);
	for (int turn = 0; turn < 4; turn++) {
		double square = 0;
		for (int64_t i = 0; i < n; i++) {
			v[i] = draw();
			square += v[i] * v[i];
		}
		for (int side = 0; side < 2; side++)
			for (int64_t r = 0; r < n; r++) {
				double s = 0;
				for (int64_t i = 0; i < n; i++)
					s += v[i] * a[side ? i * n + r : r * n + i];
				for (int64_t i = 0; i < n; i++)
					a[side ? i * n + r : r * n + i] -= 2 * s / square * v[i];
			}
	}
	free(v);
}

enum kind {
	RANDOM,
	CLUSTERS,
	EQUAL,
	GRADED,
	STEEP,
	SCALED,
	NOTHING,
	DIAGONAL,
	ALL_ONE,
	ONE_PAIR,
	WILKINSON,
	GLUED,
	SPARSE,
	HUGE_NUMBERS,
	SUBNORMAL,
	KINDS
};

static double value_of(enum kind kind, int64_t i, int64_t n)
{
	switch (kind) {
	case CLUSTERS:
		return (double)(i * 5 / n) + 1e-13 * (double)i;
	case EQUAL:
		return 3;
	case GRADED:
		return pow(10, -6.0 * (double)i / (double)n);
	default:
		return pow(10, -300.0 * (double)i / (double)n);
	}
}

static double element(enum kind kind, int64_t i, int64_t k, int64_t n)
{
	double x = draw();
	switch (kind) {
	case SCALED:
		return x * pow(10, -20.0 * (double)(i + k) / (double)n);
	case DIAGONAL:
		return i == k ? x : 0;
	case ALL_ONE:
		return 1;
	case ONE_PAIR:
		return i == 0 && k == n - 1;
	case WILKINSON:
		return i == k ? fabs((double)(i - n / 2)) : k == i + 1;
	case GLUED:
		return i == k ? fabs((double)(i % 21 - 10)) : k == i + 1 ? (k % 21 ? 1 : 1e-8) : 0;
	case SPARSE:
		return fabs(x) < 0.05 ? x : 0;
	case HUGE_NUMBERS:
		return x * 1e308;
	case SUBNORMAL:
		return x * 1e-318;
	case NOTHING:
		return 0;
	default:
		return x;
	}
}

static void make(enum kind kind, int64_t n, double *a)
{
	bool by_values = kind == CLUSTERS || kind == EQUAL || kind == GRADED || kind == STEEP;
	for (int64_t i = 0; i < n; i++)
		for (int64_t k = 0; k < n; k++)
			a[i * n + k] = !by_values ? element(kind, i, k, n) : i == k ? value_of(kind, i, n) : 0;
	if (by_values)
		mix(n, a);
	for (int64_t i = 0; i < n; i++)
		for (int64_t k = 0; k < i; k++)
			a[i * n + k] = a[k * n + i];
}

/* a v = w v and v orthonormal, of vectors in rows; subnormal numbers are as far apart as they are. */
static void compare_within(int64_t n, const double *a, const double *w, const double *v, double worst, const char *what)
{
	double size = 0, apart = 4.9e-324 * (double)n;
	for (int64_t i = 0; i < n; i++)
		size = fmax(size, fabs(w[i]));
	for (int64_t i = 0; i < n; i++) {
		ck_assert_msg(i == 0 || w[i] >= w[i - 1], "%s: values do not rise", what);
		for (int64_t k = 0; k < n; k++) {
			long double along = 0, product = 0;
			for (int64_t j = 0; j < n; j++) {
				along += (long double)a[k * n + j] * v[i * n + j];
				product += (long double)v[i * n + j] * v[k * n + j];
			}
			double wrong = fabs((double)(along - (long double)w[i] * v[i * n + k]));
			ck_assert_msg(wrong <= worst * size + apart, "%s: %g is no eigenvalue, by %g", what, w[i],
				      wrong);
			ck_assert_msg(fabs((double)(product - (i == k))) <= worst, "%s: vectors %d and %d, %g", what,
				      (int)i, (int)k, (double)product);
		}
	}
}

static void compare(int64_t n, const double *a, const double *w, const double *v, const char *what)
{
	compare_within(n, a, w, v, WORST, what);
}

static void run(enum product_level level, int64_t n, const double *a, double *out)
{
	static void *of_products; /* for all */
	void *room = take(eigen_room(n));
	of_products = of_products ? of_products : take(product_room());
	out[0] = out[n * (n + 1) + 1] = 7;
	eigen_run(level, false, n, a, out + 1, out + 1 + n, room, of_products);
	ck_assert_double_eq(out[0], 7);
	ck_assert_double_eq(out[n * (n + 1) + 1], 7);
	free(room);
}

static void some_kinds(int64_t n, enum kind kinds)
{
	static const enum product_level levels[] = {PRODUCT_BASE, PRODUCT_AVX2, PRODUCT_AVX512};
	double *a = take(n * n * (int64_t)sizeof *a + 8), *out = take((n * (n + 1) + 2) * (int64_t)sizeof *out);
	for (int l = 0; l < 3; l++)
		for (enum kind kind = 0; kind < kinds && product_has_level(levels[l]); kind++) {
			char what[64];
			snprintf(what, sizeof what, "kind %d, %d lines, level %d", (int)kind, (int)n, (int)levels[l]);
			seed = (uint64_t)(n * KINDS) + kind;
			make(kind, n, a);
			run(levels[l], n, a, out);
			compare(n, a, out + 1, out + 1 + n, what);
		}
	free(a);
	free(out);
}

static void all_kinds(int64_t n)
{
	some_kinds(n, KINDS);
}

START_TEST(few_lines)
{
	for (int64_t n = 0; n <= 17; n++)
		all_kinds(n);
}
END_TEST

START_TEST(lines_of_one_and_of_several_halves)
{
	static const int64_t lines[] = {31, 32, 33, 47, 65, 80};
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		all_kinds(lines[i]);
}
END_TEST

START_TEST(blocks_of_the_many_lines)
{
	some_kinds(257, EQUAL);
}
END_TEST

/* Of f32: what is of f64, rounded, but for how vectors are multiplied. */
static void singles(enum product_level level, int64_t n)
{
	int64_t all = n * (n + 1);
	float *a = take(n * n * 4), *out = take((all + 1) * 4);
	double *wide = take(n * n * 8), *exact = take((all + 2) * 8), *got = take(all * 8);
	for (enum kind kind = 0; kind < HUGE_NUMBERS; kind++) {
		seed = (uint64_t)(n * KINDS) + kind;
		make(kind, n, wide);
		for (int64_t i = 0; i < n * n; i++)
			wide[i] = (double)(a[i] = (float)wide[i]);
		run(level, n, wide, exact);
		void *room = take(eigen_room(n)), *of_products = take(product_room());
		out[all] = 7;
		eigen_run(level, true, n, a, out, out + n, room, of_products);
		ck_assert_float_eq(out[all], 7);
		for (int64_t i = 0; i < n; i++)
			ck_assert_double_eq_tol((double)out[i], exact[1 + i],
						1e-7 * fmax(fabs(exact[1]), fabs(exact[n])) + 1e-300);
		for (int64_t i = 0; i < all; i++)
			got[i] = (double)out[i];
		compare_within(n, wide, got, got + n, 3e-6, "f32");
		free(room);
		free(of_products);
	}
	free(a);
	free(out);
	free(wide);
	free(exact);
	free(got);
}

START_TEST(singles_are_as_good_as_singles_are)
{
	static const enum product_level levels[] = {PRODUCT_BASE, PRODUCT_AVX2, PRODUCT_AVX512};
	static const int64_t lines[] = {1, 2, 11, 13, 40, 70};
	for (int l = 0; l < 3; l++)
		for (size_t i = 0; i < sizeof lines / sizeof *lines && product_has_level(levels[l]); i++)
			singles(levels[l], lines[i]);
}
END_TEST

START_TEST(known_values)
{
	enum { N = 90 };
	double *a = take(N * N * sizeof *a), *out = take((N * (N + 1) + 2) * sizeof *out);
	for (int64_t i = 0; i < N; i++)
		for (int64_t k = 0; k < N; k++)
			a[i * N + k] = i == k ? 2 : i - k == 1 || k - i == 1 ? -1 : 0;
	run(PRODUCT_BASE, N, a, out);
	for (int64_t i = 0; i < N; i++)
		ck_assert_double_eq_tol(out[1 + i], 2 - 2 * cos((double)(i + 1) * 3.14159265358979323846 / (N + 1)),
					1e-14);
	free(a);
	free(out);
}
END_TEST

START_TEST(what_is_no_number_makes_all_of_it_none)
{
	enum { N = 40 };
	static const double bad[] = {NAN, INFINITY, -INFINITY};
	double *a = take(N * N * sizeof *a), *out = take((N * (N + 1) + 2) * sizeof *out);
	for (int i = 0; i < 3; i++) {
		make(RANDOM, N, a);
		a[3 * N + 17] = bad[i];
		run(product_level(64, false), N, a, out);
		for (int64_t k = 1; k <= N * (N + 1); k++)
			ck_assert_msg(out[k] != out[k], "number %d of what has none is %g", (int)k, out[k]);
	}
	free(a);
	free(out);
}
END_TEST

/* The other triangle is not looked at. */
START_TEST(left_of_the_diagonal_nothing_is_read)
{
	enum { N = 50 };
	int64_t all = N * (N + 1) + 2;
	double *a = take(N * N * sizeof *a), *one = take(all * 8), *two = take(all * 8);
	make(RANDOM, N, a);
	run(product_level(64, false), N, a, one);
	for (int64_t i = 0; i < N; i++)
		for (int64_t k = 0; k < i; k++)
			a[i * N + k] = NAN;
	run(product_level(64, false), N, a, two);
	ck_assert_mem_eq(one, two, (size_t)all * 8);
	free(a);
	free(one);
	free(two);
}
END_TEST

int main(void)
{
	Suite *suite;
	TCase *t = suite_begin(&suite, "eigen");
	tcase_add_test(t, few_lines);
	tcase_add_test(t, lines_of_one_and_of_several_halves);
	tcase_add_test(t, blocks_of_the_many_lines);
	tcase_add_test(t, singles_are_as_good_as_singles_are);
	tcase_add_test(t, known_values);
	tcase_add_test(t, what_is_no_number_makes_all_of_it_none);
	tcase_add_test(t, left_of_the_diagonal_nothing_is_read);
	return suite_end(suite);
}
