/* filter_parts.h — the sums of filter.c for one level and type (f32.h, f64.h), whose vectors have LANES_HERE elements:
 * see product_filter_kernels in kernels.h. A line of a kind p begins at p * apart. */
#include "lanes.h"

#define EVENS(x, y)  SHUFFLE(EVENS, LANES_HERE)(x, y)
#define ODDS(x, y)   SHUFFLE(ODDS, LANES_HERE)(x, y)
#define FIRSTS(x, y) SHUFFLE(FIRSTS, LANES_HERE)(x, y)
#define LASTS(x, y)  SHUFFLE(LASTS, LANES_HERE)(x, y)

#define AT(p)      (*(V *)(p))
#define OF(p)      (*(const V *)(p))
#define KIND(i, j) ((i)*FILTER_SEEN + (j))

/* What tiles see: B^T d B. */
static void filter_seen(int64_t n, const void *const *line, void *to, int64_t apart)
{
	for (int64_t t = 0; t < n; t += LANES) {
		V h[FILTER_SEEN][FILTER_SEEN];
		_Pragma("GCC unroll 4") for (int r = 0; r < FILTER_SEEN; r++)
		{
			const T *x = (const T *)line[r] + FILTER_TILE * t;
			V a = EVENS(OF(x), OF(x + LANES)), b = ODDS(OF(x), OF(x + LANES));
			V c = EVENS(OF(x + 2), OF(x + 2 + LANES)), d = ODDS(OF(x + 2), OF(x + 2 + LANES));
			h[r][0] = a - c;
			h[r][1] = b + c;
			h[r][2] = c - b;
			h[r][3] = b - d;
		}
		_Pragma("GCC unroll 4") for (int j = 0; j < FILTER_SEEN; j++)
		{
			T *y = (T *)to + t + j * apart;
			AT(y + KIND(0, 0) * apart) = h[0][j] - h[2][j];
			AT(y + KIND(1, 0) * apart) = h[1][j] + h[2][j];
			AT(y + KIND(2, 0) * apart) = h[2][j] - h[1][j];
			AT(y + KIND(3, 0) * apart) = h[1][j] - h[3][j];
		}
	}
}

/* Results of tiles: A^T m A. */
static void filter_results(int64_t n, const void *from, int64_t apart, void *const *line)
{
	for (int64_t t = 0; t < n; t += LANES) {
		const T *x = (const T *)from + t;
		V s[FILTER_TILE][FILTER_SEEN];
		_Pragma("GCC unroll 4") for (int j = 0; j < FILTER_SEEN; j++)
		{
			V a = OF(x + KIND(0, j) * apart), b = OF(x + KIND(1, j) * apart);
			V c = OF(x + KIND(2, j) * apart), d = OF(x + KIND(3, j) * apart);
			s[0][j] = a + b + c;
			s[1][j] = b - c - d;
		}
		_Pragma("GCC unroll 2") for (int r = 0; r < FILTER_TILE; r++)
		{
			T *y = (T *)line[r] + FILTER_TILE * t;
			V even = s[r][0] + s[r][1] + s[r][2], odd = s[r][1] - s[r][2] - s[r][3];
			AT(y) = FIRSTS(even, odd);
			AT(y + LANES) = LASTS(even, odd);
		}
	}
}

/* Of what results are, for the gradient of weights: A y A^T. */
static void filter_spread(int64_t n, const void *const *line, void *to, int64_t apart)
{
	for (int64_t t = 0; t < n; t += LANES) {
		V h[FILTER_TILE][FILTER_SEEN];
		_Pragma("GCC unroll 2") for (int r = 0; r < FILTER_TILE; r++)
		{
			const T *x = (const T *)line[r] + FILTER_TILE * t;
			V a = EVENS(OF(x), OF(x + LANES)), b = ODDS(OF(x), OF(x + LANES));
			h[r][0] = a;
			h[r][1] = a + b;
			h[r][2] = a - b;
			h[r][3] = -b;
		}
		_Pragma("GCC unroll 4") for (int j = 0; j < FILTER_SEEN; j++)
		{
			T *y = (T *)to + t + j * apart;
			AT(y + KIND(0, 0) * apart) = h[0][j];
			AT(y + KIND(1, 0) * apart) = h[0][j] + h[1][j];
			AT(y + KIND(2, 0) * apart) = h[0][j] - h[1][j];
			AT(y + KIND(3, 0) * apart) = -h[1][j];
		}
	}
}

