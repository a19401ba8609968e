/* error.c — the end of a job that cannot go on: one message, from one rank, and no process left.
 * Several ranks often fail alike (a file that is missing everywhere), so rank 0 speaks at once and every other rank
 * waits a moment, in which a lower one that failed too ends the job with its own message. */
#define _POSIX_C_SOURCE 200809L
#include "peers.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
	FIRST_WAIT_MS = 100,
	RANK_WAIT_MS = 40,
	RANKS_APART = 12,
	FORWARD_MS = 30,
	OUTLIVE_LOOKS = 1000,
	MOST_FILES = 1024,
	ABORT_MOST_S = 5,
	MPI_WAIT_S = 1,
	END_WAIT_S = 1
};

const char *rt_site_text(const struct pmlrt *rt, int32_t site, char *buffer, size_t size)
{
	buffer[0] = 0;
	if (site > 0 && site < rt->program->nsites) {
		const struct pmlrt_site *s = &rt->program->sites[site];
		snprintf(buffer, size, "%s:%d:%d", s->file, s->line, s->column);
	}
	return buffer;
}

/* Not even a launcher that does not answer keeps this process. */
static void end_soon(void)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	signal(SIGALRM, SIG_DFL);
	signal(SIGPIPE, SIG_IGN); /* a launcher that is gone */
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	alarm(ABORT_MOST_S);
}

static void wait_turn(const struct pmlrt *rt)
{
	if (rt->rank == 0)
		return;
	int64_t ms = FIRST_WAIT_MS + RANK_WAIT_MS * (rt->rank < RANKS_APART ? rt->rank : RANKS_APART);
	nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

/* A launcher that is told to abort may end before it has read what was written: in 2 of 60 runs a message was lost. */
void rt_wait_forwarding(const struct pmlrt *rt)
{
	if (rt->launched)
		nanosleep(&(struct timespec){.tv_nsec = FORWARD_MS * 1000000}, NULL);
}

void rt_outlive(const struct pmlrt *rt)
{
	pid_t parent = getpid();
	if (!rt->launched || fork() != 0)
		return;
	const struct timespec moment = {.tv_nsec = FORWARD_MS * 1000000 / 10};
	for (int i = 0; i < OUTLIVE_LOOKS && getppid() == parent; i++)
		nanosleep(&moment, NULL);
	/* The launcher sees the output end, looks around, and finds the parent gone. It left copies of its ends open
	 * here. */
	for (int fd = 0; fd < MOST_FILES; fd++)
		if (fd != STDERR_FILENO)
			close(fd);
	nanosleep(&(struct timespec){.tv_nsec = FORWARD_MS * 1000000}, NULL);
	_exit(0);
}

/* A launcher that waits for this rank's MPI_Init, or was asked by it already, understands this; the rank's main thread
 * only waits for an answer then (PMI 1, see starter.c). */
static void end_through_launcher(int status)
{
	const char *text = getenv("PMI_FD");
	char line[64];
	int n = snprintf(line, sizeof line, "cmd=abort exitcode=%d\n", status);
	if (text && write(atoi(text), line, (size_t)n) == n)
		nanosleep(&(struct timespec){.tv_nsec = FORWARD_MS * 1000000}, NULL);
}

/* MPI_Abort ends the job through the launcher; what it would say itself is not for users. */
_Noreturn void rt_abort(struct pmlrt *rt, int status)
{
	rt_ranks_forget();
	atomic_store(&rt->life.over, true);
	end_soon();
	fflush(NULL);
	if (status > RT_SIGNAL_STATUS)
		rt_outlive(rt);
	int up = 0, down = 0;
	if (rt->mpi_up && MPI_Initialized(&up) == MPI_SUCCESS && MPI_Finalized(&down) == MPI_SUCCESS && up && !down) {
		int quiet = open("/dev/null", O_WRONLY);
		if (quiet >= 0)
			dup2(quiet, STDERR_FILENO);
		if (quiet > STDERR_FILENO)
			close(quiet);
		MPI_Abort(MPI_COMM_WORLD, status);
	}
	if (rt->launched && !rt->mpi_up) {
		end_through_launcher(status);
		nanosleep(&(struct timespec){.tv_nsec = (RANKS_APART * RANK_WAIT_MS + FIRST_WAIT_MS) * 1000000},
			  NULL); /* those whose turn comes see that this one speaks */
	}
	_exit(status);
}

/* What a file holds goes to no terminal as it is: bytes that would move its cursor or change its colours become `?`. */
static void make_printable(char *text)
{
	for (char *p = text; *p; p++)
		if (((unsigned char)*p < ' ' && *p != '\n' && *p != '\t') || *p == 0x7f)
			*p = '?';
}

/* The whole text goes out in one write, so that lines of several processes do not mix. */
void rt_say(struct pmlrt *rt, int32_t site, const char *text)
{
	char message[4096], place[512];
	const char *title = rt->test ? rt->program->tests[rt->test_number].title : NULL;
	rt_progress_clear(rt);
	fflush(stdout);
	rt_site_text(rt, site, place, sizeof place);
	int n = snprintf(message, sizeof message, "%s%serror: %s%s%s%s\n", place, place[0] ? ": " : "",
			 title ? "test \"" : "", title ? title : "", title ? "\": " : "", text);
	make_printable(message);
	if (n >= (int)sizeof message)
		n = (int)sizeof message - 1;
	if (write(STDERR_FILENO, message, (size_t)n) < 0)
		_exit(1);
}

/* Another rank has spoken, and the launcher is about to end this one. */
static _Noreturn void wait_end(struct pmlrt *rt, int status)
{
	nanosleep(&(struct timespec){.tv_sec = END_WAIT_S}, NULL);
	rt_abort(rt, status);
}

static _Noreturn void fail(struct pmlrt *rt, int32_t site, int status, const char *fmt, va_list ap)
{
	char text[3072];
	while (atomic_exchange(&rt->failing, true)) /* another thread is at it and ends this one */
		pause();
	end_soon();
	vsnprintf(text, sizeof text, fmt, ap);
	rt_ranks_forget();
	wait_turn(rt);
	if (peers_speak(rt))
		wait_end(rt, status);
	atomic_store(&rt->life.speaks, true);
	rt_say(rt, site, text);
	rt_wait_forwarding(rt);
	rt_abort(rt, status);
}

_Noreturn void rt_fail(struct pmlrt *rt, int32_t site, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	fail(rt, site, 1, fmt, ap);
}

_Noreturn void rt_fail_with(struct pmlrt *rt, int status, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	fail(rt, 0, status, fmt, ap);
}

_Noreturn void rt_fail_communication(struct pmlrt *rt, int32_t site, const char *call, const char *why)
{
	const char *role = rt->program->role;
	/* If it failed because another rank is gone, this one is ended before it can say so. */
	nanosleep(&(struct timespec){.tv_sec = MPI_WAIT_S}, NULL);
	rt_fail(rt, site, "rank %d%s%s: %.*s: %s", rt->rank, role && role[0] ? " of role " : "", role ? role : "",
		(int)strcspn(call, "("), call, why);
}

_Noreturn void rt_fail_mpi(struct pmlrt *rt, int32_t site, const char *call, int code)
{
	char why[MPI_MAX_ERROR_STRING];
	int n = 0;
	if (MPI_Error_string(code, why, &n) != MPI_SUCCESS)
		snprintf(why, sizeof why, "error %d", code);
	rt_fail_communication(rt, site, call, why);
}
