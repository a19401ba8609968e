/* matrices.h — dimensions of a contraction, and the matrix products they become. */
#ifndef PML_KERNEL_MATRICES_H
#define PML_KERNEL_MATRICES_H

#include "contraction.h"

/* Where a factor occurs: in A, B and C; in A and C; in B and C; in A and B. */
enum role_of_factor { IN_BATCH, IN_M, IN_N, IN_K, ROLES };

enum { IN_A, IN_B, IN_C, TENSORS };

/* Factors of one role with their strides, in elements, in A, B and C. */
struct dims {
	int n;
	struct dim {
		int64_t extent, stride[TENSORS];
	} at[MAX_FACTORS];
};

/* Fills in what c says about sizes, strides and loops: neighbouring factors that step evenly in both tensors they occur
 * in become one; of what is left, one of m, n and k each is of the matrix, so that the calls cost least, and the others
 * are loops around it. a and b are A and B, which may change sides. False if no choice makes matrices with rows or
 * columns of neighbours. */
bool contraction_as_matrices(struct contraction *c, struct strided a, struct strided b, struct dims *dims);

/* Rows and columns with strides as a flag (transposed) and a leading dimension; false if neither stride is 1. */
bool strides_as_matrix(int64_t rows, int64_t cols, int64_t row_stride, int64_t col_stride, bool *transposed,
		       int64_t *ld);

/* windows.c: the same for a map whose operands ka and kb are not matrices as they lie in memory: windows, dimensions
 * that lie apart. They are gathered into matrices first, part by part, if that costs less than loops over all points.
 */
bool contraction_by_windows(struct phys_node *n, struct contraction *c, int ka, int kb);

#endif
