/* notation.h — index notation: calls of ops, and `let q[i, j] = …`, as rules. */
#ifndef PML_NOTATION_H
#define PML_NOTATION_H

#include "../walk/elab.h"

const struct value *notation_op(struct elab *e, struct item *op, struct arguments *args);
const struct value *notation_let(struct elab *e, const struct pattern *out, const struct expr *body, struct span at);
/* The value of `extent(k)` of a factor k; NULL if the call is another one. */
const struct value *notation_extent(const struct notation *n, const struct expr *call);

#endif
