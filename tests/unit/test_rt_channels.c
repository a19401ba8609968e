/* test_rt_channels.c — products with windows of channels that tiles read in words of two, against sums in f64 by the
 * definition of a gathered operand: strides, dilations of either sign, padding, images as turns, channels that do not
 * fill a group, both orders of the matrix, old C, and numbers of bf16 and of f32 that are rounded. What lies around C
 * stays as it is, nothing is read behind the tensor, and parts for threads have the bits of the whole. */
#define _DEFAULT_SOURCE
#include "half.h"
#include "pack_windows.h"
#include "product/channels.h"
#include "product_fixture.h"
#include "suite.h"

#include <math.h>
#include <string.h>

enum { BYTES = 4 << 20, MOST = 1 << 20, LIST = 128, CASES = 400, PARTS = 4 };
enum { IMAGE, CHANNEL, ROW, COLUMN, RANK };

static char *end_x, *end_a; /* behind them is nothing */
static float c[MOST], whole[MOST];
static char *room[PARTS];
static void *places;
static uint64_t state = 20261130;

static int64_t draw(int64_t low, int64_t high)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return low + (int64_t)((state >> 33) % (uint64_t)(high - low + 1));
}

static float number(int64_t i)
{
	return (float)sin((double)(i % 100003) * 1.7);
}

/* Images of channels of rows and columns, seen by windows of taps. */
struct windowed {
	enum product_type type;
	int64_t extent[RANK], offset[RANK], coef[RANK], taps[RANK], coef_tap[RANK], lines, columns, filters;
	bool by_rows; /* positions are rows of the matrix */
	int64_t words[LIST];
	struct product p;
};

static int64_t size_of(enum product_type type)
{
	return type == PRODUCT_BF16 ? sizeof(uint16_t) : sizeof(float);
}

static void put(enum product_type type, void *at, int64_t i, float x)
{
	if (type == PRODUCT_BF16)
		((uint16_t *)at)[i] = half_of_float(x, true);
	else
		((float *)at)[i] = x;
}

static double get(enum product_type type, const void *at, int64_t i)
{
	return (double)(type == PRODUCT_BF16 ? half_to_float(((const uint16_t *)at)[i], true) : ((const float *)at)[i]);
}

static double factor(enum product_type type, const void *at, int64_t i)
{
	return (double)half_to_float(half_of_float((float)get(type, at, i), true), true);
}

static int64_t *put_factor(int64_t *to, int64_t extent, int dim, int64_t coef)
{
	*to++ = extent;
	for (int d = 0; d < RANK; d++)
		*to++ = d == dim ? coef : 0;
	return to;
}

static int64_t *put_positions(const struct windowed *w, int64_t *to)
{
	to = put_factor(to, w->lines, ROW, w->coef[ROW]);
	return put_factor(to, w->columns, COLUMN, w->coef[COLUMN]);
}

static int64_t *put_taps(const struct windowed *w, int64_t *to)
{
	to = put_factor(to, w->extent[CHANNEL], CHANNEL, 1);
	to = put_factor(to, w->taps[ROW], ROW, w->coef_tap[ROW]);
	return put_factor(to, w->taps[COLUMN], COLUMN, w->coef_tap[COLUMN]);
}

static struct windowed random_windowed(int n)
{
	static const int64_t channels[] = {1, 3, 16, 31, 32, 48, 61, 96};
	struct windowed w = {.type = n % 2 ? PRODUCT_F32_AS_BF16 : PRODUCT_BF16,
			     .lines = draw(1, 5),
			     .columns = draw(1, 40),
			     .filters = draw(1, 70),
			     .by_rows = draw(0, 1)};
	w.extent[IMAGE] = 2;
	w.extent[CHANNEL] = channels[draw(0, 7)];
	for (int d = ROW; d < RANK; d++) {
		w.coef[d] = draw(1, 3);
		w.taps[d] = draw(1, 4);
		w.coef_tap[d] = draw(0, 3) ? draw(1, 2) : -1;
		w.offset[d] = draw(-3, 3);
		w.extent[d] = draw(3, 30);
	}
	int64_t *to = w.words, stride = 1, strides[RANK];
	for (int d = RANK - 1; d >= 0; stride *= w.extent[d--])
		strides[d] = stride;
	*to++ = RANK;
	*to++ = w.by_rows ? 2 : 3;
	*to++ = w.by_rows ? 3 : 2;
	*to++ = 1;
	*to++ = WAY_GATHERED;
	for (int d = 0; d < RANK; d++) {
		*to++ = w.extent[d];
		*to++ = strides[d];
		*to++ = w.offset[d];
		*to++ = 1;
	}
	to = w.by_rows ? put_taps(&w, put_positions(&w, to)) : put_positions(&w, put_taps(&w, to));
	for (int d = 0; d < RANK; d++)
		*to++ = d == IMAGE;
	return w;
}

/* What a window sees of an image; 0 outside of it. */
static double seen(const struct windowed *w, const void *x, int64_t image, int64_t position, int64_t k)
{
	int64_t at_column = k % w->taps[COLUMN], at_row = k / w->taps[COLUMN] % w->taps[ROW];
	int64_t channel = k / w->taps[COLUMN] / w->taps[ROW];
	int64_t row = w->offset[ROW] + position / w->columns * w->coef[ROW] + at_row * w->coef_tap[ROW];
	int64_t column = w->offset[COLUMN] + position % w->columns * w->coef[COLUMN] + at_column * w->coef_tap[COLUMN];
	if (row < 0 || row >= w->extent[ROW] || column < 0 || column >= w->extent[COLUMN])
		return 0;
	return factor(w->type, x,
		      ((image * w->extent[CHANNEL] + channel) * w->extent[ROW] + row) * w->extent[COLUMN] + column);
}

