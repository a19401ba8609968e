/* diag.c — builds messages and keeps them in the session; diag_render.c and diag_forms.c print them. */
#include "diag.h"

#include <stdarg.h>
#include <string.h>
#include <strings.h>

struct row {
	const char *name, *title, *explanation;
	enum diag_severity severity;
};

static const struct row rows[] = {
#define DIAG(code, severity, title, explanation) [code] = {#code, title, explanation, SEVERITY_##severity},
#include "diag.def"
#undef DIAG
};

struct diag *diag_unheard(struct session *s, enum diag_code code)
{
	struct diag *d = ARENA_NEW(s->arena, struct diag);
	d->session = s;
	d->code = code;
	d->severity = s->options.warn_error ? SEVERITY_ERROR : rows[code].severity;
	return d;
}

struct diag *diag_error(struct session *s, enum diag_code code, struct span at, const char *fmt, ...)
{
	va_list ap;
	struct diag *d = diag_unheard(s, code);
	d->primary.span = at;
	va_start(ap, fmt);
	d->message = arena_vprintf(s->arena, fmt, ap);
	va_end(ap);
	vec_push(s->arena, &s->diags, d);
	s->errors += d->severity == SEVERITY_ERROR;
	return d;
}

void diag_primary(struct diag *d, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	d->primary.text = arena_vprintf(d->session->arena, fmt, ap);
	va_end(ap);
}

void diag_label(struct diag *d, struct span at, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	struct diag_label label = {.span = at, .text = arena_vprintf(d->session->arena, fmt, ap)};
	va_end(ap);
	for (int i = 0; i < d->labels.n; i++) /* calls of a function by itself come by a place many times */
		if (!memcmp(&d->labels.at[i].span, &at, sizeof at) && strcmp(d->labels.at[i].text, label.text) == 0)
			return;
	vec_push(d->session->arena, &d->labels, label);
}

void diag_note(struct diag *d, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	const char *note = arena_vprintf(d->session->arena, fmt, ap);
	va_end(ap);
	for (int i = 0; i < d->notes.n; i++) /* an operator that reads one value twice has one thing to say of it */
		if (strcmp(d->notes.at[i], note) == 0)
			return;
	vec_push(d->session->arena, &d->notes, note);
}

void diag_help(struct diag *d, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	struct diag_help help = {.text = arena_vprintf(d->session->arena, fmt, ap), .bytes = -1};
	va_end(ap);
	vec_push(d->session->arena, &d->helps, help);
}

void diag_edit(struct diag *d, struct span at, const char *replacement)
{
	BUG_IF(d->helps.n == 0, "an edit without a help in %s", rows[d->code].name);
	struct diag_edit edit = {at, arena_strdup(d->session->arena, replacement)};
	vec_push(d->session->arena, &d->helps.at[d->helps.n - 1].edits, edit);
}

void diag_bytes(struct diag *d, int64_t bytes)
{
	BUG_IF(d->helps.n == 0, "bytes without a help in %s", rows[d->code].name);
	d->helps.at[d->helps.n - 1].bytes = bytes;
}

static bool is_mended_alike(const struct diag *a, const struct diag *b)
{
	if (a->severity != b->severity || !a->helps.n || !b->helps.n)
		return false;
	const struct diag_help *g = &a->helps.at[0], *h = &b->helps.at[0];
	bool alike = g->edits.n == h->edits.n && h->edits.n > 0;
	for (int i = 0; i < h->edits.n && alike; i++)
		alike = !memcmp(&g->edits.at[i].span, &h->edits.at[i].span, sizeof h->edits.at[i].span) &&
			!strcmp(g->edits.at[i].text, h->edits.at[i].text);
	return alike;
}

void diag_join(struct diag *d, const char *label)
{
	enum { MOST_LABELS = 3 };
	struct session *s = d->session;
	if (!s->diags.n || s->diags.at[s->diags.n - 1] != d)
		return;
	for (int i = 0; i < s->diags.n - 1; i++) {
		struct diag *told = s->diags.at[i];
		if (!is_mended_alike(told, d))
			continue;
		if (told->labels.n < MOST_LABELS &&
		    memcmp(&told->primary.span, &d->primary.span, sizeof d->primary.span))
			diag_label(told, d->primary.span, "%s", label);
		s->diags.n--;
		s->errors -= d->severity == SEVERITY_ERROR;
		return;
	}
}

enum { NEAREST_MAX = 64 }; /* longer names get no suggestion */

static int least(int a, int b, int c)
{
	int m = a < b ? a : b;
	return m < c ? m : c;
}

/* Damerau-Levenshtein distance (adjacent transpositions count one) of two strings of at most NEAREST_MAX bytes. */
static int distance(const char *a, int na, const char *b, int nb)
{
	int d[3][NEAREST_MAX + 1];
	for (int j = 0; j <= nb; j++)
		d[0][j] = j;
	for (int i = 1; i <= na; i++) {
		int *now = d[i % 3], *above = d[(i + 2) % 3], *before = d[(i + 1) % 3];
		now[0] = i;
		for (int j = 1; j <= nb; j++) {
			int change = above[j - 1] + (a[i - 1] != b[j - 1]);
			now[j] = least(above[j] + 1, now[j - 1] + 1, change);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    before[j - 2] + 1 < now[j])
				now[j] = before[j - 2] + 1;
		}
	}
	return d[na % 3][nb];
}

/* The candidate that has four letters or more in front in common with the name, which end a word of one of them:
 * `xavier` for `xavier_uniform`, `clip_norm` for `clipped`, of which they are half at least. */
static const char *beginning(const char *name, size_t length, const char *const *candidates, int n)
{
	const char *best = NULL;
	size_t most = 3;
	for (int i = 0; i < n; i++) {
		const char *other = candidates[i];
		size_t k = 0;
		while (name[k] && name[k] == other[k])
			k++;
		bool is_word = name[k] == '_' && !other[k];
		bool begins_one = 2 * k >= length && (other[k] == '_' || !other[k]);
		if (k > most && k < length && (is_word || begins_one)) {
			best = other;
			most = k;
		}
	}
	return best;
}

const char *diag_nearest(const char *name, const char *const *candidates, int n)
{
	size_t length = strlen(name);
	const char *best = NULL;
	if (length > NEAREST_MAX)
		return NULL;
	for (int i = 0; i < n; i++)
		if (strcmp(name, candidates[i]) != 0 && !strcasecmp(name, candidates[i]))
			return candidates[i];
	int limit = length < 3 ? (int)length - 1 : (int)(length + 2) / 3;
	for (int i = 0; i < n && limit > 0; i++) {
		size_t other = strlen(candidates[i]);
		if (other == 0 || other > NEAREST_MAX)
			continue;
		int far = distance(name, (int)length, candidates[i], (int)other);
		if (far > 0 && far <= limit) {
			best = candidates[i];
			limit = far - 1;
		}
	}
	return best ? best : beginning(name, length, candidates, n);
}

enum diag_code diag_code_of(const char *text)
{
	int code = 0;
	while (code < DIAG_COUNT && strcmp(rows[code].name, text))
		code++;
	return (enum diag_code)code;
}

const char *diag_code_name(enum diag_code code)
{
	return rows[code].name;
}

const char *diag_title(enum diag_code code)
{
	return rows[code].title;
}

const char *diag_explanation(enum diag_code code)
{
	return rows[code].explanation;
}
