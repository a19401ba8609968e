/* exchange.h — elements that travel when a tensor changes its layout box by box: the counts of what runtime/moves.c
 * does.
 *
 * The source cuts the tensor into contributions, one per combination of its S and P coordinates, each held by as many
 * ranks as its B axes have. A receiver takes every contribution that meets its box, from itself if it holds it, else
 * from the holder with its own coordinates on the B axes, or, if it is not on the source, from the holder that the sum of its
 * contribution's and its replica's number picks. On a P destination a contribution goes to one part: that of the first holder which is on
 * the destination, else in turn; but a P that must be finished (combined otherwise than the destination) goes to part
 * 0. */
#ifndef PML_EXCHANGE_H
#define PML_EXCHANGE_H

#include "layout.h"

/* A tensor's layout on a placement. */
struct side {
	const struct place *place;
	struct layout layout;
	struct shape shape;
	int shared; /* 1 + the dimension along which ranks of B axes share out what they would all hold; 0: they do not */
};

/* Shapes have at least one dimension: scalars are vectors of one element. */

/* Elements sent between different ranks, over all ranks; INT64_MAX if it does not fit. */
int64_t exchange_total(const struct side *src, const struct side *dst);
/* Elements that one world rank sends to others. */
int64_t exchange_sent(const struct side *src, const struct side *dst, int32_t rank);
/* Elements that one world rank receives from others. */
int64_t exchange_received(const struct side *src, const struct side *dst, int32_t rank);

/* A P that several ranks shall hold whole goes in two phases: scattered over them (mid), then gathered. True if so. In
 * between every rank holds a part of what it holds in the end and, where dimensions allow, in the beginning. */
bool exchange_between(const struct side *src, const struct side *dst, struct side *mid);

bool side_has(const struct side *s, enum shard_kind kind); /* on an axis longer than 1 */
int64_t side_volume(const struct side *s, int64_t position);

/* Saturating: counts that do not fit are INT64_MAX. */
int64_t count_add(int64_t a, int64_t b);
int64_t count_mul(int64_t a, int64_t b);

#endif
