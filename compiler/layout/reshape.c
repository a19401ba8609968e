/* reshape.c — which splits survive a change of shape: those under which every rank holds the same elements before and
 * after. Elements are counted in row-major order, so a part is a start and a few strided loops over it, and two parts
 * are equal if these are, once loops that run into each other are joined:
 *
 *   [4, 6] S(0) on 2 ranks is [24] S(0): rank 1 holds 12..24 of both
 *   [24] (a=S(0), b=S(0)) on (2, 2) is [2, 12] (a=S(0), b=S(1)): a nested split of one dimension, or one of each of two
 *   [12] S(0) on 5 ranks is not [4, 3] S(0): 3 elements, but rows of 0 or 3
 *   [4, 3] S(0) on 5 ranks is [12] S(0) in shares of 1, 1, 1, 1 and 0
 *
 * Axes are decided from the outermost inwards: what the ranks of an inner axis hold together is what the outer axes
 * left them, so a choice that is wrong for the outer axes cannot become right. */
#include "choice.h"

#include "../op/signature.h"

/* The elements of a box in row-major order: start + sum of i * stride, over the loops from the outermost inwards. */
struct run {
	int64_t start;
	int nloops;
	struct {
		int64_t count, stride;
	} loop[MAX_RANK];
};

static bool box_is_empty(int rank, const int64_t *begin, const int64_t *end)
{
	for (int d = 0; d < rank; d++)
		if (begin[d] >= end[d])
			return true;
	return false;
}

static void run_of_box(const struct shape *s, const int64_t *begin, const int64_t *end, struct run *out)
{
	int64_t stride = 1;
	*out = (struct run){.nloops = 0};
	for (int d = s->rank - 1; d >= 0; d--) {
		int64_t count = end[d] - begin[d];
		int last = out->nloops - 1;
		out->start += begin[d] * stride;
		if (count > 1 && last >= 0 && stride == out->loop[last].count * out->loop[last].stride) {
			out->loop[last].count *= count;
		} else if (count > 1) {
			out->loop[out->nloops].count = count;
			out->loop[out->nloops++].stride = stride;
		}
		stride *= s->dim[d];
	}
}

static bool same_elements(const struct shape *from, const int64_t *from_begin, const int64_t *from_end,
			  const struct shape *to, const int64_t *to_begin, const int64_t *to_end)
{
	struct run a, b;
	bool empty = box_is_empty(from->rank, from_begin, from_end);
	if (empty != box_is_empty(to->rank, to_begin, to_end))
		return false;
	if (empty)
		return true;
	run_of_box(from, from_begin, from_end, &a);
	run_of_box(to, to_begin, to_end, &b);
	if (a.start != b.start || a.nloops != b.nloops)
		return false;
	for (int i = 0; i < a.nloops; i++)
		if (a.loop[i].count != b.loop[i].count || a.loop[i].stride != b.loop[i].stride)
			return false;
	return true;
}

/* Whether all ranks hold the same elements, as far as the axes up to `axis` decide. */
static bool same_parts(const struct place *p, int axis, const struct shape *from, const struct layout *a,
		       const struct shape *to, const struct layout *b)
{
	int64_t from_begin[MAX_RANK], from_end[MAX_RANK], to_begin[MAX_RANK], to_end[MAX_RANK], inner = 1;
	for (int x = axis + 1; x < p->naxes; x++)
		inner *= p->extent[x];
	for (int64_t r = p->count - inner; r >= 0; r -= inner) {
		layout_box(p, a, from, r, from_begin, from_end);
		layout_box(p, b, to, r, to_begin, to_end);
		if (!same_elements(from, from_begin, from_end, to, to_begin, to_end))
			return false;
	}
	return true;
}

/* Whether dimension d and all before it are the same in both shapes. */
static bool same_until(const struct shape *s, const struct shape *t, int d)
{
	for (int i = 0; i <= d; i++)
		if (i >= t->rank || s->dim[i] != t->dim[i])
			return false;
	return true;
}

static int64_t elements_before(const struct shape *s, int d)
{
	int64_t n = 1;
	for (int i = 0; i < d; i++)
		n *= s->dim[i];
	return n;
}

/* A dimension that `atom` may split so on an axis; see find_dim. */
static bool find_dim_of(const struct place *p, int axis, const struct shape *from, const struct layout *a,
			const struct shape *to, struct shard_atom atom, struct layout *b)
{
	int d = a->atom[axis].dim;
	for (int pass = 0; pass < 4; pass++)
		for (int e = 0; e < to->rank; e++) {
			bool unlike = pass % 2, elsewhere = pass / 2;
			b->atom[axis] = atom;
			b->atom[axis].dim = (int8_t)e;
			if (((to->dim[e] == 1) != (from->dim[d] == 1)) == unlike &&
			    (elements_before(to, e) != elements_before(from, d)) == elsewhere &&
			    same_parts(p, axis, from, a, to, b))
				return true;
		}
	return false;
}

