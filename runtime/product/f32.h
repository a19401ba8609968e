/* f32.h — the kernels of a level for f32, from elements of 16 bits as well. Included after the level's header. */
#include "../half.h"

#include <string.h>

typedef float T;
typedef float V __attribute__((vector_size(VECTOR_BYTES), aligned(4), may_alias));
typedef float SUM __attribute__((vector_size(SUM_BYTES), aligned(4), may_alias));
#include "words.h"
#define ACCUMULATE       ACCUMULATE_F32
#define FMA_1            FMA_1_F32
#define TRANSPOSE_SUM(x) TRANSPOSE_BY(SUM, SUM_LOW_F32, SUM_HIGH_F32, SUM_LOW_PAIRS, SUM_HIGH_PAIRS, x)
#define SUM_OF           SUM_OF_F32
#define LANES_HERE       LANES_F32
#include "panels.h"
#include "filter_parts.h"
#include "tiles.h"

static inline float widen_bf16(uint16_t x)
{
	union {
		uint32_t bits;
		float value;
	} u = {(uint32_t)x << 16};
	return u.value;
}
typedef uint32_t U __attribute__((vector_size(VECTOR_BYTES), may_alias));
typedef uint32_t UQ __attribute__((vector_size(16), may_alias));

/* f32 rounded to bf16: to nearest, ties to even; NaN stays one. */
#define ROUNDED(V, U, x) \
	{ \
		U bits = (U)(x), is_nan = (U)((x) != (x)); \
		return (V)(((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000) | is_nan); \
	}
static inline V vector_as_bf16(V x)
{
	ROUNDED(V, U, x)
}
static inline Q quarter_as_bf16(Q x)
{
	ROUNDED(Q, UQ, x)
}
static inline float as_bf16(float x)
{
	return quarter_as_bf16((Q){x})[0];
}
#define LOAD_AS_BF16(p)   vector_as_bf16(*(const V *)(p))
#define LOAD16_AS_BF16(p) quarter_as_bf16(*(const Q *)(p))

static inline float as_f16(float x)
{
	return half_to_float(half_of_float(x, false), false);
}

#define AS_IT_IS(x) (x)
#define EACH_SOURCE(X) \
	X(F32, f32, float, AS_IT_IS, LOAD_F32, LOAD16_F32) \
	X(BF16, bf16, uint16_t, widen_bf16, LOAD_BF16, LOAD16_BF16) \
	X(F16, f16, uint16_t, WIDEN_F16, LOAD_F16, LOAD16_F16) \
	X(F32_AS_BF16, f32_as_bf16, float, as_bf16, LOAD_AS_BF16, LOAD16_AS_BF16) \
	X(F32_AS_F16, f32_as_f16, float, as_f16, LOAD_AS_F16, LOAD16_AS_F16)
EACH_SOURCE(PACKING)

typedef uint16_t H __attribute__((vector_size(VECTOR_BYTES / 2), aligned(2), may_alias));

/* LANES elements, to nearest, ties to even; NaN stays one. */
static inline void store_bf16(uint16_t *to, const float *from)
{
	U x = (U) * (const V *)from;
	U rounded = (x + 0x7FFF + (x >> 16 & 1)) >> 16, quiet = x >> 16 | 0x40;
	U is_nan = (U)((x & 0x7FFFFFFF) > 0x7F800000);
	*(H *)to = __builtin_convertvector((rounded & ~is_nan) | (quiet & is_nan), H);
}

static inline void store_f16(uint16_t *to, const float *from)
{
	STORE_F16(to, LOAD_F32(from));
}

/* What is left is a vector of its own. */
#define NARROW(name) \
	static void narrow_##name(int64_t n, const float *from, uint16_t *to) \
	{ \
		int64_t j = 0; \
		for (; j + LANES <= n; j += LANES) \
			store_##name(to + j, from + j); \
		if (j < n) { \
			float rest[LANES] = {0}; \
			uint16_t narrow[LANES]; \
			memcpy(rest, from + j, (size_t)(n - j) * sizeof *from); \
			store_##name(narrow, rest); \
			memcpy(to + j, narrow, (size_t)(n - j) * sizeof *to); \
		} \
	}
NARROW(bf16)
NARROW(f16)

static void round_bf16(int64_t n, float *x)
{
	copy_f32_as_bf16(x, x, n);
}

static void round_f16(int64_t n, float *x)
{
	copy_f32_as_f16(x, x, n);
}

static const struct product_packing packing[PRODUCT_TYPES] = {EACH_SOURCE(PACKING_MEMBER)};

const struct product_kernels KERNELS(f32) = {
	TILE_MEMBERS,
	.together = 1,
	.pack = packing,
	.transpose = transpose,
	.filter = &filter_kernels,
	.narrow = {[PRODUCT_BF16] = narrow_bf16, [PRODUCT_F16] = narrow_f16},
	.round = {[PRODUCT_F32_AS_BF16] = round_bf16, [PRODUCT_F32_AS_F16] = round_f16},
};
