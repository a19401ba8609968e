/* halos.h — how maps read what is brought around shards, for halos.c, which cuts them, and halo_parts.c. */
#ifndef PML_PLAN_HALOS_H
#define PML_PLAN_HALOS_H

#include "planner.h"

/* An index as the factor of the result in it, which goes upwards, and what the reduced ones add at least and at most.
 */
struct reading {
	int factor;
	int64_t coef, least, most;
};

/* False if the index is of another form. */
bool halo_find_reading(const struct rule *r, const struct index *x, struct reading *out);

/* Whether all parts of a product are products themselves, of what has memory. */
bool halo_parts_are_products(struct planner *p, const struct halo_cut *c);

#endif
