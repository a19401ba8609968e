/* fourier.h — rules that are discrete Fourier transforms, found by their body. */
#ifndef PML_OP_FOURIER_H
#define PML_OP_FOURIER_H

#include "rule.h"

/* out[.., d, k] = sum[c, j] x[.., c, j] * cos((4 j k + n (d - c)) % 4n * pi / 2n), and nothing else: with part 0 the
 * real and part 1 the imaginary one, sums of x[j] e^(-2 pi i j k / n); if it is (c - d), e^(+2 pi i j k / n), as in the
 * derivative. Cosines may be times or divided by a number, and be times 2 where j, or k, is neither 0 nor n / 2: each
 * of these numbers stands for its conjugate as well, of real numbers on the other side. Factors by number; those that
 * are none of these four occur in the result. Of j and k there may be fewer than n, and of c and d one, on a rank as
 * well. */
struct fourier_rule {
	int64_t n;
	double scale; /* including the 2 */
	bool positive;
	int part_in, number_in, part_out, number_out;
	int doubled; /* number_in, number_out, or -1 */
};
/* The largest n: angles are whole numbers, and so are the bytes of tables. */
enum { FOURIER_MOST = 1 << 28 };

/* Of other factors: elements that a turn goes on in x and in the result. */
struct fourier_loop {
	int64_t extent, x, out;
};

bool fourier_of_rule(const struct rule *r, struct fourier_rule *f);

#endif
