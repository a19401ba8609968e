/* diag_lines.c — source lines on the terminal and what is drawn below them.
 * Everything is counted in shown columns: a tab is up to four, a wide character two, a byte that is not text one. */
#include "diag_print.h"

#include <string.h>

enum { TAB = 4, MAX_WIDTH = 120, LEAD = 30 };

static const char *const colors[] = {
	[STYLE_NONE] = "",
	[STYLE_ERROR] = "\033[1;31m",
	[STYLE_WARNING] = "\033[1;33m",
	[STYLE_FRAME] = "\033[1;34m",
	[STYLE_NOTE] = "\033[1m",
	[STYLE_HELP] = "\033[1;36m",
	[STYLE_ADD] = "\033[1;32m",
	[STYLE_BOLD] = "\033[1m",
};

void paint(struct text *out, bool color, enum style style, const char *s)
{
	if (color && style != STYLE_NONE && *s)
		text_printf(out, "%s%s\033[0m", colors[style], s);
	else
		text_add(out, s);
}

/* Length of the UTF-8 sequence at s of at most n bytes, 0 if it is none; *code gets the character. */
static uint32_t decode(const char *s, uint32_t n, uint32_t *code)
{
	unsigned char c = (unsigned char)*s;
	uint32_t length = c < 0x80 ? 1 : c < 0xc2 ? 0 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : c < 0xf5 ? 4 : 0;
	if (length == 0 || length > n)
		return 0;
	*code = length == 1 ? c : c & (0x7fu >> length);
	for (uint32_t i = 1; i < length; i++) {
		if (((unsigned char)s[i] & 0xc0) != 0x80)
			return 0;
		*code = *code << 6 | ((unsigned char)s[i] & 0x3f);
	}
	return length;
}

static int width_of(uint32_t code)
{
	bool joins = (code >= 0x300 && code <= 0x36f) || code == 0x200d || (code >= 0xfe00 && code <= 0xfe0f);
	bool wide = (code >= 0x1100 && code <= 0x115f) || (code >= 0x2e80 && code <= 0xa4cf) ||
		    (code >= 0xac00 && code <= 0xd7a3) || (code >= 0xf900 && code <= 0xfaff) ||
		    (code >= 0xfe30 && code <= 0xfe6f) || (code >= 0xff00 && code <= 0xff60) ||
		    (code >= 0x1f300 && code <= 0x1faff) || (code >= 0x20000 && code <= 0x3fffd);
	return joins ? 0 : wide ? 2 : 1;
}

