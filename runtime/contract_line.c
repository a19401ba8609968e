/* contract_line.c — see contract_line.h. Along the rows of the matrix eight vectors of sums stay in registers, while
 * the row's numbers go by; across them one sum is a vector of partial ones. Integers add up exactly, so both give the
 * bits of a tile. */
#include "contract_line.h"
#include "contract_vectors.h"

#include <string.h>

enum { VECTORS = 8 };

/* One number after the other, for what no vector fills. */
#define REST(sum, product, grid) \
	{ \
		double with = (product) + (grid); \
		int64_t bits, without; \
		memcpy(&bits, &with, sizeof bits); \
		memcpy(&without, &(grid), sizeof without); \
		sum = (int64_t)((uint64_t)sum + (uint64_t)bits - (uint64_t)without); \
	}

#define LINE(name, ATTRIBUTE, LANES, T) \
	ATTRIBUTE static LINE_FUNCTION(along_##name, T) \
	{ \
		typedef T numbers __attribute__((vector_size(sizeof(T) * LANES), aligned(sizeof(T)), may_alias)); \
		typedef double floats __attribute__((vector_size(8 * LANES), may_alias)); \
		typedef int64_t ints __attribute__((vector_size(8 * LANES), aligned(8), may_alias)); \
		int64_t j = 0; \
		for (; j + LANES * VECTORS <= n; j += LANES * VECTORS) { \
			ints sum[VECTORS] = {{0}}, base[VECTORS]; \
			floats g[VECTORS]; \
			memcpy(g, grid + j, sizeof g); \
			memcpy(base, grid + j, sizeof base); \
			for (int64_t p = 0; p < k; p++) \
				_Pragma("GCC unroll 8") for (int v = 0; v < VECTORS; v++) sum[v] += \
					(ints)(a[p] * __builtin_convertvector( \
							      *(const numbers *)(b + p * ldb + j + v * LANES), \
							      floats) + \
					       g[v]); \
			_Pragma("GCC unroll 8") for (int v = 0; v < VECTORS; v++) * (ints *)(c + j + v * LANES) += \
				sum[v] - base[v] * k; \
		} \
		for (; j < n; j++) \
			for (int64_t p = 0; p < k; p++) \
				REST(c[j], a[p] * (double)b[p * ldb + j], grid[j]) \
	} \
	ATTRIBUTE static LINE_FUNCTION(across_##name, T) \
	{ \
		typedef T numbers __attribute__((vector_size(sizeof(T) * LANES), aligned(sizeof(T)), may_alias)); \
		typedef double floats __attribute__((vector_size(8 * LANES), aligned(8), may_alias)); \
		typedef int64_t ints __attribute__((vector_size(8 * LANES), may_alias)); \
		for (int64_t j = 0; j < n; j++) { \
			const floats g = grid[j] - (floats){0}; \
			uint64_t base; \
			memcpy(&base, &grid[j], sizeof base); \
			ints sum = {0}; \
			int64_t p = 0, all = c[j]; \
			for (; p + LANES <= k; p += LANES) \
				sum += (ints)(*(const floats *)(a + p) * \
						      __builtin_convertvector(*(const numbers *)(b + j * ldb + p), \
									      floats) + \
					      g); \
			for (int i = 0; i < LANES; i++) \
				all = (int64_t)((uint64_t)all + (uint64_t)sum[i]); \
			all = (int64_t)((uint64_t)all - base * (uint64_t)p); \
			for (; p < k; p++) \
				REST(all, a[p] * (double)b[j * ldb + p], grid[j]) \
			c[j] = all; \
		} \
	}

LINE(base_f32, __attribute__((FUSED)), 2, float)
LINE(base_f64, __attribute__((SEPARATE)), 2, double)
static const struct line line_base = {along_base_f32, across_base_f32, along_base_f64, across_base_f64};

#ifdef __x86_64__
LINE(avx2_f32, __attribute__((FUSED, AVX2)), 4, float)
LINE(avx2_f64, __attribute__((SEPARATE, AVX2)), 4, double)
static const struct line line_avx2 = {along_avx2_f32, across_avx2_f32, along_avx2_f64, across_avx2_f64};
LINE(avx512_f32, __attribute__((FUSED, AVX512)), 8, float)
LINE(avx512_f64, __attribute__((SEPARATE, AVX512)), 8, double)
static const struct line line_avx512 = {along_avx512_f32, across_avx512_f32, along_avx512_f64, across_avx512_f64};
#endif

const struct line *best_line(void)
{
	return WIDEST(&line_base, &line_avx2, &line_avx512);
}
