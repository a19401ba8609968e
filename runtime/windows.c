/* windows.c — see windows.h. A block begins with a table that says where the part of each transfer lies, so that ranks
 * whose parts are not alike find them. */
#define _GNU_SOURCE
#include "windows.h"

#include "hosts.h"
#include "shown.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static const char block_name[] = "pml-window";

struct block {
	uint64_t token;
	int64_t pool;   /* where it begins */
	int64_t parts;  /* transfers of the program */
	int64_t part[]; /* by transfer: where its part begins, 0: there is none. Room: room_of_table */
};

/* What ranks tell each other to find a block. */
struct card {
	int64_t pid, descriptor, bytes;
	int64_t room;       /* of the file: behind the block is what is shown (shown.h) */
	uint64_t token, at; /* at: the address of the token in its own memory */
};
enum { CARD_WORDS = sizeof(struct card) / sizeof(int64_t) };

enum { PAGE = 4096 };
enum { PAUSES = 64 }; /* a look at messages costs as much as many at counters */

struct rt_windows {
	struct window *first;
	int descriptor;         /* of the own block's file */
	struct rt_shown *shown; /* NULL: nothing is; it has the descriptor */
	struct card *card;
	struct block **block; /* by rank; NULL: not mapped */
	struct pool pool;
	int64_t *mapped; /* by rank: bytes of the file */
	unsigned pauses;
};

bool window_ask(struct pmlrt *rt, struct window *w)
{
	for (int i = 0; i < w->ranks; i++)
		if (host_of(rt, w->rank[i]) != host_of(rt, rt->rank))
			return false;
	if (!rt->windows)
		rt->windows = rt_alloc(rt, sizeof *rt->windows);
	w->of = rt->windows;
	w->next = rt->windows->first;
	rt->windows->first = w;
	return true;
}

/* Room for what may be shown, if a window asks for that: behind the block, of memory only where it is shown. */
static void show_memory(struct pmlrt *rt, struct rt_windows *all, struct card *own)
{
	int64_t begin = (own->bytes + PAGE - 1) / PAGE * PAGE, room = shown_room(MEMORY_BLOCKS, rt_memory_blocks(rt));
	bool asked = false;
	for (const struct window *w = all->first; w; w = w->next)
		asked |= w->shows;
	if (!asked || ftruncate(all->descriptor, begin + room) != 0)
		return;
	own->room = begin + room;
	all->shown = shown_make(rt, all->descriptor, begin, room);
}

/* The own block, of memory that is there: what is short of it is found out here. */
static void make_block(struct pmlrt *rt, struct rt_windows *all)
{
	struct card *own = &all->card[rt->rank];
	int64_t passing = 0, most = 0;
	own->bytes = room_of_table(rt->program->ntransfers);
	for (const struct window *w = all->first; w; w = w->next) {
		own->bytes += room_of_part(w->bytes);
		passing += w->passing;
		most = w->passing > most ? w->passing : most;
	}
	all->pool.bytes = room_of_pool(passing, most);
	own->bytes += all->pool.bytes;
	own->room = own->bytes;
	int fd = all->descriptor = memfd_create(block_name, MFD_CLOEXEC);
	if (fd < 0 || posix_fallocate(fd, 0, own->bytes) != 0)
		return;
	void *at = mmap(NULL, (size_t)own->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED)
		return;
	all->mapped[rt->rank] = own->bytes;
	show_memory(rt, all, own);
	struct block *b = all->block[rt->rank] = at;
	own->pid = getpid();
	own->descriptor = fd;
	own->token = (uint64_t)rt_now() * 2654435761u ^ (uint64_t)getpid() << 20 ^ (uint64_t)rt->rank;
	b->token = own->token;
	own->at = (uint64_t)(uintptr_t)&b->token;
	b->parts = rt->program->ntransfers;
	int64_t next = room_of_table(rt->program->ntransfers);
	for (const struct window *w = all->first; w; w = w->next) {
		b->part[w->t->id] = next;
		next += room_of_part(w->bytes);
	}
	b->pool = next;
}

/* Another rank's, with what it shows if there are addresses for that; NULL if it is not seen from here. A rank of
 * another container may have the number of a process that has nothing to do with it: what that has open is left alone.
 */
static struct block *map_block(const struct card *c, int64_t *mapped)
{
	char path[64], link[64] = "";
	struct stat s;
	snprintf(path, sizeof path, "/proc/%lld/fd/%lld", (long long)c->pid, (long long)c->descriptor);
	bool there = c->pid && readlink(path, link, sizeof link - 1) > 0 && strstr(link, block_name);
	int fd = there ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	bool whole = fd >= 0 && fstat(fd, &s) == 0 && s.st_size == c->room;
	void *at = whole ? mmap(NULL, (size_t)c->room, PROT_READ, MAP_SHARED, fd, 0) : MAP_FAILED;
	*mapped = c->room;
	if (whole && at == MAP_FAILED) {
		at = mmap(NULL, (size_t)c->bytes, PROT_READ, MAP_SHARED, fd, 0);
		*mapped = c->bytes;
	}
	if (fd >= 0)
		close(fd);
	if (at == MAP_FAILED)
		return NULL;
	struct block *b = at;
	if (b->token == c->token)
		return b;
	munmap(at, (size_t)*mapped);
	return NULL;
}

static bool read_memory(int64_t pid, const char *from, char *to, int64_t bytes)
{
	while (bytes > 0) {
		struct iovec here = {to, (size_t)bytes}, there = {(void *)(uintptr_t)from, (size_t)bytes};
		ssize_t n = process_vm_readv((pid_t)pid, &here, 1, &there, 1, 0);
		if (n <= 0)
			return false;
		from += n;
		to += n;
		bytes -= n;
	}
	return true;
}

