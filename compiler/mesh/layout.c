/* layout.c — questions about layouts that need no search: boxes, equality, free conversions, and
 * how types are written. All arithmetic of shards is that of runtime/shard.h, so that what is printed here is what a
 * rank holds there. */
#include "layout.h"

#include "../op/signature.h"
#include "base/memo.h"

#include <string.h>

static struct shard_atom atom_of_number(int kind, int number)
{
	return (struct shard_atom){.kind = (uint8_t)kind,
				   .combiner = (uint8_t)(number & 255),
				   .dim = (int8_t)((number >> 8 & 255) - 128),
				   .spare = (int8_t)((number >> 16 & 255) - 128)};
}

static int number_of(struct shard_atom atom, int kind)
{
	return atom.kind == kind ? atom.combiner | (atom.dim + 128) << 8 | (atom.spare + 128) << 16 : -1;
}

struct shard_atom atom_of_variable(int var)
{
	return atom_of_number(SHARD_VARIABLE, var);
}

int atom_variable(struct shard_atom atom)
{
	return number_of(atom, SHARD_VARIABLE);
}

/* An open layout's number, and behind it how many dimensions of lines stand in front of the choice's. */
enum { OPEN_LINE = 1 << 20 };

struct shard_atom atom_of_open(int open)
{
	return atom_of_number(SHARD_OPEN, open);
}

int atom_open(struct shard_atom atom)
{
	int number = number_of(atom, SHARD_OPEN);
	return number < 0 ? -1 : number % OPEN_LINE;
}

static struct shard_atom atom_of_lines(struct shard_atom line)
{
	if (line.kind == SHARD_OPEN)
		return atom_of_number(SHARD_OPEN, number_of(line, SHARD_OPEN) + OPEN_LINE);
	line.dim = (int8_t)(line.dim + (line.kind == SHARD_S));
	return line;
}

struct shard_atom atom_chosen(struct shard_atom open, struct shard_atom choice)
{
	for (int lines = number_of(open, SHARD_OPEN) / OPEN_LINE; lines > 0; lines--)
		choice = atom_of_lines(choice);
	return choice;
}

struct layout layout_of_lines(const struct place *p, const struct layout *line)
{
	struct layout lines = *line;
	for (int a = 0; a < p->naxes; a++)
		lines.atom[a] = atom_of_lines(line->atom[a]);
	return lines;
}

struct layout_spec layout_spec_of_lines(const struct place *p, const struct layout_spec *line)
{
	struct layout_spec lines = *line;
	if (p && line->form == LAYOUT_GIVEN)
		lines.layout = layout_of_lines(p, &line->layout);
	return lines;
}

bool layout_of_line(const struct place *p, const struct layout *lines, struct layout *out)
{
	*out = *lines;
	for (int a = 0; a < p->naxes; a++)
		if (out->atom[a].kind == SHARD_S && out->atom[a].dim-- == 0)
			return false;
	return true;
}

