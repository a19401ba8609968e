/* maker.h — the route of one rank while it is worked out. Shared by the files of route.h: reduced.c, rows.c, boxes.c.
 */
#ifndef PML_SECONDS_MAKER_H
#define PML_SECONDS_MAKER_H

#include "../../runtime/moves/mesh.h"
#include "../../runtime/moves/moves.h"
#include "meeting.h"
#include "route.h"

struct routes {
	struct arena *arena;
	const struct program *program;
	int *like;           /* by transfer: the first one that goes the same way */
	struct route **made; /* by transfer that others are like, by rank; NULL: not yet */
	int32_t *role;       /* by rank; -1: none */
	struct meetings meetings;
	struct memo shares;
	bool has_memory; /* the machine says what goes through memory that ranks of a host share */
};

/* One transfer of one rank being worked out. */
struct maker {
	struct arena *arena;
	struct routes *routes; /* what is known of others */
	const struct program *program;
	struct side src, dst;
	struct pmlrt_place room[2];
	int64_t size; /* of an element */
	int32_t rank;
	bool paired;
	bool in_memory; /* boxes go through memory that ranks of a host share, and sums do if they are short */
	struct route route;
	VEC(int64_t) begin; /* of the route, if its messages are boxes or halves */
};

/* What moves, and between what. */
void maker_sides(struct maker *m, const struct placed_type *src, const struct placed_type *dst);
struct route_round *maker_add_round(struct maker *m);
/* Of no bytes there is none. */
void maker_add_message(struct maker *m, struct route_round *r, int32_t peer, bool sends, int64_t bytes);

static inline bool maker_takes_part(const struct maker *m)
{
	return mesh_position(m->src.place, m->rank) >= 0 || mesh_position(m->dst.place, m->rank) >= 0;
}

/* ---- reduced.c: sums, and what MPI does among many ranks, along these axes ---- */

/* transfer: the carrier, with all that travels along; -1: the tensor alone. */
void route_all_reduce(struct maker *m, int transfer, uint32_t axes);
void route_reduce_scatter(struct maker *m, uint32_t axes);
void route_all_gather(struct maker *m, uint32_t axes);

/* ---- rows.c: rows taken by index, scattered along these axes or returned ---- */

void route_rows(struct maker *m, uint32_t axes);

/* ---- boxes.c: straight to whom it is due, in one phase or in two ---- */

/* nranks: m are the makers of all ranks; 0: it is that of one. */
void route_boxes(struct maker *m, int nranks, bool one_phase);

#endif
