/* relay.h — the moves of moves.h among ranks on several hosts, between which links are slow, in two rounds:
 *   what many ranks of a host want crosses to one of them (round 0), which sends it to the others (round 1);
 *   parts that ranks of one host have of what a rank of another wants are added up by one of them (round 0), and the
 *   sum crosses (round 1).
 * So no element of a contribution crosses to a host more than once, and none of a sum leaves one more than once. In all
 * as many elements travel as by moves.h: who relays wants the box itself, who adds up has a part of it. Turns are taken
 * among the ranks of a host, so that all of them have work.
 *
 * Messages between two ranks are visited in one order by both, round by round. */
#ifndef PML_MOVES_RELAY_H
#define PML_MOVES_RELAY_H

#include "moves.h"

struct relay {
	struct move move; /* number: in round 1 of a box that is sent on, that of its contribution to the source */
	int32_t end;      /* the rank that it is for: not move.to where it is added up on the way */
	int32_t round;
	bool on; /* sent on by who received it: from the destination; or a sum, not from the source */
};

enum { RELAY_ROUNDS = 2 };

struct relays {
	const struct side *src, *dst;
	const int32_t *host;    /* of every world rank */
	int32_t *ranks, *turns; /* room: ranks in question; by host, how often one of its ranks had its turn */
	int world;
};

/* Numbers of int32_t that the rest wants, of so many ranks in all. */
int64_t relay_room(int world);
struct relays relays_make(const struct side *src, const struct side *dst, const int32_t *host, int world,
			  int32_t *room);
/* Whether rounds can differ from moves at all: several ranks want the same, or there are parts to be added up. */
bool relays_help(const struct side *src, const struct side *dst);

typedef void relay_visitor(void *context, const struct relay *relay);
/* Visits what a rank receives in a round (also from itself), and what it sends to others. */
void relays_to(const struct relays *v, int32_t rank, int round, relay_visitor *visit, void *context);
void relays_from(const struct relays *v, int32_t rank, int round, relay_visitor *visit, void *context);

#endif
