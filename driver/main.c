/* main.c — pmlc: one function per command. */
#define _POSIX_C_SOURCE 200809L
#include "commands.h"
#include "process.h"

#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
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
		cli_man(stdout, PACKAGE_VERSION);
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

static int command_explain(struct session *s, const struct cli *cli)
{
	(void)s;
	enum diag_code code = diag_code_of(cli->file);
	if (code == DIAG_COUNT) {
		fprintf(stderr, "pmlc: there is no message `%s`; `pmlc --print=codes` lists them\n", cli->file);
		return EXIT_USAGE;
	}
	printf("%s: %s\n\n%s\n", diag_code_name(code), diag_title(code), diag_explanation(code));
	return EXIT_OK;
}

static int command_help(struct session *s, const struct cli *cli)
{
	(void)s;
	(void)cli;
	cli_help(stdout);
	return EXIT_OK;
}

static int command_compile(struct session *s, const struct cli *cli)
{
	struct drive *d = drive_new(s, cli);
	bool emits = cli->emit != STAGE_NONE && cli->emit != STAGE_OBJ && !(cli->emit == STAGE_ASM && cli->output);
	enum stage up_to = cli->emit == STAGE_TOKENS ? STAGE_AST : cli->emit;
	if (!drive_front(d, ELABORATE_MAIN, up_to))
		return drive_finish(d);
	if (emits)
		drive_emit(d);
	else
		drive_compile(d, cli->output ? cli->output : drive_stem(s->arena, cli->file));
	return drive_finish(d);
}

/* Starts a compiled program on n ranks. output NULL: its output is the user's, header and all; else collected. */
static int start(const struct drive *d, const char *program, int64_t n, struct text *output)
{
	struct arena *a = d->session->arena;
	VEC(char *) argv = {0};
	vec_push(a, &argv, arena_strdup(a, PML_MPIEXEC));
	vec_push(a, &argv, arena_strdup(a, "-n"));
	vec_push(a, &argv, arena_printf(a, "%" PRId64, n));
	vec_push(a, &argv, arena_strdup(a, program));
	if (output)
		vec_push(a, &argv, arena_strdup(a, "--quiet"));
	for (int i = 0; i < d->cli->narguments; i++)
		vec_push(a, &argv, d->cli->arguments[i]);
	vec_push(a, &argv, NULL);
	if (d->cli->verbose) {
		for (int i = 0; argv.at[i]; i++)
			fprintf(stderr, "%s%c", argv.at[i], argv.at[i + 1] ? ' ' : '\n');
	}
	fflush(stdout);
	int status = process_run(argv.at, output);
	if (status == 127)
		fprintf(stderr, "pmlc: cannot start %s: is MPI installed?\n", PML_MPIEXEC);
	return status;
}

/* Where a compiled program of this source and tag goes: a folder of its own per process, so that two runs never meet. */
static const char *cache_path(struct drive *d, const char *tag)
{
	const char *folder = process_cache_folder(d->session->arena);
	if (!folder) {
		fprintf(stderr, "pmlc: no folder for compiled programs can be made: set XDG_CACHE_HOME\n");
		return NULL;
	}
	return arena_printf(d->session->arena, "%s/%s.%s.%ld", folder, drive_stem(d->session->arena, d->cli->file), tag,
	                    (long)getpid());
}

/* Removes the executable and what stands beside it: the roles' executables and the launch file. */
static void remove_program(struct drive *d, const char *path)
{
	for (int r = 0; r < d->program->roles.n; r++)
		unlink(arena_printf(d->session->arena, "%s.%s", path, d->program->roles.at[r]->name));
	unlink(arena_printf(d->session->arena, "%s.mpi", path));
	unlink(path);
}

static int command_run(struct session *s, const struct cli *cli)
{
	struct drive *d = drive_new(s, cli);
	s->options.fold_ranks = cli->nranks_list ? cli->ranks[0] : 0;
	const char *path = cache_path(d, "run");
	if (!path)
		return EXIT_ERRORS;
	if (!drive_front(d, ELABORATE_MAIN, STAGE_NONE) || !drive_compile(d, path))
		return drive_finish(d);
	drive_finish(d);
	int status = start(d, path, cli->nranks ? cli->nranks : d->program->nranks, NULL);
	remove_program(d, path);
	return status;
}

/* Compiles and runs the tests folded to `ranks`; status of the run, the tests' output in out. */
static int test_on(const struct cli *cli, int argc, char **argv, int ranks, char **out, int64_t *used)
{
	struct session *s = session_new();
	struct cli own;
	cli_parse(s, &own, argc, argv);
	s->options.fold_ranks = ranks;
	struct drive *d = drive_new(s, cli);
	int status = EXIT_ERRORS;
	const char *path = cache_path(d, arena_printf(s->arena, "test%d", ranks));
	if (path && drive_front(d, ELABORATE_TESTS, STAGE_NONE) && d->program->tests.n == 0) {
		fprintf(stderr, "pmlc: %s has no tests\n", cli->file);
	} else if (path && s->errors == 0 && drive_compile(d, path)) {
		struct text text;
		text_init(&text, s->arena);
		*used = d->program->nranks;
		status = start(d, path, d->program->nranks, &text);
		*out = strdup(text_get(&text));
		remove_program(d, path);
	}
	diag_flush(s, stderr);
	session_free(s);
	return status;
}

static int command_test(const struct cli *cli, int argc, char **argv)
{
	static const int usual[] = {1, 2, 4};
	const int *ranks = cli->nranks_list ? cli->ranks : usual;
	int n = cli->nranks_list ? cli->nranks_list : 3, failed = 0;
	char *first = NULL;
	for (int i = 0; i < n; i++) {
		char *out = NULL;
		int64_t used = ranks[i];
		int status = test_on(cli, argc, argv, ranks[i], &out, &used);
		if (!out) {
			free(first);
			return status;
		}
		bool differs = first && strcmp(first, out);
		if (!first || differs || status)
			fputs(out, stdout);
		printf("%" PRId64 " rank%s: %s\n", used, used == 1 ? "" : "s",
		       status    ? "failed"
		       : differs ? "the output differs from the first run's"
		                 : "ok");
		failed += status != 0 || differs;
		if (!first)
			first = out;
		else
			free(out);
	}
	free(first);
	return failed ? EXIT_ERRORS : EXIT_OK;
}

static int dispatch(struct session *s, const struct cli *cli, int argc, char **argv)
{
	if (cli->print)
		return print_what(s, cli);
	switch (cli->command) {
	case COMMAND_compile: return command_compile(s, cli);
	case COMMAND_check: return command_check(s, cli);
	case COMMAND_run: return command_run(s, cli);
	case COMMAND_test: return command_test(cli, argc, argv);
	case COMMAND_plan: return command_plan(s, cli);
	case COMMAND_explain: return command_explain(s, cli);
	case COMMAND_help: return command_help(s, cli);
	case COMMAND_COUNT: break;
	}
	return EXIT_USAGE;
}

int main(int argc, char **argv)
{
	struct session *s = session_new();
	s->options.opt_level = 2;
	s->options.max_errors = 50;
	struct cli cli;
	int status = cli_parse(s, &cli, argc, argv);
	if (status == EXIT_OK) {
		if (cli.command != COMMAND_test && cli.nranks_list)
			s->options.fold_ranks = cli.ranks[0];
		status = dispatch(s, &cli, argc, argv);
	}
	session_free(s);
	return status;
}
