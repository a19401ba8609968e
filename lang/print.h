/* print.h — the pieces of the printer that ast.c (expressions, types) lends to ast_items.c (statements, items). */
#ifndef PML_PRINT_H
#define PML_PRINT_H

#include "ast.h"

struct printer {
	struct text *text;
	int indent;
};

void print_newline(struct printer *p);
void print_expr(struct printer *p, const struct expr *e);
void print_type(struct printer *p, const struct type *t);
void print_dims(struct printer *p, const struct ast_dim *dims, int n);
void print_pattern(struct printer *p, const struct pattern *pat);
void print_string(struct printer *p, const char *s);

/* A block with its braces. value: its last expression stands without `;`. */
void print_block(struct printer *p, const struct stmt *block, bool value);

#endif
