/* csv.h — comma-separated text as RFC 4180 has it: records that end with a line, fields between separators, fields in
 * quotes in which separators, ends of lines and doubled quotes stand for themselves. Taken as well: \n for \r\n, other
 * separators, blanks around fields (which do not count outside of quotes), a last line without an end.
 * Nothing here allocates, and nothing behind `end` is read. */
#ifndef RT_CSV_H
#define RT_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct csv_field {
	const char *begin, *end; /* without quotes and blanks */
	bool quoted, doubled;    /* doubled: quotes in it are written twice */
};

enum csv_fault {
	CSV_FINE,
	CSV_OPEN_QUOTE,   /* no quote ends the field */
	CSV_BEHIND_QUOTE, /* text between the quote that ends a field and the separator */
};

/* Whether fields may be separated by this byte. */
bool csv_may_separate(char c);
/* Takes the field at *p, which becomes where the next one begins; *last: there is none, and the next record begins
 * there. */
enum csv_fault csv_take(const char **p, const char *end, char separator, struct csv_field *f, bool *last);
/* Where the next record begins; NULL if a quote of this one is left open. */
const char *csv_behind(const char *record, const char *end, char separator);
/* The first record at p or behind it that is not an empty line; `end` if there is none. */
const char *csv_skip_empty(const char *p, const char *end, char separator);
/* The contents of a field, quotes single again, into `out` with room for all of it; how many bytes. */
size_t csv_contents(const struct csv_field *f, char *out);

#endif
