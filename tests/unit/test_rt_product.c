/* test_rt_product.c — products of matrices against sums of integers, which every type holds exactly up to a last
 * rounding: every level of vectors that this machine has, every way operands can lie, sizes around tiles, panels and
 * blocks. What lies around C and behind the room must stay as it is. */
#define _DEFAULT_SOURCE
#include "half.h"
#include "product/prefetch.h"
#include "product_fixture.h"
#include "suite.h"

#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 1 << 20, GUARD = 64, BYTES = 32 * MOST, C_BYTES = 16 * MOST };

static int left[MOST], right[MOST], sums[MOST]; /* m x k, k x n, m x n */
static char c[C_BYTES];
static double exact[MOST], may[MOST]; /* m x n: sums, and how far off they may be */
static char *end_a, *end_b;           /* behind them is nothing: operands end here, so that reading on is found */
static unsigned char *room;

static int64_t size_of(enum product_type type)
{
	static const int64_t size[] = {[PRODUCT_F32] = 4, [PRODUCT_F64] = 8,         [PRODUCT_BF16] = 2,
				       [PRODUCT_F16] = 2, [PRODUCT_F32_AS_BF16] = 4, [PRODUCT_F32_AS_F16] = 4};
	return size[type];
}

static void *lie(struct product_operand *o, char *end, enum product_type type, int way, int64_t rows, int64_t columns,
		 int64_t more)
{
	return product_lie(o, end, size_of(type), way, rows, columns, more);
}

static void put(enum product_type type, void *at, int64_t i, double value)
{
	switch (type) {
	case PRODUCT_F32:
	case PRODUCT_F32_AS_BF16:
	case PRODUCT_F32_AS_F16:
		((float *)at)[i] = (float)value;
		break;
	case PRODUCT_F64:
		((double *)at)[i] = value;
		break;
	case PRODUCT_BF16:
	case PRODUCT_F16:
		((uint16_t *)at)[i] = half_of_float((float)value, type == PRODUCT_BF16);
		break;
	default:
		break;
	}
}

static double get(enum product_type type, const void *at, int64_t i)
{
	switch (type) {
	case PRODUCT_F32:
	case PRODUCT_F32_AS_BF16:
	case PRODUCT_F32_AS_F16:
		return (double)((const float *)at)[i];
	case PRODUCT_F64:
		return ((const double *)at)[i];
	case PRODUCT_BF16:
	case PRODUCT_F16:
		return (double)half_to_float(((const uint16_t *)at)[i], type == PRODUCT_BF16);
	default:
		break;
	}
	return 0;
}

/* An element of A or B: where it is rounded before it is multiplied, a number that is rounded to the value. */
static void put_factor(enum product_type type, void *at, int64_t i, double value)
{
	bool rounds = type == PRODUCT_F32_AS_BF16 || type == PRODUCT_F32_AS_F16;
	put(type, at, i, rounds ? value * (1 + (i % 3 - 1) * 0x1p-13) : value);
}

/* What is multiplied for it. */
static double get_factor(enum product_type type, const void *at, int64_t i)
{
	double value = get(type, at, i);
	if (type != PRODUCT_F32_AS_BF16 && type != PRODUCT_F32_AS_F16)
		return value;
	bool brain = type == PRODUCT_F32_AS_BF16;
	return (double)half_to_float(half_of_float((float)value, brain), brain);
}

/* What the type makes of an exact value. */
static double rounded(enum product_type type, double value)
{
	char one[8];
	put(type, one, 0, value);
	return get(type, one, 0);
}

static void fill(int64_t m, int64_t n, int64_t k)
{
	for (int64_t i = 0; i < m * k; i++)
		left[i] = (int)((i * 37 + i / 7) % 7 - 3);
	for (int64_t i = 0; i < k * n; i++)
		right[i] = (int)((i * 53 + i / 5) % 5 - 2);
	memset(sums, 0, (size_t)(m * n) * sizeof *sums);
	for (int64_t i = 0; i < m; i++)
		for (int64_t p = 0; p < k; p++)
			for (int64_t j = 0; j < n; j++)
				sums[i * n + j] += left[i * k + p] * right[p * n + j];
}

static double before(int64_t i)
{
	return (double)(i % 9 - 4);
}

struct kind {
	enum product_level level;
	enum product_type type;
	int way_a, way_b;
	double alpha, beta;
};

