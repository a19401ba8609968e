/* test_kernel_text.c — kernels given as text: what the verifier refuses, when buffers may be shared, how loops
 * are cut, made in phases and collapse. */
#include "compiler/kernel/build.h"
#include "compiler/kernel/lower.h"
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct arena *arena;

static void set_up(void)
{
	arena = arena_new("test");
}

static void tear_down(void)
{
	arena_free(arena);
}

static struct kernel *read_kernel(const char *text)
{
	const char *error = NULL;
	struct kernel *k = kernel_read(arena, text, &error);
	ck_assert_msg(k != NULL, "%s\n%s", error, text);
	return k;
}

static const char *print(const struct kernel *k)
{
	struct text t;
	text_init(&t, arena);
	kernel_print(&t, k);
	return text_get(&t);
}

/* A kernel and a piece of the message that refuses it. */
static const struct {
	const char *text, *message;
} refused[] = {
	{"kernel \"k\"(in b0: f32[4], out b1: f32[4]) flops 0 { vloop i0 5 { %0 = load f32 b0[1*i0] store b1[1*i0] %0 "
	 "} }",
	 "leave a buffer of 4"},
	{"kernel \"k\"(in b0: f32[4], out b1: f32[4]) flops 0 { vloop i0 4 { %0 = load f32 b0[1*i0 + -1] store "
	 "b1[1*i0] %0 } }",
	 "leave a buffer"},
	{"kernel \"k\"(in b0: f32[4], out b1: f32[4]) flops 0 { vloop i0 4 { store b1[1*i0] %0 } }",
	 "used before it is assigned"},
	{"kernel \"k\"(in b0: f32[4], out b1: f32[4]) flops 0 { vloop i0 4 { %0 = load f32 b0[1*i0] } store b1[0] %0 }",
	 "outside of its loop"},
	{"kernel \"k\"(in b0: f32[4], out b1: f32[4]) flops 0 { %0 = load f32 b0[1*i0] store b1[0] %0 }",
	 "outside of it"},
	{"kernel \"k\"(in b0: f32[4], out b1: f32[4]) flops 0 { %0 = load f32 b0[0] store b0[1] %0 }", "only read"},
	{"kernel \"k\"(in b0: f32[4], out b1: f64[4]) flops 0 { %0 = load f32 b0[0] store b1[1] %0 }",
	 "is f32, not f64"},
	{"kernel \"k\"(in b0: f32[4], out b1: f32[4]) flops 0 { %0 = load f32 b0[0] %0 = load f32 b0[1] }",
	 "assigned twice"},
	{"kernel \"k\"(out b0: f32[4]) flops 0 { vloop i0 2 { vloop i1 2 { %0 = const f32 1 store b0[2*i0 + 1*i1] %0 } "
	 "} }",
	 "inside another"},
	{"kernel \"k\"(out b0: f32[1]) flops 0 { loop i0 2 reduce(%0: f32 = sum) { } loop i1 2 { %1 = const f32 1 %0 "
	 "<- "
	 "%1 } store b0[0] %0 }",
	 "not an accumulator of a loop around it"},
	{"kernel \"k\"(out b0: f32[2]) flops 0 { loop i0 2 reduce(%0: f32 = sum) { %1 = const f32 1 vloop i1 2 { "
	 "%2 = prefix %0 <- %1 store b0[1*i1] %2 } } }",
	 "could have running values"},
	{"kernel \"k\"(out b0: f32[2]) flops 0 { loop i0 2 reduce(%0: f32 = sum) { %1 = const f32 1 %2 = prefix %0 <- "
	 "%1 %0 <- %2 } }",
	 "joined elsewhere"},
	{"kernel \"k\"(out b0: i32[1]) flops 0 { loop i0 2 reduce(%0: i32 = sum) { %1 = const i32 1 %0 <- %1 * %1 } "
	 "store b0[0] %0 }",
	 "joins products"},
	{"kernel \"k\"(out b0: f32[1]) flops 0 { loop i0 2 reduce(%0: f32 = max) { %1 = const f32 1 %0 <- %1 * %1 } "
	 "store b0[0] %0 }",
	 "joins products"},
	{"kernel \"k\"(out b0: f32[1]) flops 0 { %0 = const f32 1 %1 = const f64 1 %2 = + f32 %0, %1 store b0[0] %2 }",
	 "%1 is f64"},
	{"kernel \"k\"(out b0: f32[1], out b1: f32[1] same b0) flops 0 { }", "cannot be in the place"},
	{"kernel \"k\"(out b0: f32[1]) flops 0 { loop i0 2 { } loop i0 3 { } }", "no number of its own"},
	{"kernel \"k\"(out b0: f32[1]) flops 0 { %0 = const i64 0 store b0[0] %0 }", "is i64, not f32"},
	{"kernel \"k\"(out b0: f32[1]) flops 0 { frobnicate }", "expected"},
	{"kernel \"k\"(out b0: f32[1]) flops 0 { loop i0 9999999999999 { loop i1 9999999999999 { store "
	 "b0[9999999999999*i0] %0 } } }",
	 "overflow"},
	{"kernel \"k\"(out b0: f32[1]) flops 0 {", "expected"},
	{"", "expected"},
};

START_TEST(verifier_refuses)
{
	const char *error = NULL;
	ck_assert_msg(!kernel_read(arena, refused[_i].text, &error), "%s", refused[_i].text);
	ck_assert_msg(strstr(error, refused[_i].message) != NULL, "`%s` does not contain `%s`", error,
		      refused[_i].message);
}
END_TEST

START_TEST(deep_nesting_is_refused_not_followed)
{
	struct text t;
	text_init(&t, arena);
	text_add(&t, "kernel \"k\"() flops 0 {");
	for (int i = 0; i < 100000; i++)
		text_printf(&t, "loop i%d 1 {", i);
	const char *error = NULL;
	ck_assert(!kernel_read(arena, text_get(&t), &error));
	ck_assert_ptr_nonnull(strstr(error, "deep"));
}
END_TEST

