/* averaged.h — whether a step in micro-batches does what the whole step does. `microbatch` averages what its parts
 * give, which is the same only where the value is a mean over rows: not a sum, not something that is normalised over
 * the batch, not something drawn at random for every row.
 *
 * The program is compared with itself in micro-batches, node by node, from the loss back to its data. A value of the
 * one has a part in the other: all of it; its rows; or a sum over rows that is, in the end, as many times as large in
 * each part as there are parts, because what it is divided by counts the rows. */
#ifndef PML_SEARCH_AVERAGED_H
#define PML_SEARCH_AVERAGED_H

#include "../program.h"

/* NULL if it does, else why that is not known. Both are elaborated, not simplified; micro has its gradient in `parts`
 * micro-batches. */
const char *averaged_refused(struct arena *a, const struct program *whole, const struct program *micro, int parts);

/* The same of one block, which is `one`, a single micro-batch, in the one program and `many` in the other: of its
 * gradients and of all else that it gives. */
const char *averaged_block_refused(struct arena *a, const struct program *whole, const struct microbatch *one,
				   const struct program *micro, const struct microbatch *many);

#endif
