/* fourier.h — maps that the transforms of the runtime compute (runtime/fourier/). */
#ifndef PML_KERNEL_FOURIER_H
#define PML_KERNEL_FOURIER_H

#include "../op/fourier.h"
#include "../roles/physical.h"

/* What of x is read, or of the result made, on this rank: parts and numbers from the origins on, so many of each, and
 * how many elements they are from each other; the first is `offset` elements from where the tensor begins. */
struct fourier_side {
	int64_t offset, parts, other, count, step;
	struct phys_origin part, first;
};

struct fourier {
	struct phys_node *x;
	enum dtype type;
	int64_t n;
	bool positive;
	struct fourier_side in, out;
	int nloops;
	struct fourier_loop loop[MAX_FACTORS]; /* outermost first */
};

/* True if the map is a transform (op/fourier.h) whose elements lie evenly. The sums stay valid everywhere else. */
bool fourier_of_map(struct phys_node *n, struct fourier *f);

/* Operations of all lines, about. */
int64_t fourier_flops(const struct fourier *f);

#endif
