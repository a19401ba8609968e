/* autodiff.h — derivatives as programs: appends to a graph the nodes that compute them.
 * Differentiation sees logical tensors only. Every node it adds has origin BACKWARD (tangents too) and `forward` set to
 * the node it belongs to; they are placed where that forward node is. */
#ifndef PML_AUTODIFF_H
#define PML_AUTODIFF_H

#include "../graph/graph.h"

/* What y is made of stands in the graph from number `from` on, behind all that it is differentiated by and loops that
 * are still open around it; of what stands before no node gets another number.
 *
 * Reverse mode: out[i] becomes the cotangent of wrt[i] given the cotangents seed[k] of y[k], m of them (each of the
 * same shape), NULL-free: zero tensors where no y depends on it. wrt are leaves: a path from one to another is not
 * followed. out[i] is on wrt[i]'s placement. Only nodes that wrt reaches and y needs are visited. The cotangent of a TO
 * is one of the source (the layout stage finds its transfer). Errors (an integer wrt, no derivative) go to the session;
 * false then. */
bool autodiff_vjps(struct graph *g, int from, int m, struct node *const *y, struct node *const *seed, int n,
		   struct node *const *wrt, struct node **out);
/* Of one y, in a whole graph. */
bool autodiff_vjp(struct graph *g, struct node *y, struct node *seed, int n, struct node *const *wrt,
		  struct node **out);

/* Forward mode: out[k] becomes the tangent of y[k], m of them, when wrt[i] moves along tangent[i]. After an error,
 * which is in the session then, false. */
bool autodiff_jvps(struct graph *g, int from, int m, struct node *const *y, int n, struct node *const *wrt,
		   struct node *const *tangent, struct node **out);
/* The tangent of one y, in a whole graph; after an error just y. */
struct node *autodiff_jvp(struct graph *g, struct node *y, int n, struct node *const *wrt, struct node *const *tangent);

#endif
