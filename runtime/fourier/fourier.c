/* fourier.c — lines brought to the columns that kernels transform, and back: many short ones side by side; a long one
 * as a matrix, so that all of its passes are in the first cache and memory sees it twice (Bailey, 1990); one whose
 * length has a large prime factor as a convolution with a chirp. */
#include "fourier.h"

#include "kernels.h"

#include <math.h>
#include <string.h>

struct fourier {
	const struct fourier_kernels *kernels;
	product_transpose *transpose;
	int64_t n, size;
	struct fourier_way way;
	struct fourier_passes first, second; /* over rows of a matrix, over columns */
	struct fourier_planes turned;        /* e^(-2 pi i r c / (rows columns)), lines of whole vectors */
	struct fourier_planes chirp, filter;
};

static void *behind(const struct fourier *f, const void *p, int64_t elements)
{
	return (char *)(uintptr_t)p + elements * f->size;
}

static int64_t whole_vectors(const struct fourier *f, int64_t n)
{
	return (n + f->kernels->lanes - 1) / f->kernels->lanes * f->kernels->lanes;
}

/* ---- tables ---- */

static void put(const struct fourier *f, void *plane, int64_t i, double x)
{
	if (f->size == sizeof(double))
		((double *)plane)[i] = x;
	else
		((float *)plane)[i] = (float)x;
}

/* Of e^(-2 pi i k / n), 0 <= k < n: the angle is brought to an eighth of a turn by whole numbers. */
static void root_of(int64_t k, int64_t n, double *re, double *im)
{
	int64_t eighths = 8 * k / n;
	int64_t quarter = (eighths + 1) / 2; /* the next one, from which the angle is taken */
	double angle = 2 * 3.14159265358979323846 * ((double)(4 * k - quarter * n) / (4 * (double)n));
	double c = cos(angle), s = sin(angle);
	double cosine[] = {c, -s, -c, s}, sine[] = {s, c, -s, -c};
	*re = cosine[quarter % 4];
	*im = -sine[quarter % 4];
}

static struct fourier_planes planes_of(const struct fourier *f, int64_t elements, fourier_take *take, void *from)
{
	struct fourier_planes p = {.re = take(from, 2 * elements * f->size), .step = 1};
	p.im = behind(f, p.re, elements);
	return p;
}

/* Two of 4 rather than of 8 and 2. */
static int next_radix(int64_t n)
{
	static const int even[] = {8, 4, 2};
	for (int i = n == 16 || n == 4 ? 1 : 0; i < 3; i++)
		if (n % even[i] == 0)
			return even[i];
	for (int p = 3; p <= FOURIER_LARGEST; p += 2)
		if (n % p == 0)
			return p;
	return 0;
}

static struct fourier_passes passes_of(const struct fourier *f, int64_t n, fourier_take *take, void *from)
{
	struct fourier_passes p = {.n = n};
	void *root = take(from, 2 * n * f->size);
	for (int64_t k = 0; k < n; k++) {
		double re, im;
		root_of(k, n, &re, &im);
		put(f, root, 2 * k, re);
		put(f, root, 2 * k + 1, im);
	}
	p.root = root;
	for (int64_t rest = n; rest > 1; rest /= p.radix[p.count - 1])
		p.radix[p.count++] = next_radix(rest);
	for (int i = 0; i < p.count; i++)
		p.steps += n / p.radix[i];
	if (n == 1)
		p.radix[p.count++] = 1;
	return p;
}

static void make_turned(struct fourier *f, fourier_take *take, void *from)
{
	int64_t rows = f->way.rows, columns = f->way.columns, line = whole_vectors(f, columns);
	f->turned = planes_of(f, rows * line, take, from);
	f->turned.step = line;
	for (int64_t r = 0; r < rows; r++)
		for (int64_t c = 0; c < columns; c++) {
			double re, im;
			root_of(r * c, rows * columns, &re, &im);
			put(f, f->turned.re, r * line + c, re);
			put(f, f->turned.im, r * line + c, im);
		}
}

static void square(const struct fourier *f, const struct fourier_planes *x, const struct fourier_planes *out,
		   void *room, struct fourier_ahead *ahead);

