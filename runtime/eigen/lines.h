/* lines.h — the kernels of a level. Included after a level's header of ../product/, and the name KERNELS_OF. */
typedef double T;
typedef int64_t INDEX;
#include "../factors_vectors.h"
typedef float H __attribute__((vector_size(VECTOR_BYTES / 2), aligned(sizeof(float)), may_alias));

static ALWAYS V only(I where, V x)
{
	return (V)((I)x & where);
}

/* Four rows at once, of which each number is read once, for its row and for its column; what is on the diagonal counts
 * once. */
enum { TOGETHER = 4, AHEAD = 32 /* numbers that are asked for in time */ };

static ALWAYS void add_rows(int rows, int64_t row, int64_t n, const double *a, int64_t step, const double *x, double *y)
{
	V s[TOGETHER], f[TOGETHER];
	const double *from = a + row * step;
	UNROLL
	for (int r = 0; r < rows; r++) {
		s[r] = all(0);
		f[r] = all(x[row + r]);
	}
	for (int64_t k = row / LANES * LANES; k < n; k += LANES) {
		V v = at(x + k), to = at(y + k);
		UNROLL
		for (int r = 0; r < rows; r++) {
			V e = at(from + r * step + k);
			__builtin_prefetch(from + r * step + k + AHEAD);
			s[r] = FMA_F64(e, v, s[r]);
			to = FMA_F64(e, f[r], to);
		}
		put(y + k, to);
	}
	UNROLL
	for (int r = 0; r < rows; r++)
		y[row + r] += SUM_F64(s[r]) - from[r * step + row + r] * x[row + r];
}

static void symmetric_times(int64_t first, int64_t n, const double *a, int64_t step, const double *x, double *y)
{
	for (int64_t k = first / EIGEN_LANES * EIGEN_LANES; k < n; k += LANES)
		put(y + k, all(0));
	int64_t i = first;
	for (; i % TOGETHER && i < n; i++)
		add_rows(1, i, n, a, step, x, y);
	for (; i + TOGETHER <= n; i += TOGETHER)
		add_rows(TOGETHER, i, n, a, step, x, y);
	for (; i < n; i++)
		add_rows(1, i, n, a, step, x, y);
}

static ALWAYS void dots_of(int rows, int64_t n, const double *a, int64_t step, const double *x, double *out)
{
	V s[TOGETHER];
	UNROLL
	for (int r = 0; r < rows; r++)
		s[r] = all(0);
	for (int64_t k = 0; k < n; k += LANES) {
		V v = at(x + k);
		UNROLL
		for (int r = 0; r < rows; r++)
			s[r] = FMA_F64(at(a + r * step + k), v, s[r]);
	}
	UNROLL
	for (int r = 0; r < rows; r++)
		out[r] = SUM_F64(s[r]);
}

static void dots(int64_t rows, int64_t n, const double *a, int64_t step, const double *x, double *out)
{
	int64_t r = 0;
	for (; r + TOGETHER <= rows; r += TOGETHER)
		dots_of(TOGETHER, n, a + r * step, step, x, out + r);
	for (; r < rows; r++)
		dots_of(1, n, a + r * step, step, x, out + r);
}

static ALWAYS void less_of(int rows, int64_t n, const double *a, int64_t step, const double *c, double *y)
{
	for (int64_t k = 0; k < n; k += LANES) {
		V v = at(y + k);
		UNROLL
		for (int r = 0; r < rows; r++)
			v = FMA_F64(all(-c[r]), at(a + r * step + k), v);
		put(y + k, v);
	}
}

static void less(int64_t rows, int64_t n, const double *a, int64_t step, const double *c, double *y)
{
	int64_t r = 0;
	for (; r + TOGETHER <= rows; r += TOGETHER)
		less_of(TOGETHER, n, a + r * step, step, c + r, y);
	for (; r < rows; r++)
		less_of(1, n, a + r * step, step, c + r, y);
}

static ALWAYS void turn_columns(int vectors, int64_t count, double *a, int64_t step, const double *c, const double *s)
{
	V upper[TOGETHER];
	UNROLL
	for (int v = 0; v < vectors; v++)
		upper[v] = at(a + count * step + v * LANES);
	for (int64_t i = count - 1; i >= 0; i--)
		UNROLL
	for (int v = 0; v < vectors; v++) {
		double *row = a + i * step + v * LANES;
		V x = at(row);
		put(row + step, FMA_F64(all(s[i]), x, all(c[i]) * upper[v]));
		upper[v] = FMA_F64(all(c[i]), x, -(all(s[i]) * upper[v]));
	}
	UNROLL
	for (int v = 0; v < vectors; v++)
		put(a + v * LANES, upper[v]);
}

static void turn(int64_t count, int64_t n, double *a, int64_t step, const double *c, const double *s)
{
	int64_t k = 0;
	for (; k + (TOGETHER - 1) * LANES < n; k += TOGETHER * LANES)
		turn_columns(TOGETHER, count, a + k, step, c, s);
	for (; k < n; k += LANES)
		turn_columns(1, count, a + k, step, c, s);
}

