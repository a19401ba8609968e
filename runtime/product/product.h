/* product.h — C = alpha * A B + beta * C for matrices in memory, nothing allocated. Threads may each make a part of C.
 *
 * A and B are read through any two strides, so a transposed or permuted operand costs nothing but its packing; the rows
 * of C are contiguous. Bits depend on the shapes, on alpha and beta, and on whether the level has fused multiply-adds:
 * not on the machine, on addresses, or on which of AVX2 and AVX-512 it is. */
#ifndef RT_PRODUCT_H
#define RT_PRODUCT_H

#include "../product_filter.h"

#include <stdbool.h>
#include <stdint.h>

/* What the code is made of, narrowest first. */
enum product_level {
	PRODUCT_BASE, /* vectors of 16 bytes, no fused multiply-add */
	PRODUCT_AVX2,
	PRODUCT_AVX2_VNNI, /* AVX2, and dot products of 8 bits */
	PRODUCT_AVX512,
	PRODUCT_AVX512_VNNI, /* AVX512, and dot products of 8 bits */
	PRODUCT_AVX512_BF16, /* AVX512, and dot products of pairs of bf16 */
	PRODUCT_AMX,         /* AVX512, and products of tiles of pairs of bf16 */
	PRODUCT_LEVELS
};

/* Of A, B and C. Elements of 16 bits are widened and summed up in f32. F32_AS_…: all are f32, and those of A and B are
 * rounded to 16 bits before they are multiplied. Whole numbers of 8 bits are summed up in C of i32, modulo 2^32: X_Y is
 * of A and of B where they differ; alpha is 1, beta 0 or 1. */
enum product_type {
	PRODUCT_F32,
	PRODUCT_F64,
	PRODUCT_BF16,
	PRODUCT_F16,
	PRODUCT_F32_AS_BF16,
	PRODUCT_F32_AS_F16,
	PRODUCT_FLOATS,
	PRODUCT_I8 = PRODUCT_FLOATS,
	PRODUCT_U8,
	PRODUCT_I8_U8,
	PRODUCT_U8_I8,
	PRODUCT_TYPES
};

/* Element (i, j) is at[i * row + j * column]. */
struct product_operand {
	const void *at;
	int64_t row, column;
};

/* A is m x k, B is k x n. beta 0 overwrites C, NaN included; alpha 0 or k 0 leaves beta * C. */
struct product {
	int64_t m, n, k;
	struct product_operand a, b;
	void *c;
	int64_t ldc; /* elements between rows of C */
	double alpha, beta;
};

/* The fastest level that this machine has and that fits vectors of so many bytes; with products of pairs, if asked for
 * and faster than widening. */
enum product_level product_level(int vector_bytes, bool pairs);
/* Whether this machine has a level. Of AMX the first call asks the system for its registers, for this process and its
 * children. */
bool product_has_level(enum product_level level);
/* The widest level up to this one that this machine has: with the same bits, if the level has no pairs. */
enum product_level product_level_here(enum product_level level);
/* The level of a level's vectors, without dot products. */
static inline enum product_level product_vectors(enum product_level level)
{
	return level < PRODUCT_AVX2 ? PRODUCT_BASE : level < PRODUCT_AVX512 ? PRODUCT_AVX2 : PRODUCT_AVX512;
}

/* An operand, A if left and else B, as windows of a tensor, which are read where they lie: its element at p along k and
 * i of its rows or columns is at[place[i] + offset[p]]. Where lines is not 0, place[line * extent + j] is line * pitch
 * + j. Up to PRODUCT_BEYOND elements behind the last one may be read. kept: the other operand is what the product
 * before had that used this room, of the same sizes. goes_on: the next product that uses the room adds to this C, and
 * says so by `stays`; until then C may be in the room. */
enum { PRODUCT_BEYOND = 16 };
struct product_windows {
	const void *at;
	const int64_t *place, *offset;
	int64_t lines, extent, pitch;
	bool left, kept, stays, goes_on;
};

/* Whether a level multiplies pairs of 16 bits in products of the type. */
bool product_has_pairs(enum product_level level, enum product_type type);

/* Rounds f32 in place as products of a type F32_AS_… do; NULL for all others. */
typedef void product_rounding(int64_t n, float *x);
product_rounding *product_rounding_of(enum product_level level, enum product_type type);

/* to[j * to_step + i] = from[i * from_step + j] for all i < rows, j < columns. */
typedef void product_transpose(int64_t rows, int64_t columns, const void *from, int64_t from_step, void *to,
			       int64_t to_step);
product_transpose *product_transpose_of(enum product_level level, enum product_type type);

/* Part i of n of C: rows or columns side by side, none of them touched by another part. */
struct product_part {
	int64_t i, n;
};
static inline struct product_part product_whole(void)
{
	return (struct product_part){0, 1};
}

/* room: product_room() bytes, aligned to 64; of which small products touch little. All parts together have the bits of
 * the whole. */
void product_run(enum product_level level, enum product_type type, const struct product *p, struct product_part part,
		 void *room);
int64_t product_room(void);

/* The same as product_run for the matrix of the windows, to the bit but where that has few rows; not for elements of 16
 * bits. Of a type F32_AS_… what the windows read has been rounded. */
void product_run_windows(enum product_level level, enum product_type type, const struct product *p,
			 const struct product_windows *w, struct product_part part, void *room);
/* Whether it reads vectors of windows, where they lie in lines, and not point by point; of p, m, n, k and beta are
 * looked at. */
bool product_goes_in_lines(enum product_level level, enum product_type type, const struct product *p,
			   const struct product_windows *w);

/* One call of a filter (../product_filter.h): Y is alpha times what it says + beta * Y, of W for the gradient of
 * weights. workspace: product_filter_room() elements, room: product_room() bytes, both of this part alone. The parts of
 * all numbers have the bits of the whole, and these are the same for AVX2 and AVX-512; what is not finite is NaN in all
 * windows that see it. Of f32 and f64. */
struct product_filter_call {
	const void *x;
	void *w, *y; /* one of them is written */
	double alpha, beta;
	void *workspace, *room;
};
void product_run_filter(enum product_level level, enum product_type type, const struct product_filter *f,
			const struct product_filter_call *call, struct product_part part);

#endif
