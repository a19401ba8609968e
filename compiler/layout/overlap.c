/* overlap.c — see overlap.h. The axes of both placements are brought onto one mesh, ordered by stride; an axis that one
 * side lacks has one coordinate there. Axes fall into groups that have no dimension in common, so the elements are a
 * product over groups; the axes of a group are walked from the outermost inwards, cutting the boxes of both sides. What
 * only one side cuts, and no further, is not walked.
 * Example: [1024] S(0) to S(0) on 1024 ranks is one class of coordinates, one step. */
#include "overlap.h"

#include "../../runtime/moves/mesh.h"

#include <string.h>

enum { MAX_SHARED = 2 * MAX_AXES };

/* An axis of the common mesh, with the atom of either side: B where the side does not have it. */
struct shared_axis {
	int64_t extent, stride, only; /* the one coordinate that counts; -1: all */
	struct shard_atom src, dst;
	bool on_src, on_dst;
	bool shares; /* its ranks share a box of the destination out */
	bool singly; /* every coordinate for itself: a dimension is cut here that the sides cut differently */
};

struct walk {
	int naxes, rank;
	struct shared_axis axis[MAX_SHARED];
	int shared;	 /* the dimension along which boxes are shared out, -1: none is */
	int64_t sharers; /* among so many */
	unsigned dims;	 /* those of the group that is walked */
	int64_t total;	 /* of the group */
};

/* The boxes of both sides as far as the axes so far have cut them. */
struct cut {
	int64_t begin[2][MAX_RANK], end[2][MAX_RANK];
};

/* ---- the common mesh ---- */

/* Axes longer than 1, outermost first. False if strides do not fall: then the order of cuts is not that of strides. */
static bool add_axes(struct walk *w, const struct side *s, bool is_src)
{
	int64_t stride[MAX_AXES], outer = INT64_MAX;
	if (!mesh_strides(s->place, stride))
		return false;
	for (int a = 0; a < s->place->naxes; a++) {
		int64_t extent = s->place->extent[a];
		if (extent == 1)
			continue;
		if (stride[a] >= outer)
			return false;
		outer = stride[a];
		int at = 0;
		while (at < w->naxes && w->axis[at].stride > stride[a])
			at++;
		if (at == w->naxes || w->axis[at].stride != stride[a]) {
			memmove(&w->axis[at + 1], &w->axis[at], sizeof w->axis[0] * (size_t)(w->naxes++ - at));
			w->axis[at] = (struct shared_axis){.extent = extent, .stride = stride[a], .only = -1};
		}
		if (w->axis[at].extent != extent)
			return false;
		*(is_src ? &w->axis[at].src : &w->axis[at].dst) = s->atom[a];
		*(is_src ? &w->axis[at].on_src : &w->axis[at].on_dst) = true;
	}
	return true;
}

/* Whether ranks have one set of coordinates only. */
static bool is_proper(const struct walk *w)
{
	for (int i = 1; i < w->naxes; i++)
		if (w->axis[i].extent * w->axis[i].stride > w->axis[i - 1].stride)
			return false;
	return true;
}

/* The coordinates at which the smaller placement lies within the larger one. False unless it lies there. */
static bool place_inside(struct walk *w, int64_t offset)
{
	bool lacks[2] = {false, false};
	for (int i = 0; i < w->naxes; i++) {
		lacks[0] |= !w->axis[i].on_src;
		lacks[1] |= !w->axis[i].on_dst;
	}
	if (lacks[0] && lacks[1])
		return false;
	offset = lacks[0] ? -offset : offset;
	for (int i = 0; i < w->naxes; i++) {
		struct shared_axis *x = &w->axis[i];
		if (x->on_src && x->on_dst)
			continue;
		x->only = offset < 0 ? -1 : offset / x->stride;
		if (x->only < 0 || x->only >= x->extent)
			return false;
		offset -= x->only * x->stride;
	}
	return offset == 0;
}

static bool same_axes(struct walk *w, const struct side *src, const struct side *dst)
{
	if (!mesh_same(src->place, dst->place))
		return false;
	w->naxes = 0;
	for (int a = 0; a < src->place->naxes; a++) {
		int64_t extent = src->place->extent[a];
		if (extent > 1)
			w->axis[w->naxes++] = (struct shared_axis){.extent = extent,
								   .only = -1,
								   .src = src->atom[a],
								   .dst = dst->atom[a],
								   .on_src = true,
								   .on_dst = true};
	}
	return true;
}

static bool find_mesh(struct walk *w, const struct side *src, const struct side *dst)
{
	if (same_axes(w, src, dst))
		return true;
	w->naxes = 0;
	return add_axes(w, src, true) && add_axes(w, dst, false) && is_proper(w) &&
	       place_inside(w, (int64_t)mesh_rank(dst->place, 0) - mesh_rank(src->place, 0));
}

/* ---- what counts on a P destination ---- */

