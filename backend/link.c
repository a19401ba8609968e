/* link.c — starts the linker as the system's compiler driver would, as configure found it do, which takes two thirds of
 * the time, and a fourth of it with files that say what the runtime takes of libraries (needs.sh) in the place of
 * these; where that fails, with the libraries; where that fails, the driver: it knows where the C library and start-up
 * code are now. No shell is involved, so names with blanks work. What the driver prints becomes part of the error
 * message. */
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

struct words {
	struct arena *arena;
	VEC(char *) at;
};

static void add_words(struct words *w, const char *const *words)
{
	for (int i = 0; words && words[i]; i++)
		vec_push(w->arena, &w->at, arena_strdup(w->arena, words[i]));
}

/* The same, but of shared libraries the files in `needs` that stand for them. */
static void add_libraries(struct words *w, const char *const *words, const char *needs)
{
	for (int i = 0; words && words[i]; i++) {
		const char *slash = strrchr(words[i], '/');
		const char *other =
			needs && slash && strstr(slash, ".so") ? arena_printf(w->arena, "%s%s", needs, slash) : "";
		vec_push(w->arena, &w->at, arena_strdup(w->arena, access(other, R_OK) == 0 ? other : words[i]));
	}
}

/* What is asked of the linker, each word behind `prefix`. */
static void add_flags(struct words *w, const char *prefix, bool debug_info)
{
	/* Tables of addresses that nobody can write to once the program runs; what a library behind MPI's is to find
	 * in the program (runtime/ranks.c). */
	static const char *const flags[] = {"-z",  "relro",         "-z",
					    "now", "--gc-sections", "--export-dynamic-symbol=ucs_fatal_error_message"};
	/* The checksum by which a debugger would find what is left out elsewhere takes as long as the rest of the
	 * writing. */
	static const char *const plain[] = {"--strip-debug", "--build-id=none"};
	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
		vec_push(w->arena, &w->at, arena_printf(w->arena, "%s%s", prefix, flags[i]));
	for (size_t i = 0; !debug_info && i < sizeof plain / sizeof *plain; i++)
		vec_push(w->arena, &w->at, arena_printf(w->arena, "%s%s", prefix, plain[i]));
}

/* Whether this linker, or the driver, makes the executable, with what `needs` has in the place of libraries if it is
 * not NULL; else what it said at *error. */
static bool link_by(struct arena *a, const struct backend_options *o, const struct linker *by, const char *needs,
		    const char *prefix, const char *const *objects, bool with_runtime, const char *output,
		    const char **error)
{
	/* Addresses nobody knows beforehand. */
	const char *const runtime[] = {o->runtime_lib, NULL}, *const out[] = {"-pie", "-o", output, NULL};
	struct words w = {.arena = a};
	add_words(&w, by->first);
	add_words(&w, objects);
	if (with_runtime) {
		add_words(&w, runtime);
		add_libraries(&w, by->libraries, needs);
	}
	add_flags(&w, prefix, o->debug_info);
	add_words(&w, out);
	add_libraries(&w, by->last, needs);
	vec_push(a, &w.at, NULL);
	struct text said;
	text_init(&said, a);
	struct process linker = {.argv = w.at.at, .output = &said, .most = SCREENFUL, .with_errors = true};
	if (process_run(&linker) == 0)
		return true;
	while (said.n > 0 && said.at[said.n - 1] == '\n')
		said.at[--said.n] = 0;
	*error = linker.error ? arena_printf(a, "cannot start `%s`: %s", w.at.at[0], linker.error)
		 : said.n     ? text_get(&said)
			      : arena_printf(a, "`%s` failed without a word", w.at.at[0]);
	return false;
}

bool link_executable(struct arena *a, const struct backend_options *o, const char *const *objects, bool with_runtime,
		     const char *output, const char **error)
{
	const struct linker driver = {o->linker, o->link_flags, NULL};
	return (o->direct && o->needs &&
		link_by(a, o, o->direct, o->needs, "", objects, with_runtime, output, error)) ||
	       (o->direct && link_by(a, o, o->direct, NULL, "", objects, with_runtime, output, error)) ||
	       link_by(a, o, &driver, NULL, "-Wl,", objects, with_runtime, output, error);
}
