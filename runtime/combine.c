/* combine.c — see combine.h. The loops are written once (combine_loops.h) for vectors of 16 and of 32 bytes, as the
 * machine has them; 16-bit floats go through some of f32 that stay in the first cache. */
#pragma GCC optimize("O3") /* loops over any number of elements become vector loops */
#include "combine.h"
#include "contract_vectors.h"
#include "half.h"
#include "rt.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif
#include <math.h>
#include <string.h>

typedef void combine_loop(int32_t combiner, void *to, const void *a, const void *b, int64_t n);

struct combine_way {
	combine_loop *of[PMLRT_DTYPES]; /* NULL: f16 */
	void (*widen)(bool brain, float *to, const uint16_t *from, int64_t n);
	void (*narrow)(bool brain, uint16_t *to, const float *from, int64_t n);
};

#define MAX(x, y) ((x) > (y) ? (x) : (y))
#define MIN(x, y) ((x) < (y) ? (x) : (y))

/* Of equal numbers all bits are the same but for the sign of zero, which 1 / x tells. */
#define FLOAT_MAX_MIN(T, BITS) \
	static inline T bits_##T(T x, T y, bool both) \
	{ \
		BITS a, b; \
		memcpy(&a, &x, sizeof a); \
		memcpy(&b, &y, sizeof b); \
		a = both ? a & b : a | b; \
		memcpy(&x, &a, sizeof a); \
		return x; \
	} \
	static inline T max_##T(T x, T y) \
	{ \
		return x == y ? bits_##T(x, y, true) : x > y || x != x ? x : y; \
	} \
	static inline T min_##T(T x, T y) \
	{ \
		return x == y ? bits_##T(x, y, false) : x < y || x != x ? x : y; \
	}
FLOAT_MAX_MIN(float, uint32_t)
FLOAT_MAX_MIN(double, uint64_t)

static inline uint16_t max_bf16(uint16_t x, uint16_t y)
{
	return bf16_of_float(max_float(bf16_to_float(x), bf16_to_float(y)));
}

static inline uint16_t min_bf16(uint16_t x, uint16_t y)
{
	return bf16_of_float(min_float(bf16_to_float(x), bf16_to_float(y)));
}

/* Types with loops of their own: what elements are added up and multiplied in (integers unsigned, so that they wrap),
 * and how that becomes one again. */
#define AS_IT_IS(x) (x)
#define UNSIGNED(x) ((uint64_t)(x))
#define PLAIN_TYPES(ROW) \
	ROW(F32, float, AS_IT_IS, AS_IT_IS, max_float, min_float) \
	ROW(F64, double, AS_IT_IS, AS_IT_IS, max_double, min_double) \
	ROW(BF16, uint16_t, bf16_to_float, bf16_of_float, max_bf16, min_bf16) \
	ROW(I8, int8_t, UNSIGNED, AS_IT_IS, MAX, MIN) \
	ROW(I16, int16_t, UNSIGNED, AS_IT_IS, MAX, MIN) \
	ROW(I32, int32_t, UNSIGNED, AS_IT_IS, MAX, MIN) \
	ROW(I64, int64_t, UNSIGNED, AS_IT_IS, MAX, MIN) \
	ROW(U8, uint8_t, UNSIGNED, AS_IT_IS, MAX, MIN) \
	ROW(U16, uint16_t, UNSIGNED, AS_IT_IS, MAX, MIN) \
	ROW(U32, uint32_t, UNSIGNED, AS_IT_IS, MAX, MIN) \
	ROW(U64, uint64_t, UNSIGNED, AS_IT_IS, MAX, MIN)

#define NAME(f) f##_base
#define ATTRIBUTE
#include "combine_loops.h"
#undef NAME
#undef ATTRIBUTE

#ifdef __x86_64__
#define NAME(f)   f##_avx2
#define ATTRIBUTE __attribute__((target("avx2,f16c")))
#define HAS_F16C
#include "combine_loops.h"
#else
#define way_avx2 way_base
#endif

static const struct combine_way *way(void)
{
	return WIDEST(&way_base, &way_avx2, &way_avx2);
}

int64_t combine_element_size(int32_t dtype)
{
	return rt_dtype_size(dtype);
}

/* ---- 16-bit floats ---- */

enum { SOME = 256 }; /* elements that are f32 at a time */

