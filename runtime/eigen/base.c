/* base.c — lines with the vectors of ../product/base.h. */
#include "../product/base.h"

#include "kernels.h"

#define SUM_F64(x)        ((x)[0] + (x)[1])
#define SQRT_F64(x)       ((V){__builtin_sqrt((x)[0]), __builtin_sqrt((x)[1])})
#define RECIPROCAL_F64(x) (all(1) / (x))
#define KERNELS_OF        eigen_base
#include "lines.h"
