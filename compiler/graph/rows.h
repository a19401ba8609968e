/* rows.h — which row of a batch an element comes from, for messages about what data holds. */
#ifndef PML_ROWS_H
#define PML_ROWS_H

#include "graph.h"

/* Element i (row-major, of the logical tensor) is made of row first + i / per * step of field `field` of the batch in
 * the region's argument `argument`, and of nothing else that varies; in a loop (NULL: in none) of a row that is `turn`
 * further in every turn. argument -1: of no row in particular. */
struct batch_rows {
	int argument, field;
	int64_t first, per, step, turn;
	const struct loop *loop;
};

struct batch_rows node_batch_rows(const struct node *n);

#endif
