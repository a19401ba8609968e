/* route.h — the messages of a transfer as one rank sees them, round by round, as the runtime carries them out
 * (runtime/transfer_*.c): who sends how much to whom, and what is copied or added up in between. */
#ifndef PML_SECONDS_ROUTE_H
#define PML_SECONDS_ROUTE_H

#include "../machine/machine.h"
#include "../program.h"

/* Transfers that go the same way share them, whatever they carry: read by route_peer and route_message_bytes. */
struct route_message {
	int32_t peer, first, last;
	int32_t round, index; /* the other end: this message of that round of the peer (route_of alone) */
	bool sends;           /* else receives */
};

/* All messages of a round are under way at a time; the next round begins when all of them are done. */
struct route_round {
	VEC(struct route_message) messages;
	bool in_memory;  /* they go through memory that ranks of a host share */
	int full;        /* so many of them are not empty; empty ones are not sent */
	int64_t packed;  /* bytes that are copied before they are sent */
	int64_t settled; /* bytes that are put in place or added up when all have come */
};

struct route {
	VEC(struct route_round) rounds; /* none: the rank takes no part */
	const int32_t *ranks;           /* by peer; NULL: a peer is a rank */
	const int64_t *begin;           /* bytes in front of each piece of what messages carry */
};

static inline int32_t route_peer(const struct route *r, const struct route_message *m)
{
	return r->ranks ? r->ranks[m->peer] : m->peer;
}

static inline int64_t route_message_bytes(const struct route *r, const struct route_message *m)
{
	return r->begin[m->last] - r->begin[m->first];
}

/* The transfer with which a transfer leaves: itself, or the last of its bucket. */
int route_carrier(const struct program *p, int transfer);

/* What is known of the ways that messages go: transfers that are alike, and the ranks that meet in all-reduces, are
 * worked out once. */
struct routes;
/* p NULL: for route_between alone; m NULL: all ranks on one host. */
struct routes *routes_new(struct arena *a, const struct program *p, const struct machine *m);

/* What a rank does in a transfer that is its own carrier, with all that travels along. */
const struct route *route_of(struct routes *r, int transfer, int32_t rank);
/* The same of a transfer that no program has yet, alone, in an arena of its own; what ranks that meet have in common
 * stays with the routes, and so the placements have to live as long. */
struct route route_between(struct routes *r, struct arena *a, const struct placed_type *src,
			   const struct placed_type *dst, enum redist_method method, int32_t rank);

/* That of all ranks from 0 on. */
struct route *routes_between(struct routes *r, struct arena *a, const struct placed_type *src,
			     const struct placed_type *dst, enum redist_method method, int nranks);

#endif
