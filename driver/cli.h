/* cli.h — the command line of pmlc as a record. */
#ifndef PML_CLI_H
#define PML_CLI_H

#include "base/session.h"
#include "base/text.h"

#include <stdio.h>

enum command {
#define COMMAND(name, arguments, summary) COMMAND_##name,
#include "command.def"
#undef COMMAND
	COMMAND_COUNT
};

/* In their order; stage.def. */
enum stage {
	STAGE_NONE,
#define STAGE(id, name) STAGE_##id,
#include "stage.def"
#undef STAGE
};

struct cli {
	enum command command;
	enum command about; /* help: the command it is asked for, COMMAND_help: all */
	const char *file;  /* the operand: source file, error code or command name */
	const char *other; /* plan --diff: the second operand */
	const char *output, *print;
	const char *budget, *write_budget, *machine, *profile;
	const char *slow, *bandwidth, *trace, *replay; /* simulate */
	const char *explain;                           /* search */
	bool edit;
	int tries, axes; /* search */
	int64_t memory;  /* search: bytes a rank may take; 0: any number */
	enum stage emit;
	bool json, diff, time, verbose;
	bool fix, fix_print; /* check */
	int seconds;         /* solve */
	int vary;            /* test: variants to try; 0: none */
	const char *variant;
	const char *launcher;       /* NULL: mpiexec */
	int nranks;                 /* run -n; 0: as needed */
	int ranks[16], nranks_list; /* --ranks */
	char **arguments;           /* after `--` */
	int narguments;
	struct text given;          /* all options with their values, but for --output */
};

/* EXIT_NONE, EXIT_TIME: `pmlc solve` knows that there is no solution; found none in its time. */
enum { EXIT_OK = 0, EXIT_ERRORS = 1, EXIT_USAGE = 2, EXIT_NONE = 3, EXIT_TIME = 4, EXIT_BUG = 70 };

/* Fills cli and s->options. Returns EXIT_OK, or EXIT_USAGE after a message on stderr. */
int cli_parse(struct session *s, struct cli *cli, int argc, char **argv);
/* "2GB", "500 MB", "4096": bytes, at least one. */
bool cli_bytes(const char *word, int64_t *out);
/* --help: of one command, or of all (COMMAND_help). */
void cli_help(struct arena *a, FILE *out, enum command about);
/* The man page, made from the same tables. */
void cli_man(struct arena *a, FILE *out, const char *version);

#endif
