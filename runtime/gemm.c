/* gemm.c — contractions: oneDNN's sgemm where the build has it, else CBLAS, else the loops below, which are always
 * compiled: they are what the tests compare the others with. Everything is row-major. Degenerate products (an empty
 * extent, alpha 0) are settled here, because libraries disagree about them. */
#define _GNU_SOURCE
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif
#include "gemm.h"
#include "pack.h"
#include "rt.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_DNNL
#include <dnnl.h>
#endif
#ifdef HAVE_CBLAS
#include <cblas.h>
#endif

/* One process per core is the rule, so a library's own threads would only be in the way. */
void rt_gemm_start(void)
{
	static const char *const setters[] = {"omp_set_num_threads", "openblas_set_num_threads"};
	const char *wanted = getenv("OMP_NUM_THREADS");
	int threads = wanted && atoi(wanted) > 0 ? atoi(wanted) : 1;
	for (size_t i = 0; i < sizeof setters / sizeof *setters; i++) {
		void (*set)(int);
		*(void **)(void *)&set = dlsym(RTLD_DEFAULT, setters[i]);
		if (set)
			set(threads);
	}
}

/* C = beta * C, where beta 0 overwrites whatever is there, NaN included. */
#define SCALE(T) \
	static void scale_##T(int64_t m, int64_t n, T beta, T *c, int64_t ldc) \
	{ \
		for (int64_t i = 0; i < m; i++) \
			for (int64_t j = 0; j < n; j++) \
				c[i * ldc + j] = beta == 0 ? 0 : beta * c[i * ldc + j]; \
	}
SCALE(float)
SCALE(double)

/* Blocks of K and N that stay in cache; the innermost loop runs along a row of C, as wide as the machine's vectors. */
enum { BLOCK_K = 128, BLOCK_N = 512 };

#if defined __GNUC__ && !defined __clang__ && defined __x86_64__ && defined __OPTIMIZE__
#define WIDE __attribute__((optimize("O3"), target_clones("avx512f", "avx2", "default")))
#else
#define WIDE
#endif

#define OWN(name, T) \
	WIDE static void own_block_##T(const struct gemm_##T *g, int64_t k0, int64_t k1, int64_t j0, int64_t j1) \
	{ \
		for (int64_t i = 0; i < g->m; i++) { \
			for (int64_t k = k0; k < k1; k++) { \
				T a = g->alpha * (g->ta ? g->a[k * g->lda + i] : g->a[i * g->lda + k]); \
				T *restrict c = g->c + i * g->ldc; \
				if (g->tb) \
					for (int64_t j = j0; j < j1; j++) \
						c[j] += a * g->b[j * g->ldb + k]; \
				else \
					for (int64_t j = j0; j < j1; j++) \
						c[j] += a * g->b[k * g->ldb + j]; \
			} \
		} \
	} \
	void name(const struct gemm_##T *g) \
	{ \
		scale_##T(g->m, g->n, g->beta, g->c, g->ldc); \
		for (int64_t j = 0; j < g->n; j += BLOCK_N) \
			for (int64_t k = 0; k < g->k; k += BLOCK_K) \
				own_block_##T(g, k, k + BLOCK_K < g->k ? k + BLOCK_K : g->k, j, \
					      j + BLOCK_N < g->n ? j + BLOCK_N : g->n); \
	}
OWN(gemm_own_f32, float)
OWN(gemm_own_f64, double)

#if defined HAVE_DNNL
static void one_f32(const struct gemm_float *g)
{
	if (dnnl_sgemm(g->ta ? 'T' : 'N', g->tb ? 'T' : 'N', g->m, g->n, g->k, g->alpha, g->a, g->lda, g->b, g->ldb,
		       g->beta, g->c, g->ldc) != dnnl_success)
		gemm_own_f32(g);
}
#elif defined HAVE_CBLAS
static void one_f32(const struct gemm_float *g)
{
	cblas_sgemm(CblasRowMajor, g->ta ? CblasTrans : CblasNoTrans, g->tb ? CblasTrans : CblasNoTrans, (int)g->m,
		    (int)g->n, (int)g->k, g->alpha, g->a, (int)g->lda, g->b, (int)g->ldb, g->beta, g->c, (int)g->ldc);
}
#else
static void one_f32(const struct gemm_float *g)
{
	gemm_own_f32(g);
}
#endif

#ifdef HAVE_CBLAS
static void one_f64(const struct gemm_double *g)
{
	cblas_dgemm(CblasRowMajor, g->ta ? CblasTrans : CblasNoTrans, g->tb ? CblasTrans : CblasNoTrans, (int)g->m,
		    (int)g->n, (int)g->k, g->alpha, g->a, (int)g->lda, g->b, (int)g->ldb, g->beta, g->c, (int)g->ldc);
}
#else
static void one_f64(const struct gemm_double *g)
{
	gemm_own_f64(g);
}
#endif

#define LOOPS(name, T) \
	void pmlrt_gemm_##name(int64_t ta, int64_t tb, int64_t m, int64_t n, int64_t k, T alpha, const void *a, \
			       int64_t lda, const void *b, int64_t ldb, T beta, void *c, int64_t ldc, int64_t nloops, \
			       const int64_t *loops, const int64_t *pack_a, const int64_t *pack_b, void *workspace) \
	{ \
		if (m <= 0 || n <= 0) \
			return; \
		struct operands_##name o = operands_##name(a, pack_a, b, pack_b, workspace); \
		struct product_turn t = {0}; \
		do { \
			const T *at = packed_at_##name(&o.left, &t, t.a); \
			const T *bt = packed_at_##name(&o.right, &t, t.b); \
			struct gemm_##T g = {ta, tb, m,           n, k, lda, ldb, ldc, alpha, t.adds ? 1 : beta, \
					     at, bt, (T *)c + t.c}; \
			if (k <= 0 || alpha == 0) \
				scale_##T(m, n, g.beta, g.c, ldc); \
			else \
				one_##name(&g); \
		} while (product_next(&t, nloops, loops)); \
	}
LOOPS(f32, float)
LOOPS(f64, double)
