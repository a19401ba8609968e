/* data.h — datasets inside the runtime: columns (one file's rows, shared by all datasets that show them) and readers.
 * A new file format is one file with one `struct reader`: open reads the header and sets dtype, row shape and rows;
 * load makes all rows available at column->data. Both end the job with a message if the file is not as it should be. */
#ifndef RT_DATA_H
#define RT_DATA_H

#include "mapped.h"

struct column;
struct reader {
	const char *name;
	void (*open)(struct pmlrt *rt, struct column *c);
	void (*load)(struct pmlrt *rt, struct column *c);
};

enum { DTYPE_OF_CLAIM = -1 }; /* the file has text, or bytes: elements are of the type that is claimed */

struct column {
	const struct reader *reader;
	const char *path;
	int32_t site;
	bool opened, claimed;
	int32_t dtype;
	int32_t rank; /* of a row, as the file has it */
	int64_t dim[PMLRT_MAX_RANK];
	int64_t rows, row_elements;
	int64_t row_bytes;               /* from the beginning of a row to that of the next */
	int64_t offset;                  /* of the first row in the (uncompressed) file */
	int64_t bytes;                   /* raw: of all elements */
	bool is_npy;                     /* raw: a .npy file by its first bytes */
	int64_t first_column, columns;   /* CSV */
	int64_t stride;                  /* raw: elements from row to row; 0: a row's */
	struct pmlrt_type row;           /* as claimed */
	const char *data;                /* all rows, once loaded */
	const struct rt_mapping *mapped; /* they are the file itself, which may not be in memory; NULL: a copy */
};

struct dataset {
	int32_t nfields;
	struct column **field;
	int64_t first, count; /* rows of the columns that this dataset shows; count < 0: all */
};

extern const struct reader reader_idx, reader_csv, reader_npy, reader_bytes;

/* data_bytes.c: how many rows there are, if they are of this type. */
void bytes_claim(struct pmlrt *rt, struct column *c, const struct pmlrt_type *row, int32_t site);
/* data_npy.c: whether the file begins as .npy files do. */
bool npy_is_one(struct pmlrt *rt, const struct column *c);

void column_open(struct pmlrt *rt, struct column *c);
void column_load(struct pmlrt *rt, struct column *c);
int64_t dataset_rows(struct pmlrt *rt, struct dataset *d, int32_t site);

/* ---- data_file.c: whole files, gzip or not ---- */
/* The first `room` bytes (of the contents); the value is how many there are. */
int64_t file_head(struct pmlrt *rt, const char *path, void *bytes, int64_t room, int32_t site);
/* Ends the job unless the contents are `size` bytes long; `what` says what promises so. */
void file_check_size(struct pmlrt *rt, const char *path, int64_t size, int32_t site);
/* Size of the contents. */
int64_t file_size(struct pmlrt *rt, const char *path, int32_t site);
/* The contents, of `size` bytes, unpacked if they were compressed, and a terminating 0 behind them. May be released. */
char *file_copy(struct pmlrt *rt, const char *path, int64_t size, int32_t site);
/* The contents without a copy where that is possible: then they are mapped, for the process's life; else *mapped is
 * NULL. */
char *file_bytes(struct pmlrt *rt, const char *path, int64_t size, const struct rt_mapping **mapped, int32_t site);

#endif
