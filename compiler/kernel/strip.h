/* strip.h — a kernel in strips, one after the other (strip.c). */
#ifndef PML_KERNEL_STRIP_H
#define PML_KERNEL_STRIP_H

#include "kernel.h"

/* What a strip has of a parameter: nothing, all of it, which is only read, or one of n lines. */
enum strip_way { STRIP_UNUSED, STRIP_WHOLE, STRIP_LINE };

/* The greatest number of strips that the turns of all outermost loops divide into; 1: it has none. */
int64_t kernel_strips(const struct kernel *k);
/* By parameter: elements of its buffer, which n divides, and the element that is its first (plan_step.from). Whether n
 * strips, n dividing kernel_strips, do what the kernel does; way is set then. */
bool kernel_strip_ways(const struct kernel *k, int64_t n, const int64_t *elements, const int64_t *from,
		       enum strip_way *way);
/* Each of these strips. */
struct kernel *kernel_strip(struct arena *a, const struct kernel *k, int64_t n, const int64_t *elements,
			    const enum strip_way *way);

#endif
