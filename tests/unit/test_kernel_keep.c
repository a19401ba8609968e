/* test_kernel_keep.c — passes over a row that want the same exponentials: how many are left of them, what may take the
 * place of what, and that the kernel computes what it did. */
#include "compiler/kernel/lower.h"
#include "suite.h"

#include <string.h>

enum { ROWS = 4, ROW = 6, ALL = ROWS * ROW, BUFFERS = 3 };

static struct arena *arena;

#define FIRST "vloop i1 6 reduce(%0: f64 = sum) { %1 = load f64 b0[6*i0 + 1*i1] %2 = exp f64 %1 "
#define SUM   "%0 <- %2 } "

/* Body of the rows, exponentials that are left in it, and whether the second buffer may be the first. */
static const struct {
	const char *body;
	int left;
	bool shares;
} rows[] = {
	{FIRST SUM
	 "vloop i2 6 { %3 = load f64 b0[6*i0 + 1*i2] %4 = exp f64 %3 %5 = / f64 %4, %0 store b1[6*i0 + 1*i2] %5 }",
	 1, true},
	/* Kept for another reason. */
	{FIRST
	 "store b2[6*i0 + 1*i1] %2 " SUM
	 "vloop i2 6 { %3 = load f64 b0[6*i0 + 1*i2] %4 = exp f64 %3 %5 = / f64 %4, %0 store b1[6*i0 + 1*i2] %5 }",
	 1, true},
	/* Of a number that both have. */
	{"%9 = load f64 b0[0] " FIRST SUM
	 "vloop i2 6 { %3 = load f64 b0[6*i0 + 1*i2] %4 = exp f64 %3 %5 = - f64 %4, %9 store "
	 "b1[6*i0 + 1*i2] %5 }",
	 1, false},
	/* Of another row. */
	{FIRST SUM
	 "vloop i2 6 { %3 = load f64 b0[4*i0 + 1*i2] %4 = exp f64 %3 %5 = / f64 %4, %0 store b1[6*i0 + 1*i2] %5 }",
	 2, false},
	/* Of another point; of another function; where results lie backwards. */
	{FIRST SUM
	 "vloop i2 6 { %3 = load f64 b0[6*i0 + -1*i2 + 5] %4 = exp f64 %3 %5 = / f64 %4, %0 store b1[6*i0 + 1*i2] %5 "
	 "}",
	 2, false},
	{FIRST SUM
	 "vloop i2 6 { %3 = load f64 b0[6*i0 + 1*i2] %4 = - f64 %3, %0 %5 = exp f64 %4 store b1[6*i0 + 1*i2] %5 }",
	 2, true},
	{FIRST SUM "vloop i2 6 { %3 = load f64 b0[6*i0 + 1*i2] %4 = exp f64 %3 store b1[6*i0 + -1*i2 + 5] %4 }", 2,
	 false},
	/* What is there is stored twice. */
	{FIRST
	 "store b1[6*i0 + 1*i1] %1 " SUM
	 "vloop i2 6 { %3 = load f64 b0[6*i0 + 1*i2] %4 = exp f64 %3 %5 = / f64 %4, %0 store b1[6*i0 + 1*i2] %5 }",
	 2, false},
	/* The later pass reads the input for something else: it may still be written over. */
	{FIRST SUM
	 "vloop i2 6 { %3 = load f64 b0[6*i0 + 1*i2] %4 = exp f64 %3 %5 = / f64 %4, %3 store b1[6*i0 + 1*i2] %5 }",
	 2, true},
	/* Another result is stored before the later pass comes to the value: alone, and where one lies behind. */
	{FIRST SUM "vloop i2 6 reduce(%6: f64 = sum) { store b1[6*i0 + 1*i2] %0 %3 = load f64 b0[6*i0 + 1*i2] %4 = exp "
		   "f64 %3 %6 <- %4 }",
	 2, false},
	{FIRST SUM "vloop i2 6 { store b1[6*i0 + 1*i2] %0 %3 = load f64 b0[6*i0 + 1*i2] %4 = exp f64 %3 %5 = / f64 %4, "
		   "%0 store b2[6*i0 + 1*i2] %5 }",
	 1, true},
	/* Passes of other lengths. */
	{FIRST SUM
	 "vloop i2 5 { %3 = load f64 b0[6*i0 + 1*i2] %4 = exp f64 %3 %5 = / f64 %4, %0 store b1[6*i0 + 1*i2] %5 }",
	 2, true},
	/* Rounded; in one pass rounded once more. */
	{"vloop i1 6 reduce(%0: f64 = sum) { %1 = load f64 b0[6*i0 + 1*i1] %2 = cast f32 %1 %3 = exp f32 %2 %4 = cast "
	 "f64 %3 %0 <- %4 } vloop i2 6 { %5 = load f64 b0[6*i0 + 1*i2] %6 = cast f32 %5 %7 = exp f32 %6 %8 = cast f64 "
	 "%7 %9 = / f64 %8, %0 store b1[6*i0 + 1*i2] %9 }",
	 1, true},
	{"vloop i1 6 reduce(%0: f64 = sum) { %1 = load f64 b0[6*i0 + 1*i1] %2 = cast f32 %1 %3 = exp f32 %2 %4 = cast "
	 "bf16 %3 %10 = cast f64 %4 %0 <- %10 } vloop i2 6 { %5 = load f64 b0[6*i0 + 1*i2] %6 = cast f32 %5 %7 = exp "
	 "f32 "
	 "%6 %8 = cast f64 %7 %9 = / f64 %8, %0 store b1[6*i0 + 1*i2] %9 }",
	 2, true},
	/* Three passes. */
	{FIRST SUM
	 "vloop i2 6 reduce(%6: f64 = max) { %3 = load f64 b0[6*i0 + 1*i2] %4 = exp f64 %3 %5 = / f64 %4, %0 %6 <- %5 "
	 "} vloop i3 6 { %7 = load f64 b0[6*i0 + 1*i3] %8 = exp f64 %7 %9 = / f64 %8, %6 store b1[6*i0 + 1*i3] %9 }",
	 2, true},
};

