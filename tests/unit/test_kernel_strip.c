/* test_kernel_strip.c — kernels in strips: those of a list have as many as it says, and strips of random kernels, one
 * after the other over lines of their buffers, leave what the whole kernel leaves. */
#include "compiler/kernel/lower.h"
#include "compiler/kernel/strip.h"
#include "suite.h"

#include <string.h>

enum { ELEMENTS = 384, BUFFERS = 3 };

static struct arena *arena;

static struct kernel *read_kernel(const char *text)
{
	const char *error = NULL;
	struct kernel *k = kernel_read(arena, text, &error);
	ck_assert_msg(k != NULL, "%s\n%s", error, text);
	return k;
}

/* Sizes of the buffers, and that all of them begin at their first element. */
static bool ways_of(const struct kernel *k, int64_t n, int64_t *elements, enum strip_way *way)
{
	int64_t from[8] = {0};
	for (int p = 0; p < k->params.n; p++)
		elements[p] = k->params.at[p].kind == KP_SCALAR ? 0 : k->params.at[p].size;
	return kernel_strip_ways(k, n, elements, from, way);
}

/* Parameters and body; the most strips, and what of each parameter a strip has (n: nothing, w: all of it, l: a line);
 * NULL: strips do something else. */
static const struct {
	const char *text;
	int64_t strips;
	const char *ways;
} known[] = {
	{"(in b0: f32[64], out b1: f32[64]) flops 0 { loop i0 8 { vloop i1 8 { %0 = load f32 b0[8*i0 + 1*i1] store "
	 "b1[8*i0 + 1*i1] %0 } } }",
	 8, "ll"},
	/* In place; a sum within a turn. */
	{"(in b0: f32[64], out b1: f32[64] same b0, out b2: f32[8]) flops 0 { loop i0 8 { vloop i1 8 reduce(%0: f32 = "
	 "sum) { %1 = load f32 b0[8*i0 + 1*i1] %0 <- %1 } store b2[1*i0] %0 vloop i2 8 { %2 = load f32 b0[8*i0 + 1*i2] "
	 "%3 = / f32 %2, %0 store b1[8*i0 + 1*i2] %3 } } }",
	 8, "lll"},
	/* The same row for all turns, and a number. */
	{"(in b0: f32[64], in b1: f32[8], in b2: f32[1], out b3: f32[64]) flops 0 { %0 = load f32 b2[0] loop i0 8 { "
	 "vloop i1 8 { %1 = load f32 b0[8*i0 + 1*i1] %2 = load f32 b1[1*i1] %3 = + f32 %1, %2 %4 = * f32 %3, %0 store "
	 "b3[8*i0 + 1*i1] %4 } } }",
	 8, "lwwl"},
	/* Several loops: as many strips as all have. */
	{"(in b0: f32[48], out b1: f32[48], out b2: f32[24]) flops 0 { loop i0 12 { vloop i1 4 { %0 = load f32 b0[4*i0 "
	 "+ 1*i1] store b1[4*i0 + 1*i1] %0 } } loop i2 8 { vloop i3 3 { %1 = load f32 b0[6*i2 + 2*i3] store b2[3*i2 + "
	 "1*i3] %1 } } }",
	 4, "lll"},
	/* Vectors stay whole. */
	{"(in b0: f32[256], out b1: f32[256]) flops 0 { vloop i0 256 { %0 = load f32 b0[1*i0] store b1[1*i0] %0 } }", 4,
	 "ll"},
	{"(in b0: f32[96], out b1: f32[96]) flops 0 { vloop i0 96 { %0 = load f32 b0[1*i0] store b1[1*i0] %0 } }", 3,
	 "ll"},
	/* Indices of data into what is only read. */
	{"(in b0: i64[16], in b1: i64[9], out b2: i64[16]) flops 0 { loop i0 4 { vloop i1 4 { %0 = load i64 b0[4*i0 + "
	 "1*i1] %1 = load i64 b1[1*%0] store b2[4*i0 + 1*i1] %1 } } }",
	 4, "lwl"},
	/* The first of two strips reads from the second line; columns, not rows; what all turns add to. */
	{"(in b0: f32[64], out b1: f32[64]) flops 0 { loop i0 8 { vloop i1 7 { %0 = load f32 b0[8*i0 + 1*i1 + 1] store "
	 "b1[8*i0 + 1*i1] %0 } } }",
	 8, "ll"},
	{"(in b0: f32[66], out b1: f32[64]) flops 0 { loop i0 8 { vloop i1 8 { %0 = load f32 b0[8*i0 + 1*i1 + 2] store "
	 "b1[8*i0 + 1*i1] %0 } } }",
	 8, NULL},
	{"(in b0: f32[64], out b1: f32[64]) flops 0 { loop i0 8 { vloop i1 8 { %0 = load f32 b0[8*i0 + 1*i1] store "
	 "b1[8*i1 + 1*i0] %0 } } }",
	 8, NULL},
	{"(in b0: f32[64], inout b1: f32[8]) flops 0 { loop i0 8 { vloop i1 8 { %0 = load f32 b0[8*i0 + 1*i1] %1 = "
	 "load "
	 "f32 b1[1*i1] %2 = + f32 %0, %1 store b1[1*i1] %2 } } }",
	 8, NULL},
	{"(in b0: f32[64], out b1: f32[1]) flops 0 { vloop i0 64 reduce(%0: f32 = sum) { %1 = load f32 b0[1*i0] %0 <- "
	 "%1 "
	 "} store b1[0] %0 }",
	 1, NULL},
	{"(in b0: f32[64], out b1: f32[8]) flops 0 { loop i0 8 reduce(%0: f32 = sum) { %1 = load f32 b0[8*i0] %0 <- %1 "
	 "} "
	 "loop i1 8 { store b1[1*i1] %0 } }",
	 1, NULL},
	/* Its number is of a turn among all. */
	{"(out b0: i64[64]) flops 0 { loop i0 8 { %0 = index 1*i0 vloop i1 8 { store b0[8*i0 + 1*i1] %0 } } }", 8,
	 NULL},
	{"(out b0: i64[64]) flops 0 { loop i0 8 { vloop i1 8 { %0 = index 1*i1 store b0[8*i0 + 1*i1] %0 } } }", 8, "l"},
};

