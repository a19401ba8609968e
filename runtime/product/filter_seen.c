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
	w->made_bytes = filter_made_line(&w->blocks) * size;
	w->row_bytes = w->kinds.along[DEPTH].kinds * f->side[FILTER_COLUMNS].stride * w->line_bytes;
	find_kinds(w);
	w->results = w->seen + filter_group_at(w->kinds.groups, w->kinds.kinds * f->channels * w->blocks.tiles) * size;
	for (int p = 0; p < w->kinds.along[FILTER_COLUMNS].pieces; p++) {
		int64_t tap = w->kinds.along[FILTER_COLUMNS].piece[p].tap, stride = f->side[FILTER_COLUMNS].stride;
		w->piece_at[p] = tap % stride * w->line_bytes + tap / stride * size;
	}
	w->seen_rows = w->results +
		       filter_group_at(w->kinds.groups, w->kinds.groups * w->blocks.filters * w->blocks.tiles) * size;
	w->made = w->seen_rows + filter_seen_lines(f, &w->kinds, &w->blocks) * w->line_bytes;
	w->edge = w->made + filter_made_lines(&w->kinds) * w->made_bytes;
	memset(w->seen_rows, 0, (size_t)(w->edge - w->seen_rows));
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

int64_t filter_next_run(const struct filter_work *w, struct line *at, int64_t most)
{
	const struct product_filter_side *s = w->f->side;
	const struct filter_along *a = w->kinds.along;
	int64_t lines = least(most, w->blocks.rows[ROWS] - at->window[ROWS] / a[ROWS].tile);
	int64_t advance[FILTER_SIDES] = {a[DEPTH].tile, lines * a[ROWS].tile, a[FILTER_COLUMNS].tile * w->blocks.line};
	static const int order[FILTER_SIDES] = {ROWS, DEPTH, FILTER_COLUMNS};
	for (int i = 0; i < FILTER_SIDES; i++) {
		int64_t *window = &at->window[order[i]];
		*window += advance[order[i]];
		if (*window < s[order[i]].windows)
			return lines;
		*window = 0;
	}
	at->image++;
	return lines;
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

static char *row_at(const struct filter_work *w, int64_t row)
{
	return w->seen_rows + row * w->row_bytes;
}

/* Lines have zeros beside what they get of X. */
static void stretch_lines(struct filter_work *w, const struct line *at)
{
	struct stretch x = stretch_at(w, at);
	if (x.from != w->part.from || x.n != w->part.n)
		memset(w->seen_rows, 0, (size_t)(w->made - w->seen_rows));
	w->part = x;
}

/* Sums of two rows of X, or rows, put where points of a line belong: remainder by remainder of the stride. What rounds
 * is a row alone (product_filter_rounds). */
static void take(const struct filter_work *w, int64_t rows, int how, const char *a, const char *b, char *line)
{
	const struct product_filter_kernels *kernels = w->x->filter;
	const struct stretch *x = &w->part;
	int64_t stride = w->f->side[FILTER_COLUMNS].stride, size = w->x->size, from_step = w->f->side[ROWS].x;
	void *to[FILTER_TAPS];
	int64_t each = least(x->n / stride + 2, w->line_bytes / size - x->place); /* of a remainder, at most */
	line += x->place * size;
	if (stride == 1)
		kernels->take(rows, x->n, how, a, b, from_step, w->f->side[FILTER_COLUMNS].x, line,
			      w->row_bytes / size);
	for (int64_t r = 0; r < rows && (stride > 1 || w->rounds); r++, line += w->row_bytes) {
		int64_t from = r * from_step * size;
		for (int64_t i = 0; i < stride; i++)
			to[i] = line + i * w->line_bytes;
		if (stride > 1)
			kernels->deal(x->n, how, a + from, b ? b + from : NULL, stride, x->remainder, to);
		for (int64_t i = 0; i < stride && w->rounds; i++)
			w->rounds(stride > 1 ? each : x->n, to[i]);
	}
}

/* Sums of a piece as sums of its points (filter_parts.h), of points that are rows. */
static const struct pair of_points[FILTER_PIECE + 1][FILTER_SUMS] = {
	{{FILTER_COPY, 0, 0}},
	{{FILTER_COPY, 0, 0}, {FILTER_COPY, 1, 0}},
	{{FILTER_SUBTRACT, 0, 1}, {FILTER_COPY, 1, 0}, {FILTER_SUBTRACT, 2, 1}},
	{{FILTER_SUBTRACT, 0, 2}, {FILTER_ADD, 1, 2}, {FILTER_SUBTRACT, 2, 1}, {FILTER_SUBTRACT, 3, 1}}};

static void clear_rows(const struct filter_work *w, char *line, int64_t rows)
{
	int64_t size = w->f->side[FILTER_COLUMNS].stride * w->line_bytes;
	for (int64_t r = 0; r < rows; r++)
		memset(line + r * w->row_bytes, 0, (size_t)size);
}

/* Planes of X that a line of tiles sees of a channel, from the first point of their first row on; NULL: there is none.
 */
struct planes {
	const char *at[FILTER_POINTS];
};

static void find_planes(const struct filter_work *w, const struct line *at, int64_t channel, struct planes *p)
{
	const struct product_filter *f = w->f;
	int64_t d = first_seen(w, DEPTH, at);
	const char *x = (const char *)w->call->x + (filter_image_at(f, at->image).x + channel * f->x_channel +
						    w->part.begin * f->side[FILTER_COLUMNS].x) *
							   w->x->size;
	for (int i = 0; i < w->kinds.along[DEPTH].points; i++, d++)
		p->at[i] = d < 0 || d >= f->side[DEPTH].extent ? NULL : x + d * f->side[DEPTH].x * w->x->size;
}

/* Neighbouring rows of X, `row` and those below, for one kind along the first dimension: of two planes, either of which
 * may not be there. */
static void see_kind(const struct filter_work *w, int how, const char *one, const char *two, int64_t row, int64_t rows,
		     char *line)
{
	const struct product_filter_side *s = &w->f->side[ROWS];
	bool any = w->part.n > 0 && (one || two);
	int64_t before = any ? least(most(-row, 0), rows) : rows,
		inside = most(least(s->extent - row, rows) - before, 0);
	int64_t from = (row + before) * s->x * w->x->size;
	if (!one || !two)
		how = one || how == FILTER_ADD ? FILTER_COPY : FILTER_NEGATE;
	clear_rows(w, line, before);
	if (any && inside > 0)
		take(w, inside, how, (one ? one : two) + from, one && two ? two + from : NULL,
		     line + before * w->row_bytes);
	if (any)
		clear_rows(w, line + (before + inside) * w->row_bytes, rows - before - inside);
}

/* The same for all kinds. */
static void see_rows(const struct filter_work *w, const struct planes *planes, int64_t row, int64_t rows, char *line)
{
	const struct filter_along *a = &w->kinds.along[DEPTH];
	int64_t step = w->f->side[DEPTH].stride, apart = w->f->side[FILTER_COLUMNS].stride * w->line_bytes;
	for (int p = 0; p < a->pieces; p++) {
		const struct filter_piece *piece = &a->piece[p];
		for (int i = 0; i <= piece->type; i++) {
			const struct pair *pair = &of_points[piece->type][i];
			see_kind(w, pair->how, planes->at[piece->tap + pair->a * step],
				 pair->how ? planes->at[piece->tap + pair->b * step] : NULL, row, rows,
				 line + piece->kind[i] * apart);
		}
	}
}

/* The rows of a run of lines, the first `kept` of which are there. */
static void see_run(const struct filter_work *w, const struct line *at, int64_t channel, int64_t lines, int64_t kept)
{
	const struct filter_along *rows = &w->kinds.along[ROWS];
	int64_t step = filter_step(rows), first = first_seen(w, ROWS, at);
	struct planes planes;
	find_planes(w, at, channel, &planes);
	if (step == rows->advance)
		see_rows(w, &planes, first + kept, (lines - 1) * step + rows->points - kept, row_at(w, kept));
	else /* between lines are rows that none sees */
		for (int64_t l = 0; l < lines; l++)
			see_rows(w, &planes, first + l * rows->advance, rows->points, row_at(w, l * step));
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

/* Of lines of tiles whose rows are from this one of the run on. */
static void see_lines(const struct filter_work *w, const struct kinds_at *k, int64_t first, int64_t lines, char *to)
{
	const struct filter_along *a = w->kinds.along;
	int64_t stride = w->f->side[FILTER_COLUMNS].stride, size = w->x->size;
	int64_t row_step = w->f->side[ROWS].stride * (w->row_bytes / size),
		line_step = filter_step(&a[ROWS]) * (w->row_bytes / size);
	int n = 0;
	for (int d = 0; d < a[0].kinds; d++)
		for (int p = 0; p < a[1].pieces; p++)
			for (int q = 0; q < a[2].pieces; q++, n++) {
				const struct filter_piece *rows = &a[1].piece[p], *columns = &a[2].piece[q];
				const char *from =
					row_at(w, first + rows->tap) + d * stride * w->line_bytes + w->piece_at[q];
				w->x->filter->seen[rows->type][columns->type - 1](lines, w->blocks.line, from, row_step,
										  line_step, to, k->at[n]);
			}
}

/* The rows of another channel that a run of lines is the first to see. */
static void fetch_rows(const struct filter_work *w, const struct line *at, int64_t channel, int64_t lines, int64_t kept)
{
	const struct product_filter_side *rows = &w->f->side[ROWS];
	const struct filter_along *a = w->kinds.along;
	int64_t first = first_seen(w, ROWS, at), begin = most(first + kept, 0),
		end = least(first + (lines - 1) * a[ROWS].advance + a[ROWS].points, rows->extent);
	struct planes planes;
	find_planes(w, at, channel, &planes);
	for (int p = 0; p < a[DEPTH].points && begin < end; p++)
		if (planes.at[p])
			fetch(planes.at[p] + begin * rows->x * w->x->size,
			      ((end - begin - 1) * rows->x + w->part.n * w->f->side[FILTER_COLUMNS].x) * w->x->size);
}

/* One of the last lines of the last channel, less than a vector: behind its channels are those of another kind. */
static void see_short_line(const struct filter_work *w, const struct kinds_at *k, int64_t first, char *to)
{
	struct kinds_at edge;
	int n = w->kinds.along[DEPTH].kinds * w->kinds.along[ROWS].pieces * w->kinds.along[FILTER_COLUMNS].pieces;
	find_kinds_at(w, FILTER_LANES, &edge);
	see_lines(w, &edge, first, 1, w->edge);
	for (int i = 0; i < n; i++)
		for (int j = 0; j < FILTER_SUMS * FILTER_SUMS; j++)
			if (edge.at[i][j] >= 0)
				memcpy(to + k->at[i][j] * w->x->size, w->edge + edge.at[i][j] * w->x->size,
				       (size_t)(w->blocks.line * w->x->size));
}

/* What lines of tiles see of a channel. Rows of some lines below each other are copied before any of them is looked at:
 * what has just been written by other vectors is waited for. */
static void see_channel(struct filter_work *w, const struct lines *l, int64_t channel, const struct kinds_at *k)
{
	const struct filter_along *rows = &w->kinds.along[ROWS];
	int64_t size = w->x->size, tiles = tiles_of(w, l), step = filter_step(rows), run;
	bool is_last = channel + 1 == w->f->channels;
	/* Lines whose last vector is within what there is. */
	int64_t whole =
		is_last && w->blocks.line < FILTER_LANES ? (tiles - FILTER_LANES) / w->blocks.line + 1 : l->count;
	char *to = w->seen + channel * tiles * size;
	struct line at = filter_line_at(w, l->begin);
	bool goes_on = false;
	for (int64_t i = 0; i < l->count; i += run) {
		struct line first = at;
		int64_t kept = goes_on ? rows->points - step : 0;
		if (!goes_on)
			stretch_lines(w, &at);
		run = filter_next_run(w, &at, least(FILTER_RUN, l->count - i));
		goes_on = at.window[ROWS] > 0;
		if (!is_last)
			fetch_rows(w, &first, channel + 1, run, kept);
		see_run(w, &first, channel, run, kept);
		int64_t lines = most(least(run, whole - i), 0);
		see_lines(w, k, 0, lines, to + i * w->blocks.line * size);
		for (int64_t j = lines; j < run; j++)
			see_short_line(w, k, j * step, to + (i + j) * w->blocks.line * size);
		if (goes_on)
			memmove(row_at(w, 0), row_at(w, run * step), (size_t)((rows->points - step) * w->row_bytes));
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
