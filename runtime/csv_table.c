/* csv_table.c — see csv_table.h. */
#define _DEFAULT_SOURCE
#include "csv_table.h"
#include "data.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* The kernel maps some PIECE bytes around an address that is read. */
enum { SHOWN = 40, NEAR = 3, NAME_MOST = 256, PIECE = 1 << 16, PIECES_KEPT = 64 };

void csv_table_begin(struct csv_table *t, const char *p)
{
	struct csv_field f;
	t->first = csv_skip_empty(p, t->end, t->separator);
	t->rows = t->nmarks = 0;
	t->cursor->at = NULL;
	if (t->fields != INT64_MAX || t->first == t->end)
		return;
	t->fields = 0;
	p = t->first;
	for (bool last = false; !last; t->fields++)
		csv_take(&p, t->end, t->separator, &f, &last);
}

/* The text is read here. */
static void look(const struct csv_table *t, const char *place)
{
	struct csv_cursor *c = t->cursor;
	int64_t piece = (place - t->text) / PIECE;
	if (!t->mapped || piece == c->piece)
		return;
	c->piece = piece;
	if (++c->pieces < PIECES_KEPT)
		return;
	c->pieces = 0;
	madvise(t->mapped->begin, (size_t)t->mapped->bytes, MADV_DONTNEED);
}

/* The first byte that is 0, or NULL. */
static const char *find_zero(const struct csv_table *t)
{
	for (const char *p = t->text; p < t->end; p += PIECE) {
		look(t, p);
		const char *zero = memchr(p, 0, (size_t)(t->end - p < PIECE ? t->end - p : PIECE));
		if (zero)
			return zero;
	}
	return NULL;
}

/* Ends the job if the file begins as those do that tables often come in. */
static void fail_format(struct pmlrt *rt, const struct csv_table *t, int32_t site)
{
	static const char unpack[] = "unpack it, or pack it by gzip", utf8[] = "save it as UTF-8";
	static const struct {
		const char *begin;
		int n;
		const char *what, *help;
	} formats[] = {{"BZh", 3, "it is packed by bzip2", unpack},
		       {"\xfd"
			"7zXZ",
			5, "it is packed by xz", unpack},
		       {"\x28\xb5\x2f\xfd", 4, "it is packed by zstd", unpack},
		       {"PK\3\4", 4, "it is a zip archive", "unpack it; if it is a spreadsheet, save that as CSV"},
		       {"\xd0\xcf\x11\xe0", 4, "it is a spreadsheet", "save it as CSV"},
		       {"PAR1", 4, "it is a Parquet file", "save it as CSV"},
		       {"\x89HDF", 4, "it is an HDF5 file", "save its tensors as .npy files"},
		       {"\x93NUMPY", 6, "it is a .npy file", "data.npy reads it"},
		       {"\xff\xfe", 2, "it is text in UTF-16", utf8},
		       {"\xfe\xff", 2, "it is text in UTF-16", utf8}};
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
		if (t->end - t->text >= formats[i].n && memcmp(t->text, formats[i].begin, (size_t)formats[i].n) == 0)
			rt_fail(rt, site, "`%s` is not a text file: %s\nhelp: %s", t->path, formats[i].what,
				formats[i].help);
}

struct csv_table *csv_table_open(struct pmlrt *rt, const char *path, char separator, int32_t site)
{
	struct csv_table *t = rt_alloc(rt, sizeof *t);
	int64_t size = file_size(rt, path, site);
	t->path = path;
	t->separator = separator;
	t->text = file_bytes(rt, path, size, &t->mapped, site);
	t->end = t->text + size;
	t->cursor = rt_alloc(rt, sizeof *t->cursor);
	fail_format(rt, t, site);
	const char *nul = find_zero(t), *p = t->text;
	if (nul)
		rt_fail(rt, site, "`%s` is not a text file: it has a byte 0 at %lld", path, (long long)(nul - t->text));
	if (size >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0) /* a byte order mark */
		p += 3;
	t->fields = INT64_MAX;
	csv_table_begin(t, p);
	t->fields = t->first == t->end ? 0 : t->fields;
	return t;
}

