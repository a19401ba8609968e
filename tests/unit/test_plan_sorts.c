/* test_plan_sorts.c — which counts become sorts: those of what comes before an element of its line, however they are
 * written and wherever the line lies, and no others. Every plan is also run and compared with counting. */
#include "plan_run.h"
#include "suite.h"

#define UP(x, y) \
	"i32(" y " < " x " || (" x " != " x " && " y " == " y ") || (j < i && (" y " == " x " || (" x " != " x \
	" && " y " != " y "))))"
#define DOWN(x, y) \
	"i32(" y " > " x " || (" y " != " y " && " x " == " x ") || (j < i && (" y " == " x " || (" x " != " x \
	" && " y " != " y "))))"

/* A rule over slot a, given twice, of shape [3, 7, 4], and the sort it becomes: "direction outer n inner", or "" for
 * loops. */
static const struct {
	const char *rule, *sorted;
} counts[] = {
	{"up(a[p, i, q], b[p, j, q]) -> [p, i, q] = sum[j] " UP("a", "b") " {p=3, i=7, q=4, j=7}", "up 3 7 4"},
	{"down(a[p, i, q], b[p, j, q]) -> [p, i, q] = sum[j] " DOWN("a", "b") " {p=3, i=7, q=4, j=7}", "down 3 7 4"},
	{"swapped(a[p, j, q], b[p, i, q]) -> [p, i, q] = sum[j] " UP("b", "a") " {p=3, i=7, q=4, j=7}", "up 3 7 4"},
	{"last(a[p, q, i], b[p, q, j]) -> [p, q, i] = sum[j] " DOWN("a", "b") " {p=3, q=7, i=4, j=4}", "down 21 4 1"},
	{"first(a[i, p, q], b[j, p, q]) -> [i, p, q] = sum[j] " UP("a", "b") " {p=7, q=4, i=3, j=3}", "up 1 3 28"},
	/* Another order of equal elements, a count of something else, lines of other elements, a result that lies
	   otherwise. */
	{"later(a[p, i, q], b[p, j, q]) -> [p, i, q] = sum[j] i32(b < a || (b == a && j > i)) {p=3, i=7, q=4, j=7}",
	 ""},
	{"numbers(a[p, i, q], b[p, j, q]) -> [p, i, q] = sum[j] i32(b < a || (j < i && b == a)) {p=3, i=7, q=4, j=7}",
	 ""},
	{"less(a[p, i, q], b[p, j, q]) -> [p, i, q] = sum[j] i32(b < a) {p=3, i=7, q=4, j=7}", ""},
	{"prefix(a[p, i, q], b[p, j:7, q]) -> [p, i, q] = sum[j] " UP("a", "b") " {p=3, i=7, q=4, j=5}", ""},
	{"turned(a[p, i, q], b[p, j, q]) -> [q, i, p] = sum[j] " UP("a", "b") " {p=3, i=7, q=4, j=7}", ""},
};

static const struct plan_step *first_sort(const struct plan *p)
{
	for (int i = 0; i < p->steps.n; i++)
		if (p->steps.at[i].kind == STEP_SORTED)
			return &p->steps.at[i];
	return NULL;
}

START_TEST(counts_of_what_comes_before_are_sorts)
{
	struct run r = start();
	struct node *a = fixture_param(&r.f, "a", SHAPE(3, 7, 4), one_rank(&r), "B");
	fixture_keep(&r.f, "y", fixture_map(&r.f, counts[_i].rule, a, a, NULL));
	ck_assert(prepare(&r, 1));
	const struct plan_step *s = first_sort(only_plan(&r));
	char text[64] = "";
	if (s)
		snprintf(text, sizeof text, "%s %d %d %d", s->sorted->down ? "down" : "up", (int)s->sorted->outer,
			 (int)s->sorted->n, (int)s->sorted->inner);
	ck_assert_str_eq(text, counts[_i].sorted);
	compare(&r, 1);
}
END_TEST

