/* cli_tables.h — the tables of commands and options (command.def, options.def), for the files that read the command
 * line. */
#ifndef PML_CLI_TABLES_H
#define PML_CLI_TABLES_H

#include "cli.h"

enum option_id {
#define OPTION(id, letter, name, argument, effect, help) OPT_##id,
#include "options.def"
#undef OPTION
	OPT_COUNT
};

struct option_row {
	const char *name, *argument, *help;
	char letter;
};
extern const struct option_row cli_options[OPT_COUNT];

struct command_row {
	const char *name, *arguments, *summary;
};
extern const struct command_row cli_commands[COMMAND_COUNT];

/* Whether an option needs an argument, which may be the next word. */
bool cli_takes_word(int option);
/* Whether an option is for this command: one of those its help begins with, or any if it begins with none. first: the
 * first of them, or NULL. */
bool cli_is_for(enum option_id id, enum command command, const char **first);
/* The names that --emit or --print-after takes: count of them, and each. */
int cli_names_for(int option, const char *const **out);
/* A message about wrong usage, with the word that is meant where it is known (else NULL); EXIT_USAGE. */
int cli_usage(const char *what, const char *word, const char *nearest);
/* How much of a word of the command line names an option: of `--np=2` and `-n2` what stands before the 2 and its `=`. */
int cli_option_length(const char *word);
/* Puts an option's value into cli and s->options; false after a message, which calls it as `name` begins, a word of the command line. */
bool cli_apply(struct session *s, struct cli *cli, enum option_id id, const char *name, const char *value);

#endif
