/* fourier_way.h — how lines of n numbers are transformed, and the workspace that takes; for pmlc and libpmlrt. What is
 * done with a line hangs on n alone, not on how many there are, so neither do bits. */
#ifndef RT_FOURIER_WAY_H
#define RT_FOURIER_WAY_H

#include <stdbool.h>
#include <stdint.h>

enum fourier_kind {
	FOURIER_COLUMNS, /* several lines side by side, one in each lane of a vector */
	FOURIER_SQUARE,  /* a line as a matrix of rows x columns: its columns, and then its rows */
	FOURIER_CHIRP    /* as a convolution, by transforms of length rows * columns (Bluestein, 1970) */
};

/* What all numbers of a transform, on all ranks, are: imaginary parts of what is transformed are 0, or those of the
 * result are not wanted. */
enum fourier_numbers { FOURIER_COMPLEX, FOURIER_REAL_IN, FOURIER_REAL_OUT };

/* numbers is FOURIER_COMPLEX where nothing is gained by what they are. An even number of real ones is transformed as
 * half as many complex ones; of an odd number, half of the complex ones on the other side are enough. */
struct fourier_way {
	enum fourier_kind kind;
	enum fourier_numbers numbers;
	bool halves;
	int64_t n, in, out; /* of a complex transform, and of these the first that are taken, and made */
	int64_t rows, columns;
};

enum {
	FOURIER_FEW = 256,        /* numbers from which on a line is a matrix; powers of two are from */
	FOURIER_LEAST = 64,       /* so many on */
	FOURIER_LARGEST = 31,     /* factor that passes are made of */
	FOURIER_LINES = 16,       /* that are brought together at the most, and about */
	FOURIER_TOGETHER = 65536, /* numbers of them */
	FOURIER_IN_LANES = 4096,  /* numbers of each of several lines in the lanes of vectors, at the most */
	FOURIER_VECTOR = 64,      /* bytes of the longest vector */
	FOURIER_PLANES = 12       /* of vectors that columns take, and between rows of a matrix */
};

/* Words of a call: of each side, of the job, and of each loop. */
enum fourier_side_word { FOURIER_PARTS, FOURIER_COUNT, FOURIER_STEP, FOURIER_ENDS_HALVED, FOURIER_SIDE_WORDS };
enum fourier_job_word {
	FOURIER_NUMBERS = 2 * FOURIER_SIDE_WORDS,
	FOURIER_SCALE, /* bits of a double */
	FOURIER_NLOOPS,
	FOURIER_JOB_WORDS
};
enum { FOURIER_LOOP_EXTENT, FOURIER_LOOP_X, FOURIER_LOOP_OUT, FOURIER_LOOP_WORDS, FOURIER_LOOPS = 16 };

static inline int64_t fourier_rest(int64_t n)
{
	for (int64_t p = 2; p <= FOURIER_LARGEST && n > 1; p++)
		while (n % p == 0)
			n /= p;
	return n;
}

/* Of at least so many numbers, 4, 5 or 6 times a power of two. */
static inline int64_t fourier_convolution(int64_t least)
{
	int64_t power = 1;
	while (8 * power <= least)
		power *= 2;
	for (int64_t times = 4; times < 7; times++)
		if (times * power >= least)
			return times * power;
	return 8 * power;
}

static inline struct fourier_way fourier_way_of(int64_t n, enum fourier_numbers numbers)
{
	struct fourier_way w = {.kind = FOURIER_COLUMNS, .n = n, .columns = 1};
	w.halves = numbers != FOURIER_COMPLEX && n % 2 == 0;
	w.n = w.halves ? n / 2 : n;
	w.in = w.out = w.rows = w.n;
	int64_t length = w.n;
	if (fourier_rest(w.n) > 1) {
		w.kind = FOURIER_CHIRP;
		w.numbers = numbers;
		if (numbers != FOURIER_COMPLEX && !w.halves)
			*(numbers == FOURIER_REAL_IN ? &w.out : &w.in) = n / 2 + 1;
		length = fourier_convolution(w.in + w.out - 1);
	} else {
		w.numbers = w.halves ? numbers : FOURIER_COMPLEX;
		if (w.n < FOURIER_FEW && (w.n < FOURIER_LEAST || (w.n & (w.n - 1))))
			return w;
		w.kind = FOURIER_SQUARE;
	}
	for (w.rows = 1; (w.rows + 1) * (w.rows + 1) <= length;)
		w.rows++;
	while (length % w.rows)
		w.rows--;
	w.columns = length / w.rows;
	return w;
}

static inline int64_t fourier_lines(int64_t length)
{
	int64_t lines = FOURIER_TOGETHER / length;
	return lines < 1 ? 1 : lines > FOURIER_LINES ? FOURIER_LINES : lines;
}

/* Elements of a plane that holds a line of n numbers on its way. */
static inline int64_t fourier_width(int64_t n, const struct fourier_way *w)
{
	int64_t length = w->rows * w->columns;
	return length > n + 1 ? length : n + 1;
}

/* Whether several lines may be transformed in the lanes of vectors. */
static inline bool fourier_fits_lanes(const struct fourier_way *w)
{
	return w->rows * w->columns <= FOURIER_IN_LANES;
}

/* Bytes, for elements of `size` bytes. */
static inline int64_t fourier_room(int64_t n, enum fourier_numbers numbers, int64_t size)
{
	struct fourier_way w = fourier_way_of(n, numbers);
	int64_t longest = w.rows > w.columns ? w.rows : w.columns, length = w.rows * w.columns;
	if (longest < FOURIER_VECTOR / size)
		longest = FOURIER_VECTOR / size;
	int64_t width = fourier_width(n, &w), between = FOURIER_PLANES * longest * FOURIER_VECTOR, in_lanes = 0;
	int64_t lines =
		(4 * fourier_lines(length) + (w.kind == FOURIER_CHIRP ? 4 : 2)) * (width * size + FOURIER_VECTOR);
	if (w.kind == FOURIER_COLUMNS)
		lines = 0;
	if (fourier_fits_lanes(&w))
		in_lanes = (4 * width + (w.kind == FOURIER_COLUMNS  ? 0
					 : w.kind == FOURIER_SQUARE ? 2
								    : 6) *
						length) *
			   FOURIER_VECTOR;
	return between + (lines > in_lanes ? lines : in_lanes) + 2 * FOURIER_VECTOR;
}

#endif
