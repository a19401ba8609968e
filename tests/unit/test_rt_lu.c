/* test_rt_lu.c — factors with partial pivoting against elimination line by line, on all levels of vectors that the
 * machine has, of f32 and f64: matrices of all sizes, singular ones, ties, the largest and the smallest numbers, and
 * what is none; that nothing outside of the result is written, that levels with fused multiply-adds agree, and that
 * matrices side by side have the factors that each has alone. */
#include "factors_fixture.h"
#include "lu/lu.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS = 3 };
static const enum product_level levels[LEVELS] = {PRODUCT_BASE, PRODUCT_AVX2, PRODUCT_AVX512};

enum kind { RANDOM, NOTHING, ONE_LINE, TWICE, EXCHANGED, SIGNS, HUGE_NUMBERS, SUBNORMAL, TINY_PIVOTS, KINDS };

static double element(enum kind kind, int64_t i, int64_t k, int64_t n, bool single)
{
	double x = draw(), least = single ? FLT_MIN : DBL_MIN, most = single ? FLT_MAX : DBL_MAX;
	switch (kind) {
	case NOTHING:
		return 0;
	case ONE_LINE:
		return i == n / 2 ? x : 0;
	case EXCHANGED:
		return (i * 7 + 3) % (n % 7 ? n : n + 1) == k;
	case SIGNS:
		return x < -0.5 ? -1 : x < 0 ? 0 : 1;
	case HUGE_NUMBERS:
		return x * most / (double)(n + 1) / 4;
	case SUBNORMAL:
		return x * least / 8;
	case TINY_PIVOTS:
		return k % 3 ? x : x * least / 8;
	default:
		return x;
	}
}

static void make(enum kind kind, int64_t n, bool single, double *a)
{
	for (int64_t i = 0; i < n; i++)
		for (int64_t k = 0; k < n; k++) {
			double x = kind == TWICE && i % 2 ? a[(i - 1) * n + k] : element(kind, i, k, n, single);
			a[i * n + k] = single ? (double)(float)x : x;
		}
}

static enum product_level level_now;
static bool single_now;

static void multiply(void *room, const struct product *p)
{
	product_run(level_now, single_now ? PRODUCT_F32 : PRODUCT_F64, p, product_whole(), room);
}

/* As numbers of f64: of each matrix a line, and factors behind it. */
static void run_many(enum product_level level, bool single, int64_t count, int64_t n, const double *a, double *out)
{
	static void *of_products; /* for all */
	of_products = of_products ? of_products : take(product_room());
	int64_t size = single ? 4 : 8, all = count * n * (n + 1);
	void *room = take(lu_room(n));
	char *from = take(count * n * n * size), *to = take((all + 2) * size);
	for (int64_t i = 0; i < count * n * n; i++)
		if (single)
			((float *)(void *)from)[i] = (float)a[i];
		else
			((double *)(void *)from)[i] = a[i];
	memset(to, 7, (size_t)size);
	memset(to + (all + 1) * size, 7, (size_t)size);
	level_now = level;
	single_now = single;
	lu_run(level, single, count, n, from, to + size, room, multiply, of_products);
	for (int64_t i = 0; i < size; i++)
		ck_assert(to[i] == 7 && to[(all + 1) * size + i] == 7);
	for (int64_t i = 0; i < all; i++)
		out[i] = single ? (double)((float *)(void *)to)[i + 1] : ((double *)(void *)to)[i + 1];
	free(room);
	free(from);
	free(to);
}

static void run(enum product_level level, bool single, int64_t n, const double *a, double *out)
{
	run_many(level, single, 1, n, a, out);
}

static void exchange(int64_t n, double *x, double *y)
{
	for (int64_t k = 0; k < n; k++) {
		double v = x[k];
		x[k] = y[k];
		y[k] = v;
	}
}

