/* lu.c — the factors of a matrix by halves of its columns (Toledo, 1997), down to panels, which are copied to where
 * their columns are lines. What is right of a half is changed by a triangle and a product. Of small matrices some are
 * factored side by side (many.h). */
#include "lu.h"

#include "kernels.h"

#include <string.h>

struct lu {
	const struct lu_kernels *kernels;
	product_transpose *transpose;
	lu_multiply *multiply;
	void *with;
	int64_t n, size, column; /* column: numbers from one of a panel to the next */
	char *a, *panel;
	int64_t *pivot, *order;
};

static const struct lu_kernels *kernels_of(enum product_level level, bool single)
{
	static const struct lu_kernels *const kernels[][2] = {
		[PRODUCT_BASE] = {&lu_base_f64, &lu_base_f32},
#ifdef __x86_64__
		[PRODUCT_AVX2] = {&lu_avx2_f64, &lu_avx2_f32},
		[PRODUCT_AVX512] = {&lu_avx512_f64, &lu_avx512_f32},
#endif
	};
	return kernels[product_vectors(level)][single];
}

static void *element(const struct lu *x, int64_t line, int64_t column)
{
	return x->a + (line * x->n + column) * x->size;
}

/* Columns first..behind, of the lines from `first` on. Pivots count from there. */
static void panel(const struct lu *x, int64_t first, int64_t behind)
{
	int64_t rows = x->n - first, columns = behind - first;
	for (int64_t c = 0; c < columns; c++)
		memset(x->panel + (c * x->column + rows) * x->size, 0, LU_VECTOR);
	x->transpose(rows, columns, element(x, first, first), x->n, x->panel, x->column);
	x->kernels->panel(rows, columns, x->panel, x->column, x->pivot + first);
	x->transpose(columns, rows, x->panel, x->column, element(x, first, first), x->n);
	for (int64_t i = first; i < behind; i++)
		x->pivot[i] += first;
}

/* Of lines first..behind, with those they were exchanged for, columns `from` to `to`. */
static void exchange(const struct lu *x, int64_t first, int64_t behind, int64_t from, int64_t to)
{
	for (int64_t i = first; i < behind; i++)
		x->pivot[i] -= first;
	x->kernels->exchange(behind - first, x->pivot + first, to - from, element(x, first, from), x->n);
	for (int64_t i = first; i < behind; i++)
		x->pivot[i] += first;
}

/* rows x columns at (row, column) -= the `k` columns from `first` on times the lines above. */
static void subtract(const struct lu *x, int64_t row, int64_t column, int64_t rows, int64_t columns, int64_t first,
		     int64_t k)
{
	struct product p = {.m = rows,
			    .n = columns,
			    .k = k,
			    .a = {element(x, row, first), x->n, 1},
			    .b = {element(x, first, column), x->n, 1},
			    .c = element(x, row, column),
			    .ldc = x->n,
			    .alpha = -1,
			    .beta = 1};
	if (rows > 0)
		x->multiply(x->with, &p);
}

static int64_t half_of(int64_t n)
{
	return (n / 2 + LU_PANEL - 1) / LU_PANEL * LU_PANEL;
}

/* Lines first..behind of the columns from..to, by the inverse of the triangle. */
static void solve(const struct lu *x, int64_t first, int64_t behind, int64_t from, int64_t to)
{
	int64_t n = behind - first, cut = first + half_of(n);
	if (n <= LU_PANEL) {
		x->kernels->triangle(n, to - from, element(x, first, first), element(x, first, from), x->n);
		return;
	}
	solve(x, first, cut, from, to);
	subtract(x, cut, from, behind - cut, to - from, first, cut - first);
	solve(x, cut, behind, from, to);
}

static void factor(const struct lu *x, int64_t first, int64_t behind)
{
	int64_t n = behind - first, cut = first + half_of(n);
	if (n <= LU_PANEL) {
		panel(x, first, behind);
		return;
	}
	factor(x, first, cut);
	exchange(x, first, cut, cut, behind);
	solve(x, first, cut, cut, behind);
	subtract(x, cut, cut, x->n - cut, behind - cut, first, cut - first);
	factor(x, cut, behind);
	exchange(x, cut, behind, first, cut);
}

static void order_lines(const struct lu *x, bool single, void *order)
{
	for (int64_t i = 0; i < x->n; i++)
		x->order[i] = i;
	for (int64_t i = 0; i < x->n; i++) {
		int64_t was = x->order[i];
		x->order[i] = x->order[x->pivot[i]];
		x->order[x->pivot[i]] = was;
	}
	for (int64_t i = 0; i < x->n; i++)
		if (single)
			((float *)order)[i] = (float)x->order[i];
		else
			((double *)order)[i] = (double)x->order[i];
}

static void one(struct lu *x, bool single, const char *a, char *out)
{
	x->a = out + x->n * x->size;
	memcpy(x->a, a, (size_t)(x->n * x->n * x->size));
	if (x->n <= LU_WHOLE)
		panel(x, 0, x->n);
	else
		factor(x, 0, x->n);
	order_lines(x, single, out);
}

/* Up to as many as there are lanes; what is left of others in further lanes is factored for nobody. */
static void some(const struct lu *x, int64_t count, const char *a, char *out)
{
	int64_t n = x->n, lanes = x->kernels->lanes;
	x->transpose(count, n * n, a, n * n, x->panel + n * lanes * x->size, lanes);
	x->kernels->many(n, x->panel);
	x->transpose(n * (n + 1), count, x->panel, lanes, out, n * (n + 1));
}

/* How many of those left are factored at a time: a few are as soon one by one, the larger they are the more. */
static int64_t side_by_side(const struct lu *x, int64_t count)
{
	int64_t most = count < x->kernels->lanes ? count : x->kernels->lanes;
	return x->n <= LU_WHOLE && 16 * most > 7 * x->n ? most : 1;
}

void lu_run(enum product_level level, bool single, int64_t count, int64_t n, const void *a, void *out, void *room,
	    lu_multiply *multiply, void *with)
{
	int64_t size = single ? sizeof(float) : sizeof(double), matrix = n * n * size, result = matrix + n * size;
	char *behind_panel = (char *)room + lu_panel_room(n, size), *to = out;
	const char *from = a;
	struct lu x = {.kernels = kernels_of(level, single),
		       .transpose = product_transpose_of(level, single ? PRODUCT_F32 : PRODUCT_F64),
		       .multiply = multiply,
		       .with = with,
		       .n = n,
		       .size = size,
		       .column = lu_column(n, size) / size,
		       .panel = room,
		       .pivot = (int64_t *)(void *)behind_panel,
		       .order = (int64_t *)(void *)behind_panel + n};
	if (side_by_side(&x, count) > 1)
		memset(room, 0, (size_t)(n * (n + 1) * LU_VECTOR));
	for (int64_t done; count > 0; count -= done, from += done * matrix, to += done * result) {
		done = side_by_side(&x, count);
		if (done > 1)
			some(&x, done, from, to);
		else
			one(&x, single, from, to);
	}
}
