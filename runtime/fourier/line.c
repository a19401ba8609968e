/* line.c — lines one by one: as matrices, so that all passes are in the first cache and memory sees a line twice
 * (Bailey, 1990); as convolutions with a chirp. */
#include "lines.h"

#include <string.h>

static void copy_rows(const struct fourier *f, int64_t rows, int64_t lanes, const struct fourier_planes *from,
		      const struct fourier_planes *to)
{
	for (int64_t i = 0; i < rows; i++) {
		struct fourier_planes a = fourier_planes_at(f, from, i * from->step),
				      b = fourier_planes_at(f, to, i * to->step);
		memcpy(b.re, a.re, (size_t)(lanes * f->size));
		memcpy(b.im, a.im, (size_t)(lanes * f->size));
	}
}

/* Where the last columns are no whole vector, some are computed
 * twice; where all are less than one, they are copied. */
void fourier_square(const struct fourier *f, const struct fourier_planes *x, const struct fourier_planes *out,
		    double scale, void *room, struct fourier_ahead *ahead)
{
	int64_t rows = f->way.rows, columns = f->way.columns, lanes = f->kernels->lanes;
	int64_t longest = rows > columns ? rows : columns;
	int64_t apart = rows + FOURIER_VECTOR / f->size; /* lest rows share sets of the cache */
	char *rest = room;
	struct fourier_planes middle = fourier_cut_planes(f, &rest, apart * columns, apart);
	struct fourier_planes narrow = fourier_cut_planes(f, &rest, longest * lanes, lanes);
	struct fourier_planes done = fourier_cut_planes(f, &rest, longest * lanes, lanes);
	struct fourier_planes source = {x->re, x->im, columns}, goal = {out->re, out->im, rows};
	for (int64_t c = 0; c < columns; c += lanes) {
		int64_t n = columns < lanes ? columns : lanes, column = c + n <= columns ? c : columns - n;
		struct fourier_planes from = fourier_planes_at(f, &source, column);
		struct fourier_planes turned = fourier_planes_at(f, &f->turned, column);
		if (n < lanes)
			copy_rows(f, rows, n, &from, &narrow);
		f->kernels->columns(&f->first, n < lanes ? &narrow : &from, &(struct fourier_last){&turned, false, 1},
				    &done, rest, ahead);
		f->transpose(rows, n, done.re, lanes, fourier_behind(f, middle.re, column * apart), apart);
		f->transpose(rows, n, done.im, lanes, fourier_behind(f, middle.im, column * apart), apart);
	}
	for (int64_t r = 0; r < rows; r += lanes) {
		int64_t n = rows < lanes ? rows : lanes, row = r + n <= rows ? r : rows - n;
		struct fourier_planes from = fourier_planes_at(f, &middle, row), to = fourier_planes_at(f, &goal, row);
		if (n < lanes)
			copy_rows(f, columns, n, &from, &narrow);
		f->kernels->columns(&f->second, n < lanes ? &narrow : &from, &(struct fourier_last){.scale = scale},
				    n < lanes ? &done : &to, rest, ahead);
		if (n < lanes)
			copy_rows(f, columns, n, &done, &to);
	}
}

/* x, of as many numbers as the convolution is long, those that are not taken 0, is written over. */
static void convolve(const struct fourier *f, const struct fourier_planes *x, const struct fourier_planes *out,
		     double scale, void *room)
{
	int64_t length = f->way.rows * f->way.columns;
	char *rest = room;
	struct fourier_planes y = fourier_cut_planes(f, &rest, length, 1);
	struct fourier_planes turned_x = {x->im, x->re, 1}, turned_y = {y.im, y.re, 1};
	f->kernels->multiply(f->way.in, x, &f->chirp, 1, x);
	fourier_square(f, x, &y, 1, rest, NULL);
	f->kernels->multiply(length, &y, &f->filter, 1, &y);
	fourier_square(f, &turned_y, &turned_x, 1, rest, NULL);
	f->kernels->multiply(f->way.out, x, &f->chirp, scale, x);
	memcpy(out->re, x->re, (size_t)(f->way.out * f->size));
	memcpy(out->im, x->im, (size_t)(f->way.out * f->size));
}

/* A line as complex numbers: `positive` e^(+…). */
static void transform(const struct fourier *f, const struct fourier_job *j, bool positive, void *const x[2],
		      void *const out[2], void *room, struct fourier_ahead *ahead)
{
	struct fourier_planes a = fourier_planes_of_parts(positive, x, 1),
			      b = fourier_planes_of_parts(positive, out, 1);
	if (f->way.kind == FOURIER_SQUARE) {
		fourier_square(f, &a, &b, j->scale, room, ahead && ahead->planes ? ahead : NULL);
		return;
	}
	int64_t length = f->way.rows * f->way.columns, lacks = length - f->way.in;
	memset(fourier_behind(f, a.re, f->way.in), 0, (size_t)(lacks * f->size));
	memset(fourier_behind(f, a.im, f->way.in), 0, (size_t)(lacks * f->size));
	convolve(f, &a, &b, j->scale, room);
}

