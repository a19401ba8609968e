/* choice.c — see choice.h. On several axes every combination of one signature per axis is a choice; signatures that
 * differ in no atom are one. */
#include "choice.h"

#include "../graph/known.h"
#include "../solve/cost.h"

#include <string.h>

enum { MAX_CHOICES = 4096, MAX_CUTS = 16 };

/* What may be used on an axis: numbers of a signature and of cuts. */
struct way {
	uint16_t signature;
	uint8_t cut;
};

struct ways {
	const struct signature *signatures;
	struct shard_atom cuts[MAX_CUTS];
	int ncuts;
	VEC(struct way) at;
};

/* A way as a choice has it. */
struct used {
	uint16_t number; /* of the signature */
	const struct signature *atoms;
	struct shard_atom cuts;
	struct signature cut;
	struct shard_atom room[MAX_OPERANDS];
};

struct choices {
	struct arena *arena;
	const struct node *node;
	const struct place *place; /* the node's, or what stands for it */
	const struct choice *base; /* for the axes that do not vary */
	int axis;
	const struct layout *has; /* of the operands, if only choices that they fit are wanted */
	VEC(struct choice) list;
};

/* An axis of one rank says nothing: it is as in the base, if there is one. */
static bool axis_varies(const struct place *p, bool has_base, int asked, int axis)
{
	return (asked == ALL_AXES || asked == axis) && !(has_base && p->extent[axis] == 1);
}

static bool varies(const struct choices *c, int axis)
{
	return axis_varies(c->place, c->base, c->axis, axis);
}

/* ---- work ---- */

static int64_t times(int64_t a, int64_t b)
{
	int64_t product;
	return __builtin_mul_overflow(a, b, &product) ? INT64_MAX / 4 : product;
}

static int64_t local_bytes(const struct choices *c, const struct layout *l)
{
	struct shape local = layout_largest_shape(c->place, l, &c->node->shape);
	return times(shape_volume(&local), dtype_size(c->node->dtype));
}

/* Points of the busiest rank: a split factor is shared out, everything else is done by all. */
static int64_t local_points(const struct choices *c, const struct used *axes)
{
	const struct rule *r = c->node->rule;
	int64_t extent[MAX_FACTORS], points = 1;
	for (int f = 0; f < r->nfactors; f++)
		extent[f] = r->factor[f].extent;
	for (int a = 0; a < c->place->naxes; a++) {
		int f = axes[a].atoms->factor;
		if (f >= 0)
			extent[f] = cuts_most(axes[a].cuts, extent[f], c->place->extent[a]);
	}
	for (int f = 0; f < r->nfactors; f++)
		points = times(points, extent[f]);
	return points;
}

bool choice_multiplies(const struct rule *r)
{
	return r->combiner == COMBINE_SUM && scalar_is_product(r->body);
}

bool choice_begins_anywhere(const struct node *n, const struct choice *c)
{
	const struct signature *s;
	signatures_of_known(n->rule, n->in, &s);
	for (int a = 0; a < n->place->naxes; a++)
		for (int k = 0; k < n->nin; k++)
			for (int d = 0; d < n->rule->operand[k].rank && c->in[k].atom[a].kind == SHARD_B; d++) {
				const struct index *x = &n->rule->operand[k].index[d];
				if (n->place->extent[a] > 1 && x->nterms > 1 &&
				    index_coef(x, s[c->signature[a]].factor))
					return true;
			}
	return false;
}

/* Of the busiest rank. What a loop takes where there could be a product is about so many times as much: to cut out what
 * is read of a tensor that is whole costs less. */
enum { LOOP_FOR_PRODUCT = 8 };
static int64_t work_of(const struct choices *c, const struct choice *x, const struct used *axes, int64_t flops)
{
	bool loop = choice_multiplies(c->node->rule) && choice_begins_anywhere(c->node, x);
	int64_t work = times(local_points(c, axes), flops);
	return count_add(loop ? times(work, LOOP_FOR_PRODUCT) : work, local_bytes(c, &x->out));
}

