/* early.c — preloaded into a rank, it makes that rank leave: LEAVE_RANK, by LEAVE_BY (exit, _exit, abort; stop: it stays and does nothing), as soon as
 * the file LEAVE_WHEN holds something, or, without one, before the program begins. A program that leaves so must not
 * count as a success. */
#define _DEFAULT_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void *leave(void *unused)
{
	const char *by = getenv("LEAVE_BY"), *when = getenv("LEAVE_WHEN");
	struct stat s;
	while (when && (stat(when, &s) != 0 || s.st_size == 0))
		usleep(5000);
	if (by && strcmp(by, "stop") == 0)
		raise(SIGSTOP);
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
	if (!mine || !rank || strcmp(mine, rank) != 0)
		return;
	if (!getenv("LEAVE_WHEN"))
		leave(NULL);
	pthread_create(&thread, NULL, leave, NULL);
}