/* Whether both parts of each number stand side by side. */
static bool is_of_pairs(const struct fourier *f, const struct fourier_side *s)
{
	return s->parts == 2 && s->step == 2 && s->at[1] == fourier_behind(f, s->at[0], 1);
}

static void add_ahead(void *from, struct fourier_ahead *ahead)
{
	ahead->apart[ahead->planes] = FOURIER_VECTOR;
	ahead->plane[ahead->planes++] = from;
}

/* What is asked for while line l - 1 is transformed: line l, and where its transform goes, as far as no copies are made
 * of them. Columns of a matrix are read, and rows are written, in strides that processors do not foresee. Real numbers
 * are two halves of a line. */
static struct fourier_ahead line_ahead(const struct fourier *f, const struct fourier_job *j,
				       const struct fourier_group *g, int64_t l, bool reads, bool writes)
{
	struct fourier_ahead ahead = {.count = f->way.n * f->size / FOURIER_VECTOR + 1, .lines = f->fetched};
	for (int p = 0; p < 2 && l < g->count; p++) {
		if (reads)
			add_ahead(f->way.numbers == FOURIER_REAL_IN
					  ? fourier_behind(f, j->x.at[0], g->x[l] + p * f->way.n)
					  : fourier_behind(f, fourier_part_of(&j->x, p), g->x[l]),
				  &ahead);
		void *out = fourier_part_of(&j->out, f->way.numbers == FOURIER_REAL_OUT ? 0 : p);
		if (writes && out)
			add_ahead(fourier_behind(f, out,
						 g->out[l] + (f->way.numbers == FOURIER_REAL_OUT ? p * f->way.n : 0)),
				  &ahead);
	}
	return ahead;
}

/* A group on its way: two planes of a line each, for what is brought and for what is made. */
struct way {
	const struct fourier *f;
	const struct fourier_job *j;
	const struct fourier_group *g;
	bool reads, writes; /* where the lines lie */
	void *brought[2], *made[2], *room;
};

/* Planes of line l, and where its transform goes. Where lines are not brought, or made elsewhere, planes are those of
 * all lines, which stay in the first cache. */
struct line {
	void *x[2], *made[2], *out[2];
};

static struct line line_of(const struct way *w, int64_t l)
{
	struct line line;
	for (int p = 0; p < 2; p++) {
		void *part = w->writes ? fourier_part_of(&w->j->out, p) : NULL;
		line.x[p] = fourier_behind(w->f, w->brought[p], w->reads ? 0 : l * w->f->width);
		line.made[p] = fourier_behind(w->f, w->made[p], w->writes ? 0 : l * w->f->width);
		line.out[p] = part ? fourier_behind(w->f, part, w->g->out[l]) : line.made[p];
	}
	return line;
}

static void complex_line(const struct way *w, int64_t l)
{
	const struct fourier *f = w->f;
	struct fourier_ahead next = line_ahead(f, w->j, w->g, l + 1, w->reads, w->writes);
	struct line line = line_of(w, l);
	for (int p = 0; p < 2 && w->reads; p++)
		line.x[p] = fourier_behind(f, fourier_part_of(&w->j->x, p), w->g->x[l]);
	struct fourier_planes x = {line.x[0], line.x[1], 1}, out = {line.out[0], line.out[1], 1};
	fourier_halve_ends(f, &w->j->x, &x, 1);
	if (f->way.numbers == FOURIER_REAL_OUT)
		fourier_fold(f, &x, fourier_numbers_in(f, &w->j->x), 1);
	transform(f, w->j, w->j->positive, line.x, line.out, w->room, &next);
	if (f->way.numbers == FOURIER_REAL_IN)
		fourier_unfold(f, &w->j->out, &out, 1);
	fourier_halve_ends(f, &w->j->out, &out, 1);
}

/* Real numbers are taken in pairs. */
static void real_line(const struct way *w, int64_t l)
{
	const struct fourier *f = w->f;
	struct fourier_mix mix = fourier_mix_of(f, w->j->positive);
	struct fourier_ahead next = line_ahead(f, w->j, w->g, l + 1, w->reads, w->writes);
	struct line line = line_of(w, l);
	f->kernels->apart(f->way.n, w->reads ? fourier_behind(f, w->j->x.at[0], w->g->x[l]) : line.x[0], line.made[0],
			  line.made[1]);
	transform(f, w->j, false, line.made, line.x, w->room, &next);
	for (int p = 0; p < 2; p++)
		memcpy(fourier_behind(f, line.x[p], f->way.n), line.x[p], (size_t)f->size);
	struct fourier_planes x = {line.x[0], line.x[1], 1}, out = {line.out[0], line.out[1], 1};
	f->kernels->mix_line(&mix, &x, &out);
	fourier_unfold(f, &w->j->out, &out, 1);
	fourier_halve_ends(f, &w->j->out, &out, 1);
}

