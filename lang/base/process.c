/* process.c — vfork and exec, a pipe for what the child says, another for why there is none, and a descriptor for
 * signals. The kernel tells the child when its parent is gone (PR_SET_PDEATHSIG): SIGTERM, so that mpiexec can end its
 * ranks. */
#define _GNU_SOURCE
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

void process_follow(int parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(PROCESS_NOT_STARTED);
}

static _Noreturn void become(const struct process *p, int output, int why, int parent, const sigset_t *mask)
{
	sigprocmask(SIG_SETMASK, mask, NULL);
	signal(SIGXFSZ, SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(PROCESS_NOT_STARTED);
	if (p->output)
		dup2(output, STDOUT_FILENO);
	if (p->output && p->with_errors)
		dup2(output, STDERR_FILENO);
	if (p->messages)
		dup2(fileno(p->messages), STDERR_FILENO);
	execvp(p->argv[0], p->argv);
	int error = errno;
	if (write(why, &error, sizeof error) < 0)
		_exit(PROCESS_NOT_STARTED);
	_exit(PROCESS_NOT_STARTED);
}

/* What can be read from fd at once; false at its end. */
static bool collect(struct process *p, int fd)
{
	char buffer[4096];
	ssize_t n = read(fd, buffer, sizeof buffer);
	if (n > 0 && p->output->n < p->most)
		text_add_n(p->output, buffer, (size_t)n);
	return n > 0 || (n < 0 && errno == EINTR);
}

/* A signal that came in: the child's end, or one to hand on. The terminal has given its own to the child already. */
static void take_signal(struct process *p, int fd, pid_t child)
{
	struct signalfd_siginfo info;
	if (read(fd, &info, sizeof info) != (ssize_t)sizeof info || info.ssi_signo == SIGCHLD)
		return;
	p->signal = (int)info.ssi_signo;
	if (info.ssi_code != SI_KERNEL)
		kill(child, p->signal);
}

/* Until the child has ended and all it said is read. */
static int wait_for(struct process *p, pid_t child, int output, int signals)
{
	bool ended = false;
	int status = 0;
	while (!ended || output >= 0) {
		struct pollfd fds[2] = {{.fd = output, .events = POLLIN}, {.fd = signals, .events = POLLIN}};
		if (!ended && waitpid(child, &status, WNOHANG) == child) {
			ended = true;
			continue;
		}
		if (poll(fds, 2, -1) < 0)
			continue;
		if (fds[1].revents)
			take_signal(p, signals, child);
		if (fds[0].revents && !collect(p, output))
			output = -1;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int start_and_wait(struct process *p, int signals, const int *output, const int *why, const sigset_t *mask)
{
	int parent = getpid(), error = 0;
	/* Not fork, which copies the tables of all of this process's pages. Until the child has become the other
	 * program, it writes to no memory but its own part of the stack. */
	pid_t child = vfork();
	if (child == 0)
		become(p, output[1], why[1], parent, mask);
	int failed = child < 0 ? errno : 0;
	close(why[1]);
	if (p->output)
		close(output[1]);
	if (!failed && read(why[0], &error, sizeof error) == (ssize_t)sizeof error)
		failed = error;
	int status = child < 0 ? PROCESS_NOT_STARTED : wait_for(p, child, p->output ? output[0] : -1, signals);
	p->error = failed ? strerror(failed) : NULL;
	return failed ? PROCESS_NOT_STARTED : status;
}

int process_run(struct process *p)
{
	int output[2] = {-1, -1}, why[2] = {-1, -1}, status = PROCESS_NOT_STARTED;
	sigset_t watched, before;
	p->signal = 0;
	p->error = NULL;
	signal(SIGCHLD, SIG_DFL); /* who started us may have had it ignored, and then no child could be waited for */
	sigemptyset(&watched);
	sigaddset(&watched, SIGCHLD);
	if (p->hands_signals) {
		sigaddset(&watched, SIGINT);
		sigaddset(&watched, SIGTERM);
		sigaddset(&watched, SIGHUP);
	}
	sigprocmask(SIG_BLOCK, &watched, &before);
	int signals = signalfd(-1, &watched, SFD_CLOEXEC);
	if (signals < 0 || pipe2(why, O_CLOEXEC) != 0 || (p->output && pipe2(output, O_CLOEXEC) != 0)) {
		p->error = strerror(errno);
		close(why[1]);
	} else {
		status = start_and_wait(p, signals, output, why, &before);
	}
	close(why[0]);
	close(output[0]);
	close(signals);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return status;
}
