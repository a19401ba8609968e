/* pairs.h — both ends of every message of a transfer: each of the messages that one rank sends to another is the one
 * that this rank receives from it in that place of their order. Worked out once per transfer, so that whoever plays it
 * need not look for the other end. */
#ifndef PML_SECONDS_PAIRS_H
#define PML_SECONDS_PAIRS_H

#include "route.h"

struct pairs;
struct pairs *pairs_new(struct arena *scratch);

/* The messages of a round of a rank; rank by rank in ascending order, and round by round. Ranks are numbered as `peer`
 * of the messages is. */
void pairs_add(struct pairs *p, int32_t rank, int round, struct route_message *messages, int n);
/* Writes `round` and `index` of all messages that were added, those of ranks 0..nranks. */
void pairs_find(struct pairs *p, int nranks);

#endif