/* e^(-pi i j^2 / n), and the transform of its conjugate, which goes on to both sides, over the length. */
static void make_chirp(struct fourier *f, fourier_take *take, void *from)
{
	int64_t n = f->n, length = f->way.rows * f->way.columns;
	f->chirp = planes_of(f, whole_vectors(f, n), take, from);
	f->filter = planes_of(f, length, take, from);
	struct fourier_planes around = planes_of(f, length, take, from);
	for (int64_t j = 0; j < n; j++) {
		double re, im;
		root_of(j * j % (2 * n), 2 * n, &re, &im);
		put(f, f->chirp.re, j, re);
		put(f, f->chirp.im, j, im);
		for (int side = 0; side < 2 && (side == 0 || j > 0); side++) {
			put(f, around.re, side ? length - j : j, re / (double)length);
			put(f, around.im, side ? length - j : j, -im / (double)length);
		}
	}
	square(f, &around, &f->filter, take(from, fourier_room(n, f->size)), NULL);
}

static const struct fourier_kernels *kernels_of(enum product_level level, int64_t size)
{
	static const struct fourier_kernels *const kernels[][2] = {
		[PRODUCT_BASE] = {&fourier_base_f32, &fourier_base_f64},
#ifdef __x86_64__
		[PRODUCT_AVX2] = {&fourier_avx2_f32, &fourier_avx2_f64},
		[PRODUCT_AVX512] = {&fourier_avx512_f32, &fourier_avx512_f64},
#endif
	};
	return kernels[product_vectors(level)][size == sizeof(double)];
}

struct fourier *fourier_new(enum product_level level, int64_t size, int64_t n, fourier_take *take, void *from)
{
	struct fourier *f = take(from, sizeof *f);
	f->kernels = kernels_of(level, size);
	f->transpose = product_transpose_of(level, size == sizeof(double) ? PRODUCT_F64 : PRODUCT_F32);
	f->n = n;
	f->size = size;
	f->way = fourier_way_of(n);
	f->first = passes_of(f, f->way.rows, take, from);
	if (f->way.kind == FOURIER_COLUMNS)
		return f;
	f->second = f->way.columns == f->way.rows ? f->first : passes_of(f, f->way.columns, take, from);
	make_turned(f, take, from);
	if (f->way.kind == FOURIER_CHIRP)
		make_chirp(f, take, from);
	return f;
}

/* ---- one line ---- */

/* Of a room from the front. */
static void *cut(char **room, int64_t bytes)
{
	void *p = *room;
	*room += (bytes + FOURIER_VECTOR - 1) / FOURIER_VECTOR * FOURIER_VECTOR;
	return p;
}

static struct fourier_planes cut_planes(const struct fourier *f, char **room, int64_t elements, int64_t step)
{
	struct fourier_planes p = {cut(room, elements * f->size), NULL, step};
	p.im = cut(room, elements * f->size);
	return p;
}

static struct fourier_planes planes_at(const struct fourier *f, const struct fourier_planes *p, int64_t elements)
{
	return (struct fourier_planes){behind(f, p->re, elements), behind(f, p->im, elements), p->step};
}

static void copy_rows(const struct fourier *f, int64_t rows, int64_t lanes, const struct fourier_planes *from,
		      const struct fourier_planes *to)
{
	for (int64_t i = 0; i < rows; i++) {
		struct fourier_planes a = planes_at(f, from, i * from->step), b = planes_at(f, to, i * to->step);
		memcpy(b.re, a.re, (size_t)(lanes * f->size));
		memcpy(b.im, a.im, (size_t)(lanes * f->size));
	}
}

/* A line of rows x columns numbers, one behind the other. Where the last columns are no whole vector, some are computed
 * twice; where all are less than one, they are copied. */
