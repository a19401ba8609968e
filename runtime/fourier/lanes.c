/* lanes.c — lines together, one in each lane of a vector, with the operations that line.c has for one: short ones, and
 * those of which a matrix would not fill vectors. */
#include "lines.h"

#include <string.h>

/* Numbers of all lanes in planes; numbers of a matrix are columns of what its columns leave. */
static void square(const struct fourier *f, const struct fourier_planes *x, const struct fourier_planes *out,
		   double scale, char *room, struct fourier_ahead *ahead)
{
	int64_t rows = f->way.rows, columns = f->way.columns, lanes = f->kernels->lanes;
	struct fourier_planes middle = fourier_cut_planes(f, &room, rows * columns * lanes, lanes);
	for (int64_t c = 0; c < columns; c++) {
		struct fourier_planes from = fourier_planes_at(f, x, c * x->step);
		struct fourier_planes to = fourier_planes_at(f, &middle, c * rows * lanes);
		struct fourier_planes turned = fourier_planes_at(f, &f->turned, c);
		from.step = columns * x->step;
		f->kernels->columns(&f->first, &from, &(struct fourier_last){&turned, true, 1}, &to, room, ahead);
	}
	for (int64_t r = 0; r < rows; r++) {
		struct fourier_planes from = fourier_planes_at(f, &middle, r * lanes);
		struct fourier_planes to = fourier_planes_at(f, out, r * out->step);
		from.step = rows * lanes;
		to.step = rows * out->step;
		f->kernels->columns(&f->second, &from, &(struct fourier_last){.scale = scale}, &to, room, ahead);
	}
}

static void convolve(const struct fourier *f, const struct fourier_planes *x, const struct fourier_planes *out,
		     double scale, char *room, struct fourier_ahead *ahead)
{
	int64_t length = f->way.rows * f->way.columns, lanes = f->kernels->lanes, lacks = length - f->way.in;
	struct fourier_planes y = fourier_cut_planes(f, &room, length * lanes, lanes);
	struct fourier_planes z = fourier_cut_planes(f, &room, length * lanes, lanes);
	struct fourier_planes turned_y = {y.im, y.re, lanes}, turned_z = {z.im, z.re, lanes};
	f->kernels->multiply_lanes(f->way.in, x, &f->chirp, 1, &y);
	memset(fourier_behind(f, y.re, f->way.in * lanes), 0, (size_t)(lacks * lanes * f->size));
	memset(fourier_behind(f, y.im, f->way.in * lanes), 0, (size_t)(lacks * lanes * f->size));
	square(f, &y, &z, 1, room, ahead);
	f->kernels->multiply_lanes(length, &z, &f->filter, 1, &z);
	square(f, &turned_z, &turned_y, 1, room, ahead);
	f->kernels->multiply_lanes(f->way.out, &y, &f->chirp, scale, out);
}

static void transform(const struct fourier *f, const struct fourier_job *j, bool positive, struct fourier_planes x,
		      struct fourier_planes out, char *room, struct fourier_ahead *ahead)
{
	struct fourier_planes a = positive ? (struct fourier_planes){x.im, x.re, x.step} : x;
	struct fourier_planes b = positive ? (struct fourier_planes){out.im, out.re, out.step} : out;
	if (f->way.kind == FOURIER_COLUMNS)
		f->kernels->columns(&f->first, &a, &(struct fourier_last){.scale = j->scale}, &b, room, ahead);
	else
		(f->way.kind == FOURIER_SQUARE ? square : convolve)(f, &a, &b, j->scale, room, ahead);
}

/* Real numbers that are pairs of what is transformed. */
static bool is_in_pairs(const struct fourier *f, enum fourier_numbers real)
{
	return f->way.halves && f->way.numbers == real;
}

/* Whether numbers, and lines as well, lie as columns do, and are transformed as they are. */
static bool side_lies_in_columns(const struct fourier *f, const struct fourier_side *s, int64_t count,
				 const int64_t *begin, enum fourier_numbers real)
{
	bool in_pairs = is_in_pairs(f, real);
	return (in_pairs || f->way.numbers == FOURIER_COMPLEX) && !s->ends_halved &&
	       fourier_is_whole(f, s, in_pairs ? 1 : 2) && count == f->kernels->lanes &&
	       fourier_spacing(count, begin) == 1;
}

