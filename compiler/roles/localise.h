/* localise.h — which placement axes split what in a laid-out map, and the local extents that follow. */
#ifndef PML_LOCALISE_H
#define PML_LOCALISE_H

#include "../graph/graph.h"

/* Sets of placement axes, one bit each, that split every factor and every dimension of operands and result. An axis of
 * one rank splits nothing. */
struct map_split {
	uint32_t factor[MAX_FACTORS];
	uint32_t operand[MAX_OPERANDS][MAX_RANK];
	uint32_t out[MAX_RANK];
};

/* Reads off layouts and signatures which factor each axis splits. n is a MAP of a laid-out graph; a combination of
 * layouts that no signature has is a bug of the layout stage. */
void split_of_map(const struct node *n, struct map_split *split);

/* What the rank at a position holds of n elements that the axes of `mask` split, outer axes first. */
int64_t split_extent(const struct place *p, uint32_t mask, int64_t n, int64_t position);

/* The axes that split dimension d under a layout, or read it through a window. */
uint32_t split_of_dim(const struct place *p, const struct layout *l, int d);

/* The layout that a vector has which is laid out like dimension d. */
struct layout layout_of_dim(const struct place *p, const struct layout *l, int d);

/* The layout of a vector that these axes split. */
struct layout layout_split(const struct place *p, uint32_t mask);

#endif
