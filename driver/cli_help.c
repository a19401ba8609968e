/* cli_help.c — --help and the man page, from the tables. */
#include "cli_tables.h"

#include "base/text.h"

#include <string.h>

/* What --help and the man page say of an option. */
static const char *help_of(struct arena *a, int option)
{
	const char *const *names;
	int n = cli_names_for(option, &names);
	struct text t;
	text_init(&t, a);
	text_printf(&t, "%s%s", cli_options[option].help, n ? ":" : "");
	for (int i = 0; i < n; i++)
		if (names[i])
			text_printf(&t, " %s", names[i]);
	return text_get(&t);
}

enum { COLUMN = 37, WIDTH = 120 };

/* What something is in a column of its own, in lines of WIDTH: beside its name, or below where that is long. */
static void row(FILE *out, const char *name, const char *text)
{
	int at = fprintf(out, "%s", name);
	if (at > COLUMN - 1) {
		fprintf(out, "\n");
		at = 0;
	}
	while (*text) {
		int n = (int)strcspn(text, " ");
		if (at > COLUMN && at + 1 + n > WIDTH) {
			fprintf(out, "\n");
			at = 0;
		}
		at += at < COLUMN ? fprintf(out, "%*s", COLUMN - at, "") : fprintf(out, " ");
		at += fprintf(out, "%.*s", n, text);
		text += n;
		text += strspn(text, " ");
	}
	fprintf(out, "\n");
}

static void option_help(struct arena *a, FILE *out, int i)
{
	char letter = cli_options[i].letter;
	const char *name = arena_printf(a, "  %c%c%c --%s%s%s", letter ? '-' : ' ', letter ? letter : ' ',
					letter ? ',' : ' ', cli_options[i].name, cli_takes_word(i) ? "=" : "",
					cli_options[i].argument ? cli_options[i].argument : "");
	row(out, name, help_of(a, i));
}

/* Options that are for this command and some others, or those for every command. */
static void options_help(struct arena *a, FILE *out, enum command about, bool every)
{
	for (int i = 0; i < OPT_COUNT; i++) {
		const char *first;
		if (cli_is_for((enum option_id)i, about, &first) && !first == every)
			option_help(a, out, i);
	}
}

static void help_of_command(struct arena *a, FILE *out, enum command about)
{
	fprintf(out, "usage: pmlc %s %s\n%s\n\noptions:\n", cli_commands[about].name, cli_commands[about].arguments,
		cli_commands[about].summary);
	options_help(a, out, about, false);
	fprintf(out, "\noptions of every command:\n");
	options_help(a, out, about, true);
}

static void help_of_all(struct arena *a, FILE *out)
{
	fprintf(out, "usage: pmlc FILE.pml [-o OUT]\n       pmlc COMMAND [OPTION...] ...\n\ncommands:\n");
	for (int i = 0; i < COMMAND_COUNT; i++)
		row(out, arena_printf(a, "  %-9s %s", cli_commands[i].name, cli_commands[i].arguments),
		    cli_commands[i].summary);
	fprintf(out, "\noptions:\n");
	for (int i = 0; i < OPT_COUNT; i++)
		option_help(a, out, i);
}

void cli_help(struct arena *a, FILE *out, enum command about)
{
	if (about == COMMAND_help)
		help_of_all(a, out);
	else
		help_of_command(a, out, about);
	fprintf(out, "\nexit status: 0 success, 1 errors in the program, 2 wrong usage, 70 a bug of pmlc; of solve "
		     "also: 3 there is no\n"
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
		fprintf(out, ".TP\n\\fB%s\\fR ", cli_commands[i].name);
		man_text(out, cli_commands[i].arguments);
		fprintf(out, "\n");
		man_text(out, cli_commands[i].summary);
		fprintf(out, "\n");
	}
	fprintf(out, ".SH OPTIONS\n");
	for (int i = 0; i < OPT_COUNT; i++) {
		fprintf(out, ".TP\n");
		if (cli_options[i].letter)
			fprintf(out, "\\fB\\-%c\\fR, ", cli_options[i].letter);
		fprintf(out, "\\fB\\-\\-");
		man_text(out, cli_options[i].name);
		fprintf(out, "\\fR");
		if (cli_options[i].argument)
			fprintf(out, "%s\\fI%s\\fR", cli_takes_word(i) ? "=" : "", cli_options[i].argument);
		fprintf(out, "\n");
		man_text(out, help_of(a, i));
		fprintf(out, "\n");
	}
	fprintf(out,
		".SH EXIT STATUS\n0 success, 1 errors in the program, 2 wrong usage, 70 a bug of pmlc; of "
		"\\fBsolve\\fR also:\n"
		"3 there is no solution, 4 none was found in time.\n"
		".SH ENVIRONMENT\n.TP\n\\fBNO_COLOR\\fR\nno colour in messages\n.TP\n\\fBXDG_CACHE_HOME\\fR\n"
		"\\fIpml\\fR in this folder (or in ~/.cache) is where objects that were compiled are kept, and where \\fBrun\\fR and "
		"\\fBtest\\fR have programs while they run\n.TP\n\\fBPML_CACHE\\fR\n"
		"how many bytes of objects are kept at most: 256MB if it is not set, none if it is 0\n.SH SEE ALSO\n\\fBmpiexec\\fR(1)\n");
}
