/* test_rt_gemm.c — contractions of the runtime against sums in double: every flag, sizes around the blocks, leading
 * dimensions, batches with and without strides, alpha and beta, empty extents. */
#include "gemm.h"
#include "pmlrt.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 1 << 17 };

static int room = 2048; /* how much of the arrays is in use */
static float a[ROOM], b[ROOM], c[ROOM], start[ROOM];
static double wide_a[ROOM], wide_b[ROOM], wide_c[ROOM];

struct product {
	int64_t ta, tb, m, n, k, lda, ldb, ldc, batch, sa, sb, sc;
	double alpha, beta;
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

/* What element (i, j) of product q has to be. */
static double expected(const struct product *p, int64_t q, int64_t i, int64_t j)
{
	double sum = 0;
	for (int64_t k = 0; k < p->k; k++) {
		int64_t x = q * p->sa + (p->ta ? k * p->lda + i : i * p->lda + k);
		int64_t y = q * p->sb + (p->tb ? j * p->ldb + k : k * p->ldb + j);
		sum += (double)a[x] * (double)b[y];
	}
	double before = p->beta == 0 ? 0 : p->beta * (double)start[q * p->sc + i * p->ldc + j];
	return p->alpha * sum + before;
}

/* Compares all of C, also what lies between its rows, which must not change. */
static void compare(const struct product *p, bool wide, double tolerance)
{
	static char touched[ROOM];
	memset(touched, 0, (size_t)room);
	for (int64_t q = 0; q < p->batch; q++)
		for (int64_t i = 0; i < p->m; i++)
			for (int64_t j = 0; j < p->n; j++) {
				int64_t at = q * p->sc + i * p->ldc + j;
				double v = wide ? wide_c[at] : (double)c[at], e = expected(p, q, i, j);
				touched[at] = 1;
				ck_assert_msg(fabs(v - e) <= tolerance * (1 + fabs(e)), "%lldx%lldx%lld ta %lld tb %lld batch %lld: %g, not %g",
				              (long long)p->m, (long long)p->n, (long long)p->k, (long long)p->ta, (long long)p->tb,
				              (long long)p->batch, v, e);
			}
	for (int64_t i = 0; i < room; i++)
		if (!touched[i])
			ck_assert_msg((wide ? wide_c[i] : (double)c[i]) == (double)start[i], "an element outside of C has changed");
}

static void run(struct product p)
{
	fill();
	pmlrt_gemm_f32(p.ta, p.tb, p.m, p.n, p.k, (float)p.alpha, a, p.lda, b, p.ldb, (float)p.beta, c, p.ldc, p.batch, p.sa, p.sb, p.sc);
	compare(&p, false, 1e-5);
	pmlrt_gemm_f64(p.ta, p.tb, p.m, p.n, p.k, p.alpha, wide_a, p.lda, wide_b, p.ldb, p.beta, wide_c, p.ldc, p.batch, p.sa, p.sb, p.sc);
	compare(&p, true, 1e-12);
}

static void run_own(struct product p)
{
	fill();
	gemm_own_f32(&(struct gemm_float){p.ta, p.tb, p.m, p.n, p.k, p.lda, p.ldb, p.ldc, (float)p.alpha, (float)p.beta, a, b, c});
	compare(&p, false, 1e-5);
	gemm_own_f64(&(struct gemm_double){p.ta, p.tb, p.m, p.n, p.k, p.lda, p.ldb, p.ldc, p.alpha, p.beta, wide_a, wide_b, wide_c});
	compare(&p, true, 1e-12);
}

static struct product dense(int64_t ta, int64_t tb, int64_t m, int64_t n, int64_t k, int64_t more)
{
	return (struct product){ta, tb, m, n, k, (ta ? m : k) + more, (tb ? k : n) + more, n + more, 1, 0, 0, 0, 1, 0};
}

START_TEST(all_flags_and_sizes)
{
	static const int64_t sizes[] = {1, 2, 5, 16, 33};
	for (int f = 0; f < 4; f++)
		for (int m = 0; m < 5; m++)
			for (int n = 0; n < 5; n++)
				for (int k = 0; k < 5; k++)
					for (int64_t more = 0; more < 4; more += 3) {
						struct product p = dense(f & 1, f >> 1, sizes[m], sizes[n], sizes[k], more);
						run(p);
						run_own(p);
					}
}
END_TEST

START_TEST(sizes_beyond_the_blocks)
{
	room = ROOM;
	for (int f = 0; f < 4; f++) {
		run(dense(f & 1, f >> 1, 3, 520, 131, 1));
		run_own(dense(f & 1, f >> 1, 3, 520, 131, 1));
	}
}
END_TEST

START_TEST(alpha_and_beta)
{
	static const double factors[] = {0, 1, -0.5};
	for (int f = 0; f < 4; f++)
		for (int x = 0; x < 3; x++)
			for (int y = 0; y < 3; y++) {
				struct product p = dense(f & 1, f >> 1, 7, 9, 11, 2);
				p.alpha = factors[x];
				p.beta = factors[y];
				run(p);
			}
}
END_TEST

START_TEST(batches_with_any_strides)
{
	for (int f = 0; f < 4; f++)
		for (int s = 0; s < 4; s++) {
			struct product p = dense(f & 1, f >> 1, 4, 6, 5, 0);
			p.batch = 3;
			p.sa = s & 1 ? 0 : 20;
			p.sb = s & 2 ? 0 : 30;
			p.sc = 24 + (s == 3 ? 8 : 0);
			run(p);
		}
}
END_TEST

START_TEST(empty_extents)
{
	for (int f = 0; f < 4; f++)
		for (int e = 0; e < 4; e++) {
			struct product p = dense(f & 1, f >> 1, 4, 3, 2, 2);
			*(e == 0 ? &p.m : e == 1 ? &p.n : e == 2 ? &p.k : &p.batch) = 0;
			p.beta = 0.5;
			run(p);
		}
}
END_TEST

START_TEST(beta_zero_overwrites_nan)
{
	for (int64_t k = 0; k < 3; k++) {
		struct product p = dense(0, 0, 4, 3, k, 0);
		p.lda = 3;
		fill();
		for (int i = 0; i < 12; i++)
			c[i] = NAN;
		pmlrt_gemm_f32(0, 0, 4, 3, k, 1, a, p.lda, b, p.ldb, 0, c, p.ldc, 1, 0, 0, 0);
		compare(&p, false, 1e-5);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("gemm");
	TCase *t = tcase_create("gemm");
	tcase_set_timeout(t, 60);
	tcase_add_test(t, all_flags_and_sizes);
	tcase_add_test(t, sizes_beyond_the_blocks);
	tcase_add_test(t, alpha_and_beta);
	tcase_add_test(t, batches_with_any_strides);
	tcase_add_test(t, empty_extents);
	tcase_add_test(t, beta_zero_overwrites_nan);
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_ENV);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
