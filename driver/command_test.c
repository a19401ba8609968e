/* command_test.c — `pmlc test`: the tests of a program on several numbers of ranks, and with --vary-layouts in other
 * layouts. What they print must agree with the first run. */
#define _POSIX_C_SOURCE 200809L
#include "commands.h"

#include "compare.h"
#include "launch.h"
#include "testrun.h"
#include "variants.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct run {
	bool compiled, has_tests, is_folded;
	enum diag_code code; /* of the first error, if it does not compile */
	const char *others;  /* tests that --only leaves out, a line each; NULL: none */
	int nothers;
	int64_t ranks;
	struct test_run result; /* output NULL: it was not run */
};

struct tester {
	struct session *session;
	const struct cli *cli;
	struct arena *arena;
	int runs, failed;
	struct run first;
	const char *first_name;
};

static void list_others(struct tester *t, const struct program *p, struct run *r)
{
	enum { MOST = 20 };
	struct text text;
	text_init(&text, t->arena);
	r->nothers = p->other_tests.n;
	for (int i = 0; i < r->nothers && i < MOST; i++)
		text_printf(&text, "  \"%s\"\n", p->other_tests.at[i]);
	if (r->nothers > MOST)
		text_printf(&text, "  and %d more\n", r->nothers - MOST);
	r->others = r->nothers ? text_get(&text) : NULL;
}

static bool compile(struct tester *t, struct drive *d, struct run *r)
{
	bool legal = drive_front(d, ELABORATE_TESTS, STAGE_NONE);
	if (d->program) {
		r->ranks = d->program->nranks;
		r->is_folded = r->ranks < d->program->source_ranks;
	}
	if (!legal)
		return false;
	r->has_tests = d->program->tests.n > 0;
	list_others(t, d->program, r);
	return r->has_tests;
}

/* Compiles and runs the tests in a session of their own. known: rank counts that need no run any more, -1 at the end.
 */
static struct run run_tests(struct tester *t, struct session *own, bool silent, const int64_t *known)
{
	struct run r = {.has_tests = true, .result = {.status = EXIT_ERRORS}};
	struct drive *d = drive_new(own, t->cli);
	const char *path = launch_path(d, arena_printf(own->arena, "test%d", t->runs++));
	bool again = false;
	if (path && compile(t, d, &r)) {
		for (const int64_t *k = known; k && *k >= 0; k++)
			again = again || *k == r.ranks;
		if (!again && drive_compile(d, path)) {
			r.compiled = true;
			r.result = testrun(d, path, r.ranks, t->first.result.output != NULL);
			r.result.output = arena_strdup(t->arena, r.result.output);
			r.result.numbers = arena_strdup(t->arena, r.result.numbers);
		}
	}
	if (path)
		launch_remove(path, own->arena);
	if (own->diags.n)
		r.code = own->diags.at[0]->code;
	if (!silent)
		diag_flush(own, stderr);
	return r;
}

static const char *ranks_text(struct arena *a, int64_t n)
{
	return arena_printf(a, "%" PRId64 " rank%s", n, n == 1 ? "" : "s");
}

/* "2 of 5 tests failed, as on 1 rank" */
static const char *failure_text(struct tester *t, const struct test_run *r, bool as_first)
{
	if (!r->failed)
		return arena_printf(t->arena, "failed with status %d", r->status);
	return arena_printf(t->arena, "%d of %d test%s failed%s%s", r->failed, r->tests, r->tests == 1 ? "" : "s",
			    as_first ? ", as on " : "", as_first ? t->first_name : "");
}

/* What a run shows; the output only where it is the first or something is wrong that was not so in the first. */
static void judge(struct tester *t, struct run *run, const char *name)
{
	struct test_run *r = &run->result;
	struct text why, plain;
	text_init(&why, t->arena);
	text_init(&plain, t->arena);
	bool first = !t->first.result.output;
	bool as_first = !first && r->failed && !strcmp(r->numbers, t->first.result.numbers);
	bool same = first || r->status ||
		    compare_outputs(t->first.result.output, r->output, t->session->options.reproducible, &why);
	compare_without_titles(r->output, &plain);
	if (!as_first)
		testrun_tell(r);
	if (first || (r->status && !as_first))
		fputs(text_get(&plain), stdout);
	printf("%s: %s\n", name,
	       r->status ? failure_text(t, r, as_first)
	       : same    ? "ok"
			 : arena_printf(t->arena, "differs from %s", t->first_name));
	if (!same)
		printf("  %s\n", text_get(&why));
	fflush(stdout);
	t->failed += r->status != 0 || !same;
	if (r->messages)
		fclose(r->messages);
	if (first) {
		t->first = *run;
		t->first_name = name;
	}
}

/* Why there is nothing to run. */
static void tell_no_tests(struct tester *t, const struct run *r)
{
	const char *only = t->session->options.only_tests;
	if (!r->others)
		fprintf(stderr, "pmlc: %s has no tests\n", t->cli->file);
	else
		fprintf(stderr, "pmlc: no test of %s has `%s` in its title; there %s\n%s", t->cli->file, only,
			r->nothers == 1 ? "is" : "are", r->others);
}

