/* transfer_levels.h — an all-reduce of a flat array by messages, in the rounds of moves/levels.h: carried out for one
 * transfer (transfer_levels.c) or for several at once (transfer_bucket.c). */
#ifndef RT_TRANSFER_LEVELS_H
#define RT_TRANSFER_LEVELS_H

#include "moves/levels.h"
#include "moves/room.h"
#include "transfer.h"

/* What a round sends, or receives: runs of shares as levels_visit has them, in its order. */
struct runs {
	int n;
	struct reducer_run {
		int32_t rank;            /* the other end; none where parts are added up */
		bool behind;             /* its number is larger than the own one */
		int64_t begin, elements; /* of the array */
	} * at;
};

struct by_window;
struct puller;
struct window;

struct reducer {
	struct levels levels;
	int own, round;              /* the number of this rank; the present round */
	struct runs runs[LEVELS][2]; /* of a round: received, sent */
	struct runs added;           /* of which this rank adds up what its block has */
	/* Parts go in pieces, of which one after the other is received and added up while it is in the processor's
	 * cache. */
	int64_t piece, pieces, at; /* elements of a run's piece; of the longest run; the present one */
	int sends[LEVELS];         /* messages of each round: the first requests */
	int32_t combiner;
	int64_t *begin;           /* of each share, in elements; one more: the end. Filled in by who made it */
	struct by_window *window; /* NULL: by messages */
	char *stage;              /* parts of one piece, or sums of other blocks, of one share behind each other */
	const char **part;        /* these and the own one */
	const char *src;
	char *dst;
};

/* Finds the ranks that take part. */
void reducer_make(struct pmlrt *rt, const struct rt_transfer *t, struct reducer *r);
/* When shares are known: asks for a window (transfer_window.c), or takes staging and requests. */
void reducer_prepare(struct pmlrt *rt, struct rt_transfer *t, struct reducer *r);
void reducer_by_messages(struct pmlrt *rt, struct rt_transfer *t, struct reducer *r);
/* Bytes that this rank sends. */
int64_t reducer_sent(const struct rt_transfer *t, const struct reducer *r);
/* src and dst may be one array. */
void reducer_begin(struct pmlrt *rt, struct rt_transfer *t, struct reducer *r, const void *src, void *dst);
/* As struct rt_method has it. */
bool reducer_next(struct pmlrt *rt, struct rt_transfer *t, struct reducer *r);
/* Of n elements, what the parts have, in their order. One of them may lie at `out`. */
void reducer_add_up(const struct rt_transfer *t, const struct reducer *r, char *out, const char *const *part, int parts,
		    int64_t n);

/* ---- transfer_pull.c ---- */
struct puller *puller_make(struct pmlrt *rt, struct rt_transfer *t, struct reducer *r, struct window *w);
void puller_begin(struct puller *p, const struct rt_transfer *t);
bool puller_next(struct puller *p, const struct rt_transfer *t);
int64_t puller_staged(const struct puller *p, const struct rt_transfer *t); /* bytes */

/* ---- transfer_window.c ---- */
/* False: it goes by messages. */
bool reducer_by_window(struct pmlrt *rt, struct rt_transfer *t, struct reducer *r);
void reducer_window_begin(struct rt_transfer *t, struct reducer *r);
bool reducer_window_next(struct rt_transfer *t, struct reducer *r);

#endif
