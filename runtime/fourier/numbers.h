/* numbers.h — what is done with numbers beside transforms, in the vectors of columns.h, which includes it. */

/* As the last pass leaves them. */
static ALWAYS struct complex product(struct complex x, V re, V im, V scale)
{
	struct complex z = times(x, re, im);
	return (struct complex){FMA(z.re, scale, all(0)), FMA(z.im, scale, all(0))};
}

static ALWAYS MEMORY *vector(void *p, int64_t i)
{
	return (MEMORY *)((T *)p + i);
}

static void multiply(int64_t n, const struct fourier_planes *x, const struct fourier_planes *y, double scale,
		     const struct fourier_planes *out)
{
	for (int64_t i = 0; i < n; i += LANES) {
		struct complex z = product((struct complex){*vector(x->re, i), *vector(x->im, i)}, *vector(y->re, i),
					   *vector(y->im, i), all((T)scale));
		*vector(out->re, i) = z.re;
		*vector(out->im, i) = z.im;
	}
}

static void multiply_lanes(int64_t n, const struct fourier_planes *x, const struct fourier_planes *y, double scale,
			   const struct fourier_planes *out)
{
	for (int64_t i = 0; i < n; i++) {
		struct complex z = product((struct complex){*vector(x->re, i * x->step), *vector(x->im, i * x->step)},
					   all(((const T *)y->re)[i]), all(((const T *)y->im)[i]), all((T)scale));
		*vector(out->re, i * out->step) = z.re;
		*vector(out->im, i * out->step) = z.im;
	}
}

/* Of two vectors of so many lanes: what is at even places and at odd ones, what stands in front when they are merged,
 * and behind; the first from its end. */
#define PAIRS_OF_2(X) X(EVEN, 0, 2) X(ODD, 1, 3) X(FRONT, 0, 2) X(BACK, 1, 3) X(TURNED, 1, 0)
#define PAIRS_OF_4(X) \
	X(EVEN, 0, 2, 4, 6) X(ODD, 1, 3, 5, 7) X(FRONT, 0, 4, 1, 5) X(BACK, 2, 6, 3, 7) X(TURNED, 3, 2, 1, 0)
#define PAIRS_OF_8(X) \
	X(EVEN, 0, 2, 4, 6, 8, 10, 12, 14) \
	X(ODD, 1, 3, 5, 7, 9, 11, 13, 15) \
	X(FRONT, 0, 8, 1, 9, 2, 10, 3, 11) \
	X(BACK, 4, 12, 5, 13, 6, 14, 7, 15) \
	X(TURNED, 7, 6, 5, 4, 3, 2, 1, 0)
