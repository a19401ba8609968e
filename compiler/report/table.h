/* table.h — rows of cells for people, each column as wide as its widest cell. */
#ifndef PML_REPORT_TABLE_H
#define PML_REPORT_TABLE_H

#include "base/arena.h"
#include "base/text.h"
#include "base/vec.h"

struct table {
	int columns;
	unsigned right; /* bit per column: numbers, to the right */
	VEC(const char *) cells;
};

/* All rows of a table have as many cells. */
void table_row(struct arena *a, struct table *t, int n, const char *const *cell);
void table_print(struct text *out, const struct table *t, const char *indent);
#define TABLE_ROW(a, t, ...) \
	table_row((a), (t), (int)(sizeof((const char *[]){__VA_ARGS__}) / sizeof(const char *)), \
		  (const char *[]){__VA_ARGS__})

/* "2.6 kB"; "1.2 M": bytes and counts. */
const char *bytes_text(struct arena *a, int64_t bytes);
const char *count_text(struct arena *a, int64_t n);

#endif
