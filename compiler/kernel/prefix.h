/* prefix.h — reductions of all elements up to each, found by their condition and computed in one go along the line. */
#ifndef PML_KERNEL_PREFIX_H
#define PML_KERNEL_PREFIX_H

#include "values.h"

/* out[.., i, ..] = combiner over the r that satisfy r + shift <= i (backward: >=) of value, which does not depend on i.
 * r and i count from the origins of their factors. */
struct prefix {
	int along, over; /* factors i and r */
	bool backward;
	int64_t shift;
	const struct scalar *value; /* lives in the arena given */
};

/* True if the map's body is such a value where a comparison of two of its factors holds, and the combiner's neutral
 * element elsewhere: `sum[j] where(j <= n, a, 0)` and its kin, by <, <=, >, >=, with numbers added, with either branch.
 */
bool prefix_of_map(struct arena *a, const struct phys_node *n, struct prefix *p);
/* The same, if only that is asked. */
bool map_is_prefix(const struct phys_node *n);

/* Operations of all lines. */
int64_t prefix_flops(const struct phys_node *n, const struct prefix *p);

void lower_prefix(struct lowering *l, const struct prefix *p);

#endif
