/* statements.h — statements walked. */
#ifndef PML_STATEMENTS_H
#define PML_STATEMENTS_H

#include "../region/region.h"

/* struct evaluator's. */
void block_walked(struct elab *e, const struct stmt *first);
const struct value *block_evaluated(struct elab *e, const struct stmt *first);

/* ---- statements and blocks (stmt.c) ---- */

void stmt_eval(struct elab *e, const struct stmt *s);

/* ---- assignment (assign.c) ---- */

void stmt_assign(struct elab *e, const struct stmt *s);
void binding_assign(struct elab *e, struct binding *b, const struct value *v, struct span at);

/* ---- branches and loops of the host (control.c) ---- */

void stmt_for(struct elab *e, const struct stmt *s);
void stmt_while(struct elab *e, const struct stmt *s);
void stmt_if(struct elab *e, const struct stmt *s);
void stmt_every(struct elab *e, const struct stmt *s);

/* ---- gradients param by param (each.c) ---- */

const struct value *expr_each(struct elab *e, const struct expr *x);
void stmt_each(struct elab *e, const struct stmt *s);

#endif
