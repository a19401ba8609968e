/* ahead.c — see ahead.h. How many pages had to be read from the disk the kernel counts for each thread. */
#define _GNU_SOURCE
#include "ahead.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { COLD_BATCHES = 8, LOOK_PAGES = 64 };

static int64_t disk_faults(void)
{
	struct rusage u;
	return getrusage(RUSAGE_THREAD, &u) == 0 ? u.ru_majflt : 0;
}

struct ahead_mark ahead_begin(const struct column *c, int64_t row)
{
	row = column_first_row(&c, row);
	bool counts = column_file(c, row)->mapped;
	return (struct ahead_mark){counts, counts ? disk_faults() : 0};
}

void ahead_end(struct ahead *a, struct ahead_mark mark)
{
	if (mark.counts && disk_faults() > mark.faults)
		a->cold = COLD_BATCHES;
}

/* The pages of a row, from a boundary on. */
static char *pages_of(const char *begin, const char *end, size_t *bytes)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), at = (uintptr_t)begin / page * page;
	*bytes = (uintptr_t)end - at;
	return (char *)at;
}

/* Whether the pages of a span are in memory, as far as is known. */
static bool is_in_memory(const struct row_span *span)
{
	unsigned char pages[LOOK_PAGES];
	size_t bytes, page = (size_t)sysconf(_SC_PAGESIZE);
	char *at = pages_of(span->begin, span->end, &bytes);
	for (size_t n; bytes > 0; at += n, bytes -= n) {
		n = bytes < LOOK_PAGES * page ? bytes : LOOK_PAGES * page;
		if (mincore(at, n, pages) != 0)
			return true;
		for (size_t i = 0; i < (n + page - 1) / page; i++)
			if (!(pages[i] & 1))
				return false;
	}
	return true;
}

bool ahead_is_there(const struct ahead *a, const struct column *c, int64_t row)
{
	struct row_span span;
	for (int64_t k = 0, pieces = a->cold ? column_pieces(c) : 0; k < pieces; k++)
		if (column_span(c, row, k, &span) && !is_in_memory(&span))
			return false;
	return true;
}

bool ahead_window(struct ahead *a, const struct feed *f, int64_t *first, int64_t *last)
{
	int64_t end = f->current + f->nslots < f->total ? f->current + f->nslots : f->total;
	if (!a->cold || f->nslots == 1)
		return false;
	a->cold--;
	*first = a->next > f->current ? a->next : f->current;
	*last = a->next = end;
	return *first < *last;
}

void ahead_announce_end(struct ahead *a)
{
	size_t bytes;
	if (a->begin != a->end) {
		char *at = pages_of(a->begin, a->end, &bytes);
		madvise(at, bytes, MADV_WILLNEED);
	}
	a->begin = a->end = NULL;
}

static void announce_span(struct ahead *a, const struct row_span *at)
{
	if (a->begin && at->begin >= a->begin && at->begin <= a->end) {
		a->end = at->end > a->end ? at->end : a->end;
		return;
	}
	ahead_announce_end(a);
	a->begin = at->begin;
	a->end = at->end;
}

void ahead_announce(struct ahead *a, const struct column *c, int64_t row)
{
	struct row_span span;
	for (int64_t k = 0, pieces = column_pieces(c); k < pieces; k++)
		if (column_span(c, row, k, &span))
			announce_span(a, &span);
}