#define PAIRS_OF_16(X) \
	X(EVEN, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30) \
	X(ODD, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31) \
	X(FRONT, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23) \
	X(BACK, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31) \
	X(TURNED, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define MERGED(name, ...) \
	static ALWAYS V merged_##name(V x, V y) \
	{ \
		return __builtin_shufflevector(x, y, __VA_ARGS__); \
	}
PASTE(PAIRS_OF_, WIDTH)
(MERGED)

	static void apart(int64_t n, const void *pairs, void *re, void *im)
{
	const T *from = pairs;
	T *even = re, *odd = im;
	int64_t i = 0;
	for (; i + LANES <= n; i += LANES) {
		V x = *(const MEMORY *)(from + 2 * i), y = *(const MEMORY *)(from + 2 * i + LANES);
		*(MEMORY *)(even + i) = merged_EVEN(x, y);
		*(MEMORY *)(odd + i) = merged_ODD(x, y);
	}
	for (; i < n; i++) {
		even[i] = from[2 * i];
		odd[i] = from[2 * i + 1];
	}
}

static void together(int64_t n, const void *re, const void *im, void *pairs)
{
	const T *even = re, *odd = im;
	T *to = pairs;
	int64_t i = 0;
	for (; i + LANES <= n; i += LANES) {
		V x = *(const MEMORY *)(even + i), y = *(const MEMORY *)(odd + i);
		*(MEMORY *)(to + 2 * i) = merged_FRONT(x, y);
		*(MEMORY *)(to + 2 * i + LANES) = merged_BACK(x, y);
	}
	for (; i < n; i++) {
		to[2 * i] = even[i];
		to[2 * i + 1] = odd[i];
	}
}

/* What number k becomes, of numbers k and h - k: half of `even`, and `turned`. */
struct mixed {
	struct complex even, turned;
};

static ALWAYS struct mixed mixed_of(struct complex x, struct complex y, V re, V im)
{
	V less = x.re - y.re, more = x.im + y.im;
	return (struct mixed){{x.re + y.re, x.im - y.im}, {FMA(re, more, im * less), FMA(im, more, -(re * less))}};
}

/* Number h - k is the conjugate of half of `even` less `turned`: bits of both are those that either would have alone.
 */
static void mix_lanes(const struct fourier_mix *m, const struct fourier_planes *x)
{
	V half = all((T)0.5), in = all((T)m->in), out = all((T)m->out);
	for (int64_t k = 0; 2 * k <= m->h; k++) {
		int64_t i = k * x->step, j = (m->h - k) * x->step;
		struct mixed z = mixed_of((struct complex){*vector(x->re, i), in * *vector(x->im, i)},
					  (struct complex){*vector(x->re, j), in * *vector(x->im, j)},
					  all(((const T *)m->root.re)[k]), all(((const T *)m->root.im)[k]));
		*vector(x->re, j) = FMA(half, z.even.re, -z.turned.re) + (T)0;
		*vector(x->im, j) = FMA(out, FMA(-half, z.even.im, z.turned.im), all(0));
		*vector(x->re, i) = FMA(half, z.even.re, z.turned.re) + (T)0;
		*vector(x->im, i) = FMA(out, FMA(half, z.even.im, z.turned.im), all(0));
	}
}

/* Vectors from either end, one of them turned round; those in the middle overlap, and are the same. The ends come last:
 * callers have just written them. */
static ALWAYS void mix_line_with(const struct fourier_mix *m, const struct fourier_planes *x,
				 const struct fourier_planes *out_of, bool has_signs)
{
	V half = all((T)0.5), in = all((T)m->in), out = all((T)m->out);
	int64_t last = m->h + 1 - LANES;
	for (int64_t k = m->h / 2 / LANES * LANES; k >= 0; k -= LANES) {
		int64_t i = k < last ? k : last, j = last - i;
		struct complex first = {*vector(x->re, i), *vector(x->im, i)},
			       y = {*vector(x->re, j), *vector(x->im, j)};
		struct complex second = {merged_TURNED(y.re, y.re), merged_TURNED(y.im, y.im)};
		if (has_signs) {
			first.im *= in;
			second.im *= in;
		}
		struct mixed z = mixed_of(first, second, *vector(m->root.re, i), *vector(m->root.im, i));
		V re = FMA(half, z.even.re, -z.turned.re) + (T)0, im = FMA(-half, z.even.im, z.turned.im);
		first.re = FMA(half, z.even.re, z.turned.re) + (T)0;
		first.im = FMA(half, z.even.im, z.turned.im);
		if (has_signs) {
			first.im = FMA(out, first.im, all(0));
			im = FMA(out, im, all(0));
		} else {
			first.im += (T)0;
			im += (T)0;
		}
		*vector(out_of->re, j) = merged_TURNED(re, re);
		*vector(out_of->im, j) = merged_TURNED(im, im);
		*vector(out_of->re, i) = first.re;
		*vector(out_of->im, i) = first.im;
	}
}

static void mix_line(const struct fourier_mix *m, const struct fourier_planes *x, const struct fourier_planes *out)
{
	if (m->in == 1 && m->out == 1)
		mix_line_with(m, x, out, false);
	else
		mix_line_with(m, x, out, true);
}
