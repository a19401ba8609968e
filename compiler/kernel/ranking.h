/* ranking.h — counts of what comes before an element, which sorting finds: the heart of sort, argsort and top_k. */
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
};

/* True if the map is such a count over whole lines of one tensor: the `place_up` and `place_down` of the prelude, or
 * the same written by hand. The count itself, n comparisons for each element, stays valid everywhere else. */
bool ranking_of_map(struct phys_node *n, struct ranking *r);

/* Operations of sorting all lines, about. */
int64_t ranking_flops(const struct ranking *r);

#endif
