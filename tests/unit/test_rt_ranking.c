/* test_rt_ranking.c — ranks of the elements of lines, and which come first, against counting: every element type, both
 * directions, equal elements, zeros of both signs, infinities, NaNs, numbers that differ in their last bits, lines that
 * are strided, long, of one element and of none. */
#include "pmlrt.h"
#include "suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 4096 };

static uint64_t bits[ROOM];
static char x[8 * ROOM];
static double value[ROOM];
static int32_t out[ROOM + 1], expected[ROOM];
static uint64_t room[32 * ROOM];

static uint64_t next(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return *state >> 33;
}

static double number(uint64_t r, bool is_float)
{
	static const double special[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 1.5, -1.5};
	if (is_float && r % 4 == 0)
		return special[r / 4 % 7];
	double v = (double)(r / 4 % 9);
	return is_float ? v * 0.25 - 1 : v;
}

/* Element i of the type, and its value as a double, which all types hold exactly here. */
static void put(int32_t type, int i, double v)
{
	value[i] = v;
	switch ((enum pmlrt_dtype)type) {
	case PMLRT_F32:
		((float *)x)[i] = (float)v;
		return;
	case PMLRT_F64:
		((double *)x)[i] = v;
		return;
	case PMLRT_BF16: {
		float f = (float)v;
		uint32_t u;
		memcpy(&u, &f, 4);
		((uint16_t *)x)[i] = (uint16_t)(u >> 16);
		return;
	}
	case PMLRT_F16: {
		/* 1.5, -1.5, quarters up to 1.25: exponent and two bits of the fraction. */
		int e = 0;
		double m = isfinite(v) && fabs(v) > 0 ? 2 * frexp(fabs(v), &e) : 1;
		uint16_t h = isnan(v)         ? 0x7E01
			     : isinf(v)       ? 0x7C00
			     : !(fabs(v) > 0) ? 0
					      : (uint16_t)((e - 1 + 15) << 10 | (int)((m - 1) * 1024));
		((uint16_t *)x)[i] = (uint16_t)(h | (signbit(v) ? 0x8000 : 0));
		return;
	}
#define INTEGER(ID, T) \
	case PMLRT_##ID: \
		((T *)x)[i] = (T)v; \
		return;
		INTEGER(I8, int8_t)
		INTEGER(I16, int16_t)
		INTEGER(I32, int32_t)
		INTEGER(I64, int64_t)
		INTEGER(U8, uint8_t)
		INTEGER(U16, uint16_t)
		INTEGER(U32, uint32_t)
		INTEGER(U64, uint64_t)
		INTEGER(BOOL, uint8_t)
	case PMLRT_DTYPES:
		return;
	}
}

static bool precedes(int j, int i, int64_t distance, bool down)
{
	double a = value[j], b = value[i];
	if (isnan(a) != isnan(b))
		return down == isnan(a);
	if (!isnan(a) && (a < b || a > b))
		return (a < b) != down;
	return distance < 0;
}

static int64_t rank_of(int64_t e, bool down, int64_t n, int64_t inner)
{
	int64_t i = e / inner % n, first = e - i * inner, count = 0;
	for (int64_t j = 0; j < n; j++)
		count += precedes((int)(first + j * inner), (int)e, j - i, down);
	return count;
}

/* The positions at `first` ranks of every line from `from` on; of all ranks, first 0, these. */
static void check_part(int32_t type, bool down, int64_t outer, int64_t n, int64_t inner, int64_t from, int64_t first,
		       const int32_t *rank)
{
	int64_t height = first ? first : n;
	uint64_t *end = room + pmlrt_ranking_words(type == PMLRT_F64 || type == PMLRT_I64 || type == PMLRT_U64 ? 8 : 4,
						   n, inner);
	for (int64_t e = 0; e < outer * n * inner; e++) {
		int64_t place = rank[e] - from;
		if (!first)
			expected[e] = rank[e];
		else if (place >= 0 && place < first)
			expected[(e / inner / n * first + place) * inner + e % inner] = (int32_t)(e / inner % n);
	}
	out[outer * height * inner] = -7;
	*end = 77;
	pmlrt_ranking(type, down, outer, n, inner, from, first, x, out, room);
	ck_assert_int_eq(out[outer * height * inner], -7);
	ck_assert_int_eq(*end, 77);
	for (int64_t e = 0; e < outer * height * inner; e++)
		ck_assert_msg(out[e] == expected[e],
			      "type %d down %d from %lld first %lld of %lldx%lldx%lld: %lld is %d, not %d", type, down,
			      (long long)from, (long long)first, (long long)outer, (long long)n, (long long)inner,
			      (long long)e, out[e], expected[e]);
}

/* Ranks of all elements, and from these what comes first in every line, of some and of all, and what stands in the
 * middle and at the end. */
static void check(int32_t type, bool down, int64_t outer, int64_t n, int64_t inner)
{
	static int32_t rank[ROOM];
	const int64_t firsts[] = {1, n / 40, n / 3, n}, counts[] = {1, 2, n / 5};
	for (int64_t e = 0; e < outer * n * inner; e++)
		rank[e] = (int32_t)rank_of(e, down, n, inner);
	check_part(type, down, outer, n, inner, 0, 0, rank);
	for (int k = 0; k < 4; k++)
		if (firsts[k] > 0 && firsts[k] <= n)
			check_part(type, down, outer, n, inner, 0, firsts[k], rank);
	for (int k = 0; k < 3; k++) {
		const int64_t froms[] = {1, n / 2, n - counts[k]};
		for (int i = 0; i < 3; i++)
			if (counts[k] > 0 && froms[i] > 0 && froms[i] + counts[k] <= n)
				check_part(type, down, outer, n, inner, froms[i], counts[k], rank);
	}
}

