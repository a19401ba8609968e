/* side.c — see side.h. */
#include "side.h"

#include "mesh.h"

#include <string.h>

struct side side_make(int32_t rank, const int64_t *dim, const struct pmlrt_place *place, const struct shard_atom *atom)
{
	struct side s = {.rank = rank ? rank : 1, .dim = {1}, .place = place};
	memcpy(s.dim, dim, sizeof *dim * (size_t)rank);
	memcpy(s.atom, atom, sizeof *atom * (size_t)place->naxes);
	return s;
}

bool side_repeats(const struct side *s, int axis)
{
	return s->atom[axis].kind == SHARD_B && !s->shared;
}

/* Cuts a box among the ranks of the B axes. */
static void share_out(const struct side *s, const int64_t *coordinate, struct box *b)
{
	int d = s->shared - 1;
	int64_t ranks = 1, own = 0, n = b->end[d] - b->begin[d];
	for (int a = 0; a < s->place->naxes; a++)
		if (s->atom[a].kind == SHARD_B) {
			own = own * s->place->extent[a] + coordinate[a];
			ranks *= s->place->extent[a];
		}
	b->begin[d] += shard_begin(n, ranks, own);
	b->end[d] = b->begin[d] + shard_count(n, ranks, own);
}

struct box side_box(const struct side *s, int64_t position)
{
	int64_t coordinate[PMLRT_MAX_AXES];
	struct box b = {{0}, {0}};
	mesh_coordinates(s->place->naxes, s->place->extent, position, coordinate);
	shard_box(s->rank, s->dim, s->place->naxes, s->place->extent, s->atom, coordinate, b.begin, b.end);
	if (s->shared)
		share_out(s, coordinate, &b);
	return b;
}

int64_t side_volume(const struct side *s, int64_t position)
{
	struct box b = side_box(s, position);
	return box_volume(s->rank, &b);
}

bool side_falls(const struct side *s)
{
	for (int a = 0; a < s->place->naxes; a++)
		if (s->atom[a].kind == SHARD_S && !cuts_fall(s->atom[a]))
			return false;
	return true;
}

int64_t side_most(const struct side *s)
{
	int64_t most = 0, looked_at = side_falls(s) ? 1 : s->place->count;
	for (int64_t i = 0; i < looked_at; i++) {
		int64_t volume = side_volume(s, i);
		most = volume > most ? volume : most;
	}
	return most;
}

bool side_uses(const struct side *s, enum shard_kind kind)
{
	for (int a = 0; a < s->place->naxes; a++)
		if (s->atom[a].kind == kind && s->place->extent[a] > 1)
			return true;
	return false;
}

int32_t side_combiner(const struct side *s)
{
	for (int a = 0; a < s->place->naxes; a++)
		if (s->atom[a].kind == SHARD_P && s->place->extent[a] > 1)
			return s->atom[a].combiner;
	return SHARD_SUM;
}

struct division side_division(const struct side *s)
{
	struct division d = {1, 1, 1};
	for (int a = 0; a < s->place->naxes; a++) {
		int64_t n = s->place->extent[a];
		*(side_repeats(s, a) ? &d.replicas : &d.contributions) *= n;
		if (s->atom[a].kind == SHARD_P)
			d.parts *= n;
	}
	return d;
}

struct division side_numbers(const struct side *s, int64_t position)
{
	struct division n = {0, 0, 0};
	int64_t coordinate[PMLRT_MAX_AXES];
	mesh_coordinates(s->place->naxes, s->place->extent, position, coordinate);
	for (int a = 0; a < s->place->naxes; a++) {
		int64_t k = s->place->extent[a], *number = side_repeats(s, a) ? &n.replicas : &n.contributions;
		*number = *number * k + coordinate[a];
		if (s->atom[a].kind == SHARD_P)
			n.parts = n.parts * k + coordinate[a];
	}
	return n;
}

int64_t side_holder(const struct side *s, int64_t contribution, int64_t replica)
{
	int64_t position = 0, stride = 1;
	for (int a = s->place->naxes - 1; a >= 0; a--) {
		int64_t *number = side_repeats(s, a) ? &replica : &contribution;
		position += *number % s->place->extent[a] * stride;
		*number /= s->place->extent[a];
		stride *= s->place->extent[a];
	}
	return position;
}

static uint32_t axes_along(const struct side *s, enum shard_kind kind, int d)
{
	uint32_t axes = 0;
	for (int a = 0; a < s->place->naxes; a++)
		if (s->atom[a].kind == kind && s->atom[a].dim == d && s->place->extent[a] > 1)
			axes |= UINT32_C(1) << a;
	return axes;
}

uint32_t side_splits(const struct side *s, int d)
{
	return axes_along(s, SHARD_S, d);
}

uint32_t side_windows(const struct side *s, int d)
{
	return axes_along(s, SHARD_WINDOW, d);
}

uint32_t side_changes(const struct side *src, const struct side *dst)
{
	uint32_t changed = 0;
	for (int a = 0; a < src->place->naxes; a++)
		if (src->place->extent[a] > 1 && !atom_equal(src->atom[a], dst->atom[a]))
			changed |= UINT32_C(1) << a;
	return changed;
}
