/* early.c — preloaded into a rank, it makes that rank leave in the middle: LEAVE_RANK, after LEAVE_MS, by LEAVE_BY
 * (exit, _exit, abort). A program that leaves so must not count as a success. */
#define _DEFAULT_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *leave(void *unused)
{
	const char *by = getenv("LEAVE_BY"), *ms = getenv("LEAVE_MS");
	usleep((useconds_t)(ms ? atoi(ms) : 300) * 1000);
	if (by && strcmp(by, "abort") == 0)
		abort();
	if (by && strcmp(by, "_exit") == 0)
		_exit(0);
	exit(0);
	return unused;
}

__attribute__((constructor)) static void begin(void)
{
	const char *mine = getenv("PMI_RANK"), *rank = getenv("LEAVE_RANK");
	pthread_t thread;
	if (mine && rank && strcmp(mine, rank) == 0)
		pthread_create(&thread, NULL, leave, NULL);
}
