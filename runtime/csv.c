/* csv.c — see csv.h. A parser of our own: those there are hand out contents and not where a record begins, which is
 * what finds a row of a large file again, and in what line a mistake stands. */
#include "csv.h"

#include <string.h>

bool csv_may_separate(char c)
{
	return c && !strchr("\"\r\n+-.", c) && !(c >= '0' && c <= '9') && !((c | 32) >= 'a' && (c | 32) <= 'z');
}

static bool is_blank(char c, char separator)
{
	return (c == ' ' || c == '\t' || c == '\r') && c != separator;
}

static const char *skip_blanks(const char *p, const char *end, char separator)
{
	while (p < end && is_blank(*p, separator))
		p++;
	return p;
}

/* A field in quotes from behind the first one; p goes behind the last. */
static bool take_quoted(const char **p, const char *end, struct csv_field *f)
{
	f->begin = f->end = *p;
	f->quoted = true;
	for (const char *q = *p;; q += 2) {
		q = q < end ? memchr(q, '"', (size_t)(end - q)) : NULL;
		f->end = q ? q : end;
		if (!q)
			return false;
		if (q + 1 == end || q[1] != '"') {
			*p = q + 1;
			return true;
		}
		f->doubled = true;
	}
}

static const char *field_end(const char *p, const char *end, char separator)
{
	while (p < end && *p != separator && *p != '\n')
		p++;
	return p;
}

enum csv_fault csv_take(const char **p, const char *end, char separator, struct csv_field *f, bool *last)
{
	enum csv_fault fault = CSV_FINE;
	const char *q = skip_blanks(*p, end, separator), *stop;
	f->quoted = f->doubled = false;
	if (q < end && *q == '"') {
		q++;
		if (!take_quoted(&q, end, f)) {
			*p = end;
			*last = true;
			return CSV_OPEN_QUOTE;
		}
		q = skip_blanks(q, end, separator);
		stop = field_end(q, end, separator);
		fault = stop > q ? CSV_BEHIND_QUOTE : CSV_FINE;
	} else {
		f->begin = q;
		f->end = stop = field_end(q, end, separator);
		while (f->end > f->begin && is_blank(f->end[-1], separator))
			f->end--;
	}
	*last = stop == end || *stop == '\n';
	*p = stop < end ? stop + 1 : end;
	return fault;
}

const char *csv_behind(const char *record, const char *end, char separator)
{
	const char *line = memchr(record, '\n', (size_t)(end - record));
	size_t n = (size_t)((line ? line : end) - record);
	struct csv_field f;
	if (!memchr(record, '"', n))
		return line ? line + 1 : end;
	for (bool last = false; !last;)
		if (csv_take(&record, end, separator, &f, &last) == CSV_OPEN_QUOTE)
			return NULL;
	return record;
}

const char *csv_skip_empty(const char *p, const char *end, char separator)
{
	for (;;) {
		const char *q = skip_blanks(p, end, separator);
		if (q == end)
			return end;
		if (*q != '\n')
			return p;
		p = q + 1;
	}
}

size_t csv_contents(const struct csv_field *f, char *out)
{
	char *to = out;
	for (const char *p = f->begin; p < f->end; p++) {
		*to++ = *p;
		p += f->doubled && *p == '"';
	}
	return (size_t)(to - out);
}
