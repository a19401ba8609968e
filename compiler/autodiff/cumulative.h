/* cumulative.h — cumulative products as they are differentiated. */
#ifndef PML_AUTODIFF_CUMULATIVE_H
#define PML_AUTODIFF_CUMULATIVE_H

#include "adjoint.h"

/* A map whose elements are products of all values up to each, `prod[j] where(j <= n, value, 1)`, as steps: first the
 * values, then times what is `by` elements back, with by = 1, 2, 4 and so on (Hillis, Steele, 1986). The product of the
 * others, which its derivative is, takes n numbers for each element; these steps take 2 log2 n in all, and are as exact
 * where elements are zero, and for derivatives of derivatives. */
enum { MAX_DOUBLINGS = 62 };
struct cumulative {
	struct node *values; /* reads all operands of the map */
	int n;
	struct node *back[MAX_DOUBLINGS], *product[MAX_DOUBLINGS]; /* of back[i] and product[i - 1] or values */
};

/* False if n is something else. in: the inputs of n as they are to be read. The steps that nothing reads make no work.
 */
bool cumulative_of_map(struct graph *g, const struct node *n, struct node *const *in, struct cumulative *c);

/* The cotangent of c->values, from that of n; the tangent of n, from that of c->values. */
struct node *cumulative_cotangent(struct graph *g, const struct cumulative *c, struct node *cotangent);
struct node *cumulative_tangent(struct graph *g, const struct cumulative *c, struct node *tangent);

#endif
