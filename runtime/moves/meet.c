/* meet.c — see meet.h. The axes are walked from the outermost inwards, as shard_box cuts; on each that splits a
 * dimension only the coordinates that own something of the box are gone through; windows are looked at one by one.
 * Example: of 1024 elements over 1024 ranks, elements 10..12 are met at positions 10 and 11, two steps. */
#include "meet.h"

struct meet {
	const struct side *side;
	const struct box *with;
	const int64_t *only;
	meet_visitor *visit;
	void *context;
};

static void meet_axes(const struct meet *m, int axis, int64_t position, const struct box *b);

/* Whether a coordinate on an axis that alone reads a dimension through a window reads nothing of the box. */
static bool misses_window(const struct meet *m, int axis, int64_t c)
{
	const struct side *s = m->side;
	struct shard_atom x = s->atom[axis];
	int64_t coordinate[PMLRT_MAX_AXES] = {[0] = 0}, begin, end;
	if (x.kind != SHARD_WINDOW || side_windows(s, x.dim) != UINT32_C(1) << axis)
		return false;
	coordinate[axis] = c;
	shard_window_box(s->dim[x.dim], s->place->naxes, s->place->extent, s->atom, coordinate, axis, &begin, &end);
	return begin >= m->with->end[x.dim] || end <= m->with->begin[x.dim];
}

static void meet_coordinates(const struct meet *m, int axis, int64_t position, const struct box *b, int64_t first,
			     int64_t last)
{
	int64_t extent = m->side->place->extent[axis];
	if (m->only[axis] >= 0) {
		first = m->only[axis] > first ? m->only[axis] : first;
		last = m->only[axis] < last ? m->only[axis] : last;
	}
	for (int64_t c = first; c <= last; c++) {
		struct box part = *b;
		if (misses_window(m, axis, c))
			continue;
		struct shard_atom x = m->side->atom[axis];
		if (x.kind == SHARD_S)
			cuts_narrow(x, extent, c, &part.begin[x.dim], &part.end[x.dim]);
		meet_axes(m, axis + 1, position * extent + c, &part);
	}
}

static void meet_axes(const struct meet *m, int axis, int64_t position, const struct box *b)
{
	struct box common;
	if (axis == m->side->place->naxes) {
		bool later = m->side->shared || side_uses(m->side, SHARD_WINDOW);
		struct box own = later ? side_box(m->side, position) : *b;
		if (box_intersect(m->side->rank, &own, m->with, &common))
			m->visit(m->context, position, &common);
		return;
	}
	int64_t extent = m->side->place->extent[axis], first = 0, last = extent - 1;
	struct shard_atom x = m->side->atom[axis];
	if (x.kind == SHARD_S) {
		int d = x.dim;
		int64_t begin = m->with->begin[d] > b->begin[d] ? m->with->begin[d] : b->begin[d];
		int64_t end = m->with->end[d] < b->end[d] ? m->with->end[d] : b->end[d];
		if (begin >= end)
			return;
		first = cuts_owner(x, b->end[d] - b->begin[d], extent, begin - b->begin[d]);
		last = cuts_owner(x, b->end[d] - b->begin[d], extent, end - 1 - b->begin[d]);
	}
	meet_coordinates(m, axis, position, b, first, last);
}

void side_meet(const struct side *s, const struct box *with, const int64_t *only, meet_visitor *visit, void *context)
{
	struct meet m = {s, with, only, visit, context};
	struct box whole = {{0}, {0}};
	for (int d = 0; d < s->rank; d++)
		whole.end[d] = s->dim[d];
	meet_axes(&m, 0, 0, &whole);
}
