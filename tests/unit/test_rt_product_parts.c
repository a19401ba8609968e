/* test_rt_product_parts.c — products by tiles of bf16, of which a number of f32 is the sum of three and one of f16, or
 * of f32 that is rounded to it, of two: against sums in f64, closer than sums of fused multiply-adds would be; numbers
 * that have no such parts, and those whose parts are lost, against the definition. What lies around C stays as it is,
 * nothing is read behind operands. */
#define _DEFAULT_SOURCE
#include "half.h"
#include "product/amx.h"
#include "product_fixture.h"
#include "suite.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { BYTES = 16 << 20, MOST = 1 << 20 };

static const enum product_type types[] = {PRODUCT_F32, PRODUCT_F16, PRODUCT_F32_AS_F16};
enum { TYPES = sizeof types / sizeof *types };

static char *end_a, *end_b; /* behind them is nothing */
static float c[MOST], whole[MOST];
static void *room;
static enum product_type type; /* of this test */

static int64_t size_of(void)
{
	return type == PRODUCT_F16 ? sizeof(uint16_t) : sizeof(float);
}

static void put(void *at, int64_t i, float x)
{
	if (type == PRODUCT_F16)
		((uint16_t *)at)[i] = half_of_float(x, false);
	else
		((float *)at)[i] = x;
}

static float get(const void *at, int64_t i)
{
	return type == PRODUCT_F16 ? half_to_float(((const uint16_t *)at)[i], false) : ((const float *)at)[i];
}

static float as_f16(float x)
{
	return half_to_float(half_of_float(x, false), false);
}

/* What C holds of a number, and what of a factor is multiplied. */
static float held(float x)
{
	return type == PRODUCT_F16 ? as_f16(x) : x;
}
static float factor(float x)
{
	return type == PRODUCT_F32 ? x : as_f16(x);
}

/* What an element of C may be off by that is rounded to its type. */
static double rounding(double x)
{
	return type == PRODUCT_F16 ? fmax(0x1p-11 * fabs(x), 0x1p-25) : 0;
}

struct kind {
	int way_a, way_b;
	double alpha, beta;
};

/* Of all 24 bits, of either sign, within 2^5 of each other. */
static float number(int64_t i)
{
	uint32_t x = (uint32_t)i * 2654435761U, y = (x ^ x >> 15) * 2246822519U;
	return ldexpf((float)((int32_t)(y ^ y >> 13) >> 7), (int)(x % 6) - 24);
}

static float old(int64_t i)
{
	return number(5 * i + 1);
}

/* A product of numbers; C has a row before and one behind it, and three columns more. */
static struct product made(const struct kind *w, int64_t m, int64_t n, int64_t k)
{
	struct product p = {.m = m, .n = n, .k = k, .alpha = w->alpha, .beta = w->beta, .ldc = n + 3};
	void *a = product_lie(&p.a, end_a, size_of(), w->way_a, m, k, 2);
	void *b = product_lie(&p.b, end_b, size_of(), w->way_b, k, n, 1);
	ck_assert_int_le((m + 2) * p.ldc, MOST);
	for (int64_t i = 0; i < m * k; i++)
		put(a, i / k * p.a.row + i % k * p.a.column, number(i));
	for (int64_t i = 0; i < k * n; i++)
		put(b, i / n * p.b.row + i % n * p.b.column, number(7 * i + 3));
	p.c = (char *)c + p.ldc * size_of();
	return p;
}

static void run(const struct product *p, enum product_level level, int64_t parts)
{
	for (int64_t i = 0; i < (p->m + 2) * p->ldc; i++)
		put(c, i, p->beta == 0 ? NAN : old(i));
	for (int64_t i = 0; i < parts; i++)
		product_run(level, type, p, (struct product_part){i, parts}, room);
}

/* Factors as they are multiplied, row by row. */
static double left[MOST], right[MOST];

