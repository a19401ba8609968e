/* product_pack.h — what a product of matrices reads where a tensor is not a matrix: loops around, gathered operands. */
#ifndef PML_PRODUCT_PACK_H
#define PML_PRODUCT_PACK_H

#include "../../runtime/product_filter.h"
#include "../../runtime/product_way.h"
#include "../op/rule.h"

/* A loop around products: turns (at least 1), and how many elements A, B and C move on in each. Turns in which C stays
 * where it is add up. */
struct product_loop {
	int64_t extent, a, b, c;
};

/* A matrix gathered from a tensor: element (r, c) is the tensor's at index (offset + what the factors of r, of c and of
 * the loops' turns add) / div in every dimension, and 0 where that is outside of the tensor or div does not divide.
 * Rows and columns are numbered by their factors, the outermost first. Windows of a convolution are such a matrix. */
struct pack_factor {
	int64_t extent, coef[MAX_RANK];
};
struct product_pack {
	int rank, nrows, ncols;
	struct {
		int64_t extent, stride, offset, div;
	} dim[MAX_RANK];
	enum product_way way; /* through: the matrix is not transposed in its product */
	struct pack_factor *row, *col;
	int64_t (*loop)[MAX_RANK]; /* by loop of the product */
};

/* A convolution that goes another way (filter.c), with where its tensors begin in their buffers, in elements. X, which
 * windows see, is A, or B. */
struct contraction_filter {
	struct product_filter f;
	bool x_is_b;
	int64_t offset_x, offset_other, offset_result;
};

/* Rows times columns. */
int64_t product_pack_elements(const struct product_pack *p);
/* Elements of the part of the tensor, and what is around it, that all rows and columns see. */
int64_t product_pack_volume(const struct product_pack *p);
/* Elements of the workspace it needs. */
int64_t product_pack_room(const struct product_pack *p);

#endif
