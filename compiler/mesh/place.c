/* place.c — placements: named arrays of ranks, asked as the runtime asks them (runtime/moves/mesh.h). */
#include "layout.h"

#include "../../runtime/moves/mesh.h"

#include <stdlib.h>
#include <string.h>

struct ranked {
	int32_t rank, position;
};

const struct pmlrt_place *place_table(const struct place *p, struct pmlrt_place *room)
{
	if (p->table)
		return p->table;
	*room = (struct pmlrt_place){
		.name = p->name, .naxes = p->naxes, .count = p->count, .first = p->first, .ranks = p->ranks};
	memcpy(room->axis, p->axis, sizeof room->axis);
	memcpy(room->extent, p->extent, sizeof room->extent);
	return room;
}

static int by_rank(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	return (x->rank > y->rank) - (x->rank < y->rank);
}

/* The positions of a list of ranks in the order of the ranks. */
static const int32_t *order_of(struct arena *a, const struct pmlrt_place *p)
{
	struct ranked *all = ARENA_ARRAY(a, struct ranked, p->count);
	int32_t *order = ARENA_ARRAY(a, int32_t, p->count);
	for (int64_t i = 0; i < p->count; i++)
		all[i] = (struct ranked){p->ranks[i], (int32_t)i};
	qsort(all, (size_t)p->count, sizeof *all, by_rank);
	for (int64_t i = 0; i < p->count; i++)
		order[i] = all[i].position;
	return order;
}

static bool find_strides(const struct pmlrt_place *p, int64_t *stride)
{
	int64_t positions = 1, coordinate[MAX_AXES];
	for (int a = p->naxes - 1; a >= 0; a--) {
		stride[a] = p->ranks ? p->extent[a] > 1 ? p->ranks[positions] - p->ranks[0] : 1 : positions;
		positions *= p->extent[a];
	}
	for (int64_t i = 0; p->ranks && i < p->count; i++) {
		int64_t rank = p->ranks[0];
		mesh_coordinates(p->naxes, p->extent, i, coordinate);
		for (int a = 0; a < p->naxes; a++)
			rank += coordinate[a] * stride[a];
		if (rank != p->ranks[i])
			return false;
	}
	return true;
}

bool mesh_strides(const struct pmlrt_place *p, int64_t *stride)
{
	if (!p->stride)
		return find_strides(p, stride);
	memcpy(stride, p->stride, sizeof *stride * (size_t)p->naxes);
	return stride[0] != 0;
}

void place_look_up(struct arena *a, struct place *p)
{
	struct pmlrt_place *t = ARENA_NEW(a, struct pmlrt_place);
	int64_t *stride = ARENA_ARRAY(a, int64_t, MAX_AXES);
	p->table = NULL;
	p->table = place_table(p, t);
	if (!p->ranks || !p->count)
		return;
	t->order = order_of(a, t);
	if (!find_strides(t, stride))
		memset(stride, 0, sizeof *stride * MAX_AXES);
	t->stride = stride;
}

int32_t place_rank(const struct place *p, int64_t position)
{
	struct pmlrt_place room;
	return mesh_rank(place_table(p, &room), position);
}

int64_t place_position(const struct place *p, int32_t rank)
{
	struct pmlrt_place room;
	return mesh_position(place_table(p, &room), rank);
}

void place_coordinates(const struct place *p, int64_t position, int64_t *coordinate)
{
	mesh_coordinates(p->naxes, p->extent, position, coordinate);
}

bool place_same_ranks(const struct place *a, const struct place *b)
{
	struct pmlrt_place here, there;
	return a == b || mesh_same_ranks(place_table(a, &here), place_table(b, &there));
}

bool place_same_mesh(const struct place *a, const struct place *b)
{
	struct pmlrt_place here, there;
	return a == b || mesh_same(place_table(a, &here), place_table(b, &there));
}

bool place_overlap(const struct place *a, const struct place *b)
{
	if (a == b)
		return true;
	if (!a->ranks && !b->ranks)
		return a->first < b->first + b->count && b->first < a->first + a->count;
	for (int64_t i = 0; i < a->count; i++)
		if (place_position(b, place_rank(a, i)) >= 0)
			return true;
	return false;
}

int place_ncuts(const struct place *p, int axis)
{
	return 1 + (p->cuts && p->extent[axis] > 1 ? p->cuts->axis[axis].n : 0);
}

struct place_cut place_cut(const struct place *p, int axis, int i)
{
	return i == 0 ? (struct place_cut){.atom = {.kind = SHARD_S}} : p->cuts->axis[axis].at[i - 1];
}

bool cut_is_for(struct place_cut cut, int64_t extent)
{
	return cut.extent == 0 || cut.extent == extent;
}

static void note_cut(struct arena *a, struct place *p, int axis, struct place_cut cut)
{
	for (int i = 0; p->cuts && i < p->cuts->axis[axis].n; i++) {
		struct place_cut *known = &p->cuts->axis[axis].at[i];
		if (!cuts_equal(known->atom, cut.atom))
			continue;
		known->extent = cut_is_for(*known, cut.extent) ? known->extent : 0;
		return;
	}
	if (!p->cuts)
		p->cuts = ARENA_NEW(a, struct place_cuts);
	vec_push(a, &p->cuts->axis[axis], cut);
}

void place_note_cuts(struct arena *a, struct place *p, const struct layout *l, const struct shape *s)
{
	for (int x = 0; x < p->naxes; x++) {
		struct shard_atom atom = l->atom[x];
		if (atom.kind != SHARD_S || !atom.shares || p->extent[x] == 1)
			continue;
		struct place_cut cut = {{.kind = SHARD_S, .shares = atom.shares}, s ? s->dim[atom.dim] : 0};
		note_cut(a, p, x, cut);
	}
}
