/* data_csv.c — numbers in comma-separated text: one row per line, a range of columns. A first line in which no wanted
 * column is a number is a heading; empty lines do not count. Elements are of the type that the program claims. */
#define _POSIX_C_SOURCE 200809L
#include "data.h"
#include "element.h"

#include <string.h>

static const char *line_end(const char *p)
{
	return p + strcspn(p, "\n");
}

static const char *skip_blanks(const char *p)
{
	while (*p == ' ' || *p == '\t' || *p == '\r')
		p++;
	return p;
}

static bool is_empty(const char *line)
{
	line = skip_blanks(line);
	return *line == '\n' || *line == 0;
}

/* The begin of a column of a line, or NULL if it has fewer. */
static const char *find_column(const char *p, int64_t column)
{
	for (; column > 0; column--) {
		p += strcspn(p, ",\n");
		if (*p++ != ',')
			return NULL;
	}
	return p;
}

static bool is_heading(const struct column *c, const char *line)
{
	double number;
	char *end;
	const char *p = find_column(line, c->first_column);
	for (int64_t i = 0; p && i < c->columns; i++) {
		if (element_parse(PMLRT_F64, p, &end, &number))
			return false;
		p = find_column(p, 1);
	}
	return true;
}

/* The first line of data: behind empty lines and a heading. */
static const char *first_row(const struct column *c, const char *text)
{
	if (strncmp(text, "\xef\xbb\xbf", 3) == 0) /* a byte order mark */
		text += 3;
	while (*text && is_empty(text))
		text = line_end(text) + (*line_end(text) != 0);
	if (*text && is_heading(c, text))
		text = line_end(text) + (*line_end(text) != 0);
	return text;
}

static char *csv_text(struct pmlrt *rt, const struct column *c, int64_t size)
{
	char *text = file_copy(rt, c->path, size, c->site);
	if (memchr(text, 0, (size_t)size))
		rt_fail(rt, c->site, "`%s` is not a text file", c->path);
	return text;
}

static void csv_open(struct pmlrt *rt, struct column *c)
{
	int64_t size = file_size(rt, c->path, c->site);
	char *text = csv_text(rt, c, size);
	c->dtype = DTYPE_OF_CLAIM;
	c->rank = 1;
	c->dim[0] = c->row_elements = c->columns;
	c->offset = size;
	for (const char *p = first_row(c, text); *p; p = line_end(p) + (*line_end(p) != 0))
		c->rows += !is_empty(p);
	rt_release(rt, text);
}

/* Reads the wanted columns of a line. */
static void parse_row(struct pmlrt *rt, const struct column *c, const char *line, int64_t number, char *out)
{
	int64_t size = rt_dtype_size(c->row.dtype);
	const char *p = find_column(line, c->first_column);
	for (int64_t i = 0; i < c->columns; i++) {
		char *end;
		if (!p)
			rt_fail(rt, c->site, "`%s` line %lld has too few columns (%lld to %lld are read)", c->path,
				(long long)number, (long long)c->first_column,
				(long long)(c->first_column + c->columns - 1));
		p = skip_blanks(p);
		bool there = *p && !strchr(",\n", *p);
		if (!there || !element_parse(c->row.dtype, p, &end, out + i * size) ||
		    (*skip_blanks(end) && !strchr(",\n", *skip_blanks(end))))
			rt_fail(rt, c->site, "`%s` line %lld column %lld: `%.*s` is not of type %s", c->path,
				(long long)number, (long long)(c->first_column + i),
				(int)strcspn(p, ",\r\n") > 40 ? 40 : (int)strcspn(p, ",\r\n"), p,
				rt_dtype_text(c->row.dtype));
		p = find_column(end, 1);
	}
}

static void csv_load(struct pmlrt *rt, struct column *c)
{
	char *text = csv_text(rt, c, c->offset), *out = rt_alloc_large(rt, c->rows * c->row_bytes);
	const char *begin = first_row(c, text);
	int64_t number = 1, row = 0;
	for (const char *p = text; p < begin; p++)
		number += *p == '\n';
	for (const char *p = begin; *p && row < c->rows; p = line_end(p) + (*line_end(p) != 0), number++)
		if (!is_empty(p))
			parse_row(rt, c, p, number, out + row++ * c->row_bytes);
	rt_release(rt, text);
	c->data = out;
}

const struct reader reader_csv = {"CSV", csv_open, csv_load};
