/* test_rt_pack.c — matrices gathered from tensors against their definition, element by element, for random windows:
 * strides, dilations, padding, divisors, dimensions that depend on several factors, turns of loops. Products that read
 * windows where they lie give the bits of those of the gathered matrix. */
#include "pack_windows.h"
#include "suite.h"

#include <stdlib.h>
#include <string.h>

enum { ROOM = 1 << 16, LIST = 256, CASES = 5000 };

static uint64_t state = 20261122;
static const int64_t nothing[] = {0};

static int64_t draw(int64_t low, int64_t high)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return low + (int64_t)((state >> 33) % (uint64_t)(high - low + 1));
}

struct window {
	int64_t rank, nrows, ncols, nloops;
	int64_t dim[3][PACK_DIM_WORDS], factor[8][4], loop[2][3]; /* rows, then columns */
	int64_t words[LIST];
	struct product_turn turn;
};

static int64_t *put(int64_t *to, const int64_t *from, int64_t n)
{
	memcpy(to, from, (size_t)n * sizeof *to);
	return to + n;
}

static struct window random_window(void)
{
	struct window w = {.rank = draw(1, 3), .nrows = draw(0, 2), .ncols = draw(0, 3), .nloops = draw(0, 2)};
	int64_t stride = 1, *to = put(w.words, (int64_t[]){w.rank, w.nrows, w.ncols, w.nloops}, PACK_HEAD);
	for (int64_t d = w.rank - 1; d >= 0; d--) {
		int64_t extent = draw(0, 3) ? draw(1, 9) : draw(10, 39);
		put(w.dim[d], (int64_t[]){extent, stride, draw(-4, 4), draw(0, 3) ? 1 : draw(2, 3)}, PACK_DIM_WORDS);
		stride *= extent;
	}
	for (int64_t d = 0; d < w.rank; d++)
		to = put(to, w.dim[d], PACK_DIM_WORDS);
	for (int64_t f = 0; f < w.nrows + w.ncols; f++) {
		bool is_line = w.ncols > 0 && f == w.nrows + w.ncols - 1;
		w.factor[f][0] = is_line && !draw(0, 2) ? draw(6, 40) : draw(1, 5);
		for (int64_t d = 0; d < w.rank; d++)
			w.factor[f][1 + d] = draw(0, 2) ? 0 : draw(-2, 3);
		to = put(to, w.factor[f], 1 + w.rank);
	}
	for (int64_t l = 0; l < w.nloops; l++) {
		w.turn.at[l] = draw(0, 2);
		for (int64_t d = 0; d < w.rank; d++)
			w.loop[l][d] = draw(-1, 2);
		to = put(to, w.loop[l], w.rank);
	}
	return w;
}

static int64_t elements(const struct window *w, int64_t first, int64_t n)
{
	int64_t v = 1;
	for (int64_t f = first; f < first + n; f++)
		v *= w->factor[f][0];
	return v;
}

/* Adds what factors first.. of a number made of them move the index. */
static void move(const struct window *w, int64_t first, int64_t n, int64_t number, int64_t *index)
{
	for (int64_t f = first + n - 1; f >= first; f--) {
		for (int64_t d = 0; d < w->rank; d++)
			index[d] += number % w->factor[f][0] * w->factor[f][1 + d];
		number /= w->factor[f][0];
	}
}

static double defined(const struct window *w, int64_t row, int64_t col)
{
	int64_t index[3], at = 0;
	for (int64_t d = 0; d < w->rank; d++) {
		index[d] = w->dim[d][PACK_OFFSET];
		for (int64_t l = 0; l < w->nloops; l++)
			index[d] += w->turn.at[l] * w->loop[l][d];
	}
	move(w, 0, w->nrows, row, index);
	move(w, w->nrows, w->ncols, col, index);
	for (int64_t d = 0; d < w->rank; d++) {
		int64_t v = index[d] / w->dim[d][PACK_DIV];
		if (index[d] < 0 || index[d] % w->dim[d][PACK_DIV] || v >= w->dim[d][PACK_EXTENT])
			return 0;
		at += v * w->dim[d][PACK_STRIDE];
	}
	return (double)(at + 1);
}