/* Whether b1 may lie in b0. */
static const struct {
	bool may;
	const char *body;
} sharing[] = {
	{true, "vloop i0 12 { %0 = load f32 b0[1*i0] store b1[1*i0] %0 }"},
	{true, "loop i0 3 { vloop i1 4 { %0 = load f32 b0[4*i0 + 1*i1] store b1[4*i0 + 1*i1] %0 } }"},
	/* What was written is read back. */
	{true, "loop i0 3 { vloop i1 4 { %0 = load f32 b0[4*i0 + 1*i1] store b1[4*i0 + 1*i1] %0 } vloop i2 4 reduce(%1: f32 = "
	       "sum) { %2 = load f32 b1[4*i0 + 1*i2] %1 <- %2 } }"},
	/* A pass over the row before the row is written. */
	{true, "loop i0 3 { vloop i1 4 reduce(%0: f32 = sum) { %1 = load f32 b0[4*i0 + 1*i1] %0 <- %1 } "
	       "vloop i2 4 { store b1[4*i0 + 1*i2] %0 } }"},
	/* The row is read again after it was written. */
	{false, "loop i0 3 { vloop i1 4 { %0 = load f32 b0[4*i0 + 1*i1] store b1[4*i0 + 1*i1] %0 } "
		"vloop i2 4 reduce(%1: f32 = sum) { %2 = load f32 b0[4*i0 + 1*i2] %1 <- %2 } }"},
	/* A neighbour is read. */
	{false, "vloop i0 11 { %0 = load f32 b0[1*i0 + 1] store b1[1*i0] %0 }"},
	{false, "loop i0 3 { vloop i1 4 { %0 = load f32 b0[1*i0 + 3*i1] store b1[4*i0 + 1*i1] %0 } }"},
	/* Every turn reads all of it. */
	{false,
	 "loop i0 12 { vloop i1 12 reduce(%0: f32 = sum) { %1 = load f32 b0[1*i1] %0 <- %1 } store b1[1*i0] %0 }"},
	/* All is read before anything is written. */
	{true,
	 "vloop i0 12 reduce(%0: f32 = max) { %1 = load f32 b0[1*i0] %0 <- %1 } vloop i1 12 { store b1[1*i1] %0 }"},
	/* An address that only run time knows. */
	{false, "loop i0 12 { %0 = const i64 0 %1 = load f32 b0[1*%0] store b1[1*i0] %1 }"},
	/* Written twice, after it was read. */
	{true, "vloop i0 12 { %0 = load f32 b0[1*i0] store b1[1*i0] %0 } %1 = const f32 0 store b1[0] %1"},
	/* Pieces of a row, each read and written at the same places; one that reads what another has written. */
	{true, "loop i0 2 { vloop i1 2 { %0 = load f32 b0[6*i0 + 1*i1] store b1[6*i0 + 1*i1] %0 } "
	       "vloop i2 4 { %1 = load f32 b0[6*i0 + 1*i2 + 2] store b1[6*i0 + 1*i2 + 2] %1 } }"},
	{false, "loop i0 2 { vloop i1 2 { %0 = load f32 b0[6*i0 + 1*i1] store b1[6*i0 + 1*i1] %0 } "
		"vloop i2 4 { %1 = load f32 b0[6*i0 + 1*i2 + 1] store b1[6*i0 + 1*i2 + 2] %1 } }"},
	{true, "vloop i0 4 { %0 = load f32 b0[1*i0] store b1[1*i0] %0 } "
	       "vloop i1 8 { %1 = load f32 b0[1*i1 + 4] store b1[1*i1 + 4] %1 }"},
	{false, "vloop i0 4 { %0 = load f32 b0[1*i0] store b1[1*i0] %0 } "
		"%1 = load f32 b0[0] vloop i1 8 { store b1[1*i1 + 4] %1 }"},
	/* Reversed. */
	{false, "vloop i0 12 { %0 = load f32 b0[-1*i0 + 11] store b1[1*i0] %0 }"},
};

START_TEST(output_shares_the_input_only_if_read_first)
{
	struct kernel *k = read_kernel(
		arena_printf(arena, "kernel \"k\"(in b0: f32[12], out b1: f32[12]) flops 0 { %s }", sharing[_i].body));
	ck_assert_msg(kernel_can_share(k, 0, 1) == sharing[_i].may, "%s", sharing[_i].body);
	/* What is allowed gives the same in place. */
	if (!sharing[_i].may)
		return;
	float apart[2][12], together[12];
	for (int i = 0; i < 12; i++)
		apart[0][i] = together[i] = (float)(i * 7 % 5);
	kernel_interpret(k, (void *[]){apart[0], apart[1]}, NULL);
	kernel_interpret(k, (void *[]){together, together}, NULL);
	ck_assert_mem_eq(apart[1], together, sizeof together);
}
END_TEST

