/* simulate.h — layouts by trial. */
#ifndef PML_RANDOM_SIMULATE_H
#define PML_RANDOM_SIMULATE_H

#include "random.h"

/* What the ranks compute from operands laid out like this is for all of `rounds` random data a result laid out like
 * `out`. */
bool simulate(const struct app *a, int ranks, const struct atom *in, struct atom out, struct dice *d, int rounds);

#endif
