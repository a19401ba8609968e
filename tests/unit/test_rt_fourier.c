/* test_rt_fourier.c — transforms against their definition, on all levels of vectors that the machine has: every short
 * length, lengths of every way and of large prime factors, lines and parts wherever they lie; and that bits of a line
 * hang on nothing else. */
#include "fourier/fourier.h"
#include "suite.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BEHIND = 64 };

/* All that a test took, until it ends. */
static void *take(void *unused, int64_t bytes)
{
	size_t all = ((size_t)bytes + 2 * BEHIND - 1) / BEHIND * BEHIND;
	void *p = aligned_alloc(BEHIND, all);
	(void)unused;
	ck_assert_ptr_nonnull(p);
	return memset(p, 0, all);
}

/* A line's numbers are `step` apart, parts `other`, lines `line`; the others are as they were. */
struct lie {
	int64_t parts, part, first, count, step, other, line;
	bool ends_halved;
};

static double get(const void *at, int64_t size, int64_t i)
{
	return size == 8 ? ((const double *)at)[i] : (double)((const float *)at)[i];
}

static void set(void *at, int64_t size, int64_t i, double v)
{
	if (size == 8)
		((double *)at)[i] = v;
	else
		((float *)at)[i] = (float)v;
}

static void draw(void *at, int64_t size, int64_t n, uint64_t seed)
{
	for (int64_t i = 0; i < n; i++) {
		seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		set(at, size, i, (double)(int64_t)(seed >> 33) / (double)(INT64_C(1) << 30) - 1);
	}
}

/* What number i, of the other side's part, counts: imaginary parts of ends do not. */
static double share_of(const struct lie *a, int64_t n, int64_t part, int64_t i)
{
	return !a->ends_halved || (i % n != 0 && 2 * i != n) ? 1 : part ? 0 : 0.5;
}

static double by_definition(const void *x, int64_t size, int64_t n, bool positive, const struct lie *a, int64_t l,
			    int64_t part, int64_t k)
{
	double sum = 0;
	for (int64_t c = 0; c < a->parts; c++)
		for (int64_t j = 0; j < a->count; j++) {
			double v = get(x, size, l * a->line + c * a->other + j * a->step) *
				   share_of(a, n, a->part + c, a->first + j);
			double angle = 2 * 3.14159265358979323846 * ((double)((a->first + j) * k % n) / (double)n);
			double s = positive ? -sin(angle) : sin(angle);
			sum += a->part + c == part ? v * cos(angle) : part ? -v * s : v * s;
		}
	return sum;
}

static struct fourier_side side_of(void *at, int64_t size, const struct lie *a)
{
	return (struct fourier_side){.at = {at, (char *)at + a->other * size},
				     .part = a->part,
				     .parts = a->parts,
				     .first = a->first,
				     .count = a->count,
				     .step = a->step,
				     .ends_halved = a->ends_halved};
}

