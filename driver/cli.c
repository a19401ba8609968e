/* cli.c — reads the command line against the tables of commands and options. */
#include "cli_tables.h"

#include "base/diag.h"

#include <stdlib.h>
#include <string.h>

int cli_usage(const char *what, const char *word, const char *nearest)
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
		names[i] = cli_commands[i].name;
	return cli_usage("neither a command nor a .pml file:", word, diag_nearest(word, names, COMMAND_COUNT));
}

static bool is_source(const char *word)
{
	size_t n = strlen(word);
	return n >= 4 && !strcmp(word + n - 4, ".pml");
}

/* `what` of the program, given to pmlc: where it belongs. A source that looks like an option stands behind `--`. */
static int belongs_behind(const struct cli *cli, const char *what, const char *word)
{
	fprintf(stderr, "      %s of the program stand behind `--`: pmlc run %s%s -- %s\n", what,
		cli->file[0] == '-' ? "-- " : "", cli->file, word);
	return EXIT_USAGE;
}

/* A second word that is no option: the first was meant as a command, or this is an argument of the program. */
static int one_too_many(const struct cli *cli, bool has_command, const char *word)
{
	if (!has_command && !is_source(cli->file))
		return unknown_operand(cli->file);
	cli_usage("one operand is enough, what is", word, NULL);
	return cli->command == COMMAND_run ? belongs_behind(cli, "arguments", word) : EXIT_USAGE;
}

static enum option_id find_long(const char *word, size_t n)
{
	for (int i = 0; i < OPT_COUNT; i++)
		if (strlen(cli_options[i].name) == n && !memcmp(cli_options[i].name, word, n))
			return (enum option_id)i;
	return OPT_COUNT;
}

static enum option_id find_letter(char c)
{
	for (int i = 0; i < OPT_COUNT; i++)
		if (cli_options[i].letter == c)
			return (enum option_id)i;
	return OPT_COUNT;
}

int cli_option_length(const char *word)
{
	return word[1] == '-' ? (int)strcspn(word, "=") : 2;
}

static int unknown_option(const char *word)
{
	const char *names[OPT_COUNT];
	for (int i = 0; i < OPT_COUNT; i++)
		names[i] = cli_options[i].name;
	char bare[64], near[80];
	snprintf(bare, sizeof bare, "%.*s", (int)strcspn(word + 2, "="), word + 2);
	const char *name = word[1] == '-' ? diag_nearest(bare, names, OPT_COUNT) : NULL;
	snprintf(near, sizeof near, "--%s", name ? name : "");
	return cli_usage("unknown option", word, name ? near : NULL);
}

/* `pmlc run a.pml --lr=0.1`: an option of the program. */
static int option_of_program(const struct cli *cli, const char *word)
{
	unknown_option(word);
	return belongs_behind(cli, "options", word);
}

/* Reads the option at argv[i] and marks it in `given`; returns the number of words used, 0 after a message. */
static int read_option(struct session *s, struct cli *cli, int argc, char **argv, int i, const char **given)
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
	if (id == OPT_COUNT || (!cli_options[id].argument && value))
		return unknown_option(word), 0;
	int used = 1;
	if (cli_takes_word(id) && !value) {
		if (i + 1 >= argc) {
			fprintf(stderr, "pmlc: %s needs a value: %s\n", word, cli_options[id].argument);
			return 0;
		}
		value = argv[i + 1];
		used = 2;
	}
	given[id] = word;
	if (id != OPT_OUTPUT)
		text_printf(&cli->given, "%s %zu %s\n", cli_options[id].name, value ? strlen(value) : 0,
			    value ? value : "");
	return cli_apply(s, cli, id, word, value) ? used : 0;
}

static bool is_command(const char *word, enum command *out)
{
	for (int i = 0; i < COMMAND_COUNT; i++)
		if (!strcmp(cli_commands[i].name, word)) {
			*out = (enum command)i;
			return true;
		}
	return false;
}

/* Whether the options given mean something to the command. */
static bool fits_command(const struct cli *cli, const char *const *given)
{
	for (int i = 0; i < OPT_COUNT; i++) {
		const char *word;
		if (!given[i] || cli_is_for((enum option_id)i, cli->command, &word))
			continue;
		fprintf(stderr, "pmlc: %.*s is an option of `pmlc %s`\n", cli_option_length(given[i]), given[i], word);
		return false;
	}
	if (cli->nranks_list > 1 && cli->command != COMMAND_test)
		fprintf(stderr,
			"pmlc: a program is compiled for one number of ranks; `pmlc test --ranks` takes several\n");
	return cli->nranks_list <= 1 || cli->command == COMMAND_test;
}

/* What is printed, or removed, is none of a program's: nothing stands beside `--version` but options. */
static int prints_alone(const struct cli *cli, bool has_command, const char *const *given)
{
	const char *what = has_command ? cli_commands[cli->command].name : cli->file;
	if (!what)
		return EXIT_OK;
	const char *word = given[OPT_CLEAR_CACHE] ? given[OPT_CLEAR_CACHE]
			   : given[OPT_VERSION]   ? given[OPT_VERSION]
						  : given[OPT_PRINT];
	return cli_usage(arena_printf(cli->given.arena, "%s takes no operand:", word), what, NULL);
}

int cli_parse(struct session *s, struct cli *cli, int argc, char **argv)
{
	*cli = (struct cli){.command = COMMAND_compile, .about = COMMAND_help, .seconds = 60, .tries = 8, .axes = 2};
	text_init(&cli->given, s->arena);
	bool has_command = false, operands_only = false; /* behind `--`, where no file is named before it */
	const char *given[OPT_COUNT] = {NULL};           /* as they are written; of one written twice the last */
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
	if (given[OPT_HELP]) {
		cli->about = has_command ? cli->command : COMMAND_help;
		cli->command = COMMAND_help;
	} else if (cli->command == COMMAND_help && cli->file && !is_command(cli->file, &cli->about)) {
		return unknown_operand(cli->file);
	}
	if (cli->command == COMMAND_help)
		return EXIT_OK;
	if (cli->print)
		return prints_alone(cli, has_command, given);
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
		return cli_usage("`pmlc calibrate` takes no operand:", cli->file, NULL);
	if (!has_command && !is_source(cli->file))
		return unknown_operand(cli->file);
	return EXIT_OK;
}
