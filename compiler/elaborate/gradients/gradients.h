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

#endif
