/* combine.h — the reductions of P: sum, max, min, prod for every element type. bool: sum and max are "or", prod and
 * min are "and". 16-bit floats are combined in f32 and rounded to nearest even, several parts once. Integers wrap. A
 * NaN on either side stays in a maximum, and 0.0 is greater than -0.0, whoever has which. */
#ifndef RT_COMBINE_H
#define RT_COMBINE_H

#include <stdint.h>

int64_t combine_element_size(int32_t dtype);
/* to[i] = a[i] (combiner) b[i], i < n; combiner is an enum shard_combiner. `to` may be one of them, and does not
 * overlap them otherwise. */
void combine(int32_t dtype, int32_t combiner, void *to, const void *a, const void *b, int64_t n);
/* to[i] = the element that changes nothing: 0, 1, the least or the largest value. */
void combine_identity(int32_t dtype, int32_t combiner, void *to, int64_t n);

/* Sums and products of several parts of 16-bit floats (moves_widen): the first part becomes f32, others are combined
 * with it, and the result is rounded, n elements each. */
void combine_widen(int32_t dtype, float *to, const void *from, int64_t n);
void combine_wide(int32_t dtype, int32_t combiner, float *to, const void *from, int64_t n);
void combine_narrow(int32_t dtype, void *to, const float *from, int64_t n);

#endif
