/* cli.c — reads the command line against the tables of commands and options. */
#include "cli.h"

#include "base/diag.h"

#include <stdlib.h>
#include <string.h>

enum option_id {
#define OPTION(id, letter, name, argument, help) OPT_##id,
#include "options.def"
#undef OPTION
	OPT_COUNT
};

static const struct option_row {
	const char *name, *argument, *help;
	char letter;
} options[] = {
#define OPTION(id, letter, name, argument, help) [OPT_##id] = {name, argument, help, letter},
#include "options.def"
#undef OPTION
};

static const struct command_row {
	const char *name, *arguments, *summary;
} commands[] = {
#define COMMAND(name, arguments, summary) [COMMAND_##name] = {#name, arguments, summary},
#include "command.def"
#undef COMMAND
};

static const char *const stage_names[] = {
#define STAGE(id, name) [STAGE_##id] = name,
#include "stage.def"
#undef STAGE
};
static const char *const format_names[] = {[DIAG_FULL] = "full", [DIAG_SHORT] = "short", [DIAG_JSON] = "json"};
static const char *const loop_names[] = {"kept", "unrolled"};
static const char *const when_names[] = {[WHEN_AUTO] = "auto", [WHEN_ALWAYS] = "always", [WHEN_NEVER] = "never"};

/* Whether an option needs an argument, which may be the next word. */
static bool takes_word(int option)
{
	return options[option].argument && options[option].argument[0] != '[';
}

/* The names that --emit or --print-after takes: count of them, and each. */
static int names_for(int option, const char *const **out)
{
	static const char *const passes[] = {
#define PASS(name, stage, description) #name,
#include "compiler/simplify/passes.def"
#undef PASS
	};
	*out = option == OPT_EMIT ? stage_names : passes;
	return option == OPT_EMIT          ? (int)(sizeof stage_names / sizeof *stage_names)
	       : option == OPT_PRINT_AFTER ? (int)(sizeof passes / sizeof *passes)
					   : 0;
}

/* What --help and the man page say of an option. */
static const char *help_of(struct arena *a, int option)
{
	const char *const *names;
	int n = names_for(option, &names);
	struct text t;
	text_init(&t, a);
	text_printf(&t, "%s%s", options[option].help, n ? ":" : "");
	for (int i = 0; i < n; i++)
		if (names[i])
			text_printf(&t, " %s", names[i]);
	return text_get(&t);
}

void cli_help(struct arena *a, FILE *out)
{
	fprintf(out, "usage: pmlc FILE.pml [-o OUT]\n       pmlc COMMAND [OPTION...] ...\n\ncommands:\n");
	for (int i = 0; i < COMMAND_COUNT; i++)
		fprintf(out, "  %-9s %-32s %s\n", commands[i].name, commands[i].arguments, commands[i].summary);
	fprintf(out, "\noptions:\n");
	for (int i = 0; i < OPT_COUNT; i++) {
		char form[64];
		snprintf(form, sizeof form, "--%s%s%s", options[i].name, takes_word(i) ? "=" : "",
			 options[i].argument ? options[i].argument : "");
		fprintf(out, "  %c%c%c %-30s %s\n", options[i].letter ? '-' : ' ',
			options[i].letter ? options[i].letter : ' ', options[i].letter ? ',' : ' ', form,
			help_of(a, i));
	}
	fprintf(out, "\nexit status: 0 success, 1 errors in the program, 2 wrong usage, 70 a bug of pmlc; of solve also: 3 there is no\n"
		     "solution, 4 none was found in time\n");
}

/* roff text: a hyphen of an option must not be broken. */
static void man_text(FILE *out, const char *s)
{
	for (; *s; s++)
		fprintf(out, *s == '-' || *s == '\\' ? "\\%c" : "%c", *s);
}

