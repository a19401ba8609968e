/* fuzz_files.c — see fuzz_files.h. */
#define _DEFAULT_SOURCE
#include "fuzz_files.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LIMIT_SECONDS = 10, LIMIT_KB = 1 << 20, MOST_SAID = 1 << 16 };

struct run {
	struct input *seeds; /* by target */
	struct input at_hand;
	int said; /* a file of what the child says */
	char text[MOST_SAID + 1];
	long read, refused, failed;
};

static const char *variable(const char *name, const char *fallback)
{
	const char *value = getenv(name);
	return value ? value : fallback;
}

/* In the child. */
static _Noreturn void be_child(const struct run *run, read_file *reads, void *context, const struct target *t)
{
	const struct rlimit seconds = {LIMIT_SECONDS, LIMIT_SECONDS};
	int nowhere = open("/dev/null", O_WRONLY);
	dup2(nowhere, STDOUT_FILENO);
	dup2(run->said, STDERR_FILENO);
	setrlimit(RLIMIT_CPU, &seconds);
	alarm(6 * LIMIT_SECONDS);
	_exit(reads(context, t));
}

/* NULL, or what is wrong with how the child ended. */
static const char *wrong_end(struct run *run, int status, const struct rusage *used)
{
	ssize_t n = pread(run->said, run->text, MOST_SAID, 0);
	run->text[n > 0 ? n : 0] = 0;
	if (strstr(run->text, "Sanitizer") || strstr(run->text, "runtime error: "))
		return "a sanitizer's report";
	if (WIFSIGNALED(status))
		return WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGALRM ? "it does not end" : "a signal";
	if (used->ru_maxrss > LIMIT_KB)
		return "too much memory";
	if (WEXITSTATUS(status) == 0)
		return NULL;
	return WEXITSTATUS(status) != 1       ? "another status than 0 and 1"
	       : strstr(run->text, "error: ") ? NULL
					      : "no message";
}

static void keep(const struct run *run, const struct target *t, uint64_t input, const char *what, int status)
{
	char path[4096];
	const char *name = strrchr(t->file, '/');
	snprintf(path, sizeof path, "%s/fuzz-%s-%llu-%s", variable("FUZZ_DIR", "."), t->reader,
		 (unsigned long long)input, name ? name + 1 : t->file);
	remember(path, &run->at_hand);
	fprintf(stderr, "FAILED: %s: %s (%d), kept in %s\n%s\n", t->reader, what, status, path, run->text);
}

static void try(struct run *run, read_file *reads, void *context, const struct target *t, uint64_t input)
{
	struct rusage used;
	int status;
	remember(t->file, &run->at_hand);
	if (ftruncate(run->said, 0) != 0)
		abort();
	fflush(NULL);
	pid_t child = fork();
	if (child == 0)
		be_child(run, reads, context, t);
	if (child < 0 || wait4(child, &status, 0, &used) < 0) {
		perror("fuzz_files");
		exit(EXIT_FAILURE);
	}
	const char *wrong = wrong_end(run, status, &used);
	if (wrong)
		keep(run, t, input, wrong, status);
	run->failed += wrong != NULL;
	run->read += !wrong && WEXITSTATUS(status) == 0;
	run->refused += !wrong && WEXITSTATUS(status) == 1;
}

static void take(struct run *run, const struct input *seed)
{
	memcpy(run->at_hand.at, seed->at, seed->n);
	run->at_hand.n = seed->n;
}

int fuzz_files(const struct target *targets, size_t n, read_file *reads, void *context, mend_file *mends)
{
	static struct run run;
	uint64_t count = strtoull(variable("FUZZ_COUNT", "500"), NULL, 10),
		 series = strtoull(variable("FUZZ_SEED", "1"), NULL, 10);
	run.seeds = calloc(n, sizeof *run.seeds);
	run.at_hand.at = malloc(MAX_INPUT);
	run.said = open("said", O_RDWR | O_CREAT | O_APPEND, 0600);
	if (!run.seeds || !run.at_hand.at || run.said < 0)
		return EXIT_FAILURE;
	for (size_t i = 0; i < n; i++)
		run.seeds[i] = read_seed(targets[i].file);
	/* As they are, all can be read. */
	for (size_t i = 0; i < n; i++) {
		take(&run, &run.seeds[i]);
		long before = run.read;
		try(&run, reads, context, &targets[i], 0);
		if (run.read == before) {
			printf("%s: %s as it is cannot be read: %s\n0 passed, 1 failed\n", targets[i].reader,
			       targets[i].file, run.text);
			return EXIT_FAILURE;
		}
	}
	for (uint64_t i = 1; i <= count; i++) {
		uint64_t state = series * 0x1000000u + i;
		size_t target = i % n;
		take(&run, &run.seeds[target]);
		for (size_t k = 1 + below(&state, 2) * below(&state, 5); k > 0; k--)
			mutate_bytes(&run.at_hand, &run.seeds[below(&state, n)], &state);
		if (mends && below(&state, 4))
			mends(&targets[target], &run.at_hand);
		try(&run, reads, context, &targets[target], i);
		take(&run, &run.seeds[target]);
		remember(targets[target].file, &run.at_hand);
	}
	for (size_t i = 0; i < n; i++)
		free(run.seeds[i].at);
	free(run.seeds);
	free(run.at_hand.at);
	fprintf(stderr, "files: %ld were read, %ld refused\n", run.read, run.refused);
	printf("%ld passed, %ld failed\n", run.read + run.refused, run.failed);
	return run.failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
