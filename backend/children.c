/* children.c — see children.h. This process and its children take the next piece that nobody has taken, until there is
 * none, and write down what came of it in memory that they share: a process pays for LLVM's start once. */
#define _GNU_SOURCE
#include "children.h"

#include "base/process.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_PROCESSES = 16 };

struct shared {
	atomic_int next;
	struct piece_outcome {
		bool done;
		struct outcome outcome;
	} piece[];
};

static void take_pieces(struct shared *shared, children_work *work, const void *context, int n)
{
	for (int i; (i = atomic_fetch_add(&shared->next, 1)) < n;) {
		work(context, i, &shared->piece[i].outcome);
		shared->piece[i].done = true;
	}
}

static int start_children(pid_t *child, int most, struct shared *shared, children_work *work, const void *context,
			  int n)
{
	int started = 0, parent = getpid();
	for (int i = 0; i < most; i++) {
		pid_t pid = fork();
		if (pid == 0) {
			process_follow(parent);
			take_pieces(shared, work, context, n);
			_exit(0);
		}
		if (pid > 0)
			child[started++] = pid;
	}
	return started;
}

static int processors(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);
	return n < 1 ? 1 : n > MOST_PROCESSES ? MOST_PROCESSES : (int)n;
}

void children_run(children_work *work, const void *context, int n, struct outcome *outcomes)
{
	int processes = processors() < n ? processors() : n;
	size_t size = sizeof(struct shared) + (size_t)n * sizeof(struct piece_outcome);
	pid_t child[MOST_PROCESSES];
	struct shared *shared = processes > 1
					? mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)
					: MAP_FAILED;
	if (shared == MAP_FAILED) {
		for (int i = 0; i < n; i++)
			work(context, i, &outcomes[i]);
		return;
	}
	int children = start_children(child, processes - 1, shared, work, context, n);
	take_pieces(shared, work, context, n);
	for (int i = 0; i < children; i++)
		while (waitpid(child[i], NULL, 0) < 0 && errno == EINTR)
			;
	for (int i = 0; i < n; i++) {
		BUG_IF(!shared->piece[i].done, "the process that compiled part %d died", i);
		outcomes[i] = shared->piece[i].outcome;
	}
	munmap(shared, size);
}