/* False if nothing does. */
static bool restrict_to_parts(struct walk *w, bool finish)
{
	for (int i = 0; i < w->naxes; i++) {
		struct shared_axis *x = &w->axis[i];
		if (!x->on_dst || x->dst.kind != SHARD_P)
			continue;
		if (finish && x->only > 0)
			return false;
		if (finish || (x->on_src && x->src.kind == SHARD_B))
			x->only = 0;
	}
	return true;
}

/* Ranks of B axes share a box out along a dimension. If the source holds the same on all of them, together they count
 * it once. */
static void share_out(struct walk *w, int dim)
{
	bool alike = true;
	for (int i = 0; i < w->naxes; i++) {
		struct shared_axis *x = &w->axis[i];
		x->shares = x->on_dst && x->dst.kind == SHARD_B;
		alike = alike && !(x->shares && (!x->on_src || x->src.kind == SHARD_S));
	}
	w->shared = alike ? -1 : dim;
	for (int i = 0; i < w->naxes; i++)
		if (w->axis[i].shares && alike) {
			w->axis[i].shares = false;
			w->axis[i].only = 0;
		} else if (w->axis[i].shares) {
			w->sharers *= w->axis[i].extent;
		}
}

/* ---- classes ---- */

static unsigned dim_bit(struct shard_atom x)
{
	return x.kind == SHARD_S ? 1u << x.dim : 0;
}

/* The dimensions that an axis cuts on the side of the destination, as a set. */
static unsigned dst_cuts(const struct walk *w, const struct shared_axis *x)
{
	return x->shares ? 1u << w->shared : dim_bit(x->dst);
}

static unsigned axis_cuts(const struct walk *w, const struct shared_axis *x)
{
	return dim_bit(x->src) | dst_cuts(w, x);
}

/* An axis that cuts one side alone, in pieces that nothing cuts further: all its pieces together have in common with the
 * other side what the whole had that they are cut from, so it is as if it did not cut. */
static void join_pieces(struct walk *w)
{
	unsigned src_cut = 0, dst_cut = w->shared < 0 ? 0 : 1u << w->shared;
	for (int i = w->naxes - 1; i >= 0; i--) {
		struct shared_axis *x = &w->axis[i];
		unsigned src = dim_bit(x->src), dst = dst_cuts(w, x);
		bool alone = !src != !dst && x->only < 0;
		if (alone && !(src & src_cut) && !(dst & dst_cut)) {
			x->src = x->dst = (struct shard_atom){.kind = SHARD_B};
			x->only = 0;
		} else {
			src_cut |= src;
			dst_cut |= dst;
		}
	}
}

/* Whether one side cuts dimension d as the other does and then perhaps further: so that its shards lie within those of
 * the other, wherever they begin. Who shares out cuts last, whatever the axis. */
static bool cut_alike(const struct walk *w, int d)
{
	bool src_alone = false, dst_alone = false;
	for (int i = 0; i < w->naxes; i++) {
		const struct shared_axis *x = &w->axis[i];
		bool src = dim_bit(x->src) >> d & 1, dst = dst_cuts(w, x) >> d & 1;
		bool both = src && dst && (src_alone || dst_alone || !cuts_equal(x->src, x->dst));
		if ((src && w->shared == d) || both || (src && dst_alone) || (dst && src_alone))
			return false;
		src_alone |= src && !dst;
		dst_alone |= dst && !src;
	}
	return true;
}

/* Who shares out has a share of its own each. */
static void find_classes(struct walk *w)
{
	for (int i = 0; i < w->naxes; i++)
		w->axis[i].singly = w->axis[i].shares;
	for (int d = 0; d < w->rank; d++) {
		if (cut_alike(w, d))
			continue;
		for (int i = 0; i < w->naxes; i++)
			w->axis[i].singly |= axis_cuts(w, &w->axis[i]) >> d & 1;
	}
}

/* ---- the walk ---- */

static int64_t length(const struct cut *c, int side, int d)
{
	return c->end[side][d] - c->begin[side][d];
}

static void cut_side(struct cut *c, int side, struct shard_atom x, int64_t extent, int64_t coordinate)
{
	if (x.kind != SHARD_S)
		return;
	cuts_narrow(x, extent, coordinate, &c->begin[side][x.dim], &c->end[side][x.dim]);
}

static int64_t common_length(const struct cut *c, int d)
{
	int64_t begin = c->begin[0][d] > c->begin[1][d] ? c->begin[0][d] : c->begin[1][d];
	int64_t end = c->end[0][d] < c->end[1][d] ? c->end[0][d] : c->end[1][d];
	return end > begin ? end - begin : 0;
}

