/* test_plan_phases.c — sums over transposed windows with strides: the plan has no division left, and gives what the
 * rule means, for all small extents, windows, strides and offsets. */
#include "plan_run.h"
#include "suite.h"

/* Whether a kernel of the plan asks if a divisor divides, or an operand is gathered so. */
static bool divides(const struct plan *p)
{
	for (int i = 0; i < p->steps.n; i++) {
		const struct plan_step *s = &p->steps.at[i];
		const struct product_pack *packs[] = {s->kind == STEP_GEMM ? s->gemm->pack_a : NULL,
						      s->kind == STEP_GEMM ? s->gemm->pack_b : NULL};
		for (int k = 0; k < 2; k++)
			for (int d = 0; packs[k] && d < packs[k]->rank; d++)
				if (packs[k]->dim[d].div != 1)
					return true;
		struct arena *a = arena_new("text");
		struct text t;
		text_init(&t, a);
		if (s->kind == STEP_KERNEL)
			kernel_print(&t, s->kernel);
		bool found = strstr(text_get(&t), " = % ");
		arena_free(a);
		if (found)
			return true;
	}
	return false;
}

static void plan_and_compare(const char *rule, struct shape a, struct shape b, bool may_divide)
{
	struct run r = start();
	const struct place *at = one_rank(&r);
	struct node *x = fixture_param(&r.f, "a", a, at, "B"), *w = fixture_param(&r.f, "b", b, at, "B");
	fixture_keep(&r.f, "y", fixture_map(&r.f, rule, x, w, NULL));
	ck_assert(prepare(&r, 1));
	compare(&r, 1);
	ck_assert_msg(may_divide || !divides(only_plan(&r)), "%s", rule);
}

/* Where nothing names the points of a window, results of fewer than two strides stay as they are.
 * Extents of the result from 1 on, windows of 1 to 4, strides of 2 and 3, offsets of both signs; 4 elements are there
 * to be read. */
START_TEST(every_small_window)
{
	int by = 2 + _i % 2, window = 1 + _i / 2;
	for (int y = 1; y <= 9; y += 1 + y / 4)
		for (int offset = -2; offset <= 3; offset++) {
			char rule[200];
			snprintf(rule, sizeof rule,
				 "t(a[c, (y - p %c %d) / %d:4], b[c, p]) -> [y] = sum[c, p] a * b {c=2, y=%d, p=%d}",
				 offset < 0 ? '-' : '+', abs(offset), by, y, window);
			plan_and_compare(rule, SHAPE(2, 4), SHAPE(2, window), false);
			snprintf(rule, sizeof rule,
				 "d(a[(y - p %c %d) / %d:4], b[y]) -> [y] = sum[p] where(a == b, a, 1) {y=%d, p=%d}",
				 offset < 0 ? '-' : '+', abs(offset), by, y, window);
			plan_and_compare(rule, SHAPE(4), SHAPE(y), y < 2 * by);
		}
}
END_TEST

static const struct {
	const char *rule;
	int a[6], b[6]; /* shapes, ended by 0 */
} others[] = {
	{"images(a[n, o, (y - p + 1) / 2:5, (x - q + 2) / 3:4], b[o, c, p, q]) -> [n, c, y, x] = sum[o, p, q] a * b "
	 "{n=2, c=4, y=9, x=10, o=8, p=3, q=4}",
	 {2, 8, 5, 4},
	 {8, 4, 3, 4}},
	/* One dimension alone; the result turned. */
	{"mixed(a[n, o, (y - p + 1) / 2:5, x + q - 1:7], b[o, c, p, q]) -> [y, n, x, c] = sum[o, p, q] a * b "
	 "{n=2, c=4, y=9, x=7, o=8, p=3, q=3}",
	 {2, 8, 5, 7},
	 {8, 4, 3, 3}},
	/* No window, only a stride. */
	{"apart(a[n, (y + 1) / 2:5], b[n]) -> [n, y] = sum[k] a * b {n=3, y=9, k=2}", {3, 5}, {3}},
	/* Dilated, two windows of one result, a window that the body counts: in phases of the kernel. */
	{"dilated(a[(y - 2 * p + 1) / 3:5], b[p]) -> [y] = sum[p] a * b {y=9, p=3}", {5}, {3}},
	{"two(a[(y - p) / 2:5], b[(y - q) / 2:5]) -> [y] = sum[p, q] a * b {y=9, p=3, q=2}", {5}, {5}},
	{"counted(a[(y - p) / 2:5], b[p]) -> [y] = sum[p] a * b * f32(p) {y=9, p=3}", {5}, {3}},
};