/* Before and after. */
static const struct {
	const char *before, *after;
} collapsing[] = {
	{"loop i0 3 { vloop i1 4 { %0 = load f32 b0[4*i0 + 1*i1] store b1[4*i0 + 1*i1] %0 } }",
	 "vloop i0 12 { %0 = load f32 b0[1*i0] store b1[1*i0] %0 }"},
	{"loop i0 3 { vloop i1 4 { %0 = load f32 b0[1*i1] store b1[4*i0 + 1*i1] %0 } }", NULL},
	{"loop i0 12 { vloop i1 1 { %0 = load f32 b0[1*i0 + 5*i1] store b1[1*i0 + 7*i1] %0 } }",
	 "vloop i0 12 { %0 = load f32 b0[1*i0] store b1[1*i0] %0 }"},
	{"loop i0 1 { vloop i1 12 { %0 = load f32 b0[1*i0 + 1*i1] store b1[1*i1] %0 } }",
	 "vloop i0 12 { %0 = load f32 b0[1*i0] store b1[1*i0] %0 }"},
	/* A sum of floats keeps its order, and so its bits; a maximum has none. */
	{"loop i0 3 reduce(%0: f32 = sum) { vloop i1 4 { %1 = load f32 b0[4*i0 + 1*i1] %0 <- %1 * %1 } } store b1[0] "
	 "%0",
	 NULL},
	{"loop i0 3 reduce(%0: f32 = max) { vloop i1 4 { %1 = load f32 b0[4*i0 + 1*i1] %0 <- %1 } } store b1[0] %0",
	 "vloop i0 12 reduce(%0: f32 = max) { %1 = load f32 b0[1*i0] %0 <- %1 } store b1[0] %0"},
	{"loop i0 3 reduce(%0: f32 = sum) { loop i1 4 { %1 = load f32 b0[4*i0 + 1*i1] %0 <- %1 } } store b1[0] %0",
	 "loop i0 12 reduce(%0: f32 = sum) { %1 = load f32 b0[1*i0] %0 <- %1 } store b1[0] %0"},
	{"loop i0 3 { vloop i1 4 reduce(%0: f32 = sum) { %1 = load f32 b0[4*i0 + 1*i1] %0 <- %1 } store b1[1*i0] %0 }",
	 NULL},
	/* What lies side by side along an outer loop is read with the lanes that it is far apart on. */
	{"loop i0 2 { loop i1 3 { vloop i2 2 { %0 = load f32 b0[1*i0 + 2*i1 + 6*i2] store b1[6*i0 + 2*i1 + 1*i2] %0 } "
	 "} }",
	 "loop i0 3 { loop i1 2 { vloop i2 2 { %0 = load f32 b0[2*i0 + 1*i1 + 6*i2] store b1[2*i0 + 6*i1 + 1*i2] %0 } "
	 "} }"},
	/* What a row reads of the row before it is there when it begins. */
	{"loop i0 3 { vloop i1 3 { %0 = load f32 b1[3*i0 + 1*i1] store b1[3*i0 + 1*i1 + 3] %0 } }", NULL},
	{"loop i0 2 { loop i1 2 { vloop i2 2 { %0 = load f32 b1[4*i0 + 2*i1 + 1*i2] store b1[4*i0 + 2*i1 + 1*i2 + 4] "
	 "%0 } } }",
	 "loop i0 2 { vloop i1 4 { %0 = load f32 b1[4*i0 + 1*i1] store b1[4*i0 + 1*i1 + 4] %0 } }"},
	{"loop i0 2 { loop i1 3 { vloop i2 2 { %0 = load f32 b0[6*i0 + 2*i1 + 1*i2] store b1[6*i0 + 2*i1 + 1*i2] %0 } "
	 "} }",
	 "vloop i0 12 { %0 = load f32 b0[1*i0] store b1[1*i0] %0 }"},
	/* Few lanes are written out in a loop of more, whose lanes are neighbours where they are read. */
	{"loop i0 16 { vloop i1 3 { %0 = load f32 b0[1*i0 + 16*i1] %1 = neg f32 %0 store b1[3*i0 + 1*i1] %1 } }",
	 "vloop i0 16 { %0 = load f32 b0[1*i0] %1 = neg f32 %0 store b1[3*i0] %1 %2 = load f32 b0[1*i0 + 16] "
	 "%3 = neg f32 %2 store b1[3*i0 + 1] %3 %4 = load f32 b0[1*i0 + 32] %5 = neg f32 %4 store b1[3*i0 + 2] %5 }"},
	{"loop i0 16 { loop i1 2 { vloop i2 2 { %0 = load f32 b0[1*i0 + 16*i2] store b1[2*i0 + 32*i1 + 1*i2] %0 } } }",
	 "loop i0 2 { vloop i1 16 { %0 = load f32 b0[1*i1] store b1[32*i0 + 2*i1] %0 %1 = load f32 b0[1*i1 + 16] "
	 "store b1[32*i0 + 2*i1 + 1] %1 } }"},
	{"loop i0 16 { vloop i1 3 { %0 = load f32 b0[1*i0 + 16*i1] store b1[1*i0 + 16*i1] %0 } }", NULL},
};

/* What two kernels write into their last buffer, of the same in those before. */
static void compute_the_same(const struct kernel *a, const struct kernel *b)
{
	enum { MOST = 600 };
	float in[2][MOST], out[2][MOST] = {{0}};
	void *to[2][3] = {{in[0], in[1], out[0]}, {in[0], in[1], out[1]}};
	for (int i = 0; i < 2 * MOST; i++)
		in[i / MOST][i % MOST] = (float)(i * 7 % 31);
	for (int i = 0; i < 2; i++)
		to[i][a->params.n - 1] = out[i];
	kernel_interpret(a, to[0], NULL);
	kernel_interpret(b, to[1], NULL);
	ck_assert_mem_eq(out[0], out[1], sizeof out[0]);
}

START_TEST(nests_collapse_where_addresses_step_evenly)
{
	const char *head = "kernel \"k\"(in b0: f32[64], out b1: f32[64]) flops 0 { %s }";
	struct kernel *k = read_kernel(arena_printf(arena, head, collapsing[_i].before));
	struct kernel *same = read_kernel(arena_printf(arena, head, collapsing[_i].before));
	const char *want = collapsing[_i].after ? collapsing[_i].after : collapsing[_i].before;
	kernel_collapse(arena, k);
	ck_assert_str_eq(print(k), print(read_kernel(arena_printf(arena, head, want))));
	compute_the_same(k, same);
}
END_TEST