/* The first coordinate after c whose shards may differ in size from those of c. */
static int64_t class_end(const struct shared_axis *x, const struct cut *c, int64_t from)
{
	int64_t end = x->extent;
	if (x->singly)
		return from + 1;
	const struct shard_atom atom[2] = {x->src, x->dst};
	for (int side = 0; side < 2; side++) {
		int64_t n = atom[side].kind == SHARD_S ? length(c, side, atom[side].dim) : 0;
		int64_t next = atom[side].kind == SHARD_S ? cuts_class_end(atom[side], n, x->extent, from) : end;
		end = next < end ? next : end;
	}
	return end;
}

/* Narrows from..last to the coordinates whose shards on this side meet what the other side holds so far. */
static void meet(const struct shared_axis *x, const struct cut *c, int side, struct shard_atom atom, int64_t *from,
		 int64_t *last)
{
	if (atom.kind != SHARD_S)
		return;
	int d = atom.dim;
	int64_t begin = c->begin[!side][d] - c->begin[side][d], end = c->end[!side][d] - c->begin[side][d];
	int64_t n = length(c, side, d);
	begin = begin < 0 ? 0 : begin;
	end = end > n ? n : end;
	if (begin >= end) {
		*last = *from;
		return;
	}
	int64_t first = cuts_owner(atom, n, x->extent, begin), beyond = cuts_owner(atom, n, x->extent, end - 1) + 1;
	*from = first > *from ? first : *from;
	*last = beyond < *last ? beyond : *last;
}

/* Of the dimensions of the group; number: whose share it is, of a box that is shared out. */
static int64_t common_volume(const struct walk *w, const struct cut *c, int64_t number)
{
	int64_t volume = 1;
	struct cut own = *c;
	if (w->shared >= 0 && w->dims >> w->shared & 1)
		cut_side(&own, 1, (struct shard_atom){.kind = SHARD_S, .dim = (int8_t)w->shared}, w->sharers, number);
	for (int d = 0; d < w->rank; d++)
		if (w->dims >> d & 1)
			volume = count_mul(volume, common_length(&own, d));
	return volume;
}

/* ranks: so many are at coordinates of the classes walked so far. number: theirs among those who share a box out. */
static void walk_axes(struct walk *w, int i, const struct cut *c, int64_t ranks, int64_t number)
{
	while (i < w->naxes && !(axis_cuts(w, &w->axis[i]) & w->dims))
		i++;
	if (i == w->naxes) {
		w->total = count_add(w->total, count_mul(ranks, common_volume(w, c, number)));
		return;
	}
	const struct shared_axis *x = &w->axis[i];
	int64_t from = x->only >= 0 ? x->only : 0, last = x->only >= 0 ? x->only + 1 : x->extent;
	if (x->singly) {
		meet(x, c, 0, x->src, &from, &last);
		meet(x, c, 1, x->dst, &from, &last);
	}
	for (int64_t next; from < last; from = next) {
		struct cut part = *c;
		next = x->only >= 0 ? last : class_end(x, c, from);
		cut_side(&part, 0, x->src, x->extent, from);
		cut_side(&part, 1, x->dst, x->extent, from);
		if ((x->src.kind == SHARD_S && !common_length(&part, x->src.dim)) ||
		    (x->dst.kind == SHARD_S && !common_length(&part, x->dst.dim)))
			continue;
		walk_axes(w, i + 1, &part, ranks * (next - from), x->shares ? number * x->extent + from : number);
	}
}

/* The dimensions that axes cut together with dimension d, directly or by way of others. */
static unsigned group_of(const struct walk *w, int d)
{
	unsigned dims = 1u << d, before = 0;
	while (dims != before) {
		before = dims;
		for (int i = 0; i < w->naxes; i++)
			if (axis_cuts(w, &w->axis[i]) & dims)
				dims |= axis_cuts(w, &w->axis[i]);
	}
	return dims;
}

static int64_t walk_groups(struct walk *w, const struct cut *whole)
{
	int64_t elements = 1;
	unsigned seen = 0;
	for (int i = 0; i < w->naxes; i++)
		if (w->axis[i].only < 0 && !axis_cuts(w, &w->axis[i]))
			elements = count_mul(elements, w->axis[i].extent);
	for (int d = 0; d < w->rank; d++) {
		if (seen >> d & 1)
			continue;
		w->dims = group_of(w, d);
		w->total = 0;
		walk_axes(w, 0, whole, 1, 0);
		elements = count_mul(elements, w->total);
		seen |= w->dims;
	}
	return elements;
}

bool overlap_on_mesh(const struct side *src, const struct side *dst, bool finish, int64_t *elements)
{
	struct walk w = {.rank = src->rank, .shared = -1, .sharers = 1};
	struct cut whole = {0};
	*elements = 0;
	if (!find_mesh(&w, src, dst))
		return false;
	if (!restrict_to_parts(&w, finish))
		return true;
	if (dst->shared)
		share_out(&w, dst->shared - 1);
	join_pieces(&w);
	find_classes(&w);
	for (int d = 0; d < w.rank; d++)
		whole.end[0][d] = whole.end[1][d] = src->dim[d];
	*elements = walk_groups(&w, &whole);
	return true;
}
