/* kernels.h — what a level of vectors offers lu.c, for f32 and for f64. Made by lines.h, once for each. */
#ifndef RT_LU_KERNELS_H
#define RT_LU_KERNELS_H

#include "../product/kernels.h"

/* The factors of a panel by columns, which are `step` numbers apart and whole vectors long, with zeros behind their
 * rows: line i and line pivot[i] are exchanged, one after the other. */
typedef void lu_panel(int64_t rows, int64_t columns, void *panel, int64_t step, int64_t *pivot);

/* b[lines, n] = the inverse of the lower triangle l[lines, lines], with ones on its diagonal, times b. */
typedef void lu_triangle(int64_t lines, int64_t n, const void *l, void *b, int64_t step);

/* Lines i and pivot[i] of n numbers are exchanged, one after the other. */
typedef void lu_exchange(int64_t lines, const int64_t *pivot, int64_t n, void *a, int64_t step);

/* The factors of as many matrices as a vector has lanes, up to LU_WHOLE lines each. room: a vector for each number of a
 * result, as lu_run has it: n for the order of lines, and n * n, which hold the elements. */
typedef void lu_many(int64_t n, void *room);

struct lu_kernels {
	lu_panel *panel;
	lu_triangle *triangle;
	lu_exchange *exchange;
	int lanes;
	lu_many *many;
};

extern const struct lu_kernels lu_base_f32, lu_base_f64, lu_avx2_f32, lu_avx2_f64, lu_avx512_f32, lu_avx512_f64;

#endif
