/* simplify.h — what the passes of this folder share. A pass rewrites a logical graph into one that computes the same
 * values with less; no pass may make a legal program illegal, that is, take a layout away from a node (see README.md).
 */
#ifndef PML_SIMPLIFY_H
#define PML_SIMPLIFY_H

#include "passes.h"

/* Gives map n another rule over operands in[] (of r->noperands; pruned here), unless n would lose its placement with
 * the operands that are dropped: then n stays as it was. True if n changed. */
bool simplify_set_rule(struct graph *g, struct node *n, const struct rule *r, struct node *const *in);

/* If map n only reads one operand through an index map (a transposition, a broadcast, a slice): that operand's number.
 * Else -1. */
int simplify_view_of(const struct node *n);

/* The body with identities applied (body.c); itself if there is nothing to do. */
const struct scalar *simplify_body(struct arena *a, const struct scalar *body);

/* Whether every value of type `from` is a value of type `to`, so that a cast through `to` changes nothing. */
bool cast_is_exact(enum dtype from, enum dtype to);

/* r without a factor on which nothing of it depends, summed over what is left. */
const struct rule *simplify_without_factor(struct arena *a, const struct rule *r, int gone);

/* r without a reduced factor that nothing depends on (varying.c); r itself if there is none. sums: sums of floats too,
 * which may round otherwise than the sum they take the place of. */
const struct rule *simplify_unvarying(struct arena *a, const struct rule *r, bool sums);

/* The tensor whose lines, all of them and in their order, a stack of `line` is; NULL: of none (stacks.c). */
struct node *simplify_stack_of_lines(const struct node *stack, const struct node *line);

#endif
