/* moves.h — which box travels from which rank to which, for any two layouts: the one place where redistribution is
 * decided. No MPI in here: the transfers of the runtime, their byte counters and the tests read the same answer, and
 * a compiler can.
 *
 * The source layout cuts the tensor into contributions: one per combination of its S and P coordinates, each held by
 * as many ranks as its B axes have (replicas). A receiver takes every contribution that meets its box, from itself if
 * it can, else from the replica beside it, or, if it is not on the source, from one that its own numbers pick: their load is
 * even. On a P destination each contribution goes to
 * one part only; the other parts hold the combiner's identity. */
#ifndef RT_MOVES_H
#define RT_MOVES_H

#include "box.h"

/* A tensor on a placement. */
struct side {
	int32_t dtype, rank; /* rank >= 1: scalars are vectors of one element */
	int64_t dim[PMLRT_MAX_RANK];
	const struct pmlrt_place *place;
	struct shard_atom atom[PMLRT_MAX_AXES];
	/* Between two phases only: ranks that would all hold a box (B axes) share it out along dimension
	 * shared - 1; 0: they do not. */
	int32_t shared;
};

struct move {
	int32_t from, to; /* world ranks; equal: no byte travels */
	struct box box;
	int64_t number; /* of the receiver's box: equal for receivers that hold the same; see side_boxes */
	bool first; /* nothing before it wrote this box at the receiver: copy; else combine */
};

typedef void move_visitor(void *context, const struct move *move);

void side_make(struct side *s, const struct pmlrt_program *program, int32_t type);
struct box side_box(const struct side *s, int64_t position);
int64_t side_boxes(const struct side *s); /* numbers of boxes are below this */
bool side_uses(const struct side *s, enum shard_kind kind); /* on an axis longer than 1 */
/* The same ranks in the same order, on axes of the same extents. */
bool mesh_same(const struct pmlrt_place *a, const struct pmlrt_place *b);
int32_t side_combiner(const struct side *s);               /* of its first P axis */

/* Visits what a rank receives (or sends, also to itself), in the order in which it is to be combined. */
void moves_to(const struct side *src, const struct side *dst, int32_t rank, move_visitor *visit, void *context);
void moves_from(const struct side *src, const struct side *dst, int32_t rank, move_visitor *visit, void *context);

/* A P that several ranks shall hold finished goes in two phases: scattered over them (mid), then gathered. True
 * if so, with the layout in between, in which every rank holds a part of what it holds in the end; on one mesh, of what it
 * holds in the beginning as well, where dimensions allow. */
bool side_between(const struct side *src, const struct side *dst, struct side *mid);
/* Bytes a rank sends to others, over both phases. */
int64_t moves_bytes(const struct side *src, const struct side *dst, int32_t rank);

#endif
