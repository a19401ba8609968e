/* test_plan_factors.c — factors of matrices as steps, of params and of what is computed, which is stored first; run and
 * compared with what they mean. */
#include "plan_run.h"
#include "suite.h"

static struct node *factors_of(struct run *r, struct node *x, enum factors_way way)
{
	return graph_factors(r->f.graph, &r->f.site, x, way);
}

START_TEST(factors_of_what_is_computed_are_a_step)
{
	struct run r = start();
	struct node *a = fixture_param(&r.f, "a", SHAPE(3, 5, 5), one_rank(&r), "B");
	struct node *x =
		fixture_map(&r.f, "f(a[b, i, j], c[b, j, i]) -> [b, i, j] = a + sin(c) {b=3, i=5, j=5}", a, a, NULL);
	struct node *w = factors_of(&r, x, FACTORS_LU);
	ck_assert_int_eq(w->shape.dim[1], 6);
	fixture_keep(&r.f, "y", fixture_map(&r.f, "g(a[b, i, j]) -> [b, i, j] = 2 * a {b=3, i=6, j=5}", w, NULL, NULL));
	ck_assert(prepare(&r, 1));
	ck_assert_int_eq(count_steps(only_plan(&r), STEP_FACTORS), 1);
	compare(&r, 2);
}
END_TEST

/* Values alone: signs of vectors are whichever. */
START_TEST(both_ways_of_one_matrix_are_two_steps)
{
	struct run r = start();
	struct node *a = fixture_param(&r.f, "a", SHAPE(2, 4, 4), one_rank(&r), "B");
	fixture_keep(&r.f, "y", factors_of(&r, a, FACTORS_LU));
	fixture_keep(&r.f, "z", factors_of(&r, a, FACTORS_EIGEN));
	ck_assert(prepare(&r, 1));
	ck_assert_int_eq(count_steps(only_plan(&r), STEP_FACTORS), 2);
	compare(&r, 2);
}
END_TEST

int main(void)
{
	Suite *suite;
	TCase *t = suite_begin(&suite, "factors");
	tcase_add_test(t, factors_of_what_is_computed_are_a_step);
	tcase_add_test(t, both_ways_of_one_matrix_are_two_steps);
	return suite_end(suite);
}
