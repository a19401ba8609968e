/* combine.c — see combine.h. One loop per element type and combiner, written once as a macro over dtype.def's types. */
#pragma GCC optimize("O3") /* loops over any number of elements become vector loops */
#include "combine.h"
#include "rt.h"

#include <math.h>
#include <string.h>

#define MAX(x, y) ((x) > (y) ? (x) : (y))
#define MIN(x, y) ((x) < (y) ? (x) : (y))
/* A NaN on either side stays: a wrong number must not vanish in a maximum. 0.0 is greater than -0.0, whoever has which:
 * 1 / x tells them apart. */
#define FMAX(x, y) ((x) > (y) || (x) != (x) || ((x) == (y) && !signbit(x)) ? (x) : (y))
#define FMIN(x, y) ((x) < (y) || (x) != (x) || ((x) == (y) && signbit(x)) ? (x) : (y))

#define LOOP(T, OP) \
	for (int64_t i = 0; i < n; i++) \
		to[i] = (T)OP(to[i], from[i]);

/* Integers wrap: sums and products are done unsigned. */
#define COMBINE(name, T, WIDE, LARGER, SMALLER) \
	static void combine_##name(int32_t combiner, T *restrict to, const T *restrict from, int64_t n) \
	{ \
		switch ((enum shard_combiner)combiner) { \
		case SHARD_SUM: \
			for (int64_t i = 0; i < n; i++) \
				to[i] = (T)((WIDE)to[i] + (WIDE)from[i]); \
			return; \
		case SHARD_PROD: \
			for (int64_t i = 0; i < n; i++) \
				to[i] = (T)((WIDE)to[i] * (WIDE)from[i]); \
			return; \
		case SHARD_MAX: \
			LOOP(T, LARGER) return; \
		case SHARD_MIN: \
			LOOP(T, SMALLER) return; \
		} \
	}

COMBINE(f32, float, float, FMAX, FMIN)
COMBINE(f64, double, double, FMAX, FMIN)
COMBINE(i8, int8_t, uint64_t, MAX, MIN)
COMBINE(i16, int16_t, uint64_t, MAX, MIN)
COMBINE(i32, int32_t, uint64_t, MAX, MIN)
COMBINE(i64, int64_t, uint64_t, MAX, MIN)
COMBINE(u8, uint8_t, uint64_t, MAX, MIN)
COMBINE(u16, uint16_t, uint64_t, MAX, MIN)
COMBINE(u32, uint32_t, uint64_t, MAX, MIN)
COMBINE(u64, uint64_t, uint64_t, MAX, MIN)

static void combine_bool(int32_t combiner, uint8_t *to, const uint8_t *from, int64_t n)
{
	bool any = combiner == SHARD_SUM || combiner == SHARD_MAX;
	for (int64_t i = 0; i < n; i++)
		to[i] = any ? to[i] | from[i] : to[i] & from[i];
}

static void combine_half(int32_t combiner, uint16_t *to, const uint16_t *from, int64_t n, bool brain)
{
	for (int64_t i = 0; i < n; i++) {
		float a = half_to_float(to[i], brain), b = half_to_float(from[i], brain);
		combine_f32(combiner, &a, &b, 1);
		to[i] = half_of_float(a, brain);
	}
}

void combine_widen(int32_t dtype, float *to, const void *from, int64_t n)
{
	const uint16_t *half = from;
	for (int64_t i = 0; i < n; i++)
		to[i] = half_to_float(half[i], dtype == PMLRT_BF16);
}

void combine_wide(int32_t dtype, int32_t combiner, float *to, const void *from, int64_t n)
{
	const uint16_t *half = from;
	for (int64_t i = 0; i < n; i++) {
		float x = half_to_float(half[i], dtype == PMLRT_BF16);
		to[i] = combiner == SHARD_SUM ? to[i] + x : to[i] * x;
	}
}

void combine_narrow(int32_t dtype, void *to, const float *from, int64_t n)
{
	uint16_t *half = to;
	for (int64_t i = 0; i < n; i++)
		half[i] = half_of_float(from[i], dtype == PMLRT_BF16);
}

int64_t combine_element_size(int32_t dtype)
{
	return rt_dtype_size(dtype);
}

void combine_into(int32_t dtype, int32_t combiner, void *to, const void *from, int64_t n)
{
	switch ((enum pmlrt_dtype)dtype) {
	case PMLRT_F32:
		combine_f32(combiner, to, from, n);
		return;
	case PMLRT_F64:
		combine_f64(combiner, to, from, n);
		return;
	case PMLRT_BF16:
		combine_half(combiner, to, from, n, true);
		return;
	case PMLRT_F16:
		combine_half(combiner, to, from, n, false);
		return;
	case PMLRT_I8:
		combine_i8(combiner, to, from, n);
		return;
	case PMLRT_I16:
		combine_i16(combiner, to, from, n);
		return;
	case PMLRT_I32:
		combine_i32(combiner, to, from, n);
		return;
	case PMLRT_I64:
		combine_i64(combiner, to, from, n);
		return;
	case PMLRT_U8:
		combine_u8(combiner, to, from, n);
		return;
	case PMLRT_U16:
		combine_u16(combiner, to, from, n);
		return;
	case PMLRT_U32:
		combine_u32(combiner, to, from, n);
		return;
	case PMLRT_U64:
		combine_u64(combiner, to, from, n);
		return;
	case PMLRT_BOOL:
		combine_bool(combiner, to, from, n);
		return;
	case PMLRT_DTYPES:
		return;
	}
}

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
