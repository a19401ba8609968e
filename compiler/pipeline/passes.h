/* passes.h — which node of a laid-out graph belongs to which pass over which micro-batch. */
#ifndef PML_PIPELINE_PASSES_H
#define PML_PIPELINE_PASSES_H

#include "pipeline.h"

/* By node id. */
struct pass_nodes {
	struct arena *arena; /* for all of this */
	const struct graph *graph;
	int *phase; /* 2 b + 1: in the block with number b; even: before, between and behind blocks */
	int *ranks; /* number of the node's set of ranks, among those of its block */
	int *level;
	bool *backward;
	enum pass_kind *kind;
	VEC(const struct place *) sets; /* of ranks, by number */
};

/* By loop: outermost ones of micro-batches, or in one, that stand on several sets of ranks, NULL: there are none. */
bool *passes_split_loops(struct arena *a, const struct graph *g);
/* Backward loops of which only a part is waited for, in two (halves.c); those that are stay as they are. */
void passes_halve_loops(struct arena *a, struct graph *g);
/* Finds them for the whole graph, in which there is no such loop. */
void passes_find(struct pass_nodes *n);
/* What must be there before the node is computed: its inputs, what a value that is computed again waits for, and what
 * the loop that it enters asks for the number of its turns. */
int passes_sources(const struct node *n);
const struct node *passes_source(const struct node *n, int k);
/* What a rank does to compute the node, in units of the estimate; 0: nothing. */
int64_t passes_cost(const struct node *n);

#endif
