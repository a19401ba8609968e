/* box.h — boxes of elements: a part of a tensor, [begin, end) per dimension. */
#ifndef PML_MOVES_BOX_H
#define PML_MOVES_BOX_H

#include "../pmlrt.h"

struct box {
	int64_t begin[PMLRT_MAX_RANK], end[PMLRT_MAX_RANK];
};

int64_t box_volume(int32_t rank, const struct box *b);
/* The common part; false if it is empty. */
bool box_intersect(int32_t rank, const struct box *a, const struct box *b, struct box *out);
bool box_equal(int32_t rank, const struct box *a, const struct box *b);

#endif
