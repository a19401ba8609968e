/* filter_parts.h — the sums of filter.c for one level and type (f32.h, f64.h), whose vectors have LANES_HERE elements:
 * see product_filter_kernels in kernels.h. What pieces and sums are is said in ../product_filter.h; their numbers are
 * constants in each of these functions. */
#include "lanes.h"

#define EVENS(x, y)  SHUFFLE(EVENS, LANES_HERE)(x, y)
#define ODDS(x, y)   SHUFFLE(ODDS, LANES_HERE)(x, y)
#define FIRSTS(x, y) SHUFFLE(FIRSTS, LANES_HERE)(x, y)
#define LASTS(x, y)  SHUFFLE(LASTS, LANES_HERE)(x, y)

#define AT(p)    (*(V *)(p))
#define OF(p)    (*(const V *)(p))
#define CONSTANT static inline __attribute__((always_inline))

/* Sums of a piece of its points: B^T d. */
CONSTANT void filter_sums_of_points(int type, const V *d, V *h)
{
	switch (type) {
	case 0:
		h[0] = d[0];
		return;
	case 1:
		h[0] = d[0];
		h[1] = d[1];
		return;
	case 2:
		h[0] = d[0] - d[1];
		h[1] = d[1];
		h[2] = d[2] - d[1];
		return;
	default:
		h[0] = d[0] - d[2];
		h[1] = d[1] + d[2];
		h[2] = d[2] - d[1];
		h[3] = d[3] - d[1];
	}
}

/* Of neighbouring tiles, two points apart. */
CONSTANT void filter_points(int type, const T *x, V *d)
{
	d[0] = EVENS(OF(x), OF(x + LANES));
	d[1] = ODDS(OF(x), OF(x + LANES));
	if (type > 1)
		d[2] = EVENS(OF(x + 2), OF(x + 2 + LANES));
	if (type > 2)
		d[3] = ODDS(OF(x + 2), OF(x + 2 + LANES));
}

/* Vectors of so many tiles: the last one ends with them, unless they are less than one. */
#define EACH_VECTOR(t, n) \
	for (int64_t t = 0, end_ = 0; end_<(n); end_ += LANES, t = end_ + LANES>(n) && (n) > LANES ? (n)-LANES : end_)

CONSTANT void filter_seen(int rows, int columns, int64_t lines, int64_t n, const void *from, int64_t row_step,
			  int64_t line_step, void *to, const int64_t *at)
{
	const T *x = from;
	for (T *y = to, *last = y + lines * n; y < last; y += n, x += line_step)
		EACH_VECTOR(t, n)
		{
			V h[FILTER_SUMS][FILTER_SUMS];
			_Pragma("GCC unroll 4") for (int r = 0; r <= rows; r++)
			{
				V d[FILTER_SUMS];
				filter_points(columns, x + r * row_step + FILTER_TILE * t, d);
				filter_sums_of_points(columns, d, h[r]);
			}
			_Pragma("GCC unroll 4") for (int j = 0; j <= columns; j++)
			{
				V d[FILTER_SUMS], s[FILTER_SUMS];
				_Pragma("GCC unroll 4") for (int r = 0; r <= rows; r++) d[r] = h[r][j];
				filter_sums_of_points(rows, d, s);
				_Pragma("GCC unroll 4") for (int i = 0; i <= rows; i++)
					AT(y + t + at[i * FILTER_SUMS + j]) = s[i];
			}
		}
}

/* Two results of so many sums, or one of one: A^T m. */
CONSTANT void filter_results_of_sums(int sums, const V *m, V *y)
{
	if (sums == 1) {
		y[0] = m[0];
		return;
	}
	y[0] = sums == 4 ? m[0] + m[1] + m[2] : m[0] + m[1];
	y[1] = sums == 4 ? m[1] - m[2] + m[3] : m[1] + m[2];
}

CONSTANT void filter_results(int rows, int columns, int64_t n, const void *from, const int64_t *at, void *const *line)
{
	int lines = rows == 1 ? 1 : FILTER_TILE;
	EACH_VECTOR(t, n)
	{
		V s[FILTER_TILE][FILTER_SUMS];
		_Pragma("GCC unroll 4") for (int j = 0; j < columns; j++)
		{
			V m[FILTER_SUMS], y[FILTER_TILE];
			_Pragma("GCC unroll 4") for (int i = 0; i < rows; i++) m[i] =
				OF((const T *)from + t + at[i * columns + j]);
			filter_results_of_sums(rows, m, y);
			_Pragma("GCC unroll 2") for (int r = 0; r < lines; r++) s[r][j] = y[r];
		}
		_Pragma("GCC unroll 2") for (int r = 0; r < lines; r++)
		{
			T *to = (T *)line[r] + FILTER_TILE * t;
			V y[FILTER_TILE];
			filter_results_of_sums(columns, s[r], y);
			AT(to) = FIRSTS(y[0], y[1]);
			AT(to + LANES) = LASTS(y[0], y[1]);
		}
	}
}