static void look_at_factors(const struct product *p)
{
	for (int64_t i = 0; i < p->m * p->k; i++)
		left[i] = (double)factor(get(p->a.at, i / p->k * p->a.row + i % p->k * p->a.column));
	for (int64_t i = 0; i < p->k * p->n; i++)
		right[i] = (double)factor(get(p->b.at, i / p->n * p->b.row + i % p->n * p->b.column));
}

/* Of `from`, which is C or a copy of it. */
static float element(const struct product *p, const void *from, int64_t i, int64_t j)
{
	return get(from, (i + 1) * p->ldc + j);
}

/* Whether tiles multiply it: that they do is part of what is tested. */
static bool by_tiles(const struct product *p)
{
	const struct product_amx *amx = product_amx_of(PRODUCT_AMX, type);
	return amx && product_amx_pays(amx, p);
}

/* Squares of what elements are off by, of their sums of magnitudes. */
static double check(const struct kind *w, enum product_level level, int64_t m, int64_t n, int64_t k)
{
	struct product p = made(w, m, n, k);
	double off = 0;
	ck_assert(by_tiles(&p));
	look_at_factors(&p);
	run(&p, level, (m + n + k) % 3 + 1);
	for (int64_t x = 0; x < (m + 2) * p.ldc; x++) {
		int64_t i = x / p.ldc - 1, j = x % p.ldc;
		if (i < 0 || i >= m || j >= n) {
			ck_assert(w->beta == 0 ? isnan(get(c, x)) : get(c, x) == held(old(x)));
			continue;
		}
		double want = w->beta == 0 ? 0 : w->beta * (double)held(old(x)), size = fabs(want);
		for (int64_t q = 0; q < k; q++) {
			double term = w->alpha * left[i * k + q] * right[q * n + j];
			want += term;
			size += fabs(term);
		}
		double is = fabs((double)get(c, x) - want) / size;
		if (!(is <= rounding(want) / size + (level == PRODUCT_AMX ? 0x1p-21 : 0x1p-20)))
			ck_abort_msg("level %d, type %d: %dx%dx%d, ways %d and %d, alpha %g, beta %g: (%d, %d) is "
				     "%.9g, not %.9g",
				     level, type, (int)m, (int)n, (int)k, w->way_a, w->way_b, w->alpha, w->beta, (int)i,
				     (int)j, (double)get(c, x), want);
		off += is * is;
	}
	return off;
}

/* Around tiles, panels, words, blocks of K and of rows. */
static const int sizes[][3] = {{80, 128, 48},  {81, 131, 49},   {96, 97, 63},    {97, 96, 64},    {113, 112, 65},
			       {127, 81, 127}, {129, 80, 129},  {145, 177, 511}, {129, 143, 512}, {96, 113, 513},
			       {300, 65, 545}, {89, 331, 1030}, {277, 65, 97},   {260, 400, 520}, {90, 700, 70},
			       {400, 64, 50},  {400, 350, 300}, {64, 523, 70},   {50, 1230, 520}};
enum { SIZES = sizeof sizes / sizeof *sizes };

START_TEST(closer_than_sums_of_fused_multiply_adds)
{
	static const double alpha[] = {1, 0.5}, beta[] = {0, 1, -0.5};
	type = types[_i];
	if (!product_has_level(PRODUCT_AMX))
		return;
	for (int s = 0; s < SIZES; s++)
		for (int way = 0; way < WAYS * WAYS; way++) {
			const int *n = sizes[s];
			struct kind w = {way % WAYS, way / WAYS, alpha[(s + way) % 5 == 0], beta[(s + way) % 3]};
			double tiles = check(&w, PRODUCT_AMX, n[0], n[1], n[2]);
			if (way == 0 && type != PRODUCT_F16)
				ck_assert_double_le(tiles, check(&w, PRODUCT_AVX512, n[0], n[1], n[2]));
		}
}
END_TEST

