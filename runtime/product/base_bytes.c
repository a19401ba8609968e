/* base_bytes.c — products of 8 bits by pairs of 16 with the vectors of base.h. */
#include "base.h"

#define TOGETHER 2
#ifdef __SSE2__
#include <emmintrin.h>
#define ACCUMULATE(sum, x, y) (sum) += (V)_mm_madd_epi16((__m128i)(x), (__m128i)(y))
#else
#define LOW_OF(x)             ((V)((U)(x) << 16) >> 16)
#define ACCUMULATE(sum, x, y) (sum) += LOW_OF(x) * LOW_OF(y) + ((x) >> 16) * ((y) >> 16)
typedef uint32_t U __attribute__((vector_size(16)));
#endif
#include "bytes.h"

const struct product_kernels product_base_bytes = {BYTES_MEMBERS};
