/* layers.h — what each layer of a plain program takes, of which a pipeline's stages are made (cuts.h). Layers are the
 * elements of lists of params: what is computed from element i, and from none behind it, belongs to layer i; what
 * stands in front of all of them to the first, what is made of the last to the last. */
#ifndef PML_SEARCH_LAYERS_H
#define PML_SEARCH_LAYERS_H

#include "../machine/machine.h"
#include "../program.h"

/* By layer, on one rank, for all rows of a step or, in a program with micro-batches, for those of one. Times in ns, of
 * the machine's slowest processor. */
struct layers {
	int n;
	double *forward, *backward, *weights; /* weights: what no layer in front waits for; backward: the rest */
	int64_t *fixed;                       /* bytes of params, states and gradients */
	int64_t *kept;                        /* bytes of what the backward pass reads */
	int64_t *message;                     /* bytes that layer i reads of those in front of it; of layer 0: 0 */
};

/* How many elements the longest of the lists of params with these names has. */
int layers_count(const struct program *p, const char *const *lists, int nlists);

/* Of an elaborated program in whose graphs the layers stand one by one. n is 0 if it has no gradient or no layers. */
struct layers *layers_of(struct arena *a, const struct program *p, const struct machine *m, const char *const *lists,
			 int nlists);

#endif
