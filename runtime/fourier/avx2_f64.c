/* avx2_f64.c — transforms of f64 with the vectors of ../product/avx2.h. */
#ifdef __x86_64__
#include "../product/avx2.h"

#include "kernels.h"

typedef double T;
#define FMA          FMA_F64
#define FOURIER_TYPE f64
#define PAIRS        PAIRS_OF_4
#undef KERNELS
#define KERNELS(type)         FOURIER_KERNELS(type)
#define FOURIER_KERNELS(type) fourier_avx2_##type
#include "columns.h"
#endif