int layout_open(const struct place *p, const struct layout *l)
{
	for (int a = 0; a < p->naxes; a++)
		if (atom_open(l->atom[a]) >= 0)
			return atom_open(l->atom[a]);
	return -1;
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

/* Slicing along axis a keeps every rank inside what it holds only if no inner axis has cut the same dimension: an inner
 * cut would start from what the new outer cut leaves, and so move. */
static bool cut_is_nested(const struct place *p, const struct layout *from, int a, int dim)
{
	for (int i = a + 1; i < p->naxes; i++)
		if (p->extent[i] > 1 && from->atom[i].kind == SHARD_S && from->atom[i].dim == dim)
			return false;
	return true;
}

void layout_add_key(struct memo *m, const struct place *p, const struct layout *l)
{
	uint64_t word = 0;
	for (int a = 0; a < p->naxes; a++) {
		const struct shard_atom *x = &l->atom[a];
		word = word << 32 | (uint64_t)(x->shares != NULL) << 31 | (uint64_t)x->kind << 24 |
		       (uint64_t)x->combiner << 16 | (uint64_t)(uint8_t)x->dim << 8 | (uint8_t)x->spare;
		if (a % 2 || a == p->naxes - 1) {
			memo_add(m, word);
			word = 0;
		}
		if (x->kind == SHARD_WINDOW) {
			memo_add(m, (uint64_t)(uint32_t)x->of << 32 | (uint32_t)x->step);
			memo_add(m, (uint64_t)(uint32_t)x->low << 32 | (uint32_t)x->high);
			memo_add(m, (uint64_t)x->div);
		}
		for (int32_t r = 0; x->shares && r < x->shares[0] + 2; r++)
			memo_add(m, (uint64_t)x->shares[r]);
	}
}

struct layout layout_finished(const struct place *p, const struct layout *l)
{
	struct layout out = *l, whole = layout_broadcast();
	for (int a = 0; a < p->naxes; a++)
		if (l->atom[a].kind == SHARD_P)
			out.atom[a] = whole.atom[a];
	return out;
}

struct layout layout_carried_over(const struct place *from, const struct layout *l, const struct place *to)
{
	struct layout out = layout_broadcast();
	for (int a = 0; a < to->naxes; a++)
		for (int b = 0; b < from->naxes; b++)
			if (to->axis[a] == from->axis[b])
				out.atom[a] = l->atom[b];
	return layout_fitted(&out, to);
}

struct layout layout_fitted(const struct layout *l, const struct place *to)
{
	struct layout out = *l;
	for (int a = 0; a < to->naxes; a++)
		if (out.atom[a].shares && out.atom[a].shares[0] != to->extent[a])
			out.atom[a].shares = NULL;
	return out;
}

static const int32_t *copy_shares(struct arena *a, const int32_t *shares)
{
	int32_t *copy = ARENA_ARRAY(a, int32_t, shares[0] + 2);
	memcpy(copy, shares, sizeof *copy * (size_t)(shares[0] + 2));
	return copy;
}

void layout_keep_shares(struct arena *a, const struct place *p, struct layout *l)
{
	for (int i = 0; i < p->naxes; i++)
		if (l->atom[i].shares)
			l->atom[i].shares = copy_shares(a, l->atom[i].shares);
}

static const int32_t *intern_shares(struct memo *known, const int32_t *shares)
{
	memo_begin(known);
	for (int32_t r = 0; r < shares[0] + 2; r++)
		memo_add(known, (uint64_t)shares[r]);
	void **one = memo_find(known);
	if (!*one)
		*one = (void *)copy_shares(known->by_hash.arena, shares);
	return *one;
}

void layout_intern_shares(struct memo *known, const struct place *p, struct layout *l)
{
	for (int i = 0; i < p->naxes; i++)
		if (l->atom[i].shares)
			l->atom[i].shares = intern_shares(known, l->atom[i].shares);
}

bool layout_has_window(const struct place *p, const struct layout *l)
{
	for (int i = 0; i < p->naxes; i++)
		if (l->atom[i].kind == SHARD_WINDOW)
			return true;
	return false;
}

bool layout_can_become(const struct place *p, const struct layout *from, const struct place *q, const struct layout *to)
{
	if (p == q && layout_same(p, from, to))
		return true;
	if (layout_has_window(p, from))
		return false;
	return !layout_has_window(q, to) || (p == q && !layout_has_partial(p, from));
}

bool layout_reaches(const struct place *p, const struct layout *from, const struct layout *to)
{
	for (int a = 0; a < p->naxes; a++) {
		struct shard_atom has = from->atom[a], want = to->atom[a];
		bool through = want.kind == SHARD_WINDOW && has.kind == SHARD_S && has.dim == want.dim;
		if (has.kind == SHARD_WINDOW)
			return false;
		if (!through && has.kind != SHARD_B && !atom_equal(has, want))
			return false;
	}
	return true;
}

/* Whether every rank has what it reads through windows. */
static bool has_windows(const struct place *p, const struct shape *s, const struct layout *from,
			const struct layout *to)
{
	if (!layout_reaches(p, from, to))
		return false;
	for (int64_t i = 0; i < p->count; i++) {
		int64_t had[2][MAX_RANK], wanted[2][MAX_RANK];
		layout_box(p, from, s, i, had[0], had[1]);
		layout_box(p, to, s, i, wanted[0], wanted[1]);
		bool empty = false, inside = true;
		for (int d = 0; d < s->rank; d++) {
			empty |= wanted[0][d] >= wanted[1][d];
			inside &= wanted[0][d] >= had[0][d] && wanted[1][d] <= had[1][d];
		}
		if (!empty && !inside)
			return false;
	}
	return true;
}

/* Whether both split the same dimension on axis a, and cut what the axes before it leave at the same elements. */
static bool splits_alike(const struct place *p, const struct shape *s, const struct layout *from,
			 const struct layout *to, int a)
{
	struct layout x = layout_broadcast(), y = layout_broadcast();
	int d = from->atom[a].dim;
	if (from->atom[a].kind != SHARD_S || to->atom[a].kind != SHARD_S || to->atom[a].dim != d)
		return false;
	for (int b = 0; b <= a; b++) {
		x.atom[b] = from->atom[b].kind == SHARD_S && from->atom[b].dim == d ? from->atom[b] : x.atom[b];
		y.atom[b] = to->atom[b].kind == SHARD_S && to->atom[b].dim == d ? to->atom[b] : y.atom[b];
	}
	for (int64_t i = 0; i < p->count; i++) {
		int64_t has[2][MAX_RANK], wants[2][MAX_RANK];
		layout_box(p, &x, s, i, has[0], has[1]);
		layout_box(p, &y, s, i, wants[0], wants[1]);
		if (has[0][d] != wants[0][d] || has[1][d] != wants[1][d])
			return false;
	}
	return true;
}

bool layout_converts_freely(const struct place *p, const struct shape *s, const struct layout *from,
			    const struct layout *to)
{
	if (layout_has_window(p, from) || layout_has_window(p, to))
		return layout_equal(p, from, to) || has_windows(p, s, from, to);
	for (int a = 0; a < p->naxes; a++) {
		if (atom_equal(from->atom[a], to->atom[a]) || splits_alike(p, s, from, to, a))
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

/* Of even splits the first rank has the most: on each axis the larger share of what the outer ones left. False if there
 * are others. */
static bool most_of_even(const struct place *p, const struct layout *l, struct shape *most)
{
	for (int a = 0; a < p->naxes; a++) {
		struct shard_atom x = l->atom[a];
		if (x.kind == SHARD_WINDOW || (x.kind == SHARD_S && !cuts_fall(x)))
			return false;
		if (x.kind == SHARD_S)
			most->dim[x.dim] = shard_count(most->dim[x.dim], p->extent[a], 0);
	}
	return true;
}

static bool cuts_of_layout_fall(const struct place *p, const struct layout *l)
{
	for (int a = 0; a < p->naxes; a++)
		if (l->atom[a].kind == SHARD_S && !cuts_fall(l->atom[a]))
			return false;
	return true;
}

struct shape layout_largest_shape(const struct place *p, const struct layout *l, const struct shape *s)
{
	struct shape most = *s;
	if (most_of_even(p, l, &most))
		return most;
	most = layout_local_shape(p, l, s, 0);
	for (int64_t i = cuts_of_layout_fall(p, l) ? p->count : 1; i < p->count; i++) {
		struct shape local = layout_local_shape(p, l, s, i);
		most = shape_volume(&local) > shape_volume(&most) ? local : most;
	}
	return most;
}

static void print_atom(struct text *t, struct shard_atom atom)
{
	if (atom_variable(atom) >= 0)
		text_printf(t, "?%d", atom_variable(atom));
	else if (atom_open(atom) >= 0)
		text_printf(t, "auto%d", number_of(atom, SHARD_OPEN));
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

enum { SHAPES_SHOWN = 4 };
struct local_shapes {
	const struct place *place;
	const struct layout *layout;
	const struct shape *whole;
	struct shape shape[SHAPES_SHOWN];
	int n;
	bool more;
};

static void add_local_shape(struct local_shapes *x, int64_t position)
{
	struct shape local = layout_local_shape(x->place, x->layout, x->whole, position);
	for (int i = 0; i < x->n; i++)
		if (shape_equal(&x->shape[i], &local))
			return;
	if (x->n < SHAPES_SHOWN)
		x->shape[x->n++] = local;
	else
		x->more = true;
}

/* The distinct local shapes, in the order of ranks: of every class of coordinates one, and the first and the last
 * where windows differ. left: what the axes before this one leave. */
static void find_local_shapes(struct local_shapes *x, int axis, int64_t position, struct shape left)
{
	if (axis == x->place->naxes) {
		add_local_shape(x, position);
		return;
	}
	int64_t k = x->place->extent[axis];
	struct shard_atom atom = x->layout->atom[axis];
	for (int64_t next, c = 0; c < k && !x->more; c = next) {
		struct shape part = left;
		next = c == k - 1 || atom.kind != SHARD_WINDOW ? k : k - 1;
		if (atom.kind == SHARD_S) {
			next = cuts_class_end(atom, left.dim[atom.dim], k, c);
			part.dim[atom.dim] = cuts_count(atom, left.dim[atom.dim], k, c);
		}
		find_local_shapes(x, axis + 1, position * k + c, part);
	}
}

void placed_type_print(struct text *t, enum dtype dtype, const struct shape *s, const struct place *p,
		       const struct layout *l)
{
	type_print(t, dtype, s);
	if (!p)
		return;
	text_printf(t, " @ %s : ", p->name);
	layout_print(t, p, l);
	struct local_shapes local = {.place = p, .layout = l, .whole = s};
	find_local_shapes(&local, 0, 0, *s);
	for (int i = 0; i < local.n; i++) {
		text_add(t, i ? " or " : local.n > 1 ? ", ranks " : ", each rank ");
		type_print(t, dtype, &local.shape[i]);
	}
	text_add(t, local.more ? " or others" : "");
}
