/* parts.h — the steps of eigen.c, and what they share. */
#ifndef RT_EIGEN_PARTS_H
#define RT_EIGEN_PARTS_H

#include "eigen.h"

#include "kernels.h"

struct eigen {
	const struct eigen_kernels *kernels;
	enum product_level level;
	int64_t n, step;
	bool single; /* vectors are of f32: what is of them stands in rows as far apart as those of f64 */
	/* n lines each. The matrix; then vectors in the order in which halves are joined. */
	double *a;
	double *mirrors; /* row j: the vector v of reflection j, I - factor v v^T */
	double *vectors; /* in rows */
	double *joint;   /* rows: what a vector of two joined halves has of each of theirs */
	double *panel, *blocks;
	/* Lines. */
	double *diagonal, *beside, *factor; /* of the tridiagonal matrix, and of the reflections */
	double *line[9];
	int64_t *order; /* rows of vectors, the smallest value first */
	int64_t *number[5];
	void *of_products;
};

/* tridiagonal.c: what reflections make of the matrix; vectors of the matrix from those of that. */
void eigen_tridiagonal(struct eigen *x);
void eigen_reflect_back(struct eigen *x);

/* leaf.c: vectors of lines `first` on, n of them, of the tridiagonal matrix, taken for one of its own; diagonal becomes
 * their values. */
void eigen_leaf(struct eigen *x, int64_t first, int64_t n);

/* halves.c: the same of all of it. */
void eigen_halves(struct eigen *x);

/* secular.c: the eigenvalue of D + rho z z^T behind the last of n values d, as its distance from that; below: the one
 * in front of it, -1 if there is none; weight: the squares of z. */
double eigen_last_root(int64_t n, double rho, const double *d, const double *weight, int64_t last, int64_t below);

/* Of a number of a vector; from row to row. */
static inline int64_t eigen_size(const struct eigen *x)
{
	return x->single ? sizeof(float) : sizeof(double);
}
static inline int64_t eigen_pitch(const struct eigen *x)
{
	return x->step * (int64_t)sizeof(double) / eigen_size(x);
}
static inline void *eigen_at(const struct eigen *x, double *rows, int64_t row, int64_t column)
{
	return (char *)(rows + row * x->step) + column * eigen_size(x);
}

/* Of vectors. */
static inline void eigen_product(const struct eigen *x, const struct product *p)
{
	product_run(x->level, x->single ? PRODUCT_F32 : PRODUCT_F64, p, product_whole(), x->of_products);
}
static inline void eigen_product_f64(const struct eigen *x, const struct product *p)
{
	product_run(x->level, PRODUCT_F64, p, product_whole(), x->of_products);
}

#endif