/* ---- maps ---- */

static void reserve(struct choices *c, int64_t n)
{
	c->list.cap = (int)(n < MAX_CHOICES ? n : MAX_CHOICES);
	c->list.at = ARENA_ARRAY(c->arena, struct choice, c->list.cap);
}

static void add_choice(struct choices *c, const struct choice *x)
{
	if (c->list.n < MAX_CHOICES)
		vec_push(c->arena, &c->list, *x);
}

/* Two axes that share out one factor nest: the second takes its part of what the first left. An operand that has the
 * factor in two dimensions (the diagonal x[i, i]) must be cut in the same one, or its shard lacks what the nested part
 * needs. */
static bool cuts_nest(const struct choices *c, const struct used *axes)
{
	for (int a = 0; a < c->place->naxes; a++)
		for (int b = a + 1; b < c->place->naxes; b++) {
			const struct signature *x = axes[a].atoms, *y = axes[b].atoms;
			for (int i = 0; x->factor >= 0 && x->factor == y->factor && i < c->node->nin; i++)
				if (x->operand[i].kind == SHARD_S && y->operand[i].kind == SHARD_S &&
				    x->operand[i].dim != y->operand[i].dim)
					return false;
		}
	return true;
}

/* Whether an operand is read through a window on axis a, and what stands on axis b goes with it: not another cut or
 * window of the dimension, no parts, and the factor, if it is shared out again, by the same window. Equal windows of
 * two factors, as of y and p in x[y + p], are boxes of their sum, which no nesting of shares is. */
static bool goes_with_window(const struct signature *x, const struct signature *y, int i)
{
	struct shard_atom here = x->operand[i], there = y->operand[i];
	if (here.kind != SHARD_WINDOW)
		return true;
	bool same = x->factor == y->factor, equal = atom_equal(here, there);
	if (there.kind == SHARD_P || (x->factor >= 0 && same && !equal))
		return false;
	return there.kind == SHARD_B || there.dim != here.dim || (same && equal);
}

static bool windows_nest(const struct choices *c, const struct used *axes)
{
	for (int a = 0; a < c->place->naxes; a++)
		for (int b = 0; b < c->place->naxes; b++)
			for (int i = 0; a != b && i < c->node->nin; i++)
				if (!goes_with_window(axes[a].atoms, axes[b].atoms, i))
					return false;
	return true;
}

/* Whether rows are read that no share has to do with: between them may lie many. */
static bool reads_rows(const struct place *p, const struct layout *l)
{
	for (int a = 0; a < p->naxes; a++)
		if (l->atom[a].kind == SHARD_WINDOW && !l->atom[a].step)
			return true;
	return false;
}

static bool join_windows(const struct choices *c, int i, struct layout *x, struct layout *y)
{
	if (reads_rows(c->place, x) || reads_rows(c->place, y))
		return false;
	const int64_t *dim = c->node->rule->operand[i].dim;
	struct layout hull = *x;
	for (int a = 0; a < c->place->naxes; a++)
		if (!atom_equal(x->atom[a], y->atom[a]) && !atom_hull(x->atom[a], y->atom[a], dim, &hull.atom[a]))
			return false;
	*x = *y = hull;
	return true;
}

/* A value that is read several times, x[i - 1] + x[i], is fetched once for all. */
static void share_windows(const struct choices *c, struct choice *x)
{
	for (int i = c->node->nin - 1; i > 0; i--)
		for (int k = 0; k < i; k++)
			if (c->node->in[i] == c->node->in[k])
				join_windows(c, i, &x->in[i], &x->in[k]);
	for (int i = 1; i < c->node->nin; i++)
		for (int k = 0; k < i; k++)
			if (c->node->in[i] == c->node->in[k])
				join_windows(c, i, &x->in[i], &x->in[k]);
}

