/* test_plan_fusion.c — what shares a kernel, in which order steps come and how long their values live, where values are
 * large. */
#include "plan_run.h"
#include "suite.h"

static struct node *pw(struct run *r, enum scalar_fn fn, struct node *x, struct node *y)
{
	return graph_pointwise(r->f.graph, &r->f.site, fn, x, y, NULL);
}

static struct node *param(struct run *r, const struct place *at, const char *name, int64_t n, int64_t m)
{
	return fixture_param(&r->f, name, SHAPE(n, m), at, "B");
}

enum { WIDE = 512, DEEP = 3, BLOCKS = 4 };
static const char *const key_name[] = {"k0", "k1", "k2", "k3"}, *const result_name[] = {"y0", "y1", "y2", "y3"};

static struct node *scores(struct run *r, struct node *a, struct node *b)
{
	return fixture_map(&r->f, "nt(a[m, k], b[n, k]) -> [m, n] = sum[k] a * b {m=512, n=512, k=3}", a, b, NULL);
}

/* The sums of exponentials of rows that consist of BLOCKS blocks, relative to the greatest element so far. */
static const struct plan *running_softmax(struct run *r, const struct place *at)
{
	struct node *q = param(r, at, "q", WIDE, DEEP), *top = NULL, *total = NULL;
	for (int i = 0; i < BLOCKS; i++) {
		struct node *s = scores(r, q, param(r, at, key_name[i], WIDE, DEEP));
		struct node *max = fixture_map(&r->f, "top(a[m, n]) -> [m] = max[n] a {m=512, n=512}", s, NULL, NULL);
		struct node *now = top ? pw(r, SC_MAX, top, max) : max;
		struct node *e =
			fixture_map(&r->f, "e(a[m, n], b[m]) -> [m] = sum[n] exp(a - b) {m=512, n=512}", s, now, NULL);
		total = top ? pw(r, SC_ADD, pw(r, SC_MUL, total, pw(r, SC_EXP, pw(r, SC_SUB, top, now), NULL)), e) : e;
		top = now;
	}
	fixture_keep(&r->f, "y", total);
	ck_assert(prepare(r, 1));
	compare(r, 1);
	return only_plan(r);
}

/* Each block is used up before the next one is made, by one kernel. */
START_TEST(large_blocks_of_a_row_live_one_at_a_time)
{
	struct run r = start();
	const struct plan *p = running_softmax(&r, one_rank(&r));
	ck_assert_int_eq(count_steps(p, STEP_GEMM), BLOCKS);
	ck_assert_int_eq(count_steps(p, STEP_KERNEL), BLOCKS);
	ck_assert_int_lt(p->arena_bytes, 2 * WIDE * WIDE * 4);
}
END_TEST

/* Of products that are added, the later one takes in the earlier: what the earlier one reads need not wait. */
START_TEST(products_accumulate_in_their_order)
{
	struct run r = start();
	const struct place *at = one_rank(&r);
	struct node *x = param(&r, at, "x", WIDE, DEEP), *sum = NULL;
	for (int i = 0; i < BLOCKS; i++) {
		struct node *s = pw(&r, SC_EXP, scores(&r, x, param(&r, at, key_name[i], WIDE, DEEP)), NULL);
		struct node *y = fixture_map(&r.f, "tn(a[k, m], b[k, n]) -> [m, n] = sum[k] a * b {k=512, m=512, n=3}",
					     s, x, NULL);
		sum = sum ? pw(&r, SC_ADD, sum, y) : y;
	}
	fixture_keep(&r.f, "y", sum);
	ck_assert(prepare(&r, 1));
	compare(&r, 1);
	const struct plan *p = only_plan(&r);
	ck_assert_int_eq(count_steps(p, STEP_GEMM), 2 * BLOCKS);
	ck_assert_int_lt(p->arena_bytes, 2 * WIDE * WIDE * 4);
}
END_TEST

