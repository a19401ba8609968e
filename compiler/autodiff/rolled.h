/* rolled.h — values that do nothing in a loop but go round. */
#ifndef PML_AUTODIFF_ROLLED_H
#define PML_AUTODIFF_ROLLED_H

#include "../graph/graph.h"

/* A value that a loop carries: behind each turn its elements are `by` places further along dimension dim, 0 < by <
 * extent, and those that leave at the end come in at the beginning, as by `roll` of the library. */
struct rolled {
	struct node *carry, *next; /* in a turn: before and behind it */
	int dim;
	int64_t by;
};

/* Whether x can be `next` of one: what its END becomes is for the caller to see. */
bool rolled_from(struct graph *g, struct node *x, struct rolled *r);
/* x rolled by so many places, which may be negative. */
struct node *rolled_by(struct graph *g, const struct node_site *at, struct node *x, int dim, int64_t by);

#endif