static void add_map_choice(struct choices *c, const struct used *axes, int64_t flops)
{
	struct choice x = {.out = layout_broadcast()};
	for (int a = 0; a < c->place->naxes; a++) {
		x.signature[a] = axes[a].number;
		x.serves |= axes[a].atoms->split_operand >= 0;
		x.out.atom[a] = axes[a].atoms->out;
	}
	if (atoms_mix(c->place->naxes, x.out.atom) || !cuts_nest(c, axes) || !windows_nest(c, axes))
		return;
	x.in = ARENA_ARRAY(c->arena, struct layout, c->node->nin);
	for (int a = 0; a < c->place->naxes; a++)
		for (int i = 0; i < c->node->nin; i++)
			x.in[i].atom[a] = axes[a].atoms->operand[i];
	share_windows(c, &x);
	x.serves &= layout_has_partial(c->place, &x.out);
	x.work = work_of(c, &x, axes, flops);
	add_choice(c, &x);
}

/* On one axis alone: only a B is had as something else without a byte moved, or, as the caller finds out, a split that
 * is cut alike and what is read through a window that lies in a shard. */
static bool fits_atom(struct shard_atom has, struct shard_atom want)
{
	bool is_split = want.kind == SHARD_WINDOW || want.kind == SHARD_S;
	return (is_split && has.kind == SHARD_S && has.dim == want.dim) || has.kind == SHARD_B || atom_equal(has, want);
}

/* The same of all operands. */
static bool fits_axis(const struct choices *c, const struct signature *s, int axis)
{
	for (int i = 0; c->has && i < c->node->nin; i++)
		if (!fits_atom(c->has[i].atom[axis], s->operand[i]))
			return false;
	return true;
}

/* Into the list, but the last place of it is for even cuts. */
static int add_cuts(struct shard_atom x, struct shard_atom *list, int n)
{
	bool known = x.kind != SHARD_S || !x.shares || n == MAX_CUTS - 1;
	for (int k = 0; k < n && !known; k++)
		known = cuts_equal(list[k], x);
	if (!known)
		list[n++] = x;
	return n;
}

/* What a slice of operands leaves, and how they are cut. */
static int cuts_of_operands(const struct choices *c, int axis, int count, const struct signature *s,
			    struct shard_atom *out)
{
	const struct node *x = c->node;
	struct shard_atom left;
	int n = 0;
	for (int k = 0; k < count; k++)
		for (int i = 0; i < x->nin; i++)
			if (window_cuts(c->arena, s[k].operand[i], c->has[i].atom[axis],
					x->in[i]->shape.dim[s[k].operand[i].dim], c->place->extent[axis], &left))
				n = add_cuts(left, out, n);
	for (int i = 0; i < x->nin; i++)
		n = add_cuts(c->has[i].atom[axis], out, n);
	return n;
}

static bool has_extent(const struct rule *r, struct place_cut cut)
{
	for (int f = 0; f < r->nfactors; f++)
		if (cut_is_for(cut, r->factor[f].extent))
			return true;
	for (int k = 0; k < r->noperands; k++)
		for (int d = 0; d < r->operand[k].rank; d++)
			if (cut_is_for(cut, r->operand[k].dim[d]))
				return true;
	return cut.extent == 0;
}

/* How the place has them cut. */
static int cuts_of_place(const struct choices *c, int axis, struct shard_atom *out)
{
	int n = 0;
	for (int i = 1; i < place_ncuts(c->place, axis); i++)
		if (has_extent(c->node->rule, place_cut(c->place, axis, i)))
			n = add_cuts(place_cut(c->place, axis, i).atom, out, n);
	return n;
}

/* A factor may be split so. Returns in how many ways, the even cuts last. */
static int cuts_on(const struct choices *c, int axis, int count, const struct signature *s, struct shard_atom *out)
{
	int n = c->has ? cuts_of_operands(c, axis, count, s, out) : cuts_of_place(c, axis, out);
	out[n++] = place_cut(c->place, axis, 0).atom;
	return n;
}

