/* test_kernel_divide.c — which kernels threads may share: those of a list, and random ones, for which every element
 * that a turn of the loop reads or writes is written down. */
#include "compiler/kernel/kernel.h"
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ELEMENTS = 4096, BUFFERS = 3, NOBODY = -1, ALL = -2 };

static struct arena *arena;

static struct kernel *read_kernel(const char *text)
{
	const char *error = NULL;
	struct kernel *k = kernel_read(arena, text, &error);
	ck_assert_msg(k != NULL, "%s\n%s", error, text);
	return k;
}

/* Parameters and body; the loop that is shared, -1: none. */
static const struct {
	const char *text;
	int loop;
} known[] = {
	{"(in b0: f32[64], out b1: f32[64]) flops 0 { vloop i0 64 { %0 = load f32 b0[1*i0] store b1[1*i0] %0 } }", 0},
	{"(in b0: f32[64], out b1: f32[64] same b0) flops 0 { vloop i0 64 { %0 = load f32 b0[1*i0] store b1[1*i0] %0 } "
	 "}",
	 0},
	{"(in b0: f32[64], out b1: f32[64] same b0) flops 0 { vloop i0 63 { %0 = load f32 b0[1*i0 + 1] store b1[1*i0] "
	 "%0 } }",
	 -1},
	{"(in b0: f32[64], out b1: f32[64]) flops 0 { vloop i0 63 { %0 = load f32 b0[1*i0 + 1] store b1[1*i0] %0 } }",
	 0},
	{"(in b0: f32[64], out b1: f32[64]) flops 0 { loop i0 8 { vloop i1 8 { %0 = load f32 b0[8*i0 + 1*i1] store "
	 "b1[1*i0 + "
	 "8*i1] %0 } } }",
	 0},
	{"(in b0: f32[64], out b1: f32[8]) flops 0 { loop i0 8 { vloop i1 8 { %0 = load f32 b0[8*i0 + 1*i1] store "
	 "b1[1*i1] %0 "
	 "} } }",
	 -1},
	{"(in b0: f32[64], out b1: f32[64]) flops 0 { loop i0 8 { vloop i1 4 { %0 = load f32 b0[4*i0 + 1*i1] store "
	 "b1[3*i0 + "
	 "1*i1] %0 } } }",
	 -1},
	{"(in b0: f32[64], out b1: f32[8]) flops 0 { loop i0 8 { vloop i1 8 reduce(%0: f32 = sum) { %1 = load f32 "
	 "b0[8*i0 + "
	 "1*i1] %0 <- %1 } store b1[1*i0] %0 } }",
	 0},
	{"(in b0: f32[64], out b1: f32[1]) flops 0 { vloop i0 64 reduce(%0: f32 = sum) { %1 = load f32 b0[1*i0] %0 <- "
	 "%1 } "
	 "store b1[0] %0 }",
	 -1},
	{"(in b0: i64[64], out b1: i64[64]) flops 0 { vloop i0 64 { %0 = load i64 b0[1*i0] store b1[1*i0 + 1*%0] %0 } "
	 "}",
	 -1},
	{"(in b0: i64[64], out b1: i64[64]) flops 0 { vloop i0 64 { %0 = load i64 b0[1*i0] %1 = load i64 b0[1*%0] "
	 "store "
	 "b1[1*i0] %1 } }",
	 0},
	{"(in b0: i64[64], out b1: i64[64] same b0) flops 0 { vloop i0 64 { %0 = load i64 b0[1*i0] %1 = load i64 "
	 "b0[1*%0] "
	 "store b1[1*i0] %1 } }",
	 -1},
	{"(in b0: f32[64], out b1: f32[64]) flops 0 { %0 = const f32 1 store b1[0] %0 vloop i0 64 { %1 = load f32 "
	 "b0[1*i0] "
	 "store b1[1*i0] %1 } }",
	 -1},
	{"(out b0: f32[64], out b1: f32[64]) flops 0 { %0 = const f32 1 vloop i0 64 { store b0[1*i0] %0 } vloop i1 64 "
	 "{ store "
	 "b1[1*i1] %0 } }",
	 -1},
	{"(out b0: f32[64]) flops 0 { %0 = const f32 1 loop i0 1 { loop i1 4 { vloop i2 16 { store b0[16*i1 + 1*i2] %0 "
	 "} } } }",
	 1},
	{"(inout b0: f32[128]) flops 0 { loop i0 8 { vloop i1 8 { %0 = load f32 b0[16*i0 + 1*i1] store b0[16*i0 + 1*i1 "
	 "+ 8] "
	 "%0 } } }",
	 0},
	{"(inout b0: f32[128]) flops 0 { loop i0 7 { vloop i1 8 { %0 = load f32 b0[16*i0 + 1*i1] store b0[16*i0 + 1*i1 "
	 "+ 9] "
	 "%0 } } }",
	 -1},
	{"(inout b0: f32[128]) flops 0 { loop i0 4 { vloop i1 8 { %0 = load f32 b0[16*i0 + 1*i1] store b0[8*i0 + 1*i1] "
	 "%0 } } "
	 "}",
	 -1},
};

