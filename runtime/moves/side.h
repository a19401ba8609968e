/* side.h — a tensor laid out on a placement, as one end of a redistribution: what its ranks hold.
 *
 * Its S and P axes cut it into contributions, one per combination of their coordinates; each is held by as many ranks
 * as its B axes have, the replicas. Contributions that differ in the coordinates of P axes alone are parts of one box.
 */
#ifndef PML_MOVES_SIDE_H
#define PML_MOVES_SIDE_H

#include "box.h"

struct side {
	int32_t rank; /* at least 1: scalars are vectors of one element */
	int64_t dim[PMLRT_MAX_RANK];
	const struct pmlrt_place *place;
	struct shard_atom atom[PMLRT_MAX_AXES];
	/* Between two phases only: ranks that would all hold a box (B axes) share it out along dimension
	 * shared - 1; 0: they do not. */
	int32_t shared;
};

/* How positions divide into contributions, the parts among these, and replicas; or the numbers of these that one
 * position has. */
struct division {
	int64_t contributions, parts, replicas;
};

struct side side_make(int32_t rank, const int64_t *dim, const struct pmlrt_place *place, const struct shard_atom *atom);
struct box side_box(const struct side *s, int64_t position);
int64_t side_volume(const struct side *s, int64_t position);
/* Whether no rank has more than the first, windows aside; the most that a rank holds. */
bool side_falls(const struct side *s);
int64_t side_most(const struct side *s);
struct division side_division(const struct side *s);
struct division side_numbers(const struct side *s, int64_t position);
/* The position that holds a contribution as the replica of that number. */
int64_t side_holder(const struct side *s, int64_t contribution, int64_t replica);

bool side_uses(const struct side *s, enum shard_kind kind); /* on an axis longer than 1 */
int32_t side_combiner(const struct side *s);                /* of its first P axis */
/* Whether an axis makes no difference to what its ranks hold. */
bool side_repeats(const struct side *s, int axis);
/* The axes longer than 1 that split dimension d, as bits. */
uint32_t side_splits(const struct side *s, int d);
/* The axes longer than 1 that read dimension d through a window, as bits. */
uint32_t side_windows(const struct side *s, int d);
/* The axes longer than 1 on which two layouts of one mesh differ, as bits. */
uint32_t side_changes(const struct side *src, const struct side *dst);

#endif
