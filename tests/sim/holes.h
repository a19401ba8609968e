/* holes.h — what a halo leaves out of its destination, as the compiler asks for it (plan/halos.c): a part of the rank's
 * own shard that nobody reads there, and that has no memory where it is one piece. */
#ifndef SIM_HOLES_H
#define SIM_HOLES_H

#include "oracle.h"

/* What memory holds before anything is written to it. */
enum { HOLE_UNTOUCHED = 0x5A };

/* Says in t which part of a rank's destination is not to be filled: none, some box of what it has itself, or one in a
 * single piece. */
void hole_draw(struct pmlrt_transfer *t, const struct holdings *src, const struct holdings *dst, int rank,
	       uint64_t *dice);
/* The whole shard that a rank would have without its hole, to be freed: its destination, and in the hole what belongs
 * there. NULL: something was written in the hole. */
void *hole_filled(const struct pmlrt_transfer *t, const struct holdings *dst, int rank, uint64_t salt,
		  const void *data);

#endif