static void check_numbers(enum product_level level, int64_t size, int64_t n, enum fourier_numbers numbers,
			  bool positive, int64_t lines, const struct lie *a, const struct lie *b, int64_t elements)
{
	static const int64_t most_checked = 9;
	static const double scale = 0.75;
	char *x = take(NULL, elements * size), *out = take(NULL, elements * size),
	     *before = take(NULL, elements * size);
	char *room = take(NULL, fourier_room(n, numbers, size));
	struct fourier *f = fourier_new(level, size, n, numbers, take, NULL);
	int64_t loops[] = {lines, a->line, b->line}, each = b->count / most_checked + 1;
	struct fourier_job job = {.positive = positive,
				  .scale = scale,
				  .x = side_of(x, size, a),
				  .out = side_of(out, size, b),
				  .nloops = 1,
				  .loops = loops};
	draw(x, size, elements, (uint64_t)n);
	draw(out, size, elements, 1);
	memcpy(before, out, (size_t)(elements * size));
	memset(room, 0x7e, (size_t)fourier_room(n, numbers, size) + BEHIND);
	fourier_run(f, &job, room);
	for (int i = 0; i < BEHIND; i++)
		if (room[fourier_room(n, numbers, size) + i] != 0x7e)
			ck_abort_msg("%d: writes behind its room", (int)n);
	double limit = (size == 8 ? 1e-15 : 5e-7) * sqrt((double)n) * (2 + log2((double)n));
	char *written = take(NULL, elements);
	for (int64_t l = 0; l < lines; l++)
		for (int64_t d = 0; d < b->parts; d++)
			for (int64_t k = 0; k < b->count; k++) {
				int64_t at = l * b->line + d * b->other + k * b->step;
				written[at] = 1;
				if (k % each || l % (lines / 3 + 1))
					continue;
				double want = scale * share_of(b, n, b->part + d, b->first + k) *
					      by_definition(x, size, n, positive, a, l, b->part + d, b->first + k);
				if (!(fabs(get(out, size, at) - want) <= limit))
					ck_abort_msg("level %d, %d bytes, numbers %d, n %d, line %d, part %d, number "
						     "%d: %g, not %g",
						     level, (int)size, (int)numbers, (int)n, (int)l, (int)d, (int)k,
						     get(out, size, at), want);
			}
	for (int64_t i = 0; i < elements; i++)
		if (!written[i] && memcmp(out + i * size, before + i * size, (size_t)size))
			ck_abort_msg("n %d: element %d is no number's", (int)n, (int)i);
	void *all[] = {x, out, before, room, written};
	for (int i = 0; i < 5; i++)
		free(all[i]);
}

static void check(enum product_level level, int64_t size, int64_t n, bool positive, int64_t lines, const struct lie *a,
		  const struct lie *b, int64_t elements)
{
	check_numbers(level, size, n, FOURIER_COMPLEX, positive, lines, a, b, elements);
}

/* Lines one behind the other; side by side; real numbers of which half is wanted; of a part a part. */
static void check_lies(enum product_level level, int64_t size, int64_t n, int64_t lines)
{
	int64_t all = 2 * n * lines + 2, half = n / 2 + 1, some = n / 3 + 1;
	struct lie behind = {2, 0, 0, n, 1, n, 2 * n, false}, beside = {2, 0, 0, n, lines, n * lines, 1, false};
	struct lie real = {1, 0, 0, n, 1, 0, n, false}, of_half = {2, 0, 0, half, 1, half, 2 * half, false};
	struct lie middle = {1, 1, n / 4, some, 2, 0, 2 * some, false},
		   other = {1, 1, n - some, some, lines, 0, 1, false};
	struct lie pairs = {2, 0, 0, n, 2, 1, 2 * n, false}, some_pairs = {2, 0, n / 4, some, 2, 1, 2 * some, false};
	struct lie imaginary = {1, 1, 0, n, 1, 0, n, false};
	check(level, size, n, false, lines, &behind, &behind, all);
	check(level, size, n, true, lines, &behind, &imaginary, all);
	check(level, size, n, false, lines, &pairs, &pairs, all);
	check(level, size, n, true, lines, &pairs, &some_pairs, all + 2 * lines);
	check(level, size, n, true, lines, &some_pairs, &behind, all + 2 * lines);
	check(level, size, n, true, lines, &beside, &beside, all);
	check(level, size, n, true, lines, &behind, &beside, all);
	check(level, size, n, false, lines, &real, &of_half, 2 * half * lines + n * lines);
	check(level, size, n, true, lines, &middle, &other, all + 4 * lines);
	check(level, size, n, false, lines, &middle, &middle, all + 4 * lines);
}

/* One side is real: half of the other one, all of it, some of it, numbers that stand for their conjugates as well; one
 * behind the other, side by side, in pairs. */