static bool same_atoms(const struct choices *c, const struct signature *x, const struct signature *y)
{
	for (int i = 0; i < c->node->nin; i++)
		if (!atom_equal(x->operand[i], y->operand[i]))
			return false;
	return atom_equal(x->out, y->out);
}

/* The signature as it cuts: itself, if evenly. */
static const struct signature *cut_as(const struct choices *c, const struct signature *s, struct shard_atom cuts,
				      struct used *out)
{
	if (!cuts.shares)
		return s;
	out->cut = signature_cut(s, c->node->rule, cuts, out->room);
	return &out->cut;
}

static void use_way(const struct choices *c, const struct ways *w, struct way way, struct used *out)
{
	out->number = way.signature;
	out->cuts = w->cuts[way.cut];
	out->atoms = cut_as(c, &w->signatures[way.signature], out->cuts, out);
}

/* That of the base, which is fixed. */
static void keep_base(const struct choices *c, int axis, struct ways *w)
{
	struct shard_atom operand[MAX_OPERANDS];
	for (int i = 0; i < c->node->nin; i++)
		operand[i] = choice_input(c->node, c->base, i)->atom[axis];
	struct way way = {c->base->signature[axis], 0};
	w->cuts[0] = signature_cuts(&w->signatures[way.signature], c->node->rule, operand, c->base->out.atom[axis]);
	vec_push(c->arena, &w->at, way);
}

/* Goes into the list, or in the place of one with the same atoms: a factor that is shared out is less work than none.
 */
static void add_way(const struct choices *c, struct ways *w, struct way way)
{
	struct used x, twin;
	use_way(c, w, way, &x);
	for (int i = 0; i < w->at.n; i++) {
		use_way(c, w, w->at.at[i], &twin);
		if (!same_atoms(c, twin.atoms, x.atoms))
			continue;
		if (twin.atoms->factor < 0)
			w->at.at[i] = way;
		return;
	}
	vec_push(c->arena, &w->at, way);
}

/* Whether a value that is read several times is served for one of these and wanted whole for the others, as of a
 * stencil: then it is whole, and nothing need be served. */
static bool serves_in_vain(const struct choices *c, const struct signature *s)
{
	const struct node *n = c->node;
	for (int i = 0; s->split_operand >= 0 && i < n->nin; i++)
		if (i != s->split_operand && n->in[i] == n->in[s->split_operand] && s->operand[i].kind == SHARD_B)
			return true;
	return false;
}

/* Whether a value that is read several times, and is whole, is taken for a part for one of these and whole for the
 * others: then all of it is there, and nothing need be left to finish. */
static bool parts_in_vain(const struct choices *c, const struct signature *s, int axis)
{
	const struct node *n = c->node;
	for (int i = 0; c->has && i < n->nin; i++)
		for (int k = 0; k < n->nin; k++)
			if (n->in[i] == n->in[k] && s->operand[i].kind == SHARD_P && s->operand[k].kind == SHARD_B &&
			    c->has[i].atom[axis].kind == SHARD_B)
				return true;
	return false;
}

/* The signatures that may be used on an axis, cut as they may be. */
static void find_ways(const struct choices *c, int axis, int count, struct ways *w)
{
	if (!varies(c, axis)) {
		keep_base(c, axis, w);
		return;
	}
	w->ncuts = cuts_on(c, axis, count, w->signatures, w->cuts);
	for (int k = 0; k < count; k++) {
		if (serves_in_vain(c, &w->signatures[k]) || parts_in_vain(c, &w->signatures[k], axis))
			continue;
		for (int i = 0; i < w->ncuts; i++) {
			struct used x;
			if (fits_axis(c, cut_as(c, &w->signatures[k], w->cuts[i], &x), axis))
				add_way(c, w, (struct way){(uint16_t)k, (uint8_t)i});
		}
	}
}

