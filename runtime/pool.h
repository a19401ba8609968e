/* pool.h — the part of a rank's block (windows.h) through which all its exchanges go: each call takes a piece of it for
 * what others unpack there, and leaves it when they have. So ranks share as much memory as is under way, however many
 * exchanges a program has.
 *
 * Pieces are given in the order in which calls have come (pool_ticket). All ranks begin their transfers in one order,
 * so of all that wait the first has got its pieces everywhere, and nobody waits in a circle. */
#ifndef RT_POOL_H
#define RT_POOL_H

#include <stdbool.h>
#include <stdint.h>

struct pool_piece {
	struct pool_piece *next; /* by place */
	int64_t at, bytes;       /* in the pool */
	bool placed;
	/* Whether all that others read of it has been read. */
	bool (*is_read)(const struct pool_piece *p);
};

struct pool {
	int64_t bytes;
	struct pool_piece *first;
	int64_t tickets, served;
};

/* A call's turn, when it begins. */
int64_t pool_ticket(struct pool *p);
/* Once for each ticket: gives a piece of so many bytes, at the first place where they fit, if it is the ticket's turn
 * and the piece is no longer that of an earlier call. False: not yet. */
bool pool_take(struct pool *p, int64_t ticket, struct pool_piece *piece, int64_t bytes);

#endif
