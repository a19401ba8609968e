/* gather.h — turns a scatter into a gather where that is possible: each out dimension becomes a factor of its own. */
#ifndef PML_GATHER_H
#define PML_GATHER_H

#include "rule.h"

/* The rule writes r->out with any index; afterwards every dimension that is not data-indexed is indexed by one factor
 * of its full extent, unless MAX_FACTORS or MAX_TERMS forbid it (it stays a scatter then, which means the same). Out
 * index (c f + rest + offset) / div = u is solved for a factor f; f = (div u - rest - offset) / c replaces f
 * everywhere, and points where that is no legal value of f are dropped: by the guard of operand `through` if that has f
 * as a whole dimension, else by a condition in the body. Dimensions that no factor solves are compared in the body:
 * where(index == u, body, 0). The body must give the same sum for an element in any order: combiner sum or none. Sets
 * the combiner to one of these. */
void rule_gather(struct arena *a, struct rule *r, int through);

/* An operand read at (f - rest) / div, of which most points drop for they are not whole: where f is summed over, the
 * quotient becomes the factor and f is div times that and the rest. So the gradient by the weights of a transposed
 * window, sum[y] x[(y - p) / 2] * g[y], multiplies what it reads and no zeros: sum[u] x[u] * g[2 u + p]. Only for f
 * that is a whole dimension of operand `through`, the cotangent, which drops what is no value of f: the elements of a
 * window are no positions, though it may have more of them. */
void rule_solve_quotients(struct arena *a, struct rule *r, int through);

#endif