/* A kernel comes where the first of its results is due. */
START_TEST(kernel_comes_with_its_first_result)
{
	struct run r = start();
	const struct place *at = one_rank(&r);
	struct node *v = fixture_param(&r.f, "v", SHAPE(WIDE), at, "B"), *x = param(&r, at, "x", WIDE, DEEP);
	for (int i = 0; i < BLOCKS; i++) {
		struct node *s = scores(&r, x, param(&r, at, key_name[i], WIDE, DEEP));
		v = pw(&r, SC_SIN, v, NULL);
		struct node *e =
			fixture_map(&r.f, "e(a[m, n], b[m]) -> [m] = sum[n] exp(a - b) {m=512, n=512}", s, v, NULL);
		fixture_keep(&r.f, result_name[i], e);
	}
	ck_assert(prepare(&r, 1));
	compare(&r, 1);
	ck_assert_int_lt(only_plan(&r)->arena_bytes, 2 * WIDE * WIDE * 4);
}
END_TEST

/* Gradients are used up by the updates of their params one by one, though all updates come last in the source. */
START_TEST(params_are_updated_as_soon_as_they_can)
{
	struct run r = start();
	const struct place *at = one_rank(&r);
	struct node *x = param(&r, at, "x", DEEP, WIDE), *y = param(&r, at, "y", DEEP, WIDE), *w[BLOCKS], *g[BLOCKS];
	for (int i = 0; i < BLOCKS; i++) {
		w[i] = param(&r, at, key_name[i], WIDE, WIDE);
		g[i] = fixture_map(&r.f, "tn(a[k, m], b[k, n]) -> [m, n] = sum[k] a * b {m=512, n=512, k=3}", x, y,
				   NULL);
		y = pw(&r, SC_SIN, y, NULL);
	}
	for (int i = 0; i < BLOCKS; i++) {
		struct node *next = pw(&r, SC_SUB, w[i], pw(&r, SC_TANH, g[i], NULL));
		graph_output(r.f.graph, OUTPUT_SLOT, w[i]->slot, next, (struct span){0});
	}
	ck_assert(prepare(&r, 1));
	compare(&r, 1);
	ck_assert_int_lt(only_plan(&r)->arena_bytes, 2 * WIDE * WIDE * 4);
}
END_TEST

/* Values kept for gradients are read where they are, a slice of them too. */
START_TEST(products_read_through_remat)
{
	struct run r = start();
	const struct place *at = one_rank(&r);
	struct node *x = param(&r, at, "x", 40, 20), *w = param(&r, at, "w", 20, 18);
	struct node *part = fixture_map(&r.f, "part(a[i + 8:40, j]) -> [i, j] = a {i=16, j=20}", x, NULL, NULL);
	struct node *again = graph_remat(r.f.graph, &r.f.site, part, NULL);
	fixture_keep(
		&r.f, "y",
		fixture_map(&r.f, "mm(a[m, k], b[k, n]) -> [m, n] = sum[k] a * b {m=16, k=20, n=18}", again, w, NULL));
	ck_assert(prepare(&r, 1));
	compare(&r, 2);
	const struct plan *p = only_plan(&r);
	ck_assert_int_eq(p->steps.n, 1);
	ck_assert_int_eq(p->steps.at[0].gemm->offset_a, 160);
}
END_TEST

/* The same, but a map reads it as well. */
START_TEST(what_maps_read_through_remat_is_stored)
{
	struct run r = start();
	const struct place *at = one_rank(&r);
	struct node *x = param(&r, at, "x", 40, 20), *w = param(&r, at, "w", 20, 18);
	struct node *part = fixture_map(&r.f, "part(a[i + 8:40, j]) -> [i, j] = a {i=16, j=20}", x, NULL, NULL);
	struct node *again = graph_remat(r.f.graph, &r.f.site, part, NULL);
	fixture_keep(
		&r.f, "y",
		fixture_map(&r.f, "mm(a[m, k], b[k, n]) -> [m, n] = sum[k] a * b {m=16, k=20, n=18}", again, w, NULL));
	fixture_keep(&r.f, "z", pw(&r, SC_EXP, again, NULL));
	ck_assert(prepare(&r, 1));
	compare(&r, 2);
}
END_TEST

