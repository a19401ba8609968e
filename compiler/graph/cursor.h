/* cursor.h — reading text token by token, for the graph reader. The first error stays; after it nothing more is read.
 */
#ifndef PML_GRAPH_CURSOR_H
#define PML_GRAPH_CURSOR_H

#include "../mesh/layout.h"

struct cursor {
	const char *p;
	struct arena *arena;
	const char *error; /* NULL: fine so far */
	int line;
};

/* Records the first error, with its line. */
void cursor_fail(struct cursor *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Skips blanks within the line; true and past it if the text goes on with `word`. */
bool cursor_take(struct cursor *c, const char *word);
/* Whether cursor_take would take it. */
bool cursor_sees(struct cursor *c, const char *word);
/* cursor_take, an error if not. */
void cursor_expect(struct cursor *c, const char *word);
/* Past the end of the line; an error if something is left on it (but a comment `//…`). */
void cursor_end_line(struct cursor *c);
/* Skips empty lines and comments; true if the text is at its end (or an error happened). */
bool cursor_at_end(struct cursor *c);
int64_t cursor_int(struct cursor *c);
/* A number from 0 to a billion. */
int cursor_count(struct cursor *c);
double cursor_float(struct cursor *c);
/* A JSON string as text_json writes it (\uXXXX below 256 only), or an error. */
const char *cursor_string(struct cursor *c);
/* Characters up to the next blank, `;`, `,`, `:` or `]` outside of brackets: names of places such as grid[pp=0]. */
const char *cursor_word(struct cursor *c);
/* What stands between { and its }, braces nested. */
const char *cursor_braces(struct cursor *c);
/* What layout_print writes. */
struct layout cursor_layout(struct cursor *c, const struct place *p);
/* "f32[64, 256]". */
void cursor_type(struct cursor *c, enum dtype *t, struct shape *s);

#endif
