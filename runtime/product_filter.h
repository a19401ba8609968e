/* product_filter.h — convolutions with fewer multiplications, of any number of dimensions up to three and any strides;
 * for pmlc and libpmlrt.
 *
 * Minimal filtering (Winograd, "Arithmetic Complexity of Computations", 1980; Lavin and Gray, "Fast Algorithms for
 * Convolutional Neural Networks", 2016): two neighbouring windows of 3 points see 4. Of these, of the 3 weights and of
 * the 2 results sums of 4 kinds are made, and a result is a sum over these where the definition takes 6 products;
 * windows of 2 points take 3 for 4. Points of a window that are a stride apart see points of X that are: each remainder
 * is a window of stride 1, and longer ones are put together of pieces of up to three points. In several dimensions the
 * sums of one are taken of those of the others: 16 products for 36 by windows of 3 x 3, 25 with stride 2, 64 for 216
 * in three dimensions. Kinds are independent of each other, so all tiles and channels of a kind are one product of
 * matrices; kinds that add to the same sums of results are one with a longer K. Windows whose points lie apart
 * (dilated ones) never meet those of another remainder by that distance: each remainder is an image of its own, whose
 * points are that far apart in X and Y. */
#ifndef RT_PRODUCT_FILTER_H
#define RT_PRODUCT_FILTER_H

#include <stdbool.h>
#include <stdint.h>

enum {
	FILTER_SIDES = 3,        /* dimensions; */
	FILTER_COLUMNS = 2,      /* the last one */
	FILTER_TILE = 2,         /* windows of a tile along a dimension, or 1 */
	FILTER_TAPS = 7,         /* most of a window along a dimension, */
	FILTER_POINTS = 13,      /* points of a tile, */
	FILTER_PIECES = 7,       /* pieces, */
	FILTER_PIECE = 3,        /* taps of a piece, */
	FILTER_SUMS = 4,         /* and kinds of a piece, and of results */
	FILTER_ALONG = 14,       /* kinds along a dimension, */
	FILTER_KINDS = 128,      /* and most of all dimensions together */
	FILTER_LANES = 16,       /* lines of kinds are whole vectors of any processor */
	FILTER_RUN = 8,          /* lines below each other whose rows of X are copied at a time */
	FILTER_TILES = 96,       /* of a block, in about so many lines; */
	FILTER_MANY_TILES = 48,  /* where they are of many kinds; */
	FILTER_NEAR = 1 << 17,   /* or so many numbers of all kinds, where these stay in the second cache */
	FILTER_WEIGHTS = 1 << 20 /* numbers that weights of a block have */
};

/* A dimension along which windows lie. Window i sees the points first + i * stride + tap of X. Where points of windows
 * lie apart, that is so for each of `apart` remainders, and all else is of one remainder: where it begins is
 * remainder / apart of what neighbours are from each other. */
struct product_filter_side {
	int64_t taps, stride;
	int64_t windows; /* extent of Y */
	int64_t extent;  /* of X, which is 0 outside */
	int64_t first;
	int64_t x, w, y; /* elements between neighbours: 1 of X and Y along the last dimension, if they are not apart */
	int64_t apart;   /* 1: they are not; else the stride is 1 */
};

/* Y[image, filter, i, j, k] = sum over channels c and taps of X[image, c, windows' points] * W[filter, c, taps], or,
 * for the gradient of weights, W[filter, c, taps] = sum over images, i, j and k of X[…] * Y[image, filter, i, j, k].
 * Dimensions without windows have one tap, those that are not there one window too. Strides count elements. All members
 * are of 8 bytes: a call hands them on as words. */
struct product_filter {
	int64_t of_weights; /* 1: W is what is made, of X and Y */
	int64_t images, channels, filters;
	int64_t x_image, x_channel, w_filter, w_channel, y_image, y_filter;
	struct product_filter_side side[FILTER_SIDES];
};

/* Whether factors can be rounded as they are read (F32_AS_… of product.h): sums of what is still to be read are those
 * along the first dimension. */
static inline bool product_filter_rounds(const struct product_filter *f)
{
	return f->side[0].taps == 1;
}

/* Taps of a remainder by the stride, a stride apart, of a tile's first window: it sees one point more than it has taps,
 * and its sums are as many; a piece of one tap whose tiles are single windows has number 0, one point and one sum. */
struct filter_piece {
	int type;              /* taps, or 0 */
	int tap;               /* the first one, and so the first point */
	int kind[FILTER_SUMS]; /* which of the kinds its sums are */
};

/* What there is along a dimension. Kinds are ordered by the sum of results that they add to: that of the first window,
 * of both, of the first less the second (if any piece has three taps), of the second. */
struct filter_along {
	int tile;            /* windows of a tile */
	int points, advance; /* that a tile sees, and by which the next one is further */
	int pieces, kinds, sums;
	int begin[FILTER_SUMS + 1]; /* where kinds of each sum begin */
	struct filter_piece piece[FILTER_PIECES];
};

