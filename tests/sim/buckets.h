/* buckets.h — all-reduces of a batch that travel together, as the compiler's plans say it (runtime/transfer_bucket.c).
 */
#ifndef SIM_BUCKETS_H
#define SIM_BUCKETS_H

#include "batch.h"

/* Puts the all-reduces of a batch along the same axes, combined alike, into buckets as dice fall: each bucket leaves
 * with the last of its members, some stay alone. Returns how many are in one. */
int buckets_draw(struct batch *b, uint64_t *dice);

/* After a run: what a carrier sent and received is compared with what is announced of all it carried, and its staging
 * with what a bucket may take: that of every member, and a copy of each. Then every member has its part of the traffic.
 */
void buckets_settle(struct batch *b, struct tally *t);
#endif