START_TEST(strips_of_known_kernels)
{
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		struct kernel *k = read_kernel(arena_printf(arena, "kernel \"k\"%s", known[i].text));
		const char *wrong = kernel_verify(arena, k);
		ck_assert_msg(!wrong, "%s: %s", known[i].text, wrong);
		int64_t n = kernel_strips(k), elements[8];
		enum strip_way way[8];
		ck_assert_msg(n == known[i].strips, "%s: %d", known[i].text, (int)n);
		bool fits = n > 1 && ways_of(k, n, elements, way);
		ck_assert_msg(fits == (known[i].ways != NULL), "%s", known[i].text);
		for (int p = 0; p < k->params.n && fits; p++)
			ck_assert_msg("nwl"[way[p]] == known[i].ways[p], "%s: parameter %d", known[i].text, p);
		wrong = fits ? kernel_verify(arena, kernel_strip(arena, k, n, elements, way)) : NULL;
		ck_assert_msg(!wrong, "%s: %s", known[i].text, wrong);
	}
}
END_TEST

/* A kernel that reads a part of a buffer from the part's beginning: in buffers of 64, from element 4 of each row on. */
START_TEST(strips_of_parts)
{
	struct kernel *k =
		read_kernel("kernel \"k\"(in b0: f32[60], out b1: f32[32]) flops 0 { loop i0 8 { vloop i1 4 { "
			    "%0 = load f32 b0[8*i0 + 1*i1] store b1[4*i0 + 1*i1] %0 } } }");
	const int64_t elements[] = {64, 32}, from[] = {4, 0}, late[] = {6, 0};
	enum strip_way way[2];
	ck_assert(kernel_strip_ways(k, 4, elements, from, way));
	struct kernel *strip = kernel_strip(arena, k, 4, elements, way);
	ck_assert_int_eq(strip->params.at[0].size, 12);
	ck_assert_int_eq(strip->params.at[1].size, 8);
	ck_assert(!kernel_strip_ways(k, 4, elements, late, way));
}
END_TEST

/* ---- random kernels ---- */

static uint64_t state;
static int draw(int from, int to)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return from + (int)((state >> 33) % (uint64_t)(to - from + 1));
}

static int any_of(const int *list, int n)
{
	return list[draw(0, n - 1)];
}

/* An address of loops i and j that stays among the elements of a buffer of that size. */
static const char *address(int i, int turns, int j, int inner, int size)
{
	int line = draw(0, 3) ? size / turns : any_of((const int[]){0, 1, 2, 4, 8}, 5);
	int step = any_of((const int[]){0, 1, 1, 1, 2, 3}, 6), last = line * (turns - 1) + step * (inner - 1);
	if (last >= size)
		return arena_printf(arena, "1*i%d", i);
	return arena_printf(arena, "%d*i%d + %d*i%d + %d", line, i, step, j,
			    draw(0, 2) ? 0 : draw(0, size - 1 - last < 3 ? size - 1 - last : 3));
}

