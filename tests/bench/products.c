/* products.c — our products against those of libraries, in one process: products VECTOR_BYTES ROUNDS f32|f64. Each line
 * is a product of products.def: gigaflops by the least processor time of all rounds, of ours in f32 or f64, of the
 * libraries that are there (they are looked up when it runs), of ours with elements of 16 bits, and of f32 that are
 * rounded to bf16 as factors; then ours over the best library. Sides alternate. */
#define _GNU_SOURCE
#include "product/product.h"

#include <dlfcn.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct shape {
	const char *name;
	int64_t m, n, k;
	const char *ways;
	int times;
};
static const struct shape shapes[] = {
#define PRODUCT(name, m, n, k, ways, times) {name, m, n, k, ways, times},
#include "products.def"
#undef PRODUCT
};

enum { OWN, ONEDNN, OPENBLAS, BF16, F16, ROUNDED, SIDES };
static const char *const side_name[SIDES] = {"ours", "oneDNN", "OpenBLAS", "bf16", "f16", "rounded"};

typedef int onednn_sgemm(char, char, int64_t, int64_t, int64_t, float, const float *, int64_t, const float *, int64_t,
			 float, float *, int64_t);
typedef void cblas_sgemm(int, int, int, int, int, int, float, const void *, int, const void *, int, float, void *, int);
typedef void cblas_dgemm(int, int, int, int, int, int, double, const void *, int, const void *, int, double, void *,
			 int);
enum { ROW_MAJOR = 101, NO_TRANS = 111, TRANS = 112 };

struct bench {
	enum product_level level;
	bool is_f64;
	void *room;
	char *a, *b, *c;
	onednn_sgemm *onednn;
	cblas_sgemm *sgemm;
	cblas_dgemm *dgemm;
};

static void *find(const char *library, const char *name)
{
	void *l = dlopen(library, RTLD_NOW);
	return l ? dlsym(l, name) : NULL;
}

static bool has(const struct bench *x, int side)
{
	switch (side) {
	case ONEDNN:
		return x->onednn && !x->is_f64;
	case OPENBLAS:
		return x->is_f64 ? x->dgemm != NULL : x->sgemm != NULL;
	case BF16:
	case F16:
	case ROUNDED:
		return !x->is_f64;
	default:
		return true;
	}
}

static int64_t size_of(const struct bench *x, int side)
{
	return side == BF16 || side == F16 ? 2 : x->is_f64 ? 8 : 4;
}