/* One part after the other, the last one first. */
static void run_parts(enum product_level level, enum product_type type, const struct product *p, int64_t n)
{
	for (int64_t i = n - 1; i >= 0; i--)
		product_run(level, type, p, (struct product_part){i, n}, room);
}

/* Where C has this element: rows are 3 further apart than they are long, and one row is before and one behind. */
static void check(const struct kind *w, int64_t m, int64_t n, int64_t k)
{
	struct product p = {.m = m, .n = n, .k = k, .alpha = w->alpha, .beta = w->beta, .ldc = n + 3};
	void *a = lie(&p.a, end_a, w->type, w->way_a, m, k, 2), *b = lie(&p.b, end_b, w->type, w->way_b, k, n, 1);
	for (int64_t i = 0; i < m; i++)
		for (int64_t j = 0; j < k; j++)
			put_factor(w->type, a, i * p.a.row + j * p.a.column, left[i * k + j]);
	for (int64_t i = 0; i < k; i++)
		for (int64_t j = 0; j < n; j++)
			put_factor(w->type, b, i * p.b.row + j * p.b.column, right[i * n + j]);
	for (int64_t i = 0; i < (m + 2) * p.ldc; i++)
		put(w->type, c, i, w->beta == 0 ? (double)NAN : before(i));
	p.c = c + p.ldc * size_of(w->type);
	run_parts(w->level, w->type, &p, (m + n + k) % 4 + 1);
	for (int64_t i = 0; i < (m + 2) * p.ldc; i++) {
		int64_t row = i / p.ldc - 1, column = i % p.ldc;
		bool inside = row >= 0 && row < m && column < n;
		double old = w->beta == 0 ? (double)NAN : before(i), is = get(w->type, c, i);
		double want = inside ? w->alpha * sums[row * n + column] + (w->beta == 0 ? 0 : w->beta * old) : old;
		if (!(rounded(w->type, want) == is || (isnan(want) && isnan(is))))
			ck_abort_msg("%dx%dx%d, level %d, type %d, ways %d and %d, alpha %g, beta %g: (%d, %d) is %g, "
				     "not %g",
				     (int)m, (int)n, (int)k, w->level, w->type, w->way_a, w->way_b, w->alpha, w->beta,
				     (int)row, (int)column, is, want);
	}
	for (int i = 0; i < GUARD; i++)
		if (room[product_room() + i] != 0x5A)
			ck_abort_msg("the room's end was passed");
}

/* The levels that this machine has, narrowest first, but for those that differ in products of 8 bits alone
 * (test_rt_product_bytes.c); the last ones may be there for bf16. */
static int levels(enum product_level *list)
{
	int n = 0;
	for (int level = 0; level < PRODUCT_LEVELS; level++)
		if (product_has_level((enum product_level)level) && level != PRODUCT_AVX2_VNNI &&
		    level != PRODUCT_AVX512_VNNI)
			list[n++] = (enum product_level)level;
	return n;
}

/* All levels, types and ways; or every second type of a level in a third of the ways, and with the next sizes the
 * others. */
static void all_kinds(int64_t m, int64_t n, int64_t k, bool all_ways)
{
	static const double factors[] = {0, 1, -0.5};
	enum product_level list[PRODUCT_LEVELS];
	int nlevels = levels(list), turn = (int)(m + n + k);
	fill(m, n, k);
	for (int l = 0; l < nlevels; l++)
		for (int type = all_ways ? 0 : (int)(m + n + k + l) % 2; type < PRODUCT_FLOATS;
		     type += all_ways ? 1 : 2)
			for (int ways = all_ways ? 0 : (turn + type) % WAYS; ways < WAYS * WAYS;
			     ways += all_ways ? 1 : WAYS, turn++)
				check(&(struct kind){list[l], (enum product_type)type, ways % WAYS, ways / WAYS,
						     turn % 5 == 0 ? 2 : 1, factors[turn % 3]},
				      m, n, k);
}

START_TEST(all_ways_and_sizes)
{
	static const int sizes[] = {1, 2, 5, 6, 7, 8, 13, 16, 17, 31, 33, 64, 65, 129};
	enum { SIZES = sizeof sizes / sizeof *sizes };
	bool is_long = getenv("TEST_LONG") != NULL;
	for (int i = _i; i < SIZES * SIZES * SIZES; i += is_long ? 3 : 6)
		all_kinds(sizes[i % SIZES], sizes[i / SIZES % SIZES], sizes[i / SIZES / SIZES], is_long);
}
END_TEST

