/* packing.h — the words of a gathered operand (pack.h) as they are read. */
#ifndef RT_PACKING_H
#define RT_PACKING_H

#include "pack.h"

enum { FACTORS_MAX = 16 };

struct packing {
	int64_t rank, nrows, ncols;
	const int64_t *dim, *row, *col;
	int64_t turn[FACTORS_MAX]; /* of the columns' outer factors */
};

static inline const int64_t *packing_factor(const struct packing *p, const int64_t *list, int64_t i)
{
	return list + i * (1 + p->rank);
}

static inline int64_t packing_volume(const struct packing *p, const int64_t *list, int64_t n)
{
	int64_t v = 1;
	for (int64_t i = 0; i < n; i++)
		v *= packing_factor(p, list, i)[0];
	return v;
}

/* What factors see of a dimension. */
static inline struct product_reach packing_reach(const struct packing *p, const int64_t *list, int64_t n, int64_t d)
{
	struct product_reach r = {0, 0, 0};
	for (int64_t i = 0; i < n; i++)
		product_reach_add(&r, packing_factor(p, list, i)[0], packing_factor(p, list, i)[1 + d]);
	return r;
}

/* A dimension of what rows and columns see. */
static inline struct product_planes packing_planes(const struct packing *p, int64_t d)
{
	return product_planes_of(packing_reach(p, p->row, p->nrows, d), packing_reach(p, p->col, p->ncols, d));
}

static inline struct packing packing_of(const int64_t *words)
{
	struct packing p = {.rank = words[PACK_RANK],
			    .nrows = words[PACK_ROWS],
			    .ncols = words[PACK_COLS],
			    .dim = words + PACK_HEAD};
	p.row = p.dim + p.rank * PACK_DIM_WORDS;
	p.col = packing_factor(&p, p.row, p.nrows);
	return p;
}

/* Goes on to the next combination of the first n factors, moving the index; false after the last, when the index is
 * where it began. */
static inline bool packing_next(const struct packing *p, const int64_t *list, int64_t n, int64_t *turn, int64_t *index)
{
	for (int64_t i = n - 1; i >= 0; i--) {
		const int64_t *f = packing_factor(p, list, i);
		bool more = ++turn[i] < f[0];
		for (int64_t d = 0; d < p->rank; d++)
			index[d] += more ? f[1 + d] : -(f[0] - 1) * f[1 + d];
		if (more)
			return true;
		turn[i] = 0;
	}
	return false;
}

/* The index at the beginning of this turn of the loops; false if it is what it was. */
static inline bool packing_moves(const struct packing *p, const int64_t *words, const struct product_turn *t,
				 int64_t *had, int64_t *index)
{
	const int64_t *loop = packing_factor(p, p->col, p->ncols);
	bool changed = false;
	for (int64_t d = 0; d < p->rank; d++) {
		index[d] = p->dim[d * PACK_DIM_WORDS + PACK_OFFSET];
		for (int64_t l = 0; l < words[PACK_LOOPS]; l++)
			index[d] += t->at[l] * loop[l * p->rank + d];
		changed = changed || index[d] != had[d];
		had[d] = index[d];
	}
	return changed;
}

#endif
