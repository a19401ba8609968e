/* order.h — in which order the variables of a network are eliminated: who shares a factor with whom, and what an
 * elimination costs. */
#ifndef PML_SOLVE_ORDER_H
#define PML_SOLVE_ORDER_H

#include "network.h"

/* The variables that share a factor with one, ascending. */
struct neighbours {
	int *at, n, cap;
};

enum order_by {
	BY_TABLE, /* the smallest table first */
	BY_FILL,  /* the fewest neighbours made known to each other first, each pair by the entries of a table over it;
		   * then the smallest table.  Takes longer to find, and makes smaller tables where a variable has many
		   * neighbours. */
};

struct offer {
	int64_t fill, table;
	int var;
};

/* Variables of one value are done from the start and connect nothing. */
struct order {
	const struct network *net;
	struct arena *arena;
	enum order_by by;
	struct neighbours *near;
	struct offer *price; /* per variable; `table`: entries of the table its elimination makes */
	bool *done;
	VEC(struct offer) heap; /* the least on top; offers that are not the price any more are skipped */
};

void order_begin(struct order *o, const struct network *n, enum order_by by, struct arena *a);
/* The variable to go next, ties to the lowest number, or -1 after the last; it stays. */
int order_next(struct order *o);
/* The variable is done; `linked`: its neighbours share a factor from now on. */
void order_retire(struct order *o, int var, bool linked);

#endif