/* Kernels and what cutting their loops makes of them; NULL: nothing. */
static const struct {
	const char *before, *after;
} cutting[] = {
	/* A join: each piece reads one of both. */
	{"%0 = const i64 5 %1 = const f32 0 vloop i0 200 { %2 = index 1*i0 %3 = < bool %2, %0 %4 = >= bool %2, %0 "
	 "%5 = load f32 b0[1*i0] if %3 %6 = load f32 b1[1*i0 + -5] if %4 %7 = where f32 %4, %6, %5 store b2[1*i0] %7 }",
	 "vloop i1 5 { %8 = load f32 b0[1*i1] store b2[1*i1] %8 } "
	 "vloop i2 195 { %9 = load f32 b1[1*i2] store b2[1*i2 + 5] %9 }"},
	/* Padding: rows of zeros, and around the number that a comparison of equal ones asks for. */
	{"%0 = const i64 1 %1 = const f32 0 loop i0 4 { %2 = index 2*i0 + -1 %3 = == bool %2, %0 vloop i1 4 { "
	 "%4 = load f32 b0[4*i0 + 1*i1] if %3 store b2[4*i0 + 1*i1] %4 } }",
	 "loop i0 1 { vloop i1 4 { %0 = const f32 0 store b2[4*i0 + 1*i1] %0 } } "
	 "loop i2 1 { vloop i3 4 { %1 = load f32 b0[4*i2 + 1*i3 + 4] store b2[4*i2 + 1*i3 + 4] %1 } } "
	 "loop i4 2 { vloop i5 4 { %2 = const f32 0 store b2[4*i4 + 1*i5 + 8] %2 } }"},
	/* What is stored under a condition, and one that is made of two. */
	{"%0 = const i64 2 %1 = const i64 3 loop i0 4 { %2 = index 1*i0 %3 = >= bool %2, %0 %4 = < bool %2, %1 "
	 "%5 = && bool %3, %4 vloop i1 4 { %6 = load f32 b0[4*i0 + 1*i1] store b2[4*i0 + 1*i1] %6 if %5 } }",
	 "loop i0 1 { vloop i1 4 { %0 = load f32 b0[4*i0 + 1*i1 + 8] store b2[4*i0 + 1*i1 + 8] %0 } }"},
	/* Long rows. */
	{"%0 = const i64 3 loop i0 2 { vloop i1 300 { %1 = index 1*i1 %2 = >= bool %1, %0 %3 = load f32 b0[300*i0 + 1*i1 + -3] "
	 "if %2 %4 = < bool %1, %0 %5 = load f32 b1[300*i0 + 1*i1] if %4 %6 = where f32 %2, %3, %5 store b2[300*i0 + 1*i1] "
	 "%6 } }",
	 "loop i0 2 { vloop i1 3 { %0 = load f32 b1[300*i0 + 1*i1] store b2[300*i0 + 1*i1] %0 } vloop i2 297 { "
	 "%1 = load f32 b0[300*i0 + 1*i2] store b2[300*i0 + 1*i2 + 3] %1 } }"},
	/* Halves of rows that are whole vectors. */
	{"%0 = const i64 16 loop i0 3 { vloop i1 32 { %1 = index 1*i1 %2 = >= bool %1, %0 %3 = load f32 b0[32*i0 + 1*i1 + -16] "
	 "if %2 %4 = load f32 b1[32*i0 + 1*i1] %5 = where f32 %2, %3, %4 store b2[32*i0 + 1*i1] %5 } }",
	 "loop i0 3 { vloop i1 16 { %0 = load f32 b1[32*i0 + 1*i1] store b2[32*i0 + 1*i1] %0 } vloop i2 16 { "
	 "%1 = load f32 b0[32*i0 + 1*i2] store b2[32*i0 + 1*i2 + 16] %1 } }"},
	/* Short rows, conditions on two loops, and sums stay as they are. */
	{"%0 = const i64 2 loop i0 4 { vloop i1 4 { %1 = index 1*i1 %2 = < bool %1, %0 %3 = load f32 b0[4*i0 + 1*i1] if "
	 "%2 store b2[4*i0 + 1*i1] %3 } }",
	 NULL},
	{"%0 = const i64 2 loop i0 4 { vloop i1 4 { %1 = index 1*i0 + 1*i1 %2 = < bool %1, %0 %3 = load f32 b0[4*i0 + "
	 "1*i1] if %2 store b2[4*i0 + 1*i1] %3 } }",
	 NULL},
	{"%0 = const i64 2 loop i0 4 reduce(%1: f32 = sum) { %2 = index 1*i0 %3 = < bool %2, %0 %4 = load f32 b0[1*i0] if "
	 "%3 %1 <- %4 } store b2[0] %1",
	 NULL},
};

START_TEST(loops_are_cut_where_their_conditions_change)
{
	const char *head = "kernel \"k\"(in b0: f32[600], in b1: f32[600], out b2: f32[600]) flops 0 { %s }";
	struct kernel *k = read_kernel(arena_printf(arena, head, cutting[_i].before));
	struct kernel *same = read_kernel(arena_printf(arena, head, cutting[_i].before));
	const char *want = cutting[_i].after ? cutting[_i].after : cutting[_i].before;
	kernel_cut(arena, k);
	const char *wrong = kernel_verify(arena, k);
	ck_assert_msg(!wrong, "%s", wrong);
	struct kernel *wanted = read_kernel(arena_printf(arena, head, want));
	kernel_collapse(arena, k); /* numbers in order */
	kernel_collapse(arena, wanted);
	ck_assert_str_eq(print(k), print(wanted));
	compute_the_same(k, same);
}
END_TEST

enum { BLOCKS = 14, BLOCK = 40 };

/* A line made of blocks, each computed by a few steps from b1: of a point's last block alone, or of all up to that. */
static struct kernel *blocks_in_a_line(bool all)
{
	const char *t = "kernel \"k\"(in b0: f32[600], in b1: f32[600], out b2: f32[600]) flops 0 { %0 = const f32 0 "
			"vloop i0 560 { %20 = index 1*i0 %21 = load f32 b0[1*i0] ";
	int last = 21;
	for (int i = 1, r = 30; i < BLOCKS; i++, r += 10) {
		t = arena_printf(
			arena,
			"%s%%%d = const i64 %d %%%d = >= bool %%20, %%%d %%%d = load f32 b1[1*i0 + -%d] if %%%d ", t, r,
			BLOCK * i, r + 1, r, r + 2, BLOCK * i, r + 1);
		t = arena_printf(
			arena, "%s%%%d = * f32 %%%d, %%%d %%%d = where f32 %%%d, %%%d, %%%d %%%d = + f32 %%%d, %%%d ",
			t, r + 3, r + 2, r + 2, r + 4, r + 1, r + 3, all ? 0 : last, r + 5, r + 4, all ? last : 0);
		last = r + 5;
	}
	return read_kernel(arena_printf(arena, "%sstore b2[1*i0] %%%d } }", t, last));
}

/* However long the body: if each piece needs a part of it. Pieces that need most of it would be long together. */
START_TEST(loops_are_cut_into_pieces_that_stay_short)
{
	for (int all = 0; all < 2; all++) {
		struct kernel *k = blocks_in_a_line(all);
		int loops = 0;
		kernel_cut(arena, k);
		ck_assert(!kernel_verify(arena, k));
		for (const struct kernel_instr *in = k->body; in; in = in->next)
			loops += in->kind == K_LOOP;
		ck_assert_int_eq(loops, all ? 1 : BLOCKS);
		compute_the_same(k, blocks_in_a_line(all));
	}
}
END_TEST

