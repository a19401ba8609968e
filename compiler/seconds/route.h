/* route.h — the messages of a transfer as one rank sees them, round by round, as the runtime carries them out
 * (runtime/transfer_*.c): who sends how much to whom, and what is copied or added up in between. */
#ifndef PML_SECONDS_ROUTE_H
#define PML_SECONDS_ROUTE_H

#include "../program.h"

struct route_message {
	int32_t peer;
	bool sends; /* else receives */
	int64_t bytes;
};

/* All messages of a round are under way at a time; the next round begins when all of them are done. */
struct route_round {
	VEC(struct route_message) messages;
	int64_t packed;  /* bytes that are copied before they are sent */
	int64_t settled; /* bytes that are put in place or added up when all have come */
};

struct route {
	VEC(struct route_round) rounds; /* none: the rank takes no part */
};

/* The transfer with which a transfer leaves: itself, or the last of its bucket. */
int route_carrier(const struct program *p, int transfer);

/* What is known of the ways that messages go: transfers that are alike, and the ranks that meet in all-reduces, are
 * worked out once. */
struct routes;
struct routes *routes_new(struct arena *a, const struct program *p); /* p NULL: for route_between alone */

/* What a rank does in a transfer that is its own carrier, with all that travels along. */
const struct route *route_of(struct routes *r, int transfer, int32_t rank);
/* The same of a transfer that no program has yet, alone. */
struct route route_between(struct routes *r, const struct placed_type *src, const struct placed_type *dst,
			   enum redist_method method, int32_t rank);

#endif
