/* test_rt_pack.c — matrices gathered from tensors against their definition, element by element, for random windows:
 * strides, dilations, padding, divisors, dimensions that depend on several factors, turns of loops. Products that read
 * windows where they lie give the bits of those of the gathered matrix. */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "pack_inside.h"
#include "pack_windows.h"
#include "suite.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

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

/* Dimensions as large as it takes for no element to lie outside, unless that is too much. */
static void stay_inside(struct window *w)
{
	int64_t dim[3][PACK_DIM_WORDS], stride = 1;
	for (int64_t d = w->rank - 1; d >= 0; d--) {
		struct product_reach r = {0, 0, 0};
		int64_t moved = 0;
		for (int64_t f = 0; f < w->nrows + w->ncols; f++)
			product_reach_add(&r, w->factor[f][0], w->factor[f][1 + d]);
		for (int64_t l = 0; l < w->nloops; l++)
			moved += w->turn.at[l] * w->loop[l][d];
		int64_t extent = r.high - r.low + draw(1, 2);
		put(dim[d], (int64_t[]){extent, stride, -r.low - moved, 1}, PACK_DIM_WORDS);
		stride *= extent;
	}
	if (stride > ROOM)
		return;
	memcpy(w->dim, dim, sizeof dim);
	for (int64_t d = 0; d < w->rank; d++)
		put(w->words + PACK_HEAD + d * PACK_DIM_WORDS, dim[d], PACK_DIM_WORDS);
}

