/* statements.h — statements walked. */
#ifndef PML_STATEMENTS_H
#define PML_STATEMENTS_H

#include "../loops/loops.h"

/* struct evaluator's. */
void block_walked(struct elab *e, const struct stmt *first);
const struct value *block_evaluated(struct elab *e, const struct stmt *first);

/* ---- statements and blocks (stmt.c) ---- */

void stmt_eval(struct elab *e, const struct stmt *s);

/* ---- assignment (assign.c) ---- */

void stmt_assign(struct elab *e, const struct stmt *s);
void binding_assign(struct elab *e, struct binding *b, const struct value *v, struct span at);

/* Whether t is an element, or a field of one, of a list by an int that only the running program knows; then t = v
 * (assign_any.c). */
bool assigns_any(struct elab *e, const struct expr *t);
void assign_any(struct elab *e, const struct stmt *s, const struct expr *t, const struct value *v);

/* ---- variables that the running program assigns (demote.c) ---- */

/* The variable as one of the running program, from here on; those that the statements assign. */
void demote(struct elab *e, const char *name, struct span at);
void demote_assigned(struct elab *e, const struct stmt *first);

/* ---- leaving functions and turns (leave.c) ---- */

void stmt_return(struct elab *e, const struct stmt *s);
/* `break`, `continue`. */
void stmt_leave(struct elab *e, const struct stmt *s);
/* True if the running program may have left the function before: then body has been walked, as a branch. */
bool unless_left(struct elab *e, const struct arm_body *body, struct span at);
/* True if s may have ended the block that it stands in: then the rest of it has been walked, as a branch. */
bool rest_walked(struct elab *e, const struct stmt *s);
/* A block of the running program, whose statements go to *to. */
void host_block(struct elab *e, const struct arm_body *body, struct host_stmt **to);

/* ---- branches and loops of the host (control.c) ---- */

void stmt_for(struct elab *e, const struct stmt *s);
void stmt_while(struct elab *e, const struct stmt *s);
void stmt_if(struct elab *e, const struct stmt *s);
void stmt_every(struct elab *e, const struct stmt *s);

/* The host's variable that counts how often an `every` was reached; one in what is differentiated, n its number
 * (every.c). */
int every_variable(struct elab *e, const struct stmt *s);
void every_in_graph(struct elab *e, const struct stmt *s, const struct value *n);

/* ---- gradients param by param (each.c) ---- */

const struct value *expr_each(struct elab *e, const struct expr *x);
void stmt_each(struct elab *e, const struct stmt *s);
/* The param or part that the innermost `each` stands at, here or in a caller; NULL: there is none. */
const char *each_owner(const struct elab *e);
/* `each d in v`, v no gradient: `value` is what comes in place of each part; NULL: the statements of `block` do. */
struct each_part {
	const struct pattern *pattern; /* a name */
	const struct stmt *block;
	const struct expr *value;
	struct span at;
};
/* v with its parts replaced, or v; value_error after a message. */
const struct value *each_part(struct elab *e, const struct each_part *x, const struct value *v);

#endif
