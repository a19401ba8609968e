/* layout.c — questions about placements and layouts that need no search: ranks, boxes, equality, free conversions, and
 * how types are written. All arithmetic of shards is that of runtime/shard.h, so that what is printed here is what a
 * rank holds there. */
#include "layout.h"

#include "../op/signature.h"

#include <string.h>

/* The position of rank lowest + i, -1 if it is not on the placement; how far neighbours on an axis are apart, if the
 * list is such a mesh. */
struct place_lookup {
	int32_t lowest, highest, *position;
	bool is_mesh;
	int64_t stride[MAX_AXES];
};

int32_t place_rank(const struct place *p, int64_t position)
{
	return p->ranks ? p->ranks[position] : p->first + (int32_t)position;
}

int64_t place_position(const struct place *p, int32_t rank)
{
	if (!p->ranks)
		return rank >= p->first && rank - p->first < p->count ? rank - p->first : -1;
	if (p->lookup)
		return rank >= p->lookup->lowest && rank <= p->lookup->highest
			       ? p->lookup->position[rank - p->lookup->lowest]
			       : -1;
	for (int64_t i = 0; i < p->count; i++)
		if (p->ranks[i] == rank)
			return i;
	return -1;
}

static bool find_strides(const struct place *p, int64_t *stride)
{
	int64_t positions = 1, coordinate[MAX_AXES];
	for (int a = p->naxes - 1; a >= 0; a--) {
		stride[a] = p->ranks ? p->extent[a] > 1 ? p->ranks[positions] - p->ranks[0] : 1 : positions;
		positions *= p->extent[a];
	}
	for (int64_t i = 0; p->ranks && i < p->count; i++) {
		int64_t rank = p->ranks[0];
		place_coordinates(p, i, coordinate);
		for (int a = 0; a < p->naxes; a++)
			rank += coordinate[a] * stride[a];
		if (rank != p->ranks[i])
			return false;
	}
	return true;
}

bool place_strides(const struct place *p, int64_t *stride)
{
	if (!p->lookup)
		return find_strides(p, stride);
	memcpy(stride, p->lookup->stride, sizeof p->lookup->stride);
	return p->lookup->is_mesh;
}

void place_look_up(struct arena *a, struct place *p)
{
	if (!p->ranks || !p->count)
		return;
	struct place_lookup *t = ARENA_NEW(a, struct place_lookup);
	t->lowest = t->highest = p->ranks[0];
	for (int64_t i = 1; i < p->count; i++) {
		t->lowest = p->ranks[i] < t->lowest ? p->ranks[i] : t->lowest;
		t->highest = p->ranks[i] > t->highest ? p->ranks[i] : t->highest;
	}
	int64_t n = (int64_t)t->highest - t->lowest + 1;
	t->position = ARENA_ARRAY(a, int32_t, n);
	for (int64_t i = 0; i < n; i++)
		t->position[i] = -1;
	for (int64_t i = 0; i < p->count; i++)
		t->position[p->ranks[i] - t->lowest] = (int32_t)i;
	t->is_mesh = find_strides(p, t->stride);
	p->lookup = t;
}

void place_coordinates(const struct place *p, int64_t position, int64_t *coordinate)
{
	for (int a = p->naxes - 1; a >= 0; a--) {
		coordinate[a] = position % p->extent[a];
		position /= p->extent[a];
	}
}

bool place_same_ranks(const struct place *a, const struct place *b)
{
	if (a == b)
		return true;
	if (a->count != b->count)
		return false;
	if (!a->ranks && !b->ranks)
		return a->first == b->first;
	for (int64_t i = 0; i < a->count; i++)
		if (place_rank(a, i) != place_rank(b, i))
			return false;
	return true;
}

bool place_same_mesh(const struct place *a, const struct place *b)
{
	if (a->naxes != b->naxes || !place_same_ranks(a, b))
		return false;
	for (int i = 0; i < a->naxes; i++)
		if (a->extent[i] != b->extent[i])
			return false;
	return true;
}

bool place_overlap(const struct place *a, const struct place *b)
{
	if (a == b)
		return true;
	if (!a->ranks && !b->ranks)
		return a->first < b->first + b->count && b->first < a->first + a->count;
	if (a->lookup && b->lookup &&
	    (a->lookup->highest < b->lookup->lowest || b->lookup->highest < a->lookup->lowest))
		return false;
	for (int64_t i = 0; i < a->count; i++)
		if (place_position(b, place_rank(a, i)) >= 0)
			return true;
	return false;
}

struct shard_atom atom_of_variable(int var)
{
	return (struct shard_atom){.kind = SHARD_VARIABLE,
				   .combiner = (uint8_t)(var & 255),
				   .dim = (int8_t)((var >> 8 & 255) - 128),
				   .spare = (int8_t)((var >> 16 & 255) - 128)};
}

int atom_variable(struct shard_atom atom)
{
	return atom.kind == SHARD_VARIABLE ? atom.combiner | (atom.dim + 128) << 8 | (atom.spare + 128) << 16 : -1;
}

int layout_variables(const struct place *p, const struct layout_spec *l, int *list)
{
	int n = 0;
	if (l->form == LAYOUT_VAR)
		list[n++] = l->var;
	for (int a = 0; p && l->form == LAYOUT_GIVEN && a < p->naxes; a++)
		if (atom_variable(l->layout.atom[a]) >= 0)
			list[n++] = atom_variable(l->layout.atom[a]);
	return n;
}

