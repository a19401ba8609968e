/* data.c — datasets: columns of files side by side. Files are opened (header and size checked) by the claim, on every
 * rank alike, so that a bad file ends the job at once and with one message; rows of a file are loaded by the first
 * batch that takes one, so that a rank keeps only what it needs. */
#include "alike.h"
#include "csv_table.h"
#include "data.h"

#include <string.h>

struct dataset *dataset_new(struct pmlrt *rt, int32_t nfields)
{
	struct dataset *d = rt_alloc(rt, sizeof *d);
	d->nfields = nfields;
	d->field = rt_alloc(rt, nfields * (int64_t)sizeof *d->field);
	d->count = -1;
	return d;
}

static void add_path(struct pmlrt *rt, struct column *c, const char *path)
{
	const char **paths = rt_alloc(rt, (c->npaths + 1) * (int64_t)sizeof *paths);
	if (c->npaths)
		memcpy(paths, c->paths, (size_t)c->npaths * sizeof *paths);
	paths[c->npaths++] = rt_format(rt, "%s", path);
	rt_release(rt, c->paths);
	c->paths = paths;
	c->path = paths[0];
}

struct dataset *dataset_of_file(struct pmlrt *rt, const struct reader *reader, const char *path, int32_t site)
{
	struct dataset *d = dataset_new(rt, 1);
	struct column *c = d->field[0] = rt_alloc(rt, sizeof *c);
	c->reader = reader;
	c->site = site;
	add_path(rt, c, path);
	return d;
}

void pmlrt_data_more(struct pmlrt *rt, void *dataset, const char *path)
{
	add_path(rt, ((struct dataset *)dataset)->field[0], path);
}

void *pmlrt_data_idx(struct pmlrt *rt, const char *path, int32_t site)
{
	return dataset_of_file(rt, &reader_idx, path, site);
}

void *pmlrt_data_npy(struct pmlrt *rt, const char *path, int32_t site)
{
	return dataset_of_file(rt, &reader_npy, path, site);
}

void *pmlrt_data_bytes(struct pmlrt *rt, const char *path, int32_t site)
{
	return dataset_of_file(rt, &reader_bytes, path, site);
}

void *pmlrt_data_windows(struct pmlrt *rt, const char *path, int64_t stride, int32_t site)
{
	struct dataset *d = dataset_of_file(rt, &reader_bytes, path, site);
	if (stride < 1)
		rt_fail(rt, site, "windows begin at least one element apart, not %lld", (long long)stride);
	d->field[0]->stride = stride;
	return d;
}

/* ---- files of a column ---- */

/* Sets the files: what the paths stand for, in their order. */
static void find_files(struct pmlrt *rt, struct column *c)
{
	if (c->part) {
		csv_find_files(rt, c);
		return;
	}
	for (int32_t i = 0; i < c->npaths; i++) {
		int32_t n;
		const char **found = data_paths(rt, c->paths[i], &n, c->site);
		struct data_file *files = rt_alloc(rt, (c->nfiles + n) * (int64_t)sizeof *files);
		if (c->nfiles)
			memcpy(files, c->files, (size_t)c->nfiles * sizeof *files);
		for (int32_t k = 0; k < n; k++)
			files[c->nfiles + k].path = found[k];
		rt_release(rt, c->files);
		rt_release(rt, found);
		c->files = files;
		c->nfiles += n;
	}
}

static const char *shape_text(int32_t rank, const int64_t *dim, char *buffer, size_t size)
{
	size_t used = (size_t)snprintf(buffer, size, "[");
	for (int d = 0; d < rank && used < size; d++)
		used += (size_t)snprintf(buffer + used, size - used, "%s%lld", d ? ", " : "", (long long)dim[d]);
	if (used < size)
		snprintf(buffer + used, size - used, "]");
	return buffer;
}

