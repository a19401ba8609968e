/* What else runs on a machine, by the kernel's count. */
#include "suite.h"

#include "base/others.h"

START_TEST(what_others_took_is_the_rest)
{
	struct others from = {.all = 10, .busy = 5, .own = 2}, to = {.all = 20, .busy = 12, .own = 5};
	ck_assert_double_eq_tol(others_share(&from, &to), 0.4, 1e-12);
}
END_TEST

START_TEST(own_time_that_is_counted_finer_than_ticks_is_none_of_others)
{
	struct others from = {.all = 10, .busy = 5, .own = 2}, to = {.all = 20, .busy = 7, .own = 4.01};
	ck_assert_double_eq(others_share(&from, &to), 0);
}
END_TEST

START_TEST(what_is_not_counted_is_not_known)
{
	struct others none = {.own = 1}, later = {.own = 2};
	ck_assert_double_eq(others_share(&none, &later), 0);
}
END_TEST

/* With a tick of a hundredth of a second either way. */
START_TEST(what_this_process_computes_is_its_own)
{
	struct others from = others_now(), to;
	if (from.all <= 0)
		return;
	do
		to = others_now();
	while (to.own - from.own < 0.5);
	ck_assert_double_ge(to.all - from.all, 0.4);
	ck_assert_double_ge(to.busy - from.busy, 0.4);
	ck_assert_double_le(others_share(&from, &to), 1 - 0.4 / (to.all - from.all));
}
END_TEST

int main(void)
{
	Suite *s;
	TCase *t = suite_begin(&s, "others");
	tcase_add_test(t, what_others_took_is_the_rest);
	tcase_add_test(t, own_time_that_is_counted_finer_than_ticks_is_none_of_others);
	tcase_add_test(t, what_is_not_counted_is_not_known);
	tcase_add_test(t, what_this_process_computes_is_its_own);
	return suite_end(s);
}