/* Sums of a piece as sums of results: */
static inline int filter_sum_of(int type, int i, int sums)
{
	return type == 3 ? i : i == 0 ? 0 : type == 2 && i == 1 ? 1 : sums - 1;
}

static inline int64_t filter_parts(int64_t n, int64_t size)
{
	return (n + size - 1) / size;
}

static inline struct filter_along filter_along_of(const struct product_filter_side *s)
{
	bool apart = s->taps <= s->stride; /* no two taps see points that are a stride apart */
	struct filter_along a = {.tile = apart ? 1 : FILTER_TILE, .sums = apart ? 1 : 3};
	a.advance = a.tile * (int)s->stride;
	a.points = a.advance - (int)s->stride + (int)s->taps;
	for (int r = 0; r < s->stride && r < s->taps; r++)
		for (int left = (int)filter_parts(s->taps - r, s->stride), tap = r; left > 0;) {
			int taps = left == 4 ? 2 : left > FILTER_PIECE ? FILTER_PIECE : left;
			a.piece[a.pieces++] = (struct filter_piece){.type = apart ? 0 : taps, .tap = tap};
			a.sums = taps == FILTER_PIECE ? FILTER_SUMS : a.sums;
			tap += taps * (int)s->stride;
			left -= taps;
		}
	for (int sum = 0; sum < a.sums; sum++) {
		a.begin[sum] = a.kinds;
		for (int p = 0; p < a.pieces; p++)
			for (int i = 0; i <= a.piece[p].type; i++)
				if (filter_sum_of(a.piece[p].type, i, a.sums) == sum)
					a.piece[p].kind[i] = a.kinds++;
	}
	a.begin[a.sums] = a.kinds;
	return a;
}

/* Kinds of several dimensions that add to one sum of results, whose products are one. */
struct filter_group {
	int begin, count; /* kinds */
};

struct filter_kinds {
	struct filter_along along[FILTER_SIDES];
	int kinds, groups;
	struct filter_group group[FILTER_SUMS * FILTER_SUMS * FILTER_SUMS];
};

/* Group of a sum along each dimension. */
static inline int filter_group_of(const struct filter_kinds *k, const int *sum)
{
	return (sum[0] * k->along[1].sums + sum[1]) * k->along[2].sums + sum[2];
}

static inline struct filter_kinds filter_kinds_of(const struct product_filter *f)
{
	struct filter_kinds k = {.groups = 0};
	for (int s = 0; s < FILTER_SIDES; s++)
		k.along[s] = filter_along_of(&f->side[s]);
	const struct filter_along *a = k.along;
	for (int i = 0; i < a[0].sums; i++)
		for (int j = 0; j < a[1].sums; j++)
			for (int l = 0; l < a[2].sums; l++) {
				int count = (a[0].begin[i + 1] - a[0].begin[i]) * (a[1].begin[j + 1] - a[1].begin[j]) *
					    (a[2].begin[l + 1] - a[2].begin[l]);
				k.group[k.groups++] = (struct filter_group){k.kinds, count};
				k.kinds += count;
			}
	return k;
}

/* Images, each remainder of each as one. */
static inline int64_t filter_images(const struct product_filter *f)
{
	int64_t n = f->images;
	for (int s = 0; s < FILTER_SIDES; s++)
		n *= f->side[s].apart;
	return n;
}

/* Where one of these begins in X and in Y. The last remainder is that of neighbours in memory. */
struct filter_image {
	int64_t x, y;
};

static inline struct filter_image filter_image_at(const struct product_filter *f, int64_t image)
{
	struct filter_image at = {0, 0};
	for (int i = FILTER_SIDES - 1; i >= 0; i--) {
		const struct product_filter_side *s = &f->side[i];
		at.x += image % s->apart * (s->x / s->apart);
		at.y += image % s->apart * (s->y / s->apart);
		image /= s->apart;
	}
	return (struct filter_image){at.x + image * f->x_image, at.y + image * f->y_image};
}

/* Products that a tile takes for a channel and a filter. */
static inline int64_t filter_products(const struct product_filter *f)
{
	int64_t n = 1;
	for (int s = 0; s < FILTER_SIDES; s++)
		n *= filter_along_of(&f->side[s]).kinds;
	return n;
}

/* How it is gone through: lines of tiles in blocks, and filters in blocks. No bit depends on that. */
struct filter_blocks {
	int64_t line;                 /* tiles of a line: a row of windows, or a part of one */
	int64_t segments;             /* lines of a row */
	int64_t rows[FILTER_COLUMNS]; /* of tiles, in the dimensions but the last */
	int64_t lines;                /* of all images */
	int64_t block;                /* lines of a block; the last one may have fewer */
	int64_t tiles;                /* what a block has room for */
	int64_t filters;              /* of a block; the last one may have fewer */
};

static inline int64_t filter_whole(int64_t n)
{
	return filter_parts(n, FILTER_LANES) * FILTER_LANES;
}

/* Numbers of a kind for so many lines. */
static inline int64_t filter_tiles(const struct filter_blocks *b, int64_t lines)
{
	return filter_whole(lines * b->line);
}