struct layout layout_broadcast(void)
{
	return (struct layout){0};
}

bool layout_equal(const struct place *p, const struct layout *a, const struct layout *b)
{
	for (int i = 0; i < p->naxes; i++)
		if (!atom_equal(a->atom[i], b->atom[i]))
			return false;
	return true;
}

struct layout layout_plain(const struct place *p, const struct layout *l)
{
	struct layout plain = layout_broadcast();
	for (int i = 0; i < p->naxes; i++)
		if (p->extent[i] > 1)
			plain.atom[i] = l->atom[i];
	return plain;
}

bool layout_same(const struct place *p, const struct layout *a, const struct layout *b)
{
	for (int i = 0; i < p->naxes; i++)
		if (p->extent[i] > 1 && !atom_equal(a->atom[i], b->atom[i]))
			return false;
	return true;
}

bool layout_has_partial(const struct place *p, const struct layout *l)
{
	for (int i = 0; i < p->naxes; i++)
		if (l->atom[i].kind == SHARD_P)
			return true;
	return false;
}

bool layout_mixes_combiners(const struct place *p, const struct layout *l)
{
	int first = -1;
	for (int a = 0; a < p->naxes; a++) {
		if (l->atom[a].kind != SHARD_P)
			continue;
		if (first >= 0 && l->atom[a].combiner != l->atom[first].combiner)
			return true;
		first = a;
	}
	return false;
}

/* Slicing along axis a keeps every rank inside what it holds only if no inner axis has cut the same dimension: an inner
 * cut would start from what the new outer cut leaves, and so move. */
static bool cut_is_nested(const struct place *p, const struct layout *from, int a, int dim)
{
	for (int i = a + 1; i < p->naxes; i++)
		if (p->extent[i] > 1 && from->atom[i].kind == SHARD_S && from->atom[i].dim == dim)
			return false;
	return true;
}

bool layout_converts_freely(const struct place *p, const struct layout *from, const struct layout *to)
{
	for (int a = 0; a < p->naxes; a++) {
		if (atom_equal(from->atom[a], to->atom[a]))
			continue;
		if (from->atom[a].kind != SHARD_B)
			return false;
		if (to->atom[a].kind == SHARD_S && !cut_is_nested(p, from, a, to->atom[a].dim))
			return false;
	}
	return true;
}

void layout_box(const struct place *p, const struct layout *l, const struct shape *s, int64_t position, int64_t *begin,
		int64_t *end)
{
	int64_t coordinate[MAX_AXES];
	place_coordinates(p, position, coordinate);
	shard_box(s->rank, s->dim, p->naxes, p->extent, l->atom, coordinate, begin, end);
}

struct shape layout_local_shape(const struct place *p, const struct layout *l, const struct shape *s, int64_t position)
{
	struct shape local = {.rank = s->rank};
	int64_t begin[MAX_RANK], end[MAX_RANK];
	layout_box(p, l, s, position, begin, end);
	for (int d = 0; d < s->rank; d++)
		local.dim[d] = end[d] - begin[d];
	return local;
}

static void print_atom(struct text *t, struct shard_atom atom)
{
	if (atom_variable(atom) >= 0)
		text_printf(t, "?%d", atom_variable(atom));
	else
		atom_print(t, atom);
}

void layout_print(struct text *t, const struct place *p, const struct layout *l)
{
	if (p->naxes == 1 && p->axis[0][0] == '\0') {
		print_atom(t, l->atom[0]);
		return;
	}
	int printed = 0;
	for (int a = 0; a < p->naxes; a++) {
		if (l->atom[a].kind == SHARD_B)
			continue;
		text_printf(t, "%s%s=", printed++ ? ", " : "(", p->axis[a]);
		print_atom(t, l->atom[a]);
	}
	text_add(t, printed ? ")" : "B");
}

/* The distinct local shapes, largest first. Extents shrink along an axis and take at most two values, so the corners of
 * the placement show all of them. */
static int corner_shapes(const struct place *p, const struct layout *l, const struct shape *s, struct shape *out,
			 int max)
{
	int n = 0;
	for (int corner = 0; corner < 1 << p->naxes; corner++) {
		int64_t position = 0;
		for (int a = 0; a < p->naxes; a++)
			position = position * p->extent[a] + (corner >> (p->naxes - 1 - a) & 1 ? p->extent[a] - 1 : 0);
		struct shape local = layout_local_shape(p, l, s, position);
		bool known = false;
		for (int i = 0; i < n && !known; i++)
			known = shape_equal(&out[i], &local);
		if (!known && n < max)
			out[n++] = local;
	}
	return n;
}

void placed_type_print(struct text *t, enum dtype dtype, const struct shape *s, const struct place *p,
		       const struct layout *l)
{
	enum { SHOWN = 4 };
	type_print(t, dtype, s);
	if (!p)
		return;
	text_printf(t, " @ %s : ", p->name);
	layout_print(t, p, l);
	struct shape local[SHOWN];
	int n = corner_shapes(p, l, s, local, SHOWN);
	for (int i = 0; i < n; i++) {
		text_add(t, i ? " or " : n > 1 ? ", ranks " : ", each rank ");
		type_print(t, dtype, &local[i]);
	}
}
