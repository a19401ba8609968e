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

static const char *const REGION = "main:5";

/* So many ranks, each with work of its own that fills the caches next to a processor, which meet again and again. */
static const char *source_of(struct arena *a, int64_t ranks)
{
	return arena_printf(
		a,
		"place all = ranks(0..%" PRId64 ");\nparam z : f32[%" PRId64 "] @ all : S(0) = ones();\n"
		"param x : f32[256, 256] @ all : B = ones();\nparam w : f32[256, 256] @ all : B = zeros();\n"
		"main { for i in 0..100 { z = z * 0.5 + (sum(z) to B); x = matmul(matmul(x, w), w); } }\n",
		ranks, 16 * ranks);
}

/* That program, ready to be run. */
struct trial {
	struct session *session;
	struct drive *d;
	const char *program, *profile;
	struct cli cli;
	int64_t ranks;
	double ns[RUNS]; /* medians of runs */
};

/* False after a message. */
static bool prepare(struct trial *t, const struct session *s, const struct cli *cli, int64_t ranks)
{
	struct arena *a = (t->session = drive_session(s))->arena;
	t->cli = *cli;
	t->cli.file = "turns.pml";
	t->ranks = ranks;
	const char *source = source_of(a, ranks);
	struct file_text text = {.path = t->cli.file, .bytes = source, .size = strlen(source)};
	vec_push(a, &t->session->options.texts, text);
	t->d = drive_new(t->session, &t->cli);
	t->program = launch_path(t->d, arena_printf(a, "turns%" PRId64, ranks));
	bool good = t->program && drive_front(t->d, ELABORATE_MAIN, STAGE_NONE) && drive_compile(t->d, t->program);
	if (t->program)
		t->profile = arena_printf(a, "%s.profile", t->program);
	return drive_finish(t->d) == EXIT_OK && good;
}

static void finish(struct trial *t)
{
	if (t->program)
		launch_remove(t->program, t->session->arena);
	session_free(t->session);
}

/* False after a message. */
static bool run(struct trial *t, int turn)
{
	struct arena *a = t->session->arena;
	char *arguments[] = {arena_printf(a, "--profile=%s", t->profile)};
	struct cli cli = t->cli;
	struct drive with = *t->d;
	struct text output;
	cli.arguments = arguments;
	cli.narguments = 1;
	with.cli = &cli;
	text_init(&output, a);
	int status = launch(&with, t->program, t->ranks, &output, NULL);
	size_t n;
	const char *error = NULL, *text = status == EXIT_OK ? file_text(a, t->profile, &n) : NULL;
	const struct json *j = text ? json_read(a, text, n, &error) : NULL;
	unlink(t->profile);
	t->ns[turn] = j ? probe_region_ns(j, REGION, "median_ms") : 0;
	if (!(t->ns[turn] > 0))
		fprintf(stderr, "pmlc: ranks that take turns: the program ended with status %d\n", status);
	return t->ns[turn] > 0;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* The run in the middle: ranks come to lie on processors in one way or another, and others may take some of a run. */
static double middle_of_runs(struct trial *t)
{
	qsort(t->ns, RUNS, sizeof *t->ns, by_value);
	return t->ns[RUNS / 2];
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

bool turns_measure(const struct session *s, const struct cli *cli, const struct machine *alone, struct machine *m)
{
	struct trial one = {0}, all = {0};
	bool good = prepare(&one, s, cli, machine_ranks(alone)) && prepare(&all, s, cli, machine_ranks(m));
	for (int i = 0; good && i < RUNS; i++)
		good = run(&one, i) && run(&all, i);
	/* What the model is wrong by without turns says nothing of them. */
	if (good)
		fit(all.d->program, m, middle_of_runs(&all) * played(one.d->program, alone) / middle_of_runs(&one));
	finish(&one);
	if (all.session)
		finish(&all);
	return good;
}
