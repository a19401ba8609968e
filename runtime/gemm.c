/* gemm.c — contractions: products of matrices and the loops around them, by product/ or by the library that the build
 * was told to use: oneDNN (HAVE_DNNL), which has none of f64, or CBLAS (HAVE_CBLAS). Everything is row-major. What
 * libraries disagree about, an empty extent and alpha 0, stays here. */
#define _GNU_SOURCE
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif
#include "pack_windows.h"
#include "product/product.h"
#include "rt.h"

#ifdef HAVE_DNNL
#include <dnnl.h>
#endif
#ifdef HAVE_CBLAS
#include <cblas.h>
#endif

#if defined HAVE_DNNL || defined HAVE_CBLAS
#include <dlfcn.h>
#include <stdlib.h>

/* One process per core is the rule, so a library's own threads would only be in the way. */
static void limit_threads(void)
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
#else
static void limit_threads(void)
{
}
#endif

void rt_gemm_start(struct pmlrt *rt)
{
	/* The narrowest one of all ranks: what they hold whole copies of stays the same. */
	int level = (int)product_level(rt->program->vector_bytes, rt->program->bf16_pairs);
	if (rt->size > 1)
		rt_all_reduce(rt, &level, 1, MPI_INT, MPI_MIN, "all ranks at the start", 0);
	rt->product_level = level;
	limit_threads();
	rt->product_room = rt_alloc_large(rt, product_room());
}

/* C = alpha * op(A) op(B) + beta * C; op is transposition if the flag is set. */
struct gemm {
	int64_t ta, tb, m, n, k, lda, ldb, ldc;
	double alpha, beta;
	const void *a, *b;
	void *c;
};

static struct product product_of(const struct gemm *g)
{
	return (struct product){.m = g->m,
				.n = g->n,
				.k = g->k,
				.a = {g->a, g->ta ? 1 : g->lda, g->ta ? g->lda : 1},
				.b = {g->b, g->tb ? 1 : g->ldb, g->tb ? g->ldb : 1},
				.c = g->c,
				.ldc = g->ldc,
				.alpha = g->alpha,
				.beta = g->beta};
}

#ifdef HAVE_CBLAS
#define CBLAS(f, T, g) \
	f(CblasRowMajor, (g)->ta ? CblasTrans : CblasNoTrans, (g)->tb ? CblasTrans : CblasNoTrans, (int)(g)->m, \
	  (int)(g)->n, (int)(g)->k, (T)(g)->alpha, (g)->a, (int)(g)->lda, (g)->b, (int)(g)->ldb, (T)(g)->beta, (g)->c, \
	  (int)(g)->ldc)
#endif

/* Whether a library has done it. */
static bool by_library(enum product_type type, const struct gemm *g)
{
	if (g->m <= 0 || g->n <= 0 || g->k <= 0 || g->alpha == 0)
		return false;
#ifdef HAVE_DNNL
	if (type == PRODUCT_F32)
		return dnnl_sgemm(g->ta ? 'T' : 'N', g->tb ? 'T' : 'N', g->m, g->n, g->k, (float)g->alpha, g->a, g->lda,
				  g->b, g->ldb, (float)g->beta, g->c, g->ldc) == dnnl_success;
#endif
#ifdef HAVE_CBLAS
	if (type == PRODUCT_F32)
		CBLAS(cblas_sgemm, float, g);
	if (type == PRODUCT_F64)
		CBLAS(cblas_dgemm, double, g);
	return type == PRODUCT_F32 || type == PRODUCT_F64;
#endif
	(void)type;
	return false;
}

/* Whether B is read through windows instead of being gathered; a library wants matrices. */
static bool through_windows(const struct pmlrt *rt, enum product_type type, const struct gemm *g, const int64_t *pack_b,
			    void *room, struct windows *w)
{
#if defined HAVE_DNNL || defined HAVE_CBLAS
	return false;
#endif
	struct product p = product_of(g);
	if (product_has_pairs((enum product_level)rt->product_level, type))
		return false; /* windows are of f32, and gathering costs less than pairs gain */
	return type != PRODUCT_BF16 && type != PRODUCT_F16 && !g->tb &&
	       windows_of(w, (enum product_level)rt->product_level, type, pack_b, g->k, g->n, g->b, room) &&
	       product_takes_windows(&p, &w->w);
}

static void multiply(const struct pmlrt *rt, enum product_type type, const struct gemm *g, const struct windows *w)
{
	struct product p = product_of(g);
	if (w)
		product_run_windows((enum product_level)rt->product_level, type, &p, &w->w, rt->product_room);
	else if (!by_library(type, g))
		product_run((enum product_level)rt->product_level, type, &p, rt->product_room);
}

/* T: of elements, R: of factors; packed: how pack.h calls T. */
#define LOOPS(name, TYPE, T, R, packed) \
	void pmlrt_gemm_##name(struct pmlrt *rt, int64_t ta, int64_t tb, int64_t m, int64_t n, int64_t k, R alpha, \
			       const void *a, int64_t lda, const void *b, int64_t ldb, R beta, void *c, int64_t ldc, \
			       int64_t nloops, const int64_t *loops, const int64_t *pack_a, const int64_t *pack_b, \
			       void *workspace) \
	{ \
		struct operands_##packed o = \
			operands_##packed((enum product_level)rt->product_level, a, pack_a, b, pack_b, workspace); \
		struct gemm g = {ta, tb, m, n, k, lda, ldb, ldc, (double)alpha, (double)beta, a, b, c}; \
		struct product_turn t = {0}; \
		struct windows w; \
		bool through = through_windows(rt, PRODUCT_##TYPE, &g, pack_b, o.right.room, &w); \
		do { \
			g.beta = t.adds ? 1 : (double)beta; \
			g.a = packed_at_##packed(&o.left, &t, t.a); \
			g.b = through ? windows_at(&w, &t) : packed_at_##packed(&o.right, &t, t.b); \
			g.c = (T *)c + t.c; \
			multiply(rt, PRODUCT_##TYPE, &g, through ? &w : NULL); \
		} while (product_next(&t, nloops, loops)); \
	}
LOOPS(f32, F32, float, float, f32)
LOOPS(f64, F64, double, double, f64)
LOOPS(bf16, BF16, uint16_t, float, half)
LOOPS(f16, F16, uint16_t, float, half)
LOOPS(f32_as_bf16, F32_AS_BF16, float, float, f32)
LOOPS(f32_as_f16, F32_AS_F16, float, float, f32)
