/* launch.c — see launch.h. */
#define _POSIX_C_SOURCE 200809L
#include "launch.h"

#include "base/process.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Makes path and its parents; true if it is a folder we can write to. */
static bool make_folders(struct arena *a, const char *path)
{
	char *copy = arena_strdup(a, path);
	for (char *p = copy + 1; *p; p++)
		if (*p == '/') {
			*p = 0;
			mkdir(copy, 0700);
			*p = '/';
		}
	mkdir(copy, 0700);
	return access(copy, W_OK | X_OK) == 0;
}

/* $XDG_CACHE_HOME/pml or ~/.cache/pml or /tmp/pml-UID, made if need be; NULL if none can be. */
static const char *cache_folder(struct arena *a)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	const char *candidates[3] = {
		cache && *cache ? arena_printf(a, "%s/pml", cache) : NULL,
		home && *home ? arena_printf(a, "%s/.cache/pml", home) : NULL,
		arena_printf(a, "/tmp/pml-%ld", (long)getuid()),
	};
	for (int i = 0; i < 3; i++)
		if (candidates[i] && make_folders(a, candidates[i]))
			return candidates[i];
	return NULL;
}

const char *launch_path(struct drive *d, const char *tag)
{
	struct arena *a = d->session->arena;
	const char *folder = cache_folder(a);
	if (!folder) {
		fprintf(stderr, "pmlc: no folder for compiled programs can be made: set XDG_CACHE_HOME\n");
		return NULL;
	}
	return arena_printf(a, "%s/%s.%s.%ld", folder, drive_stem(a, d->cli->file), tag, (long)getpid());
}

void launch_remove(const struct drive *d, const char *path)
{
	struct arena *a = d->session->arena;
	for (int r = 0; r < d->program->roles.n; r++)
		unlink(arena_printf(a, "%s.%s", path, d->program->roles.at[r]->name));
	unlink(arena_printf(a, "%s.mpi", path));
	unlink(path);
}

int launch(const struct drive *d, const char *program, int64_t n, struct text *output, FILE *messages)
{
	struct arena *a = d->session->arena;
	VEC(char *) argv = {0};
	vec_push(a, &argv, arena_strdup(a, PML_MPIEXEC));
	vec_push(a, &argv, arena_strdup(a, "-n"));
	vec_push(a, &argv, arena_printf(a, "%" PRId64, n));
	vec_push(a, &argv, arena_strdup(a, program));
	if (output)
		vec_push(a, &argv, arena_strdup(a, "--quiet"));
	for (int i = 0; i < d->cli->narguments; i++)
		vec_push(a, &argv, d->cli->arguments[i]);
	vec_push(a, &argv, NULL);
	if (d->cli->verbose) {
		for (int i = 0; argv.at[i]; i++)
			fprintf(stderr, "%s%c", argv.at[i], argv.at[i + 1] ? ' ' : '\n');
	}
	fflush(stdout);
	struct process p = {
		.argv = argv.at, .output = output, .messages = messages, .most = SIZE_MAX, .hands_signals = true};
	int status = process_run(&p);
	if (p.error)
		fprintf(stderr, "pmlc: cannot start %s: %s; is MPI installed?\n", PML_MPIEXEC, p.error);
	if (p.signal) {
		launch_remove(d, program);
		raise(p.signal);
	}
	return status;
}
