/* pack_inside.h — a gathered matrix that lies in the tensor with all its elements: each is a sum of strides away from
 * where the matrix begins, so nothing is asked of single lines. */
#ifndef RT_PACK_INSIDE_H
#define RT_PACK_INSIDE_H

#include "packing.h"

enum { INSIDE_PLACES = 256 /* of columns, that are found at a time */ };

/* Rows, or columns, as turns: of so many, outermost first, so many elements apart. */
struct strides {
	int64_t n, count;
	int64_t extent[FACTORS_MAX], step[FACTORS_MAX];
};

/* Element (r, c) is at begin + that of row r + that of column c, and `run` neighbours along c are in memory. */
struct inside {
	struct strides rows, columns; /* columns: of runs */
	int64_t begin, run;
};

/* False if some element is not the tensor's, or its lines (lines.h) are so long that they are as good. first: the index
 * at which the matrix begins. */
bool inside_of(const struct packing *p, const int64_t *first, struct inside *s);
/* Gathers rows begin..end-1 from elements of 1, 2, 4 or 8 bytes into the matrix. */
void inside_rows(const struct inside *s, int size, const void *x, int64_t begin, int64_t end, void *matrix);

#endif
