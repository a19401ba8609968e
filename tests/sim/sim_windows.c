/* sim_windows.c — windows (runtime/windows.h) of simulated ranks: memory of one process, so every rank sees what
 * another has told at once; when ranks look is up to the schedule. A message is counted like one of MPI's. */
#include "sim_world.h"

#include "windows.h"

#include <string.h>

struct rt_windows {
	struct window *first;
	struct pool pool;
};

enum { POOL = -1 }; /* as what window its memory is found */

bool window_ask(struct pmlrt *rt, struct window *w)
{
	for (int i = 0; rt->host && i < w->ranks; i++)
		if (rt->host[w->rank[i]] != rt->host[rt->rank])
			return false;
	if (!rt->windows)
		rt->windows = rt_alloc(rt, sizeof *rt->windows);
	w->next = rt->windows->first;
	rt->windows->first = w;
	return true;
}

/* All have a window, or none has, and memory can be read, or not, and calls wait for the pool, or hardly: the seed
 * decides. */
void windows_connect(struct pmlrt *rt)
{
	bool open = sim_now()->options.seed % 5, reads = sim_now()->options.seed % 3;
	MPI_Request all;
	int64_t passing = 0, most = 0;
	for (struct window *w = rt->windows && open ? rt->windows->first : NULL; w; w = w->next) {
		sim_window_make(w->t->id, (size_t)(WINDOW_COUNTERS * WINDOW_LINE + w->bytes));
		passing += w->passing;
		most = w->passing > most ? w->passing : most;
	}
	if (rt->windows && open) {
		rt->windows->pool.bytes = sim_now()->options.seed % 2 ? most : room_of_pool(passing, most);
		sim_window_make(POOL, (size_t)rt->windows->pool.bytes);
	}
	MPI_Ibarrier(MPI_COMM_WORLD, &all);
	sim_wait(all);
	for (struct window *w = rt->windows ? rt->windows->first : NULL; w; w = w->next) {
		w->reads = reads;
		if (!open || (w->must_read && !reads)) {
			w->refused(rt, w);
			continue;
		}
		w->at = rt_alloc(rt, w->ranks * (int64_t)sizeof *w->at);
		w->pool = &rt->windows->pool;
		w->pools = rt_alloc(rt, w->ranks * (int64_t)sizeof *w->pools);
		for (int i = 0; i < w->ranks; i++) {
			w->at[i] = sim_window(w->rank[i], w->t->id);
			w->pools[i] = sim_window(w->rank[i], POOL);
		}
	}
}

void windows_pause(struct pmlrt *rt)
{
	(void)rt;
}

void windows_end(struct pmlrt *rt)
{
	(void)rt;
}

bool windows_show(const struct pmlrt *rt)
{
	(void)rt;
	return false;
}

void windows_cover(struct pmlrt *rt, void *block, int64_t bytes)
{
	(void)rt;
	(void)block;
	(void)bytes;
}

/* Some arrays are shown, some are not, as the seed says. */
int64_t window_place(const struct window *w, const char *array, int64_t bytes)
{
	(void)bytes;
	if (!w->shows || !((sim_now()->options.seed + (uint64_t)w->t->calls + (array == w->t->dst)) % 3))
		return -1;
	return (int64_t)(uintptr_t)array;
}

const char *window_view(const struct window *w, int rank, int64_t place, int64_t bytes)
{
	(void)rank;
	(void)bytes;
	if (!w->shows && place >= 0)
		sim_fail("rank %d looks at what is not shown", sim_rank());
	return place < 0 ? NULL : (const char *)(uintptr_t)place;
}

static int64_t *counter_of(const struct window *w, int rank, int counter)
{
	return (int64_t *)(void *)(w->at[rank] + counter * WINDOW_LINE);
}

int64_t window_seen(const struct window *w, int rank, int counter)
{
	sim_look();
	return *counter_of(w, rank, counter);
}

void window_tell(struct window *w, int counter, int64_t value)
{
	if (value != *counter_of(w, w->own, counter) + 1)
		sim_fail("rank %d tells %lld after %lld", sim_rank(), (long long)value,
			 (long long)*counter_of(w, w->own, counter));
	*counter_of(w, w->own, counter) = value;
	sim_told();
}

bool window_read(const struct window *w, int rank, const char *from, char *to, int64_t bytes)
{
	(void)rank;
	if (!w->reads)
		sim_fail("rank %d reads what cannot be read", sim_rank());
	memcpy(to, from, (size_t)bytes);
	return true;
}

void window_message(const struct window *w, int to, int64_t bytes)
{
	sim_count(w->t->id, sim_rank(), bytes, 0);
	sim_count(w->t->id, w->rank[to], 0, bytes);
	sim_count_crossing(w->t->id, sim_rank(), w->rank[to], bytes);
}