void cli_man(struct arena *a, FILE *out, const char *version)
{
	fprintf(out, ".TH PMLC 1 \"\" \"pml %s\" \"User Commands\"\n.SH NAME\npmlc \\- compiler for parallel models\n",
		version);
	fprintf(out, ".SH SYNOPSIS\n.B pmlc\n[\\fICOMMAND\\fR] [\\fIOPTION\\fR]... \\fIFILE.pml\\fR\n.SH DESCRIPTION\n"
		     "Compiles programs whose tensor types say where a tensor lives and how it is laid out over the "
		     "ranks of an\n"
		     "MPI job, and writes native executables for \\fBmpiexec\\fR(1).\n.SH COMMANDS\n");
	for (int i = 0; i < COMMAND_COUNT; i++) {
		fprintf(out, ".TP\n\\fB%s\\fR ", commands[i].name);
		man_text(out, commands[i].arguments);
		fprintf(out, "\n");
		man_text(out, commands[i].summary);
		fprintf(out, "\n");
	}
	fprintf(out, ".SH OPTIONS\n");
	for (int i = 0; i < OPT_COUNT; i++) {
		fprintf(out, ".TP\n");
		if (options[i].letter)
			fprintf(out, "\\fB\\-%c\\fR, ", options[i].letter);
		fprintf(out, "\\fB\\-\\-");
		man_text(out, options[i].name);
		fprintf(out, "\\fR");
		if (options[i].argument)
			fprintf(out, "%s\\fI%s\\fR", takes_word(i) ? "=" : "", options[i].argument);
		fprintf(out, "\n");
		man_text(out, help_of(a, i));
		fprintf(out, "\n");
	}
	fprintf(out,
		".SH EXIT STATUS\n0 success, 1 errors in the program, 2 wrong usage, 70 a bug of pmlc; of \\fBsolve\\fR also:\n"
		"3 there is no solution, 4 none was found in time.\n"
		".SH ENVIRONMENT\n.TP\n\\fBNO_COLOR\\fR\nno colour in messages\n.TP\n\\fBXDG_CACHE_HOME\\fR\n"
		"where \\fBrun\\fR and \\fBtest\\fR keep programs while they run\n.SH SEE ALSO\n\\fBmpiexec\\fR(1)\n");
}

static int usage(const char *what, const char *word, const char *nearest)
{
	fprintf(stderr, "pmlc: %s `%s`", what, word);
	if (nearest)
		fprintf(stderr, ", did you mean `%s`?", nearest);
	fprintf(stderr, "\n      `pmlc --help` lists commands and options\n");
	return EXIT_USAGE;
}

static int unknown_operand(const char *word)
{
	const char *names[COMMAND_COUNT];
	for (int i = 0; i < COMMAND_COUNT; i++)
		names[i] = commands[i].name;
	return usage("neither a command nor a .pml file:", word, diag_nearest(word, names, COMMAND_COUNT));
}

static bool is_source(const char *word)
{
	size_t n = strlen(word);
	return n >= 4 && !strcmp(word + n - 4, ".pml");
}

/* A second word that is no option: the first was meant as a command, or this is an argument of the program. */
static int one_too_many(const struct cli *cli, bool has_command, const char *word)
{
	if (!has_command && !is_source(cli->file))
		return unknown_operand(cli->file);
	usage("one operand is enough, what is", word, NULL);
	if (cli->command == COMMAND_run)
		fprintf(stderr, "      arguments of the program stand behind `--`: pmlc run %s -- %s\n", cli->file,
			word);
	return EXIT_USAGE;
}

/* Index of word among names (NULL entries allowed), or -1 after a message. */
static int one_of(const char *option, const char *word, const char *const *names, int n)
{
	for (int i = 0; i < n; i++)
		if (names[i] && !strcmp(names[i], word))
			return i;
	fprintf(stderr, "pmlc: --%s=%s: expected", option, word);
	for (int i = 0; i < n; i++)
		if (names[i])
			fprintf(stderr, " %s", names[i]);
	fprintf(stderr, "\n");
	return -1;
}

/* A number in [low, high], or -1 after a message. */
static long number(const char *option, const char *word, long low, long high)
{
	char *end;
	long v = strtol(word, &end, 10);
	if (!*word || *end || v < low || v > high) {
		fprintf(stderr, "pmlc: --%s=%s: expected a number from %ld to %ld\n", option, word, low, high);
		return -1;
	}
	return v;
}

