/* test_rt_contract.c — sums on a grid: the blocked kernel against one term after the other, every cut and order against
 * the whole, and both against exact sums in 128 bits; extreme exponents, zeros, denormals. */
#include "contract_exact.h"
#include "pmlrt.h"
#include "suite.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 1 << 16 };

static float a[ROOM], b[ROOM];
static double wide_a[ROOM], wide_b[ROOM];
static int64_t c[ROOM], d[ROOM];

static uint64_t state = 1;

static uint64_t next(void)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return state >> 11;
}

/* A number of up to `bits` binary digits in [-2^e, 2^e], e between low and high; now and then a zero or a denormal. */
static double number(int bits, int low, int high)
{
	double x = (double)(int64_t)(next() % ((UINT64_C(2) << bits) - 1)) - (double)(UINT64_C(1) << bits);
	int e = low + (int)(next() % (uint64_t)(high - low + 1));
	switch (next() % 16) {
	case 0:
		return 0;
	case 1:
		return -0.0;
	default:
		return ldexp(x, e - bits);
	}
}

static void fill(int low, int high)
{
	for (int i = 0; i < ROOM; i++) {
		a[i] = (float)number(23, low, high);
		b[i] = (float)number(23, low, high);
		wide_a[i] = number(52, low, high);
		wide_b[i] = number(52, low, high);
	}
}

/* 3 * 2^e with the least 2^e above m: what sum_grid of compiler/op/scalars/quanta.c is. */
static double grid_of(double m)
{
	int e;
	frexp(m, &e);
	return ldexp(3, e);
}

static double unit_of(double grid)
{
	return nextafter(grid, INFINITY) - grid;
}

struct shape {
	int64_t ta, tb, m, n, k;
};

static struct contract_float narrow(const struct shape *s, double grid, int64_t *to)
{
	return (struct contract_float){s->ta, s->tb, s->m, s->n, s->k, s->ta ? s->m : s->k, s->tb ? s->k : s->n, s->n,
				       grid,  NULL,  a,    b,    to};
}

static struct contract_double wide(const struct shape *s, double grid, int64_t *to)
{
	return (struct contract_double){
		s->ta, s->tb, s->m,   s->n,   s->k, s->ta ? s->m : s->k, s->tb ? s->k : s->n, s->n,
		grid,  NULL,  wide_a, wide_b, to};
}

static const int64_t in_place[] = {0};

START_TEST(blocks_are_terms_one_after_the_other)
{
	static const int64_t sizes[][3] = {{1, 1, 1},     {1, 17, 3},   {3, 1, 300}, {8, 16, 256}, {9, 17, 257},
					   {7, 130, 30},  {16, 33, 5},  {2, 128, 1}, {40, 20, 70}, {5, 3, 0},
					   {1, 200, 300}, {70, 1, 300}, {1, 64, 8},  {1, 3, 515}};
	fill(-3, 3);
	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
		for (int f = 0; f < 4; f++) {
			struct shape s = {f & 1, f >> 1, sizes[i][0], sizes[i][1], sizes[i][2]};
			double grid = grid_of(0x1p6);
			size_t bytes = (size_t)(s.m * s.n) * sizeof *c;
			memset(c, 1, sizeof c);
			memset(d, 1, sizeof d);
			struct contract_float x = narrow(&s, grid, c), y = narrow(&s, grid, d);
			contract_exact_f32(&x);
			contract_plain_f32(&y);
			ck_assert_msg(!memcmp(c, d, sizeof c), "f32 %d %zu", f, i);
			memset(c, 0, bytes);
			memset(d, 0, bytes);
			struct contract_double v = wide(&s, grid, c), w = wide(&s, grid, d);
			contract_exact_f64(&v);
			contract_plain_f64(&w);
			ck_assert_msg(!memcmp(c, d, sizeof c), "f64 %d %zu", f, i);
		}
}
END_TEST