/* Kernels over b0, b1 and b2, and what is left when loops are made in phases; NULL: as it was. */
static const struct {
	const char *before, *after;
} phasing[] = {
	/* A window of three with stride 2, read from its points, and a load whose condition is not asked again. */
	{"%0 = const i64 2 %1 = const i64 0 %2 = const f32 0 %3 = const i64 10 vloop i0 20 { loop i1 3 reduce(%4: f32 = "
	 "sum) { %5 = index 1*i0 + -1*i1 + 1 %6 = % i64 %5, %0 %7 = == bool %6, %1 %8 = / i64 %5, %0 %9 = < bool %8, %3 "
	 "%10 = && bool %7, %9 %11 = load f32 b0[1*%8] if %10 %12 = where f32 %10, %11, %2 %4 <- %12 } store b2[1*i0] %4 }",
	 "%0 = const i64 10 vloop i0 10 { %1 = load f32 b0[1*i0] loop i1 1 reduce(%2: f32 = sum) { %2 <- %1 } "
	 "store b2[2*i0] %2 %3 = index 1*i0 + 1 %4 = < bool %3, %0 %5 = load f32 b0[1*i0 + 1] if %4 "
	 "loop i2 1 reduce(%6: f32 = sum) { %6 <- %5 %6 <- %1 } store b2[2*i0 + 1] %6 }"},
	/* Turns that are left over, and a step in front of the remainder. */
	{"%0 = const i64 2 %1 = const i64 0 loop i0 7 { %2 = index 3*i0 + 1 %3 = % i64 %2, %0 %4 = == bool %3, %1 %5 = / "
	 "i64 %2, %0 vloop i1 4 { %6 = load f32 b0[4*%5 + 1*i1] %7 = load f32 b1[4*i0 + 1*i1] %8 = where f32 %4, %6, %7 "
	 "store b2[4*i0 + 1*i1] %8 } }",
	 "loop i0 3 { vloop i1 4 { %0 = load f32 b1[8*i0 + 1*i1] store b2[8*i0 + 1*i1] %0 } vloop i2 4 { %1 = load f32 b0[12*i0 "
	 "+ 1*i2 + 8] store b2[8*i0 + 1*i2 + 4] %1 } } vloop i3 4 { %2 = load f32 b1[1*i3 + 24] store b2[1*i3 + 24] %2 }"},
	/* A remainder of two loops, and one that is a number to compute with. */
	{"%0 = const i64 3 %1 = const i64 0 loop i0 6 { vloop i1 9 { %2 = index 2*i0 + 1*i1 + -4 %3 = % i64 %2, %0 %4 = "
	 "== bool %3, %1 %5 = load f32 b0[9*i0 + 1*i1] if %4 store b2[9*i0 + 1*i1] %5 %6 = index 1*i1 + -1 %7 = % i64 %6, "
	 "%0 %8 = cast f32 %7 store b2[9*i0 + 1*i1 + 100] %8 } }",
	 "%0 = const i64 3 %1 = const i64 0 %2 = const f32 0 %3 = cast f32 %1 %4 = const i64 1 %5 = cast f32 %4 loop i0 2 { "
	 "vloop i1 3 { store b2[27*i0 + 3*i1] %2 %6 = index 3*i1 + -1 %7 = % i64 %6, %0 %8 = cast f32 %7 store b2[27*i0 + 3*i1 + 100] %8 "
	 "%9 = load f32 b0[27*i0 + 3*i1 + 1] store b2[27*i0 + 3*i1 + 1] %9 store b2[27*i0 + 3*i1 + 101] %3 "
	 "store b2[27*i0 + 3*i1 + 2] %2 store b2[27*i0 + 3*i1 + 102] %5 } "
	 "vloop i2 3 { store b2[27*i0 + 3*i2 + 9] %2 %10 = index 3*i2 + -1 %11 = % i64 %10, %0 %12 = cast f32 %11 "
	 "store b2[27*i0 + 3*i2 + 109] %12 store b2[27*i0 + 3*i2 + 10] %2 store b2[27*i0 + 3*i2 + 110] %3 "
	 "%13 = load f32 b0[27*i0 + 3*i2 + 11] store b2[27*i0 + 3*i2 + 11] %13 store b2[27*i0 + 3*i2 + 111] %5 } "
	 "vloop i3 3 { %14 = load f32 b0[27*i0 + 3*i3 + 18] store b2[27*i0 + 3*i3 + 18] %14 %15 = index 3*i3 + -1 "
	 "%16 = % i64 %15, %0 %17 = cast f32 %16 store b2[27*i0 + 3*i3 + 118] %17 store b2[27*i0 + 3*i3 + 19] %2 "
	 "store b2[27*i0 + 3*i3 + 119] %3 store b2[27*i0 + 3*i3 + 20] %2 store b2[27*i0 + 3*i3 + 120] %5 } }"},
	/* Numbers that are summed up, what holds at one turn in the middle, and what one phase stores. */
	{"%0 = const i64 2 %1 = const i64 0 %2 = const i64 3 %3 = const f32 1 %4 = const f32 5 loop i0 20 { loop i1 2 reduce("
	 "%5: f32 = sum) { %6 = index 1*i0 + 1*i1 %7 = % i64 %6, %0 %8 = == bool %7, %1 %9 = / i64 %6, %0 %10 = == bool "
	 "%9, %2 %11 = && bool %8, %10 %12 = where f32 %11, %4, %3 %5 <- %12 } store b2[1*i0] %5 %13 = index 1*i0 %14 = % "
	 "i64 %13, %0 %15 = == bool %14, %1 store b2[1*i0 + 20] %5 if %15 }",
	 "%0 = const i64 3 %1 = const f32 1 %2 = const f32 5 loop i0 10 { %3 = index 1*i0 %4 = == bool %3, %0 %5 = where f32 "
	 "%4, %2, %1 loop i1 1 reduce(%6: f32 = sum) { %6 <- %5 %6 <- %1 } store b2[2*i0] %6 store b2[2*i0 + 20] %6 %7 = "
	 "index 1*i0 + 1 %8 = == bool %7, %0 %9 = where f32 %8, %2, %1 loop i2 1 reduce(%10: f32 = sum) { %10 <- %1 %10 <- "
	 "%9 } store b2[2*i0 + 1] %10 }"},
	/* Sums over lanes, long windows and long periods stay as they are. */
	{"%0 = const i64 2 vloop i0 6 reduce(%1: f32 = sum) { %2 = index 1*i0 %3 = % i64 %2, %0 %4 = cast f32 %3 %1 <- %4 } "
	 "store b2[0] %1",
	 NULL},
	{"%0 = const i64 2 vloop i0 20 { loop i1 9 reduce(%1: f32 = sum) { %2 = index 1*i0 + 1*i1 %3 = % i64 %2, %0 %4 = "
	 "cast f32 %3 %1 <- %4 } store b2[1*i0] %1 }",
	 NULL},
	{"%0 = const i64 5 vloop i0 20 { %1 = index 1*i0 %2 = % i64 %1, %0 %3 = cast f32 %2 store b2[1*i0] %3 }", NULL},
};

