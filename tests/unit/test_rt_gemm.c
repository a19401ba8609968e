/* test_rt_gemm.c — contractions of the runtime against sums in double: every flag, sizes around the blocks, leading
 * dimensions, loops with any strides, alpha and beta, empty extents. */
#include "product/product.h"
#include "product_loops.h"
#include "rt.h"
#include "suite.h"
#include "team.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 1 << 17 };

static int room = 2048; /* how much of the arrays is in use */
static float a[ROOM], b[ROOM], c[ROOM], start[ROOM];
static double wide_a[ROOM], wide_b[ROOM], wide_c[ROOM];

static const struct pmlrt_program program = {.vector_bytes = 64};
static struct pmlrt rt = {.program = &program};

struct contraction {
	int64_t ta, tb, m, n, k, lda, ldb, ldc;
	double alpha, beta;
	int64_t nloops, loop[3][LOOP_WORDS];
};

static void fill(void)
{
	for (int i = 0; i < room; i++) {
		a[i] = (float)((i * 37 + i / 7) % 19 - 9) * 0.125f;
		b[i] = (float)((i * 53 + i / 5) % 23 - 11) * 0.0625f;
		start[i] = c[i] = (float)(i % 17 - 8) * 0.25f;
		wide_a[i] = a[i];
		wide_b[i] = b[i];
		wide_c[i] = c[i];
	}
}

/* Where the operands are in turn q of the loops, 0 being the first. */
static struct product_turn turn_of(const struct contraction *p, int64_t q)
{
	struct product_turn t = {0};
	for (int64_t i = p->nloops - 1; i >= 0; i--) {
		const int64_t *l = p->loop[i];
		int64_t at = q % l[LOOP_EXTENT];
		t.a += at * l[LOOP_A];
		t.b += at * l[LOOP_B];
		t.c += at * l[LOOP_C];
		q /= l[LOOP_EXTENT];
	}
	return t;
}

static int64_t turns_of(const struct contraction *p)
{
	int64_t n = 1;
	for (int64_t i = 0; i < p->nloops; i++)
		n *= p->loop[i][LOOP_EXTENT];
	return n;
}

/* What all turns together leave in C, in doubles; touched: what belongs to it. */
static void expected(const struct contraction *p, double *value, bool *touched)
{
	for (int i = 0; i < room; i++) {
		value[i] = (double)start[i];
		touched[i] = false;
	}
	for (int64_t q = 0; q < turns_of(p); q++) {
		struct product_turn t = turn_of(p, q);
		for (int64_t i = 0; i < p->m; i++)
			for (int64_t j = 0; j < p->n; j++) {
				double sum = 0;
				for (int64_t k = 0; k < p->k; k++) {
					int64_t x = t.a + (p->ta ? k * p->lda + i : i * p->lda + k);
					int64_t y = t.b + (p->tb ? j * p->ldb + k : k * p->ldb + j);
					sum += (double)a[x] * (double)b[y];
				}
				int64_t at = t.c + i * p->ldc + j;
				if (!touched[at])
					value[at] = p->beta == 0 ? 0 : p->beta * value[at];
				value[at] += p->alpha * sum;
				touched[at] = true;
			}
	}
}

/* Compares all of C, also what lies between its rows, which must not change. */
static void compare(const struct contraction *p, bool wide, double tolerance)
{
	static double value[ROOM];
	static bool touched[ROOM];
	expected(p, value, touched);
	for (int i = 0; i < room; i++) {
		double v = wide ? wide_c[i] : (double)c[i], e = value[i];
		if (touched[i] && !(fabs(v - e) <= tolerance * (1 + fabs(e))))
			ck_abort_msg("%lldx%lldx%lld ta %lld tb %lld loops %lld: %g, not %g", (long long)p->m,
				     (long long)p->n, (long long)p->k, (long long)p->ta, (long long)p->tb,
				     (long long)p->nloops, v, e);
		if (!touched[i] && !(v == e)) /* a ck_assert would write to a file for every element */
			ck_abort_msg("an element outside of C has changed");
	}
}

static const int64_t in_place[] = {0};

static void run(struct contraction p)
{
	fill();
	pmlrt_gemm_f32(&rt, p.ta, p.tb, p.m, p.n, p.k, (float)p.alpha, a, p.lda, b, p.ldb, (float)p.beta, c, p.ldc,
		       p.nloops, p.loop[0], in_place, in_place, NULL);
	compare(&p, false, 1e-5);
	pmlrt_gemm_f64(&rt, p.ta, p.tb, p.m, p.n, p.k, p.alpha, wide_a, p.lda, wide_b, p.ldb, p.beta, wide_c, p.ldc,
		       p.nloops, p.loop[0], in_place, in_place, NULL);
	compare(&p, true, 1e-12);
}

static struct contraction dense(int64_t ta, int64_t tb, int64_t m, int64_t n, int64_t k, int64_t more)
{
	return (struct contraction){ta, tb, m, n, k, (ta ? m : k) + more, (tb ? k : n) + more, n + more, .alpha = 1};
}

START_TEST(all_flags_and_sizes)
{
	static const int64_t sizes[] = {1, 2, 5, 16, 33};
	for (int f = 0; f < 4; f++)
		for (int m = 0; m < 5; m++)
			for (int n = 0; n < 5; n++)
				for (int k = 0; k < 5; k++)
					for (int64_t more = 0; more < 4; more += 3) {
						struct contraction p =
							dense(f & 1, f >> 1, sizes[m], sizes[n], sizes[k], more);
						run(p);
					}
}
END_TEST

