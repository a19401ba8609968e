/* data.h — datasets inside the runtime: columns (rows of one file, or of several one after the other, shared by all
 * datasets that show them) and readers. A new file format is one file with one `struct reader`: open reads the header
 * of a file and sets dtype, row shape and rows; load makes its rows available, at `data` or by `row`. All end the job
 * with a message if the file is not as it should be. */
#ifndef RT_DATA_H
#define RT_DATA_H

#include "mapped.h"

struct sequences;
struct csv_table;
struct csv_part;
struct csv_source;

/* A file of a column. */
struct data_file {
	const char *path;
	int64_t first, rows; /* rows of the files before it; its own */
	int64_t offset;      /* of the first row in the (uncompressed) file */
	int64_t bytes;       /* raw: of all elements */
	bool loaded;
	bool is_npy;                     /* raw: a .npy file by its first bytes */
	struct csv_table *table;         /* CSV: its records */
	const char *data;                /* all rows, once loaded */
	const struct rt_mapping *mapped; /* they are the file itself, which may not be in memory; NULL: a copy */
};

struct column;
struct reader {
	const char *name;
	void (*open)(struct pmlrt *rt, struct column *c, struct data_file *f);
	void (*load)(struct pmlrt *rt, struct column *c, struct data_file *f);
	/* A row, by number in the file, if rows do not stand at `data`: valid until the next call. */
	const char *(*row)(struct pmlrt *rt, struct column *c, struct data_file *f, int64_t row);
};

enum { DTYPE_OF_CLAIM = -1 }; /* the file has text, or bytes: elements are of the type that is claimed */

struct column {
	const struct reader *reader;
	const char *path; /* as the program names it, for messages */
	int32_t npaths;
	const char **paths;
	int32_t nfiles; /* what paths stand for, once it is opened */
	struct data_file *files;
	int32_t site;
	bool opened, claimed;
	int32_t dtype;
	int32_t rank; /* of a row, as the files have it */
	int64_t dim[PMLRT_MAX_RANK];
	int64_t rows, row_elements;
	int64_t row_bytes; /* from the beginning of a row to that of the next */
	int64_t stride;    /* raw: elements from row to row; 0: a row's */
	char *turned;      /* IDX: a row in this machine's order of bytes; NULL: rows are. Sequences: a row */
	struct column *of; /* sequences: the column whose rows they are made of; NULL: a file's */
	const struct sequences *sequences;
	bool repeated;         /* sequences are made of it: a pass reads its rows many times */
	struct csv_part *part; /* CSV: what of a record it takes */
	struct pmlrt_type row; /* as claimed */
};

/* Rows of the columns that stand one behind the other. */
struct piece_of_rows {
	int64_t first, count;
	int64_t before; /* rows of the pieces before it */
};

struct dataset {
	int32_t nfields;
	struct column **field;
	int64_t count; /* rows of the columns that this dataset shows, those of all pieces; < 0: all, in no pieces */
	int32_t npieces;
	struct piece_of_rows *piece; /* none of them is empty */
};

extern const struct reader reader_idx, reader_csv, reader_npy, reader_bytes;

/* data.c */
struct dataset *dataset_new(struct pmlrt *rt, int32_t nfields); /* of all rows of columns, which are not there yet */
struct dataset *dataset_of_file(struct pmlrt *rt, const struct reader *reader, const char *path, int32_t site);
void column_open(struct pmlrt *rt, struct column *c);
/* Loads the file that has a row, unless it is. */
void column_load(struct pmlrt *rt, struct column *c, int64_t row);
int64_t dataset_rows(struct pmlrt *rt, struct dataset *d, int32_t site);
/* Of n pieces, one behind the other, that which has the row; NULL: of none. */
const struct piece_of_rows *piece_with(const struct piece_of_rows *piece, int32_t n, int64_t row);
/* Which row of the columns is row number `row` of the dataset; where its piece ends, of `rows` rows. */
int64_t dataset_row(const struct dataset *d, int64_t row);
int64_t dataset_piece_end(const struct dataset *d, int64_t row, int64_t rows);
/* The file that has a row of the column. */
struct data_file *column_file(const struct column *c, int64_t row);
/* A row, of a file that was loaded; valid until the next call. */
const char *column_row(struct pmlrt *rt, struct column *c, int64_t row);
/* Where the bytes of a row of a file are, if that is mapped, or not far around it; false: they are in memory. */
struct row_span {
	const char *begin, *end;
};
bool column_row_span(const struct column *c, int64_t row, struct row_span *span);
/* data_sequences.c: the row that a row begins with, and the column of files that has it; whether its file is loaded. */
int64_t column_first_row(const struct column **c, int64_t row);
bool column_is_loaded(const struct column *c, int64_t row);
/* In how many pieces a row lies in files: a sequence of rows that are apart, in one for each; where one of them is. */
int64_t column_pieces(const struct column *c);
bool column_span(const struct column *c, int64_t row, int64_t piece, struct row_span *span);
/* "`t.csv` line 12", "row 3 of `labels`": where a row of the column comes from, for messages. */
const char *column_row_text(const struct column *c, int64_t row, char *buffer, size_t size);

/* batches.c: the same for row `row` of the batch that a loop over batches has taken last. May shuffle anew. */
const char *batch_row_text(void *batches, int32_t field, int64_t row, char *buffer, size_t size);

/* data_paths.c: the files that a path stands for, sorted by name: those of a folder, those that fit a pattern
 * (glob(7)), itself. */
const char **data_paths(struct pmlrt *rt, const char *path, int32_t *n, int32_t site);

/* data_bytes.c: how many rows there are, if they are of this type. */
void bytes_claim(struct pmlrt *rt, struct column *c, const struct pmlrt_type *row, int32_t site);
/* data_csv.c: sets the files of a column. */
void csv_find_files(struct pmlrt *rt, struct column *c);
/* Every row has what the column takes of it, as elements of this type. All ranks call. */
void csv_claim(struct pmlrt *rt, struct column *c, int32_t site);
/* What a column reads that comes through a pipe; NULL: a file. */
struct csv_source *csv_stream_of(const struct column *c);
/* Waits for the rows of the next batch of a dataset that comes through a pipe, which are its rows then; how many came.
 * All ranks call. */
int64_t csv_next_batch(struct pmlrt *rt, const struct dataset *d, int64_t size);
/* data_npy.c: whether the file begins as .npy files do. */
bool npy_is_one(struct pmlrt *rt, const char *path, int32_t site);
/* The header of a file of such a tensor (any element type but bf16), `size` bytes, a multiple of 64: "NPY format" in
 * the documentation of NumPy, version 1.0. Belongs to rt. */
char *npy_header(struct pmlrt *rt, const struct pmlrt_type *t, int64_t *size);

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
