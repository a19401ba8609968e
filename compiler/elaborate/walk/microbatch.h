/* microbatch.h — a body of micro-batches that is being walked; known to those who cut and add up. */
#ifndef PML_MICROBATCH_H
#define PML_MICROBATCH_H

#include "elab.h"

struct microbatch_walk {
	const struct microbatch *batch;
	int micro;
	struct loop *loop;        /* of which each turn is a micro-batch; NULL: `micro` alone is walked */
	const struct value *turn; /* its number */
	struct map sums;          /* by node: what its turns add up to */
	struct map shapes;        /* by node: whether it is whole (microbatch_whole.c) */
	int64_t rows;             /* of what is cut; -1: nothing yet */
	struct span at;           /* where that was read */
	const char *name;
	struct given given; /* by the first micro-batch */
	bool gives_gradients;
	VEC(const char *) whole; /* names of what stays whole */
	VEC(const char *) other; /* names refused because they have other rows than the first */
	VEC(int64_t) uneven;     /* numbers of rows refused because they are no multiple of the count */
};

#endif