START_TEST(parts_for_threads_have_the_bits_of_the_whole)
{
	type = types[_i];
	if (!product_has_level(PRODUCT_AMX))
		return;
	for (int s = 0; s < SIZES; s++) {
		struct product p =
			made(&(struct kind){s % WAYS, s / WAYS % WAYS, 1, 1}, sizes[s][0], sizes[s][1], sizes[s][2]);
		run(&p, PRODUCT_AMX, 1);
		memcpy(whole, c, sizeof c);
		for (int64_t parts = 2; parts < 5; parts++) {
			run(&p, PRODUCT_AMX, parts);
			ck_assert_msg(!memcmp(whole, c, (size_t)((p.m + 2) * p.ldc * size_of())),
				      "size %d, %d parts: other bits", s, (int)parts);
		}
	}
}
END_TEST

/* An element of either side is replaced; vectors of f32 make of it what the definition says. */
static const float odd[] = {INFINITY, -INFINITY, NAN, FLT_MAX, -FLT_MAX, 0x1.ff8p127F, 0x1p-130F, 0x1p-24F, 65504, 0};
enum { ODD = sizeof odd / sizeof *odd };

static bool alike(float x, float y, double size)
{
	if (isnan(x) || isnan(y))
		return isnan(x) && isnan(y);
	return x == y || fabs((double)x - (double)y) <= 0x1p-20 * size + 2 * rounding((double)y);
}

START_TEST(numbers_without_parts_are_as_in_the_definition)
{
	enum { M = 97, N = 130, K = 600 };
	type = types[_i];
	if (!product_has_level(PRODUCT_AMX))
		return;
	for (int x = 0; x < ODD * 2 * WAYS * WAYS; x++) {
		int way = x / ODD / 2;
		struct product p = made(&(struct kind){way % WAYS, way / WAYS, 1, x % 3 == 0}, M, N, K);
		int64_t i = x * 13 % M, j = x * 17 % N, q = x * 101 % K;
		float in = factor(odd[x / 2 % ODD]);
		if (x % 2)
			put((void *)p.a.at, i * p.a.row + q * p.a.column, odd[x / 2 % ODD]);
		else
			put((void *)p.b.at, q * p.b.row + j * p.b.column, odd[x / 2 % ODD]);
		ck_assert(by_tiles(&p));
		run(&p, PRODUCT_AVX512, 1);
		memcpy(whole, c, sizeof c);
		run(&p, PRODUCT_AMX, 1);
		for (int64_t r = 0; r < M; r++)
			for (int64_t s = 0; s < N; s++) {
				float is = element(&p, c, r, s), want = element(&p, whole, r, s);
				double size = 32 * K;
				if ((x % 2 ? r == i : s == j) && isfinite(in))
					size += fabs((double)in) * 32;
				if (!alike(is, want, size))
					ck_abort_msg("type %d, %g on side %d, ways %d and %d: (%d, %d) is %g, not %g",
						     type, (double)odd[x / 2 % ODD], x % 2, way % WAYS, way / WAYS,
						     (int)r, (int)s, (double)is, (double)want);
			}
	}
}
END_TEST