/* A column after the other; NaN is no pivot where there is a number. */
static void eliminate(int64_t n, double *order, double *a)
{
	for (int64_t i = 0; i < n; i++)
		order[i] = (double)i;
	for (int64_t j = 0; j < n; j++) {
		int64_t best = -1;
		for (int64_t i = j; i < n; i++)
			if (!isnan(a[i * n + j]) && (best < 0 || fabs(a[i * n + j]) > fabs(a[best * n + j])))
				best = i;
		best = best < 0 ? j : best;
		exchange(n, a + j * n, a + best * n);
		exchange(1, order + j, order + best);
		for (int64_t i = j + 1; i < n; i++) {
			if (a[j * n + j] != 0)
				a[i * n + j] /= a[j * n + j];
			for (int64_t k = j + 1; k < n; k++)
				a[i * n + k] -= a[i * n + j] * a[j * n + k];
		}
	}
}

/* Lines in their order are l u, as near as rounding lets them be, and no multiplier is above 1. */
static void compare(int64_t n, bool single, const double *a, const double *out, const char *what)
{
	const double *order = out, *w = out + n;
	double eps = single ? FLT_EPSILON : DBL_EPSILON, least = single ? FLT_MIN : DBL_MIN, most = 0;
	bool *seen = take(n);
	memset(seen, 0, (size_t)n);
	for (int64_t i = 0; i < n * n; i++)
		most = fmax(most, fabs(w[i]));
	for (int64_t i = 0; i < n; i++) {
		int64_t line = (int64_t)order[i];
		ck_assert_msg(order[i] >= 0 && line < n && (double)line == order[i] && !seen[line], "%s: line %g", what,
			      order[i]);
		seen[line] = true;
		for (int64_t k = 0; k < n; k++) {
			long double sum = 0;
			for (int64_t j = 0; j <= k && j <= i; j++)
				sum += (j == i ? 1 : (long double)w[i * n + j]) * w[j * n + k];
			double wrong = fabs((double)(sum - a[line * n + k]));
			if (!(wrong <= 2 * (double)n * eps * most + (double)n * least))
				ck_abort_msg("%s: element %d, %d is wrong by %g of %g", what, (int)i, (int)k, wrong,
					     most);
			if (k < i && !(fabs(w[i * n + k]) <= 1))
				ck_abort_msg("%s: a multiplier is %g", what, w[i * n + k]);
		}
	}
	free(seen);
}

static void all_kinds(int64_t n)
{
	int64_t all = n * (n + 1);
	double *a = take(n * n * 8), *out = take(all * 8), *other = take(all * 8);
	for (int single = 0; single < 2; single++)
		for (enum kind kind = 0; kind < KINDS; kind++) {
			seed = (uint64_t)(n * KINDS) + kind;
			make(kind, n, single, a);
			for (int l = 0; l < LEVELS && product_has_level(levels[l]); l++) {
				char what[64];
				snprintf(what, sizeof what, "kind %d, %d lines of f%d, level %d", (int)kind, (int)n,
					 single ? 32 : 64, (int)levels[l]);
				run(levels[l], single, n, a, l > 1 ? other : out);
				compare(n, single, a, l > 1 ? other : out, what);
				if (l > 1 && n)
					ck_assert_msg(memcmp(out, other, (size_t)all * 8) == 0,
						      "%s: other bits than with the vectors before", what);
			}
		}
	free(a);
	free(out);
	free(other);
}

START_TEST(few_lines)
{
	for (int64_t n = 0; n <= 20; n++)
		all_kinds(n);
}
END_TEST

START_TEST(lines_of_one_and_of_several_panels)
{
	static const int64_t lines[] = {31, 32, 33, 47, 48, 49, 63, 64, 65, 80, 97, 130};
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		all_kinds(lines[i]);
}
END_TEST

/* Lines of Hadamard matrices of 4 lines, whose factors are exact and whose pivots are ties, one matrix beside the other
 * and in another order. */
START_TEST(of_equal_pivots_the_first_is_taken)
{
	for (int64_t n = 1; n <= 70; n += n < 20 ? 1 : 7) {
		double *a = take(n * n * 8), *out = take(n * (n + 1) * 8), *known = take(n * (n + 1) * 8);
		for (int64_t i = 0; i < n; i++)
			for (int64_t k = 0; k < n; k++) {
				int64_t line = (i * 5 + 2) % (n % 5 ? n : n + 1) % n, both = line & k & 3;
				bool odd = (both ^ both >> 1 ^ line / 3 ^ k / 5) & 1;
				a[i * n + k] = line / 4 != k / 4 ? 0 : odd ? -1 : 1;
			}
		for (int single = 0; single < 2; single++)
			for (int l = 0; l < LEVELS && product_has_level(levels[l]); l++) {
				memcpy(known + n, a, (size_t)(n * n) * 8);
				eliminate(n, known, known + n);
				run(levels[l], single, n, a, out);
				for (int64_t i = 0; i < n * (n + 1); i++)
					if (out[i] != known[i])
						ck_abort_msg("%d lines, level %d: %d is %g, not %g", (int)n,
							     (int)levels[l], (int)i, out[i], known[i]);
			}
		free(a);
		free(out);
		free(known);
	}
}
END_TEST

