/* owners.h — rows taken by index from a table that is split: every element of the result is on one rank, and the
 * indices, which are whole on all ranks that share the table out, say on which. So a `to` that makes the rows whole, or
 * splits them, adds nothing up: each goes from its owner to all others, or to the one that keeps it
 * (runtime/transfer_rows.c, transfer_row_boxes.c). Rows that are added up in such a table go the way back. */
#ifndef PML_OWNERS_H
#define PML_OWNERS_H

#include "../graph/graph.h"

struct owners {
	int table, dim; /* operand of the map that is read, and the dimension of it that the indices go through */
	const struct node *rows; /* the indices */
	int at;                  /* their dimensions are those of the result from here on */
};

/* Whether a map gives rows that are owned so, and moving them there makes them whole along all axes that share the
 * table out, or splits them along all of these, and does nothing else. */
bool owners_find(const struct node *map, const struct place *to, const struct layout *l, struct owners *out);

/* Whether a map with parts gives rows that are owned so, on any number of ranks; and how they are laid out when they
 * are whole. */
bool owners_of_rows(const struct node *map, struct layout *whole);

/* Whether a movement makes rows whole along axes that share a table out, and does nothing else, for a map that adds
 * them up, each in the row of the table that its index names: then a rank needs only those of its own rows. table is
 * -1: the result of the map. The indices are known before it begins. */
bool owners_of_sums(const struct node *to, const struct node *map, struct owners *out);

/* The same of layouts. Where a map adds up what it takes as this operand, with a result of layout l: the axes that
 * share out the rows of that, as bits; else 0. */
uint32_t owners_axes(const struct node *map, int moved, const struct place *p, const struct layout *l);
/* Whether a movement makes whole what is split along some of these axes, and does nothing else. */
bool owners_return(const struct place *p, const struct layout *from, const struct layout *to, uint32_t owning);

#endif
