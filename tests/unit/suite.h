/* suite.h — the main of a test program: one suite of tests with a time limit, and its exit status. */
#ifndef TEST_SUITE_H
#define TEST_SUITE_H

#include <check.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* The case that tests are added to. The limit, after which a test hangs, is by the clock, and others are at work. */
static inline TCase *suite_begin(Suite **s, const char *name)
{
	TCase *t = tcase_create(name);
	*s = suite_create(name);
	tcase_set_timeout(t, getenv("TEST_LONG") ? 7200 : 300);
	suite_add_tcase(*s, t);
	return t;
}

static inline int suite_run_as(Suite *s, enum fork_status fork)
{
	SRunner *r = srunner_create(s);
	if (fork == CK_NOFORK)
		srunner_set_fork_status(r, fork);
	srunner_run_all(r, CK_ENV);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

static inline int suite_end(Suite *s)
{
	return suite_run_as(s, CK_FORK);
}

/* In this process, for tests that count. */
static inline int suite_end_counting(Suite *s)
{
	return suite_run_as(s, CK_NOFORK);
}

static inline bool suite_is_long(void)
{
	return getenv("TEST_LONG") != NULL;
}

/* How many cases are tried: all with TEST_LONG, `whole` with TEST_WHOLE, by which planted errors are to be found and which
 * .ci/run sets, else a sample of these. */
static inline int suite_count(int all, int whole, int sample)
{
	return getenv("TEST_LONG") ? all : getenv("TEST_WHOLE") ? whole : sample;
}

/* How many of so many cases are tried under valgrind (TEST_VALGRIND set), where each takes some fifty times as long;
 * else all. */
static inline int suite_slowly(int cases)
{
	enum { SLOWER = 50 };
	return getenv("TEST_VALGRIND") ? (cases + SLOWER - 1) / SLOWER : cases;
}

/* One of so many of alike cases, numbered by what they are made of; all with TEST_WHOLE and TEST_LONG. */
static inline bool suite_takes(int number, int every)
{
	return number % suite_count(1, 1, every) == 0;
}

/* Seeds of random tests: the first and how many, as the command line `[FIRST [NUMBER]]` says. */
struct seeds {
	uint64_t first;
	int n;
};

static inline void seeds_read(struct seeds *s, int argc, char **argv)
{
	if (argc > 1)
		s->first = strtoull(argv[1], NULL, 10);
	if (argc > 2)
		s->n = atoi(argv[2]);
}

#endif
