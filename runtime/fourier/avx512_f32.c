/* avx512_f32.c — transforms of f32 with the vectors of ../product/avx512.h. */
#ifdef __x86_64__
#include "../product/avx512.h"

#include "kernels.h"

typedef float T;
#define FMA          FMA_F32
#define JOIN         JOIN_F32
#define TRANSPOSE    TRANSPOSE_F32
#define CHUNK        4
#define WIDTH        16
#define FOURIER_TYPE f32
#undef KERNELS
#define KERNELS(type)         FOURIER_KERNELS(type)
#define FOURIER_KERNELS(type) fourier_avx512_##type
#include "columns.h"
#endif
