/* eigen_way.h — the workspace that eigenvectors of a symmetric matrix of n lines take; for pmlc and libpmlrt. */
#ifndef RT_EIGEN_WAY_H
#define RT_EIGEN_WAY_H

#include <stdint.h>

enum {
	EIGEN_VECTOR = 8,  /* numbers of the longest vector */
	EIGEN_PANEL = 16,  /* reflections that are applied together to what is left of the matrix, */
	EIGEN_BLOCK = 64,  /* and to the vectors */
	EIGEN_SQUARES = 4, /* n lines of eigen_step numbers, */
	EIGEN_LINES = 24   /* and single ones */
};

/* Numbers from one line to the next: whole vectors from wherever in a line, and lines that do not fall on each other in
 * a cache where n is a power of two. */
static inline int64_t eigen_step(int64_t n)
{
	return (n + EIGEN_VECTOR - 1) / EIGEN_VECTOR * EIGEN_VECTOR + EIGEN_VECTOR;
}

/* Bytes. */
static inline int64_t eigen_room(int64_t n)
{
	int64_t lines = EIGEN_SQUARES * n + 3 * EIGEN_PANEL + EIGEN_LINES;
	return (lines * eigen_step(n) + 3 * EIGEN_BLOCK * EIGEN_BLOCK) * (int64_t)sizeof(double);
}

#endif
