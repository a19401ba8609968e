/* room.h — which transfers go through memory that ranks of one host share (../windows.h), and how much of it they take
 * there: for the runtime, which takes it, and for the compiler, which announces it as if all ranks were on one host. */
#ifndef PML_MOVES_ROOM_H
#define PML_MOVES_ROOM_H

#include "side.h"

enum { WINDOW_COUNTERS = 3, WINDOW_LINE = 128 /* bytes: pairs of cache lines are fetched together */ };

/* Sums of arrays of so many bytes at most go through windows, where ranks cannot read each other's memory: beyond, two
 * ranks are as fast by messages, which MPI copies straight from there. Parts of sums that go to who adds them up do so
 * if a rank packs no more than PARTS_WINDOW_BYTES, other exchanges if it packs no more than EXCHANGE_WINDOW_BYTES, once
 * for all who get it. */
enum { WINDOW_BYTES = 2 << 20, PARTS_WINDOW_BYTES = 2 << 20, EXCHANGE_WINDOW_BYTES = 1 << 20 };
/* Sums of arrays of more bytes are made of what is read straight from the other's memory, where that is possible: with
 * less the calls of the kernel take longer than to copy twice. */
enum { PULL_BYTES = 512 << 10 };
/* Of parts that are received one after the other, if they are longer: a few of them and their sum fit into the second
 * cache, and a message costs little beside copying as much. */
enum { PIECE_BYTES = 256 << 10 };

struct room_limits {
	int64_t few_ranks; /* through a window, at most */
	int64_t window_bytes, piece_bytes, pull_bytes;
};
#define ROOM_LIMITS \
	(struct room_limits) \
	{ \
		.few_ranks = PMLRT_FEW_RANKS, .window_bytes = WINDOW_BYTES, .piece_bytes = PIECE_BYTES, \
		.pull_bytes = PULL_BYTES \
	}

static inline int64_t room_lines(int64_t bytes) /* of whole lines */
{
	return (bytes + WINDOW_LINE - 1) / WINDOW_LINE * WINDOW_LINE;
}

/* Of what a rank has in its block of memory, the bytes: a table of all transfers of the program, which is there if any
 * of them has a part, and the part of one that has so many bytes of data. */
int64_t room_of_table(int64_t transfers);
int64_t room_of_part(int64_t bytes);
/* Of what passes through a rank's block, in which all of its exchanges take turns (../pool.h): so many bytes in all,
 * and the most of one. As long as those that are under way together fit, none waits for another; POOL_CALLS calls of
 * each are never too many. */
enum { POOL_BYTES = 1 << 20, POOL_LARGEST = 2, POOL_CALLS = 2 };
int64_t room_of_pool(int64_t all, int64_t most);

/* ---- the general exchange (../exchange_window.c) ---- */

/* A rank's data, so that receivers find their boxes: those of a sender in its order. */
struct room_contents {
	int64_t at[POOL_CALLS]; /* byte of the pool: where a call's boxes begin, of calls in turn */
	int64_t n;              /* boxes */
};
struct room_parcel { /* so many follow */
	int64_t at;  /* element behind where the call's boxes begin */
	int32_t phase, to;
};
enum { ROOM_PHASES = 2, ROOM_RANKS = 1024 }; /* at most; that few ranks are */

/* The ranks of both placements, each once; rank NULL: they are counted. */
int room_ranks(const struct side *from, const struct side *to, int32_t *rank);
/* Whether it goes through a window, of a tensor with elements of so many bytes: the same answer on all ranks.
 * one_phase: parts of a sum go straight to who adds them up, of which a rank may pack more. */
enum room_way { ROOM_UNKNOWN /* not asked yet */, ROOM_MESSAGES, ROOM_NOTHING /* moves */, ROOM_WINDOW };
enum room_way room_way_of_exchange(const struct room_limits *l, const struct side *from, const struct side *to,
				   int64_t size, bool one_phase);
/* Bytes that a rank has in shared memory: of data of the transfer's own, and of the pool in a call. */
struct room_taken {
	int64_t own, passing;
};
struct room_taken room_of_exchange(const struct side *from, const struct side *to, int64_t size, bool one_phase,
				   int32_t rank);
/* Of so many boxes: what is its own. */
int64_t room_of_boxes(int64_t boxes);

/* ---- sums of arrays that all ranks have parts of (../transfer_window.c, ../transfer_pull.c) ---- */

/* What a rank's data begin with: where its array lies, and that of the sums; where others see them, -1: they do not. */
struct room_arrays {
	const char *parts, *sums;
	int64_t parts_at, sums_at;
};

struct sums_room {
	bool at_once;          /* both of two ranks add up all: there are no shares */
	int shares;            /* of a group */
	int64_t longest;       /* of them, elements */
	int64_t piece, pieces; /* elements of a share that go at a time; how many times that is */
	int64_t slots;         /* pieces there is room for */
	int64_t bytes;         /* of a rank's data: as many on all of them */
	bool pulls, must_pull; /* if ranks can read each other's memory it is read there; else it goes by messages */
};
/* Of an array of elements of so many bytes among ranks in groups of so many parts, whose longest share is given. False:
 * it goes by messages. */
bool room_of_sums(struct sums_room *r, const struct room_limits *l, int64_t ranks, int64_t parts, int64_t elements,
		  int64_t longest, int64_t size);

#endif
