/* test_rt_filter.c — convolutions with fewer multiplications (product_filter.h) against the definition, on whole
 * numbers, of which no sum rounds: every level of vectors that this machine has, tensors that begin and end where
 * memory that may be touched does, windows that leave them on every side, weights that lie backwards, any number of
 * blocks. */
#define _DEFAULT_SOURCE
#include "product/product.h"
#include "suite.h"

#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ROOM = 1 << 23 };

/* Memory with nothing behind it and nothing before it, from whose end tensors are cut. */
struct memory {
	char *begin, *end;
};
static struct memory of_x, of_w, of_y, of_workspace;

static struct memory memory_of(size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *at = mmap(NULL, bytes + 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED || mprotect(at, page, PROT_NONE) || mprotect(at + page + bytes, page, PROT_NONE))
		abort();
	return (struct memory){at + page, at + page + bytes};
}

static int64_t size_of(enum product_type t)
{
	return t == PRODUCT_F64 ? sizeof(double) : sizeof(float);
}

static double get(enum product_type t, const void *at, int64_t i)
{
	return t == PRODUCT_F64 ? ((const double *)at)[i] : (double)((const float *)at)[i];
}

static void put(enum product_type t, void *at, int64_t i, double x)
{
	if (t == PRODUCT_F64)
		((double *)at)[i] = x;
	else
		((float *)at)[i] = (float)x;
}

/* A filter with its tensors; w and y are the elements (0, 0, 0, 0). */
struct tried {
	struct product_filter f;
	enum product_type type;
	char *x, *w, *y;
	int64_t elements_x, elements_w, elements_y;
};

/* Rows of X and Y have so many elements more than they need, which must stay as they are. */
static struct tried tried_of(enum product_type type, int64_t images, int64_t channels, int64_t filters, int64_t rows,
			     int64_t columns, int64_t pad, int64_t more, bool backwards)
{
	int64_t x_rows = rows + 2 - 2 * pad, x_columns = columns + 2 - 2 * pad, width = x_columns + more;
	x_rows = x_rows < 1 ? 1 : x_rows;
	width = width < 1 ? 1 : width;
	int64_t y_width = columns + more, tap = backwards ? -1 : 1;
	struct tried t = {.type = type,
			  .f = {.images = images,
				.channels = channels,
				.filters = filters,
				.rows = rows,
				.columns = columns,
				.x_rows = x_rows,
				.x_columns = x_columns < 1 ? 1 : x_columns,
				.row = -pad,
				.column = -pad,
				.x_image = channels * x_rows * width,
				.x_channel = x_rows * width,
				.x_row = width,
				.w_filter = channels * 9,
				.w_channel = 9,
				.w_row = 3 * tap,
				.w_column = tap,
				.y_image = filters * rows * y_width,
				.y_filter = rows * y_width,
				.y_row = y_width}};
	t.elements_x = images * t.f.x_image - (width - t.f.x_columns);
	t.elements_w = filters * channels * 9;
	t.elements_y = images * t.f.y_image - (y_width - columns);
	t.x = of_x.end - t.elements_x * size_of(type);
	t.y = of_y.end - t.elements_y * size_of(type);
	t.w = of_w.end - t.elements_w * size_of(type) + (backwards ? 8 * size_of(type) : 0);
	return t;
}

static char *weights_begin(const struct tried *t)
{
	return of_w.end - t->elements_w * size_of(t->type);
}

static unsigned next_number(unsigned *seed)
{
	return *seed = *seed * 1664525u + 1013904223u;
}

static void fill(const struct tried *t, void *at, int64_t n, unsigned seed, bool whole)
{
	for (int64_t i = 0; i < n; i++) {
		double x = (double)(next_number(&seed) >> 8) / (1 << 24) - 0.5;
		put(t->type, at, i, whole ? floor(6 * x) : x);
	}
}

static void fill_all(const struct tried *t, bool whole)
{
	fill(t, t->x, t->elements_x, 1, whole);
	fill(t, weights_begin(t), t->elements_w, 2, whole);
	fill(t, t->y, t->elements_y, 3, whole);
}

static double x_at(const struct tried *t, int64_t image, int64_t channel, int64_t row, int64_t column)
{
	const struct product_filter *f = &t->f;
	bool inside = row >= 0 && row < f->x_rows && column >= 0 && column < f->x_columns;
	int64_t at = image * f->x_image + channel * f->x_channel + row * f->x_row + column;
	return inside ? get(t->type, t->x, at) : 0;
}