static void mark(struct pmlrt *rt, struct csv_table *t, int64_t at)
{
	if (t->nmarks && at - t->marks[t->nmarks - 1].at < CSV_MARK_BYTES)
		return;
	if (t->nmarks == t->room) {
		int64_t room = t->room ? 2 * t->room : 16;
		struct csv_mark *more = rt_alloc_large(rt, room * (int64_t)sizeof *more);
		if (t->nmarks)
			memcpy(more, t->marks, (size_t)t->nmarks * sizeof *more);
		rt_release(rt, t->marks);
		t->marks = more;
		t->room = room;
	}
	t->marks[t->nmarks++] = (struct csv_mark){t->rows, at};
}

/* The record behind one that is not empty. */
static const char *next_record(struct pmlrt *rt, const struct csv_table *t, const char *record, int32_t site)
{
	look(t, record);
	const char *p = csv_behind(record, t->end, t->separator);
	if (!p)
		rt_fail(rt, site, "`%s` line %lld: a quote is opened here that none closes", t->path,
			(long long)csv_line_at(t, record));
	return csv_skip_empty(p, t->end, t->separator);
}

void csv_table_count(struct pmlrt *rt, struct csv_table *t, bool has_heading, int32_t site)
{
	const char *p = t->first;
	if (has_heading && p < t->end) {
		t->heading = p;
		t->heading_end = t->end;
		p = next_record(rt, t, p, site);
	}
	for (; p < t->end; p = next_record(rt, t, p, site), t->rows++)
		mark(rt, t, p - t->text);
}

/* The last mark at a row or before it. */
static const struct csv_mark *mark_of(const struct csv_table *t, int64_t row)
{
	int64_t low = 0, high = t->nmarks - 1;
	while (low < high) {
		int64_t middle = low + (high - low + 1) / 2;
		if (t->marks[middle].row <= row)
			low = middle;
		else
			high = middle - 1;
	}
	return &t->marks[low];
}

const char *csv_next(const struct csv_table *t, const char *record)
{
	look(t, record);
	const char *p = csv_behind(record, t->end, t->separator);
	return p ? csv_skip_empty(p, t->end, t->separator) : t->end;
}

const char *csv_row(const struct csv_table *t, int64_t row)
{
	struct csv_cursor *c = t->cursor;
	const struct csv_mark *m = mark_of(t, row);
	if (!c->at || c->row > row || c->row < m->row) {
		c->row = m->row;
		c->at = t->text + m->at;
	}
	look(t, c->at);
	for (; c->at < t->end && c->row < row; c->row++)
		c->at = csv_next(t, c->at);
	return c->at;
}

void csv_row_piece(const struct csv_table *t, int64_t row, const char **begin, const char **end)
{
	const struct csv_mark *m = mark_of(t, row);
	*begin = t->text + m->at;
	*end = m + 1 < t->marks + t->nmarks ? t->text + m[1].at : t->end;
}

int64_t csv_lines(const char *text, const char *place)
{
	int64_t lines = 0;
	for (const char *p = text; p < place && (p = memchr(p, '\n', (size_t)(place - p))); p++)
		lines++;
	return lines;
}

int64_t csv_line_at(const struct csv_table *t, const char *place)
{
	return t->line + 1 + csv_lines(t->text, place);
}

int64_t csv_line(const struct csv_table *t, int64_t row)
{
	return csv_line_at(t, csv_row(t, row));
}

/* The next field of the heading, from its begin on; false behind the last one. */
static bool next_in_heading(const struct csv_table *t, const char **p, struct csv_field *f)
{
	bool last;
	if (!*p)
		return false;
	csv_take(p, t->heading_end, t->separator, f, &last);
	if (last)
		*p = NULL;
	return true;
}

/* Field `number` of the heading; false if there is none. */
static bool heading_field(const struct csv_table *t, int64_t number, struct csv_field *f)
{
	const char *p = t->heading;
	for (int64_t i = 0; next_in_heading(t, &p, f); i++)
		if (i == number)
			return true;
	return false;
}

static bool is_name(const struct csv_field *f, const char *name)
{
	char text[NAME_MOST];
	size_t n = (size_t)(f->end - f->begin);
	if (n >= sizeof text)
		return false;
	n = csv_contents(f, text);
	return n == strlen(name) && memcmp(text, name, n) == 0;
}

