/* count_messages.c — preloaded, counts what ranks move: bytes that MPI is given in messages and collectives, and those
 * it is told of that go through windows (runtime/windows.h), and those that are read by calls of the kernel. Each rank
 * appends "messages BYTES windows BYTES read BYTES" to the file COUNT_FILE. The rank COUNT_REFUSED (of MPICH's
 * launcher) gets no memory for windows, and COUNT_CLOSED may not read a word of that of other processes, as is tried at
 * start: MPI reads more. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <mpi.h>
#include <stdio.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>

enum { WINDOW_MESSAGE = 0x706d6c };
static long long messages, windows, bytes_read;

int memfd_create(const char *name, unsigned flags)
{
	const char *refused = getenv("COUNT_REFUSED"), *rank = getenv("PMI_RANK");
	if (refused && rank && !strcmp(refused, rank) && !strcmp(name, "pml-window")) {
		errno = ENOMEM;
		return -1;
	}
	return ((__typeof__(&memfd_create))(__UINTPTR_TYPE__)dlsym(RTLD_NEXT, "memfd_create"))(name, flags);
}

ssize_t process_vm_readv(pid_t pid, const struct iovec *local, unsigned long nlocal, const struct iovec *remote,
			 unsigned long nremote, unsigned long flags)
{
	const char *closed = getenv("COUNT_CLOSED"), *rank = getenv("PMI_RANK");
	if (closed && rank && !strcmp(closed, rank) && local->iov_len == sizeof(long long)) {
		errno = EPERM;
		return -1;
	}
	ssize_t n = ((__typeof__(&process_vm_readv))(__UINTPTR_TYPE__)dlsym(RTLD_NEXT, "process_vm_readv"))(
		pid, local, nlocal, remote, nremote, flags);
	bytes_read += n > 0 ? n : 0;
	return n;
}

int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
	int size;
	PMPI_Type_size(type, &size);
	messages += (long long)count * size;
	return PMPI_Isend(data, count, type, to, tag, comm, request);
}

/* Of a collective what goes to others. */
static void count(const int *counts, MPI_Datatype type, MPI_Comm comm)
{
	int size, ranks, own;
	PMPI_Type_size(type, &size);
	PMPI_Comm_size(comm, &ranks);
	PMPI_Comm_rank(comm, &own);
	for (int r = 0; r < ranks; r++)
		messages += r == own ? 0 : (long long)counts[r] * size;
}

int MPI_Ireduce_scatter(const void *from, void *to, const int *counts, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
			MPI_Request *request)
{
	count(counts, type, comm);
	return PMPI_Ireduce_scatter(from, to, counts, type, op, comm, request);
}

int MPI_Ialltoallv(const void *from, const int *counts, const int *at, MPI_Datatype type, void *to,
		   const int *to_counts, const int *to_at, MPI_Datatype to_type, MPI_Comm comm, MPI_Request *request)
{
	count(counts, type, comm);
	return PMPI_Ialltoallv(from, counts, at, type, to, to_counts, to_at, to_type, comm, request);
}

int MPI_Pcontrol(const int level, ...)
{
	va_list ap;
	va_start(ap, level);
	if (level == WINDOW_MESSAGE) {
		(void)va_arg(ap, int);
		windows += va_arg(ap, long long);
	}
	va_end(ap);
	return MPI_SUCCESS;
}

int MPI_Finalize(void)
{
	FILE *f = fopen(getenv("COUNT_FILE"), "a");
	if (f) {
		fprintf(f, "messages %lld windows %lld read %lld\n", messages, windows, bytes_read);
		fclose(f);
	}
	return PMPI_Finalize();
}
