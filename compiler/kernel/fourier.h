/* fourier.h — maps that the transforms of the runtime compute (runtime/fourier/). */
#ifndef PML_KERNEL_FOURIER_H
#define PML_KERNEL_FOURIER_H

#include "../../runtime/fourier_way.h"
#include "../op/fourier.h"
#include "../roles/physical.h"

/* What of x is read, or of the result made, on this rank: parts and numbers from the origins on, so many of each,
 * numbers `step` elements from each other. Each part is in a tensor, which may be the same, and begins at an offset
 * there. */
struct fourier_side {
	struct phys_node *at[2];
	int64_t offset[2], parts, count, step;
	int64_t behind; /* parts before the first one that is there, from the origin */
	struct phys_origin part, first;
};

struct fourier {
	enum dtype type;
	int64_t n;
	bool positive;
	enum fourier_numbers numbers; /* on all ranks */
	double scale;
	bool in_ends_halved,
		out_ends_halved; /* numbers 0 and n / 2 are, for they are their own conjugates (op/fourier.h) */
	struct fourier_side in, out;
	int nloops;
	struct fourier_loop loop[MAX_FACTORS]; /* outermost first */
};

/* True if the map is a transform (op/fourier.h) whose elements lie evenly. The sums stay valid everywhere else. */
bool fourier_of_map(struct phys_node *n, struct fourier *f);

/* The same, where x is put together of two tensors, reading these: `f->in.at` is other than the map's input then. */
void fourier_read_through(const struct phys_node *n, struct fourier *f);
/* The same, where the result is read in two parts, each as a tensor of its own, and these are: they are what is made.
 * False if they do not lie alike. */
bool fourier_make_parts(const struct phys_node *n, struct phys_node *const parts[2], struct fourier *f);
/* The same, where one part alone is read: it alone is made, with the bits that both would have. */
bool fourier_make_part(const struct phys_node *n, struct phys_node *part, struct fourier *f);

/* Operations of all lines, about. */
int64_t fourier_flops(const struct fourier *f);

#endif
