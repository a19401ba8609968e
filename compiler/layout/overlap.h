/* overlap.h — what ranks hold already of what they shall get, in closed form over the coordinates of a mesh.
 *
 * The number of elements that a rank has on both sides is a product over dimensions, and each factor depends on the few
 * coordinates that split that dimension. Coordinates with shards of equal size are one class, so an axis of 1024 ranks
 * takes as many steps as one of 4; only where both sides cut a dimension in different ways (S(0) along one axis to S(0)
 * along another) single coordinates count, and then those alone whose shards meet. */
#ifndef PML_OVERLAP_H
#define PML_OVERLAP_H

#include "exchange.h"

/* Sums, over the ranks that are on both sides, the elements that the rank holds on either side. finish: see
 * moves_finish, an unfinished source goes to part 0 of the destination, so other parts count nothing; on a P
 * destination that takes parts as they are, a contribution held by several counts on the first of them. False if the
 * two placements are not parts of one mesh: then ranks have to be counted one by one. */
bool overlap_on_mesh(const struct side *src, const struct side *dst, bool finish, int64_t *elements);

#endif
