/* avx2_bytes.c — products of 8 bits by pairs of 16 with the vectors of avx2.h. */
#ifdef __x86_64__
#include "avx2.h"

#define TOGETHER              2
#define ACCUMULATE(sum, x, y) (sum) += (V)_mm256_madd_epi16((__m256i)(x), (__m256i)(y))
#include "bytes.h"

const struct product_kernels product_avx2_bytes = {BYTES_MEMBERS};
#endif
