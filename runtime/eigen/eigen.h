/* eigen.h — eigenvalues and eigenvectors of symmetric matrices of f64. Nothing is allocated. Bits hang on the matrix
 * and the level of vectors alone. */
#ifndef RT_EIGEN_H
#define RT_EIGEN_H

#include "../eigen_way.h"
#include "../product/product.h"

/* Of a[n, n], of which the diagonal and what is right of it is read: values[n], rising, and their vectors, one in each
 * row of vectors[n, n]. All NaN where a has one or an infinity. room: eigen_room(n) bytes, of_products: product_room()
 * bytes, both aligned to 64. */
void eigen_run(enum product_level level, int64_t n, const double *a, double *values, double *vectors, void *room,
	       void *of_products);

#endif