/* Where the line lies: its ends, which vectors have mixed with what are no imaginary parts, once more. */
static void mix_in_place(const struct way *w, int64_t l, const struct fourier_mix *mix, const struct line *line)
{
	const struct fourier *f = w->f;
	const struct fourier_side *s = &w->j->x;
	struct fourier_planes x = {fourier_behind(f, s->at[0], w->g->x[l]), fourier_behind(f, s->at[1], w->g->x[l]), 1};
	f->kernels->mix_line(mix, &x, &(struct fourier_planes){line->made[0], line->made[1], 1});
	if (f->size == sizeof(double)) {
		double by = s->ends_halved ? 0.5 : 1;
		double first = by * ((double *)x.re)[0], last = by * ((double *)x.re)[f->way.n];
		((double *)line->made[0])[0] = first + last;
		((double *)line->made[1])[0] = first - last;
	} else {
		float by = s->ends_halved ? 0.5F : 1;
		float first = by * ((float *)x.re)[0], last = by * ((float *)x.re)[f->way.n];
		((float *)line->made[0])[0] = first + last;
		((float *)line->made[1])[0] = first - last;
	}
}

static void line_of_reals(const struct way *w, int64_t l)
{
	const struct fourier *f = w->f;
	struct fourier_mix mix = fourier_mix_of(f, w->j->positive);
	struct fourier_ahead next = line_ahead(f, w->j, w->g, l + 1, w->reads, w->writes);
	struct line line = line_of(w, l);
	struct fourier_planes x = {line.x[0], line.x[1], 1}, made = {line.made[0], line.made[1], 1};
	if (w->reads) {
		mix_in_place(w, l, &mix, &line);
	} else {
		fourier_halve_ends(f, &w->j->x, &x, 1);
		fourier_fold(f, &x, fourier_numbers_in(f, &w->j->x), 1);
		f->kernels->mix_line(&mix, &x, &made);
	}
	transform(f, w->j, true, line.made, line.x, w->room, &next);
	f->kernels->together(f->way.n, line.x[0], line.x[1], line.out[0]);
}

/* Half of the complex numbers of a real line, one behind the other. */
static bool is_half(const struct fourier *f, const struct fourier_side *s)
{
	return s->parts == 2 && s->first == 0 && s->count == f->n / 2 + 1 && s->step == 1;
}

static bool reads_in_place(const struct fourier *f, const struct fourier_side *s)
{
	if (f->way.halves)
		return f->way.numbers == FOURIER_REAL_IN ? fourier_is_whole(f, s, 1) && s->step == 1 : is_half(f, s);
	return f->way.kind == FOURIER_SQUARE && fourier_is_whole(f, s, 2) && s->step == 1 && !s->ends_halved;
}

/* A part that is not wanted goes to planes of all lines. */
static bool writes_in_place(const struct fourier *f, const struct fourier_side *s)
{
	if (s->step != 1)
		return false;
	if (f->way.numbers == FOURIER_REAL_IN)
		return s->first == 0 && s->count == f->n / 2 + 1;
	return s->count == f->n && (f->way.numbers == FOURIER_COMPLEX || (f->way.halves && s->parts == 1));
}

void fourier_run_lines(const struct fourier *f, const struct fourier_job *j, const struct fourier_group *g, void *room)
{
	bool is_complex = f->way.numbers == FOURIER_COMPLEX;
	bool of_pairs = is_complex && fourier_is_whole(f, &j->x, 2) && is_of_pairs(f, &j->x);
	bool to_pairs = f->way.numbers != FOURIER_REAL_OUT && is_of_pairs(f, &j->out);
	struct fourier_moved from = {g->count, j->x.count, j->x.step, f->width, 1, g->x};
	struct fourier_moved to = {g->count, j->out.count, j->out.step, f->width, 1, g->out};
	struct way w = {
		.f = f, .j = j, .g = g, .reads = reads_in_place(f, &j->x), .writes = writes_in_place(f, &j->out)};
	char *rest = room;
	for (int p = 0; p < 2; p++) {
		w.brought[p] = fourier_cut(&rest, g->count * f->width * f->size);
		w.made[p] = fourier_cut(&rest, g->count * f->width * f->size);
		if (!w.reads && !of_pairs)
			fourier_bring(f, &j->x, p, &from, w.brought[p], fourier_numbers_in(f, &j->x),
				      g->count * f->width);
	}
	w.room = rest;
	for (int64_t l = 0; l < g->count; l++) {
		if (of_pairs)
			f->kernels->apart(f->n, fourier_behind(f, j->x.at[0], g->x[l]),
					  fourier_behind(f, w.brought[0], l * f->width),
					  fourier_behind(f, w.brought[1], l * f->width));
		(!f->way.halves ? complex_line : f->way.numbers == FOURIER_REAL_IN ? real_line : line_of_reals)(&w, l);
		if (to_pairs)
			f->kernels->together(j->out.count, fourier_behind(f, w.made[0], l * f->width + j->out.first),
					     fourier_behind(f, w.made[1], l * f->width + j->out.first),
					     fourier_behind(f, j->out.at[0], g->out[l]));
	}
	for (int p = 0; p < 2 && !to_pairs && !w.writes; p++)
		fourier_put(f, &j->out, p, &to, w.made[p]);
}
