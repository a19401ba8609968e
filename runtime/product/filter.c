/* filter.c — see ../product_filter.h. Lines of tiles, of all images, are gone through in blocks: sums of what the tiles
 * of a block see, a product for each group of kinds, sums that are results. What filters make of a block is a product
 * with all channels at once, so results are written once. Gradients of weights are sums over all blocks of what these
 * make of some filters. */
#include "filter_work.h"

#include <string.h>

/* Filters begin..begin + count. */
struct filters {
	int64_t begin, count;
};

static void make_weights(const struct filter_work *w, const struct filters *k)
{
	int64_t size = w->x->size;
	for (int64_t i = 0; i < k->count; i++)
		w->x->filter->weights(w->f->channels, (const char *)w->call->w + (k->begin + i) * w->f->w_filter * size,
				      w->f, &w->kinds, w->place, i, w->rounds, w->weights);
}

static void multiply(const struct filter_work *w, const struct product *p)
{
	product_run(w->level, w->type, p, product_whole(), w->room);
}

/* Where sums of a line of results lie, sum by sum, and how many there are for one along the first dimension. */
struct sums_at {
	int64_t at[GROUPS], each;
};

static struct sums_at find_sums_at(const struct filter_work *w, int64_t apart)
{
	struct sums_at s = {.each = (int64_t)w->kinds.along[1].sums * w->kinds.along[2].sums};
	for (int g = 0; g < w->kinds.groups; g++)
		s.at[g] = filter_group_at(g, g * apart);
	return s;
}

/* Kernels are chosen by numbers of sums: of rows 1, 3 or 4, of columns 3 or 4. */
static int of_rows(const struct filter_work *w)
{
	return w->kinds.along[ROWS].sums == 1 ? 0 : w->kinds.along[ROWS].sums - 2;
}

static int of_columns(const struct filter_work *w)
{
	return w->kinds.along[FILTER_COLUMNS].sums - 3;
}

/* Row r of a sum along the first dimension, of all lines side by side; those of results are behind them. */
static char *made_line(const struct filter_work *w, int sum, int r)
{
	return w->made + (sum * w->kinds.along[ROWS].tile + r) * w->made_bytes;
}

/* Results of so many tiles, from their sums: as many rows of the first dimension as of the second. Returns the first
 * one's number among the lines. */
static int make_lines(const struct filter_work *w, const struct sums_at *s, const char *from, int64_t tiles)
{
	const struct filter_along *a = w->kinds.along;
	for (int d = 0; d < a[DEPTH].sums; d++) {
		void *line[FILTER_TILE] = {made_line(w, d, 0), made_line(w, d, a[ROWS].tile - 1)};
		w->x->filter->results[of_rows(w)][of_columns(w)](tiles, from, s->at + d * s->each, line);
	}
	for (int r = 0; r < a[ROWS].tile && a[DEPTH].tile > 1; r++) {
		const void *sums[FILTER_SUMS];
		void *to[FILTER_TILE] = {made_line(w, a[DEPTH].sums, r), made_line(w, a[DEPTH].sums + 1, r)};
		for (int d = 0; d < a[DEPTH].sums; d++)
			sums[d] = made_line(w, d, r);
		w->x->filter->join(a[FILTER_COLUMNS].tile * tiles, a[DEPTH].sums, sums, to);
	}
	return a[DEPTH].tile > 1 ? a[DEPTH].sums : 0;
}

/* Rows of Y that belong to a line of tiles: row r of those of point d of the first dimension. */
static char *y_row(const struct filter_work *w, const struct line *at, int64_t filter, int d, int r)
{
	const struct product_filter *f = w->f;
	return (char *)w->call->y +
	       (filter_image_at(f, at->image).y + filter * f->y_filter + (at->window[DEPTH] + d) * f->side[DEPTH].y +
		(at->window[ROWS] + r) * f->side[ROWS].y + at->window[FILTER_COLUMNS] * f->side[FILTER_COLUMNS].y) *
		       w->x->size;
}

/* Windows of a line of tiles along a dimension that are any. */
static int64_t windows_at(const struct filter_work *w, int side, const struct line *at)
{
	int64_t tiles = side == FILTER_COLUMNS ? w->blocks.line : 1;
	return least(tiles * w->kinds.along[side].tile, w->f->side[side].windows - at->window[side]);
}

/* Rows of windows of a run of lines that are any. */
static int64_t rows_at(const struct filter_work *w, const struct line *at, int64_t lines)
{
	return least(lines * w->kinds.along[ROWS].tile, w->f->side[ROWS].windows - at->window[ROWS]);
}

