/* columns.h — transforms of columns: each number is a vector, whose lanes are of different transforms, so nothing is
 * ever shuffled. Passes of Stockham (Cochran et al., 1967): one of radix r over n = r m numbers that stand s apart
 * takes r of them that are m apart, and leaves r that are neighbours; behind the last one numbers are in order.
 * Included after a level's header of ../product/, T and FMA of the type. */
#include <string.h>

typedef T V __attribute__((vector_size(VECTOR_BYTES)));
typedef T MEMORY __attribute__((vector_size(VECTOR_BYTES), aligned(sizeof(T)), may_alias));
enum { LANES = VECTOR_BYTES / sizeof(T) };

#define PASTE(x, y)  PASTED(x, y)
#define PASTED(x, y) x##y

#define ALWAYS inline __attribute__((always_inline))
#define UNROLL _Pragma("GCC unroll 8")

struct complex {
	V re, im;
};

static ALWAYS V all(T x)
{
	return x - (V){0};
}

static ALWAYS struct complex add(struct complex x, struct complex y)
{
	return (struct complex){x.re + y.re, x.im + y.im};
}

static ALWAYS struct complex sub(struct complex x, struct complex y)
{
	return (struct complex){x.re - y.re, x.im - y.im};
}

/* x - i y, x + i y. */
static ALWAYS struct complex sub_i(struct complex x, struct complex y)
{
	return (struct complex){x.re + y.im, x.im - y.re};
}

static ALWAYS struct complex add_i(struct complex x, struct complex y)
{
	return (struct complex){x.re - y.im, x.im + y.re};
}

static ALWAYS struct complex times(struct complex x, V re, V im)
{
	return (struct complex){FMA(x.re, re, -(x.im * im)), FMA(x.re, im, x.im * re)};
}

/* x + f y. */
static ALWAYS struct complex add_times(struct complex x, V f, struct complex y)
{
	return (struct complex){FMA(f, y.re, x.re), FMA(f, y.im, x.im)};
}

static ALWAYS void of_2(struct complex *x)
{
	struct complex y = x[0];
	x[0] = add(y, x[1]);
	x[1] = sub(y, x[1]);
}

static ALWAYS void of_4(struct complex *x0, struct complex *x1, struct complex *x2, struct complex *x3)
{
	struct complex a = add(*x0, *x2), b = sub(*x0, *x2), c = add(*x1, *x3), d = sub(*x1, *x3);
	*x0 = add(a, c);
	*x1 = sub_i(b, d);
	*x2 = sub(a, c);
	*x3 = add_i(b, d);
}

static ALWAYS void of_8(struct complex *x)
{
	V h = all((T)0.70710678118654752440);
	of_4(&x[0], &x[2], &x[4], &x[6]);
	of_4(&x[1], &x[3], &x[5], &x[7]);
	struct complex e[4] = {x[0], x[2], x[4], x[6]}, o0 = x[1], o2 = x[5];
	struct complex o1 = {x[3].re + x[3].im, x[3].im - x[3].re}, o3 = {x[7].im - x[7].re, x[7].re + x[7].im};
	x[0] = add(e[0], o0);
	x[4] = sub(e[0], o0);
	x[1] = add_times(e[1], h, o1);
	x[5] = add_times(e[1], -h, o1);
	x[2] = sub_i(e[2], o2);
	x[6] = add_i(e[2], o2);
	x[3] = (struct complex){FMA(h, o3.re, e[3].re), FMA(-h, o3.im, e[3].im)};
	x[7] = (struct complex){FMA(-h, o3.re, e[3].re), FMA(h, o3.im, e[3].im)};
}

/* An odd number r of them: those that are as far from either end have the same cosines and opposite sines. root: of
 * which every `apart` is one of r. */
