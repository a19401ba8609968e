/* kernel_check.h — kernels as text, compiled, against kernel_interpret: the same buffers, and nothing written behind
 * them. In the text $t is an element type, $n an extent, $m, $2n to $9n and $nn are n - 1, 2 n to 9 n and n * n. */
#ifndef TEST_KERNEL_CHECK_H
#define TEST_KERNEL_CHECK_H

#include "suite.h"

/* Of the extents and widths of vectors each kernel and type has every third. cpu: 0 to 2, a width. */
void check_text(const char *text, const char *type, int64_t n, int cpu);

/* Every extent from `least` on, two of them for every width of vectors; without TEST_LONG one of them. */
void check_extents(const char *text, const char *type, int64_t least);

/* Without TEST_LONG the extents below, in and beyond a vector, each width of vectors once: for what others check at
 * every extent. */
void check_some_extents(const char *text, const char *type, int64_t least);

#endif
