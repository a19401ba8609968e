/* early.c — preloaded into a rank, it makes that rank leave: LEAVE_RANK, by LEAVE_BY (exit, _exit, abort; stop: it stays and does nothing), as soon as
 * the file LEAVE_WHEN holds something, or, without one, before the program begins. A program that leaves so must not
 * count as a success. */
#define _DEFAULT_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { LARGE = 100000 };

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
	if (!mine || !rank || strcmp(mine, rank) != 0 || strcmp(getenv("LEAVE_BY"), "read") == 0)
		return;
	if (!getenv("LEAVE_WHEN"))
		leave(NULL);
	pthread_create(&thread, NULL, leave, NULL);
}

static ssize_t read_of(pid_t pid, const struct iovec *to, unsigned long n, const struct iovec *from, unsigned long m, unsigned long flags)
{
	return syscall(SYS_process_vm_readv, pid, to, n, from, m, flags);
}

ssize_t process_vm_readv(pid_t pid, const struct iovec *to, unsigned long n, const struct iovec *from, unsigned long m, unsigned long flags)
{
	const char *by = getenv("LEAVE_BY");
	if (by && strcmp(by, "read") == 0 && pid != getpid() && m > 0 && from->iov_len >= LARGE) {
		kill(pid, SIGKILL);
		while (read_of(pid, to, n, from, m, flags) > 0)
			usleep(1000);
	}
	return read_of(pid, to, n, from, m, flags);
}
