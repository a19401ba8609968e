/* command_calibrate.c — `pmlc calibrate`: compiles a program of probes, runs it a few times under mpiexec with
 * --profile, and writes the machine file that fits the least times. Other programs on the machine make probes slower,
 * never faster, so the least of many calls in several runs is what the machine can do, once two runs agree on it: a
 * number of one quick moment beside numbers of slow ones is no machine. */
#define _POSIX_C_SOURCE 200809L
#include "calibrate.h"
#include "commands.h"

#include "file.h"
#include "launch.h"

#include "base/others.h"

#include <stdlib.h>
#include <unistd.h>

enum { RUNS = 3, MOST_RUNS = 10, MORE_RUNS = 6 };
/* What part of the probes may be as quick as they are in one run alone; what part of the processors' time others may
 * take without a word. */
static const double UNSETTLED = 0.1, OTHERS = 0.05;

/* One run. Memory that ranks share is switched off in the environment, which ranks of one host have from here. */
static bool run_once(struct drive *d, struct probes *p, const char *program, const char *profile, enum link link)
{
	static const char *const setting = "PMLRT_WINDOW_BYTES";
	const char *before = getenv(setting);
	before = before ? arena_printf(p->arena, "%s", before) : NULL;
	struct cli cli = *d->cli;
	struct drive with = *d;
	char *arguments[] = {arena_printf(p->arena, "--profile=%s", profile), arena_printf(p->arena, "--links=true")};
	cli.arguments = arguments;
	cli.narguments = link == LINK_OF_MESSAGES ? 2 : 1;
	with.cli = &cli;
	if (link == LINK_OF_MESSAGES)
		setenv(setting, "0", 1);
	struct text output;
	text_init(&output, p->arena);
	int status = launch(&with, program, p->ranks, &output, NULL);
	if (before)
		setenv(setting, before, 1);
	else
		unsetenv(setting);
	if (status != EXIT_OK)
		fprintf(stderr, "pmlc: the probes ended with status %d\n", status);
	return status == EXIT_OK;
}

/* Runs beside others: how many more are made in their place, and the most that others took in one that counts, as far
 * as that can be seen from here. */
struct beside {
	int more;
	double share;
};

/* One run in which others take little, or any if there were too many beside others. */
static bool run_alone(struct drive *d, struct probes *p, const char *program, const char *profile, enum link link,
		      struct beside *others)
{
	double share = 0;
	for (bool again = true; again; others->more -= again) {
		struct others before = others_now();
		if (!run_once(d, p, program, profile, link))
			return false;
		struct others after = others_now();
		share = d->cli->launcher ? 0 : others_share(&before, &after);
		again = share > OTHERS && others->more > 0;
	}
	others->share = share > others->share ? share : others->share;
	return probes_read(p, d->program, link, profile);
}

/* Whether too many of the least times come of one run alone: the others may all have been slow. */
static bool is_unsettled(const struct probes *p)
{
	return probes_unsettled(p, PROBES_COMPUTING) > UNSETTLED || probes_unsettled(p, PROBES_OF_LINKS) > UNSETTLED;
}

static bool run_probes(struct drive *d, struct probes *p, const char *program, struct beside *others)
{
	const char *profile = arena_printf(p->arena, "%s.profile", program);
	bool good = true;
	for (int i = 0; good && i < MOST_RUNS && (i < RUNS || is_unsettled(p)); i++) {
		good = run_alone(d, p, program, profile, LINK_AS_IS, others);
		if (good && p->ranks > 1 && !p->apart)
			good = run_alone(d, p, program, profile, LINK_OF_MESSAGES, others);
	}
	unlink(profile);
	return good;
}

/* For the name of the machine, what was wrong while it was measured, having said so; others: what they took. */
static const char *note_of(const struct probes *p, double others)
{
	double unsettled = probes_unsettled(p, PROBES_COMPUTING);
	if (others > OTHERS)
		fprintf(stderr, "pmlc: others took %.0f %% of the processors' time meanwhile\n", 100 * others);
	if (unsettled > UNSETTLED)
		fprintf(stderr, "pmlc: %.0f %% of the probes were quick in one run alone\n", 100 * unsettled);
	if (others <= OTHERS && unsettled <= UNSETTLED)
		return "";
	fprintf(stderr, "  what is written may be slower than the machine is: measure again when nothing else runs\n");
	return others > OTHERS ? arena_printf(p->arena, " beside others (%.0f %% of the processors)", 100 * others)
			       : " in runs that differ";
}

int command_calibrate(struct session *s, const struct cli *cli)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	int64_t ranks = cli->nranks ? cli->nranks : processors > 1 ? processors : 2;
	if (!cli->output) {
		fprintf(stderr, "pmlc: `pmlc calibrate` needs the name of a file to write: -o FILE.json\n");
		return EXIT_USAGE;
	}
	if (!file_can_begin(s->arena, cli->output))
		return EXIT_ERRORS;
	/* Where a launcher starts them is not known. */
	int64_t measured = !cli->launcher && processors > 1 && ranks > processors ? processors : ranks;
	if (measured < ranks)
		fprintf(stderr,
			"pmlc: %lld ranks on %ld processors: %lld are measured, and what it costs that others take "
			"turns with them\n",
			(long long)ranks, processors, (long long)measured);
	else if (processors > 0 && ranks > processors)
		fprintf(stderr, "pmlc: %lld ranks on %ld %s: what is measured is that of ranks that share processors\n",
			(long long)ranks, processors, processors == 1 ? "processor" : "processors");
	struct probes *p = probes_make(s->arena, measured);
	struct cli own = *cli;
	own.file = "calibrate.pml";
	struct file_text text = {.path = own.file, .bytes = text_get(&p->source), .size = p->source.n};
	vec_push(s->arena, &s->options.texts, text);
	struct drive *d = drive_new(s, &own);
	const char *program = launch_path(d, "calibrate");
	if (!program)
		return EXIT_ERRORS;
	bool good = drive_front(d, ELABORATE_MAIN, STAGE_NONE) && drive_compile(d, program);
	struct beside others = {.more = MORE_RUNS};
	good = drive_finish(d) == EXIT_OK && good && run_probes(d, p, program, &others);
	launch_remove(program, s->arena);
	if (good && p->apart && measured != 2) {
		fprintf(stderr,
			"pmlc: the %lld ranks are on several hosts: links between hosts are measured by -n 2, with a "
			"rank on each of two\n",
			(long long)ranks);
		good = false;
	}
	if (!good)
		return EXIT_ERRORS;
	struct machine *m = probes_fit(p, d->program, 4 * backend_lanes(s), ranks);
	if (measured < ranks && !turns_measure(s, cli, probes_fit(p, d->program, 4 * backend_lanes(s), measured), m))
		return EXIT_ERRORS;
	struct text out;
	text_init(&out, s->arena);
	m->name = arena_printf(s->arena, "%s%s", m->name, note_of(p, others.share));
	machine_write(&out, m);
	return file_replace(s->arena, cli->output, text_get(&out), out.n) ? EXIT_OK : EXIT_ERRORS;
}