/* One element more than the matrix has is kept as it was. */
START_TEST(every_element_is_the_defined_one)
{
	static float x[ROOM], to[ROOM];
	static double wide_x[ROOM], wide_to[ROOM];
	static uint16_t half_x[ROOM], half_to[ROOM];
	for (int i = 0; i < ROOM; i++) {
		wide_x[i] = x[i] = (float)(i + 1);
		half_x[i] = (uint16_t)(i + 1);
	}
	for (int n = 0; n < CASES; n++) {
		struct window w = random_window();
		enum product_level level = product_level(16 << draw(0, 2), draw(0, 1));
		int64_t rows = elements(&w, 0, w.nrows), cols = elements(&w, w.nrows, w.ncols);
		ck_assert_int_eq(pack_elements(w.words), rows * cols);
		for (int i = 0; i < rows * cols + 1; i++)
			wide_to[i] = to[i] = half_to[i] = 7;
		struct packed_f32 p = operands_f32(level, x, w.words, NULL, nothing, to).left;
		struct packed_f64 q = operands_f64(level, wide_x, w.words, NULL, nothing, wide_to).left;
		struct packed_half h = operands_half(level, half_x, w.words, NULL, nothing, half_to).left;
		ck_assert_ptr_eq(packed_at_f32(&p, &w.turn, 7), to);
		ck_assert_ptr_eq(packed_at_f64(&q, &w.turn, 7), wide_to);
		ck_assert_ptr_eq(packed_at_half(&h, &w.turn, 7), half_to);
		for (int64_t r = 0; r < rows; r++)
			for (int64_t c = 0; c < cols; c++) {
				double v = defined(&w, r, c);
				int64_t i = r * cols + c;
				if ((double)to[i] == v && wide_to[i] == v && half_to[i] == v)
					continue;
				ck_abort_msg("case %d, level %d, element %d, %d: %g, %g, %d, not %g", n, (int)level,
					     (int)r, (int)c, (double)to[i], wide_to[i], half_to[i], v);
			}
		int64_t i = rows * cols;
		ck_assert(to[i] == 7.0f && wide_to[i] == 7.0 && half_to[i] == 7);
	}
}
END_TEST

START_TEST(nothing_is_gathered_twice)
{
	float x[] = {1, 2, 3}, to[2] = {0};
	/* x[j + turn of the second loop], j < 2 */
	const int64_t words[] = {1, 0, 1, 2, 3, 1, 0, 1, 2, 1, 0, 1};
	struct packed_f32 p = operands_f32(PRODUCT_BASE, x, words, NULL, nothing, to).left;
	struct product_turn t = {0};
	packed_at_f32(&p, &t, 0);
	ck_assert(to[0] == 1.0f && to[1] == 2.0f);
	to[0] = 9;
	t.at[0] = 1;
	packed_at_f32(&p, &t, 0);
	ck_assert(to[0] == 9.0f);
	t.at[1] = 1;
	packed_at_f32(&p, &t, 0);
	ck_assert(to[0] == 2.0f && to[1] == 3.0f);
}
END_TEST

START_TEST(an_operand_in_place)
{
	float x[4];
	struct packed_f32 p = {.words = nothing, .x = x};
	struct product_turn t = {0};
	ck_assert_int_eq(pack_elements(p.words), 0);
	ck_assert_ptr_eq(packed_at_f32(&p, &t, 3), x + 3);
}
END_TEST

/* Windows as convolutions have them: columns go along the last dimension one by one, and lines along any. */
static struct window random_convolution(void)
{
	struct window w = {.rank = draw(1, 3), .nrows = 3, .ncols = draw(1, 2), .nloops = 1};
	int64_t stride = 1, *to = put(w.words, (int64_t[]){w.rank, w.nrows, w.ncols, w.nloops}, PACK_HEAD);
	for (int64_t d = w.rank - 1; d >= 0; d--) {
		int64_t extent = draw(1, 24);
		put(w.dim[d], (int64_t[]){extent, stride, draw(-3, 3), 1}, PACK_DIM_WORDS);
		stride *= extent + draw(0, 2);
	}
	for (int64_t d = 0; d < w.rank; d++)
		to = put(to, w.dim[d], PACK_DIM_WORDS);
	for (int64_t f = 0; f < w.nrows + w.ncols; f++) {
		bool is_row = f < w.nrows, is_line = f == w.nrows + w.ncols - 1;
		w.factor[f][0] = is_row ? draw(1, 9) : draw(1, 40);
		for (int64_t d = 0; d < w.rank; d++)
			w.factor[f][1 + d] = is_line ? d == w.rank - 1 : is_row ? draw(-1, 2) : draw(0, 3) == d;
		to = put(to, w.factor[f], 1 + w.rank);
	}
	for (int64_t d = 0; d < w.rank; d++)
		*to++ = w.loop[0][d] = draw(-1, 2);
	return w;
}

