/* csv_table.h — a CSV file as rows: its text, in memory or mapped, and where rows begin. Not every row is marked, but
 * one in each piece of MARK_BYTES of the file; the next ones are found from there. So a file costs less than half a
 * per cent of its size, and any of its rows is read by reading a few. Pages of a mapped file are given back as it is
 * read: they stay in the kernel's memory as long as there is room, for all ranks of a machine once. */
#ifndef RT_CSV_TABLE_H
#define RT_CSV_TABLE_H

#include "csv.h"
#include "mapped.h"

enum { CSV_MARK_BYTES = 4096 };

struct csv_mark {
	int64_t row, at; /* at: its first byte */
};

/* The row found last, and which pages were read since some were given back. */
struct csv_cursor {
	int64_t row;
	const char *at; /* NULL: none yet */
	int64_t piece, pieces;
};

struct csv_table {
	const char *path;
	char separator;
	const char *text, *end;          /* all of it */
	const struct rt_mapping *mapped; /* it is the file itself; NULL: a copy */
	const char *first;               /* the first record that is not empty, `end` if there is none */
	const char *heading;             /* that one, if it is no row; NULL */
	const char *heading_end;         /* nothing of it stands behind that */
	int64_t fields;                  /* of the first record; INT64_MAX: not known yet */
	int64_t line;                    /* that the text begins in, from 0 on */
	int64_t rows;
	int64_t nmarks, room;
	struct csv_mark *marks;
	struct csv_cursor *cursor;
};

/* A column as the program names it: by a word of the heading, or (name NULL) by a number from 0 on. */
struct csv_name {
	const char *name;
	int64_t number;
};

/* Reads the first record. Ends the job if the file is none of text. */
struct csv_table *csv_table_open(struct pmlrt *rt, const char *path, char separator, int32_t site);
/* The text has its first record at p or behind it. */
void csv_table_begin(struct csv_table *t, const char *p);
/* Finds the rows. */
void csv_table_count(struct pmlrt *rt, struct csv_table *t, bool has_heading, int32_t site);
/* Where row `row` begins, and the piece of the file that is read to find it. */
const char *csv_row(const struct csv_table *t, int64_t row);
/* The row behind one; `end` if there is none. */
const char *csv_next(const struct csv_table *t, const char *record);
void csv_row_piece(const struct csv_table *t, int64_t row, const char **begin, const char **end);
/* The line of the file, from 1 on, in which a place is; a row begins. */
int64_t csv_lines(const char *text, const char *place); /* ends of lines between two places */
int64_t csv_line_at(const struct csv_table *t, const char *place);
int64_t csv_line(const struct csv_table *t, int64_t row);
/* The number of a column; -1 if there is none of that name or number, -2 if there are several. */
int64_t csv_column(const struct csv_table *t, const struct csv_name *name);
/* A name of the heading, as far as it is shown, that is like this one: a letter or two differ. NULL: there is none. */
const char *csv_nearest_column(const struct csv_table *t, const char *name, char *buffer, size_t size);
/* "column `age`", "column 3", into a buffer. */
const char *csv_column_text(const struct csv_table *t, int64_t number, char *buffer, size_t size);
/* The first line of the heading for a message, as csv_shown. */
const char *csv_shown_heading(const struct csv_table *t, char *buffer, size_t size);
/* A line of help if the file seems to have another separator, or other ends of lines; "". */
const char *csv_separator_help(const struct csv_table *t);
/* The same, or that the first line has numbers, where a column was not found by its name. */
const char *csv_heading_help(const struct csv_table *t);
/* The contents of a field for a message: not too long, without bytes that move a terminal's cursor. */
const char *csv_shown(const struct csv_field *f, char *buffer, size_t size);

#endif
