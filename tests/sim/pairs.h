/* pairs.h — what the tests of redistribution take pairs of layouts from: meshes, sizes of dimensions, layouts, and how
 * two placements lie to each other. */
#ifndef SIM_PAIRS_H
#define SIM_PAIRS_H

#include "pmlrt.h"
#include "sim.h"

enum { MESHES = 7, CUBE = 5, SIZES = 6, RELATIONS = 4, MOST_LAYOUTS = 400, MOST_DIMS = 3, COMBINERS = 4 };
enum relation { ALIGNED, PERMUTED, OVERLAPPING, DISJOINT };

struct mesh {
	int naxes;
	int64_t extent[3];
};

extern const struct mesh meshes[MESHES];
extern const int64_t sizes[SIZES];

/* All layouts of a tensor over a mesh that are tensors: parts of two reductions are none. out: MOST_LAYOUTS. */
int layouts_of(int mesh, int rank, const int64_t *dim, int32_t dtype, struct pmlrt_type *out);
bool has_parts(const struct pmlrt_type *t, int naxes);

/* Cuts some of its splits, and numbers of windows, in unequal shares. */
void draw_shares(int mesh, struct pmlrt_type *t, uint64_t *dice);

struct pmlrt_place mesh_place(int mesh, int32_t first);
/* A second placement, which lies to the first as drawn; ranks: storage for a permutation and its order, 2 *
 * SIM_MOST_RANKS. Returns how many ranks there are in all. */
int place_second(int mesh, enum relation relation, const struct pmlrt_place *from, struct pmlrt_place *to,
		 int32_t *ranks, uint64_t *dice);
int32_t draw_dtype(uint64_t *dice);

#endif
