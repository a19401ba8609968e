/* adjoint.h — what reverse and forward mode share: which nodes take part, and how derivative nodes are made. */
#ifndef PML_ADJOINT_H
#define PML_ADJOINT_H

#include "autodiff.h"

/* Behind the last of y, m nodes; if that is an exit of a loop, behind all of the loop. */
int adjoint_end(const struct graph *g, int m, struct node *const *y);
/* Per node id below `end`: how it varies with one of wrt; 0: it does not. wrt themselves do, and are leaves: what they
 * are computed from does not matter, nor does anything else before `from`. Integers and stopped values do not vary.
 * 1: as a value does. 1 + d: as a tangent does in a rule (RULED) of depth d, which the derivative by arguments of the
 * rule's function goes through, and no other: there all that is no tangent is constant. */
int *adjoint_varying(struct graph *g, int from, int end, int n, struct node *const *wrt);
/* Whether the derivative of n goes on to its input i: varying is of adjoint_varying. */
bool adjoint_goes_on(const int *varying, const struct node *n, int i);

/* Records an error in the session if x is no float. */
bool adjoint_check(struct graph *g, const struct node *x, bool is_result);

/* x on placement p. The layout of the copy is for the layout stage to choose. x itself if it is there already, or if p
 * is NULL, or if x is on no rank in particular: then it can be computed wherever it is used. */
struct node *adjoint_bring(struct graph *g, const struct node *forward, struct node *x, const struct place *p);

/* The same, but the result is on p for certain. */
struct node *adjoint_pin(struct graph *g, const struct node *forward, struct node *x, const struct place *p);

/* a + b, either of which may be NULL: symbolic zeros are never computed. b is brought to a's placement. */
struct node *adjoint_add(struct graph *g, const struct node *forward, struct node *a, struct node *b);

/* A tensor of zeros like x; x's tangent or cotangent c where x lies, NULL being zeros. */
struct node *adjoint_zeros(struct graph *g, const struct node *x);
struct node *adjoint_or_zeros(struct graph *g, const struct node *x, struct node *c);

/* Derivative rule d of map n (from rule_gradient or rule_tangent) with the cotangent or tangent `moving`; NULL if it is
 * zero, or cannot be written: then an error is recorded. values: the inputs of n and n itself, as they are to be read.
 */
struct node *adjoint_map(struct graph *g, struct node *n, const struct rule_gradient *d, struct node *const *values,
			 struct node *moving);

#endif
