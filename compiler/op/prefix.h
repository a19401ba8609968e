/* prefix.h — reductions of all elements up to each, found by their condition: cumulative sums and their kin. */
#ifndef PML_OP_PREFIX_H
#define PML_OP_PREFIX_H

#include "rule.h"

/* out[.., i, ..] = combiner over the r that satisfy r + shift <= i (backward: >=) of value, which does not depend on i.
 * r and i count from the origins of their factors. */
struct prefix {
	int along, over; /* factors i and r */
	bool backward;
	int64_t shift;
	const struct scalar *value; /* lives in the arena given */
};

/* True if the body is such a value where a comparison of two of its factors holds, and the combiner's neutral element
 * elsewhere: `sum[j] where(j <= n, a, 0)` and its kin, by <, <=, >, >=, with numbers added, with either branch. */
bool prefix_of_rule(struct arena *a, const struct rule *r, struct prefix *p);

#endif
