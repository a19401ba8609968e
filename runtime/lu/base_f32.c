/* base_f32.c — factors of f32 with the vectors of ../product/base.h. */
#include "../product/base.h"

#include "../lu_way.h"
#include "kernels.h"

typedef float T;
typedef int32_t INDEX;
#define LEAST      FLT_MIN
#define FMA        FMA_F32
#define KERNELS_OF lu_base_f32
#include "lines.h"