/* What is computed from positions alone and spread over lines is dear for each of these, but not for a few positions:
 * it is kept. What takes a few operations is kept for many lines, if it changes along them; cheap, it is computed where
 * it is used. */
enum { DEAR = -1 };
static const struct {
	int work; /* sums and products */
	int64_t lines;
	bool along;
	int kernels;
} of_lines[] = {
	{0, WIDE, true, 1}, {DEAR, WIDE, true, 2}, {DEAR, 8, true, 2}, {2, WIDE, true, 2},
	{4, WIDE, true, 2}, {4, WIDE, false, 1},   {4, 8, true, 1},
};

START_TEST(what_lines_share_is_computed_once)
{
	struct run r = start();
	const struct place *at = one_rank(&r);
	int64_t n = of_lines[_i].lines;
	struct node *i = fixture_map(&r.f, "i() -> [n] = f32(n) {n=512}", NULL, NULL, NULL), *v = pw(&r, SC_ADD, i, i);
	for (int k = 0; k < of_lines[_i].work; k++)
		v = pw(&r, SC_MUL, pw(&r, SC_ADD, v, i), i);
	if (of_lines[_i].work == DEAR)
		v = pw(&r, SC_SIN, pw(&r, SC_EXP, i, NULL), NULL);
	const char *along = "t(a[m, n], b[n]) -> [m, n] = a * b {m=%lld, n=512}",
		   *across = "t(a[m, n], b[m]) -> [m, n] = a * b {m=%lld, n=512}",
		   *rule = arena_printf(r.f.session->arena, of_lines[_i].along ? along : across, (long long)n);
	fixture_keep(&r.f, "y", fixture_map(&r.f, rule, param(&r, at, "x", n, 512), v, NULL));
	ck_assert(prepare(&r, 1));
	compare(&r, 1);
	ck_assert_int_eq(count_steps(only_plan(&r), STEP_KERNEL), of_lines[_i].kernels);
}
END_TEST

/* What is dear and computed of the sums of short rows is computed by vectors, in a kernel of its own: not what is
 * cheap, what long or few rows give, or what the points of the rows want. */
static const struct {
	int64_t rows, columns;
	enum scalar_fn fn;
	bool wanted;
	int kernels;
} of_rows[] = {
	{512, 3, SC_EXP, false, 2},  {512, 3, SC_TANH, false, 2},  {512, 128, SC_EXP, false, 2},
	{512, 3, SC_SQRT, false, 1}, {512, 512, SC_EXP, false, 1}, {16, 3, SC_EXP, false, 1},
	{512, 3, SC_EXP, true, 1},
};

START_TEST(what_short_rows_give_is_computed_by_vectors)
{
	struct run r = start();
	const struct place *at = one_rank(&r);
	int64_t n = of_rows[_i].rows, k = of_rows[_i].columns;
	struct node *x = param(&r, at, "x", n, k);
	const char *sum = arena_printf(r.f.session->arena, "rows(a[m, k]) -> [m] = sum[k] a * a {m=%lld, k=%lld}",
				       (long long)n, (long long)k);
	const char *times = arena_printf(r.f.session->arena, "times(a[m, k], b[m]) -> [m, k] = a * b {m=%lld, k=%lld}",
					 (long long)n, (long long)k);
	struct node *y = pw(&r, of_rows[_i].fn, fixture_map(&r.f, sum, x, NULL, NULL), NULL);
	fixture_keep(&r.f, "y", pw(&r, SC_ADD, y, y));
	if (of_rows[_i].wanted)
		fixture_keep(&r.f, "z", fixture_map(&r.f, times, x, y, NULL));
	ck_assert(prepare(&r, 1));
	compare(&r, 1);
	ck_assert_int_eq(count_steps(only_plan(&r), STEP_KERNEL), of_rows[_i].kernels);
}
END_TEST

