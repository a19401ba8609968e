/* process.c — posix_spawn, a pipe, and a cache folder. */
#define _POSIX_C_SOURCE 200809L
#include "process.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void collect(int fd, struct text *output)
{
	char buffer[4096];
	ssize_t n;
	while ((n = read(fd, buffer, sizeof buffer)) > 0 || (n < 0 && errno == EINTR))
		if (n > 0)
			text_add_n(output, buffer, (size_t)n);
}

int process_run(char *const *argv, struct text *output)
{
	int ends[2] = {-1, -1};
	if (output && pipe(ends) != 0)
		return 127;
	posix_spawn_file_actions_t actions;
	posix_spawn_file_actions_init(&actions);
	if (output) {
		posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
		posix_spawn_file_actions_addclose(&actions, ends[0]);
		posix_spawn_file_actions_addclose(&actions, ends[1]);
	}
	pid_t child;
	int failed = posix_spawnp(&child, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (output)
		close(ends[1]);
	if (!failed && output)
		collect(ends[0], output);
	if (output)
		close(ends[0]);
	if (failed)
		return 127;
	int status;
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return 127;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

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

const char *process_cache_folder(struct arena *a)
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
