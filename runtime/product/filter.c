/* filter.c — see ../product_filter.h. Lines of tiles, of all images, are gone through in blocks: sums of what the tiles
 * of a block see, a product for each kind, sums that are results. What filters make of a block is a product with all
 * channels at once, so results are written once. Gradients of weights are sums over all blocks of what these make of
 * some filters. Workspace: weights of each kind, a line of channels for each filter of a block; what is seen, a line of
 * tiles for each channel; results, a line of tiles for each filter of a block. */
#include "job.h"

#include <string.h>

struct work {
	enum product_level level;
	enum product_type type;
	const struct product_kernels *x;
	const struct product_filter *f;
	const struct product_filter_call *call;
	struct filter_blocks blocks;
	char *weights, *seen, *results;
	char *line[FILTER_SEEN], *made[FILTER_TILE]; /* of X with zeros around it, and of Y with zeros behind it */
	int64_t weights_line, weights_apart, seen_apart, results_apart; /* elements */
	void *room;
};

static struct work work_of(enum product_level level, enum product_type type, const struct product_filter *f,
			   const struct product_filter_call *call)
{
	struct work w = {.level = level,
			 .type = type,
			 .x = product_plain(level, type),
			 .f = f,
			 .call = call,
			 .blocks = filter_blocks_of(f),
			 .weights = call->workspace,
			 .weights_line = filter_weights_line(f),
			 .room = call->room};
	int64_t size = w.x->size, line = filter_seen_line(&w.blocks) * size;
	w.weights_apart = filter_plane(w.blocks.filters, w.weights_line);
	w.seen_apart = filter_plane(f->channels, w.blocks.tiles);
	w.results_apart = filter_plane(w.blocks.filters, w.blocks.tiles);
	w.seen = w.weights + FILTER_KINDS * w.weights_apart * size;
	w.results = w.seen + FILTER_KINDS * w.seen_apart * size;
	w.line[0] = w.results + FILTER_KINDS * w.results_apart * size;
	for (int r = 1; r < FILTER_SEEN; r++)
		w.line[r] = w.line[r - 1] + line;
	for (int r = 0; r < FILTER_TILE; r++)
		w.made[r] = w.line[0] + (FILTER_SEEN + r) * line;
	memset(w.line[0], 0, (size_t)((FILTER_SEEN + FILTER_TILE) * line));
	return w;
}

/* Some lines of tiles. */
struct lines {
	int64_t begin, count;
};

static int64_t tiles_of(const struct work *w, const struct lines *l)
{
	return filter_parts(l->count * w->blocks.line, FILTER_LANES) * FILTER_LANES;
}

/* Line l of tiles as one of an image, and the first of Y's rows in it. */
static int64_t row_of_line(const struct work *w, int64_t l, int64_t *image)
{
	int64_t each = filter_parts(w->f->rows, FILTER_TILE);
	*image = l / each;
	return l % each * FILTER_TILE;
}

/* Row `row` of an image of X, with zeros around it, from the first point that windows see. */
static void see_row(const struct work *w, const char *image, int64_t row, char *line)
{
	const struct product_filter *f = w->f;
	int64_t size = w->x->size, from = f->column < 0 ? -f->column : 0, begin = f->column + from;
	int64_t width = FILTER_TILE * w->blocks.line + FILTER_TAPS - 1, n = least(f->x_columns - begin, width - from);
	bool inside = row >= 0 && row < f->x_rows && n > 0;
	if (inside)
		w->x->filter->take(n, image + (row * f->x_row + begin) * size, line + from * size);
	else
		memset(line, 0, (size_t)(width * size));
}

/* Rows of so many bytes that are read or written soon. */
static void fetch(const char *at, int64_t bytes)
{
	enum { LINE = 64, MOST = 1 << 13 };
	for (int64_t i = 0; i < least(bytes, MOST); i += LINE)
		__builtin_prefetch(at + i);
}