static ALWAYS void of_odd(struct complex *x, int r, const T *root, int64_t apart)
{
	struct complex y[FOURIER_LARGEST];
	y[0] = x[0];
	UNROLL
	for (int j = 1; 2 * j < r; j++) {
		struct complex sum = add(x[j], x[r - j]), difference = sub(x[j], x[r - j]);
		x[j] = sum;
		x[r - j] = difference;
		y[0] = add(y[0], sum);
	}
	UNROLL
	for (int k = 1; 2 * k < r; k++) {
		struct complex even = x[0], odd = {{0}, {0}};
		UNROLL
		for (int j = 1; 2 * j < r; j++) {
			const T *w = root + 2 * apart * (j * k % r);
			even = add_times(even, all(w[0]), x[j]);
			odd = add_times(odd, all(-w[1]), x[r - j]);
		}
		y[k] = sub_i(even, odd);
		y[r - k] = add_i(even, odd);
	}
	UNROLL
	for (int k = 0; k < r; k++)
		x[k] = y[k];
}

static ALWAYS void butterfly(struct complex *x, int r, const struct fourier_passes *f)
{
	if (r == 8)
		of_8(x);
	else if (r == 4)
		of_4(&x[0], &x[1], &x[2], &x[3]);
	else if (r == 2)
		of_2(x);
	else
		of_odd(x, r, f->root, f->n / r);
}

struct pass {
	const struct fourier_passes *f;
	int64_t m, s;
	const struct fourier_planes *x, *out;
	const struct fourier_last *last;
	struct fourier_ahead *ahead;
};

/* What a pass does with its numbers behind the butterflies: nothing, turns between passes, or what is last. */
enum turn { TURN_NOT, TURN_BETWEEN, TURN_LAST, TURN_SCALED, TURN_EACH, TURN_ALIKE };

static ALWAYS void fetch(struct fourier_ahead *a)
{
	int64_t end = a->at + a->lines < a->count ? a->at + a->lines : a->count;
	for (; a->at < end; a->at++)
		for (int i = 0; i < a->planes; i++) {
			const char *line = a->plane[i] + a->at * a->apart[i];
			if (a->is_short)
				__builtin_prefetch(line, 0, 3);
			else
				__builtin_prefetch(line, 0, 2);
		}
}

/* Numbers that are `apart` bytes from each other. Compilers would keep the address of each in a register throughout a
 * loop, for which there are not enough: they are not told what it is made of. */
struct row {
	char *re, *im;
	int64_t apart, three;
};

static ALWAYS struct row row_of(const struct fourier_planes *p, int64_t begin, int64_t apart)
{
	char *re = p->re, *im = p->im;
	__asm__("" : "+r"(re), "+r"(im));
	struct row r = {re + begin * p->step * (int64_t)sizeof(T), im + begin * p->step * (int64_t)sizeof(T),
			apart * p->step * (int64_t)sizeof(T), 0};
	__asm__("" : "+r"(r.re), "+r"(r.im), "+r"(r.apart));
	r.three = 3 * r.apart;
	return r;
}

static ALWAYS int64_t distance(const struct row *r, int t)
{
	switch (t) {
	case 3:
		return r->three;
	case 5:
		return 2 * r->apart + r->three;
	case 6:
		return 2 * r->three;
	case 7:
		return 4 * r->apart + r->three;
	default:
		return t * r->apart;
	}
}

static ALWAYS MEMORY *re(const struct row *r, int t)
{
	return (MEMORY *)(r->re + distance(r, t));
}

static ALWAYS MEMORY *im(const struct row *r, int t)
{
	return (MEMORY *)(r->im + distance(r, t));
}

/* One butterfly, for number p of m and q of s. Sums of zeros of either sign are 0, as those that begin with 0: all
 * results of the last pass are sums with its first number. */
