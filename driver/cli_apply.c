/* cli_apply.c — the values of options. */
#include "cli_tables.h"

#include "base/diag.h"

#include <stdlib.h>
#include <string.h>

static const char *const format_names[] = {[DIAG_FULL] = "full", [DIAG_SHORT] = "short", [DIAG_JSON] = "json"};
static const char *const halo_names[] = {"parts", "whole"};
static const char *const loop_names[] = {"kept", "unrolled"};
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

/* A number in [low, high], or -1 after a message. */
static long number(const char *option, const char *word, long low, long high)
{
	char *end;
	long v = strtol(word, &end, 10);
	if (!*word || *end || v < low || v > high) {
		say_refused(option, word);
		fprintf(stderr, " a number from %ld to %ld\n", low, high);
		return -1;
	}
	return v;
}

bool cli_bytes(const char *word, int64_t *out)
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
	return false;
}

static bool read_bytes(const char *option, const char *word, int64_t *out)
{
	if (cli_bytes(word, out))
		return true;
	say_refused(option, word);
	fprintf(stderr, " bytes, as in %.*s=2GB\n", cli_option_length(option), option);
	return false;
}

static bool read_ranks(struct cli *cli, const char *word)
{
	enum { MOST_RANKS = 1000000 };
	int most = (int)(sizeof cli->ranks / sizeof *cli->ranks);
	for (const char *p = word; *p || p == word;) {
		char *end;
		long v = strtol(p, &end, 10);
		if (end == p || (*end && *end != ',') || v < 1 || v > MOST_RANKS || cli->nranks_list == most) {
			fprintf(stderr, "pmlc: --ranks=%s: expected numbers of ranks from 1 to %d, %d of them at most, as in "
				"--ranks=1,2,4\n",
				word, MOST_RANKS, most);
			return false;
		}
		cli->ranks[cli->nranks_list++] = (int)v;
		p = *end ? end + 1 : end;
	}
	return true;
}

static bool read_define(struct session *s, const char *option, const char *word)
{
	const char *eq = strchr(word, '=');
	if (!eq || eq == word) {
		say_refused(option, word);
		fprintf(stderr, " NAME=VALUE\n");
		return false;
	}
	struct define d = {.name = intern_n(s->names, word, (size_t)(eq - word)), .value = eq + 1};
	vec_push(s->arena, &s->options.defines, d);
	return true;
}

bool cli_apply(struct session *s, struct cli *cli, enum option_id id, const char *name, const char *value)
{
	const char *const *names;
	long v = 0;
	switch (id) {
	case OPT_OUTPUT:
		cli->output = value;
		break;
	case OPT_DEFINE:
		return read_define(s, name, value);
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
		v = cli_names_for(id, &names);
		v = one_of(name, value, names, (int)v);
		cli->emit = v < 0 ? STAGE_NONE : (enum stage)v;
		break;
	case OPT_PRINT_AFTER:
		v = cli_names_for(id, &names);
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
	case OPT_LAUNCHER:
		cli->launcher = value;
		if (!value[strspn(value, " ")])
			return cli_usage("no command for", "--launcher", NULL), false;
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
			return cli_usage("unknown way to fix", value, "print"), false;
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
	case OPT_PROFILE_USE:
		cli->profile = value;
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
	case OPT_AXES:
		cli->axes = (int)(v = number(name, value, 1, 3));
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
	case OPT_REPLAY:
		cli->replay = value;
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
	case OPT_HALOS:
		v = one_of(name, value, halo_names, 2);
		s->options.halos = v == 0 ? HALOS_PARTS : HALOS_WHOLE;
		break;
	case OPT_LOOPS:
		v = one_of(name, value, loop_names, 2);
		s->options.unroll_loops = v == 1;
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
			return cli_usage("unknown warning", value, "error"), false;
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
	case OPT_CLEAR_CACHE:
		cli->print = "clear-cache";
		break;
	case OPT_VERSION:
		cli->print = "version";
		break;
	case OPT_HELP: /* cli_parse, which knows of what */
	case OPT_COUNT:
		break;
	}
	return v >= 0;
}
