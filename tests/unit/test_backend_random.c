/* test_backend_random.c — kernels made at random, compiled and interpreted: loops in loops, one of them a vector loop,
 * loads at odd strides with and without guards, reductions at every depth, stores from every depth. All numbers are
 * small integers, clamped after every step, so that f32 sums are exact in any order and results must be equal.
 * PML_TEST_KERNELS: how many (75; 150 with TEST_WHOLE, 300 with TEST_LONG). */
#define _POSIX_C_SOURCE 200809L
#include "compiled_kernel.h"
#include "kernel/build.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_POOL = 64, MAX_OPEN = 4, MAX_BUFFERS = 24, FLOATS = 4096, LIMIT = 9 };

struct maker {
	struct kernel_builder *b;
	uint64_t state;
	int loop[MAX_OPEN], depth;
	int64_t extent[MAX_OPEN];
	bool vector_open;
	int value[MAX_POOL], nvalues; /* f32 registers in scope */
	int input, indices, nbuffers;
	int budget;
	int sum[2 * MAX_OPEN], nsums; /* accumulators of the open loops */
};

static int pick(struct maker *m, int n)
{
	m->state = m->state * 6364136223846793005u + 1442695040888963407u;
	return (int)((m->state >> 33) % (uint64_t)n);
}

static int any_value(struct maker *m)
{
	return m->value[pick(m, m->nvalues)];
}

static void add_value(struct maker *m, int reg)
{
	if (m->nvalues < MAX_POOL)
		m->value[m->nvalues++] = reg;
}

static int clamped(struct maker *m, int x)
{
	int high = build_float(m->b, DT_F32, LIMIT), low = build_float(m->b, DT_F32, -LIMIT);
	x = build_apply(m->b, SC_MIN, DT_F32, x, high, -1);
	return build_apply(m->b, SC_MAX, DT_F32, x, low, -1);
}

/* An address over the open loops that stays below FLOATS, from -offset on. */
static struct kernel_affine random_address(struct maker *m, int64_t offset)
{
	static const int64_t coefs[] = {0, 1, 1, 1, 2, 3, 41};
	struct kernel_affine at = affine_const(-offset);
	int64_t reach = 0;
	for (int i = 0; i < m->depth; i++) {
		int64_t coef = coefs[pick(m, 7)];
		if (coef == 0 || reach + coef * m->extent[i] >= FLOATS)
			continue;
		reach += coef * m->extent[i];
		struct kernel_affine loop = affine_loop(m->loop[i]);
		affine_sum(m->b, &at, &loop, coef);
	}
	return at;
}

static int random_load(struct maker *m)
{
	int64_t offset = pick(m, 3) ? 0 : pick(m, 6);
	struct kernel_affine at = random_address(m, offset);
	int guard = -1;
	if (offset) {
		int index = build_loopvar(m->b, &at), zero = build_int(m->b, DT_I64, 0);
		guard = build_apply(m->b, SC_GE, DT_BOOL, index, zero, -1);
	}
	if (offset || pick(m, 4))
		return build_load(m->b, m->input, &at, guard);
	/* The index comes from memory: indices are below 64. */
	int data = build_apply(m->b, SC_CAST, DT_I64, build_load(m->b, m->indices, &at, -1), -1, -1);
	struct kernel_affine by_data = affine_reg(data);
	return build_load(m->b, m->input, &by_data, -1);
}

/* A comparison, or two of them together. */
static int random_condition(struct maker *m, int x, int y)
{
	static const enum scalar_fn fns[] = {SC_EQ, SC_NE, SC_LT, SC_LE, SC_GT, SC_GE};
	int first = build_apply(m->b, fns[pick(m, 6)], DT_BOOL, x, y, -1);
	if (pick(m, 2))
		return first;
	int second = build_apply(m->b, fns[pick(m, 6)], DT_BOOL, any_value(m), pick(m, 2) ? x : any_value(m), -1);
	return build_apply(m->b, pick(m, 2) ? SC_AND : SC_OR, DT_BOOL, first, second, -1);
}

