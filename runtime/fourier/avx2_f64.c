/* avx2_f64.c — transforms of f64 with the vectors of ../product/avx2.h. */
#ifdef __x86_64__
#include "../product/avx2.h"

#include "kernels.h"

typedef double T;
#define FMA          FMA_F64
#define JOIN         JOIN_F64
#define TRANSPOSE    TRANSPOSE_F64
#define CHUNK        2
#define WIDTH        4
#define FOURIER_TYPE f64
#undef KERNELS
#define KERNELS(type)         FOURIER_KERNELS(type)
#define FOURIER_KERNELS(type) fourier_avx2_##type
#include "columns.h"
#endif