static void square(const struct fourier *f, const struct fourier_planes *x, const struct fourier_planes *out,
		   void *room, struct fourier_ahead *ahead)
{
	int64_t rows = f->way.rows, columns = f->way.columns, lanes = f->kernels->lanes;
	int64_t longest = rows > columns ? rows : columns;
	int64_t apart = rows + FOURIER_VECTOR / f->size; /* lest rows share sets of the cache */
	char *rest = room;
	struct fourier_planes middle = cut_planes(f, &rest, apart * columns, apart);
	struct fourier_planes narrow = cut_planes(f, &rest, longest * lanes, lanes);
	struct fourier_planes done = cut_planes(f, &rest, longest * lanes, lanes);
	struct fourier_planes source = {x->re, x->im, columns}, goal = {out->re, out->im, rows};
	for (int64_t c = 0; c < columns; c += lanes) {
		int64_t n = columns < lanes ? columns : lanes, column = c + n <= columns ? c : columns - n;
		struct fourier_planes from = planes_at(f, &source, column);
		struct fourier_planes turned = planes_at(f, &f->turned, column);
		if (n < lanes)
			copy_rows(f, rows, n, &from, &narrow);
		f->kernels->columns(&f->first, n < lanes ? &narrow : &from, &turned, &done, rest, ahead);
		f->transpose(rows, n, done.re, lanes, behind(f, middle.re, column * apart), apart);
		f->transpose(rows, n, done.im, lanes, behind(f, middle.im, column * apart), apart);
	}
	for (int64_t r = 0; r < rows; r += lanes) {
		int64_t n = rows < lanes ? rows : lanes, row = r + n <= rows ? r : rows - n;
		struct fourier_planes from = planes_at(f, &middle, row), to = planes_at(f, &goal, row);
		if (n < lanes)
			copy_rows(f, columns, n, &from, &narrow);
		f->kernels->columns(&f->second, n < lanes ? &narrow : &from, NULL, n < lanes ? &done : &to, rest,
				    ahead);
		if (n < lanes)
			copy_rows(f, columns, n, &done, &to);
	}
}

/* x is written over; it is as long as the convolution. */
static void convolve(const struct fourier *f, const struct fourier_planes *x, const struct fourier_planes *out,
		     void *room)
{
	int64_t n = f->n, length = f->way.rows * f->way.columns;
	char *rest = room;
	struct fourier_planes y = cut_planes(f, &rest, length, 1);
	struct fourier_planes turned_x = {x->im, x->re, 1}, turned_y = {y.im, y.re, 1};
	f->kernels->multiply(n, x, &f->chirp);
	square(f, x, &y, rest, NULL);
	f->kernels->multiply(length, &y, &f->filter);
	square(f, &turned_y, &turned_x, rest, NULL);
	f->kernels->multiply(n, x, &f->chirp);
	memcpy(out->re, x->re, (size_t)(n * f->size));
	memcpy(out->im, x->im, (size_t)(n * f->size));
}

/* ---- lines ---- */

/* Some lines of a job: where each begins, in elements. */
struct group {
	int64_t count, x[FOURIER_LINES], out[FOURIER_LINES];
};

/* How far lines are from each other where that is the same for all; -1: it is not. */
static int64_t spacing(int64_t count, const int64_t *begin)
{
	int64_t each = count > 1 ? begin[1] - begin[0] : 1;
	for (int64_t i = 1; i < count; i++)
		if (begin[i] - begin[0] != i * each)
			return -1;
	return each;
}

/* Number i of line l: from[begin[l] + i * step] and lines[l * line + i * apart], for i < count. */
struct moved {
	int64_t lines, count, step, line, apart;
	const int64_t *begin;
};

#define GATHER(T) \
	for (int64_t l = 0; l < m->lines; l++) \
		for (int64_t i = 0; i < m->count; i++) \
			((T *)to)[l * m->line + i * m->apart] = ((const T *)from)[m->begin[l] + i * m->step];
#define SCATTER(T) \
	for (int64_t l = 0; l < m->lines; l++) \
		for (int64_t i = 0; i < m->count; i++) \
			((T *)to)[m->begin[l] + i * m->step] = ((const T *)from)[l * m->line + i * m->apart];

static void gather(const struct fourier *f, const struct moved *m, const void *from, void *to)
{
	int64_t each = spacing(m->lines, m->begin);
	if (m->step == 1 && m->line == 1 && each >= 0)
		f->transpose(m->lines, m->count, behind(f, from, m->begin[0]), each, to, m->apart);
	else if (each == 1 && m->apart == 1)
		f->transpose(m->count, m->lines, behind(f, from, m->begin[0]), m->step, to, m->line);
	else if (f->size == sizeof(double))
		GATHER(double)
	else
		GATHER(float)
}

static void scatter(const struct fourier *f, const struct moved *m, const void *from, void *to)
{
	int64_t each = spacing(m->lines, m->begin);
	if (m->step == 1 && m->line == 1 && each >= 0)
		f->transpose(m->count, m->lines, from, m->apart, behind(f, to, m->begin[0]), each);
	else if (each == 1 && m->apart == 1)
		f->transpose(m->lines, m->count, from, m->line, behind(f, to, m->begin[0]), m->step);
	else if (f->size == sizeof(double))
		SCATTER(double)
	else
		SCATTER(float)
}

