/* eigen.c — a matrix made tridiagonal, the vectors of that by halves, and those of the matrix. */
#include "parts.h"

#include <math.h>
#include <string.h>

static const struct eigen_kernels *kernels_of(enum product_level level)
{
	static const struct eigen_kernels *const kernels[] = {
		[PRODUCT_BASE] = &eigen_base,
#ifdef __x86_64__
		[PRODUCT_AVX2] = &eigen_avx2,
		[PRODUCT_AVX512] = &eigen_avx512,
#endif
	};
	return kernels[product_vectors(level)];
}

static double *take(double **at, int64_t numbers)
{
	double *p = *at;
	*at += numbers;
	return p;
}

static struct eigen parts_of(enum product_level level, int64_t n, void *room, void *of_products)
{
	double *at = room;
	struct eigen x = {.kernels = kernels_of(level),
			  .level = level,
			  .n = n,
			  .step = eigen_step(n),
			  .of_products = of_products};
	double **squares[EIGEN_SQUARES] = {&x.a, &x.mirrors, &x.vectors, &x.joint};
	for (int i = 0; i < EIGEN_SQUARES; i++)
		*squares[i] = take(&at, n * x.step);
	x.panel = take(&at, 3 * EIGEN_PANEL * x.step);
	x.blocks = take(&at, 3 * EIGEN_BLOCK * EIGEN_BLOCK);
	x.diagonal = take(&at, x.step);
	x.beside = take(&at, x.step);
	x.factor = take(&at, x.step);
	for (int i = 0; i < 9; i++)
		x.line[i] = take(&at, x.step);
	x.order = (int64_t *)take(&at, x.step);
	for (int i = 0; i < 5; i++)
		x.number[i] = (int64_t *)take(&at, x.step);
	return x;
}

static void set(bool single, void *at, int64_t i, double v)
{
	if (single)
		((float *)at)[i] = (float)v;
	else
		((double *)at)[i] = v;
}

static void all_nan(bool single, int64_t n, void *values, void *vectors)
{
	for (int64_t i = 0; i < n; i++)
		set(single, values, i, NAN);
	for (int64_t i = 0; i < n * n; i++)
		set(single, vectors, i, NAN);
}

static void read_row(bool single, int64_t n, const void *from, int64_t first, double *row)
{
	if (!single) {
		memcpy(row, (const double *)from + first, (size_t)n * sizeof *row);
		return;
	}
	const float *x = (const float *)from + first;
	for (int64_t k = 0; k < n; k++)
		row[k] = (double)x[k];
}

/* Of each row what is right of the diagonal, and zeros up to where whole vectors begin and end. The largest of what is
 * read; not finite where something is not. */
static double read(const struct eigen *x, const void *from)
{
	double most = 0;
	for (int64_t i = 0; i < x->n; i++) {
		int64_t whole = i / EIGEN_LANES * EIGEN_LANES;
		double *row = x->a + i * x->step;
		memset(row + whole, 0, (size_t)(i - whole) * sizeof *row);
		read_row(x->single, x->n - i, from, i * x->n + i, row + i);
		memset(row + x->n, 0, (size_t)(x->step - x->n) * sizeof *row);
		double m = x->kernels->largest(x->n - whole, row + whole);
		if (!isfinite(m))
			return m;
		most = fmax(most, m);
	}
	return most;
}

/* The largest becomes about 1: by two factors, since one may be beyond what there is. */
static int scale(const struct eigen *x, double most)
{
	int power = 0;
	frexp(most, &power);
	double by = ldexp(1, -power / 2), more = ldexp(1, power / 2 - power);
	for (int64_t i = 0; i < x->n; i++) {
		double *row = x->a + i * (x->step + 1);
		x->kernels->times(x->n - i, row, by, more, row);
	}
	return power;
}

void eigen_run(enum product_level level, bool single, int64_t n, const void *a, void *values, void *vectors, void *room,
	       void *of_products)
{
	struct eigen x = parts_of(level, n, room, of_products);
	x.single = single;
	double most = read(&x, a);
	if (!isfinite(most)) {
		all_nan(single, n, values, vectors);
		return;
	}
	int power = scale(&x, most);
	eigen_tridiagonal(&x);
	eigen_halves(&x);
	eigen_reflect_back(&x);
	for (int64_t i = 0; i < n; i++) {
		int64_t row = x.order[i];
		set(single, values, i, ldexp(x.diagonal[row], power));
		char *out = (char *)vectors + i * n * eigen_size(&x);
		memcpy(out, eigen_at(&x, x.vectors, row, 0), (size_t)(n * eigen_size(&x)));
		if (single)
			x.kernels->unit_singles(n, (float *)(void *)out);
	}
}