START_TEST(one_tensor_against_another_is_counted)
{
	struct run r = start();
	const struct place *at = one_rank(&r);
	struct node *a = fixture_param(&r.f, "a", SHAPE(3, 7, 4), at, "B");
	struct node *b = fixture_param(&r.f, "b", SHAPE(3, 7, 4), at, "B");
	fixture_keep(&r.f, "y", fixture_map(&r.f, counts[0].rule, a, b, NULL));
	ck_assert(prepare(&r, 1));
	ck_assert_ptr_null(first_sort(only_plan(&r)));
	compare(&r, 1);
}
END_TEST

/* Computed values are stored to be sorted; what reads the ranks is a kernel after it. */
START_TEST(values_between_kernels_are_sorted)
{
	struct run r = start();
	struct node *a = fixture_param(&r.f, "a", SHAPE(3, 7, 4), one_rank(&r), "B");
	struct node *x = fixture_map(&r.f, "sin(a[i, j, k]) -> [i, j, k] = sin(a) {i=3, j=7, k=4}", a, NULL, NULL);
	struct node *rank = fixture_map(&r.f, counts[0].rule, x, x, NULL);
	fixture_keep(&r.f, "y",
		     fixture_map(&r.f, "place(r[p, i, q]: i32, x[p, i, q]) -> [p, r:5, q] = sum[i] x {p=3, i=7, q=4}",
				 rank, x, NULL));
	ck_assert(prepare(&r, 1));
	ck_assert_int_eq(count_steps(only_plan(&r), STEP_SORTED), 1);
	compare(&r, 2);
}
END_TEST

/* Places of ranks less a number, written as a difference and as a sum: what stands in the middle, where all of it is
 * there; the rank is made then where somebody else reads it, or where places would be before the first. */
static const struct {
	const char *less;
	int from; /* -1: no such sort */
	bool reads_ranks;
} middles[] = {{"r - 3", 3, false},  {"r + -5", 5, false}, {"r - 6", -1, false},
	       {"r + 1", -1, false}, {"r - 3", 3, true},   {"3 - r", -1, false}};

START_TEST(what_stands_in_the_middle_is_chosen)
{
	struct run r = start();
	struct node *a = fixture_param(&r.f, "a", SHAPE(3, 7, 4), one_rank(&r), "B");
	struct node *rank = fixture_map(&r.f, counts[0].rule, a, a, NULL);
	char text[64];
	snprintf(text, sizeof text, "less(r[p, i, q]: i32) -> [p, i, q] = %s {p=3, i=7, q=4}", middles[_i].less);
	struct node *less = fixture_map(&r.f, text, rank, NULL, NULL);
	fixture_keep(&r.f, "y",
		     fixture_map(&r.f, "place(r[p, i, q]: i32) -> [p, r:2, q] = sum[i] i32(i) {p=3, i=7, q=4}", less,
				 NULL, NULL));
	if (middles[_i].reads_ranks)
		fixture_keep(&r.f, "z", rank);
	ck_assert(prepare(&r, 1));
	int found = -1, sorts = 0;
	for (int i = 0; i < only_plan(&r)->steps.n; i++) {
		const struct plan_step *s = &only_plan(&r)->steps.at[i];
		if (s->kind != STEP_SORTED)
			continue;
		sorts++;
		found = s->sorted->first == 2 ? (int)s->sorted->from : found;
	}
	ck_assert_int_eq(found, middles[_i].reads_ranks ? -1 : middles[_i].from);
	ck_assert_int_eq(sorts, 1);
	compare(&r, 2);
}
END_TEST

int main(void)
{
	Suite *suite;
	TCase *t = suite_begin(&suite, "sorts");
	tcase_add_loop_test(t, counts_of_what_comes_before_are_sorts, 0, sizeof counts / sizeof *counts);
	tcase_add_test(t, one_tensor_against_another_is_counted);
	tcase_add_loop_test(t, what_stands_in_the_middle_is_chosen, 0, sizeof middles / sizeof *middles);
	tcase_add_test(t, values_between_kernels_are_sorted);
	return suite_end(suite);
}