/* What a sum is of two results, for the gradient of weights: A y. */
CONSTANT void filter_sums_of_results(int sums, const V *y, V *m)
{
	m[0] = y[0];
	if (sums == 1)
		return;
	m[1] = y[0] + y[1];
	if (sums == 4)
		m[2] = y[0] - y[1];
	m[sums - 1] = y[1];
}

CONSTANT void filter_spread(int rows, int columns, int64_t n, const void *const *line, void *to, const int64_t *at)
{
	int lines = rows == 1 ? 1 : FILTER_TILE;
	EACH_VECTOR(t, n)
	{
		V h[FILTER_TILE][FILTER_SUMS];
		_Pragma("GCC unroll 2") for (int r = 0; r < lines; r++)
		{
			V y[FILTER_SUMS];
			filter_points(1, (const T *)line[r] + FILTER_TILE * t, y);
			filter_sums_of_results(columns, y, h[r]);
		}
		_Pragma("GCC unroll 4") for (int j = 0; j < columns; j++)
		{
			V y[FILTER_TILE] = {h[0][j], h[lines - 1][j]}, m[FILTER_SUMS];
			filter_sums_of_results(rows, y, m);
			_Pragma("GCC unroll 4") for (int i = 0; i < rows; i++) AT((T *)to + t + at[i * columns + j]) =
				m[i];
		}
	}
}

#define SEEN(rows, columns) \
	static void filter_seen_##rows##_##columns(int64_t lines, int64_t n, const void *from, int64_t row_step, \
						   int64_t line_step, void *to, const int64_t *at) \
	{ \
		filter_seen(rows, columns, lines, n, from, row_step, line_step, to, at); \
	}
#define SUMS(rows, columns) \
	static void filter_results_##rows##_##columns(int64_t n, const void *from, const int64_t *at, \
						      void *const *line) \
	{ \
		filter_results(rows, columns, n, from, at, line); \
	} \
	static void filter_spread_##rows##_##columns(int64_t n, const void *const *line, void *to, const int64_t *at) \
	{ \
		filter_spread(rows, columns, n, line, to, at); \
	}
#define SEEN_ROWS(rows) SEEN(rows, 1) SEEN(rows, 2) SEEN(rows, 3)
#define SUMS_ROWS(rows) SUMS(rows, 3) SUMS(rows, 4)
SEEN_ROWS(0)
SEEN_ROWS(1)
SEEN_ROWS(2)
SEEN_ROWS(3)
SUMS_ROWS(1)
SUMS_ROWS(3)
SUMS_ROWS(4)

static void filter_join(int64_t n, int sums, const void *const *from, void *const *to)
{
	for (int64_t t = 0; t < n; t += LANES) {
		V m[FILTER_SUMS], y[FILTER_TILE];
		for (int i = 0; i < sums; i++)
			m[i] = OF((const T *)from[i] + t);
		if (sums == 4)
			filter_results_of_sums(4, m, y);
		else
			filter_results_of_sums(3, m, y);
		AT((T *)to[0] + t) = y[0];
		AT((T *)to[1] + t) = y[1];
	}
}

/* Kinds of weights along a dimension: G w; x is [outer][taps][inner], y [outer][kinds][inner]. */
static void filter_kinds_of_weights(const struct filter_along *a, const struct product_filter_side *s, int64_t outer,
				    int64_t inner, const V *x, V *y)
{
	for (int64_t o = 0; o < outer; o++, x += s->taps * inner, y += a->kinds * inner)
		for (int p = 0; p < a->pieces; p++)
			for (int64_t i = 0; i < inner; i++) {
				const struct filter_piece *q = &a->piece[p];
				const V *w = x + q->tap * inner + i;
				int64_t next = s->stride * inner;
				V *to = y + i;
#define TO(j) to[q->kind[j] * inner]
				TO(0) = w[0];
				if (q->type == 1)
					TO(1) = w[0];
				if (q->type == 2) {
					TO(1) = w[0] + w[next];
					TO(2) = w[next];
				}
				if (q->type == 3) {
					TO(1) = (w[0] + w[2 * next] + w[next]) * (T)0.5;
					TO(2) = (w[0] + w[2 * next] - w[next]) * (T)0.5;
					TO(3) = w[2 * next];
				}
#undef TO
			}
}

