/* meet.h — which boxes of a side meet a given box, found without looking at the others. */
#ifndef PML_MOVES_MEET_H
#define PML_MOVES_MEET_H

#include "side.h"

typedef void meet_visitor(void *context, int64_t position, const struct box *common);

/* Visits the positions of a side whose boxes have something in common with a box, in ascending order. only[a] >= 0: of
 * an axis that coordinate alone. Takes as many steps as there are such positions, times axes; where ranks share a box
 * out
 * (`shared`), as many as they are. */
void side_meet(const struct side *s, const struct box *with, const int64_t *only, meet_visitor *visit, void *context);

#endif