/* Whether the character must not reach a terminal as it is. */
static bool is_control(uint32_t code)
{
	return code < 0x20 || (code >= 0x7f && code < 0xa0) || (code >= 0x200e && code <= 0x200f) ||
	       (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

struct line_view line_view_of(struct arena *a, const char *bytes, uint32_t n)
{
	struct line_view v = {.bytes = bytes, .n = n};
	v.columns = ARENA_ARRAY(a, int, n + 1);
	for (uint32_t i = 0; i < n;) {
		uint32_t code = 0, length = decode(bytes + i, n - i, &code);
		int wide = bytes[i] == '\t'                  ? TAB - v.width % TAB
			   : length == 0 || is_control(code) ? 1
							     : width_of(code);
		for (uint32_t k = 0; k < (length ? length : 1); k++)
			v.columns[i + k] = v.width;
		v.width += wide;
		i += length ? length : 1;
	}
	v.columns[n] = v.width;
	v.to = v.width;
	return v;
}

void line_view_cut(struct line_view *v, int begin, int end)
{
	if (v->width <= MAX_WIDTH)
		return;
	v->from = end <= MAX_WIDTH - LEAD ? 0 : begin > LEAD ? begin - LEAD : 0;
	v->to = v->from + MAX_WIDTH;
	if (v->to > v->width) {
		v->to = v->width;
		v->from = v->to - MAX_WIDTH;
	}
}

void line_view_print(struct text *out, const struct line_view *v)
{
	int begin = v->from ? v->from + 4 : 0, end = v->to < v->width ? v->to - 4 : v->to, at = begin;
	text_add(out, v->from ? "... " : "");
	for (uint32_t i = 0; i < v->n;) {
		uint32_t code = 0, length = decode(v->bytes + i, v->n - i, &code), step = length ? length : 1;
		int here = v->columns[i], next = v->columns[i + step];
		if (here >= begin && next <= end) {
			text_printf(out, "%*s", here - at, "");
			if (v->bytes[i] == '\t')
				text_printf(out, "%*s", next - here, "");
			else if (!length || is_control(code))
				text_add(out, "\xef\xbf\xbd");
			else
				text_add_n(out, v->bytes + i, length);
			at = next;
		}
		i += step;
	}
	text_add(out, v->to < v->width ? " ..." : "");
}

/* ---- rows below a line ---- */

enum { ROW_MAX = MAX_WIDTH + 4 };

struct row {
	char ch[ROW_MAX];
	unsigned char style[ROW_MAX];
	int n;
};

static void row_put(struct row *r, int at, char ch, enum style style)
{
	if (at < 0 || at >= ROW_MAX)
		return;
	while (r->n <= at) {
		r->ch[r->n] = ' ';
		r->style[r->n++] = STYLE_NONE;
	}
	r->ch[at] = ch;
	r->style[at] = (unsigned char)style;
}

static void row_print(struct text *out, bool color, const char *gutter, const struct row *r, const struct mark *last)
{
	paint(out, color, STYLE_FRAME, gutter);
	for (int i = 0; i < r->n;) {
		char run[ROW_MAX + 1];
		int n = 0;
		unsigned char style = r->style[i];
		while (i < r->n && r->style[i] == style)
			run[n++] = r->ch[i++];
		run[n] = 0;
		paint(out, color, (enum style)style, run);
	}
	if (last && last->text) {
		text_add(out, " ");
		paint(out, color, last->style, last->text);
	}
	text_add(out, "\n");
}

static int clip(const struct line_view *v, int column)
{
	return column < v->from ? 0 : column > v->to ? v->to - v->from : column - v->from;
}

/* Leftmost last, so that the text of the rightmost can follow its underline; among equals the longer first. */
static void sort_marks(struct mark *marks, int n)
{
	for (int i = 1; i < n; i++)
		for (int j = i; j > 0; j--) {
			struct mark *a = &marks[j - 1], *b = &marks[j], swap = *a;
			if (a->begin > b->begin || (a->begin == b->begin && a->end >= b->end))
				break;
			*a = *b;
			*b = swap;
		}
}

/* The underlines of all marks in one row; main marks drawn last, over others. */
static void draw_strokes(struct row *r, const struct line_view *v, const struct mark *marks, int n)
{
	for (int over = 0; over < 2; over++)
		for (int i = 0; i < n; i++)
			for (int c = marks[i].begin; c < marks[i].end && (marks[i].stroke == '^') == over; c++)
				if (c >= v->from && c <= v->to)
					row_put(r, c - v->from, marks[i].stroke, marks[i].style);
}

/* Connectors of the marks from `first` on that still wait for their text. */
static void draw_connectors(struct row *r, const struct line_view *v, const struct mark *marks, int first, int n)
{
	for (int i = n; i-- > first;)
		if (marks[i].text)
			row_put(r, clip(v, marks[i].begin), '|', marks[i].style);
}

void marks_print(struct text *out, bool color, const char *gutter, const struct line_view *v, struct mark *marks, int n)
{
	sort_marks(marks, n);
	for (int i = 0; i < n; i++)
		if (marks[i].end <= marks[i].begin)
			marks[i].end = marks[i].begin + 1;
	struct row strokes = {.n = 0};
	draw_strokes(&strokes, v, marks, n);
	bool beside = n > 0 && marks[0].text;
	for (int i = 1; i < n; i++)
		beside &= marks[i].end <= marks[0].end && marks[i].begin != marks[0].begin;
	row_print(out, color, gutter, &strokes, beside ? &marks[0] : NULL);
	bool first = true;
	for (int i = beside; i < n; i++) {
		if (!marks[i].text)
			continue;
		struct row r = {.n = 0};
		if (first) {
			draw_connectors(&r, v, marks, i, n);
			row_print(out, color, gutter, &r, NULL);
			r.n = 0;
		}
		first = false;
		draw_connectors(&r, v, marks, i + 1, n);
		int at = clip(v, marks[i].begin);
		while (r.n > at) /* another connector at this very column gives way */
			r.n--;
		while (r.n < at)
			row_put(&r, r.n, ' ', STYLE_NONE);
		r.n = at > 0 ? at - 1 : 0;
		if (at == 0) {
			paint(out, color, STYLE_FRAME, gutter);
			paint(out, color, marks[i].style, marks[i].text);
			text_add(out, "\n");
		} else {
			row_print(out, color, gutter, &r, &marks[i]);
		}
	}
}
