/* diag_forms.c — prints what was collected: ordered by place, equal messages once, in the form asked for.
 * The short form is a line for tests and editors, the JSON form an object a line for programs. */
#define _POSIX_C_SOURCE 200809L
#include "diag_print.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *severity_text(const struct diag *d)
{
	return d->severity == SEVERITY_ERROR ? "error" : "warning";
}

void diag_short(const struct diag *d, struct text *out)
{
	struct span at = d->primary.span;
	if (at.file) {
		const struct source *src = &d->session->sources.at[at.file];
		struct line_column lc = source_position(src, at.begin);
		text_printf(out, "%s:%d:%d: ", src->path, lc.line, lc.column);
	}
	text_printf(out, "%s[%s]: %s\n", severity_text(d), diag_code_name(d->code), d->message);
}

/* ,"file":...,"line":...  of a span; nothing for a span that is no place. */
static void json_span(const struct diag *d, struct span at, struct text *out)
{
	if (!at.file)
		return;
	const struct source *src = &d->session->sources.at[at.file];
	struct line_column begin = source_position(src, at.begin), end = source_position(src, at.end);
	text_add(out, ",\"file\":");
	text_json(out, src->path);
	text_printf(out, ",\"line\":%d,\"column\":%d,\"end_line\":%d,\"end_column\":%d,\"begin\":%u,\"end\":%u",
		    begin.line, begin.column, end.line, end.column, at.begin, at.end);
}

static void json_help(const struct diag *d, const struct diag_help *h, struct text *out)
{
	text_add(out, "{\"text\":");
	text_json(out, h->text);
	if (h->bytes >= 0)
		text_printf(out, ",\"bytes\":%lld", (long long)h->bytes);
	text_add(out, ",\"edits\":[");
	for (int i = 0; i < h->edits.n; i++) {
		text_add(out, i ? ",{\"text\":" : "{\"text\":");
		text_json(out, h->edits.at[i].text);
		json_span(d, h->edits.at[i].span, out);
		text_add(out, "}");
	}
	text_add(out, "]}");
}

static void diag_json(const struct diag *d, struct text *out)
{
	text_printf(out, "{\"code\":\"%s\",\"severity\":\"%s\",\"message\":", diag_code_name(d->code),
		    severity_text(d));
	text_json(out, d->message);
	json_span(d, d->primary.span, out);
	if (d->primary.text) {
		text_add(out, ",\"label\":");
		text_json(out, d->primary.text);
	}
	text_add(out, ",\"labels\":[");
	for (int i = 0; i < d->labels.n; i++) {
		text_add(out, i ? ",{\"text\":" : "{\"text\":");
		text_json(out, d->labels.at[i].text ? d->labels.at[i].text : "");
		json_span(d, d->labels.at[i].span, out);
		text_add(out, "}");
	}
	text_add(out, "],\"notes\":[");
	for (int i = 0; i < d->notes.n; i++) {
		text_add(out, i ? "," : "");
		text_json(out, d->notes.at[i]);
	}
	text_add(out, "],\"helps\":[");
	for (int i = 0; i < d->helps.n; i++) {
		text_add(out, i ? "," : "");
		json_help(d, &d->helps.at[i], out);
	}
	text_add(out, "]}\n");
}

/* ---- order ---- */

struct entry {
	struct diag *diag;
	int index;
};

static int by_place(const void *pa, const void *pb)
{
	const struct entry *a = pa, *b = pb;
	struct span x = a->diag->primary.span, y = b->diag->primary.span;
	if (x.file != y.file)
		return x.file < y.file ? -1 : 1;
	if (x.begin != y.begin)
		return x.begin < y.begin ? -1 : 1;
	return a->index - b->index;
}

static bool equal(const struct diag *a, const struct diag *b)
{
	return a->code == b->code && a->primary.span.file == b->primary.span.file &&
	       a->primary.span.begin == b->primary.span.begin && !strcmp(a->message, b->message);
}

/* Whether an equal message came before among those at the same place. */
static bool is_repeated(const struct entry *entries, int i)
{
	for (int j = i - 1; j >= 0 && entries[j].diag->primary.span.begin == entries[i].diag->primary.span.begin; j--)
		if (equal(entries[j].diag, entries[i].diag))
			return true;
	return false;
}

static bool wants_color(const struct session *s, FILE *out)
{
	const char *no_color = getenv("NO_COLOR");
	if (s->options.color != WHEN_AUTO)
		return s->options.color == WHEN_ALWAYS;
	return isatty(fileno(out)) && !(no_color && *no_color);
}

static void print_one(const struct session *s, const struct diag *d, bool color, struct text *out)
{
	switch (s->options.diag_format) {
	case DIAG_FULL:
		diag_full(d, color, out);
		text_add(out, "\n");
		break;
	case DIAG_SHORT:
		diag_short(d, out);
		break;
	case DIAG_JSON:
		diag_json(d, out);
		break;
	}
}

struct diag **diag_sorted(const struct session *s, int *n)
{
	struct arena *scratch = arena_new("order");
	struct entry *entries = ARENA_ARRAY(scratch, struct entry, s->diags.n);
	struct diag **sorted = ARENA_ARRAY(s->arena, struct diag *, s->diags.n);
	*n = 0;
	for (int i = 0; i < s->diags.n; i++)
		entries[i] = (struct entry){s->diags.at[i], i};
	qsort(entries, (size_t)s->diags.n, sizeof *entries, by_place);
	for (int i = 0; i < s->diags.n; i++)
		if (!is_repeated(entries, i))
			sorted[(*n)++] = entries[i].diag;
	arena_free(scratch);
	return sorted;
}

void diag_flush(struct session *s, FILE *out)
{
	int n, printed = 0, withheld = 0;
	struct diag **sorted = diag_sorted(s, &n);
	struct arena *scratch = arena_new("messages");
	bool color = wants_color(s, out);
	for (int i = 0; i < n; i++) {
		struct text text;
		bool error = sorted[i]->severity == SEVERITY_ERROR;
		if (error && s->options.max_errors && printed >= s->options.max_errors) {
			withheld++;
			continue;
		}
		printed += error;
		text_init(&text, scratch);
		print_one(s, sorted[i], color, &text);
		fwrite(text_get(&text), 1, text.n, out);
	}
	if (withheld && s->options.diag_format == DIAG_FULL)
		fprintf(out, "%d more error%s not shown (--max-errors)\n", withheld, withheld == 1 ? "" : "s");
	fflush(out);
	s->diags.n = 0;
	arena_free(scratch);
}