/* All files have rows of one kind: those of the first, whose column this was. */
static void check_alike(struct pmlrt *rt, const struct column *c, const struct column *first, const struct data_file *f)
{
	char a[128], b[128];
	if (c->dtype != first->dtype)
		rt_fail(rt, c->site, "`%s` holds %s and `%s` holds %s", first->files[0].path,
			rt_dtype_text(first->dtype), f->path, rt_dtype_text(c->dtype));
	if (c->rank != first->rank || memcmp(c->dim, first->dim, (size_t)c->rank * sizeof *c->dim) != 0)
		rt_fail(rt, c->site, "a row of `%s` has shape %s, one of `%s` %s", first->files[0].path,
			shape_text(first->rank, first->dim, a, sizeof a), f->path,
			shape_text(c->rank, c->dim, b, sizeof b));
}

/* Numbers the rows of all files. */
static void count_rows(struct column *c)
{
	c->rows = 0;
	for (int32_t i = 0; i < c->nfiles; i++) {
		c->files[i].first = c->rows;
		c->rows = c->files[i].rows < 0 ? -1 : c->rows + c->files[i].rows;
		if (c->rows < 0)
			return;
	}
}

/* What the checksum of a part of the file did not show. */
static void compare_rows(struct pmlrt *rt, const struct column *c)
{
	char *about = rt_format(rt, "`%s` is not the same file on all ranks", c->path),
	     *shown = rt_format(rt, "finds %lld rows", (long long)c->rows);
	rt_alike(rt, &(struct rt_fact){(uint64_t)c->rows, shown}, 1, about, "copy it to the same place on every host",
		 c->site);
	rt_release(rt, shown);
	rt_release(rt, about);
}

void column_open(struct pmlrt *rt, struct column *c)
{
	if (c->opened)
		return;
	find_files(rt, c);
	c->reader->open(rt, c, &c->files[0]);
	struct column first = *c;
	for (int32_t i = 1; i < c->nfiles; i++) {
		c->reader->open(rt, c, &c->files[i]);
		check_alike(rt, c, &first, &c->files[i]);
	}
	count_rows(c);
	c->opened = true;
	compare_rows(rt, c);
}

struct data_file *column_file(const struct column *c, int64_t row)
{
	int32_t low = 0, high = c->nfiles - 1;
	while (low < high) { /* the last that begins at the row or before it; empty ones stand in front of it */
		int32_t middle = low + (high - low + 1) / 2;
		if (c->files[middle].first <= row)
			low = middle;
		else
			high = middle - 1;
	}
	return &c->files[low];
}

void column_load(struct pmlrt *rt, struct column *c, int64_t row)
{
	struct data_file *f = column_file(c, row);
	if (!f->loaded)
		c->reader->load(rt, c, f);
	f->loaded = true;
	if (f->mapped)
		mapped_check(f->mapped);
}

const char *column_row(struct pmlrt *rt, struct column *c, int64_t row)
{
	struct data_file *f = column_file(c, row);
	return c->reader->row ? c->reader->row(rt, c, f, row - f->first) : f->data + (row - f->first) * c->row_bytes;
}

bool column_row_span(const struct column *c, int64_t row, struct row_span *span)
{
	const struct data_file *f = column_file(c, row);
	if (!f->mapped)
		return false;
	if (f->table) {
		csv_row_piece(f->table, row - f->first, &span->begin, &span->end);
		return true;
	}
	if (!f->data)
		return false;
	span->begin = f->data + (row - f->first) * c->row_bytes;
	span->end = span->begin + c->row_elements * rt_dtype_size(c->row.dtype);
	return true;
}

const char *column_row_text(const struct column *c, int64_t row, char *buffer, size_t size)
{
	row = column_first_row(&c, row);
	const struct data_file *f = column_file(c, row);
	if (f->table)
		snprintf(buffer, size, "`%s` line %lld", f->path, (long long)csv_line(f->table, row - f->first));
	else
		snprintf(buffer, size, "row %lld of `%s`", (long long)(row - f->first), f->path);
	return buffer;
}

