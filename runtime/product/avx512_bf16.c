/* avx512_bf16.c — products of bf16 by dot products of pairs (AVX512-BF16): tiles of f32 sums over words of two
 * elements. An instruction adds the second product of each pair to the sum, then the first one, each time rounded to
 * nearest; subnormal numbers count as zeros in it. */
#ifdef __x86_64__
#include "avx512.h"

#include "as_bf16.h"

#include <string.h>

/* A word: its bits are a pair. Rows that are read in place begin at any element. */
typedef float T __attribute__((aligned(2), may_alias));
typedef float V __attribute__((vector_size(VECTOR_BYTES), aligned(2), may_alias));
#include "words.h"
#define ACCUMULATE(sum, x, y) __asm__("vdpbf16ps %2, %1, %0" : "+v"(sum) : "v"(x), "v"(y))
#include "tiles.h"

#include "pairs.h"

const struct product_packing product_pack_pairs[PRODUCT_TYPES] = {EACH_PAIRED(PAIRS_MEMBER)};

const struct product_kernels product_avx512_bf16 = {TILE_MEMBERS, .together = 2, .pack = product_pack_pairs};
#endif
