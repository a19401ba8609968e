/* across.h — lanes of a vector loop that are no neighbours in memory: a few elements apart, or across the loop around.
 * Code is made for both without gathers (backend/kernel_stride.c, kernel_tile.c), and forecasts count it so
 * (seconds/work.c). */
#ifndef PML_KERNEL_ACROSS_H
#define PML_KERNEL_ACROSS_H

#include "kernel.h"

enum { MAX_APART = 4 }; /* elements between lanes that are read and written in rows */
enum { MAX_TILED = 4 }; /* loads of a nest that are read tile by tile */

/* Whether lanes so many elements apart are read as rows of neighbours and put together. */
bool kernel_is_apart(int64_t stride);

/* A plain loop along which elements are neighbours, around a vector loop along which they are not, as in a
 * transposition. */
struct kernel_nest {
	const struct kernel_instr *rows, *lanes; /* the two loops */
	const struct kernel_instr *load[MAX_TILED];
	int nloads;
};

/* Whether the loop is the outer one of such a nest: values of the row, the vector loop, and nothing else; sums nothing,
 * and reads nothing that it writes, so that no value depends on the order of its points. */
bool kernel_is_nest(const struct kernel_instr *loop, struct kernel_nest *nest);
/* Which of its loads this is, -1: none. */
int kernel_nest_load(const struct kernel_nest *nest, const struct kernel_instr *load);

#endif
