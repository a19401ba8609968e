/* test_layout_choice.c — what a node may choose from: on several axes not every combination of one signature per axis,
 * and the work that goes with a choice. */
#include "layout_fixture.h"
#include "suite.h"

#include "compiler/layout/choice.h"

static int fitting(const char *rule, struct shape s, const char *has)
{
	struct fixture f = fixture_new();
	struct layout l[] = {layout_text(has)};
	struct choice *list;
	struct node *x = fixture_param(&f, "x", s, f.grid, has), *y = fixture_map(&f, rule, x, NULL, NULL);
	y->place = f.grid;
	int n = choices_fitting(f.graph->arena, y, l, &list);
	session_free(f.session);
	return n;
}

START_TEST(a_diagonal_is_cut_in_one_of_its_dimensions)
{
	const char *diagonal = "diagonal(a[i, i]) -> [i] = a {i=8}";
	ck_assert_int_eq(fitting(diagonal, SHAPE(8, 8), "S0,S1"), 0);
	ck_assert_int_gt(fitting(diagonal, SHAPE(8, 8), "S1,S1"), 0);
	ck_assert_int_gt(fitting(diagonal, SHAPE(8, 8), "S0,B"), 0);
}
END_TEST

/* Which of all choices for x[m, k] @ y[k, n] is wanted. */
static const struct choice *find(struct fixture *f, struct choice *list, int n, const char *x, const char *y)
{
	struct layout want[] = {layout_text(x), layout_text(y)};
	for (int i = 0; i < n; i++)
		if (layout_equal(f->grid, &list[i].in[0], &want[0]) && layout_equal(f->grid, &list[i].in[1], &want[1]))
			return &list[i];
	ck_abort_msg("no choice of %s and %s", x, y);
	return NULL;
}

START_TEST(what_is_split_is_less_work)
{
	struct fixture f = fixture_new();
	struct choice *list;
	const char *rule = "product(a[m, k], b[k, n]) -> [m, n] = sum[k] a * b {m=8, k=8, n=8}";
	struct node *x = fixture_param(&f, "x", SHAPE(8, 8), f.grid, "B"),
		    *y = fixture_param(&f, "y", SHAPE(8, 8), f.grid, "B"), *z = fixture_map(&f, rule, x, y, NULL);
	z->place = f.grid;
	int n = choices_of(f.graph->arena, z, &list);
	int64_t whole = find(&f, list, n, "B", "B")->work, rows = find(&f, list, n, "S0,B", "B")->work,
		blocks = find(&f, list, n, "S0,B", "B,S1")->work, parts = find(&f, list, n, "S1,B", "S0,B")->work;
	ck_assert_int_eq(whole, 2 * rows);
	ck_assert_int_eq(rows, 2 * blocks);
	ck_assert_int_lt(parts, whole); /* half of the points, but as much to write */
	ck_assert_int_gt(parts, rows);
	session_free(f.session);
}
END_TEST

int main(void)
{
	Suite *s;
	TCase *t = suite_begin(&s, "layout choice");
	tcase_add_test(t, a_diagonal_is_cut_in_one_of_its_dimensions);
	tcase_add_test(t, what_is_split_is_less_work);
	return suite_end(s);
}