/* ---- numbers of ranks ---- */

static bool is_legal_as_it_stands(struct tester *t)
{
	struct session *own = drive_session(t->session);
	bool legal = drive_front(drive_new(own, t->cli), ELABORATE_TESTS, STAGE_LAYOUT) && !own->errors;
	session_free(own);
	return legal;
}

/* After a run: whether it is to be judged. *go_on is false after what ends the command; a program that is right on its
 * own ranks but not on fewer is passed over. */
static bool ran(struct tester *t, struct session *own, const struct run *r, bool *go_on)
{
	*go_on = true;
	if (own->errors && r->is_folded && is_legal_as_it_stands(t)) {
		printf("%s: not legal folded onto so few (%s), passed over\n", ranks_text(t->arena, r->ranks),
		       diag_code_name(r->code));
		return false;
	}
	diag_flush(own, stderr);
	if (!r->has_tests)
		tell_no_tests(t, r);
	*go_on = r->has_tests && !own->errors;
	return *go_on && r->result.output; /* none: as many ranks as before, the program has no more */
}

static int on_ranks(struct tester *t)
{
	static const int usual[] = {1, 2, 4};
	enum { MOST = 32 };
	const int *ranks = t->cli->nranks_list ? t->cli->ranks : usual;
	int n = t->cli->nranks_list ? t->cli->nranks_list : 3;
	int64_t known[MOST + 1] = {-1};
	bool go_on = true;
	for (int i = 0, seen = 0; i < n && go_on; i++) {
		struct session *own = drive_session(t->session);
		own->options.fold_ranks = ranks[i];
		struct run r = run_tests(t, own, true, known);
		bool judged = ran(t, own, &r, &go_on);
		session_free(own);
		if (go_on && t->cli->nranks_list)
			drive_note_ranks(t->cli->file, ranks[i], r.ranks);
		if (!judged)
			continue;
		if (seen < MOST) {
			known[seen++] = r.ranks;
			known[seen] = -1;
		}
		judge(t, &r, ranks_text(t->arena, r.ranks));
	}
	if (go_on && !t->first.result.output)
		fprintf(stderr, "pmlc: %s is not legal on any of these numbers of ranks\n", t->cli->file);
	return go_on && t->first.result.output && !t->failed ? EXIT_OK : EXIT_ERRORS;
}

/* ---- variants ---- */

/* The run that others are compared with: the program as it stands. */
static bool run_base(struct tester *t)
{
	struct session *own = drive_session(t->session);
	struct run r = run_tests(t, own, false, NULL);
	session_free(own);
	if (!r.has_tests)
		tell_no_tests(t, &r);
	if (!r.result.output)
		return false;
	judge(t, &r, arena_printf(t->arena, "as it stands, %s", ranks_text(t->arena, r.ranks)));
	return !r.result.status;
}

/* 1: it ran; 0: it is not legal; -1 after a message. */
static int try_variant(struct tester *t, const char *text, bool alone)
{
	struct session *own = drive_session(t->session);
	int result = -1;
	if (variant_apply(own, text)) {
		struct run r = run_tests(t, own, !alone, NULL);
		if (!alone || own->errors || variant_was_used(own, text))
			result = r.result.output != NULL;
		if (r.result.output && result > 0)
			judge(t, &r, text);
		else if (result == 0)
			printf("%s: not legal here (%s)\n", text, r.code < DIAG_COUNT ? diag_code_name(r.code) : "");
	}
	session_free(own);
	return result;
}

static int vary(struct tester *t)
{
	struct session *own = drive_session(t->session);
	struct drive *d = drive_new(own, t->cli);
	bool ok = run_base(t) && drive_front(d, ELABORATE_TESTS, STAGE_LAYOUT);
	int tried = 0, legal = 0, before = t->failed;
	if (ok) {
		/* Those that are not legal cost no run: as many as are wanted are looked for among all. */
		struct variants v = variants_of(t->arena, d, INT32_MAX);
		for (int i = 0; i < v.at.n && legal < t->cli->vary; i++, tried++) {
			int failed = t->failed;
			legal += try_variant(t, v.at.at[i], false) > 0;
			if (t->failed > failed)
				printf("  alone: pmlc test --variant='%s' %s\n", v.at.at[i], t->cli->file);
		}
		printf("%d of %d variants tried, %d of them legal, %d disagree\n", tried, v.found, legal,
		       t->failed - before);
	}
	session_free(own);
	return ok && !t->failed ? EXIT_OK : EXIT_ERRORS;
}

static int one_variant(struct tester *t)
{
	if (!run_base(t) || try_variant(t, t->cli->variant, true) <= 0)
		return EXIT_ERRORS;
	return t->failed ? EXIT_ERRORS : EXIT_OK;
}

int command_test(struct session *s, const struct cli *cli)
{
	struct tester t = {.session = s, .cli = cli, .arena = s->arena};
	return cli->variant ? one_variant(&t) : cli->vary ? vary(&t) : on_ranks(&t);
}
