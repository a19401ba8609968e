/* shown.c — see shown.h. The file has a byte for each byte of the blocks, in their order, and memory where they are
 * shown. A page becomes one of the file in its place: what it holds is written there, then the file is mapped over it.
 */
#define _GNU_SOURCE
#include "shown.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096, ASKED = 64, SPANS = 512 /* each is up to two mappings, of 65530 that there may be */ };

struct span {
	char *begin, *end; /* whole pages */
};

struct rt_shown {
	int descriptor;
	int64_t at, room; /* of the file: the next block's first byte; bytes that are left for blocks */
	int blocks, spans, asked;
	struct span block[MEMORY_BLOCKS];
	int64_t place[MEMORY_BLOCKS]; /* where they begin in the file */
	struct span span[SPANS];      /* shown, those that meet as one */
	struct span ask[ASKED];
};

static struct span pages_of(const char *array, int64_t bytes)
{
	char *begin = (char *)(uintptr_t)array;
	size_t head = (uintptr_t)begin % PAGE, tail = -((uintptr_t)begin + (size_t)bytes) % PAGE;
	return (struct span){begin - head, begin + bytes + tail};
}

static bool within(struct span x, struct span y)
{
	return x.begin >= y.begin && x.end <= y.end;
}

struct rt_shown *shown_make(struct pmlrt *rt, int descriptor, int64_t at, int64_t room)
{
	struct rt_shown *s = rt_alloc(rt, sizeof *s);
	s->descriptor = descriptor;
	s->at = at;
	s->room = room;
	return s;
}

int64_t shown_room(int64_t blocks, int64_t bytes)
{
	return bytes + 2 * PAGE * blocks;
}

void shown_cover(struct rt_shown *s, void *block, int64_t bytes)
{
	struct span pages = pages_of(block, bytes);
	int64_t wanted = pages.end - pages.begin;
	if (s->blocks == MEMORY_BLOCKS || wanted > s->room)
		return;
	s->block[s->blocks] = pages;
	s->place[s->blocks++] = s->at;
	s->at += wanted;
	s->room -= wanted;
}

static int block_of(const struct rt_shown *s, struct span pages)
{
	for (int i = 0; i < s->blocks; i++)
		if (within(pages, s->block[i]))
			return i;
	return -1;
}

static bool is_within_one(const struct span *of, int n, struct span pages)
{
	for (int i = 0; i < n; i++)
		if (within(pages, of[i]))
			return true;
	return false;
}

int64_t shown_place(struct rt_shown *s, const char *array, int64_t bytes)
{
	struct span pages = pages_of(array, bytes);
	int b = bytes > SHOWN_BYTES ? -1 : block_of(s, pages);
	if (b < 0)
		return -1;
	if (is_within_one(s->span, s->spans, pages))
		return s->place[b] + (array - s->block[b].begin);
	if (s->asked < ASKED && s->spans < SPANS && !is_within_one(s->ask, s->asked, pages))
		s->ask[s->asked++] = pages;
	return -1;
}

/* Pages none of which is shown yet. False: the file has no memory for them, and they stay as they are. */
static bool show_pages(struct pmlrt *rt, struct rt_shown *s, int block, struct span pages)
{
	int64_t at = s->place[block] + (pages.begin - s->block[block].begin), bytes = pages.end - pages.begin;
	if (!rt_write_at(s->descriptor, pages.begin, bytes, at))
		return false;
	if (mmap(pages.begin, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, s->descriptor, at) ==
	    MAP_FAILED)
		rt_fail(rt, 0, "rank %d: memory cannot be mapped for the other ranks of its host", rt->rank);
	return true;
}

/* What of them is shown is left out, piece by piece. */
static bool show_rest(struct pmlrt *rt, struct rt_shown *s, int block, struct span pages)
{
	for (char *next = pages.begin; next < pages.end;) {
		char *end = pages.end, *skip = NULL;
		for (int i = 0; i < s->spans; i++) {
			const struct span *x = &s->span[i];
			if (x->begin <= next && x->end > next)
				skip = x->end;
			else if (x->begin > next && x->begin < end)
				end = x->begin;
		}
		if (!skip && !show_pages(rt, s, block, (struct span){next, end}))
			return false;
		next = skip ? skip : end;
	}
	return true;
}

/* As one with all that it meets of the same block. */
static void add_span(struct rt_shown *s, int block, struct span pages)
{
	int kept = 0;
	for (int i = 0; i < s->spans; i++) {
		struct span x = s->span[i];
		if (x.begin > pages.end || x.end < pages.begin || !within(x, s->block[block])) {
			s->span[kept++] = x;
			continue;
		}
		pages.begin = x.begin < pages.begin ? x.begin : pages.begin;
		pages.end = x.end > pages.end ? x.end : pages.end;
	}
	s->span[kept] = pages;
	s->spans = kept + 1;
}

void shown_settle(struct pmlrt *rt, struct rt_shown *s)
{
	for (int i = 0; i < s->asked && s->spans < SPANS; i++) {
		int block = block_of(s, s->ask[i]);
		if (show_rest(rt, s, block, s->ask[i]))
			add_span(s, block, s->ask[i]);
	}
	s->asked = 0;
}

void shown_end(struct rt_shown *s)
{
	close(s->descriptor);
}