static int64_t column_rows(struct pmlrt *rt, struct column *c, int32_t site)
{
	column_open(rt, c);
	if (csv_stream_of(c))
		rt_fail(rt, site, "how many rows `%s` has is not known before it ends", c->path);
	if (c->rows < 0)
		rt_fail(rt, site, "the rows of `%s` are not known before its row shape is", c->path);
	return c->rows;
}

int64_t dataset_rows(struct pmlrt *rt, struct dataset *d, int32_t site)
{
	if (d->count >= 0)
		return d->count;
	int64_t rows = column_rows(rt, d->field[0], site);
	for (int32_t i = 1; i < d->nfields; i++) {
		int64_t n = column_rows(rt, d->field[i], site);
		if (n != rows)
			rt_fail(rt, site, "`%s` has %lld rows and `%s` has %lld", d->field[0]->path, (long long)rows,
				d->field[i]->path, (long long)n);
	}
	return rows;
}

int64_t pmlrt_data_rows(struct pmlrt *rt, void *dataset)
{
	struct dataset *d = dataset;
	return dataset_rows(rt, d, d->field[0]->site);
}

/* ---- rows of a dataset ---- */

const struct piece_of_rows *piece_with(const struct piece_of_rows *piece, int32_t n, int64_t row)
{
	int32_t low = 0, high = n - 1;
	while (low < high) { /* the last that begins at the row or before it */
		int32_t middle = low + (high - low + 1) / 2;
		if (piece[middle].before <= row)
			low = middle;
		else
			high = middle - 1;
	}
	return n ? piece + low : NULL;
}

int64_t dataset_row(const struct dataset *d, int64_t row)
{
	const struct piece_of_rows *p = piece_with(d->piece, d->npieces, row);
	return p ? p->first + row - p->before : row;
}

int64_t dataset_piece_end(const struct dataset *d, int64_t row, int64_t rows)
{
	const struct piece_of_rows *p = piece_with(d->piece, d->npieces, row);
	int64_t end = p ? p->before + p->count : rows;
	return end < rows ? end : rows;
}

/* The same columns, with room for so many pieces. */
static struct dataset *dataset_in_pieces(struct pmlrt *rt, const struct dataset *d, int32_t room)
{
	struct dataset *s = dataset_new(rt, d->nfields);
	memcpy(s->field, d->field, (size_t)d->nfields * sizeof *s->field);
	s->piece = rt_alloc(rt, room * (int64_t)sizeof *s->piece);
	s->count = 0;
	return s;
}

/* Rows first..last of d, of which there are as many, behind those of s. */
static void add_rows(struct dataset *s, const struct dataset *d, int64_t first, int64_t last)
{
	for (int64_t at = first; at < last;) {
		int64_t row = dataset_row(d, at), n = dataset_piece_end(d, at, last) - at;
		struct piece_of_rows *end = s->npieces ? &s->piece[s->npieces - 1] : NULL;
		if (end && end->first + end->count == row)
			end->count += n;
		else
			s->piece[s->npieces++] = (struct piece_of_rows){row, n, s->count};
		s->count += n;
		at += n;
	}
}

static int32_t piece_room(const struct dataset *d)
{
	return d->npieces + 1;
}

static bool has_same_pieces(const struct dataset *x, const struct dataset *y)
{
	for (int32_t i = 0; i < x->npieces && i < y->npieces; i++)
		if (x->piece[i].first != y->piece[i].first || x->piece[i].count != y->piece[i].count)
			return false;
	return x->npieces == y->npieces;
}

void *pmlrt_data_concat(struct pmlrt *rt, void *a, void *b, int32_t site)
{
	const struct dataset *x = a, *y = b;
	int64_t of_x = dataset_rows(rt, a, site), of_y = dataset_rows(rt, b, site);
	for (int32_t i = 0; i < x->nfields || i < y->nfields; i++)
		if (i >= x->nfields || i >= y->nfields || x->field[i] != y->field[i])
			rt_fail(rt, site,
				"rows of one dataset are put behind rows of the same, these are of `%s` and `%s`\n"
				"help: a list of paths makes one dataset of several files",
				x->field[0]->path, y->field[0]->path);
	struct dataset *d = dataset_in_pieces(rt, x, piece_room(x) + piece_room(y));
	add_rows(d, x, 0, of_x);
	add_rows(d, y, 0, of_y);
	return d;
}