static ALWAYS void step(const struct pass *a, int r, int64_t p, int64_t q, enum turn turn)
{
	struct complex x[FOURIER_LARGEST];
	if (a->ahead)
		fetch(a->ahead);
	struct row from = row_of(a->x, q + a->s * p, a->s * a->m), to = row_of(a->out, q + a->s * r * p, a->s);
	UNROLL
	for (int t = 0; t < r; t++)
		x[t] = (struct complex){*re(&from, t), *im(&from, t)};
	if (turn == TURN_LAST)
		x[0] = (struct complex){x[0].re + (T)0, x[0].im + (T)0};
	butterfly(x, r, a->f);
	if (turn == TURN_BETWEEN) {
		const T *w = a->f->root;
		int64_t next = 2 * a->s * p;
		UNROLL
		for (int t = 1; t < r; t++) {
			w += next;
			x[t] = times(x[t], all(w[0]), all(w[1]));
		}
	}
	if (turn == TURN_EACH || turn == TURN_ALIKE) {
		struct row by = row_of(a->last->turned, q + a->s * r * p, a->s);
		UNROLL
		for (int t = 0; t < r; t++)
			x[t] = turn == TURN_EACH
				       ? times(x[t], *re(&by, t), *im(&by, t))
				       : times(x[t], all(*(const T *)re(&by, t)), all(*(const T *)im(&by, t)));
	}
	if (turn == TURN_SCALED) {
		V scale = all((T)a->last->scale);
		UNROLL
		for (int t = 0; t < r; t++)
			x[t] = (struct complex){FMA(x[t].re, scale, all(0)), FMA(x[t].im, scale, all(0))};
	}
	UNROLL
	for (int t = 0; t < r; t++) {
		*re(&to, t) = x[t].re;
		*im(&to, t) = x[t].im;
	}
}

static enum turn turn_of(const struct fourier_last *last)
{
	return !last->turned ? (last->scale == 1 ? TURN_LAST : TURN_SCALED) : last->alike ? TURN_ALIKE : TURN_EACH;
}

static ALWAYS void last_pass_of(const struct pass *a, int r, enum turn turn)
{
	for (int64_t q = 0; q < a->s; q++)
		step(a, r, 0, q, turn);
}

static ALWAYS void pass_of(const struct pass *given, int r)
{
	const struct pass a = *given;
	if (a.m == 1)
		switch (turn_of(a.last)) {
		case TURN_LAST:
			last_pass_of(&a, r, TURN_LAST);
			break;
		case TURN_SCALED:
			last_pass_of(&a, r, TURN_SCALED);
			break;
		case TURN_EACH:
			last_pass_of(&a, r, TURN_EACH);
			break;
		default:
			last_pass_of(&a, r, TURN_ALIKE);
		}
	else
		for (int64_t q = 0; q < a.s; q++)
			step(&a, r, 0, q, TURN_NOT);
	for (int64_t p = 1; p < a.m; p++)
		for (int64_t q = 0; q < a.s; q++)
			step(&a, r, p, q, TURN_BETWEEN);
}

static void pass(const struct pass *a, int r)
{
	switch (r) {
	case 2:
		pass_of(a, 2);
		break;
	case 3:
		pass_of(a, 3);
		break;
	case 4:
		pass_of(a, 4);
		break;
	case 5:
		pass_of(a, 5);
		break;
	case 7:
		pass_of(a, 7);
		break;
	case 8:
		pass_of(a, 8);
		break;
	default:
		pass_of(a, r);
		break;
	}
}

#include "fixed.h"

static void columns(const struct fourier_passes *f, const struct fourier_planes *x, const struct fourier_last *last,
		    const struct fourier_planes *out, void *room, struct fourier_ahead *ahead)
{
	T *plane = room;
	struct fourier_planes between[2];
	for (int i = 0; i < 2; i++, plane += 2 * f->n * LANES)
		between[i] = (struct fourier_planes){plane, plane + f->n * LANES, LANES};
	struct pass a = {.f = f, .m = f->n, .s = 1, .x = x, .out = out, .last = last, .ahead = ahead};
	switch (f->n) {
		FIXED_SIZES(FIXED_CASE)
	default:
		break;
	}
	for (int i = 0; i < f->count; i++) {
		a.m /= f->radix[i];
		a.out = i == f->count - 1 ? out : &between[i % 2];
		pass(&a, f->radix[i]);
		a.s *= f->radix[i];
		a.x = a.out;
	}
}

#include "numbers.h"
#include "squares.h"

const struct fourier_kernels KERNELS(FOURIER_TYPE) = {.size = sizeof(T),
						      .lanes = LANES,
						      .columns = columns,
						      .square = square,
						      .multiply = multiply,
						      .multiply_lanes = multiply_lanes,
						      .mix_lanes = mix_lanes,
						      .mix_line = mix_line,
						      .apart = apart,
						      .together = together,
						      .across = across,
						      .along = along};
