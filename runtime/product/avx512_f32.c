/* avx512_f32.c — products of f32 with the vectors of avx512.h. */
#ifdef __x86_64__
#include "avx512.h"

#define TURN 4 /* README.md */
#include "f32.h"

#include "few.h"

const struct product_few KERNELS(few_f32)[PRODUCT_TYPES] = {EACH_SOURCE(FEW_MEMBER)};
#endif
