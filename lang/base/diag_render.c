/* diag_render.c — the full form of a message: header, place, the lines it speaks of with underlines, notes, and
 * helps with a preview of their edits.
 *
 *   error[PML0307]: `y` is an unfinished sum and cannot be used by `relu`
 *     --> mlp.pml:24:17
 *      |
 *   23 |     let y = g @ w2;
 *      |             ------ contracts a dimension that is split
 */
#include "diag_print.h"

#include <string.h>

struct render {
	const struct diag *diag;
	struct arena *arena;
	struct text *out;
	bool color;
	int digits;         /* of the largest line number shown */
	const char *gutter; /* "   | " */
};

static const struct source *source_of(const struct render *r, uint32_t file)
{
	return &r->diag->session->sources.at[file];
}

static uint32_t line_start(const struct source *src, int line)
{
	return src->lines.at[line - 1];
}

/* The end of a line without its line break. */
static uint32_t line_stop(const struct source *src, int line)
{
	uint32_t end = line < src->lines.n ? src->lines.at[line] - 1 : src->size;
	return end > line_start(src, line) && src->bytes[end - 1] == '\r' ? end - 1 : end;
}

static struct span clamp(const struct source *src, struct span at)
{
	at.begin = at.begin > src->size ? src->size : at.begin;
	at.end = at.end > src->size ? src->size : at.end < at.begin ? at.begin : at.end;
	return at;
}

/* The line where a span ends: a span that ends with a line break ends on the line it breaks. */
static int last_line(const struct source *src, struct span at)
{
	return source_position(src, at.end > at.begin ? at.end - 1 : at.end).line;
}

static struct line_view view_of(const struct render *r, const struct source *src, int line)
{
	uint32_t begin = line_start(src, line);
	return line_view_of(r->arena, src->bytes + begin, line_stop(src, line) - begin);
}

static void print_place(struct render *r, const char *arrow, struct span at)
{
	const struct source *src = source_of(r, at.file);
	struct line_column lc = source_position(src, at.begin);
	text_printf(r->out, "%*s", r->digits, "");
	paint(r->out, r->color, STYLE_FRAME, arrow);
	text_printf(r->out, " %s:%d:%d\n", src->path, lc.line, lc.column);
}

static void print_bar(struct render *r)
{
	text_printf(r->out, "%*s", r->digits, "");
	paint(r->out, r->color, STYLE_FRAME, " |");
	text_add(r->out, "\n");
}

static void print_line(struct render *r, int line, const struct line_view *v)
{
	paint(r->out, r->color, STYLE_FRAME, arena_printf(r->arena, "%*d |", r->digits, line));
	text_add(r->out, v->n ? " " : "");
	line_view_print(r->out, v);
	text_add(r->out, "\n");
}

typedef VEC(struct mark) mark_list;

/* A label becomes one mark, or, over several lines, one on its first and one on its last. */
static void add_label(struct render *r, mark_list *marks, const struct diag_label *label, bool primary)
{
	const struct source *src = source_of(r, label->span.file);
	struct span at = clamp(src, label->span);
	int first = source_position(src, at.begin).line, last = last_line(src, at);
	bool warning = r->diag->severity == SEVERITY_WARNING;
	struct mark m = {.line = first, .text = label->text, .stroke = primary ? '^' : '-'};
	m.style = !primary ? STYLE_FRAME : warning ? STYLE_WARNING : STYLE_ERROR;
	struct line_view head = view_of(r, src, first), tail = view_of(r, src, last);
	uint32_t in_head = at.begin - line_start(src, first), in_tail = at.end - line_start(src, last);
	m.begin = head.columns[in_head < head.n ? in_head : head.n];
	m.end = last > first ? head.width : tail.columns[in_tail < tail.n ? in_tail : tail.n];
	if (last > first) {
		struct mark top = m;
		top.text = NULL;
		vec_push(r->arena, marks, top);
		uint32_t indent = 0;
		while (indent < tail.n && (tail.bytes[indent] == ' ' || tail.bytes[indent] == '\t'))
			indent++;
		m.line = last;
		m.begin = tail.columns[indent];
		m.end = tail.columns[in_tail < tail.n ? in_tail : tail.n];
	}
	vec_push(r->arena, marks, m);
}

