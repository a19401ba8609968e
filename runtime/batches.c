/* batches.c — batches of a dataset, in order or shuffled. The order is a Fisher-Yates shuffle whose draws come from
 * Philox at the position shuffled, so it depends on the key and the number of rows alone: every number of ranks sees
 * the same batches. A rank copies the rows and columns of its shard straight from the loaded columns into the slots of
 * the loop's feed (feed.h), those of the next batches while it has nothing else to do. Where a loop is, is counted by
 * the batches it took, not by those that are read ahead. */
#include "ahead.h"
#include "boxcopy.h"
#include "data.h"
#include "feed.h"
#include "philox.h"

#include <string.h>

/* How the clock is looked at: after so many bytes that were copied, or elements that were shuffled. */
enum { LOOK_BYTES = 1 << 14, LOOK_ROWS = 16, LOOK_ELEMENTS = 256 };

/* A part of the feed: a field, of whose rows this rank takes a box; or, without a column, which rows of a batch are
 * rows of the dataset. */
struct source_part {
	struct column *column;
	int32_t field, dtype;
	struct boxcopy copy; /* of one row */
	int64_t first;       /* row of the batch */
	int64_t offset, row_bytes;
};

struct batches {
	struct feed feed;
	struct batches *outer; /* the loop around this one */
	struct dataset *dataset;
	int64_t size, rows, per_pass; /* rows per batch, rows, batches of a pass */
	bool is_stream, rest;         /* rows: of a pipe, those of the batch that is in use */
	struct source_part *parts;
	uint32_t *order;           /* NULL: as they are */
	int64_t pass, drawn, laid; /* of the order: its pass, elements that have their place, and that it has so far */
	uint64_t key;
	struct ahead ahead;
};

/* An unbiased enough number below n: 64 random bits times n, upper half (bias below n / 2^64). */
static int64_t draw_below(uint64_t key, uint64_t counter, int64_t n)
{
	struct philox w = philox_at(key, counter);
	unsigned __int128 bits = w.word[0] | (uint64_t)w.word[1] << 32;
	return (int64_t)(bits * (uint64_t)n >> 64);
}

/* Goes on shuffling: first 0, 1, 2, …, then from the end to the beginning a place for each. False: it is time. */
static bool shuffle(struct batches *b, uint64_t key, int64_t until)
{
	int64_t looked = 0;
	for (; b->laid < b->rows; b->laid++) {
		if (++looked % LOOK_ELEMENTS == 0 && until != INT64_MAX && rt_now() >= until)
			return false;
		b->order[b->laid] = (uint32_t)b->laid;
	}
	for (; b->drawn + 1 < b->rows; b->drawn++) {
		if (++looked % LOOK_ELEMENTS == 0 && until != INT64_MAX && rt_now() >= until)
			return false;
		int64_t i = b->rows - 1 - b->drawn, j = draw_below(key, (uint64_t)i, i + 1);
		uint32_t t = b->order[i];
		b->order[i] = b->order[j];
		b->order[j] = t;
	}
	return true;
}

/* The order of the pass that a batch is in: the key's own in the first, so that one pass is the same whether more
 * follow or not. Another pass's order takes the place of the one before when nobody needs that any more. */
static bool has_order(struct batches *b, int64_t batch, int64_t until)
{
	if (!b->order)
		return true;
	int64_t pass = batch / b->per_pass;
	if (b->pass != pass) {
		if (until != INT64_MAX && !feed_is_whole_before(&b->feed, batch))
			return false;
		b->pass = pass;
		b->drawn = b->laid = 0;
	}
	return shuffle(b, pass ? pmlrt_key_fold(b->key, (uint64_t)pass) : b->key, until);
}

/* The row of the columns that is row i of a batch; -1: the rows of the pass are over. */
static int64_t row_of(const struct batches *b, int64_t batch, int64_t i)
{
	int64_t at = b->is_stream ? i : batch % b->per_pass * b->size + i;
	return at < b->rows ? dataset_row(b->dataset, b->order ? b->order[at] : at) : -1;
}

