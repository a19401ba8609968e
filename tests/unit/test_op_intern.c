/* test_op_intern.c — rules interned: one pointer for equal ones whatever memory they were made in, and what is kept
 * with one is never taken for what follows from a changed copy. */
#include "suite.h"

#include "compiler/op/intern.h"

#include <stdlib.h>
#include <string.h>

static struct arena *arena;
static struct rules *rules;

static void set_up(void)
{
	arena = arena_new("test_op_intern");
	rules = rules_new(arena);
}

static void tear_down(void)
{
	arena_free(arena);
}

/* Interned from an arena that is gone afterwards. */
static const struct rule *interned(const char *text)
{
	const char *error = NULL;
	struct arena *scratch = arena_new("scratch");
	const struct rule *r = rule_read(scratch, text, &error);
	ck_assert_msg(r != NULL, "%s: %s", text, error);
	r = rule_intern(rules, r);
	arena_free(scratch);
	return r;
}

static const char *const product = "matmul(a[m, k], b[k, n]) -> [m, n] = sum[k] a * b {m=64, k=512, n=10}";

START_TEST(equal_rules_are_one)
{
	const struct rule *a = interned(product), *b = interned(product);
	ck_assert_ptr_eq(a, b);
	ck_assert_ptr_eq(rule_intern(rules, a), a);
	ck_assert_ptr_ne(a, interned("matmul(a[m, k], b[k, n]) -> [m, n] = sum[k] a * b {m=65, k=512, n=10}"));
	ck_assert_ptr_ne(a, interned("matmul(a[m, k], b[k, n]) -> [m, n] = sum[k] a + b {m=64, k=512, n=10}"));
	struct text t;
	text_init(&t, arena);
	rule_print(&t, a);
	ck_assert_str_eq(text_get(&t), product);
}
END_TEST

START_TEST(names_make_another_pointer_and_an_equal_rule)
{
	const struct rule *a = interned(product);
	const struct rule *b = interned("product(a[m, k], b[k, n]) -> [m, n] = sum[k] a * b {m=64, k=512, n=10}");
	const struct rule *c = interned("matmul(a[u, k], b[k, n]) -> [u, n] = sum[k] a * b {u=64, k=512, n=10}");
	ck_assert(a != b && a != c && b != c);
	ck_assert(rule_equal(a, b) && rule_equal(a, c) && rule_equal(b, c));
	ck_assert(rule_hash(a) == rule_hash(b) && rule_hash(a) == rule_hash(c));
	ck_assert(!rule_equal(a, interned("matmul(a[m, k], b[k, n]) -> [m, n] = max[k] a * b {m=64, k=512, n=10}")));
	struct rules *others = rules_new(arena);
	ck_assert_ptr_ne(rule_intern(others, a), a);
	ck_assert(rule_equal(rule_intern(others, a), a));
}
END_TEST

/* Signatures, gradients, pruned operands and checks are found again for the copy. */
START_TEST(a_changed_copy_has_facts_of_its_own)
{
	const struct signature *list, *again;
	int kept[MAX_OPERANDS];
	const struct rule *a = interned("f(a[i], b[i]) -> [i] = a + b {i=4}");
	int n = rule_signatures(arena, a, &list);
	ck_assert_int_eq(rule_signatures(arena, a, &again), n);
	ck_assert_ptr_eq(list, again);
	ck_assert_ptr_eq(rule_prune(arena, a, kept), a);
	ck_assert_ptr_nonnull(rule_gradient(arena, a, 1).rule);
	ck_assert_ptr_null(rule_check(arena, a));

	struct rule copy = *a;
	copy.body = scalar_apply(arena, SC_MUL, DT_F32, scalar_operand(arena, DT_F32, 0),
				 scalar_operand(arena, DT_F32, 0), NULL);
	ck_assert_ptr_null(rule_facts(&copy));
	ck_assert_int_ne(rule_signatures(arena, &copy, &again), n);
	ck_assert_ptr_ne(list, again);
	ck_assert_int_eq(rule_prune(arena, &copy, kept)->noperands, 1);
	ck_assert_ptr_null(rule_gradient(arena, &copy, 1).rule);
	ck_assert_int_ne((int)(rule_hash(&copy) == rule_hash(a)), 1);
	ck_assert(!rule_equal(&copy, a));
	rule_own_operands(arena, &copy, 0)[0].index[0].offset = 7;
	ck_assert_ptr_nonnull(rule_check(arena, &copy));
}
END_TEST

START_TEST(derived_rules_are_told_apart_by_all_they_are_derived_by)
{
	const struct rule *a = interned(product);
	struct derived *d = rule_derived(a, DERIVE_CONSTANT, 0, 1);
	ck_assert(!d->is_known);
	d->is_known = true;
	d->rule = a;
	ck_assert_ptr_eq(rule_derived(a, DERIVE_CONSTANT, 0, 1), d);
	ck_assert(!rule_derived(a, DERIVE_CONSTANT, 0, 2)->is_known);
	ck_assert(!rule_derived(a, DERIVE_CONSTANT, 1, 1)->is_known);
	ck_assert(!rule_derived(a, DERIVE_VIEW, 0, 1)->is_known);
	ck_assert_ptr_eq(rule_derived(a, DERIVE_CONSTANT, 0, 1), d);
}
END_TEST

int main(void)
{
	Suite *suite;
	TCase *tc = suite_begin(&suite, "op intern");
	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, equal_rules_are_one);
	tcase_add_test(tc, names_make_another_pointer_and_an_equal_rule);
	tcase_add_test(tc, a_changed_copy_has_facts_of_its_own);
	tcase_add_test(tc, derived_rules_are_told_apart_by_all_they_are_derived_by);
	return suite_end(suite);
}
