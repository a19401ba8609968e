/* help.h — edits that make a wrong program right: where to write `to`, and what it costs. */
#ifndef PML_LAYOUT_HELP_H
#define PML_LAYOUT_HELP_H

#include "stage.h"

#include "base/diag.h"

/* A value as it stands at a place of the source: "`y`", "`sum(s)`"; where the text is too long its name; "this value"
 * if it has none. */
const char *help_name(struct session *s, const struct node *n, struct span at);
/* The same without quotes, of an operand inside the expression `within`; NULL if it has no name. */
const char *help_word(struct session *s, struct span within, const struct node *x);
/* "f32[64, 10] @ right : P(sum), each rank f32[64, 10]". */
const char *help_type(struct arena *a, const struct node *n, const struct layout *l);
/* "S(0)". */
const char *help_layout(struct arena *a, const struct place *p, const struct layout *l);

/* Where x stands inside the expression `within`: its own span or that of the call it comes from if that lies there,
 * else the one word there that is its name. False if none of these: then *at is where x is made. */
bool help_site(struct session *s, struct span within, const struct node *x, struct span *at);

/* One help that converts x from layout `has` to `to`; x stands at `at`, where the edit is made if `edits`. */
void help_convert(struct stage *st, struct diag *d, bool other, struct span at, bool edits, const struct node *x,
		  const struct layout *has, const struct layout *to);

/* Up to two helps that make the operands of a map fit: the cheapest conversions of one operand, else of two. finish:
 * the one that finishes a P to B comes first. */
void help_operands(struct stage *st, struct diag *d, const struct node *n, bool finish);

#endif
