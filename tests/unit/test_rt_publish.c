/* test_rt_publish.c — what is copied past the caches is a copy, wherever it begins and ends, and touches nothing else.
 */
#include "boxcopy.h"
#include "publish.h"
#include "suite.h"

#include <stdlib.h>
#include <string.h>

enum { ROOM = 3 * PUBLISH_LEAST };

struct memory {
	char from[ROOM], to[ROOM], wanted[ROOM];
};

static struct memory *fresh(void)
{
	struct memory *m = aligned_alloc(64, sizeof *m);
	for (int i = 0; i < ROOM; i++)
		m->from[i] = (char)(i * 37 + i / 251);
	memset(m->to, 'x', ROOM);
	memset(m->wanted, 'x', ROOM);
	return m;
}

static void expect_alike(struct memory *m, const char *what, int at, int n)
{
	if (memcmp(m->to, m->wanted, ROOM))
		ck_abort_msg("%s at %d of %d bytes: not a copy, or more than one", what, at, n);
	free(m);
}

START_TEST(bytes_are_copied_from_anywhere_to_anywhere)
{
	static const int lengths[] = {
		0, 1, 63, 64, 65, 1000, PUBLISH_LEAST - 1, PUBLISH_LEAST, PUBLISH_LEAST + 1, 2 * PUBLISH_LEAST + 17};
	for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++)
		for (int at = 0; at < 70; at += 3) {
			struct memory *m = fresh();
			memcpy(m->wanted + at, m->from + at / 2, (size_t)lengths[l]);
			publish(m->to + at, m->from + at / 2, (size_t)lengths[l]);
			expect_alike(m, "publish", at, lengths[l]);
			m = fresh();
			memcpy(m->wanted + at, m->from + 5, (size_t)lengths[l]);
			publish_piece(m->to + at, m->from + 5, (size_t)lengths[l]);
			publish_end();
			expect_alike(m, "publish_piece", at, lengths[l]);
		}
}
END_TEST

START_TEST(boxes_are_copied_as_others_are)
{
	for (int64_t columns = 1; columns <= 300; columns += 13)
		for (int64_t skipped = 0; skipped < 3; skipped++) {
			const struct box part = {{0, skipped}, {20, columns}}, all = {{0, 0}, {20, columns}};
			struct boxcopy c;
			if (skipped >= columns)
				continue;
			struct memory *m = fresh();
			boxcopy_make(&c, 2, &part, &all, &part);
			boxcopy_run(&c, 4, m->from, m->wanted + 4 * skipped);
			boxcopy_publish(&c, 4, m->from, m->to + 4 * skipped);
			expect_alike(m, "a box", (int)skipped, (int)columns);
		}
}
END_TEST

/* So many copies of a MB, of which one as usual takes `usual` ns and one past the caches `past`: those that went past.
 */
static int copies_past(struct publish_way *w, int copies, int64_t usual, int64_t past)
{
	int n = 0;
	for (int i = 0; i < copies; i++) {
		bool goes = publish_goes_past(w, 1 << 20);
		publish_took(w, 1 << 20, goes ? past : usual);
		n += goes;
	}
	return n;
}

START_TEST(the_way_that_takes_less_is_taken)
{
	struct publish_way near = {0}, far = {0};
	ck_assert_int_le(copies_past(&near, 1000, 100, 170), 30);
	ck_assert_int_ge(copies_past(&far, 1000, 170, 100), 970);
	/* Processors move: found out before long, on either side. */
	copies_past(&near, 50, 400, 170);
	ck_assert_int_ge(copies_past(&near, 640, 400, 170), 600);
	copies_past(&far, 200, 30, 100);
	ck_assert_int_le(copies_past(&far, 640, 30, 100), 40);
}
END_TEST

START_TEST(a_copy_that_something_held_up_changes_little)
{
	struct publish_way w = {0};
	copies_past(&w, 100, 100, 170);
	publish_took(&w, 1 << 20, 1000000000);
	ck_assert_int_le(copies_past(&w, 100, 100, 170), 5);
}
END_TEST

START_TEST(what_is_little_goes_as_usual)
{
	struct publish_way w = {0};
	copies_past(&w, 10, 170, 100);
	ck_assert(publish_goes_past(&w, PUBLISH_LEAST));
	ck_assert(!publish_goes_past(&w, PUBLISH_LEAST - 1));
	int64_t copies = w.copies;
	publish_took(&w, PUBLISH_LEAST - 1, 1);
	ck_assert(w.copies == copies);
}
END_TEST

int main(void)
{
	Suite *s;
	TCase *t = suite_begin(&s, "copies past the caches");
	tcase_add_test(t, bytes_are_copied_from_anywhere_to_anywhere);
	tcase_add_test(t, boxes_are_copied_as_others_are);
	tcase_add_test(t, the_way_that_takes_less_is_taken);
	tcase_add_test(t, a_copy_that_something_held_up_changes_little);
	tcase_add_test(t, what_is_little_goes_as_usual);
	return suite_end(s);
}