static void check_real_lies(enum product_level level, int64_t size, int64_t n, int64_t lines)
{
	int64_t half = n / 2 + 1, some = n / 3 + 1, all = 2 * (n + 2) * lines + 2;
	struct lie real = {1, 0, 0, n, 1, 0, n, false}, beside = {1, 0, 0, n, lines, 0, 1, false};
	struct lie some_real = {1, 0, n / 5, some, 1, 0, some, false},
		   of_half = {2, 0, 0, half, 1, half, 2 * half, false};
	struct lie doubled = {2, 0, 0, half, 1, half * lines, half, true};
	struct lie doubled_beside = {2, 0, 0, half, lines, half * lines, 1, true};
	struct lie behind = {2, 0, 0, n, 1, n, 2 * n, false}, last = {2, 0, n - some, some, 2, 1, 2 * some, false};
	struct lie imaginary = {1, 1, 0, half, 1, 0, half, false}, columns = {2, 0, 0, n, lines, n * lines, 1, false};
	const struct {
		const struct lie *real, *other;
	} sides[] = {{&real, &of_half},   {&real, &doubled},   {&beside, &doubled_beside},
		     {&real, &behind},    {&some_real, &last}, {&real, &last},
		     {&beside, &columns}, {&real, &imaginary}, {&some_real, &of_half}};
	for (size_t i = 0; i < sizeof sides / sizeof *sides; i++)
		for (int positive = 0; positive < 2; positive++) {
			check_numbers(level, size, n, FOURIER_REAL_IN, positive, lines, sides[i].real, sides[i].other,
				      all);
			check_numbers(level, size, n, FOURIER_REAL_OUT, positive, lines, sides[i].other, sides[i].real,
				      all);
		}
}

static const enum product_level levels[] = {PRODUCT_BASE, PRODUCT_AVX2, PRODUCT_AVX512};
static const int64_t long_ones[] = {105, 128, 210, 255, 256, 257, 289, 360, 1000, 1024, 1147, 2048, 2310, 2311, 4096};
enum { SHORT = 70 };

START_TEST(short_lines_are_transformed)
{
	for (int64_t n = 1; n < SHORT && product_has_level(levels[_i]); n++)
		for (int64_t size = 4; size <= 8; size += 4)
			check_lies(levels[_i], size, n, n % 7 == 0 ? 33 : 5);
}
END_TEST

START_TEST(real_lines_are_transformed)
{
	static const int64_t lengths[] = {128, 243, 263, 500, 526, 720, 1000, 1024, 2006};
	for (int64_t n = 1; n < SHORT && product_has_level(levels[_i]); n++)
		for (int64_t size = 4; size <= 8; size += 4)
			check_real_lies(levels[_i], size, n, n % 7 == 0 ? 33 : 5);
	for (size_t i = 0; i < sizeof lengths / sizeof *lengths && product_has_level(levels[_i]); i++)
		for (int64_t size = 4; size <= 8; size += 4)
			check_real_lies(levels[_i], size, lengths[i], i % 2 ? 3 : 17);
}
END_TEST

START_TEST(long_lines_are_transformed)
{
	for (size_t i = 0; i < sizeof long_ones / sizeof *long_ones && product_has_level(levels[_i]); i++)
		for (int64_t size = 4; size <= 8; size += 4)
			check_lies(levels[_i], size, long_ones[i], i % 3 ? 3 : 17);
}
END_TEST

