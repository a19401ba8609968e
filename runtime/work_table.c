/* work_table.c — what the kernels and products of rank 0 took, for --profile, beside what this processor can do at
 * best, which is measured in the end: a product that fits the caches, and a copy that does not. */
#define _POSIX_C_SOURCE 200809L
#include "rt.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 25, TRIES = 5, EXTENT = 256 };
static const int64_t copied_bytes = 32 << 20;

struct row {
	const struct pmlrt_work *work;
	struct rt_work_taken taken;
};

/* Programs that multiply no matrices are linked without products. */
#pragma weak pmlrt_gemm_f32
#pragma weak pmlrt_gemm_f64
#pragma weak pmlrt_gemm_bf16
#pragma weak pmlrt_gemm_f16

static int by_time(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	if (x->taken.total_ns != y->taken.total_ns)
		return x->taken.total_ns < y->taken.total_ns ? 1 : -1;
	return strcmp(x->work->text, y->work->text);
}

/* Bytes read and written in a nanosecond of the processor: others may use it as well. */
static double copy_rate(struct pmlrt *rt)
{
	char *from = rt_alloc_large(rt, copied_bytes), *to = rt_alloc_large(rt, copied_bytes);
	int64_t least = INT64_MAX;
	for (int i = 0; i < TRIES; i++) {
		memset(from, i, (size_t)copied_bytes);
		int64_t begin = rt_processor_now();
		memcpy(to, from, (size_t)copied_bytes);
		int64_t ns = rt_processor_now() - begin;
		least = ns < least ? ns : least;
	}
	return 2 * (double)copied_bytes / (double)(least ? least : 1);
}

/* Of a type that products are measured of, in a program that has products; false: they are not. */
static bool multiply(struct pmlrt *rt, enum pmlrt_dtype t, const void *a, const void *b, void *c)
{
	static const int64_t whole = 0; /* the rank of what is gathered: as it lies */
	const int64_t n = EXTENT;
	switch (t) {
#define TYPE(NAME, name) \
	case PMLRT_##NAME: \
		if (!pmlrt_gemm_##name) \
			return false; \
		pmlrt_gemm_##name(rt, 0, 0, n, n, n, 1, a, n, b, n, 0, c, n, 0, NULL, &whole, &whole, NULL); \
		return true;
		TYPE(F32, f32)
		TYPE(F64, f64)
		TYPE(BF16, bf16)
		TYPE(F16, f16)
#undef TYPE
	default:
		return false;
	}
}

/* FLOPs in a nanosecond; 0: not known. */
static double product_rate(struct pmlrt *rt, enum pmlrt_dtype t)
{
	int64_t bytes = (int64_t)EXTENT * EXTENT * (int64_t)sizeof(double), least = INT64_MAX;
	char *m[3];
	for (int i = 0; i < 3; i++)
		m[i] = rt_alloc_large(rt, bytes);
	for (int i = 0; i < TRIES; i++) {
		int64_t begin = rt_processor_now();
		if (!multiply(rt, t, m[0], m[1], m[2]))
			return 0;
		int64_t ns = rt_processor_now() - begin;
		least = ns < least ? ns : least;
	}
	return 2.0 * EXTENT * EXTENT * EXTENT / (double)(least ? least : 1);
}

static void print_row(const struct row *r, int64_t all_ns, double copies, const double *products)
{
	const struct pmlrt_work *w = r->work;
	double ns = (double)(r->taken.ns ? r->taken.ns : 1);
	printf("%-44.44s %8lld %10.4g %10.3f %5.1f%%", w->name, (long long)r->taken.calls, ns * 1e-6,
	       (double)r->taken.total_ns * 1e-9, 100 * (double)r->taken.total_ns / (double)all_ns);
	if (w->product_type >= 0) {
		printf(" %8.4g GFLOP/s", (double)w->flops / ns);
		if (products[w->product_type] > 0)
			printf(" %4.0f%%", 100 * (double)w->flops / ns / products[w->product_type]);
	} else if (w->bytes) {
		printf(" %8.4g GB/s    %4.0f%%", (double)w->bytes / ns, 100 * (double)w->bytes / ns / copies);
	}
	printf("\n");
}

void rt_works_print(struct pmlrt *rt)
{
	int32_t n = 0;
	int64_t all = 0;
	double products[PMLRT_DTYPES] = {0};
	struct row *rows = rt_alloc(rt, rt->program->nworks * (int64_t)sizeof *rows);
	for (int32_t i = 0; i < rt->program->nworks; i++) {
		struct row r = {&rt->program->works[i], rt_work_taken(rt, i)};
		all += r.taken.total_ns;
		if (r.taken.calls)
			rows[n++] = r;
	}
	if (!all)
		return;
	qsort(rows, (size_t)n, sizeof *rows, by_time);
	double copies = copy_rate(rt);
	for (int32_t i = 0; i < n && i < ROWS; i++) {
		int32_t t = rows[i].work->product_type;
		if (t >= 0 && products[t] <= 0)
			products[t] = product_rate(rt, (enum pmlrt_dtype)t);
	}
	printf("%-44s %8s %10s %10s %6s %8s %6s %6s\n", rt->size > 1 ? "work of rank 0" : "work", "calls", "ms",
	       "all, s", "", "rate", "", "of best");
	for (int32_t i = 0; i < n && i < ROWS; i++)
		print_row(&rows[i], all, copies, products);
	if (n > ROWS)
		printf("and %d more\n", n - ROWS);
	printf("(ms: a call that had the processor alone; best: of a product in the caches, and of a copy of %lld MB, "
	       "each element read and "
	       "written once)\n",
	       (long long)(copied_bytes >> 20));
	rt_release(rt, rows);
}
