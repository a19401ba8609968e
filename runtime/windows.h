/* windows.h — memory that ranks of one host share, for transfers that go through it instead of by messages of MPI.
 *
 * Every rank has one block that it alone writes and others read. Each transfer that asks for a window has a part of the
 * block of every rank that takes part: a few counters, which only grow, and data. Who has written data tells a counter;
 * who has seen the counter may read the data. Nobody waits here: counters are looked at as requests of MPI are tested.
 * Behind these parts is what all transfers of the rank share that exchange boxes (pool.h).
 *
 * The block is memory without a name (memfd_create), found by the number of its descriptor: when its ranks have ended,
 * however they did, nothing is left of it. Where a rank cannot see another's, on any rank, all go by messages.
 *
 * Ranks that may read each other's memory (process_vm_readv) need not have copies of what is long there, but addresses;
 * and arrays that are not too long they see where these lie (shown.h).
 *
 * What goes this way MPI is not given, so it is told of it: each message is reported, when it can be read, by
 *     MPI_Pcontrol(RT_WINDOW_MESSAGE, int receiver, int64_t bytes)
 * which does nothing unless a tool stands in for it, as tools do that count what MPI is given (MPI 3.1, 14.2.4). */
#ifndef RT_WINDOWS_H
#define RT_WINDOWS_H

#include "moves/room.h"
#include "pool.h"
#include "transfer.h"

enum { RT_WINDOW_MESSAGE = 0x706d6c };

static inline struct room_limits window_limits(const struct pmlrt *rt)
{
	return (struct room_limits){rt->few_ranks, rt->window_bytes, rt->piece_bytes, rt->pull_bytes};
}

/* Of one transfer. */
struct window {
	struct window *next; /* of all of this rank */
	struct rt_windows *of;
	struct rt_transfer *t;
	int64_t bytes;   /* of data that this rank has in it */
	int64_t passing; /* of the pool, that a call of it takes */
	int ranks, own;
	const int32_t *rank; /* world ranks, this one among them as number `own` */
	char **at;           /* by number: where a rank's part begins; NULL as long as there is none */
	char **pools;        /* by number: where a rank's pool begins */
	struct pool *pool;   /* the own one */
	int64_t *pid;        /* by number */
	bool must_read;      /* it is of no use where ranks cannot read each other's memory */
	bool reads;          /* they can, all of them */
	bool shows;          /* it asks that arrays be shown (window_place) */
	/* Called when windows cannot be had, or are of no use. */
	void (*refused)(struct pmlrt *rt, struct window *w);
};

/* While transfers are prepared and connected. False: there are none between these ranks. */
bool window_ask(struct pmlrt *rt, struct window *w);
/* All ranks, when transfers are connected: opens those that were asked for, or refuses all of them on all ranks. */
void windows_connect(struct pmlrt *rt);
void windows_end(struct pmlrt *rt);
/* Whether arrays are shown; the blocks that they lie in, mapped by this process alone; between regions, when nobody
 * writes to them: those that were asked for are shown from now on. */
bool windows_show(const struct pmlrt *rt);
void windows_cover(struct pmlrt *rt, void *block, int64_t bytes);
void windows_settle(struct pmlrt *rt);
/* Who waits for what it sees in a window lets MPI go on with messages that others wait for. */
void windows_pause(struct pmlrt *rt);

/* A counter of a rank, and what was written before it was told can be read; telling one of the own. */
int64_t window_seen(const struct window *w, int rank, int counter);
void window_tell(struct window *w, int counter, int64_t value);
/* Reads memory of another rank, which has told of its address. False: not now; who has ended cannot be read any more,
 * and the wait goes on until the job ends. */
bool window_read(const struct window *w, int rank, const char *from, char *to, int64_t bytes);
/* Where others see an array of this rank; -1: they do not, yet. A view of what another rank has told of so; NULL: it is
 * not seen from here. */
int64_t window_place(const struct window *w, const char *array, int64_t bytes);
const char *window_view(const struct window *w, int rank, int64_t place, int64_t bytes);
/* Reports a message to a rank. */
void window_message(const struct window *w, int to, int64_t bytes);
static inline char *window_data(const struct window *w, int rank)
{
	return w->at[rank] + WINDOW_COUNTERS * WINDOW_LINE;
}

#endif