/* Planes of a side: where its lines lie, or of the room. */
struct side {
	const struct fourier_side *of;
	bool in_place, in_pairs;
	void *plane[2];
};

static struct side side_of(const struct fourier *f, const struct fourier_side *of, int64_t count, const int64_t *begin,
			   enum fourier_numbers real, char **room)
{
	struct side s = {.of = of,
			 .in_pairs = is_in_pairs(f, real),
			 .in_place = side_lies_in_columns(f, of, count, begin, real)};
	for (int p = 0; p < 2; p++) {
		void *plane = fourier_cut(room, f->width * f->kernels->lanes * f->size);
		s.plane[p] = s.in_place && fourier_part_of(of, p) ? fourier_behind(f, fourier_part_of(of, p), begin[0])
								  : plane;
	}
	return s;
}

static struct fourier_planes planes_of_side(const struct fourier *f, const struct side *s)
{
	int64_t step = s->in_place ? s->of->step : f->kernels->lanes;
	if (!s->in_pairs)
		return (struct fourier_planes){s->plane[0], s->plane[1], step};
	return (struct fourier_planes){s->plane[0], fourier_behind(f, s->plane[0], step), 2 * step};
}

/* Adds where lines of a side lie: as two planes if they are one behind the other; row by row if they lie in columns. */
static void add_ahead(const struct fourier *f, const struct fourier_side *s, int64_t lines, const int64_t *begin,
		      enum fourier_numbers real, struct fourier_ahead *ahead)
{
	int64_t numbers = s->count * s->parts * lines / 2, count = numbers * f->size / FOURIER_VECTOR + 1;
	bool in_columns = lines > 0 && side_lies_in_columns(f, s, lines, begin, real);
	if (in_columns)
		count = s->count;
	else if (lines == 0 || s->step != 1 || fourier_spacing(lines, begin) != s->count)
		return;
	for (int p = 0; p < (in_columns ? s->parts : 2); p++) {
		ahead->apart[ahead->planes] = in_columns ? s->step * f->size : FOURIER_VECTOR;
		ahead->plane[ahead->planes++] = s->parts == 2 ? fourier_behind(f, s->at[p], begin[0])
							      : fourier_behind(f, s->at[0], begin[0] + p * numbers);
	}
	if (count > ahead->count)
		ahead->count = count;
}

/* What is asked for while lines are transformed: the next ones, and where their transforms go. */
static struct fourier_ahead lines_ahead(const struct fourier *f, const struct fourier_job *j,
					const struct fourier_group *next)
{
	int64_t steps = f->way.columns * f->first.steps;
	struct fourier_ahead ahead = {.is_short = false};
	if (f->way.kind != FOURIER_COLUMNS)
		steps += f->way.rows * f->second.steps;
	add_ahead(f, &j->x, next->count, next->x, FOURIER_REAL_IN, &ahead);
	add_ahead(f, &j->out, next->count, next->out, FOURIER_REAL_OUT, &ahead);
	ahead.lines = ahead.count / (steps + 1) + 1;
	return ahead;
}