/* Lines of a block, so many or up to half as many more, of which vectors have least in vain. */
static inline int64_t filter_lines(const struct filter_blocks *b, int64_t least)
{
	int64_t best = least;
	for (int64_t n = least + 1; n <= least + least / 2; n++)
		if (filter_tiles(b, n) * best < filter_tiles(b, best) * n)
			best = n;
	return best < b->lines ? best : b->lines;
}

static inline struct filter_blocks filter_blocks_of(const struct product_filter *f, const struct filter_kinds *k)
{
	const struct product_filter_side *columns = &f->side[FILTER_COLUMNS];
	int64_t near = FILTER_NEAR / k->kinds / (f->channels + f->filters);
	int64_t least = k->kinds > 2 * FILTER_SUMS * FILTER_SUMS ? FILTER_MANY_TILES : FILTER_TILES;
	int64_t most = near > least ? near : least;
	int64_t tiles = filter_parts(columns->windows, k->along[FILTER_COLUMNS].tile),
		apart = filter_parts(tiles, most);
	struct filter_blocks b = {.line = filter_parts(tiles, apart)};
	if (apart > 1)
		b.line = filter_whole(b.line);
	b.segments = filter_parts(tiles, b.line);
	b.lines = filter_images(f) * b.segments;
	for (int s = 0; s < FILTER_COLUMNS; s++) {
		b.rows[s] = filter_parts(f->side[s].windows, k->along[s].tile);
		b.lines *= b.rows[s];
	}
	b.block = filter_lines(&b, filter_parts(most, b.line));
	b.tiles = filter_tiles(&b, b.block);
	b.filters = filter_parts(f->filters, filter_parts(f->filters * f->channels * k->kinds, FILTER_WEIGHTS));
	return b;
}

/* Multiplications for a channel and a filter: of whole tiles, those beyond the last window as well. */
static inline int64_t filter_multiplications(const struct filter_kinds *k, const struct filter_blocks *b)
{
	return k->kinds * b->lines * b->line;
}

/* A line of all weights of a filter in a group; lines do not share cache sets. */
static inline int64_t filter_weights_line(const struct product_filter *f, const struct filter_group *g)
{
	return filter_whole(g->count * f->channels) + FILTER_LANES;
}

/* Where the numbers of group g begin behind those of all groups before, which have so many: groups do not share cache
 * sets. */
static inline int64_t filter_group_at(int g, int64_t before)
{
	return before + g * FILTER_LANES;
}

/* Points of one remainder of a row of X with zeros around what its tiles see. */
static inline int64_t filter_seen_line(const struct filter_blocks *b)
{
	return FILTER_TILE * b->line + 4 * FILTER_LANES;
}

/* Results of the rows of all lines of a block, side by side. */
static inline int64_t filter_made_line(const struct filter_blocks *b)
{
	return FILTER_TILE * b->tiles + 4 * FILTER_LANES;
}

/* Rows that a line of tiles sees and the one above does not. */
static inline int filter_step(const struct filter_along *rows)
{
	return rows->advance < rows->points ? rows->advance : rows->points;
}

/* Rows of X that a run of lines sees. */
static inline int64_t filter_rows(const struct filter_kinds *k, const struct filter_blocks *b)
{
	const struct filter_along *rows = &k->along[FILTER_COLUMNS - 1];
	int64_t lines = b->rows[FILTER_COLUMNS - 1], run = lines < FILTER_RUN ? lines : FILTER_RUN;
	return rows->points + (run - 1) * filter_step(rows);
}

/* These rows, each of all kinds of the first dimension and all remainders. */
static inline int64_t filter_seen_lines(const struct product_filter *f, const struct filter_kinds *k,
					const struct filter_blocks *b)
{
	return k->along[0].kinds * filter_rows(k, b) * f->side[FILTER_COLUMNS].stride;
}

/* Rows of results: of each sum of the first dimension, and of what these are. */
static inline int64_t filter_made_lines(const struct filter_kinds *k)
{
	return (int64_t)(k->along[0].sums + k->along[0].tile) * k->along[1].tile;
}

/* Numbers of all kinds of a line that is shorter than a vector. */
static inline int64_t filter_edge_room(const struct filter_kinds *k)
{
	return filter_group_at(k->groups, (int64_t)k->kinds * FILTER_LANES);
}

/* Elements of the workspace of a thread. */
static inline int64_t product_filter_room(const struct product_filter *f)
{
	struct filter_kinds k = filter_kinds_of(f);
	struct filter_blocks b = filter_blocks_of(f, &k);
	int64_t weights = 0;
	for (int g = 0; g < k.groups; g++)
		weights += b.filters * filter_weights_line(f, &k.group[g]);
	return weights + (k.kinds * f->channels + k.groups * b.filters) * b.tiles + 2 * k.groups * FILTER_LANES +
	       filter_seen_lines(f, &k, &b) * filter_seen_line(&b) + filter_made_lines(&k) * filter_made_line(&b) +
	       filter_edge_room(&k);
}

#endif