/* What one map of another domain reads, each element once, is computed there, however dear it is: what is written into
 * the middle of another tensor. Not if elements are read at several points, or by others as well. */
enum { ONCE, REPEATED, BY_TWO, READINGS };
static const struct {
	const char *rule;
	int64_t rows;
	int kernels;
} readings[READINGS] = {
	[ONCE] = {"into(a[i - 1:512, j - 1:512], b[i, j]) -> [i, j] = "
		  "where(i >= 1 && i < 513 && j >= 1 && j < 513, a, b) {i=514, j=514}",
		  WIDE + 2, 1},
	[REPEATED] = {"each(a[i, j], b[k, j]) -> [k, i, j] = a * b {k=4, i=512, j=512}", 4, 2},
	[BY_TWO] = {"each(a[i, j], b[k, j]) -> [k, i, j] = a * b {k=1, i=512, j=512}", 1, 2},
};

START_TEST(what_is_read_once_is_computed_where_it_is_read)
{
	struct run r = start();
	const struct place *at = one_rank(&r);
	static const char *const name[] = {"x1", "x2", "x3"};
	int64_t columns = _i == ONCE ? WIDE + 2 : WIDE;
	struct node *sum = param(&r, at, "x0", WIDE, WIDE), *other = param(&r, at, "b", readings[_i].rows, columns);
	for (int i = 0; i < 3; i++)
		sum = pw(&r, SC_ADD, pw(&r, SC_SIN, sum, NULL), param(&r, at, name[i], WIDE, WIDE));
	fixture_keep(&r.f, "y", fixture_map(&r.f, readings[_i].rule, sum, other, NULL));
	if (_i == BY_TWO)
		fixture_keep(&r.f, "z",
			     fixture_map(&r.f, "turned(a[j, i]) -> [i, j] = a {i=512, j=512}", sum, NULL, NULL));
	ck_assert(prepare(&r, 1));
	compare(&r, 1);
	ck_assert_int_eq(count_steps(only_plan(&r), STEP_KERNEL), readings[_i].kernels);
}
END_TEST

/* What sums over pairs of rows read across is turned by a kernel of its own, though they alone read it. */
START_TEST(what_pairs_read_across_is_kept_turned)
{
	struct run r = start();
	const struct place *at = one_rank(&r);
	struct node *x = param(&r, at, "x", WIDE, 64), *y = param(&r, at, "y", WIDE, 64);
	fixture_keep(&r.f, "d",
		     fixture_map(&r.f, "apart(a[m, k], b[n, k]) -> [m, n] = sum[k] abs(a - b) {m=512, n=512, k=64}", x,
				 y, NULL));
	ck_assert(prepare(&r, 1));
	compare(&r, 1);
	ck_assert_int_eq(count_steps(only_plan(&r), STEP_KERNEL), 2);
}
END_TEST

/* What is computed of each element of a sum that has loops of its own, in its kernel while it is in registers; where
 * something else is read too, as rows or across; where another element is read, or the sum is kept in blocks for
 * others, in a kernel of its own. */