static void fill_c(const struct windowed *w, float *to)
{
	for (int64_t i = 0; i < (w->p.m + 2) * w->p.ldc; i++)
		put(w->type, to, i, number(3 * i + 1));
}

/* An image, in so many parts; `kept`: rows of A are there. */
static void run(const struct windowed *w, struct windows *x, const struct product_channels *channels, int64_t image,
		int64_t parts, bool kept)
{
	struct product_turn turn = {.at = {image}};
	struct product p = w->p;
	p.c = (char *)c + p.ldc * size_of(w->type);
	fill_c(w, c);
	if (windows_at(x, &turn))
		product_channels_pack(w->type, channels, &x->w, room[0]);
	x->w.kept = kept;
	for (int64_t i = 0; i < parts; i++)
		product_run_channels(w->type, &p, &x->w, channels, room[0], (struct product_part){i, parts}, room[i]);
}

static void check(const struct windowed *w, const void *x, const void *a, int64_t image)
{
	const struct product *p = &w->p;
	for (int64_t i = -1; i <= p->m; i++)
		for (int64_t j = 0; j < p->ldc; j++) {
			double old = get(w->type, whole, (i + 1) * p->ldc + j),
			       is = get(w->type, c, (i + 1) * p->ldc + j);
			if (i < 0 || i == p->m || j >= p->n) {
				ck_assert_double_eq(is, old);
				continue;
			}
			double want = p->beta == 0 ? 0 : p->beta * old, size = fabs(want);
			for (int64_t k = 0; k < p->k; k++) {
				double term = p->alpha * factor(w->type, a, i * p->a.row + k * p->a.column) *
					      seen(w, x, image, j, k);
				want += term;
				size += fabs(term);
			}
			double may = 0x1p-20 * size + (w->type == PRODUCT_BF16 ? 0x1p-8 * fabs(want) : 0);
			if (!(fabs(is - want) <= may))
				ck_abort_msg("image %d, filter %d of %d, position %d of %d: %g, not %g", (int)image,
					     (int)i, (int)p->m, (int)j, (int)p->n, is, want);
		}
}

START_TEST(sums_are_those_of_the_definition)
{
	if (!product_has_level(PRODUCT_AMX))
		return;
	const int cases = suite_slowly(CASES);
	int taken = 0;
	for (int n = 0; n < cases; n++) {
		struct windowed w = random_windowed(n);
		int64_t k = w.extent[CHANNEL] * w.taps[ROW] * w.taps[COLUMN], columns = w.lines * w.columns;
		int64_t elements = 2 * w.extent[CHANNEL] * w.extent[ROW] * w.extent[COLUMN];
		w.p = (struct product){.m = w.filters, .n = columns, .k = k, .ldc = columns + draw(0, 3)};
		w.p.alpha = draw(0, 2) ? 1 : 0.75;
		w.p.beta = draw(0, 2) ? 0 : draw(0, 1) ? 1 : -0.5;
		char *x = end_x - elements * size_of(w.type);
		char *a = product_lie(&w.p.a, end_a, size_of(w.type), (int)draw(0, 2), w.filters, k, 1);
		ck_assert_int_lt((w.p.m + 2) * w.p.ldc, MOST);
		for (int64_t i = 0; i < elements; i++)
			put(w.type, x, i, number(i));
		for (int64_t i = 0; i < w.filters * k; i++)
			put(w.type, a, i / k * w.p.a.row + i % k * w.p.a.column, number(5 * i + 2));
		struct packing packing = packing_of(w.words);
		struct product_channels channels = {.count = w.extent[CHANNEL] * (n % 3 ? 1 : w.taps[ROW]), .plane = 1};
		channels.volume = 1;
		for (int64_t d = 0; d < RANK; d++) {
			struct product_planes planes = packing_planes(&packing, d);
			channels.plane *= planes.extent;
			channels.volume *= planes.extent * planes.count;
		}
		struct windows of = windows_of_channels(PRODUCT_AMX, size_of(w.type), w.words, w.by_rows, x, places);
		if (product_channels_cost(PRODUCT_AMX, w.type, &w.p, &of.w, &channels) == 0)
			continue;
		taken++;
		for (int image = 0; image < 2; image++) {
			run(&w, &of, &channels, image, 1, image > 0);
			fill_c(&w, whole);
			check(&w, x, a, image);
		}
		memcpy(whole, c, sizeof c);
		for (int64_t parts = 2; parts <= PARTS; parts++) {
			run(&w, &of, &channels, 1, parts, false);
			ck_assert_msg(!memcmp(whole, c, (size_t)((w.p.m + 2) * w.p.ldc * size_of(w.type))),
				      "%d parts: other bits", (int)parts);
		}
	}
	ck_assert_int_ge(taken * 4, cases);
}
END_TEST

int main(void)
{
	Suite *s;
	TCase *t = suite_begin(&s, "channels");
	end_x = product_guarded(BYTES);
	end_a = product_guarded(BYTES);
	places = malloc(BYTES);
	memset(places, 0xFF, BYTES);
	for (int i = 0; i < PARTS; i++) {
		room[i] = aligned_alloc(64, (size_t)product_room());
		memset(room[i], 0xFF, (size_t)product_room());
	}
	tcase_add_test(t, sums_are_those_of_the_definition);
	int status = suite_end(s);
	free(places);
	for (int i = 0; i < PARTS; i++)
		free(room[i]);
	return status;
}