/* Weights of some channels: G w G^T. */
static void filter_weights(int64_t channels, const void *from, const struct product_filter *f, void *to, int64_t apart)
{
	for (int64_t c = 0; c < channels; c += LANES) {
		int64_t n = channels - c < LANES ? channels - c : LANES;
		const T *x = (const T *)from + c * f->w_channel;
		V w[FILTER_TAPS][FILTER_TAPS] = {{{0}}}, h[FILTER_SEEN][FILTER_TAPS];
		for (int64_t l = 0; l < n; l++, x += f->w_channel)
			for (int u = 0; u < FILTER_TAPS; u++)
				for (int v = 0; v < FILTER_TAPS; v++)
					((T *)&w[u][v])[l] = x[u * f->w_row + v * f->w_column];
		_Pragma("GCC unroll 3") for (int v = 0; v < FILTER_TAPS; v++)
		{
			h[0][v] = w[0][v];
			h[1][v] = (w[0][v] + w[2][v] + w[1][v]) * (T)0.5;
			h[2][v] = (w[0][v] + w[2][v] - w[1][v]) * (T)0.5;
			h[3][v] = w[2][v];
		}
		_Pragma("GCC unroll 4") for (int i = 0; i < FILTER_SEEN; i++)
		{
			T *y = (T *)to + c + KIND(i, 0) * apart;
			AT(y) = h[i][0];
			AT(y + apart) = (h[i][0] + h[i][2] + h[i][1]) * (T)0.5;
			AT(y + 2 * apart) = (h[i][0] + h[i][2] - h[i][1]) * (T)0.5;
			AT(y + 3 * apart) = h[i][2];
		}
	}
}

/* The gradient of weights of some channels: G^T m G. */
static void filter_gradient(int64_t channels, const void *from, int64_t apart, const struct product_filter *f, void *to,
			    double alpha, double beta)
{
	for (int64_t c = 0; c < channels; c += LANES) {
		int64_t n = channels - c < LANES ? channels - c : LANES;
		V h[FILTER_TAPS][FILTER_SEEN], w[FILTER_TAPS][FILTER_TAPS];
		_Pragma("GCC unroll 4") for (int j = 0; j < FILTER_SEEN; j++)
		{
			const T *x = (const T *)from + c + j * apart;
			V a = OF(x), d = OF(x + KIND(3, 0) * apart);
			V b = OF(x + KIND(1, 0) * apart) * (T)0.5, e = OF(x + KIND(2, 0) * apart) * (T)0.5;
			h[0][j] = a + (b + e);
			h[1][j] = b - e;
			h[2][j] = (b + e) + d;
		}
		_Pragma("GCC unroll 3") for (int u = 0; u < FILTER_TAPS; u++)
		{
			V b = h[u][1] * (T)0.5, e = h[u][2] * (T)0.5;
			w[u][0] = h[u][0] + (b + e);
			w[u][1] = b - e;
			w[u][2] = (b + e) + h[u][3];
		}
		T *y = (T *)to + c * f->w_channel;
		for (int64_t l = 0; l < n; l++, y += f->w_channel)
			for (int u = 0; u < FILTER_TAPS; u++)
				for (int v = 0; v < FILTER_TAPS; v++) {
					T *at = y + u * f->w_row + v * f->w_column, x = ((T *)&w[u][v])[l];
					*at = beta == 0 ? (T)alpha * x : (T)alpha * x + (T)beta * *at;
				}
	}
}

/* By vectors and quarters of them, none of which two vectors have just written parts of: that would wait for memory. */
static inline __attribute__((always_inline)) void filter_copy(int64_t n, const void *from, void *to)
{
	const T *x = from;
	T *y = to;
	int64_t i = 0;
	for (; i + LANES <= n; i += LANES)
		AT(y + i) = OF(x + i);
	for (; i + CHUNK <= n; i += CHUNK)
		*(Q *)(y + i) = *(const Q *)(x + i);
	for (; i < n; i++)
		y[i] = x[i];
}

static void filter_take(int64_t n, const void *from, void *to)
{
	filter_copy(n, from, to);
}

static void filter_put(int64_t n, const void *from, void *to, double alpha, double beta)
{
	const T *x = from;
	T *y = to;
	if (alpha == 1 && beta == 0)
		filter_copy(n, from, to);
	else if (beta == 0)
		for (int64_t i = 0; i < n; i++)
			y[i] = (T)alpha * x[i];
	else
		for (int64_t i = 0; i < n; i++)
			y[i] = (T)alpha * x[i] + (T)beta * y[i];
}

static const struct product_filter_kernels filter_kernels = {
	.seen = filter_seen,
	.results = filter_results,
	.spread = filter_spread,
	.weights = filter_weights,
	.gradient = filter_gradient,
	.take = filter_take,
	.put = filter_put,
};
#undef AT
#undef OF