enum { WINDOW_M = 40 };

/* What lies behind the room and between the rows of C stays. True if the product goes through windows. */
static bool compare_products(enum product_level level, enum product_type type, int64_t m, int64_t size, const void *x,
			     const void *a, struct window *w)
{
	static char room[2 * 40 * 40 * 9 * 9 * 9 * 8 + 64], gathered[sizeof room], c[2][WINDOW_M * 1604 * 8];
	static void *packing;
	int64_t k = elements(w, 0, w->nrows), n = elements(w, w->nrows, w->ncols), ldc = n + draw(0, 1) * 3;
	bool t = draw(0, 1), is_f64 = type == PRODUCT_F64;
	struct product p = {.m = m, .n = n, .k = k, .ldc = ldc, .alpha = 0.75, .beta = (double)draw(0, 1)};
	struct windows v;
	packing = packing ? packing : aligned_alloc(64, (size_t)product_room());
	p.a = (struct product_operand){a, t ? 1 : k, t ? m : 1};
	if (!windows_of(&v, level, type, w->words, k, n, x, room) || !product_takes_windows(&p, &v.w))
		return false;
	struct packed_f32 narrow = operands_f32(level, nothing, nothing, x, w->words, gathered).right;
	struct packed_f64 wide = operands_f64(level, nothing, nothing, x, w->words, gathered).right;
	for (w->turn.at[0] = 0; w->turn.at[0] < 2; w->turn.at[0]++) {
		p.b.at = is_f64 ? (const void *)packed_at_f64(&wide, &w->turn, 0)
				: (const void *)packed_at_f32(&narrow, &w->turn, 0);
		p.b.row = n;
		p.b.column = 1;
		memset(room + k * n * size, 0x5A, 64);
		windows_at(&v, &w->turn);
		for (int way = 0; way < 2; way++) {
			memset(c[way], 0x3C, (size_t)(m * ldc * size));
			p.c = c[way];
			for (int64_t nparts = draw(1, 4), i = nparts - 1; way && i >= 0; i--)
				product_run_windows(level, type, &p, &v.w, (struct product_part){i, nparts}, packing);
			if (!way)
				product_run(level, type, &p, product_whole(), packing);
		}
		if (memcmp(c[0], c[1], (size_t)(m * ldc * size)))
			ck_abort_msg("level %d, %d bytes, %dx%dx%d, lines of %d, %d apart: other bits", (int)level,
				     (int)size, (int)m, (int)n, (int)k, (int)v.w.extent, (int)v.w.pitch);
		for (int i = 0; i < 64; i++)
			ck_assert(room[k * n * size + i] == 0x5A);
	}
	return true;
}

START_TEST(products_through_windows_have_the_bits_of_gathered_ones)
{
	static float x[ROOM], a[WINDOW_M * 729];
	static double wide_x[ROOM], wide_a[WINDOW_M * 729];
	int taken = 0;
	for (int i = 0; i < ROOM; i++)
		wide_x[i] = x[i] = (float)(i % 97 - 48) / 7;
	for (int i = 0; i < WINDOW_M * 729; i++)
		wide_a[i] = a[i] = (float)(i % 89 - 44) / 11;
	for (int n = 0; n < CASES / 4; n++) {
		struct window w = random_convolution();
		enum product_level level = product_level(16 << draw(0, 2), false);
		int64_t m = draw(1, WINDOW_M);
		taken += compare_products(level, PRODUCT_F32, m, 4, x, a, &w);
		taken += compare_products(level, PRODUCT_F64, m, 8, wide_x, wide_a, &w);
	}
	ck_assert_int_gt(taken, CASES / 10);
}
END_TEST

int main(void)
{
	Suite *s;
	TCase *t = suite_begin(&s, "gathered operands");
	tcase_add_test(t, every_element_is_the_defined_one);
	tcase_add_test(t, nothing_is_gathered_twice);
	tcase_add_test(t, an_operand_in_place);
	tcase_add_test(t, products_through_windows_have_the_bits_of_gathered_ones);
	return suite_end(s);
}