START_TEST(sizes_beyond_the_blocks)
{
	static const int sizes[][3] = {{97, 50, 513}, {200, 49, 390},  {5, 1537, 520},  {3, 2100, 40},  {100, 1600, 9},
				       {1, 300, 700}, {2, 40, 4100},   {8, 12, 4100},   {515, 520, 17}, {1030, 3, 33},
				       {700, 1, 300}, {17, 40, 2101},  {33, 500, 1100}, {96, 401, 31},  {64, 40, 50},
				       {50, 195, 65}, {30, 600, 1100}, {16, 24, 2000},  {50, 3, 1100},  {24, 37, 1030}};
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		all_kinds(sizes[i][0], sizes[i][1], sizes[i][2], getenv("TEST_LONG") != NULL);
}
END_TEST

/* A number that is left there may be one that multiplications wait for. */
START_TEST(panels_hold_numbers_behind_the_last_column)
{
	enum { N = 37, K = 11 };
	enum product_level list[PRODUCT_LEVELS];
	int nlevels = levels(list);
	for (int way = 0; way < nlevels * WAYS; way++) {
		const struct product_kernels *x = product_plain(list[way / WAYS], PRODUCT_F32);
		int64_t width = x->lanes * x->vectors;
		struct product_panels p = panels_of(x, N, x->lanes, width, K);
		struct product_operand b;
		product_pack *const pack[] = {x->pack->along, x->pack->across, x->pack->any};
		float *at = lie(&b, end_b, PRODUCT_F32, way % WAYS, K, N, 0);
		for (int64_t i = 0; i < BYTES / (1 << 10) && (char *)(at + i) < end_b; i++)
			at[i] = 1;
		memset(room, 0xFF, (size_t)product_room());
		pack[way % WAYS](&p, at, b.row, b.column, room);
		int64_t first = panel_begin(&p, p.count - 1), lanes = parts(N - first, x->lanes) * x->lanes;
		for (int64_t i = 0; i < K * lanes; i++) {
			const float *row = (float *)(void *)room + ((p.count - 1) * K + i / lanes) * width;
			if (isnan(row[i % lanes]))
				ck_abort_msg("level %d, way %d: column %d of row %d is what was left there",
					     list[way / WAYS], way % WAYS, (int)(i % lanes), (int)(i / lanes));
		}
	}
}
END_TEST

/* Tiles fetch every line of the cache that the block behind lies in, each of its rows from its beginning on. */
START_TEST(tiles_fetch_all_of_the_next_block)
{
	static const int sizes[][4] = {
		{384, 12, 32, 384}, {192, 24, 32, 384}, {100, 12, 12, 384}, {7, 3, 12, 512}, {1, 1, 3, 8}};
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		enum { PITCH = 4096 };
		const char *at = end_b - BYTES;
		struct lines_of_b b = {at, sizes[i][0], sizes[i][1], PITCH};
		struct prefetch f;
		static bool is_fetched[512][PITCH / CACHE_LINE];
		memset(is_fetched, 0, sizeof is_fetched);
		prefetch_begin(&f, &b, sizes[i][2], sizes[i][3]);
		for (int tile = 0; tile < sizes[i][2]; tile++, prefetch_next(&f))
			for (int k = 0; k < sizes[i][3]; k++) {
				int64_t line = (f.at + f.offset[k] - at) / CACHE_LINE;
				if (line / (PITCH / CACHE_LINE) < b.rows)
					is_fetched[line / (PITCH / CACHE_LINE)][line % (PITCH / CACHE_LINE)] = true;
			}
		for (int64_t row = 0; row < b.rows; row++)
			for (int64_t line = 0; line < PITCH / CACHE_LINE; line++)
				if (is_fetched[row][line] != (line < b.n))
					ck_abort_msg("sizes %d: line %d of row %d", (int)i, (int)line, (int)row);
	}
}
END_TEST

START_TEST(empty_extents_and_alpha_zero)
{
	enum product_level list[PRODUCT_LEVELS];
	int nlevels = levels(list);
	for (int l = 0; l < nlevels; l++)
		for (int type = 0; type < PRODUCT_FLOATS; type++)
			for (int e = 0; e < 4; e++)
				for (int beta = 0; beta < 3; beta++) {
					struct kind w = {list[l], (enum product_type)type, ROWS, ROWS, e < 3, beta};
					int64_t m = e == 0 ? 0 : 4, n = e == 1 ? 0 : 9, k = e == 2 ? 0 : 5;
					fill(m, n, k);
					check(&w, m, n, k);
				}
}
END_TEST

