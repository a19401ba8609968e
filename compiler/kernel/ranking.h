/* ranking.h — counts of what comes before an element, which sorting finds, and the positions of the elements by such
 * counts: the heart of sort, argsort and top_k. */
#ifndef PML_KERNEL_RANKING_H
#define PML_KERNEL_RANKING_H

#include "../roles/physical.h"

/* out[.., i, ..] = how many elements of the line come before element i of x: a smaller one (down: a larger one), or an
 * equal one at a lower position; NaN is larger than every number, and equal to itself. Lines of n elements `inner`
 * apart, outer * inner of them. */
struct ranking {
	struct phys_node *x;
	enum dtype type;
	int64_t outer, n, inner;
	bool down;
	int64_t first; /* 0; of positions: that many of a line, those of the elements that come first */
	int64_t from;  /* of positions: so many elements come before these */
};

/* True if the map is such a count over whole lines of one tensor: the `ranking_up` and `ranking_down` of the prelude,
 * or the same written by hand. The count itself, n comparisons for each element, stays valid everywhere else. */
bool ranking_of_map(struct phys_node *n, struct ranking *r);

/* The ranks less a number that the map computes of them element by element, and that number; NULL: it does not. */
struct phys_node *ranks_from(struct phys_node *n, int64_t *from);

/* True if the map puts every position of a line at the place that such a count says, less r->from, for the places below
 * r->first: out[.., r[.., i] - from] = i. *r is what it orders, then. */
bool order_of_map(struct phys_node *n, struct ranking *r);

/* Operations of sorting all lines, about, or of choosing the first. */
int64_t ranking_flops(const struct ranking *r);

#endif
