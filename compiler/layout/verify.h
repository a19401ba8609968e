/* verify.h — laid-out graphs, seen after the layout stage. */
#ifndef PML_LAYOUT_VERIFY_H
#define PML_LAYOUT_VERIFY_H

#include "../graph/graph.h"
#include "../op/signature.h"

/* The signature that a map of a laid-out graph fits on one axis of its placement, found by matching; false if there is
 * none. */
bool layout_signature_of(const struct graph *g, const struct node *n, int axis, struct signature *out);

/* What a laid-out graph obeys beside the rules of graph_verify: results of maps, reshapes and the like have the layout
 * that follows from their inputs', outputs fit their slots, the host gets finished scalars on every rank. NULL if
 * legal. */
const char *layout_verify(const struct graph *g);

#endif
