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
	struct phys_node *added;     /* what is added to a slice, and nowhere else; NULL: something is put there */
	int result_dim;              /* of a slice that is read: the dimension of the result along which it is */
};

/* Whether n puts something in the place of a slice, or adds something to it, in a dimension that is not split. */
bool planner_slice_step(const struct planner *p, struct phys_node *n, struct slice *s);
/* It does that over s->from. before: by node, what is computed before it, a node that is none of the graph's yet; put:
 * by node, into how many maps it was put, which are those that read it no more. */
void planner_slice_write(struct planner *p, const struct slice *s, struct phys_node **before, int *put);
/* If n, in a loop, is a slice that is read as a sum over all, it reads the slice. */
void planner_slice_read(const struct planner *p, struct phys_node *n, struct phys_node **before, int *put);

#endif
