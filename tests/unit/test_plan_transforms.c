/* test_plan_transforms.c — which sums become transforms, however their lines lie and whatever part of them is there,
 * and which do not. Every plan is also run and compared with the sums. */
#include "plan_run.h"
#include "suite.h"

#define COSINE(j, k, d, c) "f32(cos(f64((4 * " j " * " k " + 5 * (" d " - " c ")) % 20) * 0.31415926535897931))"
#define WAVE               "a * " COSINE("j", "k", "d", "c")

/* A rule over slot a of shape [3, 2, 5], the layout of that on two ranks, and the transform it becomes on one: "sign n,
 * in parts x numbers, out parts x numbers", or "" for loops. */
static const struct {
	const char *rule, *layout, *transform;
} sums[] = {
	{"all(a[p, c, j]) -> [p, d, k] = sum[c, j] " WAVE " {p=3, d=2, k=5, c=2, j=5}", "B", "-5 2 5 2 5"},
	{"lines(a[p, c, j]) -> [p, d, k] = sum[c, j] " WAVE " {p=3, d=2, k=5, c=2, j=5}", "S0", "-5 2 5 2 5"},
	{"parts(a[p, c, j]) -> [p, d, k] = sum[c, j] " WAVE " {p=3, d=2, k=5, c=2, j=5}", "S1", "-5 2 5 2 5"},
	{"split(a[p, c, j]) -> [p, d, k] = sum[c, j] " WAVE " {p=3, d=2, k=5, c=2, j=5}", "S2", "-5 2 5 2 5"},
	{"back(a[p, d, k]) -> [p, c, j] = sum[d, k] " WAVE " {p=3, c=2, j=5, d=2, k=5}", "S2", "+5 2 5 2 5"},
	{"other(a[p, c, k]) -> [p, d, j] = sum[c, k] " COSINE("j", "k", "d", "c") " * a {p=3, d=2, j=5, c=2, k=5}",
	 "S0", "-5 2 5 2 5"},
	{"turned(a[p, c, j]) -> [k, p, d] = sum[c, j] " WAVE " {k=5, p=3, d=2, c=2, j=5}", "S0", "-5 2 5 2 5"},
	{"first(a[j, c, p]) -> [p, d, k] = sum[c, j] " WAVE " {p=5, d=2, k=5, c=2, j=3}", "S0", "-5 2 3 2 5"},
	{"real(a[p, c:2, j]) -> [p, d, k] = sum[c, j] " WAVE " {p=3, d=2, k=3, c=1, j=5}", "S2", "-5 1 5 2 3"},
	{"of_real(a[p, c, j]) -> [p, d, k] = sum[c, j] " WAVE " {p=3, d=1, k=4, c=2, j=5}", "S0", "-5 2 5 1 4"},
	{"inside(a[p, c, j + 1:5]) -> [p, d, k] = sum[c, j] " WAVE " {p=3, d=2, k=5, c=2, j=4}", "B", "-5 2 4 2 5"},
	{"backwards(a[p, c, 4 - j]) -> [p, d, k] = sum[c, j] " WAVE " {p=3, d=2, k=5, c=2, j=5}", "B", "-5 2 5 2 5"},
	{"repeated(a[p, c, j]) -> [q, p, d, k] = sum[c, j] " WAVE " {q=2, p=3, d=2, k=5, c=2, j=5}", "S0",
	 "-5 2 5 2 5"},
	/* Other angles, another sum besides, points that are left out. */
	{"cosines(a[p, c, j]) -> [p, d, k] = sum[c, j] a * f32(cos(f64((4 * j * k + 5 * (d - c)) % 20) * 0.3)) "
	 "{p=3, d=2, k=5, c=2, j=5}",
	 "B", ""},
	{"thirds(a[p, c, j]) -> [p, d, k] = sum[c, j] a * f32(cos(f64((3 * j * k + 5 * (d - c)) % 20) * "
	 "0.31415926535897931)) {p=3, d=2, k=5, c=2, j=5}",
	 "B", ""},
	{"summed(a[p, c, j]) -> [d, k] = sum[p, c, j] " WAVE " {d=2, k=5, p=3, c=2, j=5}", "S0", ""},
	{"beyond(a[p, c, j + 1:5]) -> [p, d, k] = sum[c, j] " WAVE " {p=3, d=2, k=5, c=2, j=5}", "B", ""},
	{"long(a[p, c, j]) -> [p, d, k] = sum[c, j] " WAVE " {p=3, d=2, k=6, c=2, j=5}", "B", ""},
	{"same(a[p, c, j]) -> [p, c, k] = sum[j] a * " COSINE("j", "k", "c", "c") " {p=3, c=2, k=5, j=5}", "B", ""},
};

static const struct plan_fourier *first_transform(const struct plan *p)
{
	for (int i = 0; i < p->steps.n; i++)
		if (p->steps.at[i].kind == STEP_FOURIER)
			return p->steps.at[i].fourier;
	return NULL;
}

static void compare_on(int ranks, int i, const char *layout)
{
	struct run r = start();
	const struct place *at = ranks == 1 ? one_rank(&r) : line_of(&r, ranks);
	struct node *a = fixture_param(&r.f, "a", SHAPE(3, 2, 5), at, layout);
	fixture_keep(&r.f, "y", fixture_map(&r.f, sums[i].rule, a, NULL, NULL));
	ck_assert_msg(prepare(&r, ranks), "%s", sums[i].rule);
	const struct plan_fourier *f = first_transform(only_plan(&r));
	char text[64] = "";
	if (f)
		snprintf(text, sizeof text, "%c%d %d %d %d %d", f->positive ? '+' : '-', (int)f->n, (int)f->in.parts,
			 (int)f->in.count, (int)f->out.parts, (int)f->out.count);
	if (ranks == 1)
		ck_assert_str_eq(text, sums[i].transform);
	else
		ck_assert_msg(!f == !*sums[i].transform, "%s on %d ranks", sums[i].rule, ranks);
	compare(&r, 1);
}

START_TEST(sums_of_waves_are_transforms)
{
	compare_on(1, _i, "B");
}
END_TEST

START_TEST(ranks_transform_what_they_have)
{
	compare_on(2, _i, sums[_i].layout);
	compare_on(3, _i, sums[_i].layout);
}
END_TEST

/* Computed values are stored to be transformed; what reads the waves is a kernel after it. */
START_TEST(values_between_kernels_are_transformed)
{
	struct run r = start();
	struct node *a = fixture_param(&r.f, "a", SHAPE(3, 2, 5), one_rank(&r), "B");
	struct node *x = fixture_map(&r.f, "sin(a[i, j, k]) -> [i, j, k] = sin(a) {i=3, j=2, k=5}", a, NULL, NULL);
	struct node *y = fixture_map(&r.f, sums[0].rule, x, NULL, NULL);
	fixture_keep(
		&r.f, "y",
		fixture_map(&r.f, "both(a[i, j, k], b[i, j, k]) -> [i, j, k] = a * b {i=3, j=2, k=5}", x, y, NULL));
	ck_assert(prepare(&r, 1));
	ck_assert_int_eq(count_steps(only_plan(&r), STEP_FOURIER), 1);
	compare(&r, 2);
}
END_TEST

int main(void)
{
	Suite *suite;
	TCase *t = suite_begin(&suite, "transforms");
	tcase_add_loop_test(t, sums_of_waves_are_transforms, 0, sizeof sums / sizeof *sums);
	tcase_add_loop_test(t, ranks_transform_what_they_have, 0, sizeof sums / sizeof *sums);
	tcase_add_test(t, values_between_kernels_are_transformed);
	return suite_end(suite);
}
