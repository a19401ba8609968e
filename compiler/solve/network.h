/* network.h — exact minimisation of a sum of small cost tables over variables with few values each.
 *
 * A factor is a table over a few variables; the cost of an assignment is the sum of its entries. network_solve finds
 * the least by eliminating one variable after the other: the tables that mention it are added up, minimised over it and
 * become one table over its neighbours. Cost and memory are exponential in the elimination width only, which is small
 * for the graphs of models, however long they are. */
#ifndef PML_SOLVE_NETWORK_H
#define PML_SOLVE_NETWORK_H

#include "cost.h"

#include "base/session.h"

struct factor_table {
	int nvars;
	int *vars;
	struct cost *at; /* row-major over the variables' values, the last variable fastest; factors may share it */
	bool gone;
	struct arena *memory; /* of a large table alone: ends when the table is gone; else NULL */
};

struct network {
	struct arena *arena;
	VEC(int) domains; /* number of values per variable */
	VEC(struct factor_table) factors;
};

void network_init(struct network *n, struct arena *a);
int network_variable(struct network *n, int values);
/* A new factor with an all-zero table; the caller fills it. Variables must differ. */
struct cost *network_factor(struct network *n, int nvars, const int *vars);
/* A new factor with the table of another one over variables of as many values, which may still be filled. */
void network_factor_like(struct network *n, int nvars, const int *vars, struct cost *table);

/* Entries of a table over these variables; INT64_MAX if that is too many. */
int64_t network_size(const struct network *n, int nvars, const int *vars);

/* Whether the elimination of all variables makes no table of more than max_table entries, and looks at no more than
 * max_sum entries in all; takes no time worth mentioning. */
bool network_is_narrow(const struct network *n, int64_t max_table, int64_t max_sum);

/* A network without values that no best assignment needs, in `pruned`, with tables of its own: forbidden ones are gone, and those never
 * better than another one of the variable. Gives for each variable what its values were in n. */
int **network_prune(const struct network *n, struct network *pruned, struct arena *a);

/* Writes the best value of each variable; ties go to the lower value of the variable eliminated later. *exact becomes false if tables
 * would grow over max_table entries, or take too long to fill, even for what is left of the network when it is pruned: then the
 * values are the best that rounds find in which some variables stay as they are, from all first values and from what promises most. */
struct cost network_solve(const struct network *n, int64_t max_table, int *value, bool *exact);

/* The cost of an assignment, added up from the factors alone. */
struct cost network_evaluate(const struct network *n, const int *value);

#endif
