/* pack_windows.h — windows of a tensor that products read where they lie (product_run_windows), instead of a matrix
 * that is gathered of them: the part of the tensor that a turn looks at is copied once, with zeros around it. Windows of
 * a stride are neighbours in the copy (struct product_planes) where they are read in lines, or where some of the tensor
 * is in none of them. */
#ifndef RT_PACK_WINDOWS_H
#define RT_PACK_WINDOWS_H

#include "packing.h"

struct windows {
	struct product_windows w;
	const int64_t *words;
	const char *x; /* the tensor */
	int64_t size;  /* bytes of an element */
	lines_copy *copy;
	product_rounding *round; /* of what is copied; NULL: none */
	struct product_planes planes[PACK_RANK_MAX]; /* of the part, plane by plane */
	int64_t had[PACK_RANK_MAX];
	bool is_filled, in_place;
	char *part;
};

/* Of an operand that is not gathered; room: what pack_room says, which holds what products need once windows_at has
 * been called for a turn. of: the product, but for where its operands are; loops: those around it; left: the operand is
 * A. */
struct windows windows_of(enum product_level level, enum product_type type, const int64_t *words, const int64_t *loops,
			  const struct product *of, const void *x, bool left, void *room);
/* The same for product_run_channels, which rounds what it reads: elements have so many bytes, windows that are rows or
 * columns of the matrix are in lines or not at all, and the room is not looked at. */
struct windows windows_of_channels(enum product_level level, int64_t size, const int64_t *words, bool by_rows,
				   const void *x, void *room);
/* Makes w what this turn sees, unless it is already: a copy of the part of the tensor, or where it lies, if no turn
 * sees anything outside of the tensor, windows are not in lines, none goes over neighbours in memory, and nothing is
 * rounded. */
bool windows_at(struct windows *w, const struct product_turn *t);

#endif