START_TEST(loops_of_known_kernels)
{
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		struct kernel *k = read_kernel(arena_printf(arena, "kernel \"k\"%s", known[i].text));
		const char *wrong = kernel_verify(arena, k);
		ck_assert_msg(!wrong, "%s: %s", known[i].text, wrong);
		const struct kernel_instr *loop = kernel_divided(k, 0);
		ck_assert_msg((loop ? loop->loop : -1) == known[i].loop, "%s: %d", known[i].text,
			      loop ? loop->loop : -1);
		ck_assert_ptr_eq(kernel_divided(k, 1e9), NULL);
	}
}
END_TEST

/* ---- random kernels ---- */

static uint64_t state;
static int draw(int from, int to)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return from + (int)((state >> 33) % (uint64_t)(to - from + 1));
}

/* Of the turn that is being made: what it touches, and whether another turn has met it there. */
struct marks {
	const struct kernel *k;
	const struct kernel_instr *loop;
	int64_t at[8]; /* values of loop variables */
	int64_t turn, writer[BUFFERS][ELEMENTS], reader[BUFFERS][ELEMENTS];
	bool meets;
};

static void mark(struct marks *m, const struct kernel_instr *i)
{
	int param = m->k->params.at[i->param].same >= 0 ? m->k->params.at[i->param].same : i->param;
	int64_t first = i->at.offset, last;
	for (int n = 0; n < i->at.nterms; n++)
		first += i->at.term[n].coef * m->at[i->at.term[n].loop];
	last = i->at.reg < 0 ? first : ELEMENTS - 1;
	for (int64_t e = i->at.reg < 0 ? first : 0; e <= last; e++) {
		int64_t *writer = &m->writer[param][e], *reader = &m->reader[param][e];
		bool other_wrote = *writer != NOBODY && *writer != m->turn;
		bool other_read = *reader == ALL || (*reader != NOBODY && *reader != m->turn);
		m->meets |= other_wrote || (i->kind == K_STORE && other_read);
		if (i->kind == K_STORE)
			*writer = m->turn;
		else
			*reader = other_read ? ALL : m->turn;
	}
}

static void make(struct marks *m, const struct kernel_instr *body)
{
	for (const struct kernel_instr *i = body; i; i = i->next)
		if (i->kind == K_LOAD || i->kind == K_STORE)
			mark(m, i);
		else if (i->kind == K_LOOP)
			for (int64_t v = 0; v < i->extent; v++) {
				m->at[i->loop] = v;
				if (i == m->loop)
					m->turn = v;
				make(m, i->body);
			}
}

