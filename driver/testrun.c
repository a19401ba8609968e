/* testrun.c — see testrun.h. */
#define _POSIX_C_SOURCE 200809L
#include "testrun.h"

#include "base/process.h"
#include "compare.h"
#include "launch.h"

#include <stdlib.h>
#include <string.h>

/* The runtime begins with this test, counted from 0. */
static void begin_with(struct arena *a, int number)
{
	if (number)
		setenv("PMLRT_FIRST_TEST", arena_printf(a, "%d", number), 1);
	else
		unsetenv("PMLRT_FIRST_TEST");
}

/* A failed test that said so itself has the status of errors; else that is said here. */
static void end_test(const struct drive *d, struct text *output, int number, int status)
{
	const char *title = d->program->tests.at[number].title;
	if (status != EXIT_ERRORS)
		fprintf(stderr, "pmlc: test \"%s\" ended the program with status %d\n", title, status);
	const char *before = text_get(output);
	size_t n = strlen(before);
	text_printf(output, "%snot ok %d - %s\n", n && before[n - 1] != '\n' ? "\n" : "", number + 1, title);
}

struct test_run testrun(const struct drive *d, const char *program, int64_t ranks, bool keeps_messages)
{
	struct arena *a = d->session->arena;
	struct test_run r = {.messages = keeps_messages ? tmpfile() : NULL};
	struct text output, numbers;
	text_init(&output, a);
	int all = d->program->tests.n, ended;
	do {
		text_init(&numbers, a);
		ended = compare_count_tests(text_get(&output), &numbers);
		begin_with(a, ended);
		int status = launch(d, program, ranks, &output, r.messages);
		r.status = r.status ? r.status : status;
		text_init(&numbers, a);
		ended = compare_count_tests(text_get(&output), &numbers);
		/* Not to be started, or not understood: the tests are not to blame. */
		if (!status || status == PROCESS_NOT_STARTED || status == EXIT_USAGE)
			break;
		if (ended < all)
			end_test(d, &output, ended++, status);
	} while (ended < all);
	begin_with(a, 0);
	text_init(&numbers, a);
	r.tests = compare_count_tests(text_get(&output), &numbers);
	r.numbers = text_get(&numbers);
	for (const char *p = r.numbers; *p; p++)
		r.failed += *p == ' ';
	r.output = text_get(&output);
	return r;
}

void testrun_tell(struct test_run *r)
{
	if (!r->messages)
		return;
	rewind(r->messages);
	for (int c = getc(r->messages); c != EOF; c = getc(r->messages))
		putc(c, stderr);
}