/* "2GB", "500 MB", "4096": bytes. */
static bool read_bytes(const char *option, const char *word, int64_t *out)
{
	static const char *const units[] = {"", "kB", "MB", "GB", "TB"};
	char *end;
	double v = strtod(word, &end);
	end += strspn(end, " ");
	for (size_t i = 0; i < sizeof units / sizeof *units; i++, v *= 1000)
		if (!strcmp(end, units[i]) && v >= 1 && v < 1e18) {
			*out = (int64_t)v;
			return true;
		}
	fprintf(stderr, "pmlc: --%s=%s: expected bytes, as in --%s=2GB\n", option, word, option);
	return false;
}

static bool read_ranks(struct cli *cli, const char *word)
{
	int most = (int)(sizeof cli->ranks / sizeof *cli->ranks);
	for (const char *p = word; *p || p == word;) {
		char *end;
		long v = strtol(p, &end, 10);
		if (end == p || (*end && *end != ',') || v < 1 || v > 1000000 || cli->nranks_list == most) {
			fprintf(stderr, "pmlc: --ranks=%s: expected at most %d numbers of ranks, as in --ranks=1,2,4\n",
				word, most);
			return false;
		}
		cli->ranks[cli->nranks_list++] = (int)v;
		p = *end ? end + 1 : end;
	}
	return true;
}

static bool read_define(struct session *s, const char *word)
{
	const char *eq = strchr(word, '=');
	if (!eq || eq == word) {
		fprintf(stderr, "pmlc: -D %s: expected NAME=VALUE\n", word);
		return false;
	}
	struct define d = {.name = intern_n(s->names, word, (size_t)(eq - word)), .value = eq + 1};
	vec_push(s->arena, &s->options.defines, d);
	return true;
}

/* Whether an option is for this command: one of those its help begins with, or any if it begins with none. word: the
 * first of them. */
static bool is_for(enum option_id id, enum command command, const char **word)
{
	const char *help = options[id].help, *colon = strchr(help, ':');
	*word = NULL;
	for (const char *p = help; colon && p < colon; p += p[strcspn(p, ",:")] == ',' ? strcspn(p, ",:") + 2 : strlen(p)) {
		size_t n = strcspn(p, ",:");
		enum command c = 0;
		while (c < COMMAND_COUNT && (strlen(commands[c].name) != n || strncmp(commands[c].name, p, n)))
			c++;
		if (c == COMMAND_COUNT)
			return true;
		*word = *word ? *word : commands[c].name;
		if (c == command)
			return true;
	}
	return !*word;
}