static int64_t w_at(const struct product_filter *f, int64_t k, int64_t c, int64_t u, int64_t v)
{
	return k * f->w_filter + c * f->w_channel + u * f->w_row + v * f->w_column;
}

static int64_t y_at(const struct product_filter *f, int64_t n, int64_t k, int64_t i, int64_t j)
{
	return n * f->y_image + k * f->y_filter + i * f->y_row + j;
}

#define EACH(i, n) for (int64_t i = 0; i < (n); i++)

/* What Y, or W, should be where alpha is 2: twice the sums, and what was there if that is added. */
static void results_by_definition(const struct tried *t, double *y, double beta)
{
	const struct product_filter *f = &t->f;
	EACH(n, f->images) EACH(k, f->filters) EACH(i, f->rows) EACH(j, f->columns)
	{
		double sum = 0;
		EACH(c, f->channels)
		EACH(u, 3)
		EACH(v, 3)
		sum += x_at(t, n, c, i + f->row + u, j + f->column + v) * get(t->type, t->w, w_at(f, k, c, u, v));
		double *to = y + y_at(f, n, k, i, j);
		*to = 2 * sum + (beta == 0 ? 0 : beta * *to);
	}
}

static void weights_by_definition(const struct tried *t, double *w, double beta)
{
	const struct product_filter *f = &t->f;
	EACH(k, f->filters) EACH(c, f->channels) EACH(u, 3) EACH(v, 3)
	{
		double sum = 0;
		EACH(n, f->images)
		EACH(i, f->rows)
		EACH(j, f->columns)
		sum += x_at(t, n, c, i + f->row + u, j + f->column + v) * get(t->type, t->y, y_at(f, n, k, i, j));
		double *to = w + (t->w - weights_begin(t)) / size_of(t->type) + w_at(f, k, c, u, v);
		*to = 2 * sum + (beta == 0 ? 0 : beta * *to);
	}
}

static void run(const struct tried *t, enum product_level level, double alpha, double beta, int64_t parts)
{
	static char *room;
	if (!room)
		room = aligned_alloc(64, (size_t)(product_room() + 63) / 64 * 64);
	int64_t bytes = product_filter_room(&t->f) * size_of(t->type);
	ck_assert_int_le(bytes, of_workspace.end - of_workspace.begin);
	char *workspace = of_workspace.end - bytes / 64 * 64 - (bytes % 64 ? 64 : 0);
	EACH(i, parts)
	{
		memset(workspace, 0xFF, (size_t)bytes); /* NaN */
		struct product_filter_call call = {t->x, t->w, t->y, alpha, beta, workspace, room};
		product_run_filter(level, t->type, &t->f, &call, (struct product_part){i, parts});
	}
}

/* The result, with what lies between its rows. */
static char *result_of(const struct tried *t, int64_t *elements)
{
	*elements = t->f.of_weights ? t->elements_w : t->elements_y;
	return t->f.of_weights ? weights_begin(t) : t->y;
}

static void check(struct tried *t, enum product_level level, bool of_weights, double beta)
{
	int64_t n;
	t->f.of_weights = of_weights;
	fill_all(t, true);
	char *result = result_of(t, &n);
	double *want = malloc((size_t)n * sizeof *want);
	EACH(i, n)
	want[i] = get(t->type, result, i);
	(of_weights ? weights_by_definition : results_by_definition)(t, want, beta);
	if (beta == 0 && of_weights) /* nothing of what was there is read */
		EACH(i, n)
	put(t->type, result, i, NAN);
	run(t, level, 2, beta, 1);
	EACH(i, n)
	if (get(t->type, result, i) != want[i])
		ck_abort_msg("level %d size %d of %s beta %g: images %d channels %d filters %d rows %d columns %d from "
			     "%d: element %d is %g, not %g",
			     level, (int)size_of(t->type), of_weights ? "weights" : "results", beta, (int)t->f.images,
			     (int)t->f.channels, (int)t->f.filters, (int)t->f.rows, (int)t->f.columns, (int)t->f.row,
			     (int)i, get(t->type, result, i), want[i]);
	free(want);
}

static const enum product_level levels[] = {PRODUCT_BASE, PRODUCT_AVX2, PRODUCT_AVX512};

/* All small sizes: of tiles that are not full, of one row or column, of windows that see nothing but zeros. */
START_TEST(small_sizes)
{
	enum product_level level = levels[_i % 3];
	enum product_type type = _i / 3 ? PRODUCT_F64 : PRODUCT_F32;
	if (!product_has_level(level))
		return;
	for (int64_t rows = 1; rows <= 5; rows++)
		for (int64_t columns = 1; columns <= 7; columns++)
			for (int64_t pad = -1; pad <= 3; pad++)
				for (int way = 0; way < 4; way++) {
					struct tried t = tried_of(type, 2, 3 + way, 4, rows, columns, pad,
								  way & 1 ? 3 : 0, way >> 1);
					check(&t, level, false, way & 1);
					check(&t, level, true, way & 1);
				}
}
END_TEST