/* Alone, among others, and where only a part is wanted. */
static void compare_alone(enum product_level level, int64_t n, enum fourier_numbers numbers)
{
	enum { LINES = 21 };
	int64_t half = (n + 1) / 2, loops[] = {LINES, 2 * n, 2 * n}, one[] = {1, 0, 0};
	int parts_in = numbers == FOURIER_REAL_IN ? 1 : 2, parts_out = numbers == FOURIER_REAL_OUT ? 1 : 2;
	int64_t count = numbers == FOURIER_REAL_OUT && n % 3 != 0 ? n / 2 + 1 : n;
	float *x = take(NULL, 2 * n * LINES * 4), *out = take(NULL, 2 * n * LINES * 4), *alone = take(NULL, 2 * n * 4);
	void *room = take(NULL, fourier_room(n, numbers, 4));
	struct fourier *f = fourier_new(level, 4, n, numbers, take, NULL);
	struct fourier_job job = {.scale = 1,
				  .x = {{x, x + n}, 0, parts_in, 0, count, 1, false},
				  .out = {{out, out + n}, 0, parts_out, 0, n, 1, false},
				  .nloops = 1,
				  .loops = loops};
	draw(x, 4, 2 * n * LINES, 3);
	fourier_run(f, &job, room);
	for (int64_t l = 0; l < LINES; l += 4) {
		float *line = x + l * 2 * n;
		job.x = (struct fourier_side){{line, line + n}, 0, parts_in, 0, count, 1, false};
		job.out = (struct fourier_side){{alone, alone + n}, 0, parts_out, n - half, half, 1, false};
		job.loops = one;
		fourier_run(f, &job, room);
		for (int p = 0; p < parts_out; p++)
			ck_assert_msg(!memcmp(alone + p * n, out + (2 * l + p) * n + n - half, (size_t)half * 4),
				      "line %d of %d numbers", (int)l, (int)n);
	}
}

START_TEST(bits_of_a_line_hang_on_nothing_else)
{
	static const int64_t lengths[] = {1, 6, 37, 64, 105, 256, 300, 500, 526, 1000, 1031, 1536, 2006};
	for (size_t i = 0; i < sizeof lengths / sizeof *lengths && product_has_level(levels[_i]); i++)
		for (int numbers = FOURIER_COMPLEX; numbers <= FOURIER_REAL_OUT; numbers++)
			compare_alone(levels[_i], lengths[i], (enum fourier_numbers)numbers);
}
END_TEST

/* As a sum that begins with 0. */
START_TEST(zeros_have_no_sign)
{
	for (int64_t n = 1; n < 2 * SHORT && product_has_level(levels[_i]); n += 3) {
		double *x = take(NULL, 2 * n * 8), *out = take(NULL, 2 * n * 8);
		int64_t one[] = {1, 0, 0};
		for (int64_t j = 0; j < 2 * n; j++)
			x[j] = -0.0;
		for (int way = 0; way < 2 * (FOURIER_REAL_OUT + 1); way++) {
			int numbers = way / 2, parts_in = numbers == FOURIER_REAL_IN ? 1 : 2,
			    parts_out = numbers == FOURIER_REAL_OUT ? 1 : 2;
			struct fourier_job job = {.positive = true,
						  .scale = way % 2 ? 1 : -1,
						  .x = {{x, x + n}, 0, parts_in, 0, n, 1, false},
						  .out = {{out, out + n}, 0, parts_out, 0, n, 1, false},
						  .nloops = 1,
						  .loops = one};
			memset(out, 0xff, (size_t)(2 * n * 8));
			fourier_run(fourier_new(levels[_i], 8, n, (enum fourier_numbers)numbers, take, NULL), &job,
				    take(NULL, fourier_room(n, (enum fourier_numbers)numbers, 8)));
			for (int64_t k = 0; k < parts_out * n; k++)
				if (out[k] != 0 || signbit(out[k]))
					ck_abort_msg("%d of %d", (int)k, (int)n);
		}
	}
}
END_TEST

int main(void)
{
	Suite *suite;
	TCase *t = suite_begin(&suite, "fourier");
	int n = sizeof levels / sizeof *levels;
	tcase_add_loop_test(t, short_lines_are_transformed, 0, n);
	tcase_add_loop_test(t, real_lines_are_transformed, 0, n);
	tcase_add_loop_test(t, long_lines_are_transformed, 0, n);
	tcase_add_loop_test(t, bits_of_a_line_hang_on_nothing_else, 0, n);
	tcase_add_loop_test(t, zeros_have_no_sign, 0, n);
	return suite_end(suite);
}
