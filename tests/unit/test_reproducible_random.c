/* test_reproducible_random.c — random regions under --reproducible: every layout that is legal, on 2 and 4 simulated
 * ranks, gives the bits of one rank. Kernels are interpreted, and for some seeds compiled. Arguments: first seed and
 * number of seeds. */
#include "backend/backend.h"
#include "plan_random.h"
#include "suite.h"

enum { VARIANTS = 40 }; /* most of them are no legal layouts */

static struct session *jit_session;

static void run_compiled(struct sim *s, const struct kernel *k, void *const *buffers, const union scalar_value *scalars)
{
	void *address = NULL;
	const char *error = NULL;
	(void)s;
	struct backend_jit *j = backend_jit_kernel(jit_session, k, false, &address, &error);
	ck_assert_msg(j != NULL, "%s", error);
	void (*call)(void *const *, const union scalar_value *);
	memcpy(&call, &address, sizeof call);
	call(buffers, scalars);
	backend_jit_free(j);
}

/* Numbers whose sums are rounded wherever they are cut, some zeros of both signs among them. */
static void make_rough(struct run *r)
{
	uint64_t state = 99;
	for (int i = 0; i < r->f.program->slots.n; i++) {
		const struct slot *s = r->f.program->slots.at[i];
		for (int64_t k = 0; k < shape_volume(&s->shape) && dtype_is_float(s->dtype); k++) {
			uint64_t v = fixture_random(&state);
			double x = (double)(v >> 11) * 0x1p-52 - 1;
			r->slots[i].at[k].f = v % 11 == 0 ? 0.0 : v % 13 == 0 ? -0.0 : x;
		}
		sim_set_slot(&r->sim, i, r->slots[i].at);
	}
}

static bool run_variant(struct run *r, uint64_t seed, int variant, bool compiled)
{
	*r = start();
	r->f.session->options.reproducible = true;
	random_variant(r, seed, variant);
	if (!prepare(r, r->f.program->nranks))
		return false;
	make_rough(r);
	if (getenv("PLAN_PRINT"))
		print_plans(r);
	r->sim.run_kernel = compiled ? run_compiled : NULL;
	ck_assert_msg(sim_region(&r->sim, 0), "%s", r->sim.error);
	return true;
}

static bool same_bits(enum dtype t, union scalar_value x, union scalar_value y)
{
	return (dtype_is_float(t) && x.f != x.f && y.f != y.f) || !memcmp(&x, &y, sizeof x);
}

static void compare_slots(struct run *one, struct run *many, uint64_t seed, int variant)
{
	const struct program *p = one->f.program;
	ck_assert_int_eq(p->slots.n, many->f.program->slots.n);
	for (int i = 0; i < p->slots.n; i++) {
		const struct slot *s = p->slots.at[i];
		const union scalar_value *x = sim_get_slot(&one->sim, i), *y = sim_get_slot(&many->sim, i);
		for (int64_t k = 0; k < shape_volume(&s->shape); k++) {
			if (same_bits(s->dtype, x[k], y[k]))
				continue;
			print_plans(one);
			print_plans(many);
			ck_abort_msg("seed %d variant %d, slot %s[%d]: %a on one rank, %a on %d", (int)seed, variant,
				     s->name, (int)k, x[k].f, y[k].f, many->sim.nranks);
		}
		ck_assert_msg(!many->sim.error, "%s", many->sim.error);
	}
}

static int run_seed(uint64_t seed, bool compiled)
{
	struct run one, many;
	int legal = 0;
	bool ok = run_variant(&one, seed, 0, compiled);
	for (int v = 1, found = 0; ok && v < VARIANTS && found < 3; v++) {
		if (run_variant(&many, seed, v, compiled)) {
			compare_slots(&one, &many, seed, v);
			found++;
			legal++;
		}
		session_free(many.f.session);
	}
	session_free(one.f.session);
	return legal;
}

static struct seeds seeds = {1, 0};

START_TEST(all_layouts_give_the_bits_of_one_rank)
{
	int legal = 0;
	for (int i = 0; i < seeds.n; i++)
		legal += run_seed(seeds.first + (uint64_t)i, false);
	fprintf(stderr, "%d variants of %d regions could be laid out\n", legal, seeds.n);
	ck_assert_int_gt(legal, seeds.n / 4);
}
END_TEST

START_TEST(compiled_kernels_give_the_bits_of_one_rank)
{
	static const char *const cpus[] = {NULL, "x86-64-v3", "x86-64-v2"};
	int legal = 0;
	for (int i = 0; i < seeds.n / 12; i++) {
		jit_session = session_new();
		jit_session->options.opt_level = 2;
		jit_session->options.reproducible = true;
		jit_session->options.target_cpu = cpus[i % 3];
		legal += run_seed(seeds.first + (uint64_t)i, true);
		session_free(jit_session);
	}
	ck_assert_int_gt(legal, 0);
}
END_TEST

int main(int argc, char **argv)
{
	seeds.n = suite_count(60, 36, 12);
	seeds_read(&seeds, argc, argv);
	Suite *suite;
	TCase *t = suite_begin(&suite, "reproducible");
	tcase_add_test(t, all_layouts_give_the_bits_of_one_rank);
	tcase_add_test(t, compiled_kernels_give_the_bits_of_one_rank);
	return suite_end(suite);
}