static bool apply(struct session *s, struct cli *cli, enum option_id id, const char *value)
{
	const char *name = options[id].name, *const * names;
	long v = 0;
	switch (id) {
	case OPT_OUTPUT:
		cli->output = value;
		break;
	case OPT_DEFINE:
		return read_define(s, value);
	case OPT_INCLUDE:
		vec_push(s->arena, &s->options.include_paths, value);
		break;
	case OPT_LEVEL:
		s->options.opt_level = (int)(v = number(name, value, 0, 3));
		break;
	case OPT_DEBUG:
		s->options.debug_info = true;
		break;
	case OPT_OBJECT:
		cli->emit = STAGE_OBJ;
		break;
	case OPT_ASSEMBLY:
		cli->emit = STAGE_ASM;
		break;
	case OPT_EMIT:
		v = one_of(name, value, stage_names, names_for(id, &names));
		cli->emit = v < 0 ? STAGE_NONE : (enum stage)v;
		break;
	case OPT_PRINT_AFTER:
		v = names_for(id, &names);
		v = one_of(name, value, names, (int)v);
		s->options.print_after = value;
		break;
	case OPT_PRINT:
		cli->print = value;
		break;
	case OPT_RANKS:
		return read_ranks(cli, value);
	case OPT_NRANKS:
		cli->nranks = (int)(v = number(name, value, 1, 1000000));
		break;
	case OPT_JSON:
		cli->json = true;
		break;
	case OPT_ONLY:
		s->options.only_tests = value;
		break;
	case OPT_VARY:
		cli->vary = (int)(v = value ? number(name, value, 1, 100000) : 12);
		break;
	case OPT_VARIANT:
		cli->variant = value;
		break;
	case OPT_SECONDS:
		cli->seconds = (int)(v = number(name, value, 0, 1000000));
		break;
	case OPT_FIX:
		cli->fix = true;
		cli->fix_print = value != NULL;
		if (value && strcmp(value, "print"))
			return usage("unknown way to fix", value, "print"), false;
		break;
	case OPT_BUDGET:
		cli->budget = value;
		break;
	case OPT_WRITE_BUDGET:
		cli->write_budget = value;
		break;
	case OPT_MACHINE:
		cli->machine = value;
		break;
	case OPT_WHY:
		cli->explain = value;
		break;
	case OPT_EDIT:
		cli->edit = true;
		break;
	case OPT_TRIES:
		cli->tries = (int)(v = number(name, value, 1, 10000));
		break;
	case OPT_MEMORY:
		v = read_bytes(name, value, &cli->memory) ? 0 : -1;
		break;
	case OPT_SLOW:
		cli->slow = value;
		break;
	case OPT_BANDWIDTH:
		cli->bandwidth = value;
		break;
	case OPT_TRACE:
		cli->trace = value;
		break;
	case OPT_DIFF:
		cli->diff = true;
		break;
	case OPT_REPRODUCIBLE:
		s->options.reproducible = true;
		break;
	case OPT_NO_FUSION:
		s->options.separate = true;
		break;
	case OPT_LOOPS:
		s->options.unroll_loops = one_of(name, value, loop_names, 2) == 1;
		break;
	case OPT_TARGET_CPU:
		s->options.target_cpu = value;
		break;
	case OPT_COLOR:
		v = one_of(name, value, when_names, 3);
		s->options.color = v < 0 ? WHEN_AUTO : (enum when)v;
		break;
	case OPT_DIAGNOSTICS:
		v = one_of(name, value, format_names, 3);
		s->options.diag_format = v < 0 ? DIAG_FULL : (enum diag_format)v;
		break;
	case OPT_MAX_ERRORS:
		s->options.max_errors = (int)(v = number(name, value, 0, 1000000));
		break;
	case OPT_WERROR:
		if (strcmp(value, "error"))
			return usage("unknown warning", value, "error"), false;
		s->options.warn_error = true;
		break;
	case OPT_VERIFY_EACH:
		s->options.verify_each = true;
		break;
	case OPT_TIME:
		cli->time = true;
		break;
	case OPT_VERBOSE:
		cli->verbose = true;
		break;
	case OPT_VERSION:
		cli->print = "version";
		break;
	case OPT_HELP:
		cli->command = COMMAND_help;
		break;
	case OPT_COUNT:
		break;
	}
	return v >= 0;
}

static enum option_id find_long(const char *word, size_t n)
{
	for (int i = 0; i < OPT_COUNT; i++)
		if (strlen(options[i].name) == n && !memcmp(options[i].name, word, n))
			return (enum option_id)i;
	return OPT_COUNT;
}

static enum option_id find_letter(char c)
{
	for (int i = 0; i < OPT_COUNT; i++)
		if (options[i].letter == c)
			return (enum option_id)i;
	return OPT_COUNT;
}

static int unknown_option(const char *word)
{
	const char *names[OPT_COUNT];
	for (int i = 0; i < OPT_COUNT; i++)
		names[i] = options[i].name;
	char bare[64];
	snprintf(bare, sizeof bare, "%.*s", (int)strcspn(word + 2, "="), word + 2);
	return usage("unknown option", word, word[1] == '-' ? diag_nearest(bare, names, OPT_COUNT) : NULL);
}

/* `pmlc run a.pml --lr=0.1`: an option of the program. */
static int option_of_program(const struct cli *cli, const char *word)
{
	unknown_option(word);
	fprintf(stderr, "      options of the program stand behind `--`: pmlc run %s -- %s\n", cli->file, word);
	return EXIT_USAGE;
}

