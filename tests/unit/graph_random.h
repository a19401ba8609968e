/* graph_random.h — random graphs over a fixture: views, reductions, products, pointwise maps, constants, casts,
 * transfers. */
#ifndef PML_GRAPH_RANDOM_H
#define PML_GRAPH_RANDOM_H

#include "graph_fixture.h"

/* Fills the fixture's graph with about two dozen nodes and four outputs for the host; the same seed gives the same
 * graph. With layouts, slots have declared layouts and transfers say where to. */
void random_graph(struct fixture *f, uint64_t seed, bool layouts);

#endif
