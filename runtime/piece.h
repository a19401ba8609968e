/* piece.h — what a rank holds of a slot, and where it stands in a tensor of a file that is arranged otherwise (a
 * `names` block). */
#ifndef RT_PIECE_H
#define RT_PIECE_H

#include "rt.h"

/* n elements: the first at `local` of this rank's shard and at `stored` of the tensor, the next ones steps apart. All
 * in elements. */
struct piece_run {
	int64_t local, local_step, stored, stored_step, n;
};

/* Visits all that this rank holds of the piece, in the order of the file, in runs as long as possible. False as soon as
 * a visit is. */
typedef bool piece_visitor(void *context, const struct piece_run *run);
bool piece_each(struct pmlrt *rt, const struct pmlrt_names *names, const struct pmlrt_piece *piece,
		piece_visitor *visit, void *context);

/* Whether a name in a file is the one a `names` block means: what stands in brackets may be missing, `{}` is any
 * number. */
bool piece_name_is(const char *meant, const char *name);
/* The name a file is written with: without what may be missing. Belongs to rt. */
char *piece_name_plain(struct pmlrt *rt, const char *meant);

#endif
