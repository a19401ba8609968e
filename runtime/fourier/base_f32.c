/* base_f32.c — transforms of f32 with the vectors of ../product/base.h. */
#include "../product/base.h"

#include "kernels.h"

typedef float T;
#define FMA          FMA_F32
#define JOIN         JOIN_F32
#define TRANSPOSE    TRANSPOSE_F32
#define CHUNK        4
#define WIDTH        4
#define FOURIER_TYPE f32
#undef KERNELS
#define KERNELS(type)         FOURIER_KERNELS(type)
#define FOURIER_KERNELS(type) fourier_base_##type
#include "columns.h"