static struct window random_window(void)
{
	struct window w = {.rank = draw(1, 3), .nrows = draw(0, 2), .ncols = draw(0, 3), .nloops = draw(0, 2)};
	int64_t stride = 1,
		*to = put(w.words, (int64_t[]){w.rank, w.nrows, w.ncols, w.nloops, WAY_GATHERED}, PACK_HEAD);
	for (int64_t d = w.rank - 1; d >= 0; d--) {
		int64_t extent = draw(0, 3) ? draw(1, 9) : draw(10, 39);
		put(w.dim[d], (int64_t[]){extent, stride, draw(-4, 4), draw(0, 3) ? 1 : draw(2, 3)}, PACK_DIM_WORDS);
		stride *= extent;
	}
	for (int64_t d = 0; d < w.rank; d++)
		to = put(to, w.dim[d], PACK_DIM_WORDS);
	for (int64_t f = 0; f < w.nrows + w.ncols; f++) {
		bool is_line = w.ncols > 0 && f == w.nrows + w.ncols - 1;
		bool is_run = is_line && draw(0, 1); /* of neighbours */
		w.factor[f][0] = is_line && !draw(0, 2) ? draw(6, 40) : draw(1, 5);
		for (int64_t d = 0; d < w.rank; d++)
			w.factor[f][1 + d] = is_run ? d == w.rank - 1 : draw(0, 2) ? 0 : draw(-2, 3);
		to = put(to, w.factor[f], 1 + w.rank);
	}
	for (int64_t l = 0; l < w.nloops; l++) {
		w.turn.at[l] = draw(0, 2);
		for (int64_t d = 0; d < w.rank; d++)
			w.loop[l][d] = draw(-1, 2);
		to = put(to, w.loop[l], w.rank);
	}
	if (draw(0, 2) == 0)
		stay_inside(&w);
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

/* Counts those that are gathered by places of elements, of runs, and of more than are found at a time. */
static void count_inside(const struct window *w, int *of)
{
	struct packing p = packing_of(w->words);
	struct inside s;
	int64_t index[PACK_RANK_MAX], had[PACK_RANK_MAX];
	packing_moves(&p, w->words, &w->turn, had, index);
	if (inside_of(&p, index, &s))
		of[s.columns.count > INSIDE_PLACES ? 2 : s.run > 1]++;
}

/* One element more than the matrix has is kept as it was. */
START_TEST(every_element_is_the_defined_one)
{
	static float x[ROOM], to[ROOM];
	static double wide_x[ROOM], wide_to[ROOM];
	static uint16_t half_x[ROOM], half_to[ROOM];
	int inside[3] = {0};
	for (int i = 0; i < ROOM; i++) {
		wide_x[i] = x[i] = (float)(i + 1);
		half_x[i] = (uint16_t)(i + 1);
	}
	const int cases = suite_slowly(CASES);
	for (int n = 0; n < cases; n++) {
		struct window w = random_window();
		count_inside(&w, inside);
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
	for (int i = 0; i < 3; i++)
		ck_assert_int_ge(inside[i], cases / 500);
}
END_TEST

enum { GUARD = 4096, PLACE = 1 << 16 };

/* Bytes that nothing may be read before or behind. */
static char *guarded(void)
{
	char *at = mmap(NULL, PLACE + 2 * GUARD, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(at, MAP_FAILED);
	ck_assert_int_eq(mprotect(at + GUARD, PLACE, PROT_READ | PROT_WRITE), 0);
	for (int i = 0; i < PLACE; i++)
		at[GUARD + i] = (char)draw(1, 127);
	return at + GUARD;
}

static struct lines random_lines(void)
{
	int64_t extent = draw(0, 1) ? draw(1, 40) : draw(41, 300), count = draw(1, 8);
	struct lines l = {.count = count, .extent = extent, .apart = draw(0, 3) ? 1 : draw(2, 3)};
	l.first = draw(0, 2) ? 0 : draw(0, count);
	l.last = draw(0, 2) ? count : draw(l.first, count);
	l.begin = draw(0, 2) ? draw(0, extent > 3 ? 3 : 0) : draw(0, extent);
	l.end = draw(l.begin, extent);
	l.end = draw(0, 2) && extent - 3 > l.begin ? extent - draw(0, 3) : l.end;
	l.step = extent * l.apart + draw(-3, 3);
	return l;
}

START_TEST(lines_have_zeros_around_them)
{
	static unsigned char to[PLACE];
	char *place = guarded();
	for (int n = 0; n < suite_slowly(4 * CASES); n++) {
		struct lines l = random_lines();
		int64_t size = 1 << draw(0, 3), low = l.first * l.step + l.begin * l.apart;
		int64_t high = (l.last - 1) * l.step + (l.end - 1) * l.apart + 1, all = l.count * l.extent * size;
		if (l.step < 0 || (high - low) * size > PLACE || all + 1 > PLACE)
			continue;
		char *x = draw(0, 1) ? place - low * size : place + PLACE - high * size;
		enum product_level level = product_level(16 << draw(0, 2), false);
		memset(to, 0x77, (size_t)all + 1);
		lines_of(level, (int)size, l.apart)(&l, x, to);
		ck_assert_int_eq(to[all], 0x77);
		for (int64_t i = 0; i < all; i++) {
			int64_t line = i / size / l.extent, at = i / size % l.extent;
			bool inside = line >= l.first && line < l.last && at >= l.begin && at < l.end;
			if (to[i] != (inside ? (unsigned char)x[(line * l.step + at * l.apart) * size + i % size] : 0))
				ck_abort_msg("level %d, %d bytes, line %d of %d, element %d of %d, %d apart",
					     (int)level, (int)size, (int)line, (int)l.count, (int)at, (int)l.extent,
					     (int)l.apart);
		}
	}
	munmap(place - GUARD, PLACE + 2 * GUARD);
}
END_TEST

START_TEST(nothing_is_gathered_twice)
{
	float x[] = {1, 2, 3}, to[2] = {0};
	/* x[j + turn of the second loop], j < 2 */
	const int64_t words[] = {1, 0, 1, 2, WAY_GATHERED, 3, 1, 0, 1, 2, 1, 0, 1};
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

/* Windows as convolutions have them, of strides or not; a third of them of tensors that few leave. */
static struct window random_convolution(bool left)
{
	bool inside = draw(0, 2) == 0;
	struct window w = {.rank = draw(1, inside ? 2 : 3), .nrows = 3, .ncols = draw(1, 2), .nloops = 1};
	if (left) {
		w.nrows = w.ncols;
		w.ncols = 3;
	}
	int64_t stride = 1, by = draw(1, 3), count = w.nrows + w.ncols, own = left ? 0 : w.nrows;
	int64_t nown = left ? w.nrows : w.ncols;
	int64_t *to = put(w.words, (int64_t[]){w.rank, w.nrows, w.ncols, w.nloops, WAY_THROUGH}, PACK_HEAD);
	for (int64_t d = w.rank - 1; d >= 0; d--) {
		int64_t extent = inside ? draw(150, 200) : draw(1, 24);
		put(w.dim[d], (int64_t[]){extent, stride, draw(inside ? 0 : -3, 3), 1}, PACK_DIM_WORDS);
		stride *= extent + draw(0, 2);
	}
	for (int64_t d = 0; d < w.rank; d++)
		to = put(to, w.dim[d], PACK_DIM_WORDS);
	for (int64_t f = 0; f < count; f++) {
		bool is_own = f >= own && f < own + nown, is_line = f == own + nown - 1;
		w.factor[f][0] = is_own ? draw(1, 40) : draw(1, 9);
		for (int64_t d = 0; d < w.rank; d++)
			w.factor[f][1 + d] = is_line  ? by * (d == w.rank - 1)
					     : is_own ? by * (draw(0, 3) == d)
						      : draw(inside ? 0 : -1, 2);
		to = put(to, w.factor[f], 1 + w.rank);
	}
	for (int64_t d = 0; d < w.rank; d++)
		*to++ = w.loop[0][d] = draw(inside ? 0 : -1, 2);
	return w;
}

enum { WINDOW_M = 60, MOST_WINDOWS = 1600, MOST_K = 729, ROOM_BYTES = 1 << 23, PARTS = 4 };

struct
try {
	enum product_level level;
	enum product_type type;
	int64_t size;
	const void *x, *other;
};

/* A product through windows, in parts, and of the gathered matrix: the same bits, whether the second turn adds to what
 * the first has left or not. What lies behind the room and between the rows of C stays. In how many turns nothing was
 * copied. */
static int compare_products(const struct try *t, int64_t m, bool left, struct window *w)
{
	static char room[ROOM_BYTES], gathered[MOST_WINDOWS * MOST_K * 8], c[2][WINDOW_M * (MOST_WINDOWS + 4) * 8];
	static char *packing;
	int64_t rows = elements(w, 0, w->nrows), columns = elements(w, w->nrows, w->ncols), size = t->size;
	int64_t k = left ? columns : rows, windows = left ? rows : columns;
	int in_place = 0;
	struct product p = {.m = left ? windows : m, .n = left ? m : windows, .k = k, .alpha = 0.75};
	double beta = (double)draw(0, 2) / 2;
	p.ldc = p.n + draw(0, 1) * 3;
	bool turned = draw(0, 1), adds_up = draw(0, 1);
	int64_t nparts = draw(1, PARTS);
	packing = packing ? packing : aligned_alloc(64, (size_t)((PARTS + 1) * product_room()));
	void *gathering = packing + PARTS * product_room();
	struct product_operand other = {t->other, turned ? 1 : left ? m : k, turned ? left ? k : m : 1};
	*(left ? &p.b : &p.a) = other;
	int64_t bytes = pack_room(w->words) * size;
	ck_assert(bytes + 64 <= ROOM_BYTES);
	const int64_t loops[LOOP_WORDS] = {[LOOP_EXTENT] = 2};
	struct windows v = windows_of(t->level, t->type, w->words, loops, &p, t->x, left, room);
	struct packed_f32 narrow = operands_f32(t->level, nothing, nothing, t->x, w->words, gathered).right;
	struct packed_f64 wide = operands_f64(t->level, nothing, nothing, t->x, w->words, gathered).right;
	for (w->turn.at[0] = 0; w->turn.at[0] < 2; w->turn.at[0]++) {
		struct product_operand matrix = {NULL, columns, 1};
		matrix.at = size == 8 ? (const void *)packed_at_f64(&wide, &w->turn, 0)
				      : (const void *)packed_at_f32(&narrow, &w->turn, 0);
		*(left ? &p.a : &p.b) = matrix;
		memset(room + bytes, 0x5A, 64);
		windows_at(&v, &w->turn);
		in_place += v.in_place;
		v.w.stays = adds_up && w->turn.at[0] == 1;
		v.w.goes_on = adds_up && w->turn.at[0] == 0;
		p.beta = v.w.stays ? 1 : beta;
		for (int way = 0; way < 2; way++) {
			if (!v.w.stays)
				memset(c[way], 0x3C, (size_t)(p.m * p.ldc * size));
			p.c = c[way];
			v.w.kept = false;
			for (int64_t i = nparts - 1; way && i >= 0; i--)
				product_run_windows(t->level, t->type, &p, &v.w, (struct product_part){i, nparts},
						    packing + i * product_room());
			if (!way)
				product_run(t->level, t->type, &p, product_whole(), gathering);
		}
		if (!v.w.goes_on && memcmp(c[0], c[1], (size_t)(p.m * p.ldc * size)))
			ck_abort_msg("level %d, %d bytes, %dx%dx%d, %s, lines of %d, %d apart: other bits",
				     (int)t->level, (int)size, (int)p.m, (int)p.n, (int)k, left ? "left" : "right",
				     (int)v.w.extent, (int)v.w.pitch);
		for (int i = 0; i < 64; i++)
			ck_assert(room[bytes + i] == 0x5A);
	}
	return in_place;
}

START_TEST(products_through_windows_have_the_bits_of_gathered_ones)
{
	enum { LEAST_M = 3, MANY = 9 /* fewer rows are multiplied otherwise */ };
	static float x[ROOM], a[WINDOW_M * MOST_K];
	static double wide_x[ROOM], wide_a[WINDOW_M * MOST_K];
	int taken = 0, in_place = 0;
	for (int i = 0; i < ROOM; i++)
		wide_x[i] = x[i] = (float)(i % 97 - 48) / 7;
	for (int i = 0; i < WINDOW_M * MOST_K; i++)
		wide_a[i] = a[i] = (float)(i % 89 - 44) / 11;
	const int cases = suite_slowly(CASES);
	for (int n = 0; n < cases / 4; n++) {
		bool left = draw(0, 1);
		struct window w = random_convolution(left);
		enum product_level level = product_level(16 << draw(0, 2), false);
		int64_t m = draw(LEAST_M, WINDOW_M);
		int64_t windows = left ? elements(&w, 0, w.nrows) : elements(&w, w.nrows, w.ncols);
		if (windows < MANY || pack_room(w.words) * 8 >= ROOM_BYTES)
			continue;
		in_place += compare_products(&(struct try){level, PRODUCT_F32, 4, x, a}, m, left, &w);
		in_place += compare_products(&(struct try){level, PRODUCT_F64, 8, wide_x, wide_a}, m, left, &w);
		taken++;
	}
	ck_assert_int_gt(taken, cases / 10);
	ck_assert_int_ge(in_place, cases / 500);
}
END_TEST

int main(void)
{
	Suite *s;
	TCase *t = suite_begin(&s, "gathered operands");
	tcase_add_test(t, every_element_is_the_defined_one);
	tcase_add_test(t, lines_have_zeros_around_them);
	tcase_add_test(t, nothing_is_gathered_twice);
	tcase_add_test(t, an_operand_in_place);
	tcase_add_test(t, products_through_windows_have_the_bits_of_gathered_ones);
	return suite_end(s);
}