/* Whether a turn touches what another one writes; of a store that data place, any. */
static bool turns_meet(const struct kernel *k, const struct kernel_instr *loop)
{
	static struct marks m;
	m = (struct marks){.k = k, .loop = loop};
	for (int b = 0; b < BUFFERS; b++)
		for (int e = 0; e < ELEMENTS; e++)
			m.writer[b][e] = m.reader[b][e] = NOBODY;
	make(&m, k->body);
	return m.meets;
}

/* An address of loops 0 and `inner`, and of the middle one if there is one. */
static const char *address(int inner, bool middle)
{
	static const int steps[] = {0, 1, 2, 3, 4, 6, 8, 12, 16, 24, -1, -4};
	enum { STEPS = sizeof steps / sizeof *steps, BEFORE = 64 };
	int a = steps[draw(0, STEPS - 1)], b = steps[draw(0, STEPS - 1)], c = steps[draw(0, STEPS - 1)];
	const char *between = middle ? arena_printf(arena, " + %d*i1", b) : "";
	return arena_printf(arena, "%d*i0%s + %d*i%d + %d", a, between, c, inner, BEFORE + draw(0, 2) * draw(0, 12));
}

static const char *accesses(int inner, bool middle, int *reg)
{
	struct text t;
	text_init(&t, arena);
	for (int n = draw(1, 2); n > 0; n--) {
		text_printf(&t, "%%%d = load i64 b%d[%s] ", *reg, draw(0, 1), address(inner, middle));
		if (draw(0, 9) == 0)
			text_printf(&t, "store b2[%s + 1*%%%d] %%%d ", address(inner, middle), *reg, *reg);
		else if (draw(0, 3))
			text_printf(&t, "store b%d[%s] %%%d ", draw(1, 2), address(inner, middle), *reg);
		++*reg;
	}
	return text_get(&t);
}

static struct kernel *random_kernel(void)
{
	struct text t;
	int reg = 0, n = draw(1, 2);
	bool middle = draw(0, 1);
	text_init(&t, arena);
	text_printf(&t, "kernel \"k\"(in b0: i64[%d], inout b1: i64[%d], out b2: i64[%d]%s) flops 0 { loop i0 %d { ",
		    ELEMENTS, ELEMENTS, ELEMENTS, draw(0, 2) ? "" : " same b0", draw(2, 7));
	if (middle)
		text_printf(&t, "loop i1 %d { ", draw(1, 4));
	for (int i = 0; i < n; i++)
		text_printf(&t, "vloop i%d %d { %s} ", 2 + i, draw(1, 6), accesses(2 + i, middle, &reg));
	text_printf(&t, "%s} }", middle ? "} " : "");
	return read_kernel(text_get(&t));
}

START_TEST(turns_of_random_kernels_are_apart)
{
	enum { CASES = 20000 };
	int shared = 0, apart = 0;
	for (state = 1; state <= CASES; state++) {
		uint64_t seed = state;
		struct kernel *k = random_kernel();
		const struct kernel_instr *loop = kernel_divided(k, 0);
		bool meet = turns_meet(k, k->body);
		struct text t;
		text_init(&t, arena);
		kernel_print(&t, k);
		ck_assert_msg(!loop || !turns_meet(k, loop), "%s", text_get(&t));
		shared += loop != NULL;
		apart += !meet;
		state = seed;
		if (seed % 100 == 0) {
			arena_free(arena);
			arena = arena_new("test");
		}
	}
	/* Of those that could be, most are: a stride that happens to miss what others write is not found. */
	ck_assert_int_gt(shared, apart / 2);
	ck_assert_int_gt(shared, CASES / 20);
}
END_TEST

int main(void)
{
	Suite *s;
	TCase *t = suite_begin(&s, "kernels that threads share");
	arena = arena_new("test");
	tcase_add_test(t, loops_of_known_kernels);
	tcase_add_test(t, turns_of_random_kernels_are_apart);
	int status = suite_end(s);
	arena_free(arena);
	return status;
}