/* Reads the option at argv[i] and marks it in `given`; returns the number of words used, 0 after a message. */
static int read_option(struct session *s, struct cli *cli, int argc, char **argv, int i, bool *given)
{
	const char *word = argv[i], *value = NULL;
	enum option_id id;
	if (word[1] == '-') {
		const char *eq = strchr(word, '=');
		id = find_long(word + 2, eq ? (size_t)(eq - word - 2) : strlen(word + 2));
		value = eq ? eq + 1 : NULL;
	} else {
		id = find_letter(word[1]);
		value = word[2] ? word + 2 : NULL;
	}
	if (id == OPT_COUNT && cli->command == COMMAND_run && cli->file)
		return option_of_program(cli, word), 0;
	if (id == OPT_COUNT || (!options[id].argument && value))
		return unknown_option(word), 0;
	int used = 1;
	if (takes_word(id) && !value) {
		if (i + 1 >= argc) {
			fprintf(stderr, "pmlc: %s needs a value: %s\n", word, options[id].argument);
			return 0;
		}
		value = argv[i + 1];
		used = 2;
	}
	given[id] = true;
	return apply(s, cli, id, value) ? used : 0;
}

static bool is_command(const char *word, enum command *out)
{
	for (int i = 0; i < COMMAND_COUNT; i++)
		if (!strcmp(commands[i].name, word)) {
			*out = (enum command)i;
			return true;
		}
	return false;
}

/* Whether the options given mean something to the command. */
static bool fits_command(const struct cli *cli, const bool *given)
{
	for (int i = 0; i < OPT_COUNT; i++) {
		const char *word;
		if (!given[i] || is_for((enum option_id)i, cli->command, &word))
			continue;
		fprintf(stderr, "pmlc: --%s is an option of `pmlc %s`\n", options[i].name, word);
		return false;
	}
	if (cli->nranks_list > 1 && cli->command != COMMAND_test)
		fprintf(stderr,
			"pmlc: a program is compiled for one number of ranks; `pmlc test --ranks` takes several\n");
	return cli->nranks_list <= 1 || cli->command == COMMAND_test;
}

int cli_parse(struct session *s, struct cli *cli, int argc, char **argv)
{
	*cli = (struct cli){.command = COMMAND_compile, .seconds = 60, .tries = 8};
	bool has_command = false, operands_only = false; /* behind `--`, where no file is named before it */
	bool given[OPT_COUNT] = {false};
	for (int i = 1; i < argc;) {
		if (!strcmp(argv[i], "--") && !cli->file && !operands_only) {
			operands_only = true;
			i++;
			continue;
		}
		if (!strcmp(argv[i], "--")) {
			cli->arguments = argv + i + 1;
			cli->narguments = argc - i - 1;
			break;
		}
		if (argv[i][0] == '-' && argv[i][1] && !operands_only) {
			int used = read_option(s, cli, argc, argv, i, given);
			if (!used)
				return EXIT_USAGE;
			i += used;
			continue;
		}
		enum command c;
		if (!has_command && !cli->file && !operands_only && is_command(argv[i], &c)) {
			cli->command = c;
			has_command = true;
		} else if (!cli->file) {
			cli->file = argv[i];
		} else if (cli->command == COMMAND_plan && !cli->other) {
			cli->other = argv[i];
		} else {
			return one_too_many(cli, has_command, argv[i]);
		}
		i++;
	}
	enum command asked;
	if (has_command && cli->command == COMMAND_help && cli->file && !is_command(cli->file, &asked))
		return unknown_operand(cli->file);
	if (cli->command == COMMAND_help || cli->print)
		return EXIT_OK;
	if (!cli->file && cli->command != COMMAND_calibrate) {
		fprintf(stderr, "pmlc: no %s; `pmlc --help` tells more\n",
			cli->command == COMMAND_explain ? "CODE to explain, as in `pmlc explain PML0307`"
							: "input file");
		return EXIT_USAGE;
	}
	if (!fits_command(cli, given))
		return EXIT_USAGE;
	if (cli->diff != (cli->other != NULL)) {
		fprintf(stderr, "pmlc: `pmlc plan --diff A B` takes two operands, every other command one\n");
		return EXIT_USAGE;
	}
	if (cli->command == COMMAND_calibrate && cli->file)
		return usage("`pmlc calibrate` takes no operand:", cli->file, NULL);
	if (!has_command && !is_source(cli->file))
		return unknown_operand(cli->file);
	return EXIT_OK;
}