static int exponentials(const struct kernel_instr *body)
{
	int n = 0;
	for (const struct kernel_instr *i = body; i; i = i->next)
		n += (i->kind == K_APPLY && i->fn == SC_EXP) + (i->kind == K_LOOP ? exponentials(i->body) : 0);
	return n;
}

static void run(const struct kernel *k, double (*data)[ALL])
{
	void *at[BUFFERS] = {data[0], data[1], data[2]};
	for (int i = 0; i < ALL; i++) {
		data[0][i] = (i * 7 % 11 - 5) / 4.0;
		data[1][i] = data[2][i] = i;
	}
	kernel_interpret(k, at, NULL);
}

START_TEST(passes_that_want_the_same)
{
	double was[BUFFERS][ALL], is[BUFFERS][ALL];
	const char *error = NULL;
	struct kernel *k =
		kernel_read(arena,
			    arena_printf(arena,
					 "kernel \"k\"(in b0: f64[24], out b1: f64[24], out b2: f64[24]) flops 0 { "
					 "loop i0 4 { %s } }",
					 rows[_i].body),
			    &error);
	ck_assert_msg(k != NULL, "%s\n%s", error, rows[_i].body);
	run(k, was);
	kernel_keep(arena, k);
	const char *wrong = kernel_verify(arena, k);
	ck_assert_msg(!wrong, "%s: %s", rows[_i].body, wrong);
	run(k, is);
	ck_assert_msg(!memcmp(was, is, sizeof was), "%s", rows[_i].body);
	ck_assert_msg(exponentials(k->body) == rows[_i].left, "%s: %d", rows[_i].body, exponentials(k->body));
	ck_assert_msg(kernel_can_share(k, 0, 1) == rows[_i].shares, "%s", rows[_i].body);
}
END_TEST

int main(void)
{
	Suite *s;
	TCase *t = suite_begin(&s, "what passes keep");
	arena = arena_new("test");
	tcase_add_loop_test(t, passes_that_want_the_same, 0, (int)(sizeof rows / sizeof *rows));
	int status = suite_end(s);
	arena_free(arena);
	return status;
}
