/* as_bf16.h — f32 rounded to bf16 by the instructions of AVX512-BF16: to nearest, ties to even; subnormal numbers
 * become zeros. */
#ifndef RT_PRODUCT_AS_BF16_H
#define RT_PRODUCT_AS_BF16_H

#include <immintrin.h>

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

#endif