int64_t csv_column(const struct csv_table *t, const struct csv_name *name)
{
	struct csv_field f;
	if (!name->name)
		return name->number >= 0 && name->number < t->fields ? name->number : -1;
	const char *p = t->heading;
	int64_t found = -1;
	for (int64_t i = 0; next_in_heading(t, &p, &f); i++)
		if (is_name(&f, name->name))
			found = found == -1 ? i : -2;
	return found;
}

static bool is_number(const char *text)
{
	char *end;
	strtod(text, &end);
	return end > text && !*end;
}

const char *csv_nearest_column(const struct csv_table *t, const char *name, char *buffer, size_t size)
{
	struct csv_field f;
	const char *p = t->heading;
	char shown[2 * SHOWN];
	int best = NEAR;
	while (next_in_heading(t, &p, &f)) {
		csv_shown(&f, shown, sizeof shown);
		int distance = rt_distance(name, shown, strlen(shown));
		if (f.end > f.begin && distance < best && !is_number(shown)) {
			best = distance;
			snprintf(buffer, size, "%s", shown);
		}
	}
	return best < NEAR ? buffer : NULL;
}

const char *csv_column_text(const struct csv_table *t, int64_t number, char *buffer, size_t size)
{
	struct csv_field f;
	char name[2 * SHOWN];
	if (heading_field(t, number, &f) && f.end > f.begin)
		snprintf(buffer, size, "column `%s`", csv_shown(&f, name, sizeof name));
	else
		snprintf(buffer, size, "column %lld", (long long)number);
	return buffer;
}

const char *csv_separator_help(const struct csv_table *t)
{
	static const struct {
		char sign;
		const char *help;
	} separators[] = {{';', "\nhelp: if fields are separated by semicolons, say `separator = \";\"`"},
			  {'\t', "\nhelp: if fields are separated by tabs, say `separator = \"\\t\"`"},
			  {',', "\nhelp: if fields are separated by commas, leave `separator` out"}};
	const char *line = memchr(t->first, '\n', (size_t)(t->end - t->first));
	size_t n = (size_t)((line ? line : t->end) - t->first);
	const char *back = memchr(t->first, '\r', n);
	if (back && back + 1 < t->end && back[1] != '\n')
		return "\nhelp: its lines end in \\r alone; `tr '\\r' '\\n'` makes lines of them";
	for (size_t i = 0; i < sizeof separators / sizeof *separators; i++) {
		int64_t others = 0; /* as many as there are fields: more than there are separators */
		for (const char *p = t->first; separators[i].sign != t->separator && p < t->first + n; p++)
			others += *p == separators[i].sign;
		if (others > 0 && others >= t->fields)
			return separators[i].help;
	}
	return "";
}

/* A file without heading, whose columns were named. */
const char *csv_heading_help(const struct csv_table *t)
{
	const char *separator = csv_separator_help(t), *p = t->heading;
	struct csv_field f;
	char shown[2 * SHOWN];
	while (!separator[0] && next_in_heading(t, &p, &f))
		if (is_number(csv_shown(&f, shown, sizeof shown)))
			return "\nhelp: a number is no name: columns of a file without heading are taken by number, from 0 on";
	return separator;
}

const char *csv_shown_heading(const struct csv_table *t, char *buffer, size_t size)
{
	const char *line = memchr(t->heading, '\n', (size_t)(t->heading_end - t->heading));
	struct csv_field f = {.begin = t->heading, .end = line ? line : t->heading_end};
	while (f.end > f.begin && (unsigned char)f.end[-1] <= ' ')
		f.end--;
	return csv_shown(&f, buffer, size);
}

const char *csv_shown(const struct csv_field *f, char *buffer, size_t size)
{
	size_t n = (size_t)(f->end - f->begin), most = n > SHOWN ? SHOWN : n;
	while (most < n && most > 0 && (f->begin[most] & 0xC0) == 0x80) /* not within a letter */
		most--;
	for (size_t i = 0; i < most; i++)
		buffer[i] = (unsigned char)f->begin[i] < ' ' || f->begin[i] == 0x7F ? ' ' : f->begin[i];
	snprintf(buffer + most, size - most, "%s", most < n ? "..." : "");
	return buffer;
}