/* The split of an axis in as many shares as it has numbers of its dimension: [6, 4] S(0) over 4 ranks, 2, 2, 1 and 1
 * rows, is [24] in shares of 2, 2, 1 and 1. */
static struct shard_atom split_by_counts(struct arena *room, const struct place *p, int axis, const struct shape *from,
					 const struct layout *a)
{
	struct shard_atom atom = a->atom[axis];
	struct layout outer = *a;
	int64_t k = p->extent[axis], begin[MAX_RANK], end[MAX_RANK], *count = ARENA_ARRAY(room, int64_t, k);
	for (int x = axis; x < p->naxes; x++)
		outer.atom[x] = layout_broadcast().atom[x];
	layout_box(p, &outer, from, 0, begin, end);
	for (int64_t r = 0; r < k; r++)
		count[r] = cuts_count(atom, end[atom.dim] - begin[atom.dim], k, r);
	atom.shares = shares_of(room, k, count);
	return atom;
}

/* Which dimension axis `axis` splits afterwards. Where several would do (extents of 1, axes of one rank), the one that
 * is the same before and after, then one with as many elements outside, which is what more ranks would need: on one
 * rank the layouts are those of many. An extent of 1 rather becomes one, others others. Even shares come first, then
 * those that it has, or that its numbers make. a and b: layouts of the axes up to this one. */
static bool find_dim(struct arena *room, const struct place *p, int axis, const struct shape *from,
		     const struct layout *a, const struct shape *to, struct layout *b)
{
	struct shard_atom atom = a->atom[axis], even = {.kind = SHARD_S, .dim = atom.dim};
	b->atom[axis] = atom;
	if (same_until(from, to, atom.dim))
		return true; /* the outer axes left the same numbers of it, and it is cut alike */
	if (find_dim_of(p, axis, from, a, to, even, b) || (atom.shares && find_dim_of(p, axis, from, a, to, atom, b)))
		return true;
	atom = split_by_counts(room, p, axis, from, a);
	return atom.shares && find_dim_of(p, axis, from, a, to, atom, b);
}

/* Whether the shapes differ in extents of 1 alone, so that every other dimension is one of the other shape. */
static bool same_but_ones(const struct shape *s, const struct shape *t)
{
	int i = 0, j = 0;
	for (;; i++, j++) {
		while (i < s->rank && s->dim[i] == 1)
			i++;
		while (j < t->rank && t->dim[j] == 1)
			j++;
		if (i >= s->rank || j >= t->rank)
			return i >= s->rank && j >= t->rank;
		if (s->dim[i] != t->dim[j])
			return false;
	}
}

/* On an axis of one rank that splits what an outer axis left of a dimension, nothing says how far the outer ones would
 * go on more ranks, and so which dimension would be split next, if there are several. The value is whole there: it fits
 * whatever is declared. */
static bool is_left_open(const struct place *p, int axis, const struct shape *from, const struct layout *l,
			 const struct shape *to)
{
	int d = l->atom[axis].dim;
	bool nested = false,
	     is_known = to->rank == 1 || same_until(from, to, d) || (from->dim[d] != 1 && same_but_ones(from, to));
	for (int a = 0; a < axis; a++)
		nested = nested || (l->atom[a].kind == SHARD_S && l->atom[a].dim == d);
	return nested && p->extent[axis] == 1 && !is_known;
}

bool reshape_layout(struct arena *a, const struct place *p, const struct shape *from, const struct layout *l,
		    const struct shape *to, struct layout *out)
{
	struct layout outer = layout_broadcast();
	*out = layout_broadcast();
	for (int x = 0; x < p->naxes; x++) {
		bool splits = l->atom[x].kind == SHARD_S;
		outer.atom[x] = out->atom[x] = l->atom[x];
		if (splits && is_left_open(p, x, from, l, to))
			out->atom[x] = layout_broadcast().atom[x];
		else if (splits && !shape_equal(from, to) && !find_dim(a, p, x, from, &outer, to, out))
			return false;
	}
	return true;
}

const struct microbatch *reshape_cuts(const struct graph *g, const struct node *n)
{
	const struct node *x = n->in[0];
	const struct microbatch *batch = x->batch != n->batch || x->kind == NODE_SLOT ? n->batch : NULL;
	for (int i = 0; i < g->nodes.n && !batch; i++) {
		const struct node *line = g->nodes.at[i];
		if (line->kind == NODE_LINE && line->in[0]->nin && line->in[0]->in[0] == n)
			batch = line->of->batch;
	}
	return batch && n->shape.rank == x->shape.rank + 1 && n->shape.dim[1] == batch->count ? batch : NULL;
}