/* The other way for gradients: G^T m. */
static void filter_weights_of_kinds(const struct filter_along *a, const struct product_filter_side *s, int64_t outer,
				    int64_t inner, const V *x, V *y)
{
	for (int64_t o = 0; o < outer; o++, x += a->kinds * inner, y += s->taps * inner)
		for (int p = 0; p < a->pieces; p++)
			for (int64_t i = 0; i < inner; i++) {
				const struct filter_piece *q = &a->piece[p];
				V *w = y + q->tap * inner + i, m[FILTER_SUMS];
				int64_t next = s->stride * inner;
				for (int j = 0; j <= q->type; j++)
					m[j] = x[q->kind[j] * inner + i];
				if (q->type == 0)
					w[0] = m[0];
				if (q->type == 1)
					w[0] = m[0] + m[1];
				if (q->type == 2) {
					w[0] = m[0] + m[1];
					w[next] = m[1] + m[2];
				}
				if (q->type == 3) {
					V b = m[1] * (T)0.5, e = m[2] * (T)0.5;
					w[0] = m[0] + (b + e);
					w[next] = b - e;
					w[2 * next] = (b + e) + m[3];
				}
			}
}

/* Calls `each` for all taps, with where they lie. */
#define EACH_TAP(f, tap, at) \
	for (int64_t i_ = 0, tap = 0; i_ < (f)->side[0].taps; i_++) \
		for (int64_t j_ = 0; j_ < (f)->side[1].taps; j_++) \
			for (int64_t l_ = 0, at; \
			     l_ < (f)->side[2].taps && \
			     (at = i_ * (f)->side[0].w + j_ * (f)->side[1].w + l_ * (f)->side[2].w, true); \
			     l_++, tap++)

static void filter_weights(int64_t channels, const void *from, const struct product_filter *f,
			   const struct filter_kinds *k, const struct filter_place *place, int64_t filter,
			   product_rounding *rounds, void *to)
{
	const struct product_filter_side *s = f->side;
	const struct filter_along *a = k->along;
	int64_t taps = s[0].taps * s[1].taps * s[2].taps;
	for (int64_t c = 0; c < channels; c += LANES) {
		int64_t n = channels - c < LANES ? channels - c : LANES;
		const T *x = (const T *)from + c * f->w_channel;
		V w[FILTER_KINDS], h[FILTER_KINDS];
		EACH_TAP(f, tap, at)
		{
			V v = {0};
			for (int64_t l = 0; l < n; l++)
				((T *)&v)[l] = x[at + l * f->w_channel];
			w[tap] = v;
		}
		if (rounds)
			rounds(taps * LANES, (float *)w);
		filter_kinds_of_weights(&a[2], &s[2], s[0].taps * s[1].taps, 1, w, h);
		filter_kinds_of_weights(&a[1], &s[1], s[0].taps, a[2].kinds, h, w);
		filter_kinds_of_weights(&a[0], &s[0], 1, (int64_t)a[1].kinds * a[2].kinds, w, h);
		for (int p = 0; p < k->kinds; p++) {
			T *y = (T *)to + place[p].at + filter * place[p].line + c;
			if (n == LANES)
				AT(y) = h[p];
			else
				memcpy(y, &h[p], (size_t)n * sizeof *y);
		}
	}
}

static void filter_gradient(int64_t channels, const void *from, const struct product_filter *f,
			    const struct filter_kinds *k, const struct filter_place *place, int64_t filter, void *to,
			    double alpha, double beta)
{
	const struct product_filter_side *s = f->side;
	const struct filter_along *a = k->along;
	for (int64_t c = 0; c < channels; c += LANES) {
		int64_t n = channels - c < LANES ? channels - c : LANES;
		V h[FILTER_KINDS], w[FILTER_KINDS];
		for (int p = 0; p < k->kinds; p++)
			h[p] = OF((const T *)from + place[p].at + filter * place[p].line + c);
		filter_weights_of_kinds(&a[0], &s[0], 1, (int64_t)a[1].kinds * a[2].kinds, h, w);
		filter_weights_of_kinds(&a[1], &s[1], s[0].taps, a[2].kinds, w, h);
		filter_weights_of_kinds(&a[2], &s[2], s[0].taps * s[1].taps, 1, h, w);
		T *y = (T *)to + c * f->w_channel;
		EACH_TAP(f, tap, at)
		for (int64_t l = 0; l < n; l++) {
			T *put = y + at + l * f->w_channel, v = ((T *)&w[tap])[l];
			*put = beta == 0 ? (T)alpha * v : (T)alpha * v + (T)beta * *put;
		}
	}
}

