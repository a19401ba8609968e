/* product_filter.h — convolutions by windows of 3 x 3 of stride 1 with fewer multiplications; for pmlc and libpmlrt.
 *
 * Minimal filtering (Winograd, "Arithmetic Complexity of Computations", 1980; Lavin and Gray, "Fast Algorithms for
 * Convolutional Neural Networks", 2016): a tile of 2 x 2 windows sees 4 x 4 points. Of these, of the 3 x 3 weights and
 * of the 2 x 2 results sums of 16 kinds are made, and a result is a sum over 16 products where the definition takes 36.
 * Kinds are independent of each other, so all tiles and channels of a kind are one product of matrices. */
#ifndef RT_PRODUCT_FILTER_H
#define RT_PRODUCT_FILTER_H

#include <stdbool.h>
#include <stdint.h>

/* Y[image, filter, i, j] = sum over channels c and u, v < 3 of X[image, c, i + row + u, j + column + v] *
 * W[filter, c, u, v], or, for the gradient of weights, W[filter, c, u, v] = sum over images, i and j of X[…] *
 * Y[image, filter, i, j]. X is 0 outside of its extents. Neighbours along the last dimension of X and Y are neighbours
 * in memory; all other strides count elements. All members are of 8 bytes: a call hands them on as words. */
struct product_filter {
	int64_t of_weights; /* 1: W is what is made, of X and Y */
	int64_t images, channels, filters;
	int64_t rows, columns;     /* of Y */
	int64_t x_rows, x_columns; /* extents of X */
	int64_t row, column;       /* where the first window begins */
	int64_t x_image, x_channel, x_row;
	int64_t w_filter, w_channel, w_row, w_column;
	int64_t y_image, y_filter, y_row;
};

enum {
	FILTER_TAPS = 3, /* of the window along a dimension */
	FILTER_TILE = 2, /* windows of a tile along a dimension */
	FILTER_SEEN = 4, /* points that they see */
	FILTER_KINDS = FILTER_SEEN * FILTER_SEEN,
	FILTER_LANES = 16,       /* lines of kinds are whole vectors of any processor */
	FILTER_TILES = 96,       /* of a block, in about so many lines; */
	FILTER_NEAR = 8192,      /* or so many numbers of a kind, where these stay in the second cache */
	FILTER_WEIGHTS = 1 << 16 /* numbers of a kind that weights of a block have */
};

/* How it is gone through: lines of tiles in blocks, and filters in blocks. No bit depends on that. */
struct filter_blocks {
	int64_t line;    /* tiles of a line */
	int64_t lines;   /* of all images */
	int64_t block;   /* lines of a block; the last one may have fewer */
	int64_t tiles;   /* what a block has room for */
	int64_t filters; /* of a block; the last one may have fewer */
};

static inline int64_t filter_parts(int64_t n, int64_t size)
{
	return (n + size - 1) / size;
}

static inline struct filter_blocks filter_blocks_of(const struct product_filter *f)
{
	struct filter_blocks b = {.line = filter_parts(f->columns, FILTER_TILE)};
	int64_t near = FILTER_NEAR / (f->channels + f->filters), most = near > FILTER_TILES ? near : FILTER_TILES;
	int64_t each = filter_parts(most, b.line);
	b.lines = f->images * filter_parts(f->rows, FILTER_TILE);
	b.block = filter_parts(b.lines, filter_parts(b.lines, each));
	b.tiles = filter_parts(b.block * b.line, FILTER_LANES) * FILTER_LANES;
	int64_t blocks = filter_parts(f->filters * f->channels, FILTER_WEIGHTS);
	b.filters = filter_parts(f->filters, blocks);
	return b;
}

/* Numbers of one kind: of so many lines of so many. Vectors may be written beyond the last one. */
static inline int64_t filter_plane(int64_t lines, int64_t length)
{
	return lines * length + FILTER_LANES;
}

/* Lines of weights do not share cache sets. */
static inline int64_t filter_weights_line(const struct product_filter *f)
{
	return filter_parts(f->channels, FILTER_LANES) * FILTER_LANES + FILTER_LANES;
}

/* A line of the tensor with zeros around what its tiles see. */
static inline int64_t filter_seen_line(const struct filter_blocks *b)
{
	return FILTER_TILE * b->line + 4 * FILTER_LANES;
}

/* Elements of the workspace of a thread. */
static inline int64_t product_filter_room(const struct product_filter *f)
{
	struct filter_blocks b = filter_blocks_of(f);
	return FILTER_KINDS * (filter_plane(b.filters, filter_weights_line(f)) + filter_plane(f->channels, b.tiles) +
			       filter_plane(b.filters, b.tiles)) +
	       (FILTER_SEEN + FILTER_TILE) * filter_seen_line(&b) + FILTER_LANES;
}

#endif
