/* alike.c — see alike.h. Of boxes that are cut evenly a round has messages whose bytes are parts of the whole, and each
 * is copied or not by whether it is one piece of what a rank holds. So of a dimension that is cut it matters into how
 * many pieces, and whether these are of one element; of those that are not, whether one longer than 1 lies outside of
 * some that are cut. Sums that end on several ranks are shared out on the way by the lengths of dimensions
 * (moves_between). */
#include "alike.h"

#include "../../runtime/shard.h"

static bool uses(const struct placed_type *t, enum shard_kind kind)
{
	for (int a = 0; a < t->place->naxes; a++)
		if (t->place->extent[a] > 1 && t->layout.atom[a].kind == kind)
			return true;
	return false;
}

/* Whether sums, if there are any, stay in parts, or each ends on one rank. */
static bool goes_straight(const struct placed_type *src, const struct placed_type *dst)
{
	bool same = src->place == dst->place;
	if (!uses(src, SHARD_P) || (same && !uses(dst, SHARD_B)))
		return true;
	for (int a = 0; same && a < src->place->naxes; a++)
		if (src->layout.atom[a].kind == SHARD_P && !atom_equal(src->layout.atom[a], dst->layout.atom[a]))
			return false;
	return same;
}

/* Into how many pieces each dimension is cut; false: not evenly, or read through windows. */
static bool find_pieces(const struct placed_type *t, int64_t *pieces)
{
	for (int d = 0; d < t->shape.rank; d++)
		pieces[d] = 1;
	for (int a = 0; a < t->place->naxes; a++) {
		struct shard_atom x = t->layout.atom[a];
		if (x.kind > SHARD_P || x.shares)
			return false;
		if (x.kind == SHARD_S)
			pieces[x.dim] *= t->place->extent[a];
	}
	for (int d = 0; d < t->shape.rank; d++)
		if (!t->shape.dim[d] || t->shape.dim[d] % pieces[d])
			return false;
	return true;
}

/* The tensor as far as it matters: its dimensions that are cut, and one of 2 for those outside of each that are not.
 * now: by dimension that is cut, which one of these it is. */
static bool find_plain(const struct placed_type *src, const struct placed_type *dst, struct shape *plain, int8_t *now)
{
	int64_t from[MAX_RANK], to[MAX_RANK];
	bool outside = false;
	if (!goes_straight(src, dst) || !find_pieces(src, from) || !find_pieces(dst, to) ||
	    shape_volume(&src->shape) < 0)
		return false;
	*plain = (struct shape){0};
	for (int d = 0; d < src->shape.rank; d++) {
		int64_t n = from[d] / shard_gcd(from[d], to[d]) * to[d];
		if (n == 1) {
			outside |= src->shape.dim[d] > 1;
			continue;
		}
		if (src->shape.dim[d] % n)
			return false;
		if (outside)
			plain->dim[plain->rank++] = 2;
		now[d] = (int8_t)plain->rank;
		plain->dim[plain->rank++] = src->shape.dim[d] > n ? 2 * n : n;
		outside = false;
	}
	return true;
}

static void add_layout(struct memo *m, const struct placed_type *t, const int8_t *now)
{
	struct layout l = t->layout;
	for (int a = 0; now && a < t->place->naxes; a++)
		if (l.atom[a].kind == SHARD_S)
			l.atom[a].dim = t->place->extent[a] > 1 ? now[l.atom[a].dim] : 0;
	memo_add_pointer(m, t->place);
	layout_add_key(m, t->place, &l);
}

void alike_add_key(struct memo *m, const struct placed_type *src, const struct placed_type *dst)
{
	struct shape plain;
	int8_t now[MAX_RANK] = {0};
	bool is_plain = find_plain(src, dst, &plain, now);
	int64_t size = dtype_size(src->dtype);
	const struct shape *s = is_plain ? &plain : &src->shape;
	memo_add(m, (uint64_t)(is_plain ? size * shape_volume(&src->shape) : size));
	memo_add(m, (uint64_t)s->rank << 1 | is_plain);
	for (int d = 0; d < s->rank; d++)
		memo_add(m, (uint64_t)s->dim[d]);
	add_layout(m, src, is_plain ? now : NULL);
	add_layout(m, dst, is_plain ? now : NULL);
}
