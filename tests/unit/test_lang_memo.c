/* Answers are found by keys of numbers: equal ones share an answer, all others have their own. */
#include "base/memo.h"
#include "suite.h"

static int *answer_to(struct memo *m, const uint64_t *words, int n)
{
	memo_begin(m);
	for (int i = 0; i < n; i++)
		memo_add(m, words[i]);
	void **known = memo_find(m);
	if (!*known)
		*known = ARENA_NEW(m->by_hash.arena, int);
	return *known;
}

START_TEST(equal_keys_share_an_answer)
{
	struct arena *a = arena_new("test");
	struct memo m;
	memo_init(&m, a);
	enum { COUNT = 300 };
	int *first[COUNT];
	for (uint64_t i = 0; i < COUNT; i++) {
		first[i] = answer_to(&m, (uint64_t[]){i / 10, i % 10, 7}, 3);
		*first[i] = (int)i;
	}
	for (uint64_t i = 0; i < COUNT; i++) {
		int *again = answer_to(&m, (uint64_t[]){i / 10, i % 10, 7}, 3);
		ck_assert_ptr_eq(again, first[i]);
		ck_assert_int_eq(*again, (int)i);
	}
	arena_free(a);
}
END_TEST

START_TEST(a_prefix_is_another_key)
{
	struct arena *a = arena_new("test");
	struct memo m;
	memo_init(&m, a);
	uint64_t words[] = {3, 0, 0, 5};
	int *answers[5];
	for (int n = 0; n <= 4; n++)
		answers[n] = answer_to(&m, words, n);
	for (int i = 0; i <= 4; i++)
		for (int k = 0; k < i; k++)
			ck_assert_ptr_ne(answers[i], answers[k]);
	arena_free(a);
}
END_TEST

START_TEST(keys_of_one_hash_are_told_apart)
{
	struct arena *a = arena_new("test");
	struct memo m;
	memo_init(&m, a);
	/* hash_number maps (seed ^ v) to a hash one to one: this v' leads to where v did from another first word. */
	uint64_t after_one = hash_number(HASH_SEED, 1), after_two = hash_number(HASH_SEED, 2), v = 9;
	uint64_t x[] = {1, v}, y[] = {2, after_one ^ v ^ after_two};
	ck_assert(hash_number(after_one, x[1]) == hash_number(after_two, y[1]));
	int *of_x = answer_to(&m, x, 2), *of_y = answer_to(&m, y, 2);
	ck_assert_ptr_ne(of_x, of_y);
	ck_assert_ptr_eq(answer_to(&m, x, 2), of_x);
	ck_assert_ptr_eq(answer_to(&m, y, 2), of_y);
	arena_free(a);
}
END_TEST

int main(void)
{
	Suite *s;
	TCase *t = suite_begin(&s, "memo");
	tcase_add_test(t, equal_keys_share_an_answer);
	tcase_add_test(t, a_prefix_is_another_key);
	tcase_add_test(t, keys_of_one_hash_are_told_apart);
	return suite_end(s);
}
