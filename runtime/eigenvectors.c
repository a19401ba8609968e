/* eigenvectors.c — eigenvalues and vectors of symmetric matrices of produced programs, by eigen/. */
#include "eigen/eigen.h"
#include "rt.h"

void pmlrt_eigen(struct pmlrt *rt, int32_t dtype, int64_t count, int64_t n, const void *src, void *dst, void *workspace)
{
	int64_t size = rt_dtype_size(dtype), matrix = n * n * size, line = n * size;
	const char *a = src;
	char *out = dst;
	for (int64_t i = 0; i < count; i++, a += matrix, out += matrix + line)
		eigen_run((enum product_level)rt->product_level, size == sizeof(float), n, a, out, out + line,
			  workspace, rt_product_room(rt, 0));
}