/* Writes the part of a row; false: not now. */
static bool make_row(struct pmlrt *rt, struct batches *b, const struct source_part *p, int64_t row, char *dst,
		     bool waits)
{
	struct column *c = p->column;
	if (!c) {
		float counts = row >= 0;
		memcpy(dst, &counts, sizeof counts);
		return true;
	}
	if (row < 0) {
		memset(dst, 0, (size_t)p->row_bytes);
		return true;
	}
	if (!waits && (!column_is_loaded(c, row) || !ahead_is_there(&b->ahead, c, row)))
		return false;
	column_load(rt, c, row);
	boxcopy_run(&p->copy, rt_dtype_size(c->row.dtype), column_row(rt, c, row), dst);
	return true;
}

/* Makes the part of rows first to last - 1; how many before it was time, or before one that is not in memory. */
static int64_t make_rows(struct pmlrt *rt, struct batches *b, const struct source_part *p, int64_t batch, int64_t first,
			 int64_t last, char *dst, int64_t until)
{
	int64_t bytes = 0, i = first;
	bool sliced = until != INT64_MAX;
	for (; i < last; i++) {
		int64_t row = row_of(b, batch, p->first + i);
		if (!make_row(rt, b, p, row, dst + i * p->row_bytes, !sliced))
			break;
		bytes += p->row_bytes + LOOK_BYTES / LOOK_ROWS;
		if (sliced && bytes >= LOOK_BYTES) {
			bytes = 0;
			if (rt_now() >= until)
				return i + 1 - first;
		}
	}
	return i - first;
}

static int64_t make(struct pmlrt *rt, struct feed *f, int64_t batch, int32_t part, int64_t first, char *slot,
		    int64_t until)
{
	struct batches *b = (struct batches *)f;
	struct source_part *p = &b->parts[part];
	if (!has_order(b, batch, until))
		return 0;
	int64_t row = p->column ? row_of(b, batch, p->first + first) : -1;
	struct ahead_mark mark = {0};
	if (row >= 0)
		mark = ahead_begin(p->column, row);
	int64_t n = make_rows(rt, b, p, batch, first, f->parts[part].rows, slot + p->offset, until);
	ahead_end(&b->ahead, mark);
	return n;
}

static const struct feed_source source = {make};

const char *batch_row_text(void *batches, int32_t field, int64_t row, char *buffer, size_t size)
{
	struct batches *b = batches;
	has_order(b, b->feed.current, INT64_MAX); /* that of the next pass may have taken its place */
	int64_t at = row_of(b, b->feed.current, row);
	if (at < 0)
		snprintf(buffer, size, "row %lld of the last batch, which only fills it up", (long long)row);
	else /* which rows are there is a field of no file: its rows are those of the first */
		column_row_text(b->dataset->field[field < b->dataset->nfields ? field : 0], at, buffer, size);
	return buffer;
}

/* Tells the kernel which rows come next, where files are not in memory. */
static void announce(struct batches *b)
{
	int64_t first, last;
	if (!ahead_window(&b->ahead, &b->feed, &first, &last))
		return;
	for (int64_t k = first; k < last; k++)
		for (int32_t i = 0; i < b->feed.nparts; i++) {
			const struct source_part *p = &b->parts[i];
			if (!b->feed.parts[i].wanted || !p->column || (b->order && b->pass != k / b->per_pass))
				continue;
			for (int64_t r = 0; r < b->feed.parts[i].rows; r++) {
				int64_t row = row_of(b, k, p->first + r);
				if (row >= 0)
					ahead_announce(&b->ahead, p->column, row);
			}
			ahead_announce_end(&b->ahead);
		}
}

/* ---- the loop ---- */

