/* scans.h — running totals along a dimension that is split: each rank computes those of its own rows, the totals of the
 * shards are made known to all, and what comes before a rank's rows is added to them. Of x : S(0), `cumsum(x) to S(0)`
 * sends one row of each rank, where parts of the whole result would be reduced. */
#ifndef PML_SCANS_H
#define PML_SCANS_H

#include "../graph/graph.h"

/* Writes such movements down where that sends less. Sums of floats are added up in the order of the shards. */
bool scans_write(struct graph *g);

#endif
