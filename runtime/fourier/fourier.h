/* fourier.h — discrete Fourier transforms of lines in memory: sums over j of x[j] e^(-2 pi i j k / n), for k = 0 to n
 * - 1. Nothing is allocated but tables, beforehand. Bits of a line hang on its numbers, n, the type, the level,
 * and which of the two sides is real throughout: not on other lines, strides, or which part of it is wanted. */
#ifndef RT_FOURIER_H
#define RT_FOURIER_H

#include "../fourier_way.h"
#include "../product/product.h"

#include <stdbool.h>

/* Numbers first, first + 1 … of a line, `step` apart: those that are not there are 0, and not wanted. Of real and
 * imaginary parts, 0 and 1, `part`, part + 1 … are there, `parts` of them, the first of these at at[0]. */
struct fourier_side {
	void *at[2];
	int64_t part, parts;
	int64_t first, count, step;
	bool ends_halved; /* numbers 0 and n / 2 are; the other side is real */
};

/* loops: FOURIER_LOOP_WORDS of each, outermost first: how often, and how many elements a turn goes on in x and in out.
 */
struct fourier_job {
	bool positive; /* e^(+2 pi i j k / n) */
	double scale;  /* that results are times */
	struct fourier_side x, out;
	int64_t nloops;
	const int64_t *loops;
};

/* Tables for lines of n elements of `size` bytes, 4 or 8, in memory that `take` gives, zeroed and aligned to 64. With
 * numbers other than FOURIER_COMPLEX one side of all jobs has part 0 alone. */
typedef void *fourier_take(void *from, int64_t bytes);
struct fourier *fourier_new(enum product_level level, int64_t size, int64_t n, enum fourier_numbers numbers,
			    fourier_take *take, void *from);

/* room: fourier_room(n, numbers, size) bytes, aligned to 64. out does not overlap x. */
void fourier_run(const struct fourier *f, const struct fourier_job *job, void *room);

#endif