static void part_prepare(struct pmlrt *rt, struct batches *b, const struct pmlrt_part *decl, int32_t i)
{
	struct source_part *p = &b->parts[i];
	struct column *c = p->column = decl->field < b->dataset->nfields ? b->dataset->field[decl->field] : NULL;
	const struct pmlrt_type *type = &rt->program->types[decl->type];
	struct box own, row, part;
	p->offset = decl->offset;
	p->field = decl->field;
	p->dtype = type->dtype;
	if (!rt_type_box(rt, type, own.begin, own.end))
		return;
	p->first = own.begin[0];
	if (!c) { /* which rows of a batch are rows of the dataset */
		p->row_bytes = (int64_t)sizeof(float);
		b->feed.parts[i].rows = own.end[0] - own.begin[0];
		return;
	}
	if (!c->claimed || type->dtype != c->row.dtype || type->dim[0] != b->size ||
	    rt_type_volume(type) != b->size * c->row_elements)
		rt_fail(rt, c->site,
			"internal error: a batch of `%s` is read in a shape or type it was not claimed with", c->path);
	for (int d = 1; d < type->rank; d++) {
		row.begin[d - 1] = 0;
		row.end[d - 1] = type->dim[d];
		part.begin[d - 1] = own.begin[d];
		part.end[d - 1] = own.end[d];
	}
	boxcopy_make(&p->copy, type->rank - 1, &part, &row, &part);
	p->row_bytes = p->copy.volume * rt_dtype_size(c->row.dtype);
	b->feed.parts[i].rows = p->row_bytes ? own.end[0] - own.begin[0] : 0;
}

static void feed_prepare(struct pmlrt *rt, struct batches *b, const struct pmlrt_feed *feed, int64_t first)
{
	struct feed *f = &b->feed;
	int64_t left = f->total - first, ahead = b->is_stream ? 0 : rt->options.prefetch;
	f->source = &source;
	f->nparts = feed->nparts;
	f->parts = rt_alloc(rt, f->nparts * (int64_t)sizeof *f->parts);
	b->parts = rt_alloc(rt, f->nparts * (int64_t)sizeof *b->parts);
	for (int32_t i = 0; i < f->nparts; i++)
		part_prepare(rt, b, &feed->parts[i], i);
	f->slots = rt->batches ? (char *)rt->batches + (1 + rt->options.prefetch) * feed->offset : NULL;
	f->slot_bytes = feed->bytes;
	feed_begin(rt, f, left < 0 ? 0 : ahead < left ? ahead : left, first);
}

/* Room for the order of so many rows: 4 bytes each, on every rank. */
static uint32_t *order_new(struct pmlrt *rt, const struct dataset *d, int64_t rows, int32_t site)
{
	int64_t available = rt_memory_available(), bytes = rows <= UINT32_MAX ? rows * (int64_t)sizeof(uint32_t) : -1;
	char wanted[32], there[32];
	if (bytes < 0)
		rt_fail(rt, site,
			"%lld rows of `%s` cannot be shuffled, %lld can\n"
			"help: windows that begin further apart (stride = ...) are fewer",
			(long long)rows, d->field[0]->path, (long long)UINT32_MAX);
	if (available >= 0 && bytes > available)
		rt_fail(rt, site,
			"shuffling %lld rows of `%s` takes %s of memory on a machine with %s available\n"
			"help: windows that begin further apart (stride = ...) are fewer",
			(long long)rows, d->field[0]->path, rt_bytes_text(bytes, wanted, sizeof wanted),
			rt_bytes_text(available, there, sizeof there));
	return rt_alloc_large(rt, bytes);
}

/* A dataset that comes through a pipe: all its fields do. */
static bool is_stream(struct pmlrt *rt, const struct dataset *d, bool shuffled, int64_t first, int32_t site)
{
	const struct csv_source *piped = csv_stream_of(d->field[0]);
	for (int32_t i = 1; i < d->nfields; i++)
		if (csv_stream_of(d->field[i]) != piped)
			rt_fail(rt, site, "`%s` and `%s` cannot be read side by side: one of them comes through a pipe",
				d->field[0]->path, d->field[i]->path);
	if (piped && (shuffled || first))
		rt_fail(rt, site, "`%s` comes through a pipe: it is read from its beginning, in its order",
			d->field[0]->path);
	return piped;
}

static void warn_of_no_rows(struct pmlrt *rt, const struct dataset *d, int32_t site)
{
	char place[512];
	if (rt->rank != 0)
		return;
	rt_progress_clear(rt);
	fprintf(stderr, "%s: warning: there are no rows in this loop: `%s` has %s\n",
		rt_site_text(rt, site, place, sizeof place), d->field[0]->path,
		d->count < 0 ? "none" : "none in this part");
}