/* What is not finite in a row of A or a column of B is in this row or column of C and nowhere else. */
START_TEST(undefined_elements_stay_in_their_row_and_column)
{
	static const int sizes[][3] = {{1, 9, 20}, {8, 17, 33}, {20, 50, 40}, {7, 1, 12}, {32, 35, 50}};
	enum product_level list[PRODUCT_LEVELS];
	int nlevels = levels(list);
	for (int x = 0; x < nlevels * 5 * WAYS * WAYS * PRODUCT_FLOATS; x++) {
		const int *s = sizes[x % 5];
		int64_t m = s[0], n = s[1], k = s[2];
		int way = x / 5 / PRODUCT_FLOATS, type = x / 5 % PRODUCT_FLOATS, way_a = way % WAYS,
		    way_b = way / WAYS % WAYS;
		struct product p = {.m = m, .n = n, .k = k, .c = c, .ldc = n, .alpha = 1};
		void *a = lie(&p.a, end_a, (enum product_type)type, way_a, m, k, 0);
		void *b = lie(&p.b, end_b, (enum product_type)type, way_b, k, n, 0);
		for (int64_t i = 0; i < m * k; i++)
			put((enum product_type)type, a, i / k * p.a.row + i % k * p.a.column, 1);
		for (int64_t i = 0; i < k * n; i++)
			put((enum product_type)type, b, i / n * p.b.row + i % n * p.b.column, 0);
		put((enum product_type)type, a, (m - 1) * p.a.row + (k - 1) * p.a.column, (double)INFINITY);
		put((enum product_type)type, b, (n - 1) * p.b.column, (double)NAN);
		memset(room, 0xFF, (size_t)product_room()); /* what other products leave is of no account */
		product_run(list[way / WAYS / WAYS % nlevels], (enum product_type)type, &p, product_whole(), room);
		for (int64_t i = 0; i < m * n; i++) {
			bool is = isnan(get((enum product_type)type, c, i));
			if (is != (i / n == m - 1 || i % n == n - 1))
				ck_abort_msg("%dx%dx%d, type %d, ways %d and %d: element %d is %s", s[0], s[1], s[2],
					     type, way_a, way_b, (int)i, is ? "undefined" : "not undefined");
		}
	}
}
END_TEST

/* Numbers whose sums are rounded, in all that A and B reach over; every second one of A times `small`. */
static void put_waves(enum product_type type, const char *a, const char *b, double small)
{
	for (int64_t i = (end_a - a) / size_of(type); i > 0; i--)
		put(type, end_a, -i, sin((double)i) * (i % 2 ? small : 1));
	for (int64_t i = (end_b - b) / size_of(type); i > 0; i--)
		put(type, end_b, -i, cos((double)(3 * i)));
}

/* Sums that are rounded: the same bits with vectors of 32 and of 64 bytes. */
START_TEST(levels_with_fused_multiply_adds_agree_to_the_bit)
{
	static const int sizes[][3] = {{64, 64, 64}, {33, 70, 700}, {1, 100, 300},
				       {2, 64, 77},  {5, 40, 300},  {8, 9, 4200}};
	if (!product_has_level(PRODUCT_AVX512))
		return;
	for (int x = 0; x < 6 * PRODUCT_FLOATS * WAYS * WAYS; x++) {
		const int *s = sizes[x % 6];
		enum product_type type = (enum product_type)(x / 6 % PRODUCT_FLOATS);
		struct product p = {.m = s[0], .n = s[1], .k = s[2], .ldc = s[1], .alpha = 0.7, .beta = 0.3};
		static char narrow[8 * 4096 * 4], wide[8 * 4096 * 4];
		const void *a = lie(&p.a, end_a, type, x / 6 / PRODUCT_FLOATS % WAYS, p.m, p.k, 0);
		const void *b = lie(&p.b, end_b, type, x / 6 / PRODUCT_FLOATS / WAYS, p.k, p.n, 0);
		put_waves(type, a, b, 1);
		for (int64_t i = 0; i < p.m * p.n; i++) {
			put(type, narrow, i, sin((double)(7 * i)));
			put(type, wide, i, sin((double)(7 * i)));
		}
		p.c = narrow;
		product_run(PRODUCT_AVX2, type, &p, product_whole(), room);
		p.c = wide;
		product_run(PRODUCT_AVX512, type, &p, product_whole(), room);
		if (memcmp(narrow, wide, (size_t)(p.m * p.n) * 8))
			ck_abort_msg("%dx%dx%d, type %d: other bits", s[0], s[1], s[2], type);
	}
}
END_TEST