static struct kernel *random_kernel(void)
{
	struct text t;
	int reg = 0, loops = 0, size[BUFFERS];
	text_init(&t, arena);
	for (int b = 0; b < BUFFERS; b++)
		size[b] = any_of((const int[]){ELEMENTS, ELEMENTS / 2, ELEMENTS / 4}, 3);
	bool same = size[2] == size[0] && draw(0, 1);
	text_printf(&t, "kernel \"k\"(in b0: i64[%d], inout b1: i64[%d], out b2: i64[%d]%s) flops 0 { ", size[0],
		    size[1], size[2], same ? " same b0" : "");
	for (int n = draw(1, 2); n > 0; n--) {
		int turns = any_of((const int[]){4, 6, 8, 12}, 4), i = loops++;
		text_printf(&t, "loop i%d %d { ", i, turns);
		for (int m = draw(1, 2); m > 0; m--) {
			int inner = draw(1, 8), j = loops++, from = draw(0, 2), to = draw(1, 2);
			text_printf(&t, "vloop i%d %d { %%%d = load i64 b%d[%s] ", j, inner, reg, from,
				    address(i, turns, j, inner, size[from]));
			if (draw(0, 5) == 0) {
				text_printf(&t, "%%%d = index 1*i%d %%%d = + i64 %%%d, %%%d ", reg + 1,
					    draw(0, 3) ? j : i, reg + 2, reg, reg + 1);
				reg += 2;
			}
			text_printf(&t, "store b%d[%s] %%%d } ", to, address(i, turns, j, inner, size[to]), reg++);
		}
		text_add(&t, "} ");
	}
	text_add(&t, "}");
	return read_kernel(text_get(&t));
}

/* Runs the kernel on buffers from `line` of n lines on; where b2 is in place of b0, they are one. */
static void run(const struct kernel *k, const enum strip_way *way, int64_t (*data)[ELEMENTS], const int64_t *elements,
		int64_t line, int64_t n)
{
	void *at[BUFFERS];
	for (int b = 0; b < BUFFERS; b++) {
		int place = k->params.at[b].same >= 0 ? k->params.at[b].same : b;
		at[b] = data[place] + (way && way[b] == STRIP_LINE ? line * (elements[b] / n) : 0);
	}
	kernel_interpret(k, at, NULL);
}

START_TEST(strips_of_random_kernels)
{
	enum { CASES = 20000 };
	int cut = 0, several = 0;
	for (state = 1; state <= CASES; state++) {
		uint64_t seed = state;
		struct kernel *k = random_kernel();
		int64_t most = kernel_strips(k), elements[BUFFERS], whole[BUFFERS][ELEMENTS], lines[BUFFERS][ELEMENTS];
		enum strip_way way[BUFFERS];
		for (int64_t n = 2; n <= most; n++) {
			if (most % n || !ways_of(k, n, elements, way))
				continue;
			for (int b = 0; b < BUFFERS; b++)
				for (int e = 0; e < ELEMENTS; e++)
					whole[b][e] = lines[b][e] = b * ELEMENTS + e;
			struct kernel *strip = kernel_strip(arena, k, n, elements, way);
			run(k, NULL, whole, elements, 0, 1);
			for (int64_t line = 0; line < n; line++)
				run(strip, way, lines, elements, line, n);
			struct text t;
			text_init(&t, arena);
			kernel_print(&t, k);
			ck_assert_msg(!memcmp(whole, lines, sizeof whole), "%d strips of\n%s", (int)n, text_get(&t));
			cut++;
			several += k->body->next != NULL;
		}
		state = seed;
		if (seed % 100 == 0) {
			arena_free(arena);
			arena = arena_new("test");
		}
	}
	ck_assert_int_gt(cut, CASES / 20);
	ck_assert_int_gt(several, CASES / 100);
}
END_TEST

int main(void)
{
	Suite *s;
	TCase *t = suite_begin(&s, "kernels in strips");
	arena = arena_new("test");
	tcase_add_test(t, strips_of_known_kernels);
	tcase_add_test(t, strips_of_parts);
	tcase_add_test(t, strips_of_random_kernels);
	int status = suite_end(s);
	arena_free(arena);
	return status;
}
