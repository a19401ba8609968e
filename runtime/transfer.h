/* transfer.h — one redistribution as the runtime carries it out, and what a family of methods provides.
 *
 * prepare (at start) works out every count, displacement and staging buffer; begin starts the first round of requests;
 * whenever all requests of a round are complete, next starts the following one or finishes. A new family is one file
 * with one `struct rt_method` and its rows in transfer.c. */
#ifndef RT_TRANSFER_H
#define RT_TRANSFER_H

#include "boxcopy.h"
#include "moves/mesh.h"
#include "moves/moves.h"
#include "moves/room.h"
#include "rt.h"

struct rt_transfer;

struct rt_method {
	/* Makes t->plan. False: this family cannot, or should not, carry this pair of layouts. */
	bool (*prepare)(struct pmlrt *rt, struct rt_transfer *t);
	/* Takes what depends on communicators, which exist now. May be NULL. */
	void (*connect)(struct pmlrt *rt, struct rt_transfer *t);
	void (*begin)(struct pmlrt *rt, struct rt_transfer *t);
	/* All requests of the round are complete: starts another round and returns false, or finishes and returns true.
	 * If the transfer looks, there may be no requests: it goes on as far as it can. */
	bool (*next)(struct pmlrt *rt, struct rt_transfer *t);
	const struct rt_method *otherwise; /* takes what prepare refuses; NULL: the general exchange */
};

struct rt_transfer {
	const struct pmlrt_transfer *decl;
	const struct rt_method *method; /* NULL: this rank takes no part */
	int32_t id, dtype, site;
	int64_t size; /* bytes of an element */
	struct side from, to;
	bool empty[2]; /* whether this rank holds no element of source and destination */
	enum room_way way; /* of an exchange (exchange_window.c) */
	void *plan;
	struct rt_transfer *leader; /* that carries this one along (transfer_bucket.c), begun last; NULL: none */
	int64_t sends;              /* bytes this rank sends to others per call; by rows, in this one */
	int64_t staging;            /* bytes taken beside source and destination */
	int64_t shared;             /* and of memory that ranks share, for data in a window (windows.h) */

	const void *src, *rows; /* rows: the indices that say who owns what (row_owners.h); else NULL */
	void *dst;
	MPI_Request *requests;
	int nrequests, room; /* of the present round; largest number of any */
	int nheld;           /* the first so many of them may go on into the next round */
	bool looks;          /* waits for what it sees in a window (windows.h) */
	bool under_way, finished;

	int64_t calls, bytes, begun_ns, arrived_ns, moving_ns, waited_ns;
	int64_t collective_crosses, crossed; /* bytes to other hosts: of a call by a collective of MPI; of all calls */
};

extern const struct rt_method rt_method_local;    /* transfer_local.c */
extern const struct rt_method rt_method_exchange; /* transfer_exchange.c: the general one */
extern const struct rt_method rt_method_parts;    /* transfer_exchange.c: parts to where they are added up, one phase */
extern const struct rt_method rt_method_all_to_all;     /* transfer_all_to_all.c */
extern const struct rt_method rt_method_all_gather;     /* transfer_gather.c */
extern const struct rt_method rt_method_reduce_scatter; /* transfer_reduce.c */
extern const struct rt_method rt_method_rows;           /* transfer_rows.c */
extern const struct rt_method rt_method_row_boxes;      /* transfer_row_boxes.c */
extern const struct rt_method rt_method_bucket;         /* transfer_bucket.c: several small all-reduces as one */
extern const struct rt_method rt_method_levels;         /* transfer_levels.c: all-reduce */

/* The axes on which source and destination differ, as bits; 0 if they do not have the same mesh. */
uint32_t transfer_axes(const struct rt_transfer *t);
/* These axes if all of them go from P to B, else 0. */
uint32_t transfer_finished_axes(const struct rt_transfer *t);
/* The one axis on which source and destination differ, if they have the same placement and exactly one does; -1 else.
 */
int transfer_axis(const struct rt_transfer *t);
/* Whether dimension d is split by no axis but `axis`, so that its shards along the axis are those
 * of the axis's cuts. */
bool transfer_splits_plainly(const struct side *s, int d, int axis);
/* Whether no rank's shard on either side has more elements than a message may carry: the same answer on all ranks. What
 * does not fit cannot go by a collective of MPI. */
bool transfer_fits(const struct pmlrt *rt, const struct rt_transfer *t);
/* Whether ranks that differ in their coordinates on some axes alone are on several hosts, anywhere on the source's
 * placement; whether any two ranks of both placements are: the same answers on all ranks. */
bool transfer_parts_hosts(const struct pmlrt *rt, const struct rt_transfer *t, uint32_t axes);
bool transfer_spans_hosts(const struct pmlrt *rt, const struct rt_transfer *t);
/* Messages that n elements take, and these messages; their requests go to `at` and behind. A round sends first, then
 * receives: where MPI asks the receiver of a long message, it answers as soon as it receives, and over TCP the sender's
 * own messages, if they came behind that, would wait until the other's have gone. */
int transfer_messages(const struct pmlrt *rt, int64_t n);
void transfer_send(struct pmlrt *rt, struct rt_transfer *t, int32_t peer, const char *from, int64_t n, MPI_Request *at);
/* Bytes that a collective of MPI is to take to a rank, counted if that is on another host; for each call. */
void transfer_crosses(const struct pmlrt *rt, struct rt_transfer *t, int32_t peer, int64_t elements);
void transfer_receive(struct pmlrt *rt, struct rt_transfer *t, int32_t peer, char *to, int64_t n, MPI_Request *at);
void *transfer_staging(struct pmlrt *rt, struct rt_transfer *t, int64_t bytes);
void transfer_requests(struct pmlrt *rt, struct rt_transfer *t, int room);

#endif
