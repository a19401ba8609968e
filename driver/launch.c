/* launch.c — see launch.h. */
#define _POSIX_C_SOURCE 200809L
#include "launch.h"

#include "base/process.h"
#include "base/replace.h"
#include "user_cache.h"

#include <dirent.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct words {
	VEC(char *) all;
};

const char *launch_path(struct drive *d, const char *tag)
{
	struct arena *a = d->session->arena;
	const char *folder = user_cache_folder(a, arena_printf(a, "run/%ld.%s", (long)getpid(), tag));
	if (folder)
		return arena_printf(a, "%s/%s", folder, drive_stem(a, d->cli->file));
	fprintf(stderr, "pmlc: no folder for compiled programs can be made: set XDG_CACHE_HOME\n");
	return NULL;
}

void launch_remove(const char *path, struct arena *a)
{
	const char *folder = path_folder(a, path);
	DIR *d = opendir(folder);
	for (struct dirent *e; d && (e = readdir(d));)
		unlinkat(dirfd(d), e->d_name, 0);
	if (d)
		closedir(d);
	rmdir(folder);
}

/* Words without blanks, as a shell has them where nothing is quoted. */
static void push_words(struct arena *a, struct words *to, const char *command)
{
	for (char *word = strtok(arena_strdup(a, command), " "); word; word = strtok(NULL, " "))
		vec_push(a, &to->all, word);
}

int launch(const struct drive *d, const char *program, int64_t n, struct text *output, FILE *messages)
{
	struct arena *a = d->session->arena;
	struct words argv = {0};
	if (d->cli->launcher)
		push_words(a, &argv, d->cli->launcher);
	else
		vec_push(a, &argv.all, arena_strdup(a, PML_MPIEXEC));
	vec_push(a, &argv.all, arena_strdup(a, "-n"));
	vec_push(a, &argv.all, arena_printf(a, "%" PRId64, n));
	vec_push(a, &argv.all, arena_strdup(a, program));
	if (output)
		vec_push(a, &argv.all, arena_strdup(a, "--quiet"));
	for (int i = 0; i < d->cli->narguments; i++)
		vec_push(a, &argv.all, d->cli->arguments[i]);
	vec_push(a, &argv.all, NULL);
	for (int i = 0; d->cli->verbose && argv.all.at[i]; i++)
		fprintf(stderr, "%s%c", argv.all.at[i], argv.all.at[i + 1] ? ' ' : '\n');
	/* The executable is gone when it has run. */
	if (d->cli->command == COMMAND_run)
		setenv("PMLRT_CALL",
		       arena_printf(a, "pmlc run %s%s --", d->cli->file[0] == '-' ? "-- " : "", d->cli->file), 1);
	fflush(stdout);
	struct process p = {
		.argv = argv.all.at, .output = output, .messages = messages, .most = SIZE_MAX, .hands_signals = true};
	int status = process_run(&p);
	if (p.error)
		fprintf(stderr, "pmlc: cannot start %s: %s; %s\n", argv.all.at[0], p.error,
			d->cli->launcher ? "--launcher says so" : "is MPI installed?");
	if (p.signal) {
		launch_remove(program, a);
		raise(p.signal);
	}
	return status;
}
