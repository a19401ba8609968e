/* mesh.h — the ranks of a placement: who stands at which position of it. */
#ifndef PML_MOVES_MESH_H
#define PML_MOVES_MESH_H

#include "../pmlrt.h"

int32_t mesh_rank(const struct pmlrt_place *m, int64_t position);
/* Position of a world rank, or -1. */
int64_t mesh_position(const struct pmlrt_place *m, int32_t rank);
/* The coordinate on each axis of a position. */
void mesh_coordinates(int naxes, const int64_t *extent, int64_t position, int64_t *coordinate);
/* How many ranks differ on some axes alone, and the number of one of them, by its coordinates. */
int64_t mesh_extent(const struct pmlrt_place *m, uint32_t axes);
int64_t mesh_number(const struct pmlrt_place *m, uint32_t axes, const int64_t *coordinate);
/* Whether ranks that differ in their coordinates on these axes alone are on several hosts; host: by world rank, NULL if
 * there is one. */
bool mesh_parts_hosts(const struct pmlrt_place *m, uint32_t axes, const int32_t *host);
/* The same ranks in the same order; also on axes of the same extents. */
bool mesh_same_ranks(const struct pmlrt_place *a, const struct pmlrt_place *b);
bool mesh_same(const struct pmlrt_place *a, const struct pmlrt_place *b);

#endif
