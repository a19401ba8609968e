/* fourier_way.h — how lines of n numbers are transformed, and the workspace that takes; for pmlc and libpmlrt. What is
 * done with a line hangs on n alone, not on how many there are, so neither do bits. */
#ifndef RT_FOURIER_WAY_H
#define RT_FOURIER_WAY_H

#include <stdint.h>

enum fourier_kind {
	FOURIER_COLUMNS, /* several lines side by side, one in each lane of a vector */
	FOURIER_SQUARE,  /* a line as a matrix of rows x columns: its columns, and then its rows */
	FOURIER_CHIRP    /* as a convolution, by transforms of length rows * columns (Bluestein, 1970) */
};
struct fourier_way {
	enum fourier_kind kind;
	int64_t rows, columns;
};

enum {
	FOURIER_FEW = 256,        /* numbers from which on a line is a matrix */
	FOURIER_LARGEST = 31,     /* factor that passes are made of */
	FOURIER_LINES = 16,       /* that are brought together at the most, and about */
	FOURIER_TOGETHER = 65536, /* numbers of them */
	FOURIER_VECTOR = 64,      /* bytes of the longest vector */
	FOURIER_PLANES = 10       /* of vectors that columns take, and between rows of a matrix */
};

/* Words of a call: of each side, then the number of loops, and of each loop. */
enum fourier_side_word { FOURIER_PARTS, FOURIER_COUNT, FOURIER_STEP, FOURIER_SIDE_WORDS };
enum { FOURIER_JOB_WORDS = 2 * FOURIER_SIDE_WORDS + 1 };
enum { FOURIER_LOOP_EXTENT, FOURIER_LOOP_X, FOURIER_LOOP_OUT, FOURIER_LOOP_WORDS, FOURIER_LOOPS = 16 };

static inline int64_t fourier_rest(int64_t n)
{
	for (int64_t p = 2; p <= FOURIER_LARGEST && n > 1; p++)
		while (n % p == 0)
			n /= p;
	return n;
}

static inline struct fourier_way fourier_way_of(int64_t n)
{
	struct fourier_way w = {FOURIER_COLUMNS, n, 1};
	int64_t length = n;
	if (fourier_rest(n) > 1) {
		w.kind = FOURIER_CHIRP;
		for (length = 1; length < 2 * n - 1;)
			length *= 2;
	} else if (n >= FOURIER_FEW) {
		w.kind = FOURIER_SQUARE;
	} else {
		return w;
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

/* Bytes, for elements of `size` bytes. */
static inline int64_t fourier_room(int64_t n, int64_t size)
{
	struct fourier_way w = fourier_way_of(n);
	int64_t longest = w.rows > w.columns ? w.rows : w.columns, length = w.rows * w.columns;
	int64_t vectors = FOURIER_PLANES * longest * FOURIER_VECTOR;
	if (w.kind == FOURIER_COLUMNS)
		return vectors;
	int64_t planes = 4 * fourier_lines(length) + (w.kind == FOURIER_CHIRP ? 4 : 2);
	return vectors + planes * (length * size + FOURIER_VECTOR) + 2 * FOURIER_VECTOR;
}

#endif
