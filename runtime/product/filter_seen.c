/* filter_seen.c — what the tiles of lines see (filter_work.h): rows of X are copied with zeros around them, one for
 * each kind along the first dimension and for each remainder by the stride, and sums of them become lines of kinds. */
#include "filter_work.h"

#include <string.h>

static void find_kinds(struct filter_work *w)
{
	const struct filter_along *a = w->kinds.along;
	int64_t channels = w->f->channels, at = 0;
	int sum[FILTER_SIDES], n = 0;
	for (int g = 0; g < w->kinds.groups; g++) {
		w->weights_at[g] = at;
		at += w->blocks.filters * filter_weights_line(w->f, &w->kinds.group[g]);
	}
	for (int i = 0; i < a[0].kinds; i++)
		for (int j = 0; j < a[1].kinds; j++)
			for (int l = 0; l < a[2].kinds; l++, n++) {
				int kind[FILTER_SIDES] = {i, j, l}, number = 0;
				for (int s = 0; s < FILTER_SIDES; s++) {
					for (sum[s] = 0; kind[s] >= a[s].begin[sum[s] + 1];)
						sum[s]++;
					number = number * (a[s].begin[sum[s] + 1] - a[s].begin[sum[s]]) + kind[s] -
						 a[s].begin[sum[s]];
				}
				int g = filter_group_of(&w->kinds, sum);
				w->kind[n].group = g;
				w->kind[n].number = w->kinds.group[g].begin + number;
				w->place[n] = (struct filter_place){w->weights_at[g] + number * channels,
								    filter_weights_line(w->f, &w->kinds.group[g])};
			}
	w->seen = w->weights + at * w->x->size;
}

void filter_find_work(struct filter_work *w)
{
	const struct product_filter *f = w->f;
	int64_t size = w->x->size;
	w->kinds = filter_kinds_of(f);
	w->blocks = filter_blocks_of(f, &w->kinds);
	w->line_bytes = filter_seen_line(&w->blocks) * size;
	find_kinds(w);
	w->results = w->seen + filter_group_at(w->kinds.groups, w->kinds.kinds * f->channels * w->blocks.tiles) * size;
	char *lines = w->results +
		      filter_group_at(w->kinds.groups, w->kinds.groups * w->blocks.filters * w->blocks.tiles) * size;
	int64_t row = f->side[FILTER_COLUMNS].stride * w->line_bytes;
	for (int p = 0; p < w->kinds.along[FILTER_COLUMNS].pieces; p++) {
		int64_t tap = w->kinds.along[FILTER_COLUMNS].piece[p].tap, stride = f->side[FILTER_COLUMNS].stride;
		w->piece_at[p] = tap % stride * w->line_bytes + tap / stride * size;
	}
	w->zeros = lines;
	memset(lines, 0, (size_t)((filter_seen_lines(f, &w->kinds) + filter_made_lines(&w->kinds)) * w->line_bytes));
	for (int p = 0; p < w->kinds.along[ROWS].points; p++)
		for (int k = 0; k < w->kinds.along[DEPTH].kinds; k++)
			w->line[p][k] = lines += row;
	w->made = lines + row;
	w->edge = w->made + filter_made_lines(&w->kinds) * w->line_bytes;
}

struct line filter_line_at(const struct filter_work *w, int64_t l)
{
	const struct filter_blocks *b = &w->blocks;
	const struct filter_along *a = w->kinds.along;
	struct line at;
	at.window[ROWS] = l % b->rows[ROWS] * a[ROWS].tile;
	l /= b->rows[ROWS];
	at.window[DEPTH] = l % b->rows[DEPTH] * a[DEPTH].tile;
	l /= b->rows[DEPTH];
	at.window[FILTER_COLUMNS] = l % b->segments * b->line * a[FILTER_COLUMNS].tile;
	at.image = l / b->segments;
	return at;
}

/* Where a dimension of X begins for windows from this one on. */
static int64_t first_seen(const struct filter_work *w, int side, const struct line *at)
{
	return w->f->side[side].first + at->window[side] * w->f->side[side].stride;
}

bool filter_next_line(const struct filter_work *w, struct line *at)
{
	const struct product_filter_side *s = w->f->side;
	const struct filter_along *a = w->kinds.along;
	int64_t advance[FILTER_SIDES] = {a[DEPTH].tile, a[ROWS].tile, a[FILTER_COLUMNS].tile * w->blocks.line};
	static const int order[FILTER_SIDES] = {ROWS, DEPTH, FILTER_COLUMNS};
	for (int i = 0; i < FILTER_SIDES; i++) {
		int64_t *window = &at->window[order[i]];
		*window += advance[order[i]];
		if (*window < s[order[i]].windows)
			return i == 0;
		*window = 0;
	}
	at->image++;
	return false;
}

static int64_t most(int64_t x, int64_t y)
{
	return x > y ? x : y;
}