START_TEST(turns_that_differ_by_a_remainder_are_made_in_phases)
{
	const char *head = "kernel \"k\"(in b0: f32[200], in b1: f32[200], out b2: f32[200]) flops 0 { %s }";
	struct kernel *k = read_kernel(arena_printf(arena, head, phasing[_i].before));
	struct kernel *same = read_kernel(arena_printf(arena, head, phasing[_i].before));
	const char *want = phasing[_i].after ? phasing[_i].after : phasing[_i].before;
	struct kernel *wanted = read_kernel(arena_printf(arena, head, want));
	kernel_phases(arena, k);
	const char *wrong = kernel_verify(arena, k);
	ck_assert_msg(!wrong, "%s", wrong);
	kernel_collapse(arena, k); /* numbers in order */
	kernel_collapse(arena, wanted);
	ck_assert_str_eq(print(k), print(wanted));
	compute_the_same(k, same);
}
END_TEST

/* Loops over rows of b0, which is large, and what they are with several rows abreast; NULL: as they were. */
static const struct {
	const char *before, *after;
} abreast[] = {
	/* Four rows, two of as many as can be halved once, and of three accumulators each. */
	{"loop i0 8 { %0 = load f32 b1[1*i0] vloop i1 5 reduce(%1: f32 = max) { %2 = load f32 b0[1024*i0 + 1*i1 + 3] %3 = - f32 "
	 "%2, %0 %1 <- %3 } %4 = exp f32 %1 store b2[1*i0 + 1] %4 }",
	 "loop i0 2 { %0 = load f32 b1[4*i0] %1 = load f32 b1[4*i0 + 1] %2 = load f32 b1[4*i0 + 2] %3 = load f32 b1[4*i0 + 3] "
	 "vloop i1 5 reduce(%4: f32 = max, %5: f32 = max, %6: f32 = max, %7: f32 = max) { "
	 "%8 = load f32 b0[4096*i0 + 1*i1 + 3] %9 = - f32 %8, %0 %4 <- %9 "
	 "%10 = load f32 b0[4096*i0 + 1*i1 + 1027] %11 = - f32 %10, %1 %5 <- %11 "
	 "%12 = load f32 b0[4096*i0 + 1*i1 + 2051] %13 = - f32 %12, %2 %6 <- %13 "
	 "%14 = load f32 b0[4096*i0 + 1*i1 + 3075] %15 = - f32 %14, %3 %7 <- %15 } "
	 "%16 = exp f32 %4 store b2[4*i0 + 1] %16 %17 = exp f32 %5 store b2[4*i0 + 2] %17 "
	 "%18 = exp f32 %6 store b2[4*i0 + 3] %18 %19 = exp f32 %7 store b2[4*i0 + 4] %19 }"},
	{"loop i2 2 { loop i0 6 { vloop i1 5 reduce(%0: f32 = sum) { %1 = load f32 b0[1024*i0 + 7*i2 + 1*i1] %0 <- %1 } "
	 "store b2[1*i0 + 6*i2] %0 } }",
	 "loop i0 2 { loop i1 3 { vloop i2 5 reduce(%0: f32 = sum, %1: f32 = sum) { %2 = load f32 b0[7*i0 + 2048*i1 + 1*i2] "
	 "%0 <- %2 %3 = load f32 b0[7*i0 + 2048*i1 + 1*i2 + 1024] %1 <- %3 } store b2[6*i0 + 2*i1] %0 "
	 "store b2[6*i0 + 2*i1 + 1] %1 } }"},
	{"loop i0 8 { vloop i1 5 reduce(%0: f32 = argmax at %1, %2: f32 = sum, %3: f32 = min) { %4 = load f32 b0[1024*i0 + 1*i1] "
	 "%5 = index 1*i1 %0 <- %4 at %5 %2 <- %4 %3 <- %4 } %6 = cast f32 %1 store b2[1*i0] %6 store b2[1*i0 + 8] %2 "
	 "store b2[1*i0 + 16] %3 }",
	 "loop i0 4 { vloop i1 5 reduce(%0: f32 = argmax at %1, %2: f32 = sum, %3: f32 = min, %4: f32 = argmax at %5, "
	 "%6: f32 = sum, %7: f32 = min) { %8 = index 1*i1 %9 = load f32 b0[2048*i0 + 1*i1] %0 <- %9 at %8 %2 <- %9 %3 <- %9 "
	 "%10 = load f32 b0[2048*i0 + 1*i1 + 1024] %4 <- %10 at %8 %6 <- %10 %7 <- %10 } "
	 "%11 = cast f32 %1 store b2[2*i0] %11 store b2[2*i0 + 8] %2 store b2[2*i0 + 16] %3 "
	 "%12 = cast f32 %5 store b2[2*i0 + 1] %12 store b2[2*i0 + 9] %6 store b2[2*i0 + 17] %7 }"},
	/* Rows that are made of the same lines, in nests too, six of them in threes; lines in blocks, which come first. */
	{"loop i0 6 { vloop i1 5 { loop i2 3 reduce(%0: f32 = sum) { %1 = load f32 b1[3*i0 + 1*i2] %2 = load f32 b0[7*i2 + 1*i1] "
	 "%3 = - f32 %1, %2 %0 <- %3 * %3 } store b2[5*i0 + 1*i1] %0 } }",
	 "loop i0 2 { vloop i1 5 { loop i2 3 reduce(%0: f32 = sum, %1: f32 = sum, %2: f32 = sum) { "
	 "%3 = load f32 b0[1*i1 + 7*i2] %4 = load f32 b1[9*i0 + 1*i2] %5 = - f32 %4, %3 %0 <- %5 * %5 "
	 "%6 = load f32 b1[9*i0 + 1*i2 + 3] %7 = - f32 %6, %3 %1 <- %7 * %7 "
	 "%8 = load f32 b1[9*i0 + 1*i2 + 6] %9 = - f32 %8, %3 %2 <- %9 * %9 } "
	 "store b2[15*i0 + 1*i1] %0 store b2[15*i0 + 1*i1 + 5] %1 store b2[15*i0 + 1*i1 + 10] %2 } }"},
	{"loop i0 2 { loop i1 3 { vloop i2 5 { loop i3 4 reduce(%0: f32 = max) { loop i4 2 { %1 = load f32 b1[8*i0 + 2*i3 + 1*i4] "
	 "%2 = load f32 b0[100*i1 + 10*i3 + 5*i4 + 1*i2] %3 = * f32 %1, %2 %0 <- %3 } } store b2[15*i0 + 5*i1 + 1*i2] %0 } } }",
	 "loop i1 3 { loop i0 1 { vloop i2 5 { loop i3 4 reduce(%0: f32 = max, %1: f32 = max) { loop i4 2 { "
	 "%2 = load f32 b0[100*i1 + 1*i2 + 10*i3 + 5*i4] %3 = load f32 b1[16*i0 + 2*i3 + 1*i4] %4 = * f32 %3, %2 %0 <- %4 "
	 "%5 = load f32 b1[16*i0 + 2*i3 + 1*i4 + 8] %6 = * f32 %5, %2 %1 <- %6 } } "
	 "store b2[30*i0 + 5*i1 + 1*i2] %0 store b2[30*i0 + 5*i1 + 1*i2 + 15] %1 } } }"},
	/* Rows of other lines, eleven rows, functions of points, what reads what others write. */
	{"loop i0 6 { vloop i1 5 { loop i2 3 reduce(%0: f32 = sum) { %1 = load f32 b1[3*i0 + 1*i2] %2 = load f32 b0[7*i2 + 1*i1 + "
	 "100*i0] %3 = - f32 %1, %2 %0 <- %3 } store b2[5*i0 + 1*i1] %0 } }",
	 NULL},
	{"loop i0 11 { vloop i1 5 { loop i2 3 reduce(%0: f32 = sum) { %1 = load f32 b1[3*i0 + 1*i2] %2 = load f32 b0[7*i2 + 1*i1] "
	 "%3 = - f32 %1, %2 %0 <- %3 } store b2[5*i0 + 1*i1] %0 } }",
	 NULL},
	{"loop i0 6 { vloop i1 5 { loop i2 3 reduce(%0: f32 = sum) { %1 = load f32 b1[3*i0 + 1*i2] %2 = load f32 b0[7*i2 + 1*i1] "
	 "%3 = - f32 %1, %2 %4 = exp f32 %3 %0 <- %4 } store b2[5*i0 + 1*i1] %0 } }",
	 NULL},
	{"loop i0 6 { vloop i1 5 { loop i2 3 reduce(%0: f32 = sum) { %1 = load f32 b2[3*i0 + 1*i2] %2 = load f32 b0[7*i2 + 1*i1] "
	 "%3 = - f32 %1, %2 %0 <- %3 } store b2[5*i0 + 1*i1 + 30] %0 } }",
	 NULL},
	/* An odd number of rows, rows close to each other or of a small tensor, functions, sums over all rows, two passes. */
	{"loop i0 7 { vloop i1 5 reduce(%0: f32 = max) { %1 = load f32 b0[1024*i0 + 1*i1] %0 <- %1 } store b2[1*i0] %0 }", NULL},
	{"loop i0 8 { vloop i1 5 reduce(%0: f32 = max) { %1 = load f32 b0[5*i0 + 1*i1] %0 <- %1 } store b2[1*i0] %0 }", NULL},
	{"loop i0 8 { vloop i1 5 reduce(%0: f32 = max) { %1 = load f32 b1[1024*i0 + 1*i1] %0 <- %1 } store b2[1*i0] %0 }", NULL},
	{"loop i0 8 { vloop i1 5 reduce(%0: f32 = sum) { %1 = load f32 b0[1024*i0 + 1*i1] %2 = exp f32 %1 %0 <- %2 } "
	 "store b2[1*i0] %0 }",
	 NULL},
	{"loop i0 8 reduce(%0: f32 = sum) { vloop i1 5 { %1 = load f32 b0[1024*i0 + 1*i1] %0 <- %1 } } store b2[0] %0", NULL},
	{"loop i0 8 { vloop i1 5 reduce(%0: f32 = max) { %1 = load f32 b0[1024*i0 + 1*i1] %0 <- %1 } vloop i2 5 { "
	 "%2 = load f32 b0[1024*i0 + 1*i2] %3 = - f32 %2, %0 store b2[5*i0 + 1*i2] %3 } }",
	 NULL},
	/* What a row stores another one reads. */
	{"loop i0 8 { %0 = load f32 b2[1*i0] vloop i1 5 reduce(%1: f32 = max) { %2 = load f32 b0[1024*i0 + 1*i1] %3 = + f32 %2, "
	 "%0 %1 <- %3 } store b2[1*i0 + 1] %1 }",
	 NULL},
};