/* Part 0 or 1 of a side; NULL: it is not there. */
static void *part_of(const struct fourier_side *s, int part)
{
	bool is_there = part >= s->part && part < s->part + s->parts && s->count > 0;
	return is_there ? s->at[part - s->part] : NULL;
}

/* A plane of lines that lie `line` apart, numbers `apart`, brought there, zeros where there is nothing. */
static void bring(const struct fourier *f, const struct fourier_side *s, int part, const struct moved *m, void *to,
		  int64_t elements)
{
	void *from = part_of(s, part);
	if (!from || m->count < f->n || m->lines * m->count < elements)
		memset(to, 0, (size_t)(elements * f->size));
	if (from)
		gather(f, m, from, behind(f, to, s->first * m->apart));
}

/* Both parts, which change places on both sides for e^(+…). */
static struct fourier_planes planes_of_parts(const struct fourier_job *j, void *const part[2], int64_t step)
{
	return (struct fourier_planes){part[j->positive], part[!j->positive], step};
}

static bool is_whole(const struct fourier *f, const struct fourier_side *s)
{
	return s->parts == 2 && s->count == f->n;
}

/* Whether numbers, and lines as well, lie as columns do. */
static bool lies_in_columns(const struct fourier *f, const struct fourier_side *s, int64_t count, const int64_t *begin)
{
	return is_whole(f, s) && count == f->kernels->lanes && spacing(count, begin) == 1;
}

static void run_columns(const struct fourier *f, const struct fourier_job *j, const struct group *g, void *room)
{
	int64_t n = f->n, lanes = f->kernels->lanes;
	struct moved from = {g->count, j->x.count, j->x.step, 1, lanes, g->x};
	struct moved to = {g->count, j->out.count, j->out.step, 1, lanes, g->out};
	bool reads = lies_in_columns(f, &j->x, g->count, g->x);
	bool writes = lies_in_columns(f, &j->out, g->count, g->out);
	char *rest = room;
	void *x[2], *out[2];
	for (int p = 0; p < 2; p++) {
		void *plane = cut(&rest, n * lanes * f->size), *made = cut(&rest, n * lanes * f->size);
		x[p] = reads ? behind(f, part_of(&j->x, p), g->x[0]) : plane;
		out[p] = writes ? behind(f, part_of(&j->out, p), g->out[0]) : made;
		if (!reads)
			bring(f, &j->x, p, &from, plane, n * lanes);
	}
	struct fourier_planes a = planes_of_parts(j, x, reads ? j->x.step : lanes);
	struct fourier_planes b = planes_of_parts(j, out, writes ? j->out.step : lanes);
	f->kernels->columns(&f->first, &a, NULL, &b, rest, NULL);
	for (int p = 0; p < 2; p++)
		if (!writes && part_of(&j->out, p))
			scatter(f, &to, behind(f, out[p], j->out.first * lanes), part_of(&j->out, p));
}

/* Whether both parts of each number stand side by side. */
static bool is_of_pairs(const struct fourier *f, const struct fourier_side *s)
{
	return s->parts == 2 && s->step == 2 && s->at[1] == behind(f, s->at[0], 1);
}

/* Adds the planes of a line, which begins so many elements behind those of its side. */
static void add_ahead(const struct fourier *f, const struct fourier_side *s, int64_t begin, struct fourier_ahead *ahead)
{
	for (int p = 0; p < 2; p++)
		ahead->plane[ahead->planes++] = behind(f, part_of(s, p), begin);
}

/* What is asked for while line l - 1 is transformed: line l, and where its transform goes, as far as no copies are made
 * of them. Columns of a matrix are read, and rows are written, in strides that processors do not foresee. */
static struct fourier_ahead line_ahead(const struct fourier *f, const struct fourier_job *j, const struct group *g,
				       int64_t l, bool reads, bool writes)
{
	int64_t lanes = f->kernels->lanes, bytes = f->n * f->size;
	int64_t steps = (f->way.columns + lanes - 1) / lanes * f->first.steps +
			(f->way.rows + lanes - 1) / lanes * f->second.steps;
	struct fourier_ahead ahead = {.bytes = bytes, .lines = (bytes / FOURIER_VECTOR + steps - 1) / steps};
	if (reads && l < g->count)
		add_ahead(f, &j->x, g->x[l], &ahead);
	if (writes && l < g->count)
		add_ahead(f, &j->out, g->out[l], &ahead);
	return ahead;
}