/* The marked lines in order, a line between two of them too, `...` for more. */
static void print_marked(struct render *r, const struct source *src, const mark_list *marks)
{
	int previous = 0;
	for (;;) {
		int line = 0;
		mark_list here = {0};
		for (int i = 0; i < marks->n; i++)
			if (marks->at[i].line > previous && (!line || marks->at[i].line < line))
				line = marks->at[i].line;
		if (!line)
			return;
		if (previous && line == previous + 2) {
			struct line_view between = view_of(r, src, line - 1);
			line_view_cut(&between, 0, 0);
			print_line(r, line - 1, &between);
		} else if (previous && line > previous + 2) {
			paint(r->out, r->color, STYLE_FRAME, "...");
			text_add(r->out, "\n");
		}
		struct line_view v = view_of(r, src, line);
		int left = v.width, right = 0;
		for (int i = 0; i < marks->n; i++) {
			if (marks->at[i].line != line)
				continue;
			vec_push(r->arena, &here, marks->at[i]);
			left = marks->at[i].begin < left ? marks->at[i].begin : left;
			right = marks->at[i].end > right ? marks->at[i].end : right;
		}
		line_view_cut(&v, left, right);
		print_line(r, line, &v);
		marks_print(r->out, r->color, r->gutter, &v, here.at, here.n);
		previous = line;
	}
}

/* The part of the message that speaks of one file. */
static void print_file(struct render *r, uint32_t file, struct span at, const char *arrow)
{
	mark_list marks = {0};
	const struct diag *d = r->diag;
	if (d->primary.span.file == file)
		add_label(r, &marks, &d->primary, true);
	for (int i = 0; i < d->labels.n; i++)
		if (d->labels.at[i].span.file == file)
			add_label(r, &marks, &d->labels.at[i], false);
	print_place(r, arrow, at);
	print_bar(r);
	print_marked(r, source_of(r, file), &marks);
}

static void print_other_files(struct render *r)
{
	const struct diag *d = r->diag;
	for (int i = 0; i < d->labels.n; i++) {
		uint32_t file = d->labels.at[i].span.file;
		bool seen = file == 0 || file == d->primary.span.file;
		for (int j = 0; j < i; j++)
			seen |= d->labels.at[j].span.file == file;
		if (!seen)
			print_file(r, file, d->labels.at[i].span, ":::");
	}
}

/* ---- helps ---- */

/* The edits of a help on one line, in order of place. */
typedef VEC(struct diag_edit) edit_list;

static edit_list edits_of_line(struct render *r, const struct diag_help *h, uint32_t file, int line)
{
	edit_list list = {0};
	for (int i = 0; i < h->edits.n; i++) {
		struct diag_edit e = h->edits.at[i];
		if (e.span.file != file)
			continue;
		e.span = clamp(source_of(r, file), e.span);
		if (source_position(source_of(r, file), e.span.begin).line == line)
			vec_push(r->arena, &list, e);
	}
	for (int i = 1; i < list.n; i++)
		for (int j = i; j > 0 && list.at[j - 1].span.begin > list.at[j].span.begin; j--) {
			struct diag_edit swap = list.at[j];
			list.at[j] = list.at[j - 1];
			list.at[j - 1] = swap;
		}
	return list;
}

struct stroke {
	size_t begin, end;
	char ch;
};

/* The line as it will be: inserted text is marked with `+` (its outer spaces are not), replaced text with `~`; what is
 * only removed stays and is marked with `-`. */