static ALWAYS V either(I where, V x, V y)
{
	return (V)(((I)x & where) | ((I)y & ~where));
}

static ALWAYS V absolute(V x)
{
	return (V)((I)x & ~(I)all(-0.0));
}

static ALWAYS bool is_none(I where)
{
	int64_t any = 0;
	for (int i = 0; i < LANES; i++)
		any |= where[i];
	return !any;
}

/* Of poles at d, which weigh weight, for each lane: sums of weight / (d - at) and of weight / (d - at)^2, where at =
 * origin + distance; of all, and of those below `at`. */
struct sums {
	V value, slope, below, slope_below;
};

static ALWAYS struct sums sums_of(int64_t n, const double *d, const double *weight, V origin, V distance)
{
	struct sums s = {all(0), all(0), all(0), all(0)};
	for (int64_t k = 0; k < n; k++) {
		V by = RECIPROCAL_F64((all(d[k]) - origin) - distance);
		I is_below = (I)(by < all(0));
		V t = all(weight[k]) * by, u = t * by;
		s.value += t;
		s.slope += u;
		s.below += only(is_below, t);
		s.slope_below += only(is_below, u);
	}
	return s;
}

/* Where c x^2 - a x + b is 0, nearest to 0; 0 where it has no such place. */
static ALWAYS V nearest(V a, V b, V c)
{
	V inside = a * a - all(4) * b * c;
	V root = SQRT_F64(only((I)(inside > all(0)), inside));
	V straight = (a - root) / (all(2) * c), turned = all(2) * b / (a + root);
	return either((I)(a > all(0)), turned, only((I)(c != all(0)), straight));
}

/* Between two bounds of one sign. */
static ALWAYS V middle(V low, V high)
{
	V x = absolute(low), y = absolute(high), near = either((I)(x < y), x, y), far = either((I)(x < y), y, x);
	V m = either((I)(near > all(0)), SQRT_F64(near) * SQRT_F64(far), far / all(64));
	return either((I)(low + high < all(0)), -m, m);
}

/* In each lane a root between two poles. A step goes to where a function with these two poles is 0 that has value and
 * slope of the true one, and what the nearer pole weighs there, or, in `others`, slopes of what is below and of what is
 * above (Li, 1993, LAPACK working note 89); which of them as long as it brings the value down. */
struct lanes {
	V pole[2], weight[2], origin, distance, low, high, before;
	I done, others;
};

static ALWAYS V step_of(const struct lanes *r, const struct sums *f)
{
	V x = (r->pole[0] - r->origin) - r->distance, y = (r->pole[1] - r->origin) - r->distance, gap = y - x;
	V by_slopes = f->value - x * f->slope_below - y * (f->slope - f->slope_below);
	V by_first = f->value - y * f->slope + gap * (r->weight[0] / (x * x));
	V by_second = f->value - x * f->slope - gap * (r->weight[1] / (y * y));
	V c = either(r->others, by_slopes, either((I)(r->origin == r->pole[0]), by_first, by_second));
	V step = nearest((x + y) * f->value - x * y * f->slope, x * y * f->value, c);
	return either((I)(f->value * step < all(0)), step, -f->value / f->slope);
}

static ALWAYS void go_on(struct lanes *r, const struct sums *f, V inverse)
{
	V rounding = all(EIGEN_ROUNDING * 8), size = inverse + (f->value - inverse) - all(2) * f->below;
	V value = absolute(f->value);
	r->done |= (I)(value <= rounding * size);
	r->low = either((I)(f->value < all(0)), r->distance, r->low);
	r->high = either((I)(f->value < all(0)), r->high, r->distance);
	r->others ^= (I)(value > all(0.1) * r->before);
	r->before = value;
	V next = r->distance + step_of(r, f);
	next = either((I)(next > r->low) & (I)(next < r->high), next, middle(r->low, r->high));
	I is_close = (I)(absolute(next - r->distance) <= all(EIGEN_CLOSE) * absolute(next));
	r->distance = either(r->done, r->distance, next);
	r->done |= is_close;
}

static void between(int64_t n, const double *d, const double *weight, double rho, int64_t count, const double *pole,
		    const double *of_pole, double *origin, double *distance)
{
	V inverse = all(1 / rho);
	for (int64_t i = 0; i < count; i += LANES) {
		struct lanes r = {.pole = {at(pole + i), at(pole + i + 1)},
				  .weight = {at(of_pole + i), at(of_pole + i + 1)},
				  .before = all(1e300)};
		for (int k = 0; k < LANES; k++)
			r.done[k] = i + k < count ? 0 : -1;
		V gap = r.pole[1] - r.pole[0], half = all(0.5) * gap, both = r.weight[0] + r.weight[1];
		struct sums f = sums_of(n, d, weight, r.pole[0], half);
		f.value += inverse;
		I is_left = (I)(f.value >= all(0));
		V c = f.value + (r.weight[0] - r.weight[1]) / half;
		r.origin = either(is_left, r.pole[0], r.pole[1]);
		r.low = either(is_left, all(0), -half);
		r.high = either(is_left, half, all(0));
		V start = nearest(either(is_left, both + c * gap, both - c * gap),
				  either(is_left, r.weight[0] * gap, -r.weight[1] * gap), c);
		r.distance = either((I)(start > r.low) & (I)(start < r.high), start, middle(r.low, r.high));
		for (int steps = 0; steps < EIGEN_STEPS && !is_none(~r.done); steps++) {
			f = sums_of(n, d, weight, r.origin, r.distance);
			f.value += inverse;
			go_on(&r, &f, inverse);
		}
		put(origin + i, r.origin);
		put(distance + i, r.distance);
	}
}