/* Each element on a grid of its own is what it would be if that were the grid of all. */
START_TEST(every_element_has_its_grid)
{
	static const int64_t sizes[][3] = {{1, 1, 1},    {1, 300, 7},  {2, 130, 300},
					   {9, 17, 257}, {40, 20, 70}, {70, 1, 300}};
	static double grids[ROOM];
	fill(-3, 3);
	for (int at = 0; at < ROOM; at++)
		grids[at] = grid_of(ldexp(1, 6 + (int)(next() % 40)));
	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
		for (int f = 0; f < 4; f++) {
			struct shape s = {f & 1, f >> 1, sizes[i][0], sizes[i][1], sizes[i][2]};
			memset(c, 0, sizeof c);
			memset(d, 0, sizeof d);
			struct contract_float x = narrow(&s, 3, c), y = narrow(&s, 3, d);
			x.grids = grids;
			contract_exact_f32(&x);
			for (int64_t at = 0; at < s.m * s.n; at++) { /* an element by itself */
				int64_t row = at / s.n, column = at % s.n;
				y.m = y.n = 1;
				y.grid = grids[at];
				y.a = a + (s.ta ? row : row * s.k);
				y.b = b + (s.tb ? column * s.k : column);
				y.c = d + at;
				contract_plain_f32(&y);
			}
			ck_assert_msg(!memcmp(c, d, sizeof c), "f32 %d %zu", f, i);
			memset(c, 0, sizeof c);
			memset(d, 0, sizeof d);
			struct contract_double v = wide(&s, 3, c), w = wide(&s, 3, d);
			v.grids = w.grids = grids;
			contract_exact_f64(&v);
			contract_plain_f64(&w);
			ck_assert_msg(!memcmp(c, d, sizeof c), "f64 %d %zu", f, i);
		}
}
END_TEST

/* Products of f32 that are multiples of the unit are summed without any error, in 128 bits as well. */
START_TEST(multiples_of_the_unit_add_up_exactly)
{
	struct shape s = {0, 0, 5, 9, 600};
	double grid = grid_of(0x1p30), unit = unit_of(grid);
	for (int i = 0; i < ROOM; i++) {
		a[i] = (float)((int64_t)(next() % 65535) - 32767) * 0x1p-1f;
		b[i] = (float)((int64_t)(next() % 65535) - 32767) * 0x1p-1f;
	}
	memset(c, 0, sizeof c);
	struct contract_float x = narrow(&s, grid, c);
	contract_exact_f32(&x);
	for (int64_t i = 0; i < s.m; i++)
		for (int64_t j = 0; j < s.n; j++) {
			__int128 quarters = 0;
			for (int64_t k = 0; k < s.k; k++)
				quarters += (__int128)(2 * a[i * s.k + k]) * (__int128)(2 * b[k * s.n + j]);
			ck_assert(c[i * s.n + j] == (int64_t)(quarters * (__int128)ldexp(0.25, -ilogb(unit))));
		}
}
END_TEST

/* The error is at most half a unit per term: against products and sums in long double of 64 bits, themselves exact
 * here. */
START_TEST(the_error_is_within_its_bound)
{
	for (int round = 0; round < 40; round++) {
		struct shape s = {0, 0, 3, 4, 1 + (int64_t)(next() % 400)};
		fill(-8, 0);
		double grid = grid_of(1), unit = unit_of(grid);
		memset(c, 0, sizeof c);
		struct contract_float x = narrow(&s, grid, c);
		contract_exact_f32(&x);
		for (int64_t i = 0; i < s.m; i++)
			for (int64_t j = 0; j < s.n; j++) {
				__int128 sum =
					0; /* in 2^-64: products have 48 digits below 2^0, and none is below 2^-64 */
				for (int64_t k = 0; k < s.k; k++)
					sum += (__int128)((long double)a[i * s.k + k] * (long double)b[k * s.n + j] *
							  0x1p64L);
				long double error =
					fabsl((long double)c[i * s.n + j] * unit - (long double)sum * 0x1p-64L);
				ck_assert_msg(error <= (long double)s.k * unit / 2, "%Lg above %Lg", error,
					      (long double)s.k * unit / 2);
			}
	}
}
END_TEST