START_TEST(parts_have_the_bits_of_the_whole)
{
	static const int sizes[][3] = {{1, 100, 300}, {8, 90, 520}, {9, 17, 40},    {300, 33, 70}, {520, 3, 33},
				       {33, 520, 90}, {129, 65, 7}, {600, 70, 520}, {96, 1, 300},  {2, 200, 4100}};
	static char whole[600 * 70 * 8];
	enum product_level list[PRODUCT_LEVELS];
	int nlevels = levels(list), nsizes = sizeof sizes / sizeof *sizes;
	/* Every seventh has all sizes with all types, and each of these with several ways and levels. */
	for (int x = 0; x < nsizes * PRODUCT_FLOATS * WAYS * WAYS * nlevels; x += getenv("TEST_LONG") ? 1 : 7) {
		const int *s = sizes[x % nsizes];
		int way = x / nsizes / PRODUCT_FLOATS;
		enum product_type type = (enum product_type)(x / nsizes % PRODUCT_FLOATS);
		enum product_level level = list[way / WAYS / WAYS];
		struct product p = {.m = s[0], .n = s[1], .k = s[2], .ldc = s[1], .alpha = 0.7, .beta = x % 3 * 0.5};
		const void *a = lie(&p.a, end_a, type, way % WAYS, p.m, p.k, 0);
		const void *b = lie(&p.b, end_b, type, way / WAYS % WAYS, p.k, p.n, 0);
		size_t bytes = (size_t)(p.m * p.n * size_of(type));
		put_waves(type, a, b, 1);
		for (int n = 1; n < 5; n++) {
			for (int64_t i = 0; i < p.m * p.n; i++)
				put(type, n == 1 ? whole : c, i, sin((double)(7 * i)));
			p.c = n == 1 ? whole : c;
			run_parts(level, type, &p, n);
			if (n > 1 && memcmp(whole, c, bytes))
				ck_abort_msg("%dx%dx%d, level %d, type %d, ways %d and %d, %d parts: other bits", s[0],
					     s[1], s[2], level, type, way % WAYS, way / WAYS % WAYS, n);
		}
	}
}
END_TEST

/* Sums of rounded numbers, and of numbers so small that dot products of pairs take them for zeros. */
START_TEST(sums_of_16_bits_are_those_of_f32)
{
	static const int sizes[][3] = {{1, 7, 13},   {7, 13, 65}, {13, 65, 129},
				       {65, 129, 1}, {129, 1, 7}, {40, 33, 1500}};
	enum product_level list[PRODUCT_LEVELS];
	int nlevels = levels(list);
	for (int x = 0; x < 6 * nlevels * WAYS * WAYS * 4; x++) {
		const int *s = sizes[x / 4 / WAYS / WAYS / nlevels];
		int way = x / nlevels % (WAYS * WAYS), turn = x / nlevels / WAYS / WAYS;
		if (!getenv("TEST_LONG") && (way + turn + turn / 4) % 3)
			continue; /* a third of the ways, for each size and type others */
		double small = x / nlevels / WAYS / WAYS % 2 ? 0x1p-127 : 1;
		enum product_type type = x / nlevels / WAYS / WAYS / 2 % 2 ? PRODUCT_F32_AS_BF16 : PRODUCT_BF16;
		struct product p = {.m = s[0], .n = s[1], .k = s[2], .c = c, .ldc = s[1], .alpha = 1};
		const void *a = lie(&p.a, end_a, type, way % WAYS, p.m, p.k, 0);
		const void *b = lie(&p.b, end_b, type, way / WAYS, p.k, p.n, 0);
		put_waves(type, a, b, small);
		/* The same for every level: worked out for the first. */
		for (int64_t i = 0; i < p.m * p.n && x % nlevels == 0; i++) {
			exact[i] = may[i] = 0;
			for (int64_t k = 0; k < p.k; k++) {
				double term = get_factor(type, a, i / p.n * p.a.row + k * p.a.column) *
					      get_factor(type, b, k * p.b.row + i % p.n * p.b.column);
				exact[i] += term;
				may[i] += 0x1p-23 * (double)p.k * fabs(term);
			}
			may[i] += (type == PRODUCT_BF16 ? 0x1p-8 : 0x1p-23) * fabs(exact[i]) + 0x1p-126 * (double)p.k;
		}
		product_run(list[x % nlevels], type, &p, product_whole(), room);
		for (int64_t i = 0; i < p.m * p.n; i++)
			if (!(fabs(get(type, c, i) - exact[i]) <= may[i]))
				ck_abort_msg("%dx%dx%d, level %d: element %d is %g, not %g", s[0], s[1], s[2],
					     list[x % nlevels], (int)i, get(type, c, i), exact[i]);
	}
}
END_TEST

