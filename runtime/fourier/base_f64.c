/* base_f64.c — transforms of f64 with the vectors of ../product/base.h. */
#include "../product/base.h"

#include "kernels.h"

typedef double T;
#define FMA          FMA_F64
#define JOIN         JOIN_F64
#define TRANSPOSE    TRANSPOSE_F64
#define CHUNK        2
#define WIDTH        2
#define FOURIER_TYPE f64
#undef KERNELS
#define KERNELS(type)         FOURIER_KERNELS(type)
#define FOURIER_KERNELS(type) fourier_base_##type
#include "columns.h"
