/* syntax_hint.h — what was meant where a token cannot stand. A hint is a sentence, and an edit where it is sure, that
 * is added to the error; the first that fits is said. A new one is a function that looks at the last two tokens, at
 * what could stand, and at the text of the statement, and a line in syntax_hint. */
#ifndef LANG_SYNTAX_HINT_H
#define LANG_SYNTAX_HINT_H

#include "parse.h"

/* How messages name what begins an item. */
#define SYNTAX_ITEM "an item (`fn`, `param`, `main`, ...)"

/* Whether `what`, as messages name it, is among the n tokens or groups of tokens that could stand. */
bool syntax_expects(const char *const *expected, int n, const char *what);
/* The bytes of a span of this file, copied. */
const char *syntax_text(const struct parse *p, struct span at);
/* From the begin of the statement or item that the last token stands in. */
const char *syntax_begun(const struct parse *p);
bool syntax_compares(int token);
/* Adds to the error of the last token what was meant, if that is found. */
void syntax_hint(struct parse *p, struct diag *d, const char *const *expected, int n);

#endif