START_TEST(other_windows)
{
	plan_and_compare(others[_i].rule, shape_from(others[_i].a), shape_from(others[_i].b), false);
}
END_TEST

/* Products of phases multiply what the window has, and no zeros beside it: rules over images of the result's y * x
 * and windows of p * q, and the terms of all products together for a result of c channels summed up over o and n. */
static const struct {
	const char *rule;
	int a[6], b[6];
	int64_t terms;
	int products;
} exact[] = {
	{"odd(a[n, o, (y - p + 1) / 2:7, (x - q + 1) / 2:7], b[o, c, p, q]) -> [n, c, y, x] = sum[o, p, q] a * b {n=2, "
	 "c=8, "
	 "y=14, x=14, o=16, p=3, q=3}",
	 {2, 16, 7, 7},
	 {16, 8, 3, 3},
	 2 * 8 * 16 * 7 * 7 * 9,
	 4},
	{"even(a[n, o, (y - p + 1) / 2:7, (x - q + 1) / 2:7], b[o, c, p, q]) -> [n, c, y, x] = sum[o, p, q] a * b "
	 "{n=2, c=8, "
	 "y=14, x=14, o=16, p=4, q=4}",
	 {2, 16, 7, 7},
	 {16, 8, 4, 4},
	 2 * 8 * 16 * 7 * 7 * 16,
	 1},
	{"wide(a[n, o, (y - p + 3) / 2:7, (x - q + 3) / 2:7], b[o, c, p, q]) -> [n, c, y, x] = sum[o, p, q] a * b "
	 "{n=2, c=8, "
	 "y=14, x=14, o=16, p=7, q=7}",
	 {2, 16, 7, 7},
	 {16, 8, 7, 7},
	 2 * 8 * 16 * 7 * 7 * 49,
	 4},
	/* Points at either end of the window are none of the operand's. */
	{"inner(a[n, o, (y - p + 1) / 2:7, (x - q + 1) / 2:7], b[o, c, p - 1:2, q - 1:2]) -> [n, c, y, x] = sum[o, p, "
	 "q] a * b "
	 "{n=2, c=8, y=14, x=14, o=16, p=4, q=4}",
	 {2, 16, 7, 7},
	 {16, 8, 2, 2},
	 2 * 8 * 16 * 7 * 7 * 4,
	 4},
	{"one(a[n, o, y + p - 1:14, (x - q + 1) / 2:7], b[o, c, p, q]) -> [n, c, y, x] = sum[o, p, q] a * b {n=2, c=8, "
	 "y=14, "
	 "x=14, o=16, p=3, q=3}",
	 {2, 16, 14, 7},
	 {16, 8, 3, 3},
	 2 * 8 * 16 * 14 * 7 * 9,
	 2},
};

START_TEST(phases_have_no_zeros)
{
	struct run r = start();
	plan_rule(&r, exact[_i].rule, exact[_i].a, exact[_i].b);
	compare(&r, 1);
	const struct plan *p = only_plan(&r);
	int64_t terms = 0;
	for (int i = 0; i < p->steps.n; i++)
		terms += p->steps.at[i].kind == STEP_GEMM ? p->steps.at[i].flops / 2 : 0;
	ck_assert_int_eq(terms, exact[_i].terms);
	ck_assert_int_eq(count_steps(p, STEP_GEMM), exact[_i].products);
}
END_TEST

int main(void)
{
	Suite *s;
	TCase *t = suite_begin(&s, "phases");
	tcase_add_loop_test(t, every_small_window, 0, 8);
	tcase_add_loop_test(t, other_windows, 0, (int)(sizeof others / sizeof *others));
	tcase_add_loop_test(t, phases_have_no_zeros, 0, (int)(sizeof exact / sizeof *exact));
	return suite_end(s);
}
