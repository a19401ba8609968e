/* test_plan_transforms.c — which sums become transforms, however their lines lie and whatever part of them is there,
 * and which do not. Every plan is also run and compared with the sums. */
#include "plan_run.h"
#include "suite.h"

#define COSINE(j, k, d, c) "f32(cos(f64((4 * " j " * " k " + 5 * (" d " - " c ")) % 20) * 0.31415926535897931))"
#define PHASE              "f64((4 * j * k + 5 * (d - c)) % 20) * 0.31415926535897931"
#define WAVE               "a * " COSINE("j", "k", "d", "c")

/* A rule over slot a of shape [3, 2, 5], the layout of that on two ranks, and the transform it becomes on one: "sign n,
 * in parts x numbers, out parts x numbers, what they are times, where ends are halved", or "" for loops. */
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
	{"divided(a[p, c, j]) -> [p, d, k] = sum[c, j] a * f32(cos(" PHASE ") / 5.0) {p=3, d=2, k=5, c=2, j=5}", "S2",
	 "-5 2 5 2 5 x 0.2"},
	{"times(a[p, c, j]) -> [p, d, k] = sum[c, j] a * f32(cos(" PHASE ") * 0.25) {p=3, d=2, k=5, c=2, j=5}", "S0",
	 "-5 2 5 2 5 x 0.25"},
	{"flat(a[p, c:2, j]) -> [p, d, k] = sum[c, j] " WAVE " {p=3, d=2, k=5, c=1, j=5}", "S0", "-5 1 5 2 5"},
	{"to_flat(a[p, d, k]) -> [p, j] = sum[d, k, c] " WAVE " {p=3, j=4, d=2, k=5, c=1}", "S0", "+5 2 5 1 4"},
	{"conjugates(a[p, d, k:5]) -> [p, c, j] = sum[d, k] a * f32(cos(" PHASE ") * where(k == 0 || 2 * k == 5, "
	 "f64(1.0), 2.0) / 5.0) {p=3, c=1, j=5, d=2, k=3}",
	 "S0", "+5 2 3 1 5 x 0.4 in"},
	{"of_conjugates(a[p, d:2, k]) -> [p, c, j] = sum[d, k] a * f32(cos(" PHASE ") * where(j == 0 || 2 * j == 5, "
	 "f64(1.0), 2.0)) {p=3, c=2, j=3, d=1, k=5}",
	 "S2", "+5 1 5 2 3 x 2 out"},
	/* Other angles, another sum besides, points that are left out, numbers that are doubled elsewhere or have both
	 * parts on the other side. */
	{"others(a[p, d, k:5]) -> [p, c, j] = sum[d, k] a * f32(cos(" PHASE ") * where(k == 0 || 2 * k == 6, "
	 "f64(1.0), 2.0)) {p=3, c=1, j=5, d=2, k=3}",
	 "B", ""},
	{"both_parts(a[p, d, k:5]) -> [p, c, j] = sum[d, k] a * f32(cos(" PHASE ") * where(k == 0 || 2 * k == 5, "
	 "f64(1.0), 2.0)) {p=3, c=2, j=5, d=2, k=3}",
	 "B", ""},
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
	int written = 0;
	if (f)
		written = snprintf(text, sizeof text, "%c%d %d %d %d %d", f->positive ? '+' : '-', (int)f->n,
				   (int)f->in.parts, (int)f->in.count, (int)f->out.parts, (int)f->out.count);
	if (f && f->scale != 1)
		snprintf(text + written, sizeof text - (size_t)written, " x %g%s", f->scale,
			 f->in_ends_halved    ? " in"
			 : f->out_ends_halved ? " out"
					      : "");
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

/* Real and imaginary parts in tensors of their own, put together and read apart. */
struct complex_nodes {
	struct node *re, *im;
};

static struct node *in_part(struct run *r, struct node *x, int part)
{
	static const char *const pad[] = {"pad(a[p, n:1, j]) -> [p, n, j] = a {p=3, n=2, j=5}",
					  "pad(a[p, n - 1, j]) -> [p, n, j] = a {p=3, n=2, j=5}"};
	struct node *y = fixture_map(&r->f, "unsqueezed(a[p, j]) -> [p, o, j] = a {p=3, o=1, j=5}", x, NULL, NULL);
	return fixture_map(&r->f, pad[part], y, NULL, NULL);
}

static struct complex_nodes transformed(struct run *r, struct node *re, struct node *im, const char *first,
					const char *second)
{
	struct node *z =
		fixture_map(&r->f, "joined(a[p, c, j], b[p, c, j]) -> [p, c, j] = where(c >= 1, b, a) {p=3, c=2, j=5}",
			    in_part(r, re, 0), in_part(r, im, 1), NULL);
	struct node *y = fixture_map(&r->f, sums[0].rule, z, NULL, NULL);
	return (struct complex_nodes){fixture_map(&r->f, first, y, NULL, NULL),
				      second ? fixture_map(&r->f, second, y, NULL, NULL) : NULL};
}

#define PART(i) "part(a[p, " i ":2, k]) -> [p, k] = a {p=3, k=5}"

/* How parts are read, or one of them, whether they become slots that are read (else new ones), and how many steps that
 * takes on any number of ranks: a transform, kernels, copies. */
