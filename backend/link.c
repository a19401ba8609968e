/* link.c — starts the system's compiler driver as linker: it knows where the C library and start-up code are. No shell
 * is involved, so names with blanks work. What it prints becomes part of the error message. */
#define _GNU_SOURCE
#include "link.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

bool file_write(struct arena *a, const char *path, const char *bytes, size_t n, const char **error)
{
	FILE *f = fopen(path, "wb");
	bool good = f && fwrite(bytes, 1, n, f) == n;
	int why = errno;
	if (f && fclose(f) != 0 && good) {
		good = false;
		why = errno;
	}
	if (!good)
		*error = arena_printf(a, "cannot write `%s`: %s", path, strerror(why));
	return good;
}

/* A file in memory: gone with this process, however it ends. It is seen under the name of its descriptor, where there
 * is /proc. */
static const char *in_memory(struct arena *a)
{
	int fd = memfd_create("object", MFD_CLOEXEC);
	if (fd < 0)
		return NULL;
	const char *path = arena_printf(a, "/proc/%ld/fd/%d", (long)getpid(), fd);
	if (access(path, R_OK | W_OK) == 0)
		return path;
	close(fd);
	return NULL;
}

const char *link_temporary(struct arena *a, const char **error)
{
	const char *memory = in_memory(a);
	if (memory)
		return memory;
	const char *folder = getenv("TMPDIR");
	char *path = arena_printf(a, "%s/pmlc-XXXXXX", folder && *folder ? folder : "/tmp");
	int fd = mkstemp(path);
	if (fd < 0) {
		*error = arena_printf(a, "cannot make a temporary file in `%s`: %s",
				      folder && *folder ? folder : "/tmp", strerror(errno));
		return NULL;
	}
	close(fd);
	return path;
}

/* Everything that can be read from fd; what goes beyond a screenful is dropped. */
static const char *read_all(struct arena *a, int fd)
{
	enum { SCREENFUL = 4000 };
	char buffer[512];
	struct text t;
	text_init(&t, a);
	for (;;) {
		ssize_t n = read(fd, buffer, sizeof buffer);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		if (t.n < SCREENFUL)
			text_add_n(&t, buffer, (size_t)n);
	}
	while (t.n > 0 && t.at[t.n - 1] == '\n')
		t.at[--t.n] = 0;
	return text_get(&t);
}

/* Runs a program, its output into *said; its exit status, or -1 with *said telling why it could not be started. */
static int run(struct arena *a, char *const *argv, const char **said)
{
	int pipe_fd[2];
	posix_spawn_file_actions_t actions;
	pid_t pid;
	if (pipe(pipe_fd) != 0) {
		*said = strerror(errno);
		return -1;
	}
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, pipe_fd[1], STDERR_FILENO);
	posix_spawn_file_actions_adddup2(&actions, pipe_fd[1], STDOUT_FILENO);
	posix_spawn_file_actions_addclose(&actions, pipe_fd[0]);
	int failed = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(pipe_fd[1]);
	*said = failed ? arena_printf(a, "cannot start `%s`: %s", argv[0], strerror(failed)) : read_all(a, pipe_fd[0]);
	close(pipe_fd[0]);
	int status = 0;
	while (!failed && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (failed)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

bool link_executable(struct arena *a, const struct backend_options *o, const char *const *objects, bool with_runtime,
		     const char *output, const char **error)
{
	VEC(char *) argv = {0};
	vec_push(a, &argv, arena_strdup(a, o->cc && *o->cc ? o->cc : "cc"));
	for (int i = 0; objects[i]; i++)
		vec_push(a, &argv, arena_strdup(a, objects[i]));
	if (with_runtime) {
		vec_push(a, &argv, arena_strdup(a, o->runtime_lib));
		for (int i = 0; o->link_flags && o->link_flags[i]; i++)
			vec_push(a, &argv, arena_strdup(a, o->link_flags[i]));
	}
	vec_push(a, &argv, arena_strdup(a, "-o"));
	vec_push(a, &argv, arena_strdup(a, output));
	vec_push(a, &argv, NULL);
	const char *said;
	if (run(a, argv.at, &said) == 0)
		return true;
	*error = *said ? said : arena_printf(a, "`%s` failed without a word", argv.at[0]);
	return false;
}
