/* test_rt_combine.c — reductions of P at both widths of vectors, whose loops only the file itself knows: every type and
 * combiner, against one element at a time, with all lengths of ends, in place of either operand. */
#include "combine.c"
#include "suite.h"

#include <stdlib.h>

enum { MOST = 300, SIZE = 8 };

static const struct combine_way *const ways[] = {&way_base,
#ifdef __x86_64__
						 &way_avx2
#endif
};

static bool machine_has(const struct combine_way *w)
{
	return w == &way_base || way() == w;
}

static double value(int32_t dtype, uint64_t bits)
{
	float f;
	double d;
	memcpy(&f, &bits, 4);
	memcpy(&d, &bits, 8);
	return dtype == PMLRT_F32   ? (double)f
	       : dtype == PMLRT_F64 ? d
				    : (double)half_to_float((uint16_t)bits, dtype == PMLRT_BF16);
}

static uint64_t bits_of(int32_t dtype, double d)
{
	float f = (float)d;
	uint64_t bits = 0;
	if (dtype == PMLRT_F32)
		memcpy(&bits, &f, 4);
	else if (dtype == PMLRT_F64)
		memcpy(&bits, &d, 8);
	else
		bits = half_of_float(f, dtype == PMLRT_BF16);
	return bits;
}

/* Bits of all kinds: of floats special ones among them. */
static uint64_t draw(int32_t dtype, uint64_t i)
{
	static const double odd[] = {0.0,  -0.0,  INFINITY, -INFINITY, NAN,  1.0,
				     -1.0, 1e-40, 3e38,     65504.0,   6e-8, 1e-310};
	uint64_t x = (i + 1) * UINT64_C(0x9E3779B97F4A7C15);
	x ^= x >> 29;
	if (dtype == PMLRT_BOOL)
		return x & 1;
	double d = i % 3 ? (double)(int64_t)(x >> 40) / 1024 - 5000 : odd[x % (sizeof odd / sizeof *odd)];
	return dtype <= PMLRT_F16 ? bits_of(dtype, d) : x;
}

/* Sums and products of two f32 or 16-bit floats, rounded to f64 and then to f32, are those rounded once. */
static uint64_t joined_floats(int32_t dtype, int combiner, uint64_t x, uint64_t y)
{
	double a = value(dtype, x), b = value(dtype, y);
	if (combiner == SHARD_SUM || combiner == SHARD_PROD)
		return bits_of(dtype, combiner == SHARD_SUM ? a + b : a * b);
	if (a != a || b != b)
		return a != a ? x : y;
	bool first = a != b ? a > b : !signbit(a);
	return (combiner == SHARD_MAX) == first ? x : y;
}

static int64_t extended(int32_t dtype, uint64_t x)
{
	int shift = 64 - 8 * (int)combine_element_size(dtype);
	return (int64_t)(x << shift) >> shift;
}

static uint64_t joined(int32_t dtype, int combiner, uint64_t x, uint64_t y)
{
	bool is_signed = dtype >= PMLRT_I8 && dtype <= PMLRT_I64;
	if (dtype <= PMLRT_F16)
		return joined_floats(dtype, combiner, x, y);
	if (dtype == PMLRT_BOOL)
		return combiner == SHARD_SUM || combiner == SHARD_MAX ? x | y : x & y;
	if (combiner == SHARD_SUM || combiner == SHARD_PROD)
		return combiner == SHARD_SUM ? x + y : x * y;
	bool less = is_signed ? extended(dtype, x) < extended(dtype, y) : x < y;
	return less == (combiner == SHARD_MAX) ? y : x;
}

static bool alike(int32_t dtype, uint64_t x, uint64_t y)
{
	bool is_float = dtype <= PMLRT_F16, x_is_nan = is_float && isnan(value(dtype, x));
	return x_is_nan ? isnan(value(dtype, y)) : x == y;
}

