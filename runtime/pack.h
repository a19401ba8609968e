/* pack.h — operands of products that are gathered into matrices (struct product_pack of compiler/plan/plan.h), as
 * words:
 *
 *   rank, number of row factors, number of column factors, number of loops, enum product_way
 *   for each dimension: extent, stride, offset, divisor
 *   for each factor of the rows, outermost first: extent, and a coefficient for each dimension
 *   for each factor of the columns: the same
 *   for each loop: a coefficient for each dimension
 *
 * Rank 0 stands alone: the operand is read in place. */
#ifndef RT_PACK_H
#define RT_PACK_H

#include "lines.h"
#include "product_loops.h"
#include "product_way.h"

enum { PACK_RANK, PACK_ROWS, PACK_COLS, PACK_LOOPS, PACK_WAY, PACK_HEAD };
enum { PACK_EXTENT, PACK_STRIDE, PACK_OFFSET, PACK_DIV, PACK_DIM_WORDS };

/* Elements of the matrix; 0 for an operand that is read in place. */
int64_t pack_elements(const int64_t *words);
/* Elements that the workspace has for the operand. */
int64_t pack_room(const int64_t *words);

enum { PACK_RANK_MAX = 8 };

/* An operand A or B of the products in a call's loops. room: of pack_elements. had: where the gathered matrix begins in
 * the tensor. */
#define PACKED(name, T) \
	struct packed_##name { \
		const int64_t *words; \
		const T *x; \
		T *room; \
		lines_copy *copy; \
		int64_t had[PACK_RANK_MAX]; \
		bool is_filled, is_fresh; /* the last turn that asked has gathered it */ \
	}; \
	/* Whether the matrix of this turn is to be gathered: neither in place nor what an earlier turn has left. \
	 * index: where it begins in the tensor. */ \
	bool packed_moves_##name(struct packed_##name *p, const struct product_turn *t, int64_t *index); \
	/* Gathers part of its rows. */ \
	void packed_rows_##name(const struct packed_##name *p, const int64_t *index, struct product_part part); \
	/* The matrix in this turn: in place, `moved` elements on, or gathered unless an earlier turn has left the \
	 * same. */ \
	const T *packed_at_##name(struct packed_##name *p, const struct product_turn *t, int64_t moved); \
	/* Both operands; the workspace holds the matrix of the left one, then that of the right one. */ \
	struct operands_##name { \
		struct packed_##name left, right; \
	}; \
	static inline struct operands_##name operands_##name(enum product_level level, const void *a, \
							     const int64_t *pack_a, const void *b, \
							     const int64_t *pack_b, void *workspace) \
	{ \
		lines_copy *copy = lines_of(level, (int)sizeof(T), 1); \
		return (struct operands_##name){ \
			.left = {.words = pack_a, .x = a, .room = workspace, .copy = copy}, \
			.right = {.words = pack_b, .x = b, .room = (T *)workspace + pack_room(pack_a), .copy = copy}}; \
	}
PACKED(f32, float)
PACKED(f64, double)
PACKED(half, uint16_t) /* bf16 and f16 */
PACKED(byte, uint8_t)  /* i8 and u8 */

#endif
