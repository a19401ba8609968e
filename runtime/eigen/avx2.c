/* avx2.c — lines with the vectors of ../product/avx2.h. */
#ifdef __x86_64__
#include "../product/avx2.h"

#include "kernels.h"

#define SUM_F64(x)        sum_of_4(x)
#define SQRT_F64(x)       _mm256_sqrt_pd(x)
#define RECIPROCAL_F64(x) (all(1) / (x))
static inline __attribute__((always_inline)) double sum_of_4(__m256d x)
{
	__m128d two = _mm256_castpd256_pd128(x) + _mm256_extractf128_pd(x, 1);
	return two[0] + two[1];
}

#define KERNELS_OF        eigen_avx2
#include "lines.h"
#endif