/* `in` 0: into memory of its own; 1, 2: in the place of the first, of the second operand. */
static void check(const struct combine_way *w, int32_t dtype, int combiner, int64_t n, int in)
{
	static _Alignas(64) char a[MOST * SIZE], b[MOST * SIZE], c[MOST * SIZE];
	int64_t size = combine_element_size(dtype);
	char *to = in == 1 ? a : in == 2 ? b : c;
	uint64_t mask = size == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * size) - 1, wanted[MOST];
	memset(c, 'x', sizeof c);
	for (int64_t i = 0; i < MOST; i++) {
		uint64_t x = draw(dtype, (uint64_t)i) & mask, y = draw(dtype, (uint64_t)(i * 7 + 3)) & mask;
		memcpy(a + i * size, &x, (size_t)size);
		memcpy(b + i * size, &y, (size_t)size);
		uint64_t left = 0;
		memcpy(&left, to + i * size, (size_t)size);
		wanted[i] = i < n ? joined(dtype, combiner, x, y) & mask : left;
	}
	combine_by(w, dtype, combiner, to, a, b, n);
	for (int64_t i = 0; i < MOST; i++) {
		uint64_t got = 0;
		memcpy(&got, to + i * size, (size_t)size);
		if (!alike(dtype, wanted[i], got))
			ck_abort_msg("type %d, combiner %d, %d elements, in place %d: element %d is %llx, not %llx",
				     dtype, combiner, (int)n, in, (int)i, (unsigned long long)got,
				     (unsigned long long)wanted[i]);
	}
}

START_TEST(elements_are_combined_as_one_by_one)
{
	for (size_t w = 0; w < sizeof ways / sizeof *ways; w++)
		for (int32_t dtype = 0; machine_has(ways[w]) && dtype < PMLRT_DTYPES; dtype++)
			for (int combiner = SHARD_SUM; combiner <= SHARD_PROD; combiner++)
				for (int64_t n = 0; n < MOST; n += n < 70 ? 1 : 37)
					for (int in = 0; in < 3; in++)
						check(ways[w], dtype, combiner, n, in);
}
END_TEST

/* All of them, and what f32 lies between them, with ends of all lengths. */
START_TEST(arrays_of_16_bit_floats_are_converted_as_one_by_one)
{
	uint16_t *half = malloc(65536 * sizeof *half), *back = malloc(65536 * sizeof *back);
	float *wide = malloc(65536 * sizeof *wide);
	for (uint32_t h = 0; h < 65536; h++)
		half[h] = (uint16_t)h;
	for (size_t w = 0; w < sizeof ways / sizeof *ways; w++)
		for (int brain = 0; machine_has(ways[w]) && brain < 2; brain++)
			for (int64_t begin = 0; begin < 20; begin++) {
				int64_t n = 65536 - 2 * begin;
				ways[w]->widen(brain, wide, half + begin, n);
				for (int64_t i = 0; i < n; i++) {
					float f = half_to_float(half[begin + i], brain);
					ck_assert(f == wide[i] || (f != f && wide[i] != wide[i]));
					ck_assert(!signbit(f) == !signbit(wide[i]));
					wide[i] *= 1 + (float)(i % 5 - 2) * 0x1p-10f;
				}
				ways[w]->narrow(brain, back, wide, n);
				for (int64_t i = 0; i < n; i++)
					ck_assert(wide[i] != wide[i] ? half_to_float(back[i], brain) !=
									       half_to_float(back[i], brain)
								     : back[i] == half_of_float(wide[i], brain));
			}
	free(half);
	free(back);
	free(wide);
}
END_TEST

int main(void)
{
	Suite *s;
	TCase *t = suite_begin(&s, "reductions of P");
	tcase_add_test(t, elements_are_combined_as_one_by_one);
	tcase_add_test(t, arrays_of_16_bit_floats_are_converted_as_one_by_one);
	return suite_end(s);
}
