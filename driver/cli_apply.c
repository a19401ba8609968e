/* cli_apply.c — the values of options. */
#include "cli_tables.h"

#include "base/diag.h"

#include <stdlib.h>
#include <string.h>

static const char *const format_names[] = {[DIAG_FULL] = "full", [DIAG_SHORT] = "short", [DIAG_JSON] = "json"};
static const char *const halo_names[] = {[HALOS_PARTS] = "parts", [HALOS_WHOLE] = "whole"};
static const char *const loop_names[] = {[false] = "kept", [true] = "unrolled"};
static const char *const when_names[] = {[WHEN_AUTO] = "auto", [WHEN_ALWAYS] = "always", [WHEN_NEVER] = "never"};

/* Begins a message about the value of an option, in the words of the command line: `-n 0`, `--np=0`. */
static void say_refused(const char *option, const char *value)
{
	fprintf(stderr, "pmlc: %.*s%c%s: expected", cli_option_length(option), option, option[1] == '-' ? '=' : ' ',
		value);
}

/* Index of word among names (NULL entries allowed), or -1 after a message. */
static int one_of(const char *option, const char *word, const char *const *names, int n)
{
	for (int i = 0; i < n; i++)
		if (names[i] && !strcmp(names[i], word))
			return i;
	say_refused(option, word);
	bool begun = false;
	for (int i = 0; i < n; i++)
		if (names[i]) {
			fprintf(stderr, "%s %s", begun ? i == n - 1 ? " or" : "," : "", names[i]);
			begun = true;
		}
	fprintf(stderr, "\n");
	return -1;
}

/* A number in [low, high]; false after a message. */
static bool number(const char *option, const char *word, long low, long high, int *out)
{
	char *end;
	long v = strtol(word, &end, 10);
	if (!*word || *end || v < low || v > high) {
		say_refused(option, word);
		fprintf(stderr, " a number from %ld to %ld\n", low, high);
		return false;
	}
	*out = (int)v;
	return true;
}

bool cli_bytes(const char *word, int64_t *out)
{
	static const char *const units[] = {"", "kB", "MB", "GB", "TB"};
	char *end;
	double v = strtod(word, &end);
	end += strspn(end, " ");
	end += !strcmp(end, "B");
	for (size_t i = 0; i < sizeof units / sizeof *units; i++, v *= 1000)
		if (!strcmp(end, units[i]) && v >= 1 && v < 1e18) {
			*out = (int64_t)v;
			return true;
		}
	return false;
}

/* ---- options with an effect of their own: an option as it is written, and its value ---- */

struct given {
	struct session *s;
	struct cli *cli;
	const char *option, *value;
};

static bool set_memory(const struct given *g)
{
	if (cli_bytes(g->value, &g->cli->memory))
		return true;
	say_refused(g->option, g->value);
	fprintf(stderr, " bytes, as in %.*s=2GB\n", cli_option_length(g->option), g->option);
	return false;
}

static bool add_ranks(const struct given *g)
{
	enum { MOST_RANKS = 1000000 };
	struct cli *cli = g->cli;
	int most = (int)(sizeof cli->ranks / sizeof *cli->ranks);
	for (const char *p = g->value; *p || p == g->value;) {
		char *end;
		long v = strtol(p, &end, 10);
		if (end == p || (*end && *end != ',') || v < 1 || v > MOST_RANKS || cli->nranks_list == most) {
			fprintf(stderr,
				"pmlc: --ranks=%s: expected numbers of ranks from 1 to %d, %d of them at most, as in "
				"--ranks=1,2,4\n",
				g->value, MOST_RANKS, most);
			return false;
		}
		cli->ranks[cli->nranks_list++] = (int)v;
		p = *end ? end + 1 : end;
	}
	return true;
}

static bool add_define(const struct given *g)
{
	const char *eq = strchr(g->value, '=');
	if (!eq || eq == g->value) {
		say_refused(g->option, g->value);
		fprintf(stderr, " NAME=VALUE\n");
		return false;
	}
	struct define d = {.name = intern_n(g->s->names, g->value, (size_t)(eq - g->value)), .value = eq + 1};
	vec_push(g->s->arena, &g->s->options.defines, d);
	return true;
}

static bool add_include(const struct given *g)
{
	vec_push(g->s->arena, &g->s->options.include_paths, g->value);
	return true;
}

static bool set_emit(const struct given *g)
{
	const char *const *names;
	int n = cli_names_for(OPT_EMIT, &names), v = one_of(g->option, g->value, names, n);
	if (v >= 0)
		g->cli->emit = (enum stage)v;
	return v >= 0;
}

static bool set_print_after(const struct given *g)
{
	const char *const *names;
	int n = cli_names_for(OPT_PRINT_AFTER, &names);
	g->s->options.print_after = g->value;
	return one_of(g->option, g->value, names, n) >= 0;
}

static bool set_launcher(const struct given *g)
{
	g->cli->launcher = g->value;
	if (!g->value[strspn(g->value, " ")])
		return cli_usage("no command for", "--launcher", NULL), false;
	return true;
}

static bool set_vary(const struct given *g)
{
	g->cli->vary = 12;
	return !g->value || number(g->option, g->value, 1, 100000, &g->cli->vary);
}

static bool set_fix(const struct given *g)
{
	g->cli->fix = true;
	g->cli->fix_print = g->value != NULL;
	if (g->value && strcmp(g->value, "print"))
		return cli_usage("unknown way to fix", g->value, "print"), false;
	return true;
}

static bool set_werror(const struct given *g)
{
	if (strcmp(g->value, "error"))
		return cli_usage("unknown warning", g->value, "error"), false;
	g->s->options.warn_error = true;
	return true;
}

/* ---- all of them ---- */

bool cli_apply(struct session *s, struct cli *cli, enum option_id id, const char *option, const char *value)
{
	struct options *options = &s->options;
	const struct given given = {s, cli, option, value};
	int v;
	switch (id) {
#define FLAG(field)             field = true
#define IS(field, constant)     field = constant
#define TEXT(field)             field = value
#define COUNT(field, low, high) return number(option, value, low, high, &field)
#define CHOICE(field, names) \
	if ((v = one_of(option, value, names, (int)(sizeof names / sizeof *names))) < 0) \
		return false; \
	field = v
#define BY(function) return function(&given)
#define NOTHING      break
#define OPTION(id, letter, name, argument, effect, help) \
	case OPT_##id: \
		effect; \
		break;
#include "options.def"
#undef OPTION
	case OPT_COUNT:
		break;
	}
	return true;
}
