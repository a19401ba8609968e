/* notation.h — index notation: calls of ops, and `let q[i, j] = …`, as rules. */
#ifndef PML_NOTATION_H
#define PML_NOTATION_H

#include "../walk/elab.h"

const struct value *notation_op(struct elab *e, struct item *op, struct arguments *args);
const struct value *notation_let(struct elab *e, const struct pattern *out, const struct expr *body, struct span at);
/* `mixed bf16 { … }`: the value of the block, in which factors of products of f32 are rounded. */
const struct value *expr_mixed(struct elab *e, const struct expr *x);
/* The value of `extent(k)` of a factor k; NULL if the call is another one. */
const struct value *notation_extent(const struct notation *n, const struct expr *call);

#endif
