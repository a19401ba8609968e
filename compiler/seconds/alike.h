/* alike.h — transfers that take the same time are one key, so that it is found once for all of them. */
#ifndef PML_SECONDS_ALIKE_H
#define PML_SECONDS_ALIKE_H

#include "../program.h"

#include "base/memo.h"

/* Adds what the time of a transfer alone hangs on. Where all shards are even and nothing is finished, that is the bytes
 * in all, which dimensions are cut into how many pieces, and what lies outside of them: f32[4, 64, 768] from (S(2), B)
 * to (S(0), B) is f32[64, 4, 768]. Placements have to be those of one table. */
void alike_add_key(struct memo *m, const struct placed_type *src, const struct placed_type *dst);

#endif
