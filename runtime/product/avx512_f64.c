/* avx512_f64.c — products of f64 with the vectors of avx512.h. */
#ifdef __x86_64__
#include "avx512.h"
#include "f64.h"

#include "few.h"

const struct product_few KERNELS(few_f64)[PRODUCT_TYPES] = {EACH_SOURCE(FEW_MEMBER)};
#endif
