/* main.c — pmlc: one function per command. */
#define _POSIX_C_SOURCE 200809L
#include "commands.h"
#include "finder.h"
#include "launch.h"
#include "machine_file.h"
#include "user_cache.h"

#include "../runtime/streams.h"

#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static int no_such_print(const char *what)
{
	fprintf(stderr, "pmlc: --print=%s: expected grammar, ops, layout-rules[=OP], stdlib-path, codes, man\n", what);
	return EXIT_USAGE;
}

/* The prelude's operators need a program around them: an empty one. */
static struct program_ast *load_prelude(struct session *s)
{
	return lang_load_text(s, "<empty>", "", 0);
}

static int print_codes(void)
{
	for (int c = 0; c < DIAG_COUNT; c++)
		printf("%s  %s\n", diag_code_name((enum diag_code)c), diag_title((enum diag_code)c));
	return EXIT_OK;
}

static int print_what(struct session *s, const struct cli *cli)
{
	struct text t;
	text_init(&t, s->arena);
	const char *rules = "layout-rules";
	if (!strcmp(cli->print, "clear-cache"))
		return user_cache_clear(s->arena);
	if (!strcmp(cli->print, "version")) {
		struct text b;
		text_init(&b, s->arena);
		backend_describe(&b, s);
		text_printf(&t, "pmlc %s (%s)\n", PACKAGE_VERSION, text_get(&b));
	} else if (!strcmp(cli->print, "grammar")) {
		text_add(&t, lang_grammar());
	} else if (!strcmp(cli->print, "stdlib-path")) {
		text_printf(&t, "%s\n", paths_find(s->arena).stdlib);
	} else if (!strcmp(cli->print, "man")) {
		cli_man(s->arena, stdout, PACKAGE_VERSION);
	} else if (!strcmp(cli->print, "codes")) {
		return print_codes();
	} else if (!strcmp(cli->print, "ops")) {
		compiler_print_ops(load_prelude(s), &t);
	} else if (!strncmp(cli->print, rules, strlen(rules))) {
		const char *rest = cli->print + strlen(rules);
		if (*rest && *rest != '=')
			return no_such_print(cli->print);
		compiler_print_layout_rules(load_prelude(s), *rest ? rest + 1 : NULL, &t);
	} else {
		return no_such_print(cli->print);
	}
	fputs(text_get(&t), stdout);
	diag_flush(s, stderr);
	return s->errors ? EXIT_ERRORS : EXIT_OK;
}

/* PML0307 as it is printed, or less of it: pml0307, 307. */
static enum diag_code code_asked(struct session *s, const char *text)
{
	char *end;
	const char *number = strncasecmp(text, "PML", 3) ? text : text + 3;
	long n = strtol(number, &end, 10);
	return end == number || *end ? DIAG_COUNT : diag_code_of(arena_printf(s->arena, "PML%04ld", n));
}

static int command_explain(struct session *s, const struct cli *cli)
{
	enum diag_code code = code_asked(s, cli->file);
	if (code == DIAG_COUNT) {
		fprintf(stderr, "pmlc: there is no message `%s`; `pmlc --print=codes` lists them\n", cli->file);
		return EXIT_USAGE;
	}
	printf("%s: %s\n\n%s\n", diag_code_name(code), diag_title(code), diag_explanation(code));
	return EXIT_OK;
}

static int command_help(struct session *s, const struct cli *cli)
{
	cli_help(s->arena, stdout, cli->about);
	return EXIT_OK;
}

/* An object is not written over the executable of the same source. */
static const char *output_of(struct session *s, const struct cli *cli)
{
	const char *stem = drive_stem(s->arena, cli->file);
	if (cli->output)
		return cli->output;
	return cli->emit == STAGE_OBJ ? arena_printf(s->arena, "%s.o", stem) : stem;
}

static int command_compile(struct session *s, const struct cli *cli)
{
	struct drive *d = drive_new(s, cli);
	bool emits = cli->emit != STAGE_NONE && cli->emit != STAGE_OBJ && !(cli->emit == STAGE_ASM && cli->output);
	bool prints = s->options.print_after != NULL;
	int resolved = cli->machine ? finder_resolve(s, cli) : EXIT_OK;
	if (resolved != EXIT_OK)
		return resolved;
	enum stage up_to = cli->emit == STAGE_TOKENS           ? STAGE_AST
			   : prints && cli->emit == STAGE_NONE ? STAGE_LAYOUT
							       : cli->emit;
	struct text printed;
	text_init(&printed, s->arena);
	s->options.printed = &printed;
	bool good = drive_front(d, ELABORATE_MAIN, up_to);
	fputs(text_get(&printed), stdout);
	if (!good)
		return drive_finish(d);
	if (emits)
		drive_emit(d);
	else if (!prints || cli->emit != STAGE_NONE)
		drive_compile(d, output_of(s, cli));
	return drive_finish(d);
}

