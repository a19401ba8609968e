/* kernels.h — what a level of vectors offers the driver (product.c) for f32 and for f64. Made by level.h, once per
 * level. Sizes and strides count elements. */
#ifndef RT_PRODUCT_KERNELS_H
#define RT_PRODUCT_KERNELS_H

#include "product.h"

#include <stdbool.h>
#include <stddef.h>

/* A tile of C, rows times vectors: its sums stay in registers while k goes by. Element (i, p) of A is at
 * a[i * a_step + p] (in place) or a[i + p * a_step] (of panels); b holds a row of the tile every b_step, but for
 * TILE_OF_LINES, of which A is of panels, and TILE_AHEAD, of which A is in place; TILE_OF_POINTS has another A. B of
 * these two is packed. C is alpha times the sums, or they are added to it. */
typedef void product_tile(int64_t k, const void *a, int64_t a_step, const void *b, int64_t b_step, void *c, int64_t ldc,
			  double alpha, bool adds);

/* Rows of A, or columns of B, in `count` panels of nearly equal size, all but the last of a multiple of `unit`. A
 * packed panel is k rows of `width`; what a row has beyond its panel's size may be any number, but none that is slow to
 * multiply where it is of columns. */
struct product_panels {
	int64_t extent, count, unit, width, k;
	int64_t depth;      /* rows that a packed panel has: k, or more, which are zeros, and what sums start with */
	int64_t each, more; /* units of a panel, and how many of the first have one more */
	int64_t lacks;      /* neighbours along k that the last element lacks (pairs.h, bytes.h) */
};
static inline int64_t panel_begin(const struct product_panels *p, int64_t i)
{
	int64_t at = (i * p->each + (i < p->more ? i : p->more)) * p->unit;
	return at < p->extent ? at : p->extent;
}

/* step_k: between neighbours along k, step: between rows of A or columns of B. */
typedef void product_pack(const struct product_panels *p, const void *source, int64_t step_k, int64_t step, void *room);
struct product_packing {
	product_pack *along;  /* for step 1 */
	product_pack *across; /* for step_k 1 */
	product_pack *any;
	/* No panels: row i goes to i * width. */
	product_pack *rows;     /* for step_k 1 */
	product_pack *turned;   /* for step 1, where rows_of_a: whole groups of 16 along k are written */
	product_pack *any_rows; /* where rows_of_a */
	bool converts_a;        /* elements of A are not those of the kernels: never read where they lie */
};

enum { PRODUCT_ROWS = 8, PRODUCT_VECTORS = 3 }; /* of the largest tile of all levels */
enum { TILE_IN_PLACE, TILE_AHEAD, TILE_OF_PANELS, TILE_OF_LINES, TILE_OF_POINTS, TILE_FORMS };

/* Most of a block: an extent is cut into equal ones. N up to n_whole is one. k counts elements of panels. */
struct product_sizes {
	int m, n_whole, n, k;
};
enum { K_BLOCK = 512, M_BLOCK = 96, N_WHOLE = 1536, N_BLOCK = 1024 }; /* of tiles in registers; half of k for f64 */

/* What a tile of lines gets for b: where each of its vectors begins, and what rows of B add to that, in elements. */
struct product_lines_at {
	const void *at[PRODUCT_VECTORS];
	const int64_t *offset;
};

/* What a tile of points gets for a: where each of its rows begins, and what columns of A add to that, in elements. It
 * brings FETCH_STEP bytes at each k to the second cache, line by line. */
enum { FETCH_STEP = 32, FETCH_LINE = 64 };
struct product_points_at {
	const void *at[PRODUCT_ROWS];
	const int64_t *offset;
	const char *fetched;
};

/* What a tile that fetches ahead gets for b: b, and what it brings to the second cache at each k, at + offset[k]. */
struct product_ahead {
	const void *b;
	const char *at;
	const int64_t *offset; /* bytes */
};

/* Sums of filter.c, over n neighbouring tiles or channels in whole vectors. A kind, or a sum, begins at[…] elements
 * behind the first one. */
