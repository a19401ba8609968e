/* test.c — the tests of a program, one after the other. A check that fails ends its test: host code is alike on all
 * ranks, so all leave it at the same point, where no transfer is under way, and go on with the next. What a rank finds
 * out alone (a file that is missing, a damaged row) ends the job; whoever started it can go on behind that test, whose
 * number it knows from the lines that ended those before, by PMLRT_FIRST_TEST. */
#include "rt.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

struct rt_test_run {
	jmp_buf escape;
};

/* What the test began and did not end. */
static void leave(struct pmlrt *rt)
{
	while (rt->loops)
		pmlrt_batches_end(rt, rt->loops);
	pmlrt_stopping_over(rt);
	rt->line_length = rt->record_length = 0;
	rt->line_items = 0;
	rt->line_is_inside = false;
}

static bool run_one(struct pmlrt *rt, int32_t number)
{
	struct rt_test_run run;
	rt->test = &run;
	rt->test_number = number;
	bool failed = setjmp(run.escape) != 0;
	if (!failed)
		rt->program->tests[number].run(rt);
	else
		leave(rt);
	rt->test = NULL;
	if (rt->rank == 0)
		printf("%s %d - %s\n", failed ? "not ok" : "ok", number + 1, rt->program->tests[number].title);
	fflush(stdout);
	return !failed;
}

bool rt_tests_run(struct pmlrt *rt, void (*fresh)(struct pmlrt *rt))
{
	const char *begin = getenv("PMLRT_FIRST_TEST");
	bool ok = true;
	for (int32_t i = begin ? atoi(begin) : 0; i < rt->program->ntests; i++) {
		if (i > 0)
			fresh(rt);
		ok = run_one(rt, i) && ok;
	}
	return ok;
}

_Noreturn void rt_test_fail(struct pmlrt *rt, int32_t site, const char *fmt, ...)
{
	char text[3072];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	if (!rt->test)
		rt_fail(rt, site, "%s", text);
	if (rt->rank == 0)
		rt_say(rt, site, text);
	longjmp(rt->test->escape, 1);
}
