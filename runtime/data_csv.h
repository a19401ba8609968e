/* data_csv.h — what one call of data.csv reads: its files, what it was told of them, and the codes of their texts. All
 * its columns share this. */
#ifndef RT_DATA_CSV_H
#define RT_DATA_CSV_H

#include "csv_rows.h"
#include "csv_stream.h"
#include "data.h"

/* A column of texts. */
struct csv_texts {
	struct csv_name column;
	struct codes *codes; /* once the source is prepared */
	const char *from;    /* the file that has them, for messages */
};

struct csv_source {
	int32_t npaths;
	const char **paths;
	int32_t site;
	char separator;
	bool counted;    /* the columns that are taken are counted from the left, so the files have no others */
	int64_t heading; /* 1: the first record is one, 0: it is a row, -1: that is found out */
	struct csv_rules rules;
	int32_t ntexts;
	struct csv_texts *texts;
	struct csv_source *codes_of; /* whose codes these are; NULL */
	const char *codes_path;      /* where they were saved; NULL */

	bool prepared;
	int32_t nparts;
	struct csv_part **parts;
	int32_t ntables;
	struct csv_table **tables;
	struct csv_stream *stream; /* a pipe: the table is that of its batches; NULL: files */
};

/* What a column takes of a record, as the program names it; the picks of each file. */
struct csv_part {
	struct csv_source *source;
	int64_t n;
	struct csv_name *column;
	struct csv_picks *picks; /* by number of the file */
	char *buffer;            /* one row */
	char *values;            /* rows that were read, as far as `has` says; NULL: too many to keep */
	uint8_t *has;
};

/* Opens the files, finds rows and codes; once. */
void csv_prepare(struct pmlrt *rt, struct csv_source *s);
/* csv_codes.c: the codes of all columns of texts: of the files, of another source, or saved. */
void csv_find_codes(struct pmlrt *rt, struct csv_source *s);
/* The number of a column in a file of the source; ends the job if it has none. */
int64_t csv_find_column(struct pmlrt *rt, const struct csv_source *s, const struct csv_table *t,
			const struct csv_name *name, int32_t site);

#endif
