/* lu.h — the factors of square matrices of f64 or f32, with partial pivoting. Nothing is allocated. Bits hang on the
 * matrix and on whether the level has fused multiply-adds. */
#ifndef RT_LU_H
#define RT_LU_H

#include "../lu_way.h"
#include "../product/product.h"

#include <stdbool.h>

/* Runs a product, by as many threads as there are. */
typedef void lu_multiply(void *with, const struct product *p);

/* Of a[count, n, n]: out[count, n + 1, n], in its first line the order, and behind it the factors, the upper triangle u
 * with the diagonal, and left of it l, on whose diagonal ones are thought of: line i of l u is line order[i] of a. Both
 * are of f32 if single. A pivot is the first of the largest absolute values of its column, in the order the lines have
 * then; NaN is none where there is a number, and a pivot of 0 leaves its column as it is. room: lu_room(n) bytes,
 * aligned to 64. */
void lu_run(enum product_level level, bool single, int64_t count, int64_t n, const void *a, void *out, void *room,
	    lu_multiply *multiply, void *with);

#endif
