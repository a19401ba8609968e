/* mapped.c — see mapped.h. A signal handler gets no argument of ours, so the mappings of the process are a list of this
 * file's own. The handler may end the job as any other place does: the signal comes from the very instruction that
 * touches a row, in code that copies or parses, never from within MPI or the C library's output. */
#define _DEFAULT_SOURCE
#include "mapped.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static struct rt_mapping *mappings;
static struct sigaction before; /* what SIGBUS did before there were mappings */

static int64_t size_now(const struct rt_mapping *m)
{
	struct stat s;
	int failed = m->fd >= 0 ? fstat(m->fd, &s) : stat(m->path, &s);
	return failed ? -1 : s.st_size;
}

void mapped_check(const struct rt_mapping *m)
{
	int64_t size = size_now(m);
	if (size >= 0 && size < m->bytes)
		rt_fail(m->rt, m->site,
			"`%s` was cut short while the program ran: it had %lld bytes and has %lld\n"
			"help: write a new file beside it and rename it; programs that read the old one keep it",
			m->path, (long long)m->bytes, (long long)size);
}

static void on_bus(int signal, siginfo_t *info, void *context)
{
	(void)context;
	const char *at = info->si_addr;
	const struct rt_mapping *m = mappings;
	while (m && (at < m->begin || at >= m->begin + m->bytes))
		m = m->next;
	if (!m) { /* somebody else's: the instruction runs once more, and what was there before sees to it */
		sigaction(signal, &before, NULL);
		return;
	}
	mapped_check(m);
	rt_fail(m->rt, m->site, "cannot read `%s`: %s", m->path, strerror(EIO));
}

static void add(struct rt_mapping *m)
{
	struct sigaction act = {.sa_sigaction = on_bus, .sa_flags = SA_SIGINFO};
	if (!mappings)
		sigaction(SIGBUS, &act, &before);
	m->next = mappings;
	mappings = m;
}

struct rt_mapping *mapped_file(struct pmlrt *rt, int fd, bool keeps, const char *path, int64_t bytes, int32_t site)
{
	struct rt_mapping *m = rt_alloc(rt, sizeof *m);
	void *at = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	if (at == MAP_FAILED)
		rt_fail(rt, site, "cannot read `%s`: %s", path, strerror(errno));
	*m = (struct rt_mapping){.rt = rt, .begin = at, .bytes = bytes, .fd = fd, .path = path, .site = site};
	add(m);
	mapped_check(m);
	if (!keeps) {
		close(fd);
		m->fd = -1;
	}
	return m;
}

void mapped_release(struct rt_mapping *m)
{
	struct rt_mapping **at = &mappings;
	while (*at && *at != m)
		at = &(*at)->next;
	if (*at)
		*at = m->next;
	if (!mappings)
		sigaction(SIGBUS, &before, NULL);
	munmap(m->begin, (size_t)m->bytes);
	if (m->fd >= 0)
		close(m->fd);
	rt_release(m->rt, m);
}
