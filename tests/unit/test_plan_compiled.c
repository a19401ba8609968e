/* test_plan_compiled.c — the kernels of random regions, compiled by the backend, compute what the interpreter computes:
 * the same plans as in test_plan_random, with every kernel run both ways. Arguments: first seed and number of seeds. */
#include "backend/backend.h"
#include "plan_random.h"
#include "suite.h"

static struct session *jit_session;
static int nkernels;

static void *copy_of(struct arena *a, const void *from, int64_t bytes)
{
	void *to = sim_aligned(a, bytes);
	memcpy(to, from, (size_t)bytes);
	return to;
}

/* Inputs of the interpreter are copies; where buffers are one, their copies are one. */
static void copy_buffers(struct sim *s, const struct kernel *k, void *const *buffers, void **copy)
{
	int64_t size[128];
	for (int i = 0, b = 0; i < k->params.n; i++) {
		const struct kernel_param *p = &k->params.at[i];
		if (p->kind == KP_SCALAR)
			continue;
		copy[b] = NULL;
		size[b] = p->size;
		for (int j = 0; j < b; j++)
			if (buffers[j] == buffers[b] && size[j] == p->size)
				copy[b] = copy[j];
		if (!copy[b])
			copy[b] = copy_of(s->arena, buffers[b], p->size * dtype_size(p->type));
		b++;
	}
}

static void run_both(struct sim *s, const struct kernel *k, void *const *buffers, const union scalar_value *scalars)
{
	void *copy[128], *address = NULL;
	const char *error = NULL;
	copy_buffers(s, k, buffers, copy);
	kernel_interpret(k, copy, scalars);
	struct backend_jit *j = backend_jit_kernel(jit_session, k, false, &address, &error);
	ck_assert_msg(j != NULL, "%s", error);
	void (*call)(void *const *, const union scalar_value *);
	memcpy(&call, &address, sizeof call);
	call(buffers, scalars);
	nkernels++;
	for (int i = 0, b = 0; i < k->params.n; i++) {
		const struct kernel_param *p = &k->params.at[i];
		if (p->kind == KP_SCALAR)
			continue;
		for (int64_t e = 0; e < p->size; e++) {
			union scalar_value x = kernel_load_element(copy[b], p->type, e),
					   y = kernel_load_element(buffers[b], p->type, e);
			if (near(p->type, x, y))
				continue;
			struct text t;
			text_init(&t, s->arena);
			kernel_print(&t, k);
			ck_abort_msg("buffer %d[%d] is %g (%d), not %g (%d)\n%s", b, (int)e, y.f, (int)y.i, x.f,
				     (int)x.i, text_get(&t));
		}
		b++;
	}
	backend_jit_free(j);
}

static void run_seed(uint64_t seed)
{
	struct run r = start();
	random_region(&r, seed);
	if (prepare(&r, r.f.program->nranks)) {
		r.sim.run_kernel = run_both;
		compare(&r, 1);
	}
	session_free(r.f.session);
}

static struct seeds seeds = {1, 60};

START_TEST(compiled_kernels_agree_with_the_interpreter)
{
	jit_session = session_new();
	jit_session->options.opt_level = 2;
	for (int i = 0; i < seeds.n; i++)
		run_seed(seeds.first + (uint64_t)i);
	session_free(jit_session);
	ck_assert_int_gt(nkernels, seeds.n / 2);
}
END_TEST

int main(int argc, char **argv)
{
	seeds_read(&seeds, argc, argv);
	Suite *suite;
	TCase *t = suite_begin(&suite, "compiled plans");
	tcase_add_test(t, compiled_kernels_agree_with_the_interpreter);
	return suite_end(suite);
}