/* Results of a filter of some lines: made of all of them, so that what is put was not written just before. */
static void put_filter(const struct filter_work *w, const struct lines *l, const struct line *begin,
		       const struct sums_at *s, const char *from, int64_t filter, bool is_last)
{
	const struct product_filter *f = w->f;
	int64_t size = w->x->size, each = w->kinds.along[FILTER_COLUMNS].tile * w->blocks.line, run;
	int64_t tile = w->kinds.along[ROWS].tile, row = f->side[ROWS].y;
	int first = make_lines(w, s, from, l->count * w->blocks.line);
	struct line at = *begin;
	for (int64_t j = 0; j < l->count; j += run) {
		int64_t depth = windows_at(w, DEPTH, &at), columns = windows_at(w, FILTER_COLUMNS, &at);
		char *y = y_row(w, &at, filter, 0, 0);
		struct line top = at;
		run = filter_next_run(w, &at, l->count - j);
		int64_t rows = rows_at(w, &top, run);
		for (int d = 0; d < depth; d++, y += f->side[DEPTH].y * size) {
			if (!is_last)
				fetch(y + f->y_filter * size,
				      ((rows - 1) * row + columns * f->side[FILTER_COLUMNS].y) * size);
			for (int r = 0; r < tile && r < rows; r++)
				w->x->filter->put(parts(rows - r, tile), columns,
						  made_line(w, first + d, r) + j * each * size, each,
						  y + r * row * size, tile * row, f->side[FILTER_COLUMNS].y,
						  w->call->alpha, w->call->beta);
		}
	}
}

static void put_results(const struct filter_work *w, const struct lines *l, const struct filters *k)
{
	int64_t tiles = tiles_of(w, l);
	struct sums_at s = find_sums_at(w, k->count * tiles);
	struct line begin = filter_line_at(w, l->begin);
	for (int64_t i = 0; i < k->count; i++)
		put_filter(w, l, &begin, &s, w->results + i * tiles * w->x->size, k->begin + i, i + 1 == k->count);
}

static void make_results(const struct filter_work *w, const struct lines *l, const struct filters *k)
{
	int64_t size = w->x->size, tiles = tiles_of(w, l);
	for (int g = 0; g < w->kinds.groups; g++) {
		const struct filter_group *group = &w->kinds.group[g];
		multiply(w, &(struct product){
				    .m = k->count,
				    .n = tiles,
				    .k = group->count * w->f->channels,
				    .a = {w->weights + w->weights_at[g] * size, filter_weights_line(w->f, group), 1},
				    .b = {seen_of(w, g, tiles), tiles, 1},
				    .c = results_of(w, g, k->count * tiles),
				    .ldc = tiles,
				    .alpha = 1});
	}
	put_results(w, l, k);
}

static struct lines lines_at(const struct filter_work *w, int64_t begin)
{
	return (struct lines){begin, least(w->blocks.block, w->blocks.lines - begin)};
}

static struct filters filters_at(const struct filter_work *w, int64_t begin)
{
	return (struct filters){begin, least(w->blocks.filters, w->f->filters - begin)};
}

