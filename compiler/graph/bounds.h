/* bounds.h — between which numbers int scalars lie where that hangs on the turns of the loops around them: in
 * `for k in i + 1..j`, k is below j, and so is it below what j is below. */
#ifndef PML_BOUNDS_H
#define PML_BOUNDS_H

#include "ranges.h"

struct bounds;
/* Of the nodes that g has now. */
struct bounds *bounds_of_graph(struct arena *a, const struct graph *g);
/* Of all nodes, by id, as far as they do not hang on turns alone: ranges_of_graph. */
const struct range *bounds_ranges(const struct bounds *b);
/* Of the elements of n; never wider than range_of_node. */
struct range bounds_of_node(const struct bounds *b, const struct node *n);
/* Of x - y, i64 scalars that are there at once. */
struct range bounds_of_difference(const struct bounds *b, const struct node *x, const struct node *y);

#endif
