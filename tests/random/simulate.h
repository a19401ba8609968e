/* simulate.h — layouts by trial. */
#ifndef PML_RANDOM_SIMULATE_H
#define PML_RANDOM_SIMULATE_H

#include "random.h"

/* What the ranks compute from operands laid out like this is for all of `rounds` random data a result laid out like
 * `out`. */
bool simulate(const struct app *a, int ranks, const struct atom *in, struct atom out, struct dice *d, int rounds);

/* How the operands may be seen on an axis: at most `most` ways in which some layout of the result can be computed. */
enum { MAX_WAYS = 200 };
struct ways {
	int n;
	struct atom seen[MAX_WAYS][MAX_OPERANDS];
};
int ways_on_axis(const struct app *a, int ranks, const struct atom *in, struct dice *d, int most, struct ways *out);
/* Whether ways on all axes go together: every rank has what it would read. */
bool possible_together(const struct app *a, const struct place *p, const struct layout *in, struct dice *d);

#endif