START_TEST(rows_of_a_large_tensor_are_read_abreast)
{
	enum { READ = 8192, WRITTEN = 64 };
	const char *head = "kernel \"k\"(in b0: f32[1048576], in b1: f32[8192], inout b2: f32[64]) flops 0 { %s }";
	const char *want = abreast[_i].after ? abreast[_i].after : abreast[_i].before;
	struct kernel *k[2], *wanted = read_kernel(arena_printf(arena, head, want));
	float *in = ARENA_ARRAY(arena, float, READ), out[2][WRITTEN];
	for (int i = 0; i < READ; i++)
		in[i] = (float)(i * 7 % 31);
	for (int n = 0; n < 2; n++) {
		k[n] = read_kernel(arena_printf(arena, head, abreast[_i].before));
		if (n)
			kernel_abreast(arena, k[n]);
		const char *wrong = kernel_verify(arena, k[n]);
		ck_assert_msg(!wrong, "%s", wrong);
		for (int i = 0; i < WRITTEN; i++)
			out[n][i] = (float)i;
		kernel_interpret(k[n], (void *[]){in, in, out[n]}, NULL);
	}
	kernel_collapse(arena, k[1]); /* numbers in order */
	kernel_collapse(arena, wanted);
	ck_assert_str_eq(print(k[1]), print(wanted));
	ck_assert_mem_eq(out[0], out[1], sizeof out[0]);
}
END_TEST

