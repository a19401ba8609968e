/* slices.h — slices that are put where others are; known to elements.c alone. */
#ifndef PML_PLAN_SLICES_H
#define PML_PLAN_SLICES_H

#include "planner.h"

struct slice {
	struct phys_node *from, *to; /* `to` is `from` but for the slice */
	struct phys_node *places;    /* of all elements of `to` in the slice */
	int factor, dim;             /* of `to`, and the dimension of its result, along which it is */
	int64_t width;
	const struct scalar *number; /* what is put: a constant, or operand of `to`: a number, or what `put` gives */
	struct phys_node *put;       /* v where it belongs, read by nobody else; NULL: one number */
	int from_put;                /* v among its operands */
	struct access value;         /* v by factors of `to` */
};

/* Whether n is such a map, of a dimension that is not split. */
bool planner_slice_find(const struct planner *p, struct phys_node *n, struct slice *s);
/* The places of the slice alone, a node that is computed before `to`; no node of the graph yet. */
struct phys_node *planner_slice_places(const struct planner *p, const struct slice *s);
/* `to` writes the slice over `from`. */
void planner_slice_put(const struct planner *p, const struct slice *s, struct phys_node *places);

#endif
