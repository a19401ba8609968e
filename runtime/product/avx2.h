/* avx2.h — vectors of 32 bytes. */
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,fma,f16c"))), apply_to = function)
#else
#pragma GCC target("avx2,fma,f16c")
#endif
#include "kernels.h"

#include <immintrin.h>

enum { VECTOR_BYTES = 32, ROWS = 6, VECTORS = 2 };
#define KERNELS(type)      product_avx2_##type
#define LANES_F32          8
#define LANES_F64          4
#define EACH_VECTORS(X)    X(1) X(2)
#define EACH_ROWS(X, v, f) X(1, v, f) X(2, v, f) X(3, v, f) X(4, v, f) X(5, v, f) X(6, v, f)

/* sum += x * y as one instruction on the sum's own register, which compilers do not always choose. */
#define ACCUMULATE_F32(sum, x, y) __asm__("vfmadd231ps %2, %1, %0" : "+x"(sum) : "x"(x), "x"(y))
#define ACCUMULATE_F64(sum, x, y) __asm__("vfmadd231pd %2, %1, %0" : "+x"(sum) : "x"(x), "x"(y))
#define FMA_1_F32(x, y, z)        __builtin_fmaf(x, y, z)
#define FMA_1_F64(x, y, z)        __builtin_fma(x, y, z)
#define FMA_F32(x, y, z)          _mm256_fmadd_ps(x, y, z)
#define FMA_F64(x, y, z)          _mm256_fmadd_pd(x, y, z)

#define LOAD16_F32(p) _mm_loadu_ps(p)
#define LOAD16_F64(p) _mm_loadu_pd(p)
#define LOAD16_BF16(p) \
	_mm_castsi128_ps(_mm_slli_epi32(_mm_cvtepu16_epi32(_mm_loadl_epi64((const __m128i *)(const void *)(p))), 16))
#define LOAD16_F16(p) _mm_cvtph_ps(_mm_loadl_epi64((const __m128i *)(const void *)(p)))
#define LOAD_F32(p)   _mm256_loadu_ps(p)
#define LOAD_F64(p)   _mm256_loadu_pd(p)
#define LOAD_BF16(p) \
	_mm256_castsi256_ps( \
		_mm256_slli_epi32(_mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(const void *)(p))), 16))
#define LOAD_F16(p) _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)(p)))
#define STORE_F16(p, x) \
	_mm_storeu_si128((__m128i *)(void *)(p), _mm256_cvtps_ph(x, TO_NEAREST))
#define WIDEN_F16(x)      _cvtsh_ss(x)
#define TO_NEAREST        (_MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)
#define LOAD_AS_F16(p)    _mm256_cvtph_ps(_mm256_cvtps_ph(_mm256_loadu_ps(p), TO_NEAREST))
#define LOAD16_AS_F16(p)  _mm_cvtph_ps(_mm_cvtps_ph(_mm_loadu_ps(p), TO_NEAREST))

#define JOIN_F32(load, row, r, k) \
	_mm256_insertf128_ps(_mm256_castps128_ps256(load((row)[r] + (k))), load((row)[(r) + 4] + (k)), 1)
#define JOIN_F64(load, row, r, k) \
	_mm256_insertf128_pd(_mm256_castpd128_pd256(load((row)[r] + (k))), load((row)[(r) + 2] + (k)), 1)
#define LOW_F32(x, y)    _mm256_unpacklo_ps(x, y)
#define HIGH_F32(x, y)   _mm256_unpackhi_ps(x, y)
#define LOW_F64(x, y)    _mm256_unpacklo_pd(x, y)
#define HIGH_F64(x, y)   _mm256_unpackhi_pd(x, y)
#define LOW_PAIRS(x, y)  _mm256_shuffle_ps(x, y, 0x44)
#define HIGH_PAIRS(x, y) _mm256_shuffle_ps(x, y, 0xEE)

/* Partial sums of a dot product (few.h) are CHAINS vectors, and added up in vectors of SUM_BYTES. */
enum { CHAINS = 2, SUM_BYTES = VECTOR_BYTES, DOTS = 4 };
#define SUM_OF_F32(x)  ((x)[0] + (x)[1])
#define SUM_OF_F64     SUM_OF_F32
#define SUM_LOW_F32    LOW_F32
#define SUM_HIGH_F32   HIGH_F32
#define SUM_LOW_PAIRS  LOW_PAIRS
#define SUM_HIGH_PAIRS HIGH_PAIRS
#define SUM_LOW_F64    LOW_F64
#define SUM_HIGH_F64   HIGH_F64
