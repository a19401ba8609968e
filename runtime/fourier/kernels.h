/* kernels.h — what a level of vectors offers fourier.c, for f32 and for f64. Made by columns.h, once per level and
 * type. Strides count elements. */
#ifndef RT_FOURIER_KERNELS_H
#define RT_FOURIER_KERNELS_H

#include "../fourier_way.h"
#include "../product/kernels.h"

/* Numbers in two planes, real and imaginary parts: of number i, lane l is at i * step + l. */
struct fourier_planes {
	void *re, *im;
	int64_t step;
};

/* A transform of n numbers in passes over all of them, by the factors of n. */
enum { FOURIER_PASSES = 40 };
struct fourier_passes {
	int64_t n;
	int count, radix[FOURIER_PASSES]; /* whose product is n; primes up to FOURIER_LARGEST, 4 and 8 */
	int64_t steps;                    /* butterflies of all passes */
	const void *root;                 /* n pairs, cos and -sin of 2 pi k / n */
};

/* Planes that come to the second cache while columns are transformed: each butterfly asks for `lines` lines of the
 * cache of every plane and goes on behind them, up to their ends, `bytes` from where they begin. */
struct fourier_ahead {
	const char *plane[4];
	int planes;
	int64_t at, bytes, lines;
};

/* out[k] = sum over j of x[j] e^(-2 pi i j k / n), in every lane of a vector; turned: times what stands there for k,
 * if that is not NULL. out may not overlap x. room: 4 n vectors. ahead: NULL where nothing is asked for. */
typedef void fourier_columns(const struct fourier_passes *f, const struct fourier_planes *x,
			     const struct fourier_planes *turned, const struct fourier_planes *out, void *room,
			     struct fourier_ahead *ahead);

/* x *= y, for n numbers, one behind the other, and what is left of the last vector. */
typedef void fourier_multiply(int64_t n, const struct fourier_planes *x, const struct fourier_planes *y);

/* Numbers of two planes, one behind the other, and one pair behind the other. n as well as it is. */
typedef void fourier_apart(int64_t n, const void *pairs, void *re, void *im);
typedef void fourier_together(int64_t n, const void *re, const void *im, void *pairs);

struct fourier_kernels {
	int size, lanes; /* bytes of an element, elements of a vector */
	fourier_columns *columns;
	fourier_multiply *multiply;
	fourier_apart *apart;
	fourier_together *together;
};

extern const struct fourier_kernels fourier_base_f32, fourier_base_f64;
extern const struct fourier_kernels fourier_avx2_f32, fourier_avx2_f64;
extern const struct fourier_kernels fourier_avx512_f32, fourier_avx512_f64;

#endif
