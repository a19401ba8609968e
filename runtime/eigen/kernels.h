/* kernels.h — what a level of vectors offers eigen.c and its neighbours, of f64. Made by lines.h, once per level. Lines
 * are whole vectors long: what stands behind their n numbers, up to the next EIGEN_LANES, is read and written as well.
 */
#ifndef RT_EIGEN_KERNELS_H
#define RT_EIGEN_KERNELS_H

#include "../product/kernels.h"

/* y = A x, of lines and columns `first` on; A is symmetric, and 0 left of its diagonal, as far as
 * vectors reach that begin at whole ones. */
typedef void eigen_symmetric_times(int64_t first, int64_t n, const double *a, int64_t step, const double *x, double *y);

/* out[r] = the product of row r and x; y -= the rows, each times c[r]. */
typedef void eigen_dots(int64_t rows, int64_t n, const double *a, int64_t step, const double *x, double *out);
typedef void eigen_less(int64_t rows, int64_t n, const double *a, int64_t step, const double *c, double *y);

/* Turns the planes of rows i and i + 1, i from count - 1 down to 0: row i + 1 becomes s[i] times row i plus c[i] times
 * itself, row i c[i] times itself less s[i] times row i + 1. */
typedef void eigen_turn(int64_t count, int64_t n, double *a, int64_t step, const double *c, const double *s);

/* The same of two lines of f32. */
typedef void eigen_turn_singles(int64_t n, float *x, float *y, double c, double s);
/* A line of n numbers of f32, and none behind them, as long as 1. */
typedef void eigen_unit_singles(int64_t n, float *x);
/* Lines of f64 as f32, in the same place or elsewhere. */
typedef void eigen_narrow(int64_t n, const double *x, float *out);

/* The largest absolute value; not finite where a number is not. out = x * by * more. */
typedef double eigen_largest(int64_t n, const double *x);
typedef void eigen_times(int64_t n, const double *x, double by, double more, double *out);

/* Where 1 / rho + sum of weight[k] / (d[k] - at) is 0 between pole[i] and pole[i + 1], which weigh of_pole, for all i <
 * count, as the distance from one of both; it rises there from minus to plus infinity. pole goes on rising behind
 * pole[count], to a whole vector. */
typedef void eigen_between(int64_t n, const double *d, const double *weight, double rho, int64_t count,
			   const double *pole, const double *of_pole, double *origin, double *distance);
/* A value that is as good as 0, relative to its terms; a step that is so short a part of the distance that no other
 * changes anything; steps at the most. */
static const double EIGEN_ROUNDING = 2.2e-16, EIGEN_CLOSE = 1e-8;
enum { EIGEN_STEPS = 80 };

/* out = d - (origin + distance). */
typedef void eigen_apart(int64_t n, const double *d, double origin, double distance, double *out);

/* product[k] *= apart[k] / (d[k] - of[r]) for each of the rows of apart; where the difference is 0, times apart[k]. */
typedef void eigen_weigh(int64_t rows, int64_t n, const double *apart, int64_t step, const double *d, const double *of,
			 double *product);

/* apart[k] = z[k] / apart[k], as long as 1. */
typedef void eigen_vector(int64_t n, const double *z, double *apart);

enum { EIGEN_LANES = 8 }; /* of the longest vector */
struct eigen_kernels {
	eigen_symmetric_times *symmetric_times;
	eigen_dots *dots;
	eigen_less *less;
	eigen_turn *turn;
	eigen_turn_singles *turn_singles;
	eigen_unit_singles *unit_singles;
	eigen_narrow *narrow;
	eigen_largest *largest;
	eigen_times *times;
	eigen_between *between;
	eigen_apart *apart;
	eigen_weigh *weigh;
	eigen_vector *vector;
};

extern const struct eigen_kernels eigen_base, eigen_avx2, eigen_avx512;

#endif
