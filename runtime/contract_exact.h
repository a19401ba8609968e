/* contract_exact.h — contractions whose sums do not depend on their order (--reproducible).
 *
 * Every product p = a b is rounded to a multiple of one unit u by adding it to c = 1.5 * 2^52 * u
 * (compiler/op/scalars/quanta.c, sum_grid): the bits of c + p less those of c are p / u as an integer, whatever is
 * summed before or after. Integers add up exactly, so blocking, vectors, ranks and the order of all of them leave no
 * trace. After Demmel and Nguyen, "Fast Reproducible Floating-Point Summation", ARITH 2013, with one fold and a unit
 * fixed by a bound of the products of one sum. */
#ifndef RT_CONTRACT_EXACT_H
#define RT_CONTRACT_EXACT_H

#include <stdint.h>

/* C += op(A) op(B) in units of the grid: of one for all elements, or, if there are `grids`, of each element's own,
 * which lie as C does. op is transposition if the flag is set, lda, ldb, ldc are the elements between rows as they lie.
 * For f32 every product is exact in f64; those of f64 are rounded once, before they are added. A grid that is NaN
 * leaves any number in its element of C. */
#define CONTRACT_STRUCT(T) \
	struct contract_##T { \
		int64_t ta, tb, m, n, k, lda, ldb, ldc; \
		double grid; \
		const double *grids; \
		const T *a, *b; \
		int64_t *c; \
	}
CONTRACT_STRUCT(float);
CONTRACT_STRUCT(double);

/* Blocked, as wide as the machine's vectors. */
void contract_exact_f32(const struct contract_float *x);
void contract_exact_f64(const struct contract_double *x);
/* One term after the other: what the tests take as the truth. */
void contract_plain_f32(const struct contract_float *x);
void contract_plain_f64(const struct contract_double *x);

#endif
