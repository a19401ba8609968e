/* lines.h — lines of elements copied out of a tensor one after the other; what lies outside of it is zeros. */
#ifndef RT_LINES_H
#define RT_LINES_H

#include "product/product.h"

/* `count` lines of `extent` elements each. Elements begin..end-1 of lines first..last-1 are the tensor's: element j of
 * line i is at from[i * step + j * apart], and nothing before the first and behind the last is read; all others are
 * zeros. */
struct lines {
	int64_t count, first, last, step;
	int64_t extent, begin, end, apart;
};

static inline int64_t lines_within(int64_t x, int64_t most)
{
	return x < 0 ? 0 : x > most ? most : x;
}

typedef void lines_copy(const struct lines *l, const void *from, void *to);

/* For elements of 1, 2, 4 or 8 bytes that are so far apart: what is fastest with the vectors of a level. */
lines_copy *lines_of(enum product_level level, int size, int64_t apart);

#endif