/* By vectors and quarters of them, none of which two vectors have just written parts of: that would wait for memory. */
CONSTANT void filter_copy(int64_t rows, int64_t n, const void *from, int64_t from_step, void *to, int64_t to_step)
{
	const T *x = from;
	T *y = to;
	for (int64_t r = 0; r < rows; r++, x += from_step, y += to_step) {
		int64_t i = 0;
		for (; i + LANES <= n; i += LANES)
			AT(y + i) = OF(x + i);
		for (; i + CHUNK <= n; i += CHUNK)
			*(Q *)(y + i) = *(const Q *)(x + i);
		for (; i < n; i++)
			y[i] = x[i];
	}
}

CONSTANT T filter_pair_1(int how, const T *a, const T *b)
{
	return how == FILTER_COPY ? *a : how == FILTER_NEGATE ? 0 - *a : how == FILTER_ADD ? *a + *b : *a - *b;
}

CONSTANT void filter_take_by(int64_t rows, int64_t n, int how, const T *a, const T *b, int64_t from_step, int64_t apart,
			     T *y, int64_t to_step)
{
	for (int64_t r = 0; r < rows; r++, a += from_step, b += from_step, y += to_step)
		for (int64_t i = 0; i < n; i++)
			y[i] = filter_pair_1(how, a + i * apart, b + i * apart);
}

CONSTANT void filter_take_apart(int64_t rows, int64_t n, int how, const T *a, const T *b, int64_t from_step,
				int64_t apart, T *y, int64_t to_step)
{
	if (apart == 1)
		filter_take_by(rows, n, how, a, b, from_step, 1, y, to_step);
	else if (apart == 2)
		filter_take_by(rows, n, how, a, b, from_step, 2, y, to_step);
	else
		filter_take_by(rows, n, how, a, b, from_step, apart, y, to_step);
}

/* Every other element: of vectors that begin with one, and last of such that end with the last, so that nothing beyond
 * is read. */
CONSTANT void filter_take_evens(int64_t rows, int64_t n, const T *a, int64_t from_step, T *y, int64_t to_step)
{
	for (int64_t r = 0; r < rows; r++, a += from_step, y += to_step) {
		int64_t i = 0, last = n - LANES;
		for (; i < last; i += LANES)
			AT(y + i) = EVENS(OF(a + 2 * i), OF(a + 2 * i + LANES));
		if (last > 0)
			AT(y + last) = ODDS(OF(a + 2 * last - 1), OF(a + 2 * last - 1 + LANES));
		for (; i < n && last <= 0; i++)
			y[i] = a[2 * i];
	}
}

static void filter_take(int64_t rows, int64_t n, int how, const void *a, const void *b, int64_t from_step,
			int64_t apart, void *to, int64_t to_step)
{
	if (how == FILTER_COPY && apart == 1)
		filter_copy(rows, n, a, from_step, to, to_step);
	else if (how == FILTER_COPY && apart == 2)
		filter_take_evens(rows, n, a, from_step, to, to_step);
	else if (how == FILTER_COPY)
		filter_take_apart(rows, n, FILTER_COPY, a, a, from_step, apart, to, to_step);
	else if (how == FILTER_NEGATE)
		filter_take_apart(rows, n, FILTER_NEGATE, a, a, from_step, apart, to, to_step);
	else if (how == FILTER_ADD)
		filter_take_apart(rows, n, FILTER_ADD, a, b, from_step, apart, to, to_step);
	else
		filter_take_apart(rows, n, FILTER_SUBTRACT, a, b, from_step, apart, to, to_step);
}

/* LANES sums of two rows, or elements of one. */
CONSTANT V filter_pair(int how, const T *a, const T *b)
{
	V x = OF(a);
	if (how == FILTER_NEGATE)
		x = 0 - x;
	if (how == FILTER_ADD)
		x += OF(b);
	if (how == FILTER_SUBTRACT)
		x -= OF(b);
	return x;
}

