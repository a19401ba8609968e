/* avx512_vnni_u8.c — products of 8 bits by AVX512-VNNI, where B has numbers without a sign. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif
#ifdef HAVE_VNNI
#include "avx512.h"

#define TOGETHER              4
#define B_SIGNED              0
#define ACCUMULATE(sum, x, y) __asm__("vpdpbusd %1, %2, %0" : "+v"(sum) : "v"(x), "v"(y))
#include "bytes.h"

const struct product_kernels product_avx512_vnni_u8 = {BYTES_MEMBERS};
#endif
