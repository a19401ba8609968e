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
	const void *between;              /* of two passes of radix r and s: root p t, for 0 < p < s and 0 < t < r */
};

/* Planes that come to a cache while columns are transformed: each butterfly asks for `lines` lines of the
 * cache of every plane, of which there are `count`, `apart` bytes from each other, and goes on behind them. */
struct fourier_ahead {
	const char *plane[4];
	int64_t apart[4];
	int planes;
	int64_t at, count, lines;
	bool is_short; /* to the first cache: all of it leaves room there for what is transformed */
};

/* What the last pass does besides: numbers times what stands in `turned` for k, a vector, or, where lanes are `alike`,
 * one number for all lanes of it; if that is NULL, times `scale`. */
struct fourier_last {
	const struct fourier_planes *turned;
	bool alike;
	double scale;
};

/* out[k] = sum over j of x[j] e^(-2 pi i j k / n), in every lane of a vector. out may not overlap x. room: 4 n vectors.
 * ahead: NULL where nothing is asked for. */
typedef void fourier_columns(const struct fourier_passes *f, const struct fourier_planes *x,
			     const struct fourier_last *last, const struct fourier_planes *out, void *room,
			     struct fourier_ahead *ahead);

/* Lines whose matrices of 8 rows fill vectors of 16 numbers side by side. */
enum { FOURIER_SIDE_BY_SIDE = 2 };
static inline int64_t fourier_lines_in_square(int64_t rows, int64_t columns, int64_t lanes)
{
	return rows == 8 && lanes == 16 && (columns == 8 || columns % lanes == 0) ? 2 : 1;
}

/* Lines of rows x columns numbers, which are those of `first` and `second`, as matrices: fourier_lines_in_square of
 * them, of which `count` are wanted; others may be any. turned: e^(-2 pi i r c / (rows columns)), lines of whole
 * vectors, filled up with what they begin with. */
struct fourier_square {
	const struct fourier_passes *first, *second;
	const struct fourier_planes *turned;
	int count;
	const struct fourier_planes *x, *out; /* of each line, numbers one behind the other */
	double scale;
	void *room;
	struct fourier_ahead *ahead;
};
typedef void fourier_square(const struct fourier_square *s);

/* out = x y, for n numbers, one behind the other, and what is left of the last vector; times scale. */
typedef void fourier_multiply(int64_t n, const struct fourier_planes *x, const struct fourier_planes *y, double scale,
			      const struct fourier_planes *out);
/* The same in every lane, of x and out; y is the same for all. */
typedef void fourier_multiply_lanes(int64_t n, const struct fourier_planes *x, const struct fourier_planes *y,
				    double scale, const struct fourier_planes *out);

/* Between real numbers that stand as the two parts of h complex ones and their transforms, numbers 0 to h: where x
 * and y are numbers k and h - k, number k becomes (x + conj y) / 2 - i w (x - conj y), and w is half of a root,
 * root[k], whose sign says which way it goes. Imaginary parts are times `in` beforehand, and times `out` afterwards, 1
 * or -1. In place where it is in every lane; else of lines of at least a vector, which do not overlap. */
struct fourier_mix {
	int64_t h;
	struct fourier_planes root;
	double in, out;
};
typedef void fourier_mix_lanes(const struct fourier_mix *m, const struct fourier_planes *x);
typedef void fourier_mix_line(const struct fourier_mix *m, const struct fourier_planes *x,
			      const struct fourier_planes *out);

/* Numbers of two planes, one behind the other, and one pair behind the other. n as well as it is. */
typedef void fourier_apart(int64_t n, const void *pairs, void *re, void *im);
typedef void fourier_together(int64_t n, const void *re, const void *im, void *pairs);

/* Numbers of up to a vector of lines, `count` of each, that are `each` apart, to lanes, and back. Lanes of no line are
 * any. */
typedef void fourier_across(int64_t lines, int64_t count, const void *from, int64_t each, void *to);
typedef void fourier_along(int64_t lines, int64_t count, const void *from, void *to, int64_t each);

struct fourier_kernels {
	int size, lanes; /* bytes of an element, elements of a vector */
	fourier_columns *columns;
	fourier_square *square;
	fourier_multiply *multiply;
	fourier_multiply_lanes *multiply_lanes;
	fourier_mix_lanes *mix_lanes;
	fourier_mix_line *mix_line;
	fourier_apart *apart;
	fourier_together *together;
	fourier_across *across;
	fourier_along *along;
};

extern const struct fourier_kernels fourier_base_f32, fourier_base_f64;
extern const struct fourier_kernels fourier_avx2_f32, fourier_avx2_f64;
extern const struct fourier_kernels fourier_avx512_f32, fourier_avx512_f64;

#endif