/* What lines of tiles see of a channel. */
static void see_channel(struct work *w, const struct lines *l, int64_t channel)
{
	const struct product_filter *f = w->f;
	int64_t size = w->x->size, had = -1, had_image = -1, image;
	char *to = w->seen + channel * tiles_of(w, l) * size;
	int64_t first = row_of_line(w, l->begin, &image) + f->row;
	if (first > 0 && channel + 1 < f->channels)
		fetch((const char *)w->call->x +
			      (image * f->x_image + (channel + 1) * f->x_channel + first * f->x_row) * size,
		      l->count * FILTER_TILE * f->x_row * size);
	for (int64_t i = 0; i < l->count; i++, to += w->blocks.line * size) {
		int64_t row = row_of_line(w, l->begin + i, &image) + f->row;
		const char *x = (const char *)w->call->x + (image * f->x_image + channel * f->x_channel) * size;
		bool goes_on = image == had_image && row == had + FILTER_TILE;
		for (int r = 0; goes_on && r < FILTER_SEEN - FILTER_TILE; r++) {
			char *line = w->line[r];
			w->line[r] = w->line[r + FILTER_TILE];
			w->line[r + FILTER_TILE] = line;
		}
		for (int r = goes_on ? FILTER_SEEN - FILTER_TILE : 0; r < FILTER_SEEN; r++)
			see_row(w, x, row + r, w->line[r]);
		w->x->filter->seen(w->blocks.line, (const void *const *)w->line, to, w->seen_apart);
		had = row;
		had_image = image;
	}
}

/* Lines of numbers that vectors go beyond the end of: zeros where no tile is. */
static void clear_ends(const struct work *w, char *at, int64_t lines, int64_t tiles, int64_t used, int64_t apart)
{
	int64_t size = w->x->size;
	for (int64_t p = 0; p < FILTER_KINDS && used < tiles; p++)
		for (int64_t i = 0; i < lines; i++)
			memset(at + (p * apart + i * tiles + used) * size, 0, (size_t)((tiles - used) * size));
}

static void see(struct work *w, const struct lines *l)
{
	for (int64_t c = 0; c < w->f->channels; c++)
		see_channel(w, l, c);
	clear_ends(w, w->seen, w->f->channels, tiles_of(w, l), l->count * w->blocks.line, w->seen_apart);
}

/* Filters begin..begin + count. */
struct filters {
	int64_t begin, count;
};

static void make_weights(const struct work *w, const struct filters *k)
{
	int64_t size = w->x->size;
	for (int64_t i = 0; i < k->count; i++)
		w->x->filter->weights(w->f->channels, (const char *)w->call->w + (k->begin + i) * w->f->w_filter * size,
				      w->f, w->weights + i * w->weights_line * size, w->weights_apart);
}

static void multiply(const struct work *w, const struct product *p)
{
	product_run(w->level, w->type, p, product_whole(), w->room);
}

static void put_results(const struct work *w, const struct lines *l, const struct filters *k)
{
	const struct product_filter *f = w->f;
	int64_t size = w->x->size, tiles = tiles_of(w, l), image;
	for (int64_t i = 0; i < k->count; i++)
		for (int64_t j = 0; j < l->count; j++) {
			int64_t row = row_of_line(w, l->begin + j, &image);
			char *y = (char *)w->call->y +
				  (image * f->y_image + (k->begin + i) * f->y_filter + row * f->y_row) * size;
			w->x->filter->results(w->blocks.line, w->results + (i * tiles + j * w->blocks.line) * size,
					      w->results_apart, (void *const *)w->made);
			for (int64_t r = 0; r < least(FILTER_TILE, f->rows - row); r++)
				w->x->filter->put(f->columns, w->made[r], y + r * f->y_row * size, w->call->alpha,
						  w->call->beta);
		}
}

static void make_results(const struct work *w, const struct lines *l, const struct filters *k)
{
	int64_t size = w->x->size, tiles = tiles_of(w, l);
	for (int64_t p = 0; p < FILTER_KINDS; p++)
		multiply(w, &(struct product){.m = k->count,
					      .n = tiles,
					      .k = w->f->channels,
					      .a = {w->weights + p * w->weights_apart * size, w->weights_line, 1},
					      .b = {w->seen + p * w->seen_apart * size, tiles, 1},
					      .c = w->results + p * w->results_apart * size,
					      .ldc = tiles,
					      .alpha = 1});
	put_results(w, l, k);
}

static struct lines lines_at(const struct work *w, int64_t begin)
{
	return (struct lines){begin, least(w->blocks.block, w->blocks.lines - begin)};
}

static struct filters filters_at(const struct work *w, int64_t begin)
{
	return (struct filters){begin, least(w->blocks.filters, w->f->filters - begin)};
}

