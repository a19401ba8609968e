/* contraction.h — sums of products that a matrix multiplication computes. */
#ifndef PML_KERNEL_CONTRACTION_H
#define PML_KERNEL_CONTRACTION_H

#include "../roles/physical.h"

/* A tensor as a stretch of a stored one: element at index i is at offset + sum of stride[d] * i[d] of base's buffer. */
struct strided {
	struct phys_node *base;
	int64_t offset;
	int64_t stride[MAX_RANK];
};

/* See through views, permutations and constant slices, and what widens 8 bits to i32. stored: base is the node itself,
 * or what its view looks at. */
struct strided strided_of(struct phys_node *n);

/* number * product of `times` / product of `over`: nodes of one element. */
enum { MAX_COEFFICIENTS = 6 };
struct coefficient {
	double number;
	int ntimes, nover;
	struct phys_node *times[MAX_COEFFICIENTS], *over[MAX_COEFFICIENTS];
};

/* C = coefficient * op(A) op(B), as plan_gemm but for buffers and scalars. */
struct contraction {
	struct phys_node *a, *b; /* bases */
	bool ta, tb;
	int64_t m, n, k, lda, ldb, ldc, offset_a, offset_b;
	int64_t offset_c; /* of a part, in the tensor that it is a part of */
	int nloops;
	struct product_loop *loop;
	struct product_pack
		*pack[2]; /* A, B: gathered into a matrix, whose layout ta, lda, … are of; NULL: read in place */
	bool overlaps;    /* turns make some elements of C again: nothing may be there that they add to */
	enum dtype type, type_b; /* of A and of B; where they are of 8 bits, C is i32 */
	enum dtype factors;      /* what their elements are rounded to before they are multiplied; DT_F32: nothing */
	bool exact;              /* sums of quanta (op/scalars/quanta.c): C is i64 */
	struct phys_node
		*grid; /* the grid that each element of C is counted on, as C lies; NULL: alpha is that of all */
	int64_t offset_grid;
	struct coefficient alpha;
	const struct contraction_filter *filter; /* another way to the same sums, with fewer multiplications; or NULL */
};

/* About what it takes, in multiplications. */
double contraction_cost(const struct contraction *c);

/* True if the map is a contraction that is worth a call of the tuned kernel. Loops and packs live in the arena. */
bool contraction_of_map(struct arena *a, struct phys_node *n, struct contraction *c);

/* Products that each make a part of C (taps.c), how many; one: c itself, if it is not taken apart. */
int contraction_pieces(struct arena *a, const struct contraction *c, const struct contraction **pieces);

/* The node of one element behind a scalar operand: itself, or what a fill spreads; NULL if it has many values. */
struct phys_node *scalar_behind(struct phys_node *n);

/* body = coef * operand k + rest, where coef is made of one-element operands: what autodiff and optimizers write. rest
 * is NULL for 0. False if the body is not of that form. */
bool linear_in_operand(struct arena *a, const struct phys_node *n, const struct scalar *body, int k,
		       struct coefficient *coef, const struct scalar **rest);
/* body, an expression of one-element operands and numbers, as a coefficient; false if it is something else. */
bool coefficient_of_body(const struct phys_node *n, const struct scalar *body, struct coefficient *c);
/* x *= y; false if there is no room. */
bool coefficient_multiply(struct coefficient *x, const struct coefficient *y);

#endif