static int random_apply(struct maker *m)
{
	static const enum scalar_fn fns[] = {SC_ADD, SC_SUB, SC_MUL, SC_MAX, SC_MIN};
	int x = any_value(m), y = pick(m, 4) ? any_value(m) : build_float(m->b, DT_F32, pick(m, 3) - 1);
	switch (pick(m, 8)) {
	case 0:
		return build_apply(m->b, SC_WHERE, DT_F32, random_condition(m, x, y), any_value(m), y);
	case 1: {
		int whole = build_apply(m->b, SC_CAST, DT_I32, x, -1, -1);
		return build_apply(m->b, SC_CAST, DT_F32, whole, -1, -1);
	}
	case 2:
		return build_apply(m->b, pick(m, 3) ? SC_ABS : SC_NEG, DT_F32, x, -1, -1);
	case 3: {
		int size = build_apply(m->b, SC_ABS, DT_F32, x, -1, -1);
		return build_apply(m->b, fns[3 + pick(m, 2)], DT_F32, size, y, -1);
	}
	default:
		return clamped(m, build_apply(m->b, fns[pick(m, 5)], DT_F32, x, y, -1));
	}
}

/* Mostly none. */
static int random_guard(struct maker *m)
{
	return pick(m, 4) ? -1 : build_apply(m->b, SC_LE, DT_BOOL, any_value(m), any_value(m), -1);
}

static void random_store(struct maker *m)
{
	struct kernel_affine at = affine_const(0);
	int64_t size = 1;
	if (m->nbuffers == MAX_BUFFERS)
		return;
	for (int i = m->depth - 1; i >= 0; i--) {
		struct kernel_affine loop = affine_loop(m->loop[i]);
		affine_sum(m->b, &at, &loop, size);
		size *= m->extent[i];
	}
	int guard = random_guard(m);
	int out = build_buffer(m->b, KP_INOUT, DT_F32, size, NULL);
	m->nbuffers++;
	build_store(m->b, out, &at, any_value(m), guard);
}

static void random_body(struct maker *m);

static void random_loop(struct maker *m)
{
	static const int64_t extents[] = {1, 2, 3, 5, 9, 15, 16, 17, 31, 33, 70};
	static const enum combiner combiners[] = {COMBINE_SUM, COMBINE_MAX, COMBINE_MIN, COMBINE_ARGMAX,
						  COMBINE_ARGMIN};
	bool vector = !m->vector_open && pick(m, 2);
	int64_t extent = extents[pick(m, m->depth > 1 ? 6 : 11)];
	int outside = m->nvalues, sums = m->nsums, naccs = pick(m, 3), acc[2], index[2];
	enum combiner c[2];
	m->loop[m->depth] = build_open(m->b, "i", extent, vector);
	m->extent[m->depth++] = extent;
	m->vector_open |= vector;
	for (int i = 0; i < naccs; i++) {
		c[i] = combiners[pick(m, 5)];
		acc[i] = build_acc(m->b, DT_F32, c[i], &index[i]);
		if (c[i] == COMBINE_SUM)
			m->sum[m->nsums++] = acc[i];
	}
	random_body(m);
	m->nsums = sums;
	for (int i = 0; i < naccs; i++) {
		struct kernel_affine at = affine_loop(m->loop[m->depth - 1]);
		bool indexed = c[i] == COMBINE_ARGMAX || c[i] == COMBINE_ARGMIN;
		int twice = c[i] == COMBINE_SUM && pick(m, 2) ? build_float(m->b, DT_F32, 2) : -1;
		build_reduce(m->b, acc[i], any_value(m), twice, indexed ? build_loopvar(m->b, &at) : -1,
			     random_guard(m));
	}
	build_close(m->b);
	m->vector_open &= !vector;
	m->depth--;
	m->nvalues = outside;
	for (int i = 0; i < naccs; i++) {
		bool indexed = c[i] == COMBINE_ARGMAX || c[i] == COMBINE_ARGMIN;
		int winner = indexed ? build_apply(m->b, SC_CAST, DT_F32, index[i], -1, -1) : acc[i];
		add_value(m, clamped(m, winner));
	}
}

