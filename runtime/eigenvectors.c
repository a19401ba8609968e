/* eigenvectors.c — eigenvalues and vectors of symmetric matrices of produced programs, by eigen/. */
#include "eigen/eigen.h"
#include "rt.h"

void pmlrt_eigen(struct pmlrt *rt, int64_t count, int64_t n, const void *src, void *dst, void *workspace)
{
	const double *a = src;
	double *out = dst;
	for (int64_t i = 0; i < count; i++, a += n * n, out += (n + 1) * n)
		eigen_run((enum product_level)rt->product_level, n, a, out, out + n, workspace, rt_product_room(rt, 0));
}
