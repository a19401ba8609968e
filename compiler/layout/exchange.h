/* exchange.h — elements that travel, over all ranks, when a tensor changes its layout box by box as runtime/moves has
 * it. The total needs no choice of holders. Example: S(0) on ranks 0..2 to B on ranks 2..4, f32[4]: both receivers take
 * both contributions, 8 elements. */
#ifndef PML_EXCHANGE_H
#define PML_EXCHANGE_H

#include "../../runtime/moves/count.h"
#include "../../runtime/moves/moves.h"
#include "../mesh/layout.h"

/* Elements sent between different ranks; INT64_MAX if it does not fit. One phase. */
int64_t exchange_total(const struct side *src, const struct side *dst);

#endif
