/* visit.h — all expressions and types of a piece of the program, statements in the order of the text. Of a
 * chain of operations the last one comes first. */
#ifndef PML_VISIT_H
#define PML_VISIT_H

#include "ast.h"

/* Each may be NULL. False: not what is inside of it. */
struct visitor {
	bool (*expr)(struct visitor *v, const struct expr *e);
	bool (*type)(struct visitor *v, const struct type *t);
	bool (*stmt)(struct visitor *v, const struct stmt *s);
};

void visit_expr(struct visitor *v, const struct expr *e);
void visit_type(struct visitor *v, const struct type *t);
/* What stands directly in it; of a chain of operations not the left operand. */
void visit_in_expr(struct visitor *v, const struct expr *e);
void visit_in_type(struct visitor *v, const struct type *t);
/* The statement and those behind it in its block. */
void visit_stmts(struct visitor *v, const struct stmt *first);

#endif
