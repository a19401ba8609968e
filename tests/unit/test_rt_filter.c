/* test_rt_filter.c — convolutions with fewer multiplications (product_filter.h) against the definition, on whole
 * numbers, of which no sum rounds: every level of vectors that this machine has, tensors that begin and end where
 * memory that may be touched does, windows of any length and stride in one to three dimensions, that leave them on
 * every side, weights that lie backwards, any number of blocks. */
#define _DEFAULT_SOURCE
#include "product/product.h"
#include "suite.h"

#include <math.h>
#include <stdio.h>
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

/* Windows along a dimension: so many of so many taps, with a stride, that leave X by `pad` points at its begin, and at
 * its end as far. */
struct along {
	int64_t windows, taps, stride, pad;
};

/* Rows of X and Y have so many elements more than they need, which must stay as they are. Dimensions that are not there
 * have one window of one tap. Points of windows are so far apart, which makes as many remainders of either. */
static struct tried tried_apart(enum product_type type, int64_t images, int64_t channels, int64_t filters,
				const struct along *along, const int64_t *apart, int64_t more, bool backwards)
{
	struct tried t = {.type = type, .f = {.images = images, .channels = channels, .filters = filters}};
	int64_t x = 1, w = 1, y = 1, x_unused = 0, y_unused = 0;
	for (int s = FILTER_SIDES - 1; s >= 0; s--) {
		const struct along *a = &along[s];
		bool is_line = s == FILTER_COLUMNS;
		int64_t seen = a->stride * (a->windows - 1) + a->taps - 2 * a->pad, extent = seen < 1 ? 1 : seen;
		t.f.side[s] = (struct product_filter_side){.taps = a->taps,
							   .stride = a->stride,
							   .windows = a->windows,
							   .extent = extent,
							   .first = -a->pad,
							   .x = x * apart[s],
							   .w = backwards ? -w : w,
							   .y = y * apart[s],
							   .apart = apart[s]};
		x *= extent * apart[s] + (is_line ? more : 0);
		y *= a->windows * apart[s] + (is_line ? more : 0);
		w *= a->taps;
		x_unused = is_line ? more : x_unused;
		y_unused = is_line ? more : y_unused;
	}
	t.f.x_channel = x;
	t.f.x_image = channels * x;
	t.f.w_channel = w;
	t.f.w_filter = channels * w;
	t.f.y_filter = y;
	t.f.y_image = filters * y;
	t.elements_x = images * t.f.x_image - x_unused;
	t.elements_w = filters * t.f.w_filter;
	t.elements_y = images * t.f.y_image - y_unused;
	t.x = of_x.end - t.elements_x * size_of(type);
	t.y = of_y.end - t.elements_y * size_of(type);
	t.w = of_w.end - t.elements_w * size_of(type) + (backwards ? (w - 1) * size_of(type) : 0);
	return t;
}

static struct tried tried_of(enum product_type type, int64_t images, int64_t channels, int64_t filters,
			     const struct along *along, int64_t more, bool backwards)
{
	return tried_apart(type, images, channels, filters, along, (const int64_t[]){1, 1, 1}, more, backwards);
}

static char *weights_begin(const struct tried *t)
{
	return of_w.end - t->elements_w * size_of(t->type);
}

static unsigned next_number(unsigned *seed)
{
	return *seed = *seed * 1664525u + 1013904223u;
}

/* What rounding a factor takes away, of 1. */
static double excess(enum product_type t)
{
	return t == PRODUCT_F32_AS_BF16 ? 0x1p-10 : t == PRODUCT_F32_AS_F16 ? 0x1p-13 : 0;
}

static void fill(const struct tried *t, void *at, int64_t n, unsigned seed, bool whole, double more)
{
	for (int64_t i = 0; i < n; i++) {
		double x = (double)(next_number(&seed) >> 8) / (1 << 24) - 0.5;
		put(t->type, at, i, whole ? floor(6 * x) * (1 + more) : x);
	}
}