/* Channels and filters around vectors and tiles of registers; several blocks of lines and of filters. */
START_TEST(many_channels_and_blocks)
{
	static const int64_t size[][5] = {{1, 1, 1, 4, 40},   {2, 17, 15, 6, 33},  {3, 16, 33, 9, 14},
					  {1, 65, 30, 8, 31}, {20, 9, 40, 14, 14}, {1, 300, 241, 3, 2},
					  {1, 8, 8, 3, 300},  {1, 1100, 70, 2, 2}};
	enum product_level level = levels[_i % 3];
	enum product_type type = _i / 3 ? PRODUCT_F64 : PRODUCT_F32;
	if (!product_has_level(level))
		return;
	for (size_t s = 0; s < sizeof size / sizeof *size; s++)
		for (int way = 0; way < 4; way++) {
			struct tried t = tried_of(type, size[s][0], size[s][1], size[s][2], size[s][3], size[s][4], 1,
						  way & 2, way == 3);
			check(&t, level, way & 1, way == 2 ? 0.5 : 0);
		}
}
END_TEST

/* A copy of what a call gives on numbers that round. */
static char *bits_of(struct tried *t, enum product_level level, int64_t parts, int64_t *bytes)
{
	fill_all(t, false);
	run(t, level, 0.75, 0.25, parts);
	char *result = result_of(t, bytes);
	*bytes *= size_of(t->type);
	char *copy = malloc((size_t)*bytes);
	memcpy(copy, result, (size_t)*bytes);
	return copy;
}

START_TEST(parts_and_levels_have_the_same_bits)
{
	static const int64_t size[][5] = {
		{2, 17, 40, 6, 33}, {9, 32, 33, 14, 14}, {1, 300, 241, 3, 2}, {3, 12, 7, 9, 9}};
	for (size_t s = 0; s < sizeof size / sizeof *size; s++)
		for (int way = 0; way < 4; way++) {
			struct tried t = tried_of(way >> 1 ? PRODUCT_F64 : PRODUCT_F32, size[s][0], size[s][1],
						  size[s][2], size[s][3], size[s][4], 1, 0, false);
			t.f.of_weights = way & 1;
			for (int l = 0; l < 3; l++) {
				if (!product_has_level(levels[l]))
					continue;
				int64_t bytes;
				char *whole = bits_of(&t, levels[l], 1, &bytes);
				for (int64_t parts = 2; parts <= 5; parts++) {
					char *again = bits_of(&t, levels[l], parts, &bytes);
					ck_assert_int_eq(memcmp(whole, again, (size_t)bytes), 0);
					free(again);
				}
				if (l == 2) {
					char *narrow = bits_of(&t, PRODUCT_AVX2, 1, &bytes);
					ck_assert_int_eq(memcmp(whole, narrow, (size_t)bytes), 0);
					free(narrow);
				}
				free(whole);
			}
		}
}
END_TEST

/* Against sums in f64: as near as products of so many terms are, however large the terms that cancel. */
START_TEST(sums_round_little)
{
	struct tried t = tried_of(PRODUCT_F32, 2, 128, 32, 14, 14, 1, 0, false);
	fill_all(&t, false);
	double *want = calloc((size_t)t.elements_y, sizeof *want);
	results_by_definition(&t, want, 0);
	run(&t, product_level_here(PRODUCT_AVX512), 2, 0, 1);
	double worst = 0, square = 0;
	EACH(i, t.elements_y)
	{
		worst = fmax(worst, fabs(get(t.type, t.y, i) - want[i]));
		square += want[i] * want[i];
	}
	ck_assert_double_le(worst, 4e-6 * sqrt(square / (double)t.elements_y));
	free(want);
}
END_TEST

int main(void)
{
	Suite *s;
	TCase *t = suite_begin(&s, "filter");
	of_x = memory_of(ROOM);
	of_w = memory_of(ROOM);
	of_y = memory_of(ROOM);
	of_workspace = memory_of(8 * ROOM);
	tcase_add_loop_test(t, small_sizes, 0, 6);
	tcase_add_loop_test(t, many_channels_and_blocks, 0, 6);
	tcase_add_test(t, parts_and_levels_have_the_same_bits);
	tcase_add_test(t, sums_round_little);
	return suite_end(s);
}