static void map_choices(struct choices *c)
{
	const struct signature *s;
	struct ways may[MAX_AXES] = {0};
	struct used axes[MAX_AXES];
	int count = signatures_of_known(c->node->rule, c->node->in, &s), flops = 1 + scalar_flops(c->node->rule->body);
	int64_t combinations = 1;
	for (int a = 0; a < c->place->naxes; a++) {
		may[a].signatures = s;
		find_ways(c, a, count, &may[a]);
		combinations = times(combinations, may[a].at.n);
	}
	reserve(c, combinations);
	for (int64_t k = 0; k < combinations && k < MAX_CHOICES; k++) {
		int64_t rest = k;
		for (int a = c->place->naxes - 1; a >= 0; a--) {
			use_way(c, &may[a], may[a].at.at[rest % may[a].at.n], &axes[a]);
			rest /= may[a].at.n;
		}
		add_map_choice(c, axes, flops);
	}
}

/* ---- the others ---- */

/* What may stand on an axis: B, a split of each dimension in each of the ways that there are, P(sum). */
static int atoms_on(struct arena *a, const struct place *p, int axis, const struct shape *s, bool parts,
		    struct shard_atom **out)
{
	int n = 0;
	*out = ARENA_ARRAY(a, struct shard_atom, 2 + s->rank * place_ncuts(p, axis));
	(*out)[n++] = (struct shard_atom){.kind = SHARD_B};
	for (int i = 0; i < place_ncuts(p, axis); i++)
		for (int d = 0; d < s->rank; d++) {
			struct place_cut cut = place_cut(p, axis, i);
			(*out)[n] = cut.atom;
			(*out)[n].dim = (int8_t)d;
			n += cut_is_for(cut, s->dim[d]);
		}
	(*out)[n] = (struct shard_atom){.kind = SHARD_P};
	return n + parts;
}

int layouts_along(struct arena *a, const struct place *p, const struct shape *s, bool parts, const struct layout *base,
		  int axis, struct layout **out)
{
	struct shard_atom *atoms[MAX_AXES];
	int natoms[MAX_AXES], n = 0;
	int64_t combinations = 1;
	for (int x = 0; x < p->naxes; x++) {
		natoms[x] = axis_varies(p, base, axis, x) ? atoms_on(a, p, x, s, parts, &atoms[x]) : 1;
		combinations = times(combinations, natoms[x]);
	}
	if (combinations > MAX_CHOICES)
		combinations = MAX_CHOICES;
	struct layout *list = ARENA_ARRAY(a, struct layout, combinations);
	for (int64_t k = 0; k < combinations; k++, n++) {
		int64_t rest = k;
		for (int x = p->naxes - 1; x >= 0; x--) {
			bool any = axis_varies(p, base, axis, x);
			list[n].atom[x] = any ? atoms[x][rest % natoms[x]] : base->atom[x];
			rest /= natoms[x];
		}
	}
	*out = list;
	return n;
}

int layouts_of(struct arena *a, const struct place *p, const struct shape *s, bool parts, struct layout **out)
{
	return layouts_along(a, p, s, parts, NULL, ALL_AXES, out);
}

static void plain_choices(struct choices *c, bool parts)
{
	struct layout *l;
	int count =
		layouts_along(c->arena, c->place, &c->node->shape, parts, c->base ? &c->base->out : NULL, c->axis, &l);
	for (int i = 0; i < count; i++) {
		struct choice x = {.out = l[i], .in = &l[i], .work = local_bytes(c, &l[i])};
		if (c->node->nin > 1)
			x.in = ARENA_ARRAY(c->arena, struct layout, c->node->nin);
		for (int k = 0; k < c->node->nin; k++)
			x.in[k] = l[i];
		bool is_whole = c->node->kind != NODE_FACTORS || factors_take(c->node, &x.out);
		if (is_whole && !atoms_mix(c->place->naxes, x.out.atom))
			add_choice(c, &x);
	}
}

