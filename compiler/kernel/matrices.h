/* matrices.h — dimensions of a contraction, and the matrix products they become. */
#ifndef PML_KERNEL_MATRICES_H
#define PML_KERNEL_MATRICES_H

#include "contraction.h"

/* Where a factor occurs: in A, B and C; in A and C; in B and C; in A and B. */
enum factor_role { IN_BATCH, IN_M, IN_N, IN_K, ROLES };

/* a, b, c: how the rule reads A and B and writes C. False if the factor has no role: it is summed over one tensor
 * alone. */
bool role_of_factor(const struct access *a, const struct access *b, const struct access *c, int factor,
		    enum factor_role *role);

/* The index without factors of one value, which add nothing: windows of one point are no windows. */
struct index index_of_many_values(const struct rule *r, const struct index *x);

/* Elements between neighbours along each dimension of a tensor that is stored row after row. */
void row_major(const struct shape *s, int64_t *stride);
/* Elements between neighbours along a factor, of a tensor with these strides; it is not read with a divisor. */
int64_t step_along(const struct access *x, const int64_t *stride, int factor);
/* Where the first element that is read in place lies. */
int64_t first_element(const struct strided *s, const struct access *x);

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
bool contraction_as_matrices(struct arena *arena, struct contraction *c, struct strided a, struct strided b,
			     struct dims *dims);

/* Rows and columns with strides as a flag (transposed) and a leading dimension; false if neither stride is 1. */
bool strides_as_matrix(int64_t rows, int64_t cols, int64_t row_stride, int64_t col_stride, bool *transposed,
		       int64_t *ld);

/* windows.c: the same for a map whose operands ka and kb are not matrices as they lie in memory: windows, dimensions
 * that lie apart. They are gathered into matrices first, part by part, if that costs less than loops over all points.
 */
bool contraction_by_windows(struct arena *a, struct phys_node *n, struct contraction *c, int ka, int kb);

/* filter.c: sets c->filter if c, which goes by windows, is a convolution that takes less time so. Sums round otherwise.
 */
void contraction_find_filter(struct arena *a, const struct phys_node *n, struct contraction *c, int ka, int kb);

#endif