/* Whether -n says what the placements say. */
static bool has_ranks(const struct cli *cli, int64_t ranks)
{
	if (!cli->nranks || cli->nranks == ranks)
		return true;
	fprintf(stderr,
		"pmlc: -n %d: the placements of `%s` have %" PRId64 " rank%s\n"
		"      --ranks=N compiles it for fewer, with its placements folded; -D changes their consts\n",
		(int)cli->nranks, cli->file, ranks, ranks == 1 ? "" : "s");
	return false;
}

/* Whether there is something to run; else what there is. */
static bool has_main(const struct drive *d)
{
	const struct module *m = d->ast->main;
	int tests = 0;
	for (int i = 0; i < m->items.n; i++) {
		if (m->items.at[i]->kind == ITEM_MAIN)
			return true;
		tests += m->items.at[i]->kind == ITEM_TEST;
	}
	const char *file = d->cli->file;
	fprintf(stderr, "pmlc: `%s` has no `main`, which is what runs", file);
	if (tests)
		fprintf(stderr, "; it has %d test%s: pmlc test %s", tests, tests == 1 ? "" : "s", file);
	fprintf(stderr, "\n");
	return false;
}

static int command_run(struct session *s, const struct cli *cli)
{
	int resolved = cli->machine ? finder_resolve(s, cli) : EXIT_OK;
	if (resolved != EXIT_OK)
		return resolved;
	struct drive *d = drive_new(s, cli);
	s->options.fold_ranks = cli->nranks_list ? cli->ranks[0] : 0;
	const char *path = launch_path(d, "run");
	if (!path)
		return EXIT_ERRORS;
	bool good = drive_front(d, ELABORATE_MAIN, STAGE_NONE) && has_main(d) && has_ranks(cli, d->program->nranks) &&
		    drive_compile(d, path);
	int status = drive_finish(d);
	if (good)
		status = launch(d, path, d->program->nranks, NULL, NULL);
	else if (status == EXIT_OK)
		status = EXIT_USAGE;
	launch_remove(path, s->arena);
	return status;
}

static int dispatch(struct session *s, const struct cli *cli)
{
	if (cli->print)
		return print_what(s, cli);
	if (!machine_of_cli(s, cli))
		return cli->machine ? EXIT_ERRORS : EXIT_USAGE;
	switch (cli->command) {
	case COMMAND_compile:
		return command_compile(s, cli);
	case COMMAND_check:
		return command_check(s, cli);
	case COMMAND_run:
		return command_run(s, cli);
	case COMMAND_test:
		return command_test(s, cli);
	case COMMAND_plan:
		return command_plan(s, cli);
	case COMMAND_search:
		return command_search(s, cli);
	case COMMAND_simulate:
		return command_simulate(s, cli);
	case COMMAND_calibrate:
		return command_calibrate(s, cli);
	case COMMAND_solve:
		return command_solve(s, cli);
	case COMMAND_explain:
		return command_explain(s, cli);
	case COMMAND_help:
		return command_help(s, cli);
	case COMMAND_COUNT:
		break;
	}
	return EXIT_USAGE;
}

/* Whether everything printed has arrived. Why an earlier write failed is not known any more. */
static bool close_output(void)
{
	bool failed = ferror(stdout);
	int why = fclose(stdout) != 0 ? errno : 0;
	if (!failed && !why)
		return true;
	fprintf(stderr, "pmlc: standard output cannot be written%s%s\n", why ? ": " : "", why ? strerror(why) : "");
	return false;
}

int main(int argc, char **argv)
{
	streams_keep();
	signal(SIGXFSZ, SIG_IGN); /* a file that grows too large is an error of writing */
	struct session *s = session_new();
	s->options.opt_level = 2;
	s->options.max_errors = 50;
	struct cli cli;
	int status = cli_parse(s, &cli, argc, argv);
	if (status == EXIT_OK) {
		if (cli.command != COMMAND_test && cli.nranks_list)
			s->options.fold_ranks = cli.ranks[0];
		status = dispatch(s, &cli);
	}
	session_free(s);
	return close_output() || status ? status : EXIT_ERRORS;
}