static struct stretch stretch_at(const struct filter_work *w, const struct line *at)
{
	const struct product_filter_side *s = &w->f->side[FILTER_COLUMNS];
	const struct filter_along *a = &w->kinds.along[FILTER_COLUMNS];
	int64_t first = first_seen(w, FILTER_COLUMNS, at), width = a->advance * (w->blocks.line - 1) + a->points;
	struct stretch x = {.from = most(-first, 0)};
	x.begin = first + x.from;
	x.n = most(least(s->extent - x.begin, width - x.from), 0);
	x.remainder = x.from % s->stride;
	x.place = x.from / s->stride;
	return x;
}

static char **line_of(struct filter_work *w, int row)
{
	int points = w->kinds.along[ROWS].points, at = w->row + row;
	return w->line[at < points ? at : at - points];
}

/* Lines have zeros beside what they get of X. */
static void stretch_lines(struct filter_work *w, const struct line *at)
{
	struct stretch x = stretch_at(w, at);
	if (x.from != w->part.from || x.n != w->part.n)
		memset(w->zeros, 0, (size_t)(filter_seen_lines(w->f, &w->kinds) * w->line_bytes));
	w->part = x;
}

/* A sum of two rows, or one, put where points of a line belong: remainder by remainder of the stride. */
static void take(const struct filter_work *w, int how, const char *a, const char *b, char *line)
{
	const struct product_filter_kernels *kernels = w->x->filter;
	const struct stretch *x = &w->part;
	int64_t stride = w->f->side[FILTER_COLUMNS].stride, size = w->x->size;
	void *to[FILTER_TAPS];
	line += x->place * size;
	if (stride == 1) {
		kernels->take(x->n, how, a, b, line);
		return;
	}
	for (int64_t i = 0; i < stride; i++)
		to[i] = line + i * w->line_bytes;
	kernels->deal(x->n, how, a, b, stride, x->remainder, to);
}

/* Sums of a piece as sums of its points (filter_parts.h), of points that are rows. */
static const struct pair of_points[FILTER_PIECE + 1][FILTER_SUMS] = {
	{{FILTER_COPY, 0, 0}},
	{{FILTER_COPY, 0, 0}, {FILTER_COPY, 1, 0}},
	{{FILTER_SUBTRACT, 0, 1}, {FILTER_COPY, 1, 0}, {FILTER_SUBTRACT, 2, 1}},
	{{FILTER_SUBTRACT, 0, 2}, {FILTER_ADD, 1, 2}, {FILTER_SUBTRACT, 2, 1}, {FILTER_SUBTRACT, 3, 1}}};

/* One row of X for all kinds along the first dimension. */
static void see_row(const struct filter_work *w, const struct line *at, int64_t channel, int64_t row, char *const *line)
{
	const struct product_filter *f = w->f;
	const struct product_filter_side *depth = &f->side[DEPTH];
	const struct filter_along *a = &w->kinds.along[DEPTH];
	const struct stretch *x = &w->part;
	int64_t size = w->x->size, first = first_seen(w, DEPTH, at);
	const char *point[FILTER_POINTS];
	bool is_row = row >= 0 && row < f->side[ROWS].extent && x->n > 0;
	for (int p = 0; p < a->points; p++) {
		int64_t d = first + p;
		point[p] = !is_row || d < 0 || d >= depth->extent
				   ? NULL
				   : (const char *)w->call->x + (at->image * f->x_image + channel * f->x_channel +
								 d * depth->x + row * f->side[ROWS].x + x->begin) *
									size;
	}
	for (int p = 0; p < a->pieces; p++)
		for (int i = 0; i <= a->piece[p].type; i++) {
			const struct pair *pair = &of_points[a->piece[p].type][i];
			const char *one = point[a->piece[p].tap + pair->a * depth->stride],
				   *two = pair->how ? point[a->piece[p].tap + pair->b * depth->stride] : NULL;
			char *to = line[a->piece[p].kind[i]];
			if (one || two)
				take(w, one && !two ? FILTER_COPY : pair->how, one ? one : w->zeros, two, to);
			else
				memset(to, 0, (size_t)(f->side[FILTER_COLUMNS].stride * w->line_bytes));
		}
}

/* Where kinds of a line of tiles lie, for each kind along the first dimension, piece of rows and of columns; -1: there
 * are none. */
struct kinds_at {
	int64_t at[FILTER_KINDS][FILTER_SUMS * FILTER_SUMS];
};

static void find_kinds_at(const struct filter_work *w, int64_t apart, struct kinds_at *k)
{
	const struct filter_along *a = w->kinds.along;
	int n = 0;
	memset(k, -1, sizeof *k);
	for (int d = 0; d < a[0].kinds; d++)
		for (int p = 0; p < a[1].pieces; p++)
			for (int q = 0; q < a[2].pieces; q++, n++)
				for (int i = 0; i <= a[1].piece[p].type; i++)
					for (int j = 0; j <= a[2].piece[q].type; j++) {
						int row = d * a[1].kinds + a[1].piece[p].kind[i];
						int kind = row * a[2].kinds + a[2].piece[q].kind[j];
						k->at[n][i * FILTER_SUMS + j] = filter_group_at(
							w->kind[kind].group, w->kind[kind].number * apart);
					}
}

