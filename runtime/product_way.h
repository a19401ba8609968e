/* product_way.h — how a product gets at an operand that is no matrix in memory; for pmlc and libpmlrt. */
#ifndef RT_PRODUCT_WAY_H
#define RT_PRODUCT_WAY_H

#include <stdint.h>

/* Gathered into a matrix; read where it lies, once the part of the tensor that a turn sees is copied with zeros around
 * it; or one of both, as the machine does it best. */
enum product_way { WAY_GATHERED, WAY_THROUGH, WAY_EITHER };

/* Elements of a workspace for an operand of so many rows and columns: the matrix, or the part of a tensor and where
 * rows and columns begin in it. */
static inline int64_t product_way_room(enum product_way way, int64_t rows, int64_t columns, int64_t volume)
{
	enum { BEHIND = 32 /* elements that lie behind the part or before it */, PLACE = 2 /* of 8 bytes */ };
	int64_t matrix = rows * columns, part = (rows + columns) * PLACE + volume + BEHIND;
	if (way == WAY_GATHERED || (way == WAY_EITHER && matrix > part))
		return matrix;
	return part;
}

#endif
