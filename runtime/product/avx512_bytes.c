/* avx512_bytes.c — products of 8 bits by pairs of 16 with the vectors of avx512.h. */
#ifdef __x86_64__
#include "avx512.h"

#define TOGETHER              2
#define ACCUMULATE(sum, x, y) (sum) += (V)_mm512_madd_epi16((__m512i)(x), (__m512i)(y))
#include "bytes.h"

const struct product_kernels product_avx512_bytes = {BYTES_MEMBERS};
#endif