bool window_read(const struct window *w, int rank, const char *from, char *to, int64_t bytes)
{
	return read_memory(w->pid[rank], from, to, bytes);
}

/* Whether the memory of all that have a window with this rank can be read: by the token where they have it. */
static bool can_read(const struct rt_windows *all, int rank, int size)
{
	for (int r = 0; r < size; r++) {
		uint64_t token = 0;
		const struct card *c = &all->card[r];
		if (r != rank && all->block[r] &&
		    (!read_memory(c->pid, (const char *)(uintptr_t)c->at, (char *)&token, (int64_t)sizeof token) ||
		     token != c->token))
			return false;
	}
	return true;
}

static bool open_window(struct pmlrt *rt, struct rt_windows *all, struct window *w)
{
	w->at = rt_alloc(rt, w->ranks * (int64_t)sizeof *w->at);
	w->pools = rt_alloc(rt, w->ranks * (int64_t)sizeof *w->pools);
	w->pool = &all->pool;
	w->pid = rt_alloc(rt, w->ranks * (int64_t)sizeof *w->pid);
	for (int i = 0; i < w->ranks; i++) {
		int32_t r = w->rank[i];
		struct block **b = &all->block[r];
		if (!*b && r != rt->rank)
			*b = map_block(&all->card[r], &all->mapped[r]);
		if (!*b || (*b)->parts <= w->t->id || (*b)->part[w->t->id] == 0)
			return false;
		w->at[i] = (char *)*b + (*b)->part[w->t->id];
		w->pools[i] = (char *)*b + (*b)->pool;
		w->pid[i] = all->card[r].pid;
	}
	return true;
}

void windows_connect(struct pmlrt *rt)
{
	struct rt_windows none = {0}, *all = rt->windows ? rt->windows : &none;
	int seen[2] = {1, 1}; /* windows are open; memory can be read */
	if (rt->window_bytes == 0 || rt->size == 1)
		return;
	all->card = rt_alloc(rt, rt->size * (int64_t)sizeof *all->card);
	all->block = rt_alloc(rt, rt->size * (int64_t)sizeof(struct block *));
	all->mapped = rt_alloc(rt, rt->size * (int64_t)sizeof *all->mapped);
	all->descriptor = -1;
	if (all->first)
		make_block(rt, all);
	MPI_Request request;
	struct card own = all->card[rt->rank];
	RT_CHECK(rt, MPI_Iallgather(&own, CARD_WORDS, MPI_INT64_T, all->card, CARD_WORDS, MPI_INT64_T, rt->control,
				    &request));
	rt_wait_request(rt, &request, "the windows of all ranks", 0);
	for (struct window *w = all->first; w && seen[0]; w = w->next)
		seen[0] = open_window(rt, all, w);
	seen[1] = seen[0] && can_read(all, rt->rank, rt->size);
	rt_all_reduce(rt, seen, 2, MPI_INT, MPI_MIN, "the windows of all ranks", 0);
	bool open = seen[0];
	if (all->descriptor >= 0 && !all->shown)
		close(all->descriptor);
	for (struct window *w = all->first; w; w = w->next) {
		w->reads = seen[1];
		if (open && (w->reads || !w->must_read))
			continue;
		w->at = NULL;
		w->refused(rt, w);
	}
	rt->windows_shared = open ? all->card[rt->rank].bytes : 0;
	if (!open)
		windows_end(rt);
}

void windows_pause(struct pmlrt *rt)
{
	int there;
	if (rt->windows && ++rt->windows->pauses % PAUSES == 0)
		RT_CHECK(rt, MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, rt->control, &there, MPI_STATUS_IGNORE));
}

void windows_end(struct pmlrt *rt)
{
	struct rt_windows *all = rt->windows;
	for (int r = 0; all && all->block && r < rt->size; r++)
		if (all->block[r])
			munmap(all->block[r], (size_t)all->mapped[r]);
	if (all && all->shown)
		shown_end(all->shown);
	rt->windows = NULL;
}

bool windows_show(const struct pmlrt *rt)
{
	return rt->windows && rt->windows->shown;
}

void windows_cover(struct pmlrt *rt, void *block, int64_t bytes)
{
	if (windows_show(rt))
		shown_cover(rt->windows->shown, block, bytes);
}

void windows_settle(struct pmlrt *rt)
{
	if (windows_show(rt))
		shown_settle(rt, rt->windows->shown);
}

int64_t window_place(const struct window *w, const char *array, int64_t bytes)
{
	return w->of->shown ? shown_place(w->of->shown, array, bytes) : -1;
}

const char *window_view(const struct window *w, int rank, int64_t place, int64_t bytes)
{
	int32_t r = w->rank[rank];
	return place < 0 || place + bytes > w->of->mapped[r] ? NULL : (const char *)w->of->block[r] + place;
}

static _Atomic int64_t *counter_of(const struct window *w, int rank, int counter)
{
	return (_Atomic int64_t *)(void *)(w->at[rank] + counter * WINDOW_LINE);
}

int64_t window_seen(const struct window *w, int rank, int counter)
{
	return atomic_load_explicit(counter_of(w, rank, counter), memory_order_acquire);
}

void window_tell(struct window *w, int counter, int64_t value)
{
	atomic_store_explicit(counter_of(w, w->own, counter), value, memory_order_release);
}

void window_message(const struct window *w, int to, int64_t bytes)
{
	MPI_Pcontrol(RT_WINDOW_MESSAGE, (int)w->rank[to], bytes);
}