static void print_edited_line(struct render *r, const struct source *src, int line, const edit_list *edits)
{
	struct text now;
	VEC(struct stroke) strokes = {0};
	uint32_t at = line_start(src, line), stop = line_stop(src, line);
	text_init(&now, r->arena);
	for (int i = 0; i < edits->n; i++) {
		const struct diag_edit *e = &edits->at[i];
		uint32_t begin = e->span.begin > at ? e->span.begin : at, end = e->span.end < stop ? e->span.end : stop;
		begin = begin > stop ? stop : begin;
		text_add_n(&now, src->bytes + at, begin - at);
		struct stroke s = {now.n, 0, e->span.end > e->span.begin ? '~' : '+'};
		if (*e->text) {
			text_add(&now, e->text);
		} else if (end > begin) {
			text_add_n(&now, src->bytes + begin, end - begin);
			s.ch = '-';
		}
		s.end = now.n;
		while (s.begin < s.end && now.at[s.begin] == ' ')
			s.begin++;
		while (s.begin < s.end && now.at[s.end - 1] == ' ')
			s.end--;
		vec_push(r->arena, &strokes, s);
		at = end > begin ? end : begin;
	}
	text_add_n(&now, src->bytes + at, stop - at);
	struct line_view v = line_view_of(r->arena, text_get(&now), (uint32_t)now.n);
	mark_list marks = {0};
	for (int i = 0; i < strokes.n; i++) {
		struct mark m = {.line = line, .stroke = strokes.at[i].ch, .style = STYLE_ADD};
		m.begin = v.columns[strokes.at[i].begin];
		m.end = v.columns[strokes.at[i].end];
		vec_push(r->arena, &marks, m);
	}
	line_view_cut(&v, marks.at[0].begin, marks.at[marks.n - 1].end);
	print_line(r, line, &v);
	marks_print(r->out, r->color, r->gutter, &v, marks.at, marks.n);
}

static void print_help(struct render *r, const struct diag_help *h)
{
	paint(r->out, r->color, STYLE_HELP, "help");
	text_printf(r->out, ": %s\n", h->text);
	uint32_t file = 0;
	int previous = 0;
	for (int i = 0; i < h->edits.n; i++) {
		struct span at = h->edits.at[i].span;
		int line = at.file ? source_position(source_of(r, at.file), clamp(source_of(r, at.file), at).begin).line
				   : 0;
		if (at.file == 0 || (at.file == file && line <= previous))
			continue;
		if (at.file != file && at.file != r->diag->primary.span.file)
			print_place(r, "-->", at);
		if (at.file != file)
			print_bar(r);
		file = at.file;
		previous = line;
		edit_list edits = edits_of_line(r, h, file, line);
		print_edited_line(r, source_of(r, file), line, &edits);
	}
}

/* ---- the whole ---- */

static void widen(struct render *r, struct span at)
{
	if (!at.file)
		return;
	const struct source *src = source_of(r, at.file);
	int line = last_line(src, clamp(src, at)), digits = 1;
	for (; line >= 10; line /= 10)
		digits++;
	r->digits = digits > r->digits ? digits : r->digits;
}

static void find_width(struct render *r)
{
	const struct diag *d = r->diag;
	r->digits = 1;
	widen(r, d->primary.span);
	for (int i = 0; i < d->labels.n; i++)
		widen(r, d->labels.at[i].span);
	for (int i = 0; i < d->helps.n; i++)
		for (int j = 0; j < d->helps.at[i].edits.n; j++)
			widen(r, d->helps.at[i].edits.at[j].span);
	r->gutter = arena_printf(r->arena, "%*s | ", r->digits, "");
}

void diag_full(const struct diag *d, bool color, struct text *out)
{
	struct render r = {.diag = d, .arena = out->arena, .out = out, .color = color};
	bool error = d->severity == SEVERITY_ERROR;
	find_width(&r);
	const char *head = arena_printf(r.arena, "%s[%s]", error ? "error" : "warning", diag_code_name(d->code));
	paint(out, color, error ? STYLE_ERROR : STYLE_WARNING, head);
	paint(out, color, STYLE_BOLD, arena_printf(r.arena, ": %s", d->message));
	text_add(out, "\n");
	if (d->primary.span.file)
		print_file(&r, d->primary.span.file, d->primary.span, "-->");
	print_other_files(&r);
	if (d->notes.n && d->primary.span.file)
		print_bar(&r);
	for (int i = 0; i < d->notes.n; i++) {
		text_printf(out, "%*s ", r.digits, "");
		paint(out, color, STYLE_FRAME, "=");
		paint(out, color, STYLE_NOTE, " note");
		text_printf(out, ": %s\n", d->notes.at[i]);
	}
	for (int i = 0; i < d->helps.n; i++)
		print_help(&r, &d->helps.at[i]);
}
