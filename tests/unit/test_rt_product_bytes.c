/* test_rt_product_bytes.c — products of whole numbers of 8 bits, of all signs, against sums in 64 bits: every level
 * that this machine has, every way operands can lie, sizes around words, tiles, panels and blocks, numbers up to the
 * largest. What lies around C stays as it is, nothing is read behind operands. */
#define _DEFAULT_SOURCE
#include "product/job.h"
#include "product_fixture.h"
#include "suite.h"

#include <string.h>

enum { MOST = 1 << 20, BYTES = 4 * MOST, GUARD = 64, AROUND = 12345 };

static int left[MOST], right[MOST]; /* m x k, k x n */
static int32_t c[MOST], sums[MOST];
static char *end_a, *end_b; /* behind them is nothing */
static unsigned char *room;

static bool a_signed(enum product_type t)
{
	return t == PRODUCT_I8 || t == PRODUCT_I8_U8;
}

static bool b_signed(enum product_type t)
{
	return t == PRODUCT_I8 || t == PRODUCT_U8_I8;
}

/* Every third number is the largest or the smallest one. */
static int number(int64_t i, bool is_signed)
{
	uint32_t x = (uint32_t)i * 2654435761U;
	int any = (int)(x >> 24), edge = x >> 20 & 1 ? 255 : 0;
	return (x >> 8 & 0xFF) % 3 ? any - (is_signed ? 128 : 0) : edge - (is_signed ? 128 : 0);
}

static void fill(enum product_type type, int64_t m, int64_t n, int64_t k)
{
	for (int64_t i = 0; i < m * k; i++)
		left[i] = number(i + m, a_signed(type));
	for (int64_t i = 0; i < k * n; i++)
		right[i] = number(3 * i + n, b_signed(type));
	for (int64_t i = 0; i < m; i++)
		for (int64_t j = 0; j < n; j++) {
			int64_t sum = 0;
			for (int64_t p = 0; p < k; p++)
				sum += (int64_t)left[i * k + p] * right[p * n + j];
			sums[i * n + j] = (int32_t)(uint32_t)(uint64_t)sum;
		}
}

static void lie(struct product_operand *o, char *end, int way, int64_t rows, int64_t columns, int64_t more,
		const int *from)
{
	char *at = product_lie(o, end, 1, way, rows, columns, more);
	for (int64_t i = 0; i < rows; i++)
		for (int64_t j = 0; j < columns; j++)
			at[i * o->row + j * o->column] = (char)from[i * columns + j];
}

struct kind {
	enum product_level level;
	enum product_type type;
	int way_a, way_b;
	int64_t more; /* elements between lines */
	bool adds;
	int64_t parts;
};

static void check(const struct kind *w, int64_t m, int64_t n, int64_t k)
{
	struct product p = {.m = m, .n = n, .k = k, .alpha = 1, .beta = w->adds, .ldc = n + w->more};
	lie(&p.a, end_a, w->way_a, m, k, w->more, left);
	lie(&p.b, end_b, w->way_b, k, n, w->more, right);
	for (int64_t i = 0; i < (m + 2) * p.ldc; i++)
		c[i] = AROUND;
	p.c = c + p.ldc;
	for (int64_t i = w->parts - 1; i >= 0; i--)
		product_run(w->level, w->type, &p, (struct product_part){i, w->parts}, room);
	for (int64_t i = 0; i < (m + 2) * p.ldc; i++) {
		int64_t row = i / p.ldc - 1, column = i % p.ldc;
		bool inside = row >= 0 && row < m && column < n;
		uint32_t want = inside ? (uint32_t)sums[row * n + column] + (w->adds ? AROUND : 0) : AROUND;
		if (want != (uint32_t)c[i])
			ck_abort_msg("%dx%dx%d, level %d, type %d, ways %d and %d, %d apart: (%d, %d) is %d, not %d",
				     (int)m, (int)n, (int)k, w->level, w->type, w->way_a, w->way_b, (int)w->more,
				     (int)row, (int)column, (int)c[i], (int)want);
	}
	for (int i = 0; i < GUARD; i++)
		if (room[product_room() + i] != 0x5A)
			ck_abort_msg("the room's end was passed");
}

