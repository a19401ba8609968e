/* csv_rows.h — rows of a CSV file as elements: which fields of a record a column takes, in which order, and what a
 * field is as an element. */
#ifndef RT_CSV_ROWS_H
#define RT_CSV_ROWS_H

#include "codes.h"
#include "csv_table.h"

/* What holds for all columns that one call of data.csv reads. */
struct csv_rules {
	bool has_missing, has_unknown;
	char point;      /* before the fraction of a number */
	double missing;  /* stands for a number that is missing */
	int64_t unknown; /* the code of a text that has none */
};

/* Field `field` of a record becomes element `element` of a row. */
struct csv_pick {
	int64_t field, element;
	const struct codes *codes; /* of a column of texts; NULL: numbers */
	const char *codes_from;    /* the file that has them, for messages */
};

/* What a column takes of the records of a table: picks in order of fields. */
struct csv_picks {
	const struct csv_table *table;
	const struct csv_rules *rules;
	int64_t n;
	struct csv_pick *pick;
	int32_t dtype;
};

enum csv_mistake {
	CSV_MISSING,  /* a number that is not there */
	CSV_NO_VALUE, /* not of the type */
	CSV_LARGE,    /* a number larger than any of the type */
	CSV_NO_CODE,  /* a text that has none */
	CSV_CODE,     /* a code larger than any number of the type */
	CSV_FIELDS,   /* another number of fields than the first record */
	CSV_QUOTE,    /* text behind the quote that ends a field */
};
struct csv_wrong {
	enum csv_mistake mistake;
	int64_t field; /* of CSV_FIELDS: how many there are */
	struct csv_field text;
	const struct csv_pick *pick;
};

/* Whether a field of a column of numbers says that there is none. */
bool csv_is_missing(const struct csv_field *f);
/* Writes the elements of a record's row. False: the mistake is at *wrong. whole: the fields behind the last pick are
 * counted too. */
bool csv_read_row(const struct csv_picks *p, const char *record, bool whole, char *out, struct csv_wrong *wrong);
/* Ends the job with the mistake of a record. heading: whether the first line was taken for a heading or a row without
 * the program having said so. */
_Noreturn void csv_fail(struct pmlrt *rt, const struct csv_picks *p, const char *record, const struct csv_wrong *wrong,
			bool guessed, int32_t site);

#endif
