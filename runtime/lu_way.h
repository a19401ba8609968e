/* lu_way.h — the workspace that the factors of a matrix of n lines take; for pmlc and libpmlrt. */
#ifndef RT_LU_WAY_H
#define RT_LU_WAY_H

#include <stdint.h>

enum {
	LU_PANEL = 16, /* columns that are eliminated one by one, */
	LU_WHOLE = 32, /* but of matrices up to here all: so are those that are factored side by side */
	LU_VECTOR = 64 /* bytes of the longest vector */
};

/* Bytes from one column of a panel to the next. */
static inline int64_t lu_column(int64_t n, int64_t size)
{
	return (n * size + LU_VECTOR - 1) / LU_VECTOR * LU_VECTOR + LU_VECTOR;
}

/* Bytes of a panel by columns. */
static inline int64_t lu_panel_room(int64_t n, int64_t size)
{
	return (n <= LU_WHOLE ? n : LU_PANEL) * lu_column(n, size);
}

/* Bytes: a panel, pivots, the order of lines; or a vector for each number of small matrices' results. */
static inline int64_t lu_room(int64_t n)
{
	int64_t one = lu_panel_room(n, (int64_t)sizeof(double)) + 2 * n * (int64_t)sizeof(int64_t);
	int64_t many = n <= LU_WHOLE ? n * (n + 1) * LU_VECTOR : 0;
	return many > one ? many : one;
}

#endif