/* Lines one by one: brought together first where they do not lie as they are read. */
static void run_lines(const struct fourier *f, const struct fourier_job *j, const struct group *g, void *room)
{
	int64_t n = f->n, line = f->way.rows * f->way.columns;
	bool is_square = f->way.kind == FOURIER_SQUARE;
	bool reads = is_square && is_whole(f, &j->x) && j->x.step == 1;
	bool writes = is_whole(f, &j->out) && j->out.step == 1;
	bool of_pairs = is_square && is_whole(f, &j->x) && is_of_pairs(f, &j->x);
	struct moved from = {g->count, j->x.count, j->x.step, line, 1, g->x};
	struct moved to = {g->count, j->out.count, j->out.step, n, 1, g->out};
	char *rest = room;
	void *brought[2], *made[2], *x[2], *out[2];
	for (int p = 0; p < 2; p++) {
		brought[p] = cut(&rest, g->count * line * f->size);
		made[p] = cut(&rest, g->count * n * f->size);
		if (!reads && !of_pairs)
			bring(f, &j->x, p, &from, brought[p], g->count * line);
	}
	for (int64_t l = 0; l < g->count && of_pairs; l++)
		f->kernels->apart(n, behind(f, j->x.at[0], g->x[l]), behind(f, brought[0], l * line),
				  behind(f, brought[1], l * line));
	for (int64_t l = 0; l < g->count; l++) {
		for (int p = 0; p < 2; p++) {
			x[p] = reads ? behind(f, part_of(&j->x, p), g->x[l]) : behind(f, brought[p], l * line);
			out[p] = writes ? behind(f, part_of(&j->out, p), g->out[l]) : behind(f, made[p], l * n);
		}
		struct fourier_planes a = planes_of_parts(j, x, 1), b = planes_of_parts(j, out, 1);
		struct fourier_ahead next = line_ahead(f, j, g, l + 1, reads, writes);
		if (is_square)
			square(f, &a, &b, rest, next.planes ? &next : NULL);
		else
			convolve(f, &a, &b, rest);
	}
	bool to_pairs = is_of_pairs(f, &j->out);
	for (int64_t l = 0; l < g->count && to_pairs; l++)
		f->kernels->together(j->out.count, behind(f, made[0], l * n + j->out.first),
				     behind(f, made[1], l * n + j->out.first), behind(f, j->out.at[0], g->out[l]));
	for (int p = 0; p < 2 && !to_pairs; p++)
		if (!writes && part_of(&j->out, p))
			scatter(f, &to, behind(f, made[p], j->out.first), part_of(&j->out, p));
}

void fourier_run(const struct fourier *f, const struct fourier_job *j, void *room)
{
	int64_t turn[FOURIER_LOOPS] = {0}, x = 0, out = 0;
	bool is_columns = f->way.kind == FOURIER_COLUMNS;
	int64_t most = is_columns ? f->kernels->lanes : fourier_lines(f->way.rows * f->way.columns), i = 0;
	struct group g = {0};
	for (i = 0; i < j->nloops; i++)
		if (j->loops[i * FOURIER_LOOP_WORDS + FOURIER_LOOP_EXTENT] == 0)
			return;
	do {
		g.x[g.count] = x;
		g.out[g.count++] = out;
		for (i = j->nloops - 1; i >= 0; i--) {
			const int64_t *loop = j->loops + i * FOURIER_LOOP_WORDS;
			x += loop[FOURIER_LOOP_X];
			out += loop[FOURIER_LOOP_OUT];
			if (++turn[i] < loop[FOURIER_LOOP_EXTENT])
				break;
			x -= turn[i] * loop[FOURIER_LOOP_X];
			out -= turn[i] * loop[FOURIER_LOOP_OUT];
			turn[i] = 0;
		}
		if (g.count == most || i < 0) {
			(is_columns ? run_columns : run_lines)(f, j, &g, room);
			g.count = 0;
		}
	} while (i >= 0);
}
