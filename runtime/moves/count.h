/* count.h — saturating counts: what does not fit is INT64_MAX. */
#ifndef PML_MOVES_COUNT_H
#define PML_MOVES_COUNT_H

#include <stdint.h>

static inline int64_t count_add(int64_t a, int64_t b)
{
	int64_t sum;
	return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

static inline int64_t count_mul(int64_t a, int64_t b)
{
	int64_t product;
	return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

#endif
