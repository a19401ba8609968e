/* link.c — starts the system's compiler driver as linker: it knows where the C library and start-up code are. No shell
 * is involved, so names with blanks work. What it prints becomes part of the error message. */
#define _GNU_SOURCE
#include "link.h"

#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define MEMORY_PATH "/proc/%ld/fd/%d"
enum { SCREENFUL = 4000 };

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
	struct rlimit limit;
	int fd = memfd_create("pmlc", MFD_CLOEXEC);
	if (fd < 0 && errno == EMFILE && getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		fd = setrlimit(RLIMIT_NOFILE, &limit) == 0 ? memfd_create("pmlc", MFD_CLOEXEC) : -1;
	}
	if (fd < 0)
		return NULL;
	const char *path = arena_printf(a, MEMORY_PATH, (long)getpid(), fd);
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

void link_forget(const char *path)
{
	long process;
	int fd;
	if (sscanf(path, MEMORY_PATH, &process, &fd) != 2)
		unlink(path);
	else if (process == (long)getpid())
		close(fd);
}

bool link_executable(struct arena *a, const struct backend_options *o, const char *const *objects, bool with_runtime,
		     const char *output, const char **error)
{
	VEC(char *) argv = {0};
	for (int i = 0; o->linker[i]; i++)
		vec_push(a, &argv, arena_strdup(a, o->linker[i]));
	for (int i = 0; objects[i]; i++)
		vec_push(a, &argv, arena_strdup(a, objects[i]));
	if (with_runtime) {
		vec_push(a, &argv, arena_strdup(a, o->runtime_lib));
		for (int i = 0; o->link_flags && o->link_flags[i]; i++)
			vec_push(a, &argv, arena_strdup(a, o->link_flags[i]));
	}
	/* Addresses nobody knows beforehand, and tables of them that nobody can write to once the program runs; what a
	 * library behind MPI's is to find in the program (runtime/ranks.c). */
	static const char *const flags[] = {"-pie", "-Wl,-z,relro", "-Wl,-z,now", "-Wl,--gc-sections",
					    "-Wl,--export-dynamic-symbol=ucs_fatal_error_message"};
	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
		vec_push(a, &argv, arena_strdup(a, flags[i]));
	/* It is most of the runtime's library, and most of what the linker copies. The checksum by which a debugger
	 * would find it elsewhere takes as long as the rest of the writing. */
	if (!o->debug_info) {
		vec_push(a, &argv, arena_strdup(a, "-Wl,--strip-debug"));
		vec_push(a, &argv, arena_strdup(a, "-Wl,--build-id=none"));
	}
	vec_push(a, &argv, arena_strdup(a, "-o"));
	vec_push(a, &argv, arena_strdup(a, output));
	vec_push(a, &argv, NULL);
	struct text said;
	text_init(&said, a);
	struct process linker = {.argv = argv.at, .output = &said, .most = SCREENFUL, .with_errors = true};
	if (process_run(&linker) == 0)
		return true;
	while (said.n > 0 && said.at[said.n - 1] == '\n')
		said.at[--said.n] = 0;
	*error = linker.error ? arena_printf(a, "cannot start `%s`: %s", argv.at[0], linker.error)
		 : said.n     ? text_get(&said)
			      : arena_printf(a, "`%s` failed without a word", argv.at[0]);
	return false;
}
