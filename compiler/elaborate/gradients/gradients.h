/* gradients.h — functions differentiated, and their micro-batches. */
#ifndef PML_GRADIENTS_H
#define PML_GRADIENTS_H

#include "../region/region.h"

/* ---- derivatives (grad.c) ---- */

const struct value *gradient_call(struct elab *e, const struct derived *d, struct arguments *args);
/* entry's gradient again, from a node that is not in its param's layout yet; for an entry that is a line of others, all
 * of these. */
const struct value *gradient_entry_value(struct elab *e, const struct gradient_entry *entry, struct node *g,
					 struct span at);

/* ---- functions whose derivatives the program gives (custom.c) ---- */

const struct value *custom_call(struct elab *e, const struct derived *d, struct arguments *args);
/* ---- by the cotangents of their arguments (pulled.c) ---- */

const struct value *pulled_call(struct elab *e, const struct derived *d, struct arguments *args);

/* ---- functions for each line of their arguments (vmap.c) ---- */

const struct value *vmap_call(struct elab *e, const struct derived *d, struct arguments *args);

/* ---- micro-batches (microbatch.c) ---- */

const struct value *expr_microbatch(struct elab *e, const struct expr *x);
/* False after an error: the body assigns what is declared outside. */
bool microbatch_may_assign(struct elab *e, const struct binding *b, struct span at);

/* ---- what a micro-batch takes from outside (microbatch_cut.c) ---- */

/* What a name of a variable means in the body of a `microbatch`: the micro-batch's part of what comes from outside. v
 * without one. */
const struct value *microbatch_outside(struct elab *e, const struct binding *b, const struct value *v, struct span at);
/* A random key made in the body: one for each micro-batch. */
const struct value *microbatch_key(struct elab *e, const struct value *key, struct span at);

/* ---- what is as large for one micro-batch as for all (microbatch_whole.c) ---- */

/* Without a `microbatch` nothing is. */
bool microbatch_is_whole(struct elab *e, const struct node *n);
/* d are the derivatives by n values; without a `microbatch` that is nothing to remember. */
void microbatch_derivatives(struct elab *e, int n, struct node *const *by, struct node *const *d);
/* What the sum over micro-batches of what is whole is called: of a derivative "dw". */
const char *microbatch_sum_name(struct elab *e, const struct node *n);
/* Whether x, of an entry of a gradient, has lines for the rows of a micro-batch in front of what its param has, as
 * `vmap` makes them. */
bool microbatch_has_rows(struct elab *e, const struct gradient_entry *d, const struct node *x);
/* `whole` names it. */
void microbatch_named_whole(struct elab *e, const struct value *v, struct span at);
/* all: what x of a turn is in all turns of a loop of `vmap`, and whether these are lines of what is whole. */
void microbatch_mapped(struct elab *e, const struct node *x, bool lines, const struct node *all);

#endif