static void random_body(struct maker *m)
{
	for (int i = 0, n = 1 + pick(m, 5); i < n; i++) {
		int what = pick(m, 9);
		if (what < 2)
			add_value(m, random_load(m));
		else if (what < 5)
			add_value(m, random_apply(m));
		else if (what < 6)
			random_store(m);
		else if (what < 7 && m->nsums) /* into a loop further out, maybe */
			build_reduce(m->b, m->sum[pick(m, m->nsums)], any_value(m), -1, -1, random_guard(m));
		else if (m->depth < MAX_OPEN && m->budget-- > 0)
			random_loop(m);
	}
}

static struct kernel *random_kernel(struct arena *a, uint64_t seed)
{
	struct maker m = {.b = build_new(a, "random"), .state = seed * 2654435761u + 1, .budget = 6};
	m.input = build_buffer(m.b, KP_IN, DT_F32, FLOATS, "x");
	m.indices = build_buffer(m.b, KP_IN, DT_U8, FLOATS, "index");
	m.nbuffers = 2;
	add_value(&m, build_scalar(m.b, DT_F32, "s"));
	add_value(&m, build_float(m.b, DT_F32, 2));
	random_loop(&m);
	random_body(&m);
	random_store(&m);
	return build_finish(m.b);
}

static void *input_of(const struct kernel_param *p)
{
	char *at = aligned((size_t)p->size * 4);
	for (int64_t i = 0; i < p->size; i++)
		if (p->type == DT_F32)
			((float *)(void *)at)[i] = (float)(i * 7919 % 17 - 8);
		else
			at[i] = (char)(i * 31 % 64);
	return at;
}

static void check_kernel(uint64_t seed)
{
	static const char *const cpus[] = {NULL, NULL, NULL, "x86-64-v3", "x86-64-v2"};
	struct session *s = session_new();
	struct kernel *k = random_kernel(s->arena, seed);
	struct text t;
	text_init(&t, s->arena);
	kernel_print(&t, k);
	const char *wrong = kernel_verify(s->arena, k);
	ck_assert_msg(!wrong, "seed %llu: %s\n%s", (unsigned long long)seed, wrong, text_get(&t));
	s->options.opt_level = (int)(seed % 4);
	s->options.target_cpu = cpus[seed % 5];
	void *mine[MAX_BUFFERS], *theirs[MAX_BUFFERS];
	int n = 0;
	for (int i = 0; i < k->params.n; i++)
		if (k->params.at[i].kind != KP_SCALAR) {
			mine[n] = input_of(&k->params.at[i]);
			theirs[n++] = input_of(&k->params.at[i]);
		}
	struct backend_jit *j;
	union scalar_value scalar = {.f = 3};
	compiled_kernel(s, k, seed / 20 % 2 == 1, text_get(&t), &j)(mine, &scalar);
	kernel_interpret(k, theirs, &scalar);
	for (int i = 0, b = 0; i < k->params.n; i++) {
		if (k->params.at[i].kind == KP_SCALAR)
			continue;
		for (int64_t e = 0; k->params.at[i].type == DT_F32 && e < k->params.at[i].size; e++) {
			float x = ((float *)mine[b])[e], y = ((float *)theirs[b])[e];
			if (!(x == y)) /* a ck_assert would write to a file for every element */
				ck_abort_msg("seed %llu: b%d[%lld] is %g, not %g\n%s", (unsigned long long)seed, i,
					     (long long)e, (double)x, (double)y, text_get(&t));
		}
		free(mine[b]);
		free(theirs[b++]);
	}
	backend_jit_free(j);
	session_free(s);
}

START_TEST(random_kernels_compute_what_the_interpreter_computes)
{
	const char *count = getenv("PML_TEST_KERNELS");
	uint64_t n = count ? strtoull(count, NULL, 10) : (uint64_t)suite_count(300, 150, 75);
	for (uint64_t seed = 1; seed <= n; seed++)
		check_kernel(seed);
}
END_TEST

int main(void)
{
	Suite *suite;
	TCase *t = suite_begin(&suite, "backend random kernels");
	tcase_add_test(t, random_kernels_compute_what_the_interpreter_computes);
	return suite_end(suite);
}
