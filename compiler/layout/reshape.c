/* reshape.c — which splits survive a change of shape. Dimensions fall into groups with equal products on both sides
 * ([4, 6, 10] -> [24, 10]: {4, 6} {24}, {10} {10}). Row-major order keeps a split in one piece only on the outermost
 * dimension of its group, and only if every rank's part begins and ends on the same element before and after: 12 rows
 * over 5 ranks are not 4 rows of 3 over 5 ranks. */
#include "choice.h"

/* The group of dimensions of `s` that dimension d belongs to begins here; `t` is the other shape, its group begins at
 * *other. Dimensions of extent 1 at the border of a group are skipped. */
static int group_begin(const struct shape *s, const struct shape *t, int d, int *other)
{
	int i = 0, j = 0;
	while (i < s->rank) {
		int begin = i, begin_other = j;
		int64_t a = s->dim[i++], b = j < t->rank ? t->dim[j++] : 1;
		while (a != b) {
			if (a < b && i < s->rank)
				a *= s->dim[i++];
			else if (j < t->rank)
				b *= t->dim[j++];
			else if (i < s->rank)
				a *= s->dim[i++];
			else
				return -1;
		}
		if (d < i) {
			*other = begin_other;
			return begin;
		}
	}
	return -1;
}

static int outermost(const struct shape *s, int d)
{
	while (d < s->rank && s->dim[d] == 1)
		d++;
	return d;
}

/* Whether dimension d and all before it are the same in both shapes: those need no group, even of extent 1 or 0. */
static bool same_until(const struct shape *s, const struct shape *t, int d)
{
	for (int i = 0; i <= d; i++)
		if (i >= t->rank || s->dim[i] != t->dim[i])
			return false;
	return true;
}

/* Flat offsets of the part of dimension d's group that a box holds: [begin, end) times what lies inside the dimension,
 * up to the end of the tensor; the volume outside is the same on both sides. */
static bool same_elements(const struct shape *from, const struct layout *a, const struct shape *to,
			  const struct layout *b, const struct place *p)
{
	int64_t from_begin[MAX_RANK], from_end[MAX_RANK], to_begin[MAX_RANK], to_end[MAX_RANK];
	for (int64_t r = 0; r < p->count; r++) {
		layout_box(p, a, from, r, from_begin, from_end);
		layout_box(p, b, to, r, to_begin, to_end);
		for (int x = 0; x < p->naxes; x++) {
			if (a->atom[x].kind != SHARD_S)
				continue;
			int i = a->atom[x].dim, j = b->atom[x].dim;
			int64_t inside_from = 1, inside_to = 1;
			for (int d = i + 1; d < from->rank; d++)
				inside_from *= from->dim[d];
			for (int d = j + 1; d < to->rank; d++)
				inside_to *= to->dim[d];
			if (from_begin[i] * inside_from != to_begin[j] * inside_to ||
			    from_end[i] * inside_from != to_end[j] * inside_to)
				return false;
		}
	}
	return true;
}

bool reshape_layout(const struct place *p, const struct shape *from, const struct layout *l, const struct shape *to,
		    struct layout *out)
{
	*out = *l;
	if (shape_equal(from, to))
		return true;
	bool splits = false;
	for (int a = 0; a < p->naxes; a++) {
		if (l->atom[a].kind != SHARD_S)
			continue;
		splits = true;
		if (same_until(from, to, l->atom[a].dim))
			continue;
		int d = l->atom[a].dim, other = 0,
		    begin = shape_volume(from) > 0 ? group_begin(from, to, d, &other) : -1;
		if (begin < 0 || outermost(from, begin) != outermost(from, d))
			return false;
		other = outermost(to, other);
		if (other >= to->rank)
			return false;
		out->atom[a].dim = (int8_t)other;
	}
	return !splits || same_elements(from, l, to, out, p);
}