/* Factors, but not what is added to, are larger by `more` of themselves. */
static void fill_all(const struct tried *t, bool whole, double more)
{
	fill(t, t->x, t->elements_x, 1, whole, more);
	fill(t, weights_begin(t), t->elements_w, 2, whole, t->f.of_weights ? 0 : more);
	fill(t, t->y, t->elements_y, 3, whole, t->f.of_weights ? more : 0);
}

#define EACH(i, n) for (int64_t i = 0; i < (n); i++)

/* A point along each dimension. */
struct at {
	int64_t of[FILTER_SIDES];
};
#define EACH_POINT(p, member) \
	EACH(p##0, t->f.side[0].member) \
	EACH(p##1, t->f.side[1].member) \
	for (struct at p = {{p##0, p##1, 0}}; p.of[2] < t->f.side[2].member; p.of[2]++)

/* Images by the definition: number n of all remainders of all. */
static int64_t images_of(const struct product_filter *f)
{
	return f->images * f->side[0].apart * f->side[1].apart * f->side[2].apart;
}

static int64_t begin_of(const struct product_filter *f, int64_t n, bool is_y)
{
	int64_t image = is_y ? f->y_image : f->x_image;
	if (n < f->images) /* of the first remainders: without divisions, which would take most of the time */
		return n * image;
	int64_t at = n % f->images * image;
	n /= f->images;
	EACH(s, FILTER_SIDES)
	{
		at += n % f->side[s].apart * (is_y ? f->side[s].y : f->side[s].x) / f->side[s].apart;
		n /= f->side[s].apart;
	}
	return at;
}

static double x_at(const struct tried *t, int64_t image, int64_t channel, const struct at *window, const struct at *tap)
{
	const struct product_filter *f = &t->f;
	int64_t at = channel * f->x_channel;
	EACH(s, FILTER_SIDES)
	{
		int64_t i = f->side[s].first + window->of[s] * f->side[s].stride + tap->of[s];
		if (i < 0 || i >= f->side[s].extent)
			return 0;
		at += i * f->side[s].x;
	}
	return get(t->type, t->x, at + begin_of(f, image, false));
}

static int64_t w_at(const struct product_filter *f, int64_t k, int64_t c, const struct at *tap)
{
	int64_t at = k * f->w_filter + c * f->w_channel;
	EACH(s, FILTER_SIDES)
	at += tap->of[s] * f->side[s].w;
	return at;
}

static int64_t y_at(const struct product_filter *f, int64_t n, int64_t k, const struct at *window)
{
	int64_t at = begin_of(f, n, true) + k * f->y_filter;
	EACH(s, FILTER_SIDES)
	at += window->of[s] * f->side[s].y;
	return at;
}

/* What Y, or W, should be where alpha is 2: twice the sums, and what was there if that is added. */
static void results_by_definition(const struct tried *t, double *y, double beta)
{
	const struct product_filter *f = &t->f;
	EACH(n, images_of(f)) EACH(k, f->filters) EACH_POINT(window, windows)
	{
		double sum = 0;
		EACH(c, f->channels)
		EACH_POINT(tap, taps)
		sum += x_at(t, n, c, &window, &tap) * get(t->type, t->w, w_at(f, k, c, &tap));
		double *to = y + y_at(f, n, k, &window);
		*to = 2 * sum + (beta == 0 ? 0 : beta * *to);
	}
}

static void weights_by_definition(const struct tried *t, double *w, double beta)
{
	const struct product_filter *f = &t->f;
	EACH(k, f->filters) EACH(c, f->channels) EACH_POINT(tap, taps)
	{
		double sum = 0;
		EACH(n, images_of(f))
		EACH_POINT(window, windows)
		sum += x_at(t, n, c, &window, &tap) * get(t->type, t->y, y_at(f, n, k, &window));
		double *to = w + (t->w - weights_begin(t)) / size_of(t->type) + w_at(f, k, c, &tap);
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

static const char *sides_text(const struct tried *t)
{
	static char text[256];
	size_t n = 0;
	EACH(s, FILTER_SIDES)
	{
		const struct product_filter_side *a = &t->f.side[s];
		n += (size_t)snprintf(text + n, sizeof text - n, "%s%d windows of %d by %d from %d of %d, %d apart",
				      s ? ", " : "", (int)a->windows, (int)a->taps, (int)a->stride, (int)a->first,
				      (int)a->extent, (int)a->apart);
	}
	return text;
}

static void check(struct tried *t, enum product_level level, bool of_weights, double beta)
{
	int64_t n;
	t->f.of_weights = of_weights;
	fill_all(t, true, 0);
	char *result = result_of(t, &n);
	double *want = malloc((size_t)n * sizeof *want);
	EACH(i, n)
	want[i] = get(t->type, result, i);
	(of_weights ? weights_by_definition : results_by_definition)(t, want, beta);
	fill_all(t, true, excess(t->type));
	if (beta == 0 && of_weights) /* nothing of what was there is read */
		EACH(i, n)
	put(t->type, result, i, NAN);
	run(t, level, 2, beta, 1);
	EACH(i, n)
	if (get(t->type, result, i) != want[i])
		ck_abort_msg("level %d size %d of %s beta %g: images %d channels %d filters %d, %s: element %d is %g, "
			     "not %g",
			     level, (int)size_of(t->type), of_weights ? "weights" : "results", beta, (int)t->f.images,
			     (int)t->f.channels, (int)t->f.filters, sides_text(t), (int)i, get(t->type, result, i),
			     want[i]);
	free(want);
}

static const enum product_level levels[] = {PRODUCT_BASE, PRODUCT_AVX2, PRODUCT_AVX512};
static const enum product_type types[] = {PRODUCT_F32, PRODUCT_F64, PRODUCT_F32_AS_BF16, PRODUCT_F32_AS_F16};
enum { WAYS = 12, PLAIN = 6 /* each type on each level; of those that round nothing */ };

static const struct along none = {1, 1, 1, 0};

/* All small sizes: of tiles that are not full, of one row or column, of windows that see nothing but zeros. */
START_TEST(small_sizes)
{
	enum product_level level = levels[_i % 3];
	enum product_type type = types[_i / 3];
	if (!product_has_level(level))
		return;
	for (int64_t rows = 1; rows <= 5; rows++)
		for (int64_t columns = 1; columns <= 7; columns++)
			for (int64_t pad = -1; pad <= 3; pad++)
				for (int way = 0; way < 4; way++) {
					const struct along along[] = {none, {rows, 3, 1, pad}, {columns, 3, 1, pad}};
					struct tried t =
						tried_of(type, 2, 3 + way, 4, along, way & 1 ? 3 : 0, way >> 1);
					check(&t, level, false, way & 1);
					check(&t, level, true, way & 1);
				}
}
END_TEST

/* All lengths of windows and strides, with every piece and number of sums, in one dimension and in two that differ. */
START_TEST(windows_and_strides)
{
	enum product_level level = levels[_i % 3];
	enum product_type type = types[_i / 3];
	if (!product_has_level(level))
		return;
	int tried = 0;
	for (int64_t taps = 2; taps <= FILTER_TAPS; taps++)
		for (int64_t stride = 1; stride < taps; stride++)
			for (int64_t row_taps = 1; row_taps <= FILTER_TAPS; row_taps++) {
				int way = tried++;
				int64_t row_stride = 1 + way % 3, columns = 1 + way % 37, rows = 1 + way % 4;
				const struct along along[] = {none,
							      {rows, row_taps, row_stride, way % (row_taps + 1)},
							      {columns, taps, stride, (way + 1) % (taps + 1)}};
				struct tried t = tried_of(type, 2, 3, 2, along, way % 3, way & 1);
				if (!suite_takes(way, excess(type) > 0 ? 8 : 2) || filter_products(&t.f) > FILTER_KINDS)
					continue;
				check(&t, level, false, way & 1);
				check(&t, level, true, way & 1);
			}
}
END_TEST

/* Points of windows that are apart along some dimensions, up to four elements. */
START_TEST(windows_whose_points_are_apart)
{
	enum product_level level = levels[_i % 3];
	enum product_type type = types[_i / 3];
	if (!product_has_level(level))
		return;
	int tried = 0;
	for (int64_t columns = 1; columns <= 19; columns += 9)
		for (int64_t taps = 2; taps <= 5; taps++)
			for (int64_t apart = 2; apart <= 4; apart++)
				for (int64_t row_apart = 1; row_apart <= 2; row_apart++) {
					int way = tried++;
					int64_t two = 1 + way % 2;
					const struct along along[] = {{two, two, 1, way % 2},
								      {1 + way % 5, 3, 1, way % 4},
								      {columns, taps, 1, way % 3}};
					struct tried t =
						tried_apart(type, 2, 3, 2, along,
							    (const int64_t[]){two, row_apart, apart}, way % 3, way & 1);
					if (!suite_takes(way, excess(type) > 0 ? 8 : 2) ||
					    (excess(type) > 0 && !product_filter_rounds(&t.f)))
						continue;
					check(&t, level, false, way & 1);
					check(&t, level, true, way & 1);
				}
}
END_TEST

/* Three dimensions, each with tiles that are full and not, and windows of all kinds. */
START_TEST(volumes)
{
	static const struct along side[] = {{1, 1, 1, 0}, {3, 1, 2, 0}, {4, 2, 1, 1}, {3, 3, 1, 1},
					    {4, 3, 1, 2}, {3, 3, 2, 1}, {2, 4, 2, 1}, {5, 2, 2, 0}};
	enum { SIDES = sizeof side / sizeof *side };
	enum product_level level = levels[_i % 3];
	enum product_type type = types[_i / 3];
	if (!product_has_level(level))
		return;
	for (int i = 0; i < SIDES * SIDES * SIDES; i++) {
		const struct along along[] = {side[i / (SIDES * SIDES)], side[i / SIDES % SIDES], side[i % SIDES]};
		struct tried t = tried_of(type, 2, 3, 2, along, i % 2, i % 3 == 0);
		if (!suite_takes(i, 4) || along[2].taps <= along[2].stride || filter_products(&t.f) > FILTER_KINDS)
			continue;
		check(&t, level, i & 1, i % 5 == 0);
	}
}
END_TEST

/* Channels and filters around vectors and tiles of registers; several blocks of lines, of parts of them, and of
 * filters.
 */
static const struct sized {
	int64_t images, channels, filters;
	struct along along[FILTER_SIDES];
} sized[] = {
	{1, 1, 1, {{1, 1, 1, 0}, {4, 3, 1, 1}, {40, 3, 1, 1}}},
	{2, 17, 15, {{1, 1, 1, 0}, {6, 3, 1, 1}, {33, 3, 1, 1}}},
	{3, 16, 33, {{1, 1, 1, 0}, {9, 3, 1, 1}, {14, 3, 1, 1}}},
	{1, 65, 30, {{1, 1, 1, 0}, {8, 3, 1, 1}, {31, 3, 1, 1}}},
	{20, 9, 40, {{1, 1, 1, 0}, {14, 3, 1, 1}, {14, 3, 1, 1}}},
	{1, 300, 241, {{1, 1, 1, 0}, {3, 3, 1, 1}, {2, 3, 1, 1}}},
	{1, 8, 8, {{1, 1, 1, 0}, {3, 3, 1, 1}, {300, 3, 1, 1}}},
	{1, 1100, 70, {{1, 1, 1, 0}, {2, 3, 1, 1}, {2, 3, 1, 1}}},
	{3, 17, 18, {{1, 1, 1, 0}, {14, 3, 2, 1}, {15, 3, 2, 1}}},
	{2, 9, 33, {{1, 1, 1, 0}, {9, 4, 2, 1}, {30, 4, 2, 1}}},
	{2, 8, 17, {{1, 1, 1, 0}, {1, 1, 1, 0}, {5000, 5, 1, 2}}},
	{2, 40, 9, {{1, 1, 1, 0}, {1, 1, 1, 0}, {1001, 3, 2, 1}}},
	{1, 200, 150, {{1, 1, 1, 0}, {6, 5, 1, 2}, {12, 5, 1, 2}}},
	{2, 16, 20, {{5, 3, 1, 1}, {6, 3, 1, 1}, {20, 3, 1, 1}}},
	{1, 16, 20, {{3, 3, 2, 1}, {5, 3, 2, 1}, {400, 3, 2, 1}}},
};
START_TEST(many_channels_and_blocks)
{
	enum product_level level = levels[_i % 3];
	enum product_type type = types[_i / 3];
	if (!product_has_level(level))
		return;
	for (size_t s = 0; s < sizeof sized / sizeof *sized; s++)
		for (int way = 0; way < 4; way++) {
			struct tried t = tried_of(type, sized[s].images, sized[s].channels, sized[s].filters,
						  sized[s].along, way & 2, way == 3);
			if (excess(type) > 0 && (!product_filter_rounds(&t.f) || !suite_takes((int)s + way, 8)))
				continue;
			check(&t, level, way & 1, way == 2 ? 0.5 : 0);
		}
}
END_TEST

/* A copy of what a call gives on numbers that round. */
static char *bits_of(struct tried *t, enum product_level level, int64_t parts, int64_t *bytes)
{
	fill_all(t, false, 0);
	run(t, level, 0.75, 0.25, parts);
	char *result = result_of(t, bytes);
	*bytes *= size_of(t->type);
	char *copy = malloc((size_t)*bytes);
	memcpy(copy, result, (size_t)*bytes);
	return copy;
}

START_TEST(parts_and_levels_have_the_same_bits)
{
	for (size_t s = 0; s < sizeof sized / sizeof *sized; s++)
		for (int way = 0; way < 4; way++) {
			struct tried t = tried_of(way >> 1 ? PRODUCT_F64 : PRODUCT_F32, sized[s].images,
						  sized[s].channels, sized[s].filters, sized[s].along, 0, false);
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
	static const struct along along[][FILTER_SIDES] = {{{1, 1, 1, 0}, {14, 3, 1, 1}, {14, 3, 1, 1}},
							   {{1, 1, 1, 0}, {14, 3, 2, 1}, {14, 3, 2, 1}},
							   {{1, 1, 1, 0}, {14, 5, 1, 1}, {14, 5, 1, 1}},
							   {{4, 3, 1, 1}, {6, 3, 1, 1}, {9, 3, 1, 1}}};
	struct tried t = tried_of(PRODUCT_F32, 2, 128, 32, along[_i], 0, false);
	fill_all(&t, false, 0);
	double *want = calloc((size_t)t.elements_y, sizeof *want);
	results_by_definition(&t, want, 0);
	run(&t, product_level_here(PRODUCT_AVX512), 2, 0, 1);
	double worst = 0, square = 0;
	EACH(i, t.elements_y)
	{
		worst = fmax(worst, fabs(get(t.type, t.y, i) - want[i]));
		square += want[i] * want[i];
	}
	ck_assert_double_le(worst, 5e-6 * sqrt(square / (double)t.elements_y));
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
	tcase_add_loop_test(t, small_sizes, 0, PLAIN);
	tcase_add_loop_test(t, windows_and_strides, 0, WAYS);
	tcase_add_loop_test(t, windows_whose_points_are_apart, 0, WAYS);
	tcase_add_loop_test(t, volumes, 0, PLAIN);
	tcase_add_loop_test(t, many_channels_and_blocks, 0, WAYS);
	tcase_add_test(t, parts_and_levels_have_the_same_bits);
	tcase_add_loop_test(t, sums_round_little, 0, 4);
	return suite_end(s);
}