enum { FILTER_COPY, FILTER_ADD, FILTER_SUBTRACT, FILTER_NEGATE };
struct filter_place {
	int64_t at, line; /* of a kind of weights: of the first filter, and from one to the next */
};
struct product_filter_kernels {
	/* What lines of tiles see of the rows of a piece, which are row_step elements apart, line_step from one line to
	 * the next, by the types of pieces along rows and, from 1 on, along columns: kind (i, j) is at[i * FILTER_SUMS
	 * + j]. */
	void (*seen[FILTER_PIECE + 1][FILTER_PIECE])(int64_t lines, int64_t n, const void *from, int64_t row_step,
						     int64_t line_step, void *to, const int64_t *at);
	/* Their results, one line or two of 2 n, by the numbers of sums (filter_sum_of): sum (i, j) is at[i * sums + j].
	 */
	void (*results[3][2])(int64_t n, const void *from, const int64_t *at, void *const *line);
	/* Lines of 2 n for the gradient of weights. */
	void (*spread[3][2])(int64_t n, const void *const *line, void *to, const int64_t *at);
	/* Results of two from 3 or 4 sums, line by line. */
	void (*join)(int64_t n, int sums, const void *const *from, void *const *to);
	/* The weights of a filter, rounded first unless NULL, and its gradient from what is summed up. */
	void (*weights)(int64_t channels, const void *from, const struct product_filter *f,
			const struct filter_kinds *k, const struct filter_place *place, int64_t filter,
			product_rounding *rounds, void *to);
	void (*gradient)(int64_t channels, const void *from, const struct product_filter *f,
			 const struct filter_kinds *k, const struct filter_place *place, int64_t filter, void *to,
			 double alpha, double beta);
	/* a[i] + or - b[i], or a[i] alone, or that negated, for n elements that are `apart` from each other, of so many
	 * rows that are from_step and to_step elements apart. */
	void (*take)(int64_t rows, int64_t n, int how, const void *a, const void *b, int64_t from_step, int64_t apart,
		     void *to, int64_t to_step);
	/* One row dealt round: the first one goes to to[first], the next to to[first + 1] and so on; behind to[lines -
	 * 1] comes to[0], one element further. */
	void (*deal)(int64_t n, int how, const void *a, const void *b, int64_t lines, int64_t first, void *const *to);
	/* to = alpha * from + beta * to, which is not read where beta is 0, and whose elements are `apart`. */
	void (*put)(int64_t rows, int64_t n, const void *from, int64_t from_step, void *to, int64_t to_step,
		    int64_t apart, double alpha, double beta);
};

struct product_kernels {
	int size, lanes, rows, vectors; /* bytes of an element of C, elements of a vector; the largest tile */
	int together;                   /* neighbours along k that are one element of a panel (pairs.h, bytes.h) */
	struct product_sizes most;      /* of blocks */
	bool rows_of_a;                 /* A is packed as rows, never as panels */
	product_tile *tile[TILE_FORMS][PRODUCT_VECTORS][PRODUCT_ROWS];
	/* Vectors of lines as a packed panel of B: so many for each of k rows. */
	void (*pack_lines)(int64_t vectors, int64_t k, const struct product_lines_at *at, void *room);
	const struct product_packing *pack; /* by the type of the source */
	/* What the sums of a packed block of B are begun with, by the type: a row more behind those of each panel; or
	 * NULL. */
	void (*starts[PRODUCT_TYPES])(const struct product_panels *p, void *room);
	product_transpose *transpose;
	const struct product_filter_kernels *filter; /* of f32 and f64 */
	void (*narrow[PRODUCT_TYPES])(int64_t n, const float *from, uint16_t *to);
	product_rounding *round[PRODUCT_TYPES]; /* of f32 that are rounded */
};

/* Products of few rows, which are bound by how fast B is read: it is widened on the way. A's rows are contiguous. */
struct product_few {
	/* C += alpha * A B, for B whose rows are contiguous: few at a time over the whole of C, which stays in cache.
	 */
	void (*lines)(int64_t rows, int64_t n, int64_t k, const void *a, int64_t a_step, const void *b, int64_t b_step,
		      void *c, int64_t ldc, double alpha);
	/* C = alpha * A B, or adds it, for B whose columns are. */
	void (*dots)(int64_t rows, int64_t n, int64_t k, const void *a, int64_t a_step, const void *b, int64_t b_step,
		     void *c, int64_t ldc, double alpha, bool adds);
};

/* By the type of B. */
extern const struct product_few product_base_few_f32[PRODUCT_TYPES], product_base_few_f64[PRODUCT_TYPES];
extern const struct product_few product_avx2_few_f32[PRODUCT_TYPES], product_avx2_few_f64[PRODUCT_TYPES];
extern const struct product_few product_avx512_few_f32[PRODUCT_TYPES], product_avx512_few_f64[PRODUCT_TYPES];
extern const struct product_kernels product_base_f32, product_base_f64;
extern const struct product_kernels product_avx2_f32, product_avx2_f64;
extern const struct product_kernels product_avx512_f32, product_avx512_f64, product_avx512_bf16;
/* Of 8 bits; with VNNI by what B is. */
extern const struct product_kernels product_base_bytes, product_avx2_bytes, product_avx512_bytes;
extern const struct product_kernels product_avx2_vnni_i8, product_avx2_vnni_u8;
extern const struct product_kernels product_avx512_vnni_i8, product_avx512_vnni_u8;
/* Of pairs, with the vectors of AVX-512. */
extern const struct product_packing product_pack_pairs[PRODUCT_TYPES];

#endif
