/* tridiagonal.c — a symmetric matrix made tridiagonal by reflections, a panel of them at a time, whose products with
 * what is left of the matrix are taken one by one, and which are applied to it together (Dongarra, Sorensen,
 * Hammarling, 1989); blocks of them applied to vectors as products (Schreiber, Van Loan, 1989). */
#include "parts.h"

#include <math.h>
#include <string.h>

/* What squares lose below: numbers as small are nothing beside a matrix whose largest is 1. */
static const double NOTHING = 1e-280;

/* The reflection that brings n numbers to the first of them, which is returned: v, and its factor. */
static double mirror_of(const struct eigen *x, int64_t n, const double *from, double *v, double *factor)
{
	double rest = 0, first = from[0];
	if (n > 1)
		x->kernels->dots(1, n - 1, from + 1, 0, from + 1, &rest);
	*factor = 0;
	if (rest < NOTHING)
		return first;
	double size = -copysign(sqrt(first * first + rest), first), by = 1 / (first - size);
	for (int64_t i = 1; i < n; i++)
		v[i] = from[i] * by;
	v[0] = 1;
	*factor = (size - first) / size;
	return size;
}

/* The panel: so many vectors v, then as many w, then v again, so that rows of both stand in either order. Lines are
 * read and written from the first whole vector on that has one of their numbers: in front of those vectors v are 0. */
static double *panel_of(const struct eigen *x, int64_t of, int64_t row)
{
	return x->panel + (of * EIGEN_PANEL + row) * x->step;
}

static int64_t whole(int64_t column)
{
	return column / EIGEN_LANES * EIGEN_LANES;
}

/* A row of the matrix less what reflections `done` of the panel change. */
static void changed_row(const struct eigen *x, int64_t j, int64_t done)
{
	int64_t at = whole(j), m = x->n - at;
	double *row = x->a + j * x->step + at, *v = panel_of(x, 0, 0), *w = panel_of(x, 1, 0);
	double of_v[EIGEN_PANEL], of_w[EIGEN_PANEL];
	for (int64_t k = 0; k < done; k++) {
		of_v[k] = v[k * x->step + j];
		of_w[k] = w[k * x->step + j];
	}
	x->kernels->less(done, m, v + at, x->step, of_w, row);
	x->kernels->less(done, m, w + at, x->step, of_v, row);
}

/* w, by which the matrix becomes A - v w^T - w v^T. */
static void other_side(const struct eigen *x, int64_t j, int64_t done, double factor)
{
	const struct eigen_kernels *k = x->kernels;
	int64_t at = whole(j + 1), m = x->n - at;
	double *all_v = panel_of(x, 0, 0) + at, *all_w = panel_of(x, 1, 0) + at;
	double *v = all_v + done * x->step, *w = all_w + done * x->step;
	double of_v[EIGEN_PANEL], of_w[EIGEN_PANEL + 1];
	k->symmetric_times(j + 1, x->n, x->a, x->step, v - at, w - at);
	k->dots(done, m, all_v, x->step, v, of_v);
	k->dots(done, m, all_w, x->step, v, of_w);
	k->less(done, m, all_v, x->step, of_w, w);
	k->less(done, m, all_w, x->step, of_v, w);
	double along;
	k->dots(1, m, w, 0, v, &along);
	along *= 0.5 * factor;
	k->less(1, m, v, 0, &along, w);
	k->times(m, w, factor, 1, w);
}

/* What is left of the matrix behind `from`, right of the diagonal, in strips of rows. */
static void change_rest(const struct eigen *x, int64_t from)
{
	enum { STRIP = 48 };
	for (int64_t i = from; i < x->n; i += STRIP) {
		int64_t rows = x->n - i < STRIP ? x->n - i : STRIP;
		struct product p = {.m = rows,
				    .n = x->n - i,
				    .k = 2 * EIGEN_PANEL,
				    .a = {panel_of(x, 0, 0) + i, 1, x->step},
				    .b = {panel_of(x, 1, 0) + i, x->step, 1},
				    .c = x->a + i * x->step + i,
				    .ldc = x->step,
				    .alpha = -1,
				    .beta = 1};
		eigen_product_f64(x, &p);
		for (int64_t r = i + 1; r < i + rows; r++)
			memset(x->a + r * x->step + whole(r), 0, (size_t)(r - whole(r)) * sizeof *x->a);
	}
}

