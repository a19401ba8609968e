/* improve.h — from a good assignment to better ones: large neighbourhood search. Some variables are free, the others
 * stay, and the best values of the free ones are searched for as a problem of their own. */
#ifndef PML_SOLVE_IMPROVE_H
#define PML_SOLVE_IMPROVE_H

#include "search.h"

struct improver {
	struct search *search; /* with an assignment found */
	struct arena *arena;
	uint64_t seed;
	double size;   /* variables to be free, about */
	bool *taken;   /* by variable */
	int64_t *used; /* by row, + 1 */
	int *rank;     /* scratch */
};

void improve_init(struct improver *m, struct search *s, struct arena *a);
/* One neighbourhood after another, of this or another size as they turn out to be easy or hard, with so much effort;
 * whether some were better. */
bool improve_run(struct improver *m, int64_t effort);

#endif