/* ---- registers of tiles ---- */

/* What tiles hold would be saved for every signal and switch of tasks. */
START_TEST(tiles_are_given_back)
{
#ifdef __x86_64__
	enum { STATES_IN_USE = 1, TILES = 3 << 17 };
	if (!product_has_level(PRODUCT_AMX))
		return;
	unsigned low, high;
	all_kinds(40, 50, 70, true);
	__asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(STATES_IN_USE));
	ck_assert_uint_eq(low & TILES, 0);
#endif
}
END_TEST

START_TEST(children_have_tiles)
{
	int status;
	enum product_level level = product_level(64, true);
	fill(40, 50, 70);
	pid_t child = fork();
	if (child == 0) {
		check(&(struct kind){level, PRODUCT_F32_AS_BF16, ROWS, ROWS, 1, 0}, 40, 50, 70);
		_exit(0);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
}
END_TEST

/* A product within another one, in a handler. */
static struct product inner;
static void *inner_room;
static volatile sig_atomic_t signals;
static void on_alarm(int signal)
{
	(void)signal;
	product_run(product_level(64, true), PRODUCT_F32_AS_BF16, &inner, product_whole(), inner_room);
	signals++;
}

START_TEST(signals_leave_tiles_as_they_are)
{
	enum { SIDE = 48, MANY = 100 };
	static float x[SIDE * SIDE], y[SIDE * SIDE];
	struct itimerval often = {{0, 500}, {0, 500}}, never = {{0, 0}, {0, 0}};
	for (int i = 0; i < SIDE * SIDE; i++)
		x[i] = (float)(i % 5);
	inner = (struct product){SIDE, SIDE, SIDE, {x, SIDE, 1}, {x, SIDE, 1}, y, SIDE, 1, 0};
	inner_room = aligned_alloc(64, (size_t)product_room());
	ck_assert_int_eq(sigaction(SIGALRM, &(struct sigaction){.sa_handler = on_alarm}, NULL), 0);
	fill(129, 64, 300);
	setitimer(ITIMER_REAL, &often, NULL);
	while (signals < MANY)
		check(&(struct kind){product_level(64, true), PRODUCT_F32_AS_BF16, ROWS, ROWS, 1, 1}, 129, 64, 300);
	setitimer(ITIMER_REAL, &never, NULL);
	free(inner_room);
}
END_TEST

int main(void)
{
	Suite *s;
	TCase *t = suite_begin(&s, "product");
	end_a = product_guarded(BYTES);
	end_b = product_guarded(BYTES);
	room = aligned_alloc(64, (size_t)product_room() + GUARD);
	memset(room + product_room(), 0x5A, GUARD);
	tcase_add_loop_test(t, all_ways_and_sizes, 0, 3);
	tcase_add_test(t, sizes_beyond_the_blocks);
	tcase_add_test(t, parts_have_the_bits_of_the_whole);
	tcase_add_test(t, panels_hold_numbers_behind_the_last_column);
	tcase_add_test(t, tiles_fetch_all_of_the_next_block);
	tcase_add_test(t, empty_extents_and_alpha_zero);
	tcase_add_test(t, undefined_elements_stay_in_their_row_and_column);
	tcase_add_test(t, levels_with_fused_multiply_adds_agree_to_the_bit);
	tcase_add_test(t, sums_of_16_bits_are_those_of_f32);
	tcase_add_test(t, tiles_are_given_back);
	tcase_add_test(t, children_have_tiles);
	tcase_add_test(t, signals_leave_tiles_as_they_are);
	int status = suite_end(s);
	free(room);
	return status;
}
