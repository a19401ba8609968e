/* exchange.c — see exchange.h. */
#include "overlap.h"

#include "../../runtime/moves/mesh.h"

/* Elements that stay where they are: those a rank holds of a contribution that goes to it, rank by rank. */
static int64_t kept_by_ranks(const struct side *src, const struct side *dst)
{
	int64_t kept = 0;
	for (int64_t j = 0; j < dst->place->count; j++) {
		int64_t own = mesh_position(src->place, mesh_rank(dst->place, j));
		if (own < 0)
			continue;
		struct box held = side_box(src, own), to = side_box(dst, j), common;
		if (box_intersect(src->rank, &held, &to, &common) &&
		    moves_part(src, dst, side_numbers(src, own).contributions) == side_numbers(dst, j).parts)
			kept = count_add(kept, box_volume(src->rank, &common));
	}
	return kept;
}

/* Windows overlap: rank by rank, what it needs less what it has. */
static int64_t lacked_by_ranks(const struct side *src, const struct side *dst)
{
	int64_t lacks = 0;
	for (int64_t j = 0; j < dst->place->count; j++)
		lacks = count_add(lacks, moves_received(src, dst, mesh_rank(dst->place, j)));
	return lacks;
}

/* Every contribution covers its box once per replica of the destination, whichever part it goes to; what a rank holds
 * already does not travel. */
int64_t exchange_total(const struct side *src, const struct side *dst)
{
	int64_t kept = side_division(src).parts, all = count_mul(kept, side_division(dst).replicas);
	if (side_uses(dst, SHARD_WINDOW))
		return lacked_by_ranks(src, dst);
	for (int d = 0; d < src->rank; d++) {
		all = count_mul(all, src->dim[d]);
		kept = count_mul(kept, src->dim[d]);
	}
	if (all == INT64_MAX || src->shared) /* what is shared out is part of what each rank gets */
		return all == INT64_MAX ? all : all - kept;
	if (!overlap_on_mesh(src, dst, moves_finish(src, dst), &kept))
		kept = kept_by_ranks(src, dst);
	return all - kept;
}