/* Rows of A, or columns of B, that are subnormal numbers of f16, or of which parts of f32 are. */
START_TEST(small_numbers_keep_their_digits)
{
	enum { M = 100, N = 96, K = 70 };
	type = types[_i];
	const float small = type == PRODUCT_F32 ? 0x1p-118F : 0x1p-16F;
	if (!product_has_level(PRODUCT_AMX))
		return;
	for (int x = 0; x < 2 * WAYS * WAYS; x++) {
		int way = x / 2;
		struct product p = made(&(struct kind){way % WAYS, way / WAYS, 1, 0}, M, N, K);
		for (int64_t i = 0; i < M * K && x % 2; i += 2 * K)
			for (int64_t q = 0; q < K; q++)
				put((void *)p.a.at, i / K * p.a.row + q * p.a.column, small * number(i + q));
		for (int64_t j = 0; j < N && !(x % 2); j += 2)
			for (int64_t q = 0; q < K; q++)
				put((void *)p.b.at, q * p.b.row + j * p.b.column, small * number(7 * (q * N + j) + 3));
		look_at_factors(&p);
		run(&p, PRODUCT_AMX, 1);
		for (int64_t i = 0; i < M; i++)
			for (int64_t j = 0; j < N; j++) {
				double want = 0, may = 0x1p-140;
				for (int64_t q = 0; q < K; q++) {
					want += left[i * K + q] * right[q * N + j];
					may += 0x1p-20 * fabs(left[i * K + q] * right[q * N + j]);
				}
				if (!(fabs((double)element(&p, c, i, j) - want) <= may + rounding(want)))
					ck_abort_msg("type %d, side %d, ways %d and %d: (%d, %d) is %g, not %g", type,
						     x % 2, way % WAYS, way / WAYS, (int)i, (int)j,
						     (double)element(&p, c, i, j), want);
			}
	}
}
END_TEST

/* Whole numbers whose products and sums f32 holds are exact, ones copy what they are multiplied by. */
START_TEST(whole_numbers_and_copies_are_exact)
{
	enum { M = 96, N = 128, K = 80 };
	type = types[_i];
	const int most = type == PRODUCT_F32 ? 65535 : 2047;
	if (!product_has_level(PRODUCT_AMX))
		return;
	for (int way = 0; way < WAYS * WAYS; way++) {
		struct product p = made(&(struct kind){way % WAYS, way / WAYS, 1, 0}, M, N, K);
		void *a = (void *)p.a.at, *b = (void *)p.b.at;
		for (int64_t i = 0; i < M * K; i++)
			put(a, i / K * p.a.row + i % K * p.a.column, (float)(i * 7919 % (2 * most + 1) - most));
		for (int64_t i = 0; i < K * N; i++)
			put(b, i / N * p.b.row + i % N * p.b.column, (float)(i % 3 - 1));
		look_at_factors(&p);
		run(&p, PRODUCT_AMX, 1);
		for (int64_t x = 0; x < M * N; x++) {
			double want = 0;
			for (int64_t q = 0; q < K; q++)
				want += left[x / N * K + q] * right[q * N + x % N];
			ck_assert_double_eq((double)element(&p, c, x / N, x % N), (double)held((float)want));
		}
		for (int64_t i = 0; i < M * K; i++)
			put(a, i / K * p.a.row + i % K * p.a.column, i % K == i / K * 7 % K);
		for (int64_t i = 0; i < K * N; i++)
			put(b, i / N * p.b.row + i % N * p.b.column, number(i));
		look_at_factors(&p);
		run(&p, PRODUCT_AMX, 1);
		for (int64_t x = 0; x < M * N; x++)
			ck_assert_double_eq((double)element(&p, c, x / N, x % N), right[x / N * 7 % K * N + x % N]);
	}
}
END_TEST

int main(void)
{
	Suite *s;
	TCase *t = suite_begin(&s, "product_parts");
	end_a = product_guarded(BYTES);
	end_b = product_guarded(BYTES);
	room = aligned_alloc(64, (size_t)product_room());
	memset(room, 0xFF, (size_t)product_room());
	tcase_add_loop_test(t, closer_than_sums_of_fused_multiply_adds, 0, TYPES);
	tcase_add_loop_test(t, parts_for_threads_have_the_bits_of_the_whole, 0, TYPES);
	tcase_add_loop_test(t, numbers_without_parts_are_as_in_the_definition, 0, TYPES);
	tcase_add_loop_test(t, small_numbers_keep_their_digits, 0, TYPES);
	tcase_add_loop_test(t, whole_numbers_and_copies_are_exact, 0, TYPES);
	int status = suite_end(s);
	free(room);
	return status;
}