START_TEST(ranks_are_counts_of_what_comes_before)
{
	static const int64_t shapes[][3] = {{1, 1, 1},  {3, 0, 2},    {1, 2, 1},   {2, 7, 3},  {1, 64, 1},
					    {3, 33, 4}, {1, 1000, 1}, {2, 300, 1}, {1, 40, 11}};
	uint64_t state = 1;
	for (int32_t type = 0; type < PMLRT_DTYPES; type++)
		for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
			bool is_float = type <= PMLRT_F16, is_signed = type >= PMLRT_I8 && type <= PMLRT_I64;
			int64_t all = shapes[s][0] * shapes[s][1] * shapes[s][2];
			for (int i = 0; i < all; i++) {
				bits[i] = next(&state);
				double v = number(bits[i], is_float);
				put(type, i, type == PMLRT_BOOL ? v > 4 : is_signed ? v - 4 : v);
			}
			check(type, false, shapes[s][0], shapes[s][1], shapes[s][2]);
			check(type, true, shapes[s][0], shapes[s][1], shapes[s][2]);
		}
}
END_TEST

START_TEST(the_ends_of_the_integers_are_in_order)
{
	static const int64_t ends[] = {INT64_MAX, 0, INT64_MIN, -1, 1};
	static const int32_t up[] = {4, 2, 0, 1, 3};
	int32_t rank[5];
	pmlrt_ranking(PMLRT_I64, false, 1, 5, 1, 0, 0, ends, rank, room);
	ck_assert_mem_eq(rank, up, sizeof up);
	static const uint64_t large[] = {UINT64_MAX, 0, UINT64_C(1) << 63, 1, 2};
	static const int32_t down[] = {0, 4, 1, 3, 2};
	pmlrt_ranking(PMLRT_U64, true, 1, 5, 1, 0, 0, large, rank, room);
	ck_assert_mem_eq(rank, down, sizeof down);
}
END_TEST

/* Lines that no bound helps with: equal elements, rising and falling ones, NaN everywhere, infinities; and lines of
 * more than a digit's values. */
START_TEST(whatever_the_data_are)
{
	for (int kind = 0; kind < 7; kind++) {
		int n = kind == 6 ? ROOM : 1200;
		for (int i = 0; i < n; i++) {
			const double v[] = {1,
					    i,
					    -i,
					    NAN,
					    i % 3 ? -INFINITY : i % 2 ? NAN : INFINITY,
					    -INFINITY,
					    (i * 2654435761u >> 7) % 100003};
			put(PMLRT_F32, i, v[kind]);
		}
		for (int down = 0; down < 2; down++) {
			static int32_t order[ROOM];
			for (int64_t e = 0; e < n; e++)
				order[rank_of(e, down, n, 1)] = (int32_t)e;
			for (int64_t first = 1; first <= n; first = first * 5 + 2) {
				pmlrt_ranking(PMLRT_F32, down, 1, n, 1, 0, first, x, out, room);
				ck_assert_msg(!memcmp(out, order, sizeof *out * (size_t)first),
					      "first %d of line %d, %s", (int)first, kind, down ? "down" : "up");
				int64_t from = n - first;
				pmlrt_ranking(PMLRT_F32, down, 1, n, 1, from, first, x, out, room);
				ck_assert_msg(!memcmp(out, order + from, sizeof *out * (size_t)first),
					      "last %d of line %d, %s", (int)first, kind, down ? "down" : "up");
			}
		}
	}
}
END_TEST

/* What leading digits do not tell apart: numbers of all kinds of size, a few neighbours of each of a few, of one alone,
 * and equal ones among them. */
START_TEST(numbers_that_differ_in_few_of_their_bits)
{
	uint64_t state = 1;
	for (int kind = 0; kind < 4; kind++)
		for (int n = 100; n <= ROOM; n = n * 6 + 96) {
			for (int i = 0; i < n; i++) {
				uint64_t r = next(&state);
				double near = 1 + (double)(r % 199) * 0x1p-52,
				       far = ldexp(1 + (double)r, (int)(r % 200));
				const double v[] = {far, ldexp(near, (int)(r % 3) * 300), r % 7 ? near : -near,
						    r % 3 ? near : far};
				put(PMLRT_F64, i, v[kind]);
			}
			check(PMLRT_F64, false, 1, n, 1);
			check(PMLRT_F64, true, 1, n, 1);
		}
}
END_TEST

int main(void)
{
	Suite *s;
	TCase *t = suite_begin(&s, "ranks of elements");
	tcase_add_test(t, ranks_are_counts_of_what_comes_before);
	tcase_add_test(t, the_ends_of_the_integers_are_in_order);
	tcase_add_test(t, whatever_the_data_are);
	tcase_add_test(t, numbers_that_differ_in_few_of_their_bits);
	return suite_end(s);
}