/* Blocks of lines; weights that are all in one block are made once. */
static void run_results(struct work *w, struct product_part part)
{
	struct share s = share_of(w->blocks.lines, w->blocks.block, part);
	int64_t had = -1;
	for (int64_t i = s.begin; i < s.begin + s.extent; i += w->blocks.block) {
		struct lines l = lines_at(w, i);
		see(w, &l);
		for (int64_t j = 0; j < w->f->filters; j += w->blocks.filters) {
			struct filters k = filters_at(w, j);
			if (had != j)
				make_weights(w, &k);
			had = j;
			make_results(w, &l, &k);
		}
	}
}

/* ---- gradients of weights ---- */

static void copy_row(const struct work *w, const char *y, int64_t row, char *line)
{
	int64_t size = w->x->size;
	if (row < w->f->rows)
		w->x->filter->take(w->f->columns, y + row * w->f->y_row * size, line);
	else
		memset(line, 0, (size_t)(w->f->columns * size));
}

/* Of gradients by what filters gave. */
static void spread(const struct work *w, const struct lines *l, const struct filters *k)
{
	const struct product_filter *f = w->f;
	int64_t size = w->x->size, tiles = tiles_of(w, l), image;
	for (int64_t i = 0; i < k->count; i++)
		for (int64_t j = 0; j < l->count; j++) {
			int64_t row = row_of_line(w, l->begin + j, &image);
			const char *y =
				(const char *)w->call->y + (image * f->y_image + (k->begin + i) * f->y_filter) * size;
			for (int r = 0; r < FILTER_TILE; r++)
				copy_row(w, y, row + r, w->made[r]);
			w->x->filter->spread(w->blocks.line, (const void *const *)w->made,
					     w->results + (i * tiles + j * w->blocks.line) * size, w->results_apart);
		}
	clear_ends(w, w->results, k->count, tiles, l->count * w->blocks.line, w->results_apart);
}

static void add_gradient(const struct work *w, const struct lines *l, const struct filters *k)
{
	int64_t size = w->x->size, tiles = tiles_of(w, l);
	for (int64_t p = 0; p < FILTER_KINDS; p++)
		multiply(w, &(struct product){.m = k->count,
					      .n = w->f->channels,
					      .k = tiles,
					      .a = {w->results + p * w->results_apart * size, tiles, 1},
					      .b = {w->seen + p * w->seen_apart * size, 1, tiles},
					      .c = w->weights + p * w->weights_apart * size,
					      .ldc = w->weights_line,
					      .alpha = 1,
					      .beta = l->begin > 0});
}

static void put_gradient(const struct work *w, const struct filters *k)
{
	int64_t size = w->x->size;
	for (int64_t i = 0; i < k->count; i++)
		w->x->filter->gradient(w->f->channels, w->weights + i * w->weights_line * size, w->weights_apart, w->f,
				       (char *)w->call->w + (k->begin + i) * w->f->w_filter * size, w->call->alpha,
				       w->call->beta);
}

/* Of parts that have any each has at least so many, since products of few rows add up in another order. */
static struct filters filters_of_part(const struct work *w, struct product_part part)
{
	int64_t units = w->f->filters < FILTER_LANES ? 1 : w->f->filters / FILTER_LANES;
	int64_t begin = units * part.i / part.n * FILTER_LANES, end = units * (part.i + 1) / part.n * FILTER_LANES;
	return (struct filters){begin, (part.i + 1 == part.n ? w->f->filters : end) - begin};
}

static void run_gradient(struct work *w, struct product_part part)
{
	struct filters own = filters_of_part(w, part);
	int64_t blocks = parts(own.count, w->blocks.filters), each = blocks ? parts(own.count, blocks) : 0;
	for (int64_t j = 0; j < own.count; j += each) {
		struct filters k = {own.begin + j, least(each, own.count - j)};
		for (int64_t i = 0; i < w->blocks.lines; i += w->blocks.block) {
			struct lines l = lines_at(w, i);
			see(w, &l);
			spread(w, &l, &k);
			add_gradient(w, &l, &k);
		}
		put_gradient(w, &k);
	}
}

void product_run_filter(enum product_level level, enum product_type type, const struct product_filter *f,
			const struct product_filter_call *call, struct product_part part)
{
	struct work w = work_of(level, type, f, call);
	if (f->of_weights)
		run_gradient(&w, part);
	else
		run_results(&w, part);
}
