/* avx512.h — vectors of 64 bytes, and 32 of them. */
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,fma,f16c"))), \
			     apply_to = function)
#else
#pragma GCC target("avx512f,avx512dq,avx512bw,avx512vl,fma,f16c,prefer-vector-width=512")
#endif
#include "kernels.h"

#include <immintrin.h>

enum { VECTOR_BYTES = 64, ROWS = 8, VECTORS = 3 };
#define KERNELS(type)      product_avx512_##type
#define LANES_F32          16
#define LANES_F64          8
#define EACH_VECTORS(X)    X(1) X(2) X(3)
#define EACH_ROWS(X, v, f) X(1, v, f) X(2, v, f) X(3, v, f) X(4, v, f) X(5, v, f) X(6, v, f) X(7, v, f) X(8, v, f)

/* sum += x * y as one instruction on the sum's own register, which compilers do not always choose. */
#define ACCUMULATE_F32(sum, x, y) __asm__("vfmadd231ps %2, %1, %0" : "+v"(sum) : "v"(x), "v"(y))
#define ACCUMULATE_F64(sum, x, y) __asm__("vfmadd231pd %2, %1, %0" : "+v"(sum) : "v"(x), "v"(y))
#define FMA_1_F32(x, y, z)        __builtin_fmaf(x, y, z)
#define FMA_1_F64(x, y, z)        __builtin_fma(x, y, z)
#define FMA_F32(x, y, z)          _mm512_fmadd_ps(x, y, z)
#define FMA_F64(x, y, z)          _mm512_fmadd_pd(x, y, z)

#define LOAD16_F32(p) _mm_loadu_ps(p)
#define LOAD16_F64(p) _mm_loadu_pd(p)
#define LOAD16_BF16(p) \
	_mm_castsi128_ps(_mm_slli_epi32(_mm_cvtepu16_epi32(_mm_loadl_epi64((const __m128i *)(const void *)(p))), 16))
#define LOAD16_F16(p) _mm_cvtph_ps(_mm_loadl_epi64((const __m128i *)(const void *)(p)))
#define LOAD_F32(p)   _mm512_loadu_ps(p)
#define LOAD_F64(p)   _mm512_loadu_pd(p)
#define LOAD_BF16(p) \
	_mm512_castsi512_ps( \
		_mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)(const void *)(p))), 16))
#define LOAD_F16(p) _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(const void *)(p)))
#define STORE_F16(p, x) \
	_mm256_storeu_si256((__m256i *)(void *)(p), _mm512_cvtps_ph(x, TO_NEAREST))
#define WIDEN_F16(x)      _cvtsh_ss(x)
#define TO_NEAREST        (_MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)
#define LOAD_AS_F16(p)    _mm512_cvtph_ps(_mm512_cvtps_ph(_mm512_loadu_ps(p), TO_NEAREST))
#define LOAD16_AS_F16(p)  _mm_cvtph_ps(_mm_cvtps_ph(_mm_loadu_ps(p), TO_NEAREST))

#define JOIN_F32(load, row, r, k) \
	_mm512_insertf32x4(_mm512_insertf32x4(_mm512_insertf32x4(_mm512_castps128_ps512(load((row)[r] + (k))), \
								 load((row)[(r) + 4] + (k)), 1), \
					      load((row)[(r) + 8] + (k)), 2), \
			   load((row)[(r) + 12] + (k)), 3)
#define JOIN_F64(load, row, r, k) \
	_mm512_insertf64x2(_mm512_insertf64x2(_mm512_insertf64x2(_mm512_castpd128_pd512(load((row)[r] + (k))), \
								 load((row)[(r) + 2] + (k)), 1), \
					      load((row)[(r) + 4] + (k)), 2), \
			   load((row)[(r) + 6] + (k)), 3)
#define LOW_F32(x, y)    _mm512_unpacklo_ps(x, y)
#define HIGH_F32(x, y)   _mm512_unpackhi_ps(x, y)
#define LOW_F64(x, y)    _mm512_unpacklo_pd(x, y)
#define HIGH_F64(x, y)   _mm512_unpackhi_pd(x, y)
#define LOW_PAIRS(x, y)  _mm512_shuffle_ps(x, y, 0x44)
#define HIGH_PAIRS(x, y) _mm512_shuffle_ps(x, y, 0xEE)

/* Partial sums of a dot product (few.h) are one vector, and added up in halves of it, in the order of avx2.h. */
enum { CHAINS = 1, SUM_BYTES = VECTOR_BYTES / 2, DOTS = 8 };
#define SUM_OF_F32(x)        (_mm512_castps512_ps256((x)[0]) + _mm512_extractf32x8_ps((x)[0], 1))
#define SUM_OF_F64(x)        (_mm512_castpd512_pd256((x)[0]) + _mm512_extractf64x4_pd((x)[0], 1))
#define SUM_LOW_F32(x, y)    _mm256_unpacklo_ps(x, y)
#define SUM_HIGH_F32(x, y)   _mm256_unpackhi_ps(x, y)
#define SUM_LOW_PAIRS(x, y)  _mm256_shuffle_ps(x, y, 0x44)
#define SUM_HIGH_PAIRS(x, y) _mm256_shuffle_ps(x, y, 0xEE)
#define SUM_LOW_F64(x, y)    _mm256_unpacklo_pd(x, y)
#define SUM_HIGH_F64(x, y)   _mm256_unpackhi_pd(x, y)
