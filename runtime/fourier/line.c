/* line.c — lines one by one: as matrices, so that all passes are in the first cache and memory sees a line twice
 * (Bailey, 1990); as convolutions with a chirp. */
#include "lines.h"

#include <string.h>

void fourier_line_as_square(const struct fourier *f, const struct fourier_planes *x, const struct fourier_planes *out,
			    double scale, void *room)
{
	const struct fourier_planes from[FOURIER_SIDE_BY_SIDE] = {*x, *x}, to[FOURIER_SIDE_BY_SIDE] = {*out, *out};
	f->kernels->square(&(struct fourier_square){.first = &f->first,
						    .second = &f->second,
						    .turned = &f->turned,
						    .count = 1,
						    .x = from,
						    .out = to,
						    .scale = scale,
						    .room = room});
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
	fourier_line_as_square(f, x, &y, 1, rest);
	f->kernels->multiply(length, &y, &f->filter, 1, &y);
	fourier_line_as_square(f, &turned_y, &turned_x, 1, rest);
	f->kernels->multiply(f->way.out, x, &f->chirp, scale, x);
	memcpy(out->re, x->re, (size_t)(f->way.out * f->size));
	memcpy(out->im, x->im, (size_t)(f->way.out * f->size));
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

/* What is asked for while a line before is transformed: line l, and where its transform goes, as far as no copies are
 * made of them. Columns of a matrix are read, and rows are written, in strides that processors do not foresee. Real
 * numbers are two halves of a line. Asking for lines side by side, which are short, costs more than it gains. */
static void line_ahead(const struct fourier *f, const struct fourier_job *j, const struct fourier_group *g, int64_t l,
		       bool reads, bool writes, struct fourier_ahead *ahead)
{
	ahead->planes = 0;
	ahead->at = 0;
	ahead->count = f->way.n * f->size / FOURIER_VECTOR + 1;
	ahead->lines = f->fetched;
	ahead->is_short = f->way.n * f->size <= FOURIER_SHORT;
	for (int p = 0; p < 2 && l < g->count; p++) {
		if (reads)
			add_ahead(f->way.numbers == FOURIER_REAL_IN
					  ? fourier_behind(f, j->x.at[0], g->x[l] + p * f->way.n)
					  : fourier_behind(f, fourier_part_of(&j->x, p), g->x[l]),
				  ahead);
		void *out = fourier_part_of(&j->out, f->way.numbers == FOURIER_REAL_OUT ? 0 : p);
		if (writes && out)
			add_ahead(fourier_behind(f, out,
						 g->out[l] + (f->way.numbers == FOURIER_REAL_OUT ? p * f->way.n : 0)),
				  ahead);
	}
}

/* A group on its way: two planes of a line each, for what is brought and for what is made. Where lines are not brought,
 * or made elsewhere, planes are those of all batches, which stay in the first cache. In a batch, lines are all
 * prepared, then all transformed, then all finished: what reads vectors across those that were just written waits for
 * these. */
struct way {
	const struct fourier *f;
	const struct fourier_job *j;
	const struct fourier_group *g;
	bool reads, writes; /* where the lines lie */
	bool repeats;       /* number n, which is number 0, is wanted of transforms */
	void *brought[2], *made[2], *out[2];
	int64_t batch; /* lines of one */
	struct fourier_mix mix;
	struct fourier_square square;
	struct fourier_planes from[FOURIER_LINES + FOURIER_SIDE_BY_SIDE], to[FOURIER_LINES + FOURIER_SIDE_BY_SIDE];
};

/* Part p of line l, which is number i of a batch. */
static inline void *brought_of(const struct way *w, int p, int64_t l, int64_t i)
{
	return fourier_behind(w->f, w->brought[p], (w->reads ? i : l) * w->f->width);
}

static inline void *from_of(const struct way *w, int p, int64_t l, int64_t i)
{
	return w->reads ? fourier_behind(w->f, w->j->x.at[p], w->g->x[l]) : brought_of(w, p, l, i);
}

static inline void *made_of(const struct way *w, int p, int64_t l, int64_t i)
{
	return fourier_behind(w->f, w->made[p], (w->writes ? i : l) * w->f->width);
}

/* A part that is not wanted goes to planes of all batches. */
static inline void *out_of(const struct way *w, int p, int64_t l, int64_t i)
{
	return w->writes && w->out[p] ? fourier_behind(w->f, w->out[p], w->g->out[l]) : made_of(w, p, l, i);
}

/* Addresses go by themselves: copies of pairs that were written one by one would wait for all that is written. */
static inline void set_planes(struct fourier_planes *p, bool positive, void *re, void *im)
{
	p->re = positive ? im : re;
	p->im = positive ? re : im;
	p->step = 1;
}

/* Lines l, l + 1 … side by side, from number i of a batch on. */
static void transform(struct way *w, int64_t l, int64_t i, int64_t count)
{
	const struct fourier *f = w->f;
	struct fourier_square *s = &w->square;
	struct fourier_ahead ahead;
	s->x = w->from + i;
	s->out = w->to + i;
	s->count = (int)count;
	if (f->way.kind == FOURIER_SQUARE) {
		if (f->together == 1) {
			line_ahead(f, w->j, w->g, l + w->batch, w->reads, w->writes, &ahead);
			s->ahead = ahead.planes ? &ahead : NULL;
		}
		if (count < f->together)
			set_planes(&w->from[i + 1], false, w->from[i].re, w->from[i].im);
		f->kernels->square(s);
		return;
	}
	int64_t length = f->way.rows * f->way.columns, lacks = length - f->way.in;
	memset(fourier_behind(f, s->x[0].re, f->way.in), 0, (size_t)(lacks * f->size));
	memset(fourier_behind(f, s->x[0].im, f->way.in), 0, (size_t)(lacks * f->size));
	convolve(f, &s->x[0], &s->out[0], w->j->scale, s->room);
}

static void prepare_complex(struct way *w, int64_t l, int64_t i)
{
	const struct fourier *f = w->f;
	void *re = from_of(w, 0, l, i), *im = from_of(w, 1, l, i);
	if (!w->reads && (f->way.numbers != FOURIER_COMPLEX || w->j->x.ends_halved)) {
		struct fourier_planes x = {re, im, 1};
		fourier_halve_ends(f, &w->j->x, &x, 1);
		if (f->way.numbers == FOURIER_REAL_OUT)
			fourier_fold(f, &x, fourier_numbers_in(f, &w->j->x), 1);
	}
	set_planes(&w->from[i], w->j->positive, re, im);
	set_planes(&w->to[i], w->j->positive, out_of(w, 0, l, i), out_of(w, 1, l, i));
}

static void finish_complex(struct way *w, int64_t l, int64_t i)
{
	const struct fourier *f = w->f;
	struct fourier_planes out = {out_of(w, 0, l, i), out_of(w, 1, l, i), 1};
	if (f->way.numbers == FOURIER_REAL_IN)
		fourier_unfold(f, &w->j->out, &out, 1);
	fourier_halve_ends(f, &w->j->out, &out, 1);
}

/* Real numbers are taken in pairs. */
static void prepare_reals(struct way *w, int64_t l, int64_t i)
{
	void *re = made_of(w, 0, l, i), *im = made_of(w, 1, l, i);
	w->f->kernels->apart(w->f->way.n, from_of(w, 0, l, i), re, im);
	set_planes(&w->from[i], false, re, im);
	set_planes(&w->to[i], false, brought_of(w, 0, l, i), brought_of(w, 1, l, i));
}

static void finish_of_reals(struct way *w, int64_t l, int64_t i)
{
	const struct fourier *f = w->f;
	struct fourier_planes out = {out_of(w, 0, l, i), out_of(w, 1, l, i), 1};
	f->kernels->mix_line(&w->mix, &w->to[i], &out);
	fourier_unfold(f, &w->j->out, &out, 1);
	fourier_halve_ends(f, &w->j->out, &out, 1);
}

/* Where the line lies: its ends, which vectors have mixed with what are no imaginary parts, once more. */
static void mix_in_place(const struct way *w, int64_t l, const struct fourier_planes *made)
{
	const struct fourier *f = w->f;
	const struct fourier_side *s = &w->j->x;
	struct fourier_planes x = {fourier_behind(f, s->at[0], w->g->x[l]), fourier_behind(f, s->at[1], w->g->x[l]), 1};
	f->kernels->mix_line(&w->mix, &x, made);
	if (f->size == sizeof(double)) {
		double by = s->ends_halved ? 0.5 : 1;
		double first = by * ((double *)x.re)[0], last = by * ((double *)x.re)[f->way.n];
		((double *)made->re)[0] = first + last;
		((double *)made->im)[0] = first - last;
	} else {
		float by = s->ends_halved ? 0.5F : 1;
		float first = by * ((float *)x.re)[0], last = by * ((float *)x.re)[f->way.n];
		((float *)made->re)[0] = first + last;
		((float *)made->im)[0] = first - last;
	}
}

static void prepare_to_reals(struct way *w, int64_t l, int64_t i)
{
	const struct fourier *f = w->f;
	struct fourier_planes x = {brought_of(w, 0, l, i), brought_of(w, 1, l, i), 1};
	struct fourier_planes made = {made_of(w, 0, l, i), made_of(w, 1, l, i), 1};
	if (w->reads) {
		mix_in_place(w, l, &made);
	} else {
		fourier_halve_ends(f, &w->j->x, &x, 1);
		fourier_fold(f, &x, fourier_numbers_in(f, &w->j->x), 1);
		f->kernels->mix_line(&w->mix, &x, &made);
	}
	set_planes(&w->from[i], true, made.re, made.im);
	set_planes(&w->to[i], true, x.re, x.im);
}

static void finish_reals(struct way *w, int64_t l, int64_t i)
{
	w->f->kernels->together(w->f->way.n, w->to[i].im, w->to[i].re, out_of(w, 0, l, i));
}

typedef void of_line(struct way *w, int64_t l, int64_t i);

/* Bytes that a batch takes in the first cache, about. */
enum { BATCH = 16384 };

static void run_batches(struct way *w, of_line *prepare, of_line *finish)
{
	const struct fourier *f = w->f;
	int64_t batch = f->way.halves ? BATCH / (4 * f->width * f->size) : f->together;
	if (batch > FOURIER_LINES)
		batch = FOURIER_LINES;
	w->batch = batch = batch < f->together ? f->together : batch - batch % f->together;
	for (int64_t l = 0; l < w->g->count; l += batch) {
		int64_t n = w->g->count - l < batch ? w->g->count - l : batch;
		for (int64_t i = 0; i < n; i++)
			prepare(w, l + i, i);
		for (int64_t i = 0; i < n; i += f->together)
			transform(w, l + i, i, n - i < f->together ? n - i : f->together);
		for (int64_t i = 0; i < n && w->repeats; i++) {
			memcpy(fourier_behind(f, w->to[i].re, f->way.n), w->to[i].re, (size_t)f->size);
			memcpy(fourier_behind(f, w->to[i].im, f->way.n), w->to[i].im, (size_t)f->size);
		}
		for (int64_t i = 0; i < n && finish; i++)
			finish(w, l + i, i);
	}
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
	struct way w;
	w.f = f;
	w.j = j;
	w.g = g;
	w.reads = reads_in_place(f, &j->x);
	w.writes = writes_in_place(f, &j->out);
	char *rest = room;
	w.square.first = &f->first;
	w.square.second = &f->second;
	w.square.turned = &f->turned;
	w.square.scale = j->scale;
	w.square.ahead = NULL;
	w.mix = fourier_mix_of(f, j->positive);
	w.repeats = f->way.halves && f->way.numbers == FOURIER_REAL_IN;
	for (int p = 0; p < 2; p++) {
		w.brought[p] = fourier_cut(&rest, g->count * f->width * f->size);
		w.made[p] = fourier_cut(&rest, g->count * f->width * f->size);
		w.out[p] = fourier_part_of(&j->out, p);
		if (!w.reads && !of_pairs)
			fourier_bring(f, &j->x, p, &from, w.brought[p], fourier_numbers_in(f, &j->x),
				      g->count * f->width);
	}
	w.square.room = rest;
	for (int64_t l = 0; l < g->count && of_pairs; l++)
		f->kernels->apart(f->n, fourier_behind(f, j->x.at[0], g->x[l]),
				  fourier_behind(f, w.brought[0], l * f->width),
				  fourier_behind(f, w.brought[1], l * f->width));
	if (!f->way.halves)
		run_batches(&w, prepare_complex,
			    f->way.numbers != FOURIER_COMPLEX || j->out.ends_halved ? finish_complex : NULL);
	else if (f->way.numbers == FOURIER_REAL_IN)
		run_batches(&w, prepare_reals, finish_of_reals);
	else
		run_batches(&w, prepare_to_reals, finish_reals);
	for (int64_t l = 0; l < g->count && to_pairs; l++)
		f->kernels->together(j->out.count, fourier_behind(f, w.made[0], l * f->width + j->out.first),
				     fourier_behind(f, w.made[1], l * f->width + j->out.first),
				     fourier_behind(f, j->out.at[0], g->out[l]));
	for (int p = 0; p < 2 && !to_pairs && !w.writes; p++)
		fourier_put(f, &j->out, p, &to, w.made[p]);
}