static void reflect_column(struct eigen *x, int64_t j, int64_t first)
{
	int64_t done = j - first, block = j / EIGEN_BLOCK * EIGEN_BLOCK;
	double *row = x->a + j * x->step, *v = panel_of(x, 0, done), *kept = x->mirrors + j * x->step;
	size_t bytes = (size_t)(x->step - block) * sizeof *v;
	changed_row(x, j, done);
	x->diagonal[j] = row[j];
	memset(kept + block, 0, bytes);
	if (j < x->n - 1)
		x->beside[j] = mirror_of(x, x->n - j - 1, row + j + 1, kept + j + 1, &x->factor[j]);
	for (int i = 0; i < 3; i += 2)
		memcpy(panel_of(x, i, done) + block, kept + block, bytes);
	if (j < x->n - 1 && x->factor[j] != 0)
		other_side(x, j, done, x->factor[j]);
	else
		memset(v + EIGEN_PANEL * x->step + block, 0, bytes);
}

void eigen_tridiagonal(struct eigen *x)
{
	for (int64_t first = 0; first < x->n; first += EIGEN_PANEL) {
		int64_t behind = first + EIGEN_PANEL < x->n ? first + EIGEN_PANEL : x->n;
		for (int64_t j = first; j < behind; j++)
			reflect_column(x, j, first);
		if (behind < x->n)
			change_rest(x, behind);
	}
}

/* The triangle t by which c reflections are I - V t V^T, of the products of their vectors with each other. */
static void triangle_of(const struct eigen *x, int64_t first, int64_t c, double *products, double *t)
{
	memset(t, 0, EIGEN_BLOCK * EIGEN_BLOCK * sizeof *t);
	for (int64_t i = 0; i < c; i++)
		for (int64_t k = c; k % EIGEN_LANES; k++)
			products[i * EIGEN_BLOCK + k] = 0;
	for (int64_t i = 0; i < c; i++) {
		double factor = x->factor[first + i], s[EIGEN_BLOCK];
		x->kernels->dots(i, i, t, EIGEN_BLOCK, products + i * EIGEN_BLOCK, s);
		for (int64_t r = 0; r < i; r++)
			t[r * EIGEN_BLOCK + i] = -factor * s[r];
		t[i * EIGEN_BLOCK + i] = factor;
	}
}

/* Rows of vectors, each less its product with V t^T V^T. */
static void reflect_block(const struct eigen *x, int64_t first, int64_t c)
{
	int64_t m = x->n - first, pitch = eigen_pitch(x);
	double *v = x->mirrors + first * x->step + first, *products = x->blocks,
	       *t = products + EIGEN_BLOCK * EIGEN_BLOCK;
	void *along = x->joint, *turned = x->a; /* n lines of c; t^T V^T */
	struct product p = {.m = c,
			    .n = c,
			    .k = m,
			    .a = {v, x->step, 1},
			    .b = {v, 1, x->step},
			    .c = products,
			    .ldc = EIGEN_BLOCK,
			    .alpha = 1};
	eigen_product_f64(x, &p);
	triangle_of(x, first, c, products, t);
	if (x->single) {
		for (int64_t i = 0; i < c; i++)
			x->kernels->narrow(m, v + i * x->step, (float *)(void *)(v + i * x->step));
		x->kernels->narrow(c * EIGEN_BLOCK, t, (float *)(void *)t);
	}
	p = (struct product){.m = c,
			     .n = m,
			     .k = c,
			     .a = {t, 1, EIGEN_BLOCK},
			     .b = {v, pitch, 1},
			     .c = turned,
			     .ldc = pitch,
			     .alpha = 1};
	eigen_product(x, &p);
	p = (struct product){.m = x->n,
			     .n = c,
			     .k = m,
			     .a = {eigen_at(x, x->vectors, 0, first), pitch, 1},
			     .b = {v, 1, pitch},
			     .c = along,
			     .ldc = c,
			     .alpha = 1};
	eigen_product(x, &p);
	p = (struct product){.m = x->n,
			     .n = m,
			     .k = c,
			     .a = {along, c, 1},
			     .b = {turned, pitch, 1},
			     .c = eigen_at(x, x->vectors, 0, first),
			     .ldc = pitch,
			     .alpha = -1,
			     .beta = 1};
	eigen_product(x, &p);
}

void eigen_reflect_back(struct eigen *x)
{
	int64_t reflections = x->n - 2; /* the last has nothing to bring to anything */
	int64_t block = x->n < 256 ? EIGEN_BLOCK / 2 : EIGEN_BLOCK;
	int64_t first = reflections > 0 ? (reflections - 1) / block * block : -1;
	for (; first >= 0; first -= block)
		reflect_block(x, first, reflections - first < block ? reflections - first : block);
}
