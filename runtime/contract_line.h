/* contract_line.h — contractions of one row with a matrix on a grid (contract_exact.h): no tile would be filled, and
 * packing the matrix costs more than reading it once. */
#ifndef RT_CONTRACT_LINE_H
#define RT_CONTRACT_LINE_H

#include <stdint.h>

/* c[j] += the sum over p < k of a[p] b(p, j) in units of grid[j]; a holds k numbers one behind the other. along: b(p,
 * j) is at b[p * ldb + j]; across: at b[j * ldb + p]. */
#define LINE_FUNCTION(name, T) \
	void name(int64_t n, int64_t k, const double *grid, const double *a, const T *b, int64_t ldb, int64_t *c)
typedef LINE_FUNCTION(line_float, float);
typedef LINE_FUNCTION(line_double, double);

struct line {
	line_float *along_f32, *across_f32;
	line_double *along_f64, *across_f64;
};
/* As wide as the machine's vectors. */
const struct line *best_line(void);

#endif
