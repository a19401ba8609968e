/* eigen.h — eigenvalues and eigenvectors of symmetric matrices of f64 or f32. Nothing is allocated. Bits hang on the
 * matrix and the level of vectors alone. */
#ifndef RT_EIGEN_H
#define RT_EIGEN_H

#include "../eigen_way.h"
#include "../product/product.h"

#include <stdbool.h>

/* Of a[n, n], of which the diagonal and what is right of it is read: values[n], rising, and their vectors, one in each
 * row of vectors[n, n]. single: all are of f32; values are found in f64 all the same, vectors multiplied in f32. All
 * NaN where a has one or an infinity. room: eigen_room(n) bytes, of_products: product_room() bytes, both aligned to 64.
 */
void eigen_run(enum product_level level, bool single, int64_t n, const void *a, void *values, void *vectors, void *room,
	       void *of_products);

#endif
