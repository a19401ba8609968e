/* alike.c — see alike.h. One all-reduce for all facts; the rest happens only when the job is about to end. */
#define _DEFAULT_SOURCE
#include "alike.h"

#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SHOWN_MOST = 512, BLOCK = 4096, BLOCKS = 64 };

/* Rank 0 speaks for all; the others are ended by it. */
static _Noreturn void tell(struct pmlrt *rt, const struct rt_fact *fact, const char *about, const char *help,
			   int32_t site)
{
	struct rt_pause pause;
	uint64_t first = fact->value;
	char shown[SHOWN_MOST];
	rt_broadcast(rt, &first, 1, MPI_UINT64_T, 0, about, site);
	int other = fact->value != first ? rt->rank : rt->size;
	rt_all_reduce(rt, &other, 1, MPI_INT, MPI_MIN, about, site);
	snprintf(shown, sizeof shown, "%s", fact->shown);
	rt_broadcast(rt, shown, sizeof shown, MPI_CHAR, other, about, site);
	if (rt->rank == 0)
		rt_fail(rt, site, "%s: rank 0 %s, rank %d %s%s%s", about, fact->shown, other, shown,
			help ? "\nhelp: " : "", help ? help : "");
	rt_wait_begin(rt, about, -1, site);
	rt_pause_begin(rt, &pause);
	for (;;)
		rt_pause(rt, &pause);
}

void rt_alike(struct pmlrt *rt, const struct rt_fact *facts, int n, const char *about, const char *help, int32_t site)
{
	if (rt->size == 1)
		return;
	/* The largest of v and of ~v: their greatest and, from the other side, their least. */
	int64_t *ends = rt_alloc(rt, 2 * n * (int64_t)sizeof *ends);
	for (int i = 0; i < n; i++) {
		ends[2 * i] = (int64_t)facts[i].value;
		ends[2 * i + 1] = ~ends[2 * i];
	}
	rt_all_reduce(rt, ends, 2 * n, MPI_INT64_T, MPI_MAX, about, site);
	for (int i = 0; i < n; i++)
		if (ends[2 * i] != ~ends[2 * i + 1])
			tell(rt, &facts[i], about, help, site);
	rt_release(rt, ends);
}

uint64_t rt_fact_of_text(const char *text)
{
	return text ? checksum_add(1, text, (int64_t)strlen(text), 1, 0) : 0;
}

/* ---- files ---- */

/* Blocks at even distances, the first and the last among them. A file that shrinks meanwhile gives another sum. */
static uint64_t sum_of_blocks(int fd, int64_t size)
{
	char block[BLOCK];
	int64_t last = size > BLOCK ? size - BLOCK : 0;
	uint64_t sum = (uint64_t)size;
	for (int i = 0; i < BLOCKS; i++) {
		int64_t at = size <= (int64_t)BLOCK * BLOCKS ? (int64_t)i * BLOCK : last / (BLOCKS - 1) * i;
		if (i == BLOCKS - 1 && at < last)
			at = last;
		if (at >= size)
			break;
		ssize_t n = pread(fd, block, BLOCK, at);
		if (n > 0)
			sum = checksum_add(sum, block, n, 1, at);
	}
	return sum;
}

void rt_same_file(struct pmlrt *rt, const char *path, int32_t site)
{
	if (rt->size == 1)
		return;
	struct stat s;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	int why = fd < 0 || fstat(fd, &s) != 0 ? errno : 0;
	bool file = !why && S_ISREG(s.st_mode);
	uint64_t sum = file ? sum_of_blocks(fd, s.st_size) : (uint64_t)why;
	char *shown = why    ? rt_format(rt, "cannot open it: %s", strerror(why))
		      : file ? rt_format(rt, "sees %lld bytes (checksum %016llx)", (long long)s.st_size,
					 (unsigned long long)sum)
			     : rt_format(rt, "sees no file");
	char *about = rt_format(rt, "`%s` is not the same file on all ranks", path);
	if (fd >= 0)
		close(fd);
	struct rt_fact fact = {rt_fact_of_text(shown), shown};
	rt_alike(rt, &fact, 1, about, "copy it to the same place on every host", site);
	rt_release(rt, about);
	rt_release(rt, shown);
}