static void call(const struct bench *x, int side, const struct shape *s)
{
	bool ta = s->ways[0] == 'T', tb = s->ways[1] == 'T';
	int64_t lda = ta ? s->m : s->k, ldb = tb ? s->k : s->n, size = size_of(x, side);
	int layout_a = ta ? TRANS : NO_TRANS, layout_b = tb ? TRANS : NO_TRANS, m = (int)s->m, n = (int)s->n,
	    k = (int)s->k;
	enum product_type type = side == BF16      ? PRODUCT_BF16
				 : side == F16     ? PRODUCT_F16
				 : side == ROUNDED ? PRODUCT_F32_AS_BF16
				 : x->is_f64       ? PRODUCT_F64
						   : PRODUCT_F32;
	for (int i = 0; i < s->times; i++) {
		const void *a = x->a + i * s->m * s->k * size, *b = x->b + i * s->k * s->n * size;
		void *c = x->c + i * s->m * s->n * size;
		if (side == ONEDNN)
			x->onednn(ta ? 'T' : 'N', tb ? 'T' : 'N', m, n, k, 1, a, lda, b, ldb, 0, c, n);
		else if (side == OPENBLAS && x->is_f64)
			x->dgemm(ROW_MAJOR, layout_a, layout_b, m, n, k, 1, a, (int)lda, b, (int)ldb, 0, c, n);
		else if (side == OPENBLAS)
			x->sgemm(ROW_MAJOR, layout_a, layout_b, m, n, k, 1, a, (int)lda, b, (int)ldb, 0, c, n);
		else
			product_run(x->level, type,
				    &(struct product){m,
						      n,
						      k,
						      {a, ta ? 1 : lda, ta ? lda : 1},
						      {b, tb ? 1 : ldb, tb ? ldb : 1},
						      c,
						      n,
						      1,
						      0},
				    product_whole(), x->room);
	}
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double flops(const struct shape *s)
{
	return 2.0 * (double)s->m * (double)s->n * (double)s->k * s->times;
}

static void measure(const struct bench *x, const struct shape *s, int rounds, double *best)
{
	int again = (int)fmax(1, 1e8 / flops(s));
	for (int r = 0; r < rounds; r++)
		for (int side = 0; side < SIDES; side++) {
			double begin = now();
			for (int i = 0; i < again && has(x, side); i++)
				call(x, side, s);
			double took = (now() - begin) / again;
			best[side] = r == 0 || took < best[side] ? took : best[side];
		}
}

/* Numbers that all types hold, and that are no powers of two: each type has an array of its own meaning of these bytes.
 */
static char *numbers(const struct bench *x, size_t bytes)
{
	char *at = aligned_alloc(1 << 21, bytes);
	for (size_t i = 0; at && i < bytes / 8; i++) {
		double wide = 1 + (double)(i % 7) / 8;
		float narrow[2] = {(float)wide, (float)wide};
		memcpy(at + 8 * i, x->is_f64 ? (const void *)&wide : (const void *)narrow, 8);
	}
	return at;
}

int main(int argc, char **argv)
{
	enum { BYTES = 1 << 29 };
	if (argc < 4 || getenv("OMP_NUM_THREADS") == NULL) {
		fprintf(stderr, "usage: OMP_NUM_THREADS=1 products VECTOR_BYTES ROUNDS f32|f64 [NAME]\n");
		return 2;
	}
	struct bench x = {.level = product_level(atoi(argv[1]), true), .is_f64 = !strcmp(argv[3], "f64")};
	x.room = aligned_alloc(64, (size_t)product_room());
	x.a = numbers(&x, BYTES);
	x.b = numbers(&x, BYTES);
	x.c = numbers(&x, BYTES);
	*(void **)(void *)&x.onednn = find("libdnnl.so.2", "dnnl_sgemm");
	*(void **)(void *)&x.sgemm = find("libopenblas.so.0", "cblas_sgemm");
	*(void **)(void *)&x.dgemm = find("libopenblas.so.0", "cblas_dgemm");
	if (!x.room || !x.a || !x.b || !x.c)
		return 1;
	printf("%-20s %5s %5s %5s     ", argv[3], "m", "n", "k");
	for (int side = 0; side < SIDES; side++)
		if (has(&x, side))
			printf(" %8s", side_name[side]);
	printf("   ratio\n");
	double sum = 0;
	int n = 0;
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
		const struct shape *s = &shapes[i];
		if (argc > 4 && !strstr(s->name, argv[4]))
			continue;
		double best[SIDES] = {0}, peer = 0;
		measure(&x, s, atoi(argv[2]), best);
		printf("%-20s %5d %5d %5d %s %2d", s->name, (int)s->m, (int)s->n, (int)s->k, s->ways, s->times);
		for (int side = 0; side < SIDES; side++) {
			if (has(&x, side))
				printf(" %8.1f", 1e-9 * flops(s) / best[side]);
			if (has(&x, side) && (side == ONEDNN || side == OPENBLAS) && (peer == 0 || best[side] < peer))
				peer = best[side];
		}
		printf("   %5.2f\n", peer / best[OWN]);
		sum += peer > 0 ? log(peer / best[OWN]) : 0;
		n++;
	}
	printf("%-20s geometric mean of ratios %.2f\n", "", exp(sum / n));
	return 0;
}
