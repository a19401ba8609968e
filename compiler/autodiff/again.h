/* again.h — values inside of `remat { … }`, computed once more for one reverse pass. */
#ifndef PML_AUTODIFF_AGAIN_H
#define PML_AUTODIFF_AGAIN_H

#include "../graph/graph.h"

struct again;
struct tape;

/* For a reverse pass over the nodes below `end`. */
struct again *again_new(struct graph *g, int end, struct tape *t);
/* What the loop is a copy of; itself if of none. */
const struct loop *again_original(struct again *a, const struct loop *l);

/* The value of x, which is `reader` or an input of it, as the gradients of `reader` read it: x itself where it is kept,
 * else computed again, when `after` (the cotangent that the gradients begin with) is there. */
struct node *again_value(struct again *a, const struct node *reader, struct node *x, const struct node *after);
/* The loop as gradients of its exits read it: itself where it is kept, else its copy. */
struct loop *again_loop(struct again *a, struct loop *l, const struct node *after);

#endif
