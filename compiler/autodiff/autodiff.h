/* autodiff.h — derivatives as programs: appends to a graph the nodes that compute them.
 * Differentiation sees logical tensors only. Every node it adds has origin BACKWARD (tangents too) and `forward` set to
 * the node it belongs to; they are placed where that forward node is. */
#ifndef PML_AUTODIFF_H
#define PML_AUTODIFF_H

#include "../graph/graph.h"

/* Reverse mode: out[i] becomes the cotangent of wrt[i] given the cotangent `seed` of y (same shape), NULL-free: zero
 * tensors where y does not depend on it. wrt are leaves: a path from one to another is not followed. out[i] is on
 * wrt[i]'s placement. Only nodes that wrt reaches and y needs are visited. The cotangent of a TO is one of the source
 * (the layout stage finds its transfer). Errors (an integer wrt, no derivative) go to the session; false then. */
bool autodiff_vjp(struct graph *g, struct node *y, struct node *seed, int n, struct node *const *wrt,
		  struct node **out);

/* Forward mode: the tangent of y when wrt[i] moves along tangent[i]. After an error, which is in the session then, just
 * y. */
struct node *autodiff_jvp(struct graph *g, struct node *y, int n, struct node *const *wrt, struct node *const *tangent);

#endif
