/* product_way.h — how a product gets at an operand that is no matrix in memory; for pmlc and libpmlrt. */
#ifndef RT_PRODUCT_WAY_H
#define RT_PRODUCT_WAY_H

#include <stdbool.h>
#include <stdint.h>

/* Gathered into a matrix; read where it lies, once the part of the tensor that a turn sees is copied with zeros around
 * it; or one of both, as the machine does it best. */
enum product_way { WAY_GATHERED, WAY_THROUGH, WAY_EITHER };

/* What rows, or columns, of a matrix see of a dimension of the tensor: elements low..high from where the matrix begins,
 * all of them multiples of `step` away from each other; 0: there is one. */
struct product_reach {
	int64_t low, high, step;
};

/* A factor adds so many points, `coef` elements apart. */
static inline void product_reach_add(struct product_reach *r, int64_t extent, int64_t coef)
{
	if (extent <= 1 || coef == 0)
		return;
	*(coef < 0 ? &r->low : &r->high) += (extent - 1) * coef;
	for (int64_t x = coef < 0 ? -coef : coef; x;) {
		int64_t rest = r->step % x;
		r->step = x;
		x = rest;
	}
}

/* How many, of which most are seen. */
static inline int64_t product_reach_points(struct product_reach r)
{
	return r.step ? (r.high - r.low) / r.step : 0;
}

/* A dimension of the part of a tensor that a matrix sees, from `low` on. Where those of rows and columns that see more
 * of it go on by several elements, those that are so far apart are neighbours in the part: planes of `extent` elements
 * each, of which plane p has p, p + apart, p + 2 * apart. Planes that nobody sees are left out: all but the first of 1
 * x 1 windows. Positions of windows are more than what a window sees, whose elements may be far apart. */
struct product_planes {
	int64_t low, apart, count, extent;
};

static inline struct product_planes product_planes_of(struct product_reach rows, struct product_reach columns)
{
	int64_t more = product_reach_points(rows) - product_reach_points(columns);
	bool by_rows = more > 0 || (more == 0 && rows.step >= columns.step);
	struct product_reach wide = by_rows ? rows : columns, other = by_rows ? columns : rows;
	int64_t apart = wide.step > 1 ? wide.step : 1, length = rows.high - rows.low + columns.high - columns.low;
	int64_t others = other.high - other.low + 1, count = others < apart ? others : apart;
	return (struct product_planes){rows.low + columns.low, apart, other.step % apart ? count : 1,
				       length / apart + 1};
}

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
