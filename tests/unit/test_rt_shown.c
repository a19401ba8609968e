/* test_rt_shown.c — what is shown holds what it held, is seen by whoever has mapped the file, and follows what is
 * written to it later; the rest stays as it was, and of this process alone. */
#define _GNU_SOURCE
#include "shown.h"
#include "suite.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096, FRONT = 2 * PAGE, PAGES = 40, BYTES = PAGES * PAGE };

struct fixture {
	struct pmlrt rt;
	struct rt_shown *shown;
	char *block[2];
	const char *file; /* as another rank has it */
	int64_t room;
};

static char *map_block(int seed)
{
	char *m = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ck_assert(m != MAP_FAILED);
	for (int i = 0; i < BYTES; i++)
		m[i] = (char)(i * 13 + i / 251 + seed);
	return m;
}

static void begin(struct fixture *f)
{
	memset(f, 0, sizeof *f);
	f->room = shown_room(2, 2 * BYTES);
	int fd = memfd_create("test", MFD_CLOEXEC);
	ck_assert(fd >= 0 && ftruncate(fd, FRONT + f->room) == 0);
	f->file = mmap(NULL, (size_t)(FRONT + f->room), PROT_READ, MAP_SHARED, fd, 0);
	ck_assert(f->file != MAP_FAILED);
	f->shown = shown_make(&f->rt, fd, FRONT, f->room);
	for (int i = 0; i < 2; i++) {
		f->block[i] = map_block(i);
		/* Blocks need not begin with a page. */
		shown_cover(f->shown, f->block[i] + 64, BYTES - 64);
	}
}

static void end(struct fixture *f)
{
	shown_end(f->shown);
	munmap((void *)(uintptr_t)f->file, (size_t)(FRONT + f->room));
	for (int i = 0; i < 2; i++)
		munmap(f->block[i], BYTES);
	rt_free_all(&f->rt);
}

static void expect_whole(const struct fixture *f)
{
	for (int b = 0; b < 2; b++)
		for (int i = 0; i < BYTES; i++)
			if (f->block[b][i] != (char)(i * 13 + i / 251 + b))
				ck_abort_msg("block %d has another byte %d", b, i);
}

/* An array is seen where it is told to be, now and after it is written to. */
static void expect_seen(struct fixture *f, int b, int64_t at, int64_t bytes)
{
	char *array = f->block[b] + at;
	int64_t place = shown_place(f->shown, array, bytes);
	ck_assert_msg(place >= FRONT && place + bytes <= FRONT + f->room, "shown at %lld", (long long)place);
	ck_assert(!memcmp(f->file + place, array, (size_t)bytes));
	for (int64_t i = 0; i < bytes; i++)
		array[i] = (char)~array[i];
	ck_assert(!memcmp(f->file + place, array, (size_t)bytes));
	for (int64_t i = 0; i < bytes; i++)
		array[i] = (char)~array[i];
}

START_TEST(arrays_are_shown_from_the_next_region_on)
{
	struct fixture f;
	begin(&f);
	ck_assert_int_eq(shown_place(f.shown, f.block[0] + 100, 5000), -1);
	ck_assert_int_eq(shown_place(f.shown, f.block[1] + 9 * PAGE, PAGE), -1);
	shown_settle(&f.rt, f.shown);
	expect_seen(&f, 0, 100, 5000);
	expect_seen(&f, 1, 9 * PAGE, PAGE);
	expect_whole(&f);
	/* What lies on other pages is not. */
	ck_assert_int_eq(shown_place(f.shown, f.block[0] + 100, 9000), -1);
	end(&f);
}
END_TEST

START_TEST(arrays_that_share_pages)
{
	static const struct {
		int block;
		int64_t at, bytes;
	} array[] = {{0, 5 * PAGE + 8, PAGE},         {0, 6 * PAGE + 64, 3 * PAGE}, {0, 4 * PAGE, PAGE + 1},
		     {0, 12 * PAGE, 2 * PAGE},        {0, 3 * PAGE, 12 * PAGE},     {1, 64, 1},
		     {1, BYTES - PAGE + 1, PAGE - 1}, {0, 20 * PAGE, PAGE},         {0, 22 * PAGE, PAGE},
		     {0, 19 * PAGE, 5 * PAGE},        {1, 64, BYTES - 64}};
	enum { N = sizeof array / sizeof *array };
	struct fixture f;
	begin(&f);
	/* One after the other, and all that were there before. */
	for (int i = 0; i < N; i++) {
		shown_place(f.shown, f.block[array[i].block] + array[i].at, array[i].bytes);
		shown_settle(&f.rt, f.shown);
		for (int k = 0; k <= i; k++)
			expect_seen(&f, array[k].block, array[k].at, array[k].bytes);
		expect_whole(&f);
	}
	end(&f);
	/* All at once. */
	begin(&f);
	for (int i = 0; i < N; i++)
		shown_place(f.shown, f.block[array[i].block] + array[i].at, array[i].bytes);
	shown_settle(&f.rt, f.shown);
	for (int i = 0; i < N; i++)
		expect_seen(&f, array[i].block, array[i].at, array[i].bytes);
	expect_whole(&f);
	end(&f);
}
END_TEST

START_TEST(what_cannot_be_shown_is_not)
{
	struct fixture f;
	char elsewhere[64];
	begin(&f);
	for (int turn = 0; turn < 2; turn++) {
		ck_assert_int_eq(shown_place(f.shown, elsewhere, 64), -1);
		ck_assert_int_eq(shown_place(f.shown, f.block[0] + BYTES - PAGE, 2 * PAGE), -1);
		ck_assert_int_eq(shown_place(f.shown, f.block[0] + PAGE, SHOWN_BYTES + 1), -1);
		shown_settle(&f.rt, f.shown);
	}
	/* A file without room for more: the array stays where it is. */
	char *third = map_block(2);
	shown_cover(f.shown, third, BYTES);
	ck_assert_int_eq(shown_place(f.shown, third, 64), -1);
	shown_settle(&f.rt, f.shown);
	ck_assert_int_eq(shown_place(f.shown, third, 64), -1);
	munmap(third, BYTES);
	expect_whole(&f);
	end(&f);
}
END_TEST

/* More arrays than are remembered at a time, or shown: each is shown in the end or not, and none is wrong. */
START_TEST(many_arrays)
{
	struct fixture f;
	begin(&f);
	for (int turn = 0; turn < 3; turn++) {
		for (int i = 0; i < 2 * PAGES - 2; i += 2)
			shown_place(f.shown, f.block[i / PAGES] + i % PAGES * PAGE + 64, 100);
		shown_settle(&f.rt, f.shown);
	}
	for (int i = 0; i < 2 * PAGES - 2; i += 2)
		expect_seen(&f, i / PAGES, i % PAGES * PAGE + 64, 100);
	expect_whole(&f);
	end(&f);
}
END_TEST

int main(void)
{
	Suite *s;
	TCase *t = suite_begin(&s, "arrays that other ranks see");
	tcase_add_test(t, arrays_are_shown_from_the_next_region_on);
	tcase_add_test(t, arrays_that_share_pages);
	tcase_add_test(t, what_cannot_be_shown_is_not);
	tcase_add_test(t, many_arrays);
	return suite_end(s);
}