/* Any cut of k, in any order, adds up to the whole; any cut of m and n gives its part. */
START_TEST(cuts_and_orders_leave_no_trace)
{
	for (int round = 0; round < 60; round++) {
		struct shape s = {0, 0, 1 + (int64_t)(next() % 20), 1 + (int64_t)(next() % 40),
				  1 + (int64_t)(next() % 500)};
		fill(-20, 4);
		double grid = grid_of(0x1p9);
		memset(c, 0, sizeof c);
		memset(d, 0, sizeof d);
		struct contract_float x = narrow(&s, grid, c);
		contract_exact_f32(&x);
		int64_t cut = (int64_t)(next() % (uint64_t)(s.k + 1)), row = (int64_t)(next() % (uint64_t)(s.m + 1));
		for (int part = 0; part < 4; part++) {
			struct contract_float y = narrow(&s, grid, d);
			bool low_k = part & 1, low_m = part & 2;
			int64_t k0 = low_k ? 0 : cut, m0 = low_m ? 0 : row;
			y.k = low_k ? cut : s.k - cut;
			y.m = low_m ? row : s.m - row;
			y.a += m0 * s.k + k0;
			y.b += k0 * s.n;
			y.c += m0 * s.n;
			contract_exact_f32(&y);
		}
		ck_assert(!memcmp(c, d, sizeof c));
		for (int64_t k = 0; k < s.k; k++) { /* terms change places */
			int64_t with = (int64_t)(next() % (uint64_t)s.k);
			for (int64_t i = 0; i < s.m; i++) {
				float t = a[i * s.k + k];
				a[i * s.k + k] = a[i * s.k + with];
				a[i * s.k + with] = t;
			}
			for (int64_t j = 0; j < s.n; j++) {
				float t = b[k * s.n + j];
				b[k * s.n + j] = b[with * s.n + j];
				b[with * s.n + j] = t;
			}
		}
		memset(d, 0, sizeof d);
		struct contract_float z = narrow(&s, grid, d);
		contract_exact_f32(&z);
		ck_assert(!memcmp(c, d, sizeof c));
	}
}
END_TEST

/* The fault that all this is to avoid: a term that is rounded together with what was summed before it. */
static void contract_faulty(const struct contract_float *x)
{
	for (int64_t i = 0; i < x->m; i++)
		for (int64_t j = 0; j < x->n; j++) {
			double sum = x->grid;
			int64_t bits, grid;
			for (int64_t p = 0; p < x->k; p++)
				sum += (double)x->a[i * x->lda + p] * (double)x->b[p * x->ldb + j];
			memcpy(&bits, &sum, sizeof bits);
			memcpy(&grid, &x->grid, sizeof grid);
			x->c[i * x->ldc + j] += bits - grid;
		}
}

/* The products of k in two halves or at once. */
static bool cut_shows(void (*contract)(const struct contract_float *))
{
	struct shape s = {0, 0, 4, 4, 64};
	double grid =
		grid_of(0x1p2); /* of a few terms: their sum has no room above it, which a term by itself needs not */
	memset(c, 0, sizeof c);
	memset(d, 0, sizeof d);
	struct contract_float x = narrow(&s, grid, c), low = narrow(&s, grid, d), high = low;
	contract(&x);
	low.k = high.k = 32;
	high.a += 32;
	high.b += 32 * s.n;
	contract(&low);
	contract(&high);
	return memcmp(c, d, sizeof c) != 0;
}