/* Blocks of lines; weights that are all in one block are made once. */
static void run_results(struct filter_work *w, struct product_part part)
{
	struct share s = share_of(w->blocks.lines, w->blocks.block, part);
	int64_t had = -1;
	for (int64_t i = s.begin; i < s.begin + s.extent; i += w->blocks.block) {
		struct lines l = lines_at(w, i);
		filter_see(w, &l);
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

/* Sums of results along the first dimension, by how many there are (filter_parts.h). */
static const struct pair of_results[FILTER_SUMS + 1][FILTER_SUMS] = {
	[1] = {{FILTER_COPY, 0, 0}},
	[3] = {{FILTER_COPY, 0, 0}, {FILTER_ADD, 0, 1}, {FILTER_COPY, 1, 0}},
	[4] = {{FILTER_COPY, 0, 0}, {FILTER_ADD, 0, 1}, {FILTER_SUBTRACT, 0, 1}, {FILTER_COPY, 1, 0}}};

/* Rows r of Y of a run of lines of tiles, from number `line` of the block on, in all sums along the first dimension,
 * with zeros behind. */
static void copy_rows(const struct filter_work *w, const struct line *at, int64_t filter, int r, int64_t line,
		      int64_t lines)
{
	int64_t size = w->x->size, n = windows_at(w, FILTER_COLUMNS, at), tile = w->kinds.along[ROWS].tile;
	int64_t width = w->kinds.along[FILTER_COLUMNS].tile * w->blocks.line;
	int64_t rows = parts(rows_at(w, at, lines) - r, tile);
	int sums = w->kinds.along[DEPTH].sums;
	const char *y[FILTER_TILE];
	for (int d = 0; d < FILTER_TILE; d++)
		y[d] = d < windows_at(w, DEPTH, at) && rows > 0 ? y_row(w, at, filter, d, r) : NULL;
	for (int i = 0; i < sums; i++) {
		const struct pair *p = &of_results[sums][i];
		const char *one = y[p->a], *two = p->how ? y[p->b] : NULL;
		char *to = made_line(w, i, r) + line * width * size;
		int64_t taken = one ? rows : 0;
		if (one)
			w->x->filter->take(taken, n, two ? p->how : FILTER_COPY, one, two, tile * w->f->side[ROWS].y,
					   w->f->side[FILTER_COLUMNS].y, to, width);
		for (int64_t j = 0; j < taken && w->rounds; j++)
			w->rounds(n, (float *)(void *)(to + j * width * size));
		for (int64_t j = 0; j < taken && n < width; j++)
			memset(to + (j * width + n) * size, 0, (size_t)((width - n) * size));
		memset(to + taken * width * size, 0, (size_t)((lines - taken) * width * size));
	}
}

/* Of gradients by what filters gave. */
static void spread(const struct filter_work *w, const struct lines *l, const struct filters *k)
{
	const struct filter_along *a = w->kinds.along;
	int64_t size = w->x->size, tiles = tiles_of(w, l), run;
	struct sums_at s = find_sums_at(w, k->count * tiles);
	struct line begin = filter_line_at(w, l->begin);
	for (int64_t i = 0; i < k->count; i++) {
		struct line at = begin;
		for (int64_t j = 0; j < l->count; j += run) {
			struct line top = at;
			run = filter_next_run(w, &at, l->count - j);
			for (int r = 0; r < a[ROWS].tile; r++)
				copy_rows(w, &top, k->begin + i, r, j, run);
		}
		for (int d = 0; d < a[DEPTH].sums; d++) {
			const void *line[FILTER_TILE] = {made_line(w, d, 0), made_line(w, d, a[ROWS].tile - 1)};
			w->x->filter->spread[of_rows(w)][of_columns(w)](
				l->count * w->blocks.line, line, w->results + i * tiles * size, s.at + d * s.each);
		}
	}
	for (int g = 0; g < w->kinds.groups; g++)
		filter_clear_ends(w, results_of(w, g, k->count * tiles), k->count, tiles, l->count * w->blocks.line);
}

static void add_gradient(const struct filter_work *w, const struct lines *l, const struct filters *k)
{
	int64_t size = w->x->size, tiles = tiles_of(w, l), channels = w->f->channels;
	for (int g = 0; g < w->kinds.groups; g++) {
		const struct filter_group *group = &w->kinds.group[g];
		multiply(w, &(struct product){.m = k->count,
					      .n = group->count * channels,
					      .k = tiles,
					      .a = {results_of(w, g, k->count * tiles), tiles, 1},
					      .b = {seen_of(w, g, tiles), 1, tiles},
					      .c = w->weights + w->weights_at[g] * size,
					      .ldc = filter_weights_line(w->f, group),
					      .alpha = 1,
					      .beta = l->begin > 0});
	}
}

static void put_gradient(const struct filter_work *w, const struct filters *k)
{
	int64_t size = w->x->size;
	for (int64_t i = 0; i < k->count; i++)
		w->x->filter->gradient(w->f->channels, w->weights, w->f, &w->kinds, w->place, i,
				       (char *)w->call->w + (k->begin + i) * w->f->w_filter * size, w->call->alpha,
				       w->call->beta);
}

/* Of parts that have any each has at least so many, since products of few rows add up in another order. */
static struct filters filters_of_part(const struct filter_work *w, struct product_part part)
{
	int64_t units = w->f->filters < FILTER_LANES ? 1 : w->f->filters / FILTER_LANES;
	int64_t begin = units * part.i / part.n * FILTER_LANES, end = units * (part.i + 1) / part.n * FILTER_LANES;
	return (struct filters){begin, (part.i + 1 == part.n ? w->f->filters : end) - begin};
}

static void run_gradient(struct filter_work *w, struct product_part part)
{
	struct filters own = filters_of_part(w, part);
	int64_t blocks = parts(own.count, w->blocks.filters), each = blocks ? parts(own.count, blocks) : 0;
	for (int64_t j = 0; j < own.count; j += each) {
		struct filters k = {own.begin + j, least(each, own.count - j)};
		for (int64_t i = 0; i < w->blocks.lines; i += w->blocks.block) {
			struct lines l = lines_at(w, i);
			filter_see(w, &l);
			spread(w, &l, &k);
			add_gradient(w, &l, &k);
		}
		put_gradient(w, &k);
	}
}

void product_run_filter(enum product_level level, enum product_type type, const struct product_filter *f,
			const struct product_filter_call *call, struct product_part part)
{
	struct filter_work w = {.level = level,
				.type = type == PRODUCT_F64 ? PRODUCT_F64 : PRODUCT_F32,
				.rounds = product_rounding_of(level, type),
				.x = product_plain(level, type),
				.f = f,
				.call = call,
				.weights = call->workspace,
				.room = call->room};
	filter_find_work(&w);
	if (f->of_weights)
		run_gradient(&w, part);
	else
		run_results(&w, part);
}
