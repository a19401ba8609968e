/* starter.c — becomes the executable of its rank's role, so that `mpiexec -n 4 ./model` starts all roles. It is linked
 * without MPI and knows its rank from the launcher's environment; started alone it becomes rank 0's executable, which
 * then says how many ranks are needed, or prints --help.
 *
 * If the role's executable is missing, the process must not just end: a launcher that waits for its MPI_Init would wait
 * for ever. So it speaks the launcher's own protocol (PMI 1, over the descriptor PMI_FD): init, then abort. */
#define _POSIX_C_SOURCE 200809L
#include "starter.h"

#include "launchers.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { STATUS_MISSING = 127, OTHERS_WAIT_MS = 150 };

/* The rank the launcher gave, or -1. */
static int own_rank(void)
{
	static const char *const names[] = {LAUNCHER_RANKS, "SLURM_PROCID", NULL};
	return launcher_number(names, -1);
}

/* The run of ranks that a rank is in; the first one for ranks the program has no work for. */
static const struct pmlrt_starter_run *run_of(int rank)
{
	for (int i = 0; i < pmlrt_starter.nruns; i++) {
		const struct pmlrt_starter_run *r = &pmlrt_starter.runs[i];
		if (rank >= r->first && rank < r->first + r->count)
			return r;
	}
	return &pmlrt_starter.runs[0];
}

static void tell_launcher(void)
{
	const char *text = getenv("PMI_FD");
	char answer[1024];
	int fd = text ? atoi(text) : -1;
	if (fd < 0)
		return;
	static const char init[] = "cmd=init pmi_version=1 pmi_subversion=1\n", end[] = "cmd=abort exitcode=127\n";
	if (write(fd, init, sizeof init - 1) < 0 || read(fd, answer, sizeof answer) <= 0 ||
	    write(fd, end, sizeof end - 1) < 0)
		return;
	if (read(fd, answer, sizeof answer) < 0)
		return;
}

/* The first rank of its kind speaks, the others give it time to. */
static int missing(const char *path, int rank, const struct pmlrt_starter_run *run, int why)
{
	if (rank > run->first)
		nanosleep(&(struct timespec){.tv_nsec = OTHERS_WAIT_MS * 1000000}, NULL);
	fprintf(stderr,
		"error: cannot start %s: %s\nhelp: compile the program again; its executables belong together\n", path,
		strerror(why));
	tell_launcher();
	return STATUS_MISSING;
}

int main(int argc, char **argv)
{
	char self[PATH_MAX], path[PATH_MAX + 256];
	int rank = own_rank();
	const struct pmlrt_starter_run *run = run_of(rank < 0 ? 0 : rank);
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	snprintf(path, sizeof path, "%.*s.%s", n > 0 ? (int)n : PATH_MAX - 1,
		 n > 0      ? self
		 : argc > 0 ? argv[0]
			    : "",
		 pmlrt_starter.roles[run->role]);
	execv(path, argv);
	return missing(path, rank < 0 ? 0 : rank, run, errno);
}
