/* pack_windows.h — windows of a tensor that products read where they lie (product_run_windows), instead of a matrix
 * that is gathered of them: the part of the tensor that a turn looks at is copied once, with zeros around it. */
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
	int64_t extent[PACK_RANK_MAX],
		low[PACK_RANK_MAX]; /* of the part: low is what it begins before a turn's index */
	int64_t had[PACK_RANK_MAX];
	bool is_filled;
	char *part;
};

/* False if the matrix of these words, of k rows, must be gathered; else room, which has space for that matrix, holds
 * what products need, once windows_at has been called for a turn. */
bool windows_of(struct windows *w, enum product_level level, enum product_type type, const int64_t *words, int64_t k,
		int64_t n, const void *x, void *room);
/* The part of the tensor for this turn. */
const void *windows_at(struct windows *w, const struct product_turn *t);

#endif
