/* fault.c — preloaded into a program, it sends one signal from an exact place of one rank's life: FAULT_SIGNAL (a
 * number) to FAULT_RANK (itself), or, with FAULT_TO=launcher, to the launcher, at call number FAULT_COUNT (from 1) of
 * FAULT_PHASE:
 *   begin       before main
 *   witness     fork
 *   start       MPI_Init_thread
 *   connect     MPI_Comm_dup, MPI_Comm_split and alike
 *   step        MPI_Isend and MPI_Pcontrol: messages of steps, the latter through windows
 *   checkpoint  calls on files, from the first one in the folder `ckpt` on
 *   save        the same, from the first one on `final.safetensors` on
 *   end         MPI_Finalize
 * The file FAULT_FIRED is made just before. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char *phase = "";
static int count, in_checkpoint, in_save;

static pid_t parent_of(pid_t pid)
{
	char path[64], line[512] = "";
	int parent = 0;
	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	FILE *f = fopen(path, "r");
	if (f && fgets(line, sizeof line, f) && strrchr(line, ')'))
		sscanf(strrchr(line, ')') + 1, " %*c %d", &parent);
	if (f)
		fclose(f);
	return parent;
}

static void at(const char *here)
{
	if (strcmp(here, phase) != 0 || --count != 0)
		return;
	const char *to = getenv("FAULT_TO"), *fired = getenv("FAULT_FIRED"), *number = getenv("FAULT_SIGNAL");
	int signal = number ? atoi(number) : SIGKILL;
	phase = "";
	if (fired)
		close((int)syscall(SYS_openat, AT_FDCWD, fired, O_WRONLY | O_CREAT, 0666));
	/* The launcher's helper is the parent. */
	kill(to && strcmp(to, "launcher") == 0 ? parent_of(getppid()) : getpid(), signal);
}

static void at_file(const char *path)
{
	in_checkpoint |= path && strncmp(path, "ckpt", 4) == 0;
	in_save |= path && strncmp(path, "final.safetensors", 17) == 0;
	if (in_checkpoint)
		at("checkpoint");
	if (in_save)
		at("save");
}

__attribute__((constructor)) static void begin(void)
{
	const char *mine = getenv("PMI_RANK"), *rank = getenv("FAULT_RANK"), *n = getenv("FAULT_COUNT");
	if (!mine || !rank || strcmp(mine, rank) != 0 || !getenv("FAULT_PHASE"))
		return;
	phase = getenv("FAULT_PHASE");
	count = n ? atoi(n) : 1;
	at("begin");
}

#define NEXT(name) ((__typeof__(&name))(uintptr_t)dlsym(RTLD_NEXT, #name))

pid_t fork(void)
{
	pid_t child = NEXT(fork)();
	if (child > 0)
		at("witness");
	return child;
}

int MPI_Init_thread(int *argc, char ***argv, int wanted, int *got)
{
	at("start");
	return NEXT(MPI_Init_thread)(argc, argv, wanted, got);
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *out)
{
	at("connect");
	return NEXT(MPI_Comm_dup)(comm, out);
}

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *out)
{
	at("connect");
	return NEXT(MPI_Comm_split_type)(comm, type, key, info, out);
}

int MPI_Isend(const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
	at("step");
	return NEXT(MPI_Isend)(data, n, type, to, tag, comm, request);
}

int MPI_Pcontrol(const int level, ...)
{
	(void)level;
	at("step");
	return MPI_SUCCESS;
}

int MPI_Finalize(void)
{
	at("end");
	return NEXT(MPI_Finalize)();
}

int open(const char *path, int flags, ...)
{
	va_list ap;
	va_start(ap, flags);
	int mode = va_arg(ap, int);
	va_end(ap);
	if (flags & (O_WRONLY | O_RDWR))
		at_file(path);
	return NEXT(open)(path, flags, mode);
}

ssize_t pwrite(int fd, const void *bytes, size_t n, off_t to)
{
	at_file(NULL);
	return NEXT(pwrite)(fd, bytes, n, to);
}

int fsync(int fd)
{
	at_file(NULL);
	return NEXT(fsync)(fd);
}

int mkdir(const char *path, mode_t mode)
{
	at_file(path);
	return NEXT(mkdir)(path, mode);
}

int rename(const char *from, const char *to)
{
	at_file(from);
	return NEXT(rename)(from, to);
}
