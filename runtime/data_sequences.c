/* data_sequences.c — rows of a dataset that follow each other, seen as one row: [length, row...], beginning `stride`
 * rows apart, of which each `dilation`-th row is taken. A sequence goes over no end of a file, nor of a part that was
 * taken out of the dataset. */
#include "data.h"

#include <string.h>

struct sequences {
	int64_t length, stride, dilation;
	int64_t count; /* of all runs */
	int32_t nruns;
	/* Rows of the columns without an end of a file or part between them: where they begin, and how many sequences
	 * they have, one at least. */
	struct piece_of_rows *run;
};

/* The row of the columns that is row k of a sequence. */
static int64_t row_in(const struct sequences *s, int64_t sequence, int64_t k)
{
	const struct piece_of_rows *run = piece_with(s->run, s->nruns, sequence);
	return run->first + (sequence - run->before) * s->stride + k * s->dilation;
}

static void add_run(struct pmlrt *rt, struct sequences *s, int64_t first, int64_t rows)
{
	int64_t span = (s->length - 1) * s->dilation + 1;
	if (rows < span)
		return;
	struct piece_of_rows *run = rt_alloc(rt, (s->nruns + 1) * (int64_t)sizeof *run);
	if (s->nruns)
		memcpy(run, s->run, (size_t)s->nruns * sizeof *run);
	struct piece_of_rows last = {first, (rows - span) / s->stride + 1, s->count};
	run[s->nruns++] = last;
	rt_release(rt, s->run);
	s->run = run;
	s->count += last.count;
}

/* Where the run ends that row `at` of d stands in: behind the last row of a file of some field, or of a part. */
static int64_t run_end(const struct dataset *d, int64_t at, int64_t rows)
{
	int64_t row = dataset_row(d, at), end = dataset_piece_end(d, at, rows);
	for (int32_t i = 0; i < d->nfields; i++) {
		const struct data_file *f = column_file(d->field[i], row);
		int64_t left = f->first + f->rows - row;
		end = at + left < end ? at + left : end;
	}
	return end;
}

static void find_runs(struct pmlrt *rt, struct sequences *s, const struct dataset *d, int64_t rows)
{
	for (int64_t at = 0, end; at < rows; at = end) {
		end = run_end(d, at, rows);
		add_run(rt, s, dataset_row(d, at), end - at);
	}
}

static void sequence_load(struct pmlrt *rt, struct column *c, struct data_file *f)
{
	(void)f;
	c->turned = rt_alloc(rt, c->row_bytes);
}

static const char *sequence_row(struct pmlrt *rt, struct column *c, struct data_file *f, int64_t row)
{
	int64_t bytes = c->row_bytes / c->sequences->length;
	(void)f;
	column_load(rt, c->of, row_in(c->sequences, row, 0)); /* its rows are of one file */
	for (int64_t k = 0; k < c->sequences->length; k++)
		memcpy(c->turned + k * bytes, column_row(rt, c->of, row_in(c->sequences, row, k)), (size_t)bytes);
	return c->turned;
}

static const struct reader reader_sequences = {.name = "sequences", .load = sequence_load, .row = sequence_row};

/* A column of the sequences of another, which is claimed. */
static struct column *column_of_sequences(struct pmlrt *rt, struct column *of, const struct sequences *s)
{
	struct column *c = rt_alloc(rt, sizeof *c);
	*c = (struct column){.reader = &reader_sequences, .path = of->path, .site = of->site, .of = of, .sequences = s};
	of->repeated = true;
	c->nfiles = 1;
	c->files = rt_alloc(rt, sizeof *c->files);
	c->files[0] = (struct data_file){.path = of->path, .rows = s->count};
	c->opened = c->claimed = true;
	c->dtype = of->row.dtype;
	c->row = of->row;
	c->row.rank = of->row.rank + 1;
	memmove(c->row.dim + 1, of->row.dim, (size_t)of->row.rank * sizeof *c->row.dim);
	c->row.dim[0] = s->length;
	c->rank = c->row.rank;
	memcpy(c->dim, c->row.dim, sizeof c->dim);
	c->rows = s->count;
	c->row_elements = s->length * of->row_elements;
	c->row_bytes = c->row_elements * rt_dtype_size(c->dtype);
	return c;
}

int64_t column_first_row(const struct column **c, int64_t row)
{
	for (; (*c)->of; *c = (*c)->of)
		row = row_in((*c)->sequences, row, 0);
	return row;
}

bool column_is_loaded(const struct column *c, int64_t row)
{
	for (; c->of; row = row_in(c->sequences, row, 0), c = c->of)
		if (!column_file(c, row)->loaded)
			return false;
	return column_file(c, row)->loaded;
}

/* Whether the rows of a sequence stand one behind the other in a file. */
static bool is_in_one_piece(const struct column *c)
{
	return !c->of->of && c->sequences->dilation == 1;
}

int64_t column_pieces(const struct column *c)
{
	int64_t pieces = 1;
	for (; c->of; c = c->of)
		pieces *= is_in_one_piece(c) ? 1 : c->sequences->length;
	return pieces;
}

bool column_span(const struct column *c, int64_t row, int64_t piece, struct row_span *span)
{
	for (; c->of && !is_in_one_piece(c); c = c->of) {
		int64_t inner = column_pieces(c->of);
		row = row_in(c->sequences, row, piece / inner);
		piece %= inner;
	}
	if (!c->of)
		return column_row_span(c, row, span);
	struct row_span last;
	int64_t first = row_in(c->sequences, row, 0);
	if (!column_row_span(c->of, first, span) || !column_row_span(c->of, first + c->sequences->length - 1, &last))
		return false;
	span->end = last.end;
	return true;
}

void *pmlrt_data_sequences(struct pmlrt *rt, void *dataset, int64_t length, int64_t stride, int64_t dilation,
			   int32_t site)
{
	struct dataset *d = dataset;
	if (stride < 1)
		rt_fail(rt, site, "sequences begin at least one row apart, not %lld", (long long)stride);
	if (dilation < 1)
		rt_fail(rt, site, "the rows of a sequence are at least one row apart, not %lld", (long long)dilation);
	int64_t rows = dataset_rows(rt, d, site);
	struct sequences *s = rt_alloc(rt, sizeof *s);
	*s = (struct sequences){.length = length, .stride = stride, .dilation = dilation};
	if (dilation <= (INT64_MAX - 1) / length)
		find_runs(rt, s, d, rows);
	if (!s->count)
		rt_fail(rt, site,
			"a sequence of %lld rows%s does not fit into the %lld rows of `%s`, or of one of its files",
			(long long)length, dilation > 1 ? rt_format(rt, ", %lld apart,", (long long)dilation) : "",
			(long long)rows, d->field[0]->path);
	struct dataset *of = dataset_new(rt, d->nfields);
	for (int32_t i = 0; i < d->nfields; i++)
		of->field[i] = column_of_sequences(rt, d->field[i], s);
	return of;
}
