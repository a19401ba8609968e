/* half.h — bf16 (the upper half of an f32) and f16 (IEEE binary16), to and from f32, one at a time; rounding to nearest
 * even. Arrays of them: combine.h. */
#ifndef RT_HALF_H
#define RT_HALF_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline uint32_t half_bits(float f)
{
	uint32_t u;
	memcpy(&u, &f, 4);
	return u;
}

static inline float half_of_bits(uint32_t u)
{
	float f;
	memcpy(&f, &u, 4);
	return f;
}

static inline float f16_to_float(uint16_t h)
{
	uint32_t sign = (uint32_t)(h & 0x8000) << 16, exponent = h >> 10 & 31, fraction = h & 1023;
	if (exponent == 31)
		return half_of_bits(sign | 0x7F800000u | fraction << 13);
	if (exponent)
		return half_of_bits(sign | (exponent + 112) << 23 | fraction << 13);
	float small = (float)fraction * 0x1p-24f;
	return sign ? -small : small;
}

/* v / 2^shift, rounded to nearest, ties to even. */
static inline uint32_t round_shift(uint32_t v, int shift)
{
	uint32_t half = 1u << (shift - 1), low = v & ((half << 1) - 1), high = v >> shift;
	return high + (low > half || (low == half && (high & 1)));
}

static inline uint16_t f16_of_float(float f)
{
	uint32_t u = half_bits(f), sign = u >> 16 & 0x8000, magnitude = u & 0x7FFFFFFF;
	if (magnitude > 0x7F800000)
		return (uint16_t)(sign | 0x7E00);
	if (magnitude >= 0x47800000)
		return (uint16_t)(sign | 0x7C00);
	if (magnitude >= 0x38800000)
		return (uint16_t)(sign | round_shift(magnitude - (112u << 23), 13));
	int shift = 126 - (int)(magnitude >> 23);
	if (shift > 24)
		return (uint16_t)sign;
	return (uint16_t)(sign | round_shift((magnitude & 0x7FFFFF) | 0x800000, shift));
}

static inline float bf16_to_float(uint16_t h)
{
	return half_of_bits((uint32_t)h << 16);
}

/* Compares signed numbers, for which vectors have an instruction. */
static inline uint16_t bf16_of_float(float f)
{
	uint32_t u = half_bits(f);
	bool is_nan = (int32_t)(u & 0x7FFFFFFF) > 0x7F800000;
	return (uint16_t)((is_nan ? u | 0x400000 : u + 0x7FFF + (u >> 16 & 1)) >> 16);
}

static inline float half_to_float(uint16_t h, bool brain)
{
	return brain ? bf16_to_float(h) : f16_to_float(h);
}

static inline uint16_t half_of_float(float f, bool brain)
{
	return brain ? bf16_of_float(f) : f16_of_float(f);
}

#endif