START_TEST(rounding_with_the_sum_is_found)
{
	int found = 0;
	for (int round = 0; round < 20; round++) {
		fill(-2, 0);
		ck_assert(!cut_shows(contract_exact_f32));
		found += cut_shows(contract_faulty);
	}
	ck_assert_int_gt(found, 15);
}
END_TEST

START_TEST(exponents_reach_to_the_ends)
{
	static const double bound[] = {0x1p-1022, 0x1p-1000, 0x1p-149, 0x1p0, 0x1p254, 0x1p1000};
	for (size_t i = 0; i < sizeof bound / sizeof bound[0]; i++) {
		struct shape s = {0, 0, 2, 3, 5};
		double grid = grid_of(bound[i]);
		for (int k = 0; k < ROOM; k++) {
			wide_a[k] = number(52, -2, 0) * sqrt(bound[i]);
			wide_b[k] = number(52, -2, 0) * sqrt(bound[i]);
		}
		memset(c, 0, sizeof c);
		memset(d, 0, sizeof d);
		struct contract_double x = wide(&s, grid, c), y = wide(&s, grid, d);
		contract_exact_f64(&x);
		contract_plain_f64(&y);
		ck_assert(!memcmp(c, d, sizeof c));
		for (int64_t at = 0; at < s.m * s.n; at++)
			ck_assert(llabs(c[at]) <= 5 * (INT64_C(1) << 51));
	}
	a[0] = 0x1p-149f, b[0] = 0x1p-149f, c[0] = 0; /* a product far below every f32 */
	struct shape one = {0, 0, 1, 1, 1};
	struct contract_float x = narrow(&one, grid_of(0x1p-298), c);
	contract_exact_f32(&x);
	ck_assert_double_eq((double)c[0] * unit_of(grid_of(0x1p-298)), 0x1p-298);
}
END_TEST

START_TEST(turns_overwrite_or_add)
{
	fill(-2, 2);
	for (int adds = 0; adds < 2; adds++)
		for (int shared = 0; shared < 2; shared++) {
			for (int i = 0; i < 200; i++)
				c[i] = d[i] = 7;
			double grid = grid_of(0x1p4);
			const int64_t loops[] = {3, 15, shared ? 0 : 20, 12, 2, 50, 70, 0};
			pmlrt_contract_exact_f32(0, 0, 3, 4, 5, grid, NULL, a, 5, b, 4, adds, c, 4, 2, loops, in_place,
						 in_place, NULL);
			for (int64_t q = 0; q < 6; q++) {
				const float *left = a + q / 2 * 15 + q % 2 * 50,
					    *right = b + (shared ? 0 : q / 2 * 20) + q % 2 * 70;
				struct contract_float x = {
					0, 0, 3, 4, 5, 5, 4, 4, grid, NULL, left, right, d + q / 2 * 12};
				for (int i = 0; !adds && q % 2 == 0 && i < 12; i++)
					x.c[i] = 0;
				contract_plain_f32(&x);
			}
			ck_assert(!memcmp(c, d, 200 * sizeof *c));
		}
	c[0] = 5;
	pmlrt_contract_exact_f64(0, 0, 1, 1, 0, 3, NULL, wide_a, 1, wide_b, 1, 0, c, 1, 0, NULL, in_place, in_place,
				 NULL);
	ck_assert_int_eq(c[0], 0);
}
END_TEST

int main(void)
{
	Suite *s;
	TCase *t = suite_begin(&s, "exact contractions");
	tcase_add_test(t, blocks_are_terms_one_after_the_other);
	tcase_add_test(t, every_element_has_its_grid);
	tcase_add_test(t, multiples_of_the_unit_add_up_exactly);
	tcase_add_test(t, the_error_is_within_its_bound);
	tcase_add_test(t, cuts_and_orders_leave_no_trace);
	tcase_add_test(t, rounding_with_the_sum_is_found);
	tcase_add_test(t, exponents_reach_to_the_ends);
	tcase_add_test(t, turns_overwrite_or_add);
	return suite_end(s);
}