/* To two lines; the last vectors end with the elements, but for an odd one. */
CONSTANT void filter_deal_by(int64_t n, int how, const T *a, const T *b, T *even, T *odd)
{
	enum { STEP = 2 * LANES };
	int64_t whole = n < STEP ? 0 : n / 2 * 2;
	for (int64_t end = STEP, i = 0; i < whole; end += STEP) {
		int64_t at = end > whole ? whole - STEP : i;
		V x = filter_pair(how, a + at, b + at), y = filter_pair(how, a + at + LANES, b + at + LANES);
		AT(even + at / 2) = EVENS(x, y);
		AT(odd + at / 2) = ODDS(x, y);
		i = end;
	}
	for (int64_t i = whole; i < n; i++)
		(i % 2 ? odd : even)[i / 2] = filter_pair_1(how, a + i, b + i);
}

static void filter_deal(int64_t n, int how, const void *a, const void *b, int64_t lines, int64_t first, void *const *to)
{
	const T *x = a, *y = b ? b : a;
	T *next = to[first], *other = (T *)to[lines - 1 - first] + first;
	if (lines == 2 && how == FILTER_COPY)
		filter_deal_by(n, FILTER_COPY, x, y, next, other);
	else if (lines == 2 && how == FILTER_NEGATE)
		filter_deal_by(n, FILTER_NEGATE, x, y, next, other);
	else if (lines == 2 && how == FILTER_ADD)
		filter_deal_by(n, FILTER_ADD, x, y, next, other);
	else if (lines == 2)
		filter_deal_by(n, FILTER_SUBTRACT, x, y, next, other);
	else
		for (int64_t i = 0, line = first, at = 0; i < n; i++) {
			((T *)to[line])[at] = filter_pair_1(how, x + i, y + i);
			line = line + 1 < lines ? line + 1 : 0;
			at += line == 0;
		}
}

CONSTANT void filter_put_by(int64_t rows, int64_t n, const T *x, int64_t from_step, T *y, int64_t to_step,
			    int64_t apart, T alpha, T beta, bool adds)
{
	for (int64_t r = 0; r < rows; r++, x += from_step, y += to_step)
		for (int64_t i = 0; i < n; i++)
			y[i * apart] = adds ? alpha * x[i] + beta * y[i * apart] : alpha * x[i];
}

CONSTANT void filter_put_apart(int64_t rows, int64_t n, const T *x, int64_t from_step, T *y, int64_t to_step,
			       int64_t apart, T alpha, T beta, bool adds)
{
	if (apart == 1)
		filter_put_by(rows, n, x, from_step, y, to_step, 1, alpha, beta, adds);
	else if (apart == 2)
		filter_put_by(rows, n, x, from_step, y, to_step, 2, alpha, beta, adds);
	else
		filter_put_by(rows, n, x, from_step, y, to_step, apart, alpha, beta, adds);
}

static void filter_put(int64_t rows, int64_t n, const void *from, int64_t from_step, void *to, int64_t to_step,
		       int64_t apart, double alpha, double beta)
{
	if (alpha == 1 && beta == 0 && apart == 1)
		filter_copy(rows, n, from, from_step, to, to_step);
	else if (beta == 0)
		filter_put_apart(rows, n, from, from_step, to, to_step, apart, (T)alpha, 0, false);
	else
		filter_put_apart(rows, n, from, from_step, to, to_step, apart, (T)alpha, (T)beta, true);
}

#define SEEN_OF(rows) \
	{ \
		filter_seen_##rows##_1, filter_seen_##rows##_2, filter_seen_##rows##_3 \
	}
#define SUMS_OF(way, rows) \
	{ \
		filter_##way##_##rows##_3, filter_##way##_##rows##_4 \
	}
static const struct product_filter_kernels filter_kernels = {
	.seen = {SEEN_OF(0), SEEN_OF(1), SEEN_OF(2), SEEN_OF(3)},
	.results = {SUMS_OF(results, 1), SUMS_OF(results, 3), SUMS_OF(results, 4)},
	.spread = {SUMS_OF(spread, 1), SUMS_OF(spread, 3), SUMS_OF(spread, 4)},
	.join = filter_join,
	.weights = filter_weights,
	.gradient = filter_gradient,
	.take = filter_take,
	.deal = filter_deal,
	.put = filter_put,
};
#undef AT
#undef OF
#undef CONSTANT
