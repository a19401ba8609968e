/* avx512_f64.c — factors of f64 with the vectors of ../product/avx512.h. */
#ifdef __x86_64__
#include "../product/avx512.h"

#include "../lu_way.h"
#include "kernels.h"

typedef double T;
typedef int64_t INDEX;
#define LEAST      DBL_MIN
#define FMA        FMA_F64
#define KERNELS_OF lu_avx512_f64
#include "lines.h"
#endif