static const struct {
	const char *first, *second, *layout;
	bool in_place;
	int kernels, copies;
} apart[] = {
	{PART("0"), PART("1"), "B", false, 0, 0},
	{PART("1"), PART("0"), "S0", false, 0, 0},
	{"turned(a[p, 0:2, k]) -> [k, p] = a {k=5, p=3}", "turned(a[p, 1:2, k]) -> [k, p] = a {k=5, p=3}", "S0", false,
	 0, 0},
	{PART("0"), PART("0"), "B", false, 2, 0},
	{PART("0"), "some(a[p, 1:2, k + 1:5]) -> [p, k] = a {p=3, k=4}", "B", false, 2, 0},
	{"some(a[p, 0:2, k:5]) -> [p, k] = a {p=3, k=4}", "some(a[p, 1:2, k:5]) -> [p, k] = a {p=3, k=4}", "B", false,
	 2, 0},
	{PART("0"), "doubled(a[p, 1:2, k]) -> [p, k] = a + a {p=3, k=5}", "B", false, 2, 0},
	{PART("1"), PART("0"), "B", true, 0, 2},
	{PART("0"), NULL, "S0", false, 0, 0},
	{PART("1"), NULL, "B", false, 0, 0},
	{"turned(a[p, 1:2, k]) -> [k, p] = a {k=5, p=3}", NULL, "S0", false, 0, 0},
	{"doubled(a[p, 1:2, k]) -> [p, k] = a + a {p=3, k=5}", NULL, "B", false, 1, 0},
};

static void compare_apart(int i, int ranks)
{
	struct run r = start();
	const struct place *at = ranks == 1 ? one_rank(&r) : line_of(&r, ranks);
	struct node *re = fixture_param(&r.f, "re", SHAPE(3, 5), at, apart[i].layout);
	struct node *im = fixture_param(&r.f, "im", SHAPE(3, 5), at, apart[i].layout);
	struct complex_nodes y = transformed(&r, re, im, apart[i].first, apart[i].second);
	if (apart[i].in_place) {
		graph_output(r.f.graph, OUTPUT_SLOT, re->slot, y.re, y.re->span);
		graph_output(r.f.graph, OUTPUT_SLOT, im->slot, y.im, y.im->span);
	} else {
		fixture_keep(&r.f, "y", y.re);
		if (y.im)
			fixture_keep(&r.f, "z", y.im);
	}
	ck_assert(prepare(&r, ranks));
	for (int role = 0; role < r.f.program->roles.n; role++) {
		const struct plan *p = r.f.program->roles.at[role]->plans[0];
		ck_assert_int_eq(count_steps(p, STEP_FOURIER), 1);
		ck_assert_int_eq(count_steps(p, STEP_KERNEL), apart[i].kernels);
		ck_assert(apart[i].copies < 0 || count_steps(p, STEP_COPY) == apart[i].copies);
	}
	compare(&r, 2);
}

START_TEST(parts_are_read_and_made_where_they_are)
{
	compare_apart(_i, 1);
	compare_apart(_i, 2);
}
END_TEST

/* Of real numbers alone, the dimension of parts has one element, which a copy takes away. */
START_TEST(the_only_part_is_made_where_it_is_read)
{
	for (int ranks = 1; ranks <= 2; ranks++) {
		struct run r = start();
		const struct place *at = ranks == 1 ? one_rank(&r) : line_of(&r, ranks);
		struct node *a = fixture_param(&r.f, "a", SHAPE(3, 2, 5), at, "S0");
		struct node *y = fixture_map(
			&r.f, "real(a[p, c, j]) -> [p, d, k] = sum[c, j] " WAVE " {p=3, d=1, k=5, c=2, j=5}", a, NULL,
			NULL);
		y = fixture_map(&r.f, "part(a[p, 0:1, k]) -> [p, k] = a {p=3, k=5}", y, NULL, NULL);
		fixture_keep(&r.f, "y", y);
		ck_assert(prepare(&r, ranks));
		const struct plan *p = only_plan(&r);
		ck_assert_int_eq(count_steps(p, STEP_FOURIER), 1);
		ck_assert_int_eq(count_steps(p, STEP_KERNEL), 0);
		ck_assert_int_eq(count_steps(p, STEP_COPY), 0);
		compare(&r, 1);
	}
}
END_TEST

/* Parts that lie otherwise are put together first. */
START_TEST(parts_lie_alike)
{
	struct run r = start();
	const struct place *at = one_rank(&r);
	struct node *re = fixture_param(&r.f, "re", SHAPE(3, 5), at, "B");
	struct node *im = fixture_param(&r.f, "im", SHAPE(5, 3), at, "B");
	im = fixture_map(&r.f, "turned(a[j, p]) -> [p, j] = a {p=3, j=5}", im, NULL, NULL);
	struct complex_nodes y = transformed(&r, re, im, PART("0"), PART("1"));
	fixture_keep(&r.f, "y", y.re);
	fixture_keep(&r.f, "z", y.im);
	ck_assert(prepare(&r, 1));
	ck_assert_int_eq(count_steps(only_plan(&r), STEP_FOURIER), 1);
	ck_assert_int_eq(count_steps(only_plan(&r), STEP_KERNEL), 1);
	compare(&r, 1);
}
END_TEST

int main(void)
{
	Suite *suite;
	TCase *t = suite_begin(&suite, "transforms");
	tcase_add_loop_test(t, sums_of_waves_are_transforms, 0, sizeof sums / sizeof *sums);
	tcase_add_loop_test(t, ranks_transform_what_they_have, 0, sizeof sums / sizeof *sums);
	tcase_add_loop_test(t, parts_are_read_and_made_where_they_are, 0, sizeof apart / sizeof *apart);
	tcase_add_test(t, the_only_part_is_made_where_it_is_read);
	tcase_add_test(t, parts_lie_alike);
	tcase_add_test(t, values_between_kernels_are_transformed);
	return suite_end(suite);
}
