/* avx2.c — lines with the vectors of ../product/avx2.h. */
#ifdef __x86_64__
#include "../product/avx2.h"

#include "kernels.h"

#define SQRT_F64(x)       _mm256_sqrt_pd(x)
#define RECIPROCAL_F64(x) (all(1) / (x))
#define KERNELS_OF        eigen_avx2
#include "lines.h"
#endif
