/* cumulative.h — cumulative sums, products, maxima and minima as they are differentiated. */
#ifndef PML_AUTODIFF_CUMULATIVE_H
#define PML_AUTODIFF_CUMULATIVE_H

#include "adjoint.h"

/* A map whose elements are made of all values up to each. By the rule of a reduction each of them would meet n values.
 *
 * Sums, `sum[j] where(j <= n, a * b, 0)`: first the values, whose sums have cumulative sums as derivatives.
 *
 * Products, `prod[j] where(j <= n, value, 1)`, as steps: first the values, then times what is `by` elements back, with
 * by = 1, 2, 4 and so on (Hillis, Steele, 1986). The product of the others, which its derivative is, takes n numbers
 * for each element; these steps take 2 log2 n in all, and are as exact where elements are zero, and for derivatives of
 * derivatives.
 *
 * The largest and smallest, of which the values that are equal to it share the derivative: how many they are, and what
 * each gets of all results that it shares in, are sums along results that are equal, in steps of such lengths, too. */
enum { MAX_DOUBLINGS = 62 };
struct cumulative {
	struct node *values; /* reads all operands of the map */
	int dim;
	bool backward;                                             /* up to each from the end */
	int n;                                                     /* products: steps */
	struct node *back[MAX_DOUBLINGS], *product[MAX_DOUBLINGS]; /* of back[i] and product[i - 1] or values */
	struct node *sums;                                         /* of the values */
	struct node *result; /* largest or smallest: what the map gives; NULL: products */
	enum dtype type;     /* … in which shares are counted */
};

/* False if n is something else. values: the inputs of n and n itself, as they are to be read. The steps that nothing
 * reads make no work. */
bool cumulative_of_map(struct graph *g, const struct node *n, struct node *const *values, struct cumulative *c);

/* The cotangent of c->values, from that of n; the tangent of n, from that of c->values. */
struct node *cumulative_cotangent(struct graph *g, const struct cumulative *c, struct node *cotangent);
struct node *cumulative_tangent(struct graph *g, const struct cumulative *c, struct node *tangent);

#endif
