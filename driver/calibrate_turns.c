/* calibrate_turns.c — what a processor takes to go from one rank to another: see calibrate.h. */
#include "calibrate.h"

#include "base/json.h"
#include "compiler/seconds/play.h"
#include "file.h"
#include "launch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RUNS = 5 };

static const char *const REGION = "main:3";

static const char *source_of(struct arena *a, int64_t ranks)
{
	return arena_printf(a,
			    "place all = ranks(0..%" PRId64 ");\nparam z : f32[%" PRId64 "] @ all : S(0) = ones();\n"
			    "main { for i in 0..1000 { z = z * 0.5 + (sum(z) to B); } }\n",
			    ranks, 16 * ranks);
}

/* The median of one run; 0 after a message. */
static double run_once(struct drive *d, const char *program, const char *profile, int64_t ranks)
{
	struct arena *a = d->session->arena;
	char *arguments[] = {arena_printf(a, "--profile=%s", profile)};
	struct cli cli = *d->cli;
	struct drive with = *d;
	struct text output;
	cli.arguments = arguments;
	cli.narguments = 1;
	with.cli = &cli;
	text_init(&output, a);
	int status = launch(&with, program, ranks, &output, NULL);
	size_t n;
	const char *error = NULL, *text = status == EXIT_OK ? file_text(a, profile, &n) : NULL;
	const struct json *j = text ? json_read(a, text, n, &error) : NULL;
	double ns = j ? probe_region_ns(j, REGION, "median_ms") : 0;
	if (!ns)
		fprintf(stderr, "pmlc: ranks that take turns: the program ended with status %d\n", status);
	return ns;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* The run in the middle: ranks come to lie on processors in one way or another, and others may take some of a run. */
static double middle_of_runs(struct drive *d, const char *program, int64_t ranks)
{
	const char *profile = arena_printf(d->session->arena, "%s.profile", program);
	double ns[RUNS];
	for (int i = 0; i < RUNS; i++)
		if (!(ns[i] = run_once(d, program, profile, ranks)))
			return 0;
	unlink(profile);
	qsort(ns, RUNS, sizeof *ns, by_value);
	return ns[RUNS / 2];
}

static double played(const struct program *p, const struct machine *m)
{
	struct arena *a = arena_new("turns");
	int region = 0;
	while (strcmp(p->regions.at[region]->name, REGION))
		region++;
	double ns = play_region(a, p, region, m, &(struct play_options){.slow_rank = -1})->end;
	arena_free(a);
	return ns;
}

static void fit(const struct program *p, struct machine *m, double ns)
{
	double low = 0, high = 1e9, *turn = &m->hosts.at[0].turn;
	for (int i = 0; i < 60; i++) {
		*turn = (low + high) / 2;
		*(played(p, m) > ns ? &high : &low) = *turn;
	}
}

bool turns_measure(const struct session *s, const struct cli *cli, struct machine *m)
{
	struct session *own = drive_session(s);
	struct cli with = *cli;
	int64_t ranks = machine_ranks(m);
	const char *source = source_of(own->arena, ranks);
	struct file_text text = {.path = with.file = "turns.pml", .bytes = source, .size = strlen(source)};
	vec_push(own->arena, &own->options.texts, text);
	struct drive *d = drive_new(own, &with);
	const char *program = launch_path(d, "turns");
	bool good = program && drive_front(d, ELABORATE_MAIN, STAGE_NONE) && drive_compile(d, program);
	good = drive_finish(d) == EXIT_OK && good;
	double ns = good ? middle_of_runs(d, program, ranks) : 0;
	if (program)
		launch_remove(program, own->arena);
	if (ns)
		fit(d->program, m, ns);
	session_free(own);
	return ns > 0;
}