START_TEST(equal_kernels_hash_alike_whatever_their_name)
{
	const char *body = "(in b0: f32[12], out b1: f32[12]) flops 0 { vloop i0 12 { %0 = load f32 b0[1*i0] store "
			   "b1[1*i0] %0 } }";
	struct kernel *a = read_kernel(arena_printf(arena, "kernel \"a\"%s", body));
	struct kernel *b = read_kernel(arena_printf(arena, "kernel \"b\"%s", body));
	ck_assert(kernel_equal(a, b));
	ck_assert(kernel_hash(a) == kernel_hash(b));
	b->body->extent = 11;
	ck_assert(!kernel_equal(a, b));
	ck_assert(kernel_hash(a) != kernel_hash(b));
}
END_TEST

START_TEST(a_kernel_is_that_of_steps_in_place_and_of_others)
{
	const char *text = "kernel \"k\"(in b0: f32[12], in b1: f32[12], out b2: f32[12]%s, out b3: f32[12]%s) flops 0 "
			   "{ vloop i0 12 { "
			   "%%0 = load f32 b0[1*i0] %%1 = load f32 b1[1*i0] store b2[1*i0] %%0 store b3[1*i0] %%1 } }";
	static const struct {
		const char *one[2], *other[2];
		int same[2]; /* of both in one; -2: they stay two */
	} row[] = {
		{{"", ""}, {"", ""}, {-1, -1}},
		{{"", ""}, {" same b0", ""}, {0, -1}},
		{{" same b0", ""}, {"", ""}, {0, -1}},
		{{" same b0", ""}, {"", " same b1"}, {0, 1}},
		{{" same b0", ""}, {" same b1", ""}, {-2, -2}},
		{{" same b0", ""}, {"", " same b0"}, {-2, -2}},
	};
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct kernel *a = read_kernel(arena_printf(arena, text, row[i].one[0], row[i].one[1]));
		struct kernel *b = read_kernel(arena_printf(arena, text, row[i].other[0], row[i].other[1]));
		bool is_one = row[i].same[0] != -2;
		ck_assert(kernel_hash(a) == kernel_hash(b));
		ck_assert(kernel_take_in(arena, a, b) == is_one);
		for (int out = 0; out < 2 && is_one; out++)
			ck_assert_int_eq(a->params.at[2 + out].same, row[i].same[out]);
		b->body->extent = 11;
		ck_assert(!kernel_take_in(arena, a, b));
	}
}
END_TEST

/* What reads a part of a buffer, from wherever on, is what reads all of one of that size; not where data say what is
 * read, where it is written in place, and nothing that is written. */
START_TEST(parts_of_buffers_are_read_like_buffers_of_their_size)
{
	static const struct {
		const char *of;     /* sizes of b0 and b1, what b1 is the same as */
		const char *at;     /* where b0 is read */
		int64_t size, from; /* then */
	} row[] = {
		{"in b0: f32[12], out b1: f32[12]", "1*i0", 12, 0},
		{"in b0: f32[96], out b1: f32[12]", "1*i0", 12, 0},
		{"in b0: f32[96], out b1: f32[12]", "36 + 1*i0", 12, 36},
		{"in b0: f32[96], out b1: f32[12]", "36 + 2*i0", 23, 36},
		{"in b0: f32[96], out b1: f32[12]", "36", 1, 36},
		{"in b0: f32[96], out b1: f32[96] same b0", "1*i0", 96, 0},
		{"inout b0: f32[96], out b1: f32[12]", "1*i0", 96, 0},
	};
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct kernel *k = read_kernel(arena_printf(arena,
							    "kernel \"k\"(%s) flops 0 { vloop i0 12 { "
							    "%%0 = load f32 b0[%s] store b1[1*i0] %%0 } }",
							    row[i].of, row[i].at));
		int64_t from[2];
		struct kernel *rebased = kernel_rebased(arena, k, from);
		ck_assert_int_eq(rebased->params.at[0].size, row[i].size);
		ck_assert_int_eq(rebased->params.at[1].size, k->params.at[1].size);
		ck_assert_int_eq(from[0], row[i].from);
		ck_assert_int_eq(from[1], 0);
		ck_assert_msg(!kernel_verify(arena, rebased), "%s", print(rebased));
	}
}
END_TEST

int main(void)
{
	Suite *suite;
	TCase *t = suite_begin(&suite, "kernel text");
	tcase_add_checked_fixture(t, set_up, tear_down);
	tcase_add_loop_test(t, verifier_refuses, 0, sizeof refused / sizeof *refused);
	tcase_add_test(t, deep_nesting_is_refused_not_followed);
	tcase_add_loop_test(t, output_shares_the_input_only_if_read_first, 0, sizeof sharing / sizeof *sharing);
	tcase_add_loop_test(t, loops_are_cut_where_their_conditions_change, 0, sizeof cutting / sizeof *cutting);
	tcase_add_loop_test(t, turns_that_differ_by_a_remainder_are_made_in_phases, 0, sizeof phasing / sizeof *phasing);
	tcase_add_loop_test(t, rows_of_a_large_tensor_are_read_abreast, 0, sizeof abreast / sizeof *abreast);
	tcase_add_loop_test(t, nests_collapse_where_addresses_step_evenly, 0, sizeof collapsing / sizeof *collapsing);
	tcase_add_test(t, loops_are_cut_into_pieces_that_stay_short);
	tcase_add_test(t, equal_kernels_hash_alike_whatever_their_name);
	tcase_add_test(t, a_kernel_is_that_of_steps_in_place_and_of_others);
	tcase_add_test(t, parts_of_buffers_are_read_like_buffers_of_their_size);
	return suite_end(suite);
}