void combine_widen(int32_t dtype, float *to, const void *from, int64_t n)
{
	way()->widen(dtype == PMLRT_BF16, to, from, n);
}

void combine_narrow(int32_t dtype, void *to, const float *from, int64_t n)
{
	way()->narrow(dtype == PMLRT_BF16, to, from, n);
}

void combine_wide(int32_t dtype, int32_t combiner, float *to, const void *from, int64_t n)
{
	const struct combine_way *w = way();
	float x[SOME];
	for (int64_t at = 0; at < n; at += SOME) {
		int64_t some = MIN(n - at, SOME);
		w->widen(dtype == PMLRT_BF16, x, (const uint16_t *)from + at, some);
		w->of[PMLRT_F32](combiner, to + at, to + at, x, some);
	}
}

static void combine_f16(const struct combine_way *w, int32_t combiner, uint16_t *to, const uint16_t *a,
			const uint16_t *b, int64_t n)
{
	float x[SOME], y[SOME];
	for (int64_t at = 0; at < n; at += SOME) {
		int64_t some = MIN(n - at, SOME);
		w->widen(false, x, a + at, some);
		w->widen(false, y, b + at, some);
		w->of[PMLRT_F32](combiner, x, x, y, some);
		w->narrow(false, to + at, x, some);
	}
}

static void combine_by(const struct combine_way *w, int32_t dtype, int32_t combiner, void *to, const void *a,
		       const void *b, int64_t n)
{
	if (w->of[dtype])
		w->of[dtype](combiner, to, a, b, n);
	else
		combine_f16(w, combiner, to, a, b, n);
}

void combine(int32_t dtype, int32_t combiner, void *to, const void *a, const void *b, int64_t n)
{
	combine_by(way(), dtype, combiner, to, a, b, n);
}

/* ---- what changes nothing ---- */

/* The identity of one integer type as bits: least (max), largest (min), 0 or 1. */
static uint64_t integer_identity(int32_t combiner, int64_t size, bool is_signed)
{
	uint64_t all = size == 8 ? UINT64_MAX : ((uint64_t)1 << (8 * size)) - 1, top = (all >> 1) + 1;
	switch ((enum shard_combiner)combiner) {
	case SHARD_SUM:
		return 0;
	case SHARD_PROD:
		return 1;
	case SHARD_MAX:
		return is_signed ? top : 0;
	case SHARD_MIN:
		return is_signed ? top - 1 : all;
	}
	return 0;
}

static double float_identity(int32_t combiner)
{
	switch ((enum shard_combiner)combiner) {
	case SHARD_SUM:
		return -0.0; /* which 0.0 would make 0.0 of */
	case SHARD_PROD:
		return 1;
	case SHARD_MAX:
		return -INFINITY;
	case SHARD_MIN:
		return INFINITY;
	}
	return 0;
}

/* The bits of one identity element, in the low bytes (the machine is little endian, as the file formats are). */
static uint64_t identity_bits(int32_t dtype, int32_t combiner)
{
	double d = float_identity(combiner);
	float f = (float)d;
	uint64_t bits = 0;
	switch ((enum pmlrt_dtype)dtype) {
	case PMLRT_F32:
		memcpy(&bits, &f, 4);
		return bits;
	case PMLRT_F64:
		memcpy(&bits, &d, 8);
		return bits;
	case PMLRT_BF16:
		return half_of_float(f, true);
	case PMLRT_F16:
		return half_of_float(f, false);
	case PMLRT_I8:
	case PMLRT_I16:
	case PMLRT_I32:
	case PMLRT_I64:
		return integer_identity(combiner, rt_dtype_size(dtype), true);
	case PMLRT_U8:
	case PMLRT_U16:
	case PMLRT_U32:
	case PMLRT_U64:
		return integer_identity(combiner, rt_dtype_size(dtype), false);
	case PMLRT_BOOL:
		return combiner == SHARD_PROD || combiner == SHARD_MIN;
	case PMLRT_DTYPES:
		break;
	}
	return 0;
}

void combine_identity(int32_t dtype, int32_t combiner, void *to, int64_t n)
{
	uint64_t bits = identity_bits(dtype, combiner);
	int64_t size = rt_dtype_size(dtype);
	if (bits == 0) {
		if (n > 0)
			memset(to, 0, (size_t)(n * size));
		return;
	}
	for (int64_t i = 0; i < n; i++)
		memcpy((char *)to + i * size, &bits, (size_t)size);
}
