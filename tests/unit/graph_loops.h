/* graph_loops.h — random graphs with loops, and samples as text; what they leave in slots, interpreted. */
#ifndef PML_GRAPH_LOOPS_H
#define PML_GRAPH_LOOPS_H

#include "graph_fixture.h"

/* Slots that every graph here reads and writes: x, w: f64[3]; xs: f64[5, 3]; then their derivatives dx, dw, dxs; then
 * the result y: f64[3], and count: i64. */
enum { LOOP_N = 3, LOOP_LINES = 5, LOOP_INPUTS = 3, LOOP_Y = 6, LOOP_COUNT = 7, LOOP_SLOTS = 8 };
void loop_slots(struct fixture *f);

/* Fills the fixture's graph: loops in loops and behind each other, lines and stacks read forward and backward, numbers
 * of turns, values that change places, bodies that read from outside; y is its output. The same seed gives the same
 * graph, whose loops of `count` turns are made so that their number need not be known; by_count: it is the slot's. */
void random_loops(struct fixture *f, uint64_t seed, int64_t count, bool by_count);

/* The slots after the graph has run: LOOP_SLOTS of them, the first ones set to numbers of their own before. */
struct tensor_value *loop_run(const struct graph *g, int64_t count);

#endif