static void reshape_choices(struct choices *c)
{
	struct layout *l;
	const struct shape *from = &c->node->in[0]->shape;
	int count = layouts_along(c->arena, c->place, from, true, c->base ? choice_input(c->node, c->base, 0) : NULL,
				  c->axis, &l);
	for (int i = 0; i < count; i++) {
		struct choice x = {.in = &l[i]};
		if (!reshape_layout(c->arena, c->place, from, &l[i], &c->node->shape, &x.out))
			continue;
		x.work = local_bytes(c, &x.out);
		add_choice(c, &x);
	}
}

/* A line, or lines as a tensor. */
static void line_choices(struct choices *c)
{
	const struct node *n = c->node;
	bool stacks = n->kind == NODE_STACK, shifts = stacks || n->nin == 1;
	const struct layout *base = !c->base ? NULL : stacks ? choice_input(n, c->base, 0) : &c->base->out;
	struct layout *l;
	int count = layouts_along(c->arena, c->place, stacks ? &n->in[0]->shape : &n->shape, n->dtype != DT_BOOL, base,
				  c->axis, &l);
	for (int i = 0; i < count; i++) {
		struct layout *lines = ARENA_NEW(c->arena, struct layout);
		*lines = shifts ? layout_of_lines(c->place, &l[i]) : l[i];
		struct choice x = {.out = stacks ? *lines : l[i], .in = stacks ? &l[i] : lines};
		x.work = local_bytes(c, &x.out);
		if (!atoms_mix(c->place->naxes, x.out.atom))
			add_choice(c, &x);
	}
}

static int collect(struct choices *c, struct choice **out)
{
	switch (c->node->kind) {
	case NODE_MAP:
		map_choices(c);
		break;
	case NODE_RESHAPE:
		reshape_choices(c);
		break;
	case NODE_DATA:
	case NODE_CHECK:
	case NODE_FACTORS:
		plain_choices(c, false);
		break;
	case NODE_CONTRACT:
	case NODE_STOP:
	case NODE_REMAT:
		plain_choices(c, true);
		break;
	case NODE_SLOT:
	case NODE_HOST:
	case NODE_CONST:
	case NODE_TURN:
		add_choice(c, &(struct choice){.out = layout_broadcast()});
		break;
	case NODE_CARRY:
	case NODE_END:
		plain_choices(c, c->node->dtype != DT_BOOL);
		break;
	case NODE_LINE:
	case NODE_STACK:
		line_choices(c);
		break;
	case NODE_TO:
	case NODE_TANGENT:
	case NODE_RULED:
	case NODE_PULLED:
	case NODE_KINDS:
		break;
	}
	*out = c->list.at;
	return c->list.n;
}

int choices_of(struct arena *a, const struct node *n, struct choice **out)
{
	struct choices c = {.arena = a, .node = n, .place = n->place, .axis = ALL_AXES};
	int count = collect(&c, out);
	BUG_IF(count == 0, "no layout at all for a node of kind %d", (int)n->kind);
	return count;
}

int choices_along(struct arena *a, const struct node *n, const struct place *p, const struct choice *base, int axis,
		  struct choice **out)
{
	struct choices c = {.arena = a, .node = n, .place = p, .base = base, .axis = axis};
	int count = collect(&c, out);
	BUG_IF(count == 0, "no layout at all for a node of kind %d", (int)n->kind);
	return count;
}

bool choice_nests(const struct node *n, const struct choice *c)
{
	struct choice *same;
	struct arena *scratch = arena_new("a choice by itself");
	struct choices only = {.arena = scratch, .node = n, .place = n->place, .base = c, .axis = NO_AXIS};
	bool any = collect(&only, &same) > 0;
	arena_free(scratch);
	return any;
}

int choices_fitting(struct arena *a, const struct node *n, const struct layout *has, struct choice **out)
{
	struct choices c = {.arena = a, .node = n, .place = n->place, .axis = ALL_AXES, .has = has};
	return collect(&c, out);
}
