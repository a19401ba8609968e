/* returns.h — rows that maps add up go back to who owns them: what is made whole for these maps alone is moved for each
 * of them by itself, where that costs less than to have it whole, as convert.h has it. */
#ifndef PML_RETURNS_H
#define PML_RETURNS_H

#include "../graph/graph.h"

/* Writes such movements down, as nodes that one map reads (owners_of_sums). */
bool returns_write(struct graph *g);

#endif
