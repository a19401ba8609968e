/* diag_print.h — the pieces of the printer of messages: diag_render.c (the full form) lends lines.c its canvas.
 * Private to this folder. */
#ifndef PML_DIAG_PRINT_H
#define PML_DIAG_PRINT_H

#include "diag.h"

enum style { STYLE_NONE, STYLE_ERROR, STYLE_WARNING, STYLE_FRAME, STYLE_NOTE, STYLE_HELP, STYLE_ADD, STYLE_BOLD };

/* Text in a style, if color is on. */
void paint(struct text *out, bool color, enum style style, const char *s);

/* One source line as it is shown: tabs are spaces, bytes that cannot be shown are replaced, wide characters counted. */
struct line_view {
	const char *bytes;
	uint32_t n;
	int *columns; /* of every byte and of the end: where it is shown, from 0 */
	int width;    /* shown columns */
	int from, to; /* the window that is printed; the line is cut outside of it */
};

struct line_view line_view_of(struct arena *a, const char *bytes, uint32_t n);
/* Chooses the window so that columns begin..end are inside as far as possible. */
void line_view_cut(struct line_view *v, int begin, int end);
void line_view_print(struct text *out, const struct line_view *v);

/* Something underlined in a line. Columns are shown columns. */
struct mark {
	int line, begin, end;
	const char *text; /* may be NULL */
	char stroke;      /* '^', '-', '+', '~' */
	enum style style;
};

/* The rows below a line: underlines, and their texts hung where they fit. gutter: printed before each row. */
void marks_print(struct text *out, bool color, const char *gutter, const struct line_view *v, struct mark *marks,
		 int n);

/* The full form of one message. */
void diag_full(const struct diag *d, bool color, struct text *out);

#endif
