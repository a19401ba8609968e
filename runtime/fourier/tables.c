/* tables.c — what transforms of n numbers take beside their lines, made at the start. */
#include "lines.h"

#include <math.h>

static int64_t whole_vectors(const struct fourier *f, int64_t n)
{
	return (n + f->kernels->lanes - 1) / f->kernels->lanes * f->kernels->lanes;
}

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
	p.im = fourier_behind(f, p.re, elements);
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

static void *make_between(const struct fourier *f, const struct fourier_passes *p, fourier_take *take, void *from)
{
	void *between = take(from, 2 * (p->radix[0] - 1) * (p->radix[1] - 1) * f->size);
	int64_t i = 0;
	for (int64_t q = 1; q < p->radix[1]; q++)
		for (int64_t t = 1; t < p->radix[0]; t++, i += 2) {
			double re, im;
			root_of(q * t, p->n, &re, &im);
			put(f, between, i, re);
			put(f, between, i + 1, im);
		}
	return between;
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
	if (p.count == 2)
		p.between = make_between(f, &p, take, from);
	return p;
}

static void make_turned(struct fourier *f, fourier_take *take, void *from)
{
	int64_t rows = f->way.rows, columns = f->way.columns, line = whole_vectors(f, columns);
	f->turned = planes_of(f, rows * line, take, from);
	f->turned.step = line;
	for (int64_t r = 0; r < rows; r++)
		for (int64_t c = 0; c < line; c++) {
			double re, im;
			root_of(r * (c % columns), rows * columns, &re, &im);
			put(f, f->turned.re, r * line + c, re);
			put(f, f->turned.im, r * line + c, im);
		}
}

/* e^(-pi i j^2 / n), and the transform of its conjugate, over the length, on which it goes as far as numbers that are
 * made lie behind those that are taken, and from its end as far as they lie before them. */
static void make_chirp(struct fourier *f, fourier_take *take, void *from)
{
	int64_t n = f->way.n, length = f->way.rows * f->way.columns;
	f->chirp = planes_of(f, whole_vectors(f, n), take, from);
	f->filter = planes_of(f, length, take, from);
	struct fourier_planes around = planes_of(f, length, take, from);
	for (int64_t j = 0; j < n; j++) {
		double re, im;
		root_of(j * j % (2 * n), 2 * n, &re, &im);
		put(f, f->chirp.re, j, re);
		put(f, f->chirp.im, j, im);
		for (int side = 0; side < 2; side++) {
			if (side ? j == 0 || j >= f->way.in : j >= f->way.out)
				continue;
			put(f, around.re, side ? length - j : j, re / (double)length);
			put(f, around.im, side ? length - j : j, -im / (double)length);
		}
	}
	fourier_line_as_square(f, &around, &f->filter, 1, take(from, fourier_room(f->n, f->way.numbers, f->size)));
}

/* Roots of 2 h real numbers, halved, for numbers 0 to h: exactly as far from either end. */
static void make_root(struct fourier *f, fourier_take *take, void *from)
{
	int64_t h = f->way.n;
	double sign = f->way.numbers == FOURIER_REAL_IN ? 0.5 : -0.5;
	f->root = planes_of(f, whole_vectors(f, h + 1), take, from);
	for (int64_t k = 0; 2 * k <= h; k++) {
		double re, im;
		root_of(k, 2 * h, &re, &im);
		put(f, f->root.re, h - k, -sign * re);
		put(f, f->root.im, h - k, 0.5 * im);
		put(f, f->root.re, k, sign * re);
		put(f, f->root.im, k, 0.5 * im);
	}
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

/* As many as bring the next line while one is transformed. */
static int64_t fetched_by_step(const struct fourier *f)
{
	int64_t vectors = whole_vectors(f, f->way.columns) / f->kernels->lanes * f->first.steps +
			  whole_vectors(f, f->way.rows) / f->kernels->lanes * f->second.steps;
	return (f->way.n * f->size / FOURIER_VECTOR + vectors - 1) / vectors;
}

struct fourier *fourier_new(enum product_level level, int64_t size, int64_t n, enum fourier_numbers numbers,
			    fourier_take *take, void *from)
{
	struct fourier *f = take(from, sizeof *f);
	f->kernels = kernels_of(level, size);
	f->transpose = product_transpose_of(level, size == sizeof(double) ? PRODUCT_F64 : PRODUCT_F32);
	f->n = n;
	f->size = size;
	f->way = fourier_way_of(n, numbers);
	f->width = fourier_width(n, &f->way);
	f->first = passes_of(f, f->way.rows, take, from);
	if (f->way.halves)
		make_root(f, take, from);
	if (f->way.kind == FOURIER_COLUMNS)
		return f;
	f->second = f->way.columns == f->way.rows ? f->first : passes_of(f, f->way.columns, take, from);
	f->together = f->way.kind != FOURIER_SQUARE
			      ? 1
			      : fourier_lines_in_square(f->way.rows, f->way.columns, f->kernels->lanes);
	f->fetched = fetched_by_step(f);
	fourier_set_costs(f);
	make_turned(f, take, from);
	if (f->way.kind == FOURIER_CHIRP)
		make_chirp(f, take, from);
	return f;
}