static void count_batches(struct pmlrt *rt, struct batches *b, struct dataset *d, bool once, int64_t steps,
			  int32_t site)
{
	b->rows = dataset_rows(rt, d, site);
	if (b->rows < b->size && !b->rest)
		rt_fail(rt, site, "a batch of %lld rows from a dataset of %lld: `%s`%s", (long long)b->size,
			(long long)b->rows, d->field[0]->path,
			b->rows ? "\nhelp: `rest = true` makes a batch of what is there, filled up with zeros" : "");
	if (!b->rows)
		warn_of_no_rows(rt, d, site);
	b->per_pass = b->rows / b->size + (b->rest && b->rows % b->size);
	b->feed.total = once || !b->per_pass ? b->per_pass : steps;
}

void *pmlrt_batches_begin(struct pmlrt *rt, void *dataset, int64_t size, bool shuffled, uint64_t key, int64_t first,
			  bool once, int64_t steps, bool rest, int32_t site, int32_t feed)
{
	struct batches *b = rt_alloc(rt, sizeof *b);
	struct dataset *d = dataset;
	if (size < 1)
		rt_fail(rt, site, "a batch of %lld rows", (long long)size);
	if (first < 0)
		rt_fail(rt, site, "batches begin at number 0, not at %lld", (long long)first);
	if (steps < 0)
		rt_fail(rt, site, "a loop takes 0 batches or more, not %lld", (long long)steps);
	*b = (struct batches){.dataset = d, .size = size, .rest = rest, .pass = -1, .key = key};
	b->is_stream = is_stream(rt, d, shuffled, first, site);
	if (b->is_stream)
		b->feed.total = once ? INT64_MAX : steps;
	else
		count_batches(rt, b, d, once, steps, site);
	if (shuffled)
		b->order = order_new(rt, d, b->rows, site);
	feed_prepare(rt, b, &rt->program->feeds[feed], first);
	b->outer = rt->loops;
	rt->loops = b;
	return b;
}

/* Rows come; whether they make a batch. */
static bool await_rows(struct pmlrt *rt, struct batches *b)
{
	b->rows = csv_next_batch(rt, b->dataset, b->size);
	return b->rows == b->size || (b->rest && b->rows > 0);
}

bool pmlrt_batches_next(struct pmlrt *rt, void *batches)
{
	struct batches *b = batches;
	int64_t at = b->feed.current + 1;
	if (!b->is_stream)
		rt_progress_show(rt, at, b->feed.total);
	if (at >= b->feed.total)
		return false;
	if (b->is_stream && !await_rows(rt, b))
		return false;
	feed_next(rt, &b->feed);
	announce(b);
	return true;
}

void pmlrt_batches_end(struct pmlrt *rt, void *batches)
{
	struct batches *b = batches;
	rt_progress_clear(rt);
	rt->loops = b->outer;
	feed_end(rt, &b->feed);
	rt_release(rt, b->feed.parts);
	rt_release(rt, b->parts);
	rt_release(rt, b->order);
	rt_release(rt, b);
}

/* With --check=finite: data that is not finite is told by its place in the file. */
static void check_finite(struct pmlrt *rt, struct batches *b, int32_t part, const char *data)
{
	const struct source_part *p = &b->parts[part];
	int64_t size = rt_dtype_size(p->dtype), n = b->feed.parts[part].rows * p->row_bytes / size;
	int64_t at = rt_find_not_finite(p->dtype, data, n, true);
	char row[512];
	if (at >= 0)
		rt_fail(rt, p->column->site, "%s holds a number that is %s, read in step %lld by rank %d",
			batch_row_text(b, p->field, p->first + at / (p->row_bytes / size), row, sizeof row),
			rt_not_finite_text(p->dtype, data + at * size), (long long)rt_step(rt), rt->rank);
}

void pmlrt_batch_read(struct pmlrt *rt, void *batches, int32_t part, void **at)
{
	struct batches *b = batches;
	*at = feed_read(rt, &b->feed, part) + b->parts[part].offset;
	if (rt->options.check_finite)
		check_finite(rt, b, part, *at);
}
