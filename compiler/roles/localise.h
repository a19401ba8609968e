/* localise.h — which placement axes split what in a laid-out map, and the local extents that follow. */
#ifndef PML_LOCALISE_H
#define PML_LOCALISE_H

#include "../graph/graph.h"

/* How the numbers of every factor are split: the layout of a vector of them. An axis of one rank splits nothing. */
struct map_split {
	struct layout factor[MAX_FACTORS];
};

/* Reads off layouts and signatures which factor each axis splits, and where. n is a MAP of a laid-out graph; a
 * combination of layouts that no signature has is a bug of the layout stage. */
void split_of_map(const struct node *n, struct map_split *split);

/* What the rank at a position holds of a vector of n elements, which begins there. */
struct extent_at {
	int64_t begin, count;
};
struct extent_at vector_at(const struct place *p, const struct layout *vector, int64_t n, int64_t position);

/* The axes that split dimension d under a layout, or read it through a window. */
uint32_t split_of_dim(const struct place *p, const struct layout *l, int d);

/* The layout that a vector has which is laid out like dimension d. */
struct layout layout_of_dim(const struct place *p, const struct layout *l, int d);

#endif
