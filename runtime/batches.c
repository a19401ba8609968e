/* batches.c — batches of a dataset, in order or shuffled. The order is a Fisher-Yates shuffle whose draws come from
 * Philox at the position shuffled, so it depends on the key and the number of rows alone: every number of ranks sees
 * the same batches. A rank copies the rows and columns of its shard straight from the loaded columns. */
#include "boxcopy.h"
#include "data.h"
#include "philox.h"

#include <string.h>

struct batches {
	struct dataset *dataset;
	int64_t size, rows, per_pass; /* rows per batch, rows, full batches of a pass */
	int64_t total, at;            /* batches that there are, batches taken, from the first pass on */
	int64_t *order;               /* of the pass; NULL: as they are */
	uint64_t key;
};

/* An unbiased enough number below n: 64 random bits times n, upper half (bias below n / 2^64). */
static int64_t draw_below(uint64_t key, uint64_t counter, int64_t n)
{
	struct philox w = philox_at(key, counter);
	unsigned __int128 bits = w.word[0] | (uint64_t)w.word[1] << 32;
	return (int64_t)(bits * (uint64_t)n >> 64);
}

static void shuffle(int64_t *order, int64_t rows, uint64_t key)
{
	for (int64_t i = 0; i < rows; i++)
		order[i] = i;
	for (int64_t i = rows - 1; i > 0; i--) {
		int64_t j = draw_below(key, (uint64_t)i, i + 1), t = order[i];
		order[i] = order[j];
		order[j] = t;
	}
}

/* The order of a pass: the key's own in the first, so that one pass is the same whether more follow or not. */
static void begin_pass(struct batches *b)
{
	int64_t pass = b->at / b->per_pass;
	if (b->order)
		shuffle(b->order, b->rows, pass ? pmlrt_key_fold(b->key, (uint64_t)pass) : b->key);
}

void *pmlrt_batches_begin(struct pmlrt *rt, void *dataset, int64_t size, bool shuffled, uint64_t key, int64_t first,
			  int64_t steps, int32_t site)
{
	struct batches *b = rt_alloc(rt, sizeof *b);
	rt->has_batches = true;
	int64_t rows = dataset_rows(rt, dataset, site);
	if (size < 1)
		rt_fail(rt, site, "a batch of %lld rows", (long long)size);
	if (rows < size)
		rt_fail(rt, site, "a batch of %lld rows from a dataset of %lld", (long long)size, (long long)rows);
	if (first < 0)
		rt_fail(rt, site, "batches begin at number 0, not at %lld", (long long)first);
	*b = (struct batches){
		.dataset = dataset, .size = size, .rows = rows, .per_pass = rows / size, .at = first, .key = key};
	b->total = steps < 0 ? b->per_pass : steps;
	if (shuffled)
		b->order = rt_alloc_large(rt, rows * (int64_t)sizeof *b->order);
	begin_pass(b);
	return b;
}

bool pmlrt_batches_next(struct pmlrt *rt, void *batches)
{
	struct batches *b = batches;
	rt_progress_show(rt, b->at, b->total);
	if (b->at >= b->total || atomic_load_explicit(&rt->step, memory_order_relaxed) >= rt->options.steps)
		return false;
	if (b->at % b->per_pass == 0 && b->at)
		begin_pass(b);
	b->at++;
	atomic_fetch_add_explicit(&rt->step, 1, memory_order_relaxed);
	return true;
}

void pmlrt_batches_end(struct pmlrt *rt, void *batches)
{
	struct batches *b = batches;
	rt_progress_clear(rt);
	rt_release(rt, b->order);
	rt_release(rt, b);
}

/* Copies the part of every row; `c` is the copy of one row. */
static void copy_rows(const struct batches *b, const struct column *col, int64_t first, int64_t n,
		      const struct boxcopy *c, char *dst)
{
	int64_t base = (b->at - 1) % b->per_pass * b->size + first, size = rt_dtype_size(col->row.dtype);
	for (int64_t i = 0; i < n; i++) {
		int64_t row = b->dataset->first + (b->order ? b->order[base + i] : base + i);
		boxcopy_run(c, size, col->data + row * col->row_bytes, dst + i * c->volume * size);
	}
}

void pmlrt_batch_read(struct pmlrt *rt, void *batches, int32_t field, int32_t view, void *dst)
{
	struct batches *b = batches;
	struct column *c = b->dataset->field[field];
	const struct pmlrt_type *type = &rt->program->types[view];
	struct box own, row, part;
	struct boxcopy copy;
	if (!rt_type_box(rt, type, own.begin, own.end))
		return;
	if (!c->claimed || type->dtype != c->row.dtype || type->dim[0] != b->size ||
	    rt_type_volume(type) != b->size * c->row_elements)
		rt_fail(rt, c->site,
			"internal error: a batch of `%s` is read in a shape or type it was not claimed with", c->path);
	column_load(rt, c);
	for (int d = 1; d < type->rank; d++) {
		row.begin[d - 1] = 0;
		row.end[d - 1] = type->dim[d];
		part.begin[d - 1] = own.begin[d];
		part.end[d - 1] = own.end[d];
	}
	boxcopy_make(&copy, type->rank - 1, &part, &row, &part);
	copy_rows(b, c, own.begin[0], own.end[0] - own.begin[0], &copy, dst);
}