static const struct {
	const char *sum, *rule, *then;
	bool keep; /* the sum as well */
	int kernels;
} follows[] = {
	{"apart(a[m, k], b[n, k]) -> [m, n] = sum[k] abs(a - b) {m=512, n=512, k=64}",
	 "root(a[m, n]) -> [m, n] = where(a == 0.0, 0.0, sqrt(a)) {m=512, n=512}", NULL, false, 2},
	{"apart(a[m, k], b[n, k]) -> [m, n] = sum[k] abs(a - b) {m=512, n=512, k=64}",
	 "falls(a[m, n], b[m, n]) -> [m, n] = exp(a * -0.01) * b {m=512, n=512}",
	 "again(a[m, n]) -> [m, n] = sqrt(a) + 1.0 {m=512, n=512}", false, 2},
	{"apart(a[m, k], b[n, k]) -> [m, n] = sum[k] abs(a - b) {m=512, n=512, k=64}",
	 "root(a[m, n]) -> [m, n] = sqrt(a) {m=512, n=512}", NULL, true, 3},
	{"apart(a[m, k], b[n, k]) -> [m, n] = sum[k] abs(a - b) {m=512, n=512, k=64}",
	 "place(a[m, n]) -> [m, n] = sqrt(a) + f32(m) {m=512, n=512}", NULL, false, 2},
	{"apart(a[m, k], b[n, k]) -> [m, n] = sum[k] abs(a - b) {m=512, n=512, k=64}",
	 "place(a[m, n]) -> [m, n] = sqrt(a) + f32(n) {m=512, n=512}", NULL, false, 3},
	{"apart(a[m, k], b[n, k]) -> [m, n] = sum[k] abs(a - b) {m=512, n=512, k=64}",
	 "across(a[n, m]) -> [m, n] = exp(sqrt(a)) {m=512, n=512}", NULL, false, 3},
	{"window(a[m, n + d:64]) -> [m, n] = max[d] a {m=512, n=62, d=3}",
	 "root(a[m, n]) -> [m, n] = exp(sqrt(abs(a))) {m=512, n=62}", NULL, false, 1},
	{"window(a[m, n + d:64]) -> [m, n] = max[d] a {m=512, n=62, d=3}",
	 "root(a[m, n]) -> [m, n] = exp(sqrt(abs(a))) {m=512, n=62}", NULL, true, 1},
};

START_TEST(what_is_computed_of_each_sum_follows_it)
{
	struct run r = start();
	const struct place *at = one_rank(&r);
	struct node *x = param(&r, at, "x", WIDE, 64), *y = param(&r, at, "y", WIDE, 64);
	struct node *sum = fixture_map(&r.f, follows[_i].sum, x, strstr(follows[_i].sum, "b[") ? y : NULL, NULL);
	struct node *other = strstr(follows[_i].rule, "b[") ? param(&r, at, "b", WIDE, WIDE) : NULL;
	struct node *z = fixture_map(&r.f, follows[_i].rule, sum, other, NULL);
	fixture_keep(&r.f, "z", follows[_i].then ? fixture_map(&r.f, follows[_i].then, z, NULL, NULL) : z);
	if (follows[_i].keep)
		fixture_keep(&r.f, "sum", sum);
	ck_assert(prepare(&r, 1));
	compare(&r, 1);
	ck_assert_int_eq(count_steps(only_plan(&r), STEP_KERNEL), follows[_i].kernels);
}
END_TEST

int main(void)
{
	Suite *suite;
	TCase *t = suite_begin(&suite, "fusion");
	tcase_add_test(t, large_blocks_of_a_row_live_one_at_a_time);
	tcase_add_loop_test(t, what_lines_share_is_computed_once, 0, sizeof of_lines / sizeof *of_lines);
	tcase_add_loop_test(t, what_short_rows_give_is_computed_by_vectors, 0, sizeof of_rows / sizeof *of_rows);
	tcase_add_loop_test(t, what_is_read_once_is_computed_where_it_is_read, 0, READINGS);
	tcase_add_test(t, what_pairs_read_across_is_kept_turned);
	tcase_add_loop_test(t, what_is_computed_of_each_sum_follows_it, 0, sizeof follows / sizeof *follows);
	tcase_add_test(t, products_accumulate_in_their_order);
	tcase_add_test(t, kernel_comes_with_its_first_result);
	tcase_add_test(t, params_are_updated_as_soon_as_they_can);
	tcase_add_test(t, products_read_through_remat);
	tcase_add_test(t, what_maps_read_through_remat_is_stored);
	return suite_end(suite);
}
