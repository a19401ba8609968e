/* prefix.h — reductions of all elements up to each, computed in one go along the line. */
#ifndef PML_KERNEL_PREFIX_H
#define PML_KERNEL_PREFIX_H

#include "../op/prefix.h"
#include "values.h"

/* prefix_of_rule of a map. */
bool prefix_of_map(struct arena *a, const struct phys_node *n, struct prefix *p);
/* The same, if only that is asked. */
bool map_is_prefix(const struct phys_node *n);

/* Operations of all lines. */
int64_t prefix_flops(const struct phys_node *n, const struct prefix *p);

void lower_prefix(struct lowering *l, const struct prefix *p);

#endif