/* Every level, type and way; or of the ways those whose turn it is. */
static void all_kinds(int64_t m, int64_t n, int64_t k, bool all_ways)
{
	int turn = (int)(m + n + k);
	for (int type = PRODUCT_FLOATS; type < PRODUCT_TYPES; type++) {
		fill((enum product_type)type, m, n, k);
		for (int level = 0; level < PRODUCT_LEVELS; level++)
			for (int ways = all_ways ? 0 : turn % WAYS;
			     ways < WAYS * WAYS && product_has_level((enum product_level)level);
			     ways += all_ways ? 1 : WAYS, turn++)
				check(&(struct kind){(enum product_level)level, (enum product_type)type, ways % WAYS,
						     ways / WAYS, turn % 5, turn % 3 == 0, turn % 4 + 1},
				      m, n, k);
	}
}

START_TEST(all_ways_and_sizes)
{
	static const int sizes[] = {1, 2, 3, 4, 5, 7, 8, 13, 15, 16, 17, 31, 33, 48, 49, 64, 65, 129};
	enum { SIZES = sizeof sizes / sizeof *sizes };
	bool is_long = getenv("TEST_LONG") != NULL;
	for (int i = _i; i < SIZES * SIZES * SIZES; i += is_long ? 4 : 28)
		all_kinds(sizes[i % SIZES], sizes[i / SIZES % SIZES], sizes[i / SIZES / SIZES], is_long);
}
END_TEST

/* Of K with vectors of words: 2048 with VNNI, 1024 without. */
START_TEST(sizes_beyond_the_blocks)
{
	static const int sizes[][3] = {{97, 50, 2053}, {20, 49, 1030}, {5, 1537, 52}, {3, 2100, 40}, {100, 1600, 9},
				       {1, 300, 700},  {2, 40, 4103},  {210, 52, 17}, {700, 1, 300}, {17, 40, 2101},
				       {97, 33, 1025}, {96, 401, 31},  {1, 1, 70001}};
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		all_kinds(sizes[i][0], sizes[i][1], sizes[i][2], i % 4 == 0);
}
END_TEST

START_TEST(sums_wrap_around)
{
	enum { K = 70000 };
	for (int level = 0; level < PRODUCT_LEVELS; level++)
		for (int type = PRODUCT_FLOATS; type < PRODUCT_TYPES && product_has_level((enum product_level)level);
		     type++) {
			int a = a_signed((enum product_type)type) ? -128 : 255,
			    b = b_signed((enum product_type)type) ? -128 : 255;
			for (int i = 0; i < 3 * K; i++) {
				left[i] = a;
				right[i] = b;
			}
			for (int i = 0; i < 9; i++)
				sums[i] = (int32_t)(uint32_t)((int64_t)a * b * K);
			check(&(struct kind){(enum product_level)level, (enum product_type)type, ROWS, COLUMNS, 0,
					     false, 1},
			      3, 3, K);
		}
}
END_TEST

START_TEST(nothing_to_sum_is_nothing)
{
	for (int type = PRODUCT_FLOATS; type < PRODUCT_TYPES; type++)
		for (int e = 0; e < 3; e++)
			for (int adds = 0; adds < 2; adds++) {
				int64_t m = e == 0 ? 0 : 4, n = e == 1 ? 0 : 9, k = e == 2 ? 0 : 5;
				fill((enum product_type)type, m, n, k);
				check(&(struct kind){PRODUCT_BASE, (enum product_type)type, ROWS, ROWS, 1, adds, 1}, m,
				      n, k);
			}
}
END_TEST

int main(void)
{
	Suite *s;
	TCase *t = suite_begin(&s, "product_bytes");
	end_a = product_guarded(BYTES);
	end_b = product_guarded(BYTES);
	room = aligned_alloc(64, (size_t)product_room() + GUARD);
	memset(room + product_room(), 0x5A, GUARD);
	tcase_add_loop_test(t, all_ways_and_sizes, 0, 4);
	tcase_add_test(t, sizes_beyond_the_blocks);
	tcase_add_test(t, sums_wrap_around);
	tcase_add_test(t, nothing_to_sum_is_nothing);
	int status = suite_end(s);
	free(room);
	return status;
}