void fourier_run_lanes(const struct fourier *f, const struct fourier_job *j, const struct fourier_group *g,
		       const struct fourier_group *next, void *room)
{
	int64_t lanes = f->kernels->lanes, numbers = fourier_numbers_in(f, &j->x), h = f->way.n;
	struct fourier_moved from = {g->count, j->x.count, j->x.step, 1, lanes, g->x};
	struct fourier_moved to = {g->count, j->out.count, j->out.step, 1, lanes, g->out};
	struct fourier_mix mix = fourier_mix_of(f, j->positive);
	struct fourier_ahead ahead = lines_ahead(f, j, next);
	char *rest = room;
	struct side x = side_of(f, &j->x, g->count, g->x, FOURIER_REAL_IN, &rest);
	struct side out = side_of(f, &j->out, g->count, g->out, FOURIER_REAL_OUT, &rest);
	for (int p = 0; p < (x.in_pairs ? 1 : 2) && !x.in_place; p++) {
		if (g->count < lanes)
			memset(x.plane[p], 0, (size_t)(numbers * lanes * f->size));
		fourier_bring(f, &j->x, p, &from, x.plane[p], numbers, numbers * lanes);
	}
	struct fourier_planes a = planes_of_side(f, &x), b = planes_of_side(f, &out);
	fourier_halve_ends(f, &j->x, &a, lanes);
	if (f->way.numbers == FOURIER_REAL_OUT)
		fourier_fold(f, &a, numbers, lanes);
	if (out.in_pairs)
		f->kernels->mix_lanes(&mix, &a);
	transform(f, j, f->way.halves ? out.in_pairs : j->positive, a, b, rest, ahead.planes ? &ahead : NULL);
	if (x.in_pairs) {
		memcpy(fourier_behind(f, b.re, h * lanes), b.re, (size_t)(lanes * f->size));
		memcpy(fourier_behind(f, b.im, h * lanes), b.im, (size_t)(lanes * f->size));
		f->kernels->mix_lanes(&mix, &b);
	}
	if (f->way.numbers == FOURIER_REAL_IN)
		fourier_unfold(f, &j->out, &b, lanes);
	fourier_halve_ends(f, &j->out, &b, lanes);
	for (int p = 0; p < 2 && !out.in_place; p++)
		fourier_put(f, &j->out, p, &to, out.plane[p]);
}

/* In tenths of what the passes over columns take for a vector of each part. Lines together are transposed in and out,
 * across many lines of the cache; a line alone once, in between, in the first cache. Where rows are no whole vectors,
 * most are read and written across lines of the cache, which costs as much again. */
enum { COST_PASSES = 10, COST_TRANSPOSED = 7, COST_BETWEEN = 4 };

static int64_t cost_together(const struct fourier *f, const struct fourier_job *j, const struct fourier_group *g)
{
	int64_t length = f->way.rows * f->way.columns, squares = f->way.kind == FOURIER_CHIRP ? 2 : 1;
	int64_t cost = 2 * COST_PASSES * squares * length;
	if (!side_lies_in_columns(f, &j->x, g->count, g->x, FOURIER_REAL_IN))
		cost += COST_TRANSPOSED * (f->way.numbers == FOURIER_REAL_IN ? (f->n + 1) / 2 : f->way.in);
	if (!side_lies_in_columns(f, &j->out, g->count, g->out, FOURIER_REAL_OUT))
		cost += COST_TRANSPOSED * (f->way.numbers == FOURIER_REAL_OUT ? (f->n + 1) / 2 : f->way.out);
	return cost;
}

void fourier_set_costs(struct fourier *f)
{
	int64_t rows = f->way.rows, columns = f->way.columns, lanes = f->kernels->lanes, beside = f->together;
	int64_t squares = f->way.kind == FOURIER_CHIRP ? 2 : 1;
	int64_t whole = (rows * columns * beside + lanes - 1) / lanes;
	int64_t passes = (columns * beside + lanes - 1) / lanes * rows + (rows * beside + lanes - 1) / lanes * columns;
	int64_t ragged = rows * beside % lanes || columns * beside % lanes ? 2 : 1;
	f->cost_alone = squares * ragged * (COST_PASSES * passes + COST_BETWEEN * whole) / beside;
	f->cost_copied = COST_TRANSPOSED * whole / beside;
}

static int64_t cost_alone(const struct fourier *f, const struct fourier_job *j)
{
	return f->cost_alone + ((j->x.step != 1) + (j->out.step != 1)) * f->cost_copied;
}

bool fourier_goes_in_lanes(const struct fourier *f, const struct fourier_job *j, const struct fourier_group *g)
{
	if (f->way.kind == FOURIER_COLUMNS)
		return true;
	return g->count <= f->kernels->lanes && fourier_fits_lanes(&f->way) &&
	       cost_together(f, j, g) < g->count * cost_alone(f, j);
}
