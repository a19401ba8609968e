/* ranges.h — between which numbers the elements of int nodes lie (op/range.h), from those of what they read. */
#ifndef PML_RANGES_H
#define PML_RANGES_H

#include "../op/range.h"
#include "graph.h"

/* Turns that a loop makes at the most: a program makes no more in a month, whatever its end hangs on. */
int64_t loop_most_turns(const struct loop *l);
/* Of the elements of n; in: of its inputs, in their order. Nothing is known of what is carried. */
struct range range_of_node(const struct node *n, const struct range *in);
/* Of all nodes of the graph, by id. What a loop carries and only adds numbers to that lie between others does not leave
 * what these make of it in all turns. */
struct range *ranges_of_graph(struct arena *a, const struct graph *g);

#endif