static void see_line(struct filter_work *w, const struct kinds_at *k, char *to)
{
	const struct filter_along *a = w->kinds.along;
	int64_t row_step = w->f->side[ROWS].stride;
	int n = 0;
	for (int d = 0; d < a[0].kinds; d++)
		for (int p = 0; p < a[1].pieces; p++)
			for (int q = 0; q < a[2].pieces; q++, n++) {
				const struct filter_piece *rows = &a[1].piece[p], *columns = &a[2].piece[q];
				const void *line[FILTER_SUMS];
				for (int i = 0; i <= rows->type; i++)
					line[i] = line_of(w, rows->tap + i * (int)row_step)[d] + w->piece_at[q];
				w->x->filter->seen[rows->type][columns->type - 1](w->blocks.line, line, to, k->at[n]);
			}
}

/* The rows of another channel that a line of tiles is the first to see. */
static void fetch_rows(const struct filter_work *w, const struct line *at, int64_t channel)
{
	const struct product_filter *f = w->f;
	const struct product_filter_side *rows = &f->side[ROWS], *depth = &f->side[DEPTH];
	int64_t size = w->x->size, first = first_seen(w, ROWS, at) + w->kinds.along[ROWS].points - 1;
	int64_t n = w->kinds.along[ROWS].advance, end = least(first + 1, rows->extent), begin = most(end - n, 0);
	int64_t d = first_seen(w, DEPTH, at);
	for (int p = 0; p < w->kinds.along[DEPTH].points; p++, d++)
		if (d >= 0 && d < depth->extent && begin < end)
			fetch((const char *)w->call->x + (at->image * f->x_image + channel * f->x_channel +
							  d * depth->x + begin * rows->x + w->part.begin) *
								 size,
			      ((end - begin - 1) * rows->x + w->part.n) * size);
}

/* One of the last lines of the last channel, less than a vector: behind its channels are those of another kind. */
static void see_short_line(struct filter_work *w, const struct kinds_at *k, char *to)
{
	struct kinds_at edge;
	int n = w->kinds.along[DEPTH].kinds * w->kinds.along[ROWS].pieces * w->kinds.along[FILTER_COLUMNS].pieces;
	find_kinds_at(w, FILTER_LANES, &edge);
	see_line(w, &edge, w->edge);
	for (int i = 0; i < n; i++)
		for (int j = 0; j < FILTER_SUMS * FILTER_SUMS; j++)
			if (edge.at[i][j] >= 0)
				memcpy(to + k->at[i][j] * w->x->size, w->edge + edge.at[i][j] * w->x->size,
				       (size_t)(w->blocks.line * w->x->size));
}

/* What lines of tiles see of a channel. */
static void see_channel(struct filter_work *w, const struct lines *l, int64_t channel, const struct kinds_at *k)
{
	const struct product_filter *f = w->f;
	const struct filter_along *rows = &w->kinds.along[ROWS];
	int64_t size = w->x->size;
	int64_t tiles = tiles_of(w, l);
	char *to = w->seen + channel * tiles * size;
	struct line at = filter_line_at(w, l->begin);
	bool goes_on = false;
	for (int64_t i = 0; i < l->count; i++, to += w->blocks.line * size) {
		int kept = goes_on ? (int)most(rows->points - rows->advance, 0) : 0;
		if (!goes_on)
			stretch_lines(w, &at);
		if (channel + 1 < f->channels)
			fetch_rows(w, &at, channel + 1);
		w->row -= kept;
		w->row += w->row < 0 ? rows->points : 0;
		for (int r = kept; r < rows->points; r++)
			see_row(w, &at, channel, first_seen(w, ROWS, &at) + r, line_of(w, r));
		bool ends = channel + 1 == f->channels && i * w->blocks.line + FILTER_LANES > tiles;
		if (ends && w->blocks.line < FILTER_LANES)
			see_short_line(w, k, to);
		else
			see_line(w, k, to);
		goes_on = filter_next_line(w, &at);
	}
}

void filter_clear_ends(const struct filter_work *w, char *at, int64_t lines, int64_t tiles, int64_t used)
{
	int64_t size = w->x->size;
	for (int64_t i = 0; i < lines && used < tiles; i++)
		memset(at + (i * tiles + used) * size, 0, (size_t)((tiles - used) * size));
}

void filter_see(struct filter_work *w, const struct lines *l)
{
	struct kinds_at k;
	find_kinds_at(w, w->f->channels * tiles_of(w, l), &k);
	for (int64_t c = 0; c < w->f->channels; c++)
		see_channel(w, l, c, &k);
	for (int g = 0; g < w->kinds.groups; g++)
		filter_clear_ends(w, seen_of(w, g, tiles_of(w, l)), w->kinds.group[g].count * w->f->channels,
				  tiles_of(w, l), l->count * w->blocks.line);
}