static void apart(int64_t n, const double *d, double origin, double distance, double *out)
{
	for (int64_t k = 0; k < n; k += LANES)
		put(out + k, (at(d + k) - all(origin)) - all(distance));
}

static ALWAYS V wide(const float *x)
{
	return __builtin_convertvector(*(const H *)x, V);
}

/* Rounded once: a cosine and a sine of f32 would make vectors longer or shorter by as much in each of many turns. */
static void turn_singles(int64_t n, float *x, float *y, double c, double s)
{
	V cosine = all(c), sine = all(s);
	for (int64_t k = 0; k < n; k += LANES) {
		V a = wide(x + k), b = wide(y + k);
		*(H *)(y + k) = __builtin_convertvector(sine * a + cosine * b, H);
		*(H *)(x + k) = __builtin_convertvector(cosine * a - sine * b, H);
	}
}

/* Roundings in turns and products add up along a vector. */
static void unit_singles(int64_t n, float *x)
{
	V sum = all(0);
	int64_t k = 0;
	for (; k + LANES <= n; k += LANES)
		sum = FMA_F64(wide(x + k), wide(x + k), sum);
	double square = SUM_F64(sum);
	for (; k < n; k++)
		square += (double)x[k] * (double)x[k];
	double by = 1 / __builtin_sqrt(square);
	for (k = 0; k + LANES <= n; k += LANES)
		*(H *)(x + k) = __builtin_convertvector(all(by) * wide(x + k), H);
	for (; k < n; k++)
		x[k] = (float)(by * (double)x[k]);
}

static void narrow(int64_t n, const double *x, float *out)
{
	for (int64_t k = 0; k < n; k += LANES)
		*(H *)(out + k) = __builtin_convertvector(at(x + k), H);
}

static double largest(int64_t n, const double *x)
{
	V most = all(0), wrong = all(0);
	for (int64_t k = 0; k < n; k += LANES) {
		V v = at(x + k);
		v = only((I)(v < all(0)), -v) + only((I)(v >= all(0)), v);
		most = only((I)(v > most), v) + only((I)(v <= most), most);
		wrong += all(0) * at(x + k);
	}
	double m = 0;
	for (int i = 0; i < LANES; i++)
		m = most[i] > m ? most[i] : m;
	return m + SUM_F64(wrong);
}

static void times(int64_t n, const double *x, double by, double more, double *out)
{
	for (int64_t k = 0; k < n; k += LANES)
		put(out + k, at(x + k) * all(by) * all(more));
}

/* Numerators and denominators of several rows are multiplied first: a division takes as long as many products, and no
 * factor is less than the square of a rounding error. */
static ALWAYS void weigh_rows(int rows, int64_t n, const double *apart_of, int64_t step, const double *d,
			      const double *of, double *product)
{
	for (int64_t k = 0; k < n; k += LANES) {
		V upper = all(1), lower = all(1);
		UNROLL
		for (int r = 0; r < rows; r++) {
			V by = at(d + k) - all(of[r]);
			I same = (I)(by == all(0));
			upper *= at(apart_of + r * step + k);
			lower *= only(~same, by) + only(same, all(1));
		}
		put(product + k, at(product + k) * (upper / lower));
	}
}

static void weigh(int64_t rows, int64_t n, const double *apart_of, int64_t step, const double *d, const double *of,
		  double *product)
{
	int64_t r = 0;
	for (; r + TOGETHER <= rows; r += TOGETHER)
		weigh_rows(TOGETHER, n, apart_of + r * step, step, d, of + r, product);
	for (; r < rows; r++)
		weigh_rows(1, n, apart_of + r * step, step, d, of + r, product);
}

static void vector(int64_t n, const double *z, double *x)
{
	V squares = all(0);
	for (int64_t k = 0; k < n; k += LANES) {
		V v = at(z + k) / at(x + k);
		put(x + k, v);
		squares += v * v;
	}
	V by = all(1 / __builtin_sqrt(SUM_F64(squares)));
	for (int64_t k = 0; k < n; k += LANES)
		put(x + k, at(x + k) * by);
}

const struct eigen_kernels KERNELS_OF = {symmetric_times, dots,  less,    turn,  turn_singles, unit_singles, narrow,
					 largest,         times, between, apart, weigh,        vector};
