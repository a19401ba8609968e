/* as_bf16.h — f32 rounded to bf16 by the instructions of AVX512-BF16: to nearest, ties to even; subnormal numbers
 * become zeros. And numbers as sums of some of bf16: what is left of a number is exact each time. Of the 24 bits of f32
 * nothing is left behind the third, unless parts are below 2^-126; of the 11 of f16, which has no such parts, behind
 * the second. */
#ifndef RT_PRODUCT_AS_BF16_H
#define RT_PRODUCT_AS_BF16_H

#include <immintrin.h>

enum { BF16_PARTS = 3, BF16_PARTS_F16 = 2 }; /* of a number of f32, of f16 */

static inline __m128i eight_as_bf16(__m256 x)
{
	__m128i r;
	__asm__("vcvtneps2bf16 %1, %0" : "=v"(r) : "v"(x));
	return r;
}

static inline __m256i sixteen_as_bf16(__m512 x)
{
	__m256i r;
	__asm__("vcvtneps2bf16 %1, %0" : "=v"(r) : "v"(x));
	return r;
}

/* The first ones in the low half. */
static inline __m512i many_as_bf16(__m512 first, __m512 second)
{
	__m512i r;
	__asm__("vcvtne2ps2bf16 %2, %1, %0" : "=v"(r) : "v"(second), "v"(first));
	return r;
}

/* In turn: one of the first, one of the second. */
static inline __m512i pairs_as_bf16(__m512 first, __m512 second)
{
	const __m512i order = _mm512_add_epi32(
		_mm512_mullo_epi32(_mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0),
				   _mm512_set1_epi32(0x10001)),
		_mm512_set1_epi32(16 << 16));
	return _mm512_permutexvar_epi16(order, many_as_bf16(first, second));
}

static inline __m512 bf16_as_sixteen(__m256i x)
{
	return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(x), 16));
}

/* The first `count` parts of each, in the order of many_as_bf16. */
static inline void many_as_parts(const int count, __m512 first, __m512 second, __m512i *parts)
{
	_Pragma("GCC unroll 3") for (int i = 0; i < count; i++)
	{
		parts[i] = many_as_bf16(first, second);
		first -= bf16_as_sixteen(_mm512_castsi512_si256(parts[i]));
		second -= bf16_as_sixteen(_mm512_extracti64x4_epi64(parts[i], 1));
	}
}

/* In that of pairs_as_bf16. */
static inline void pairs_as_parts(const int count, __m512 first, __m512 second, __m512i *parts)
{
	_Pragma("GCC unroll 3") for (int i = 0; i < count; i++)
	{
		parts[i] = pairs_as_bf16(first, second);
		first -= _mm512_castsi512_ps(_mm512_slli_epi32(parts[i], 16));
		second -= _mm512_castsi512_ps(_mm512_and_si512(parts[i], _mm512_set1_epi32(~0xFFFF)));
	}
}

#endif
