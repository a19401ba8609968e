/* avx2_f64.c — products of f64 with the vectors of avx2.h. */
#ifdef __x86_64__
#include "avx2.h"

#define TURN 4 /* README.md */
#include "f64.h"
#include "few.h"

const struct product_few KERNELS(few_f64)[PRODUCT_TYPES] = {EACH_SOURCE(FEW_MEMBER)};
#endif
