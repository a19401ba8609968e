/* witness.c — the process that tells of a rank's death. Nobody survives a rank that is killed: the launcher kills the
 * others at once and says neither which rank it was nor at which step. So every rank has a child that waits for its end
 * and, if that came without a word, writes one line: rank, signal, step. The line goes the way of the rank's own
 * messages, so it comes from other machines as well. Ranks that the launcher kills then stay silent: they are killed as
 * process groups, their witnesses with them.
 *
 * The child only sleeps, and keeps open what the rank had open then: a launcher that sees the rank's end of its control
 * channel close kills the whole group before the witness can speak. It shares the rank's structure (rt_shared), and
 * learns the signal from what /proc says of a process that has ended and that its parent has not asked for yet;
 * launchers that ask at once leave it unknown. */
#define _GNU_SOURCE
#include "peers.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { UNKNOWN = -1 };

struct deceased {
	pid_t pid, launcher;
	int code; /* as waitpid gives it, or UNKNOWN */
};

/* _exit is for ranks. */
static _Noreturn void leave(void)
{
	for (;;)
		syscall(SYS_exit_group, 0);
}

static void tell(const struct pmlrt *rt, const struct deceased *d)
{
	char how[100], when[64], line[256];
	if (d->code == UNKNOWN)
		snprintf(how, sizeof how, "was killed");
	else if (WIFSIGNALED(d->code) && sigabbrev_np(WTERMSIG(d->code)))
		snprintf(how, sizeof how, "was killed by SIG%s", sigabbrev_np(WTERMSIG(d->code)));
	else if (WIFSIGNALED(d->code))
		snprintf(how, sizeof how, "was killed by signal %d", WTERMSIG(d->code));
	else
		snprintf(how, sizeof how, "left before the end of the program with status %d", WEXITSTATUS(d->code));
	if (atomic_load(&rt->phase) == RT_STARTING)
		snprintf(when, sizeof when, "before all ranks had started");
	else
		snprintf(when, sizeof when, "(step %lld)", (long long)atomic_load(&rt->step));
	int n = snprintf(line, sizeof line, "error: rank %d %s %s\n", rt->rank, how, when);
	if (write(STDERR_FILENO, line, (size_t)n) == n)
		rt_wait_forwarding(rt);
}

static _Noreturn void watch(const struct pmlrt *rt, struct deceased *d)
{
	const int died = SIGUSR1;
	int signal;
	sigset_t all;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	prctl(PR_SET_NAME, "pml-witness");
	prctl(PR_SET_PDEATHSIG, died);
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, died);
	while (getppid() == d->pid && sigwait(&set, &signal) == 0)
		;
	if (atomic_load(&rt->life.over))
		leave();
	bool there = process_state(d->pid, &d->code) == 'Z';
	if (!there)
		d->code = UNKNOWN;
	/* A launcher that is gone takes its ranks with it. */
	char launcher = process_state(d->launcher, NULL);
	if (launcher && launcher != 'Z')
		tell(rt, d);
	leave();
}

void rt_witness_start(struct pmlrt *rt)
{
	struct deceased d = {getpid(), getppid(), UNKNOWN};
	if (!rt->launched)
		return;
	pid_t child = fork();
	if (child == 0)
		watch(rt, &d);
	rt->witness = child > 0 ? (int)child : 0;
}

void rt_witness_end(struct pmlrt *rt)
{
	if (!rt->witness)
		return;
	kill(rt->witness, SIGKILL);
	waitpid(rt->witness, NULL, 0);
	rt->witness = 0;
}