void *pmlrt_data_join(struct pmlrt *rt, void *a, void *b, int32_t site)
{
	struct dataset *x = a, *y = b;
	if (!x)
		return y;
	if ((x->count < 0) != (y->count < 0) || (x->count >= 0 && x->count != y->count))
		rt_fail(rt, site, "datasets with different numbers of rows cannot be joined");
	if (!has_same_pieces(x, y))
		rt_fail(rt, site, "slices of datasets can be joined only if they begin at the same row");
	struct dataset *d = dataset_new(rt, x->nfields + y->nfields);
	memcpy(d->field, x->field, (size_t)x->nfields * sizeof *d->field);
	memcpy(d->field + x->nfields, y->field, (size_t)y->nfields * sizeof *d->field);
	d->count = x->count;
	d->npieces = x->npieces;
	d->piece = x->piece;
	return d;
}

void *pmlrt_data_slice(struct pmlrt *rt, void *dataset, int64_t first, int64_t last, int32_t site)
{
	struct dataset *d = dataset;
	int64_t rows = dataset_rows(rt, d, site);
	if (first < 0 || last < first || last > rows)
		rt_fail(rt, site, "rows %lld..%lld of a dataset of %lld rows", (long long)first, (long long)last,
			(long long)rows);
	struct dataset *s = dataset_in_pieces(rt, d, piece_room(d));
	add_rows(s, d, first, last);
	return s;
}

/* ---- the claim: what the program takes the file for ---- */

static void check_dtype(struct pmlrt *rt, const struct column *c, int32_t dtype, int32_t site)
{
	if (c->dtype != DTYPE_OF_CLAIM && c->dtype != dtype)
		rt_fail(rt, site, "`%s` holds %s, the program takes it for %s\nhelp: read it as %s and convert it",
			c->path, rt_dtype_text(c->dtype), rt_dtype_text(dtype), rt_dtype_text(c->dtype));
	if (c->claimed && c->row.dtype != dtype)
		rt_fail(rt, site, "`%s` is taken for %s here and for %s elsewhere", c->path, rt_dtype_text(dtype),
			rt_dtype_text(c->row.dtype));
}

static void check_row(struct pmlrt *rt, struct column *c, const struct pmlrt_type *row, int32_t site)
{
	char a[128], b[128];
	int64_t elements = rt_type_volume(row);
	if (c->reader == &reader_bytes) {
		bytes_claim(rt, c, row, site);
		count_rows(c);
	}
	if (c->row_elements != elements)
		rt_fail(rt, site, "a row of `%s` has shape %s, the program takes it for %s", c->path,
			shape_text(c->rank, c->dim, a, sizeof a), shape_text(row->rank, row->dim, b, sizeof b));
}

void pmlrt_data_claim(struct pmlrt *rt, void *dataset, int32_t field, int32_t row_type, int64_t rows, int32_t site)
{
	struct dataset *d = dataset;
	if (field < 0 || field >= d->nfields)
		rt_fail(rt, site, "field %d of a dataset of %d", field, d->nfields);
	struct column *c = d->field[field];
	const struct pmlrt_type *row = &rt->program->types[row_type];
	column_open(rt, c);
	check_dtype(rt, c, row->dtype, site);
	check_row(rt, c, row, site);
	c->row = *row;
	c->row_bytes = (c->stride ? c->stride : c->row_elements) * rt_dtype_size(row->dtype);
	c->claimed = true;
	if (c->part)
		csv_claim(rt, c, site);
	if (csv_stream_of(c) && rows >= 0)
		column_rows(rt, c, site);
	int64_t found = d->count >= 0 ? d->count : c->rows;
	if (rows >= 0 && found != rows)
		rt_fail(rt, site, "`%s` has %lld rows, the program takes it for %lld", c->path, (long long)found,
			(long long)rows);
}
