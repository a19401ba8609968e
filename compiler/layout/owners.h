/* owners.h — rows taken by index from a table that is split: every element of the result is on one rank, and the
 * indices, which are whole on all ranks that share the table out, say on which. So a `to` that makes the rows whole
 * adds nothing up: each goes from its owner to all others (runtime/transfer_rows.c). */
#ifndef PML_OWNERS_H
#define PML_OWNERS_H

#include "../graph/graph.h"

struct owners {
	int table, dim; /* operand of the map that is read, and the dimension of it that the indices go through */
	const struct node *rows; /* the indices */
	int at;                  /* their dimensions are those of the result from here on */
};

/* Whether a map gives rows that are owned so, and moving them there makes them whole along all axes that share the
 * table out, and does nothing else. */
bool owners_find(const struct node *map, const struct place *to, const struct layout *l, struct owners *out);

/* Whether a map with parts gives rows that are owned so, on any number of ranks; and how they are laid out when they
 * are whole. */
bool owners_of_rows(const struct node *map, struct layout *whole);

#endif