START_TEST(what_is_no_number_is_no_pivot_and_goes_on)
{
	enum { N = 37 };
	double a[N * N], out[N * (N + 1)], known[N * (N + 1)];
	static const double none[] = {NAN, INFINITY};
	for (int kind = 0; kind < 2; kind++)
		for (int at = 0; at < N * N; at += 41)
			for (int l = 0; l < LEVELS && product_has_level(levels[l]); l++) {
				seed = (uint64_t)at;
				make(RANDOM, N, false, a);
				a[at] = none[kind];
				memcpy(known + N, a, sizeof a);
				eliminate(N, known, known + N);
				run(levels[l], false, N, a, out);
				/* Lines that are NaN throughout stand in whichever order. */
				for (int64_t i = 0; i < N * N; i++)
					if (isnan(out[N + i]) != isnan(known[N + i]) ||
					    fabs(out[N + i] - known[N + i]) > 1e-9)
						ck_abort_msg("kind %d at %d, level %d: %d is %g, not %g", kind, at,
							     (int)levels[l], (int)i, out[N + i], known[N + i]);
			}
	for (int l = 0; l < LEVELS && product_has_level(levels[l]); l++) {
		for (int i = 0; i < N * N; i++)
			a[i] = NAN;
		run(levels[l], false, N, a, out);
		for (int i = 0; i < N; i++)
			ck_assert_double_eq(out[i], i);
	}
}
END_TEST

static void side_by_side(enum product_level level, bool single, int64_t count, int64_t n)
{
	int64_t all = n * (n + 1);
	double *a = take(count * n * n * 8), *out = take(count * all * 8), *alone = take(all * 8);
	for (int64_t i = 0; i < count; i++) {
		seed = (uint64_t)(n * count + i);
		make((enum kind)(i % KINDS), n, single, a + i * n * n);
		if (n && i % 5 == 3)
			a[i * n * n + i * 7 % (n * n)] = i % 2 ? NAN : INFINITY;
	}
	run_many(level, single, count, n, a, out);
	for (int64_t i = 0; i < count; i++) {
		run(level, single, n, a + i * n * n, alone);
		for (int64_t k = 0; k < all; k++) {
			double x = out[i * all + k];
			if (x != alone[k] && !(isnan(x) && isnan(alone[k])))
				ck_abort_msg("matrix %d of %d, %d lines of f%d, level %d: %d is %g, not %g", (int)i,
					     (int)count, (int)n, single ? 32 : 64, (int)level, (int)k, x, alone[k]);
		}
	}
	free(a);
	free(out);
	free(alone);
}

START_TEST(matrices_side_by_side_have_the_factors_that_each_has_alone)
{
	static const int64_t counts[] = {0, 2, 3, 4, 7, 8, 9, 16, 19, 36};
	for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
		for (int64_t n = 0; n <= 34; n += 1 + (n > 6) + (n > 14))
			for (int l = 0; l < LEVELS && product_has_level(levels[l]); l++)
				for (int single = 0; single < 2; single++)
					side_by_side(levels[l], single, counts[c], n);
}
END_TEST

int main(void)
{
	Suite *suite;
	TCase *t = suite_begin(&suite, "lu");
	tcase_add_test(t, few_lines);
	tcase_add_test(t, lines_of_one_and_of_several_panels);
	tcase_add_test(t, of_equal_pivots_the_first_is_taken);
	tcase_add_test(t, what_is_no_number_is_no_pivot_and_goes_on);
	tcase_add_test(t, matrices_side_by_side_have_the_factors_that_each_has_alone);
	return suite_end(suite);
}