START_TEST(sizes_beyond_the_blocks)
{
	room = ROOM;
	for (int f = 0; f < 4; f++) {
		run(dense(f & 1, f >> 1, 3, 520, 131, 1));
	}
}
END_TEST

START_TEST(alpha_and_beta)
{
	static const double factors[] = {0, 1, -0.5};
	for (int f = 0; f < 4; f++)
		for (int x = 0; x < 3; x++)
			for (int y = 0; y < 3; y++) {
				struct contraction p = dense(f & 1, f >> 1, 7, 9, 11, 2);
				p.alpha = factors[x];
				p.beta = factors[y];
				run(p);
			}
}
END_TEST

/* Batches, one operand for all of them, sums over turns, and all of these inside each other. */
START_TEST(loops_with_any_strides)
{
	static const int64_t loops[][LOOP_WORDS] = {
		{3, 20, 30, 24}, {2, 0, 30, 60}, {2, 70, 0, 100}, {2, 100, 90, 0}, {3, 21, 0, 0}};
	enum { KINDS = sizeof loops / sizeof *loops };
	for (int f = 0; f < 4; f++)
		for (int x = 0; x < KINDS * KINDS * KINDS; x++) {
			struct contraction p = dense(f & 1, f >> 1, 4, 6, 5, 0);
			int kind[] = {x % KINDS, x / KINDS % KINDS, x / KINDS / KINDS};
			p.beta = x % 2 ? 0.5 : 0;
			p.nloops = 1 + x % 3;
			int64_t reach = 24; /* of C: a loop that writes goes beyond what is inside of it */
			for (int64_t i = p.nloops - 1; i >= 0; i--) {
				memcpy(p.loop[i], loops[kind[i]], sizeof p.loop[i]);
				if (p.loop[i][LOOP_C])
					reach *= p.loop[i][LOOP_EXTENT];
				if (p.loop[i][LOOP_C])
					p.loop[i][LOOP_C] = reach / p.loop[i][LOOP_EXTENT];
			}
			run(p);
		}
}
END_TEST

START_TEST(empty_extents)
{
	for (int f = 0; f < 4; f++)
		for (int e = 0; e < 3; e++) {
			struct contraction p = dense(f & 1, f >> 1, 4, 3, 2, 2);
			*(e == 0 ? &p.m : e == 1 ? &p.n : &p.k) = 0;
			p.beta = 0.5;
			run(p);
		}
}
END_TEST

START_TEST(beta_zero_overwrites_nan)
{
	for (int64_t k = 0; k < 3; k++) {
		struct contraction p = dense(0, 0, 4, 3, k, 0);
		p.lda = 3;
		fill();
		for (int i = 0; i < 12; i++)
			c[i] = NAN;
		pmlrt_gemm_f32(&rt, 0, 0, 4, 3, k, 1, a, p.lda, b, p.ldb, 0, c, p.ldc, 0, NULL, in_place, in_place,
			       NULL);
		compare(&p, false, 1e-5);
	}
}
END_TEST

/* Products that threads share: whole, row by row of loops that write, and part by part of loops that add up. */
START_TEST(threads_have_the_bits_of_one)
{
	static const struct contraction cases[] = {
		{0, 0, 200, 90, 30, 30, 90, 90, .alpha = 0.3, .beta = 0.7},
		{0, 1, 20, 300, 80, 80, 80, 300, .alpha = 1},
		{1, 0, 8, 900, 70, 8, 900, 900, .alpha = 1},
		{0, 0, 20, 30, 40, 40, 30, 30, .alpha = 1, .nloops = 2, .loop = {{4, 3, 0, 2400}, {4, 7, 5, 600}}},
		{0, 0, 64, 60, 40, 40, 60, 60, .alpha = 1, .beta = 0.5, .nloops = 2,
		 .loop = {{3, 3, 0, 0}, {2, 7, 5, 3840}}},
	};
	static float alone[ROOM];
	static double wide_alone[ROOM];
	room = ROOM;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		for (int threads = 1; threads < 5; threads++) {
			rt.options.threads = threads;
			rt_team_start(&rt);
			rt_gemm_start(&rt);
			ck_assert_int_eq(rt_team_size(&rt), threads);
			run(cases[i]);
			rt_team_end(&rt);
			if (threads == 1) {
				memcpy(alone, c, sizeof alone);
				memcpy(wide_alone, wide_c, sizeof wide_alone);
			}
			ck_assert(!memcmp(alone, c, sizeof alone) && !memcmp(wide_alone, wide_c, sizeof wide_alone));
		}
}
END_TEST

int main(void)
{
	Suite *s;
	rt.product_level = (int)product_level(program.vector_bytes, false);
	rt_gemm_start(&rt);
	TCase *t = suite_begin(&s, "gemm");
	tcase_add_test(t, all_flags_and_sizes);
	tcase_add_test(t, sizes_beyond_the_blocks);
	tcase_add_test(t, alpha_and_beta);
	tcase_add_test(t, loops_with_any_strides);
	tcase_add_test(t, threads_have_the_bits_of_one);
	tcase_add_test(t, empty_extents);
	tcase_add_test(t, beta_zero_overwrites_nan);
	int status = suite_end(s);
	rt_free_all(&rt);
	return status;
}
