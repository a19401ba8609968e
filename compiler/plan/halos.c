/* halos.c — what reads around shards is computed in parts: the interior, which needs nothing of other ranks and reads
 * the shard itself, while the halo is on its way; then the edges, which read what has come.
 *
 *   step(a[i], b[i - 1], c[i + 1]), ranks of 8 rows in the middle:   begin u -> box of rows -1..8
 *                                                                   rows 1..6 from u
 *                                                                   end; row 0, row 7 from the box
 *
 * Of the box the edges read no more than a rim. Where nothing else reads it, the rest is never filled: it is a hole,
 * and no copy of the tensor is made. A hole in one piece takes no memory either. Parts of loops have the bits of the
 * whole: each point is computed alike, and sums keep their order (kernel/general.c). Products choose that by the size
 * of their matrices.
 *
 * Cut are maps that stand alone in their kernel or their product and whose indices are those of this rank's boxes
 * (roles/windows.c). */
#include "halos.h"

#include "../kernel/prefix.h"

#include <string.h>

/* An interior of fewer elements read and written is over before a message between hosts has come. A product of fewer
 * multiplications, about half a millisecond, loses as much by being several as it hides. */
enum { OUTLASTS = 1 << 15, PRODUCT_OUTLASTS = 1 << 24 };

/* ---- what is brought ---- */

static bool find_box(const struct node *n, int32_t rank, int64_t *begin, struct shape *s)
{
	int64_t end[MAX_RANK], position = place_position(n->place, rank);
	if (position < 0)
		return false;
	layout_box(n->place, &n->layout, &n->shape, position, begin, end);
	s->rank = n->shape.rank;
	for (int d = 0; d < s->rank; d++)
		s->dim[d] = end[d] - begin[d];
	return true;
}

/* False if ranks of the role differ in where their shard lies in the box, or it does not lie in it. */
static bool find_margins(const struct planner *p, struct halo *h)
{
	const struct node *to = h->transfer->node, *from = to->in[0];
	for (int i = 0; i < p->role->ranks.n; i++) {
		int64_t begin[MAX_RANK], own[MAX_RANK];
		struct shape box, shard;
		int32_t rank = p->role->ranks.at[i];
		if (!find_box(to, rank, begin, &box) || !find_box(from, rank, own, &shard) ||
		    !shape_equal(&box, &h->box) || !shape_equal(&shard, &h->source->shape))
			return false;
		for (int d = 0; d < box.rank; d++) {
			int64_t low = own[d] - begin[d];
			if (low < 0 || low + shard.dim[d] > box.dim[d] || (i > 0 && low != h->low[d]))
				return false;
			h->low[d] = low;
		}
	}
	return true;
}

static struct halo *halo_of(struct planner *p, struct phys_node *n)
{
	if (n->kind != PHYS_TRANSFER || n->nin != 1 || n->node->kind != NODE_TO ||
	    p->program->transfers.at[n->transfer].redist.method != REDIST_HALO ||
	    n->node->place != n->node->in[0]->place)
		return NULL;
	struct halo *h = ARENA_NEW(p->scratch, struct halo);
	*h = (struct halo){.transfer = n, .source = n->in[0], .box = n->shape};
	return shape_volume(&n->shape) > 0 && find_margins(p, h) ? h : NULL;
}

/* ---- what needs it ---- */

static int64_t ceil_div(int64_t n, int64_t d)
{
	return -shard_floor_div(-n, d);
}

/* Where the points are whose reads in dimension d lie in the shard. */
static bool narrow(struct halo_cut *c, const struct halo *h, int k, int d)
{
	const struct rule *r = c->map->rule;
	const struct index *x = &r->operand[k].index[d];
	int64_t low = h->low[d], end = low + h->source->shape.dim[d];
	struct reading at;
	if (!low && end == h->box.dim[d])
		return true;
	if (!halo_find_reading(r, x, &at))
		return false;
	int64_t lo = low ? ceil_div(low * x->div - at.least, at.coef) : 0;
	int64_t hi = end < h->box.dim[d] ? shard_floor_div(end * x->div - 1 - at.most, at.coef) + 1 : INT64_MAX;
	c->lo[at.factor] = lo > c->lo[at.factor] ? lo : c->lo[at.factor];
	c->hi[at.factor] = hi < c->hi[at.factor] ? hi : c->hi[at.factor];
	return c->lo[at.factor] < c->hi[at.factor];
}

static int64_t interior_points(const struct halo_cut *c)
{
	int64_t n = 1;
	for (int f = 0; f < c->map->rule->nfactors; f++)
		n *= c->hi[f] - c->lo[f];
	return n;
}

static int64_t all_points(const struct rule *r)
{
	int64_t n = 1;
	for (int f = 0; f < r->nfactors; f++)
		n *= r->factor[f].extent;
	return n;
}

/* A map without elements, as ranks have where there are more of them than rows, has no parts either. */
static bool is_worth_it(const struct planner *p, const struct halo_cut *c)
{
	int64_t inner = interior_points(c);
	enum halos as = p->program->session->options.halos;
	int64_t all = all_points(c->map->rule);
	bool pays = c->product ? inner >= PRODUCT_OUTLASTS && 4 * inner >= 3 * all
			       : inner * (c->map->nin + 1) >= OUTLASTS && 2 * inner > all;
	return inner > 0 && (as == HALOS_PARTS || (as == HALOS_AS_IT_PAYS && pays));
}

static bool has_origins(const struct phys_node *n)
{
	const struct phys_origins *o = n->origins;
	bool any = false;
	for (int f = 0; o && f < n->rule->nfactors; f++)
		any |= o->factor[f].type >= 0;
	for (int k = 0; o && k < n->nin; k++)
		for (int d = 0; d < n->rule->operand[k].rank; d++)
			any |= o->operand[k][d].type >= 0;
	for (int d = 0; o && d < n->rule->out.rank; d++)
		any |= o->out[d].type >= 0;
	return any;
}

/* Indices of the whole tensor, where something needs these, would have to be those of the part. */
static bool may_be_cut(const struct phys_node *n)
{
	if (n->kind != PHYS_MAP || has_origins(n) || n->owned || !map_is_plain(n) || map_is_prefix(n) ||
	    scalar_draws(n->rule->body))
		return false;
	for (int f = 0; f < n->rule->nfactors; f++)
		if (scalar_uses_factor(n->rule->body, f))
			return false;
	return true;
}

/* What needs no halo of the map that the group or the product computes; NULL: it is computed in one piece. */
static struct halo_cut *cut_of(struct planner *p, struct phys_node *n, struct group *g, struct product *x)
{
	bool reads = false;
	if (!may_be_cut(n))
		return NULL;
	struct halo_cut *c = ARENA_NEW(p->scratch, struct halo_cut);
	*c = (struct halo_cut){.map = n, .group = g, .product = x};
	for (int f = 0; f < n->rule->nfactors; f++)
		c->hi[f] = n->rule->factor[f].extent;
	for (int k = 0; k < n->nin; k++) {
		const struct halo *h = p->halo[n->in[k]->id];
		for (int d = 0; h && d < n->rule->operand[k].rank; d++)
			if (h->transfer->loop != n->loop || !narrow(c, h, k, d))
				return NULL;
		reads |= h != NULL;
	}
	return reads && is_worth_it(p, c) ? c : NULL;
}

static void cut_group(struct planner *p, struct group *g)
{
	struct phys_node *n = g->members.n == 1 && g->members.at[0]->stored ? g->members.at[0]->node : NULL;
	if (n && (g->general || n->rule->combiner == COMBINE_NONE) && !n->onto)
		p->cut[n->id] = cut_of(p, n, g, NULL);
}

static void cut_product(struct planner *p, struct product *x)
{
	if (x->onto && p->halo[x->onto->id])
		return;
	struct halo_cut *c = cut_of(p, x->map, NULL, x);
	if (c && halo_parts_are_products(p, c))
		p->cut[x->map->id] = p->cut[x->result->id] = c;
}

/* ---- what of the box is read ---- */

/* Beyond which elements of dimension d the edges along the index's factor read nothing. */
static bool bound(const struct halo_cut *c, struct halo *h, int k, int d, int factor)
{
	const struct index *x = &c->map->rule->operand[k].index[d];
	struct reading at;
	if (!halo_find_reading(c->map->rule, x, &at) || at.factor != factor)
		return false;
	int64_t from = shard_floor_div(at.coef * (c->lo[factor] - 1) + at.most, x->div) + 1;
	int64_t to = shard_floor_div(at.coef * c->hi[factor] + at.least, x->div);
	if (c->lo[factor] > 0)
		h->from[d] = from > h->from[d] ? from : h->from[d];
	if (c->hi[factor] < c->map->rule->factor[factor].extent)
		h->to[d] = to < h->to[d] ? to : h->to[d];
	return true;
}

static bool is_cut_along(const struct halo_cut *c, int factor)
{
	return c->lo[factor] > 0 || c->hi[factor] < c->map->rule->factor[factor].extent;
}

/* Every edge has to read a rim of some dimension. */
static bool bound_reads(const struct halo_cut *c, struct halo *h)
{
	const struct rule *r = c->map->rule;
	for (int k = 0; k < c->map->nin; k++)
		for (int f = 0; f < r->nfactors && c->map->in[k] == h->transfer; f++) {
			bool is_bound = !is_cut_along(c, f);
			for (int d = 0; d < r->operand[k].rank; d++)
				is_bound |= bound(c, h, k, d, f);
			if (!is_bound)
				return false;
		}
	return true;
}

/* The dimensions behind the first that has several elements are all hole: it lies in one piece. */
static void close_gap(struct halo *h)
{
	int first = 0;
	int64_t row = 1;
	while (first + 1 < h->box.rank && h->box.dim[first] == 1)
		first++;
	for (int d = first + 1; d < h->box.rank; d++) {
		if (h->from[d] > 0 || h->to[d] < h->box.dim[d])
			return;
		row *= h->box.dim[d];
	}
	h->gap = (h->to[first] - h->from[first]) * row;
	h->transfer->shape.dim[first] -= h->to[first] - h->from[first];
}

static void find_hole(struct planner *p, struct halo *h)
{
	int users = 0;
	for (int d = 0; d < h->box.rank; d++) {
		h->from[d] = h->low[d];
		h->to[d] = h->low[d] + h->source->shape.dim[d];
	}
	for (struct phys_node **user = p->users[h->transfer->id]; *user; user++, users++)
		if (!p->cut[(*user)->id] || !bound_reads(p->cut[(*user)->id], h))
			return;
	if (!users || users != p->uses[h->transfer->id])
		return;
	for (int d = 0; d < h->box.rank; d++)
		if (h->from[d] >= h->to[d])
			return;
	h->has_hole = true;
	close_gap(h);
	struct transfer_hole *hole = &p->role->holes[h->transfer->transfer];
	memcpy(hole->begin, h->from, sizeof hole->begin);
	memcpy(hole->end, h->to, sizeof hole->end);
	hole->gap = h->gap;
}

/* What it reads is brought whole, and others wait for it before: nothing would be hidden. */
static bool comes_late(const struct planner *p, const struct halo_cut *c)
{
	for (int k = 0; k < c->map->nin; k++) {
		const struct halo *h = p->halo[c->map->in[k]->id];
		if (h && (h->has_hole || p->users[h->transfer->id][0] == c->map))
			return false;
	}
	return p->program->session->options.halos != HALOS_PARTS;
}

void planner_find_halos(struct planner *p)
{
	for (int i = 0; i < p->graph->nodes.n; i++)
		p->halo[i] = halo_of(p, p->graph->nodes.at[i]);
	for (int i = 0; i < p->groups.n; i++)
		cut_group(p, p->groups.at[i]);
	for (int i = 0; i < p->products.n; i++)
		cut_product(p, p->products.at[i]);
	for (int i = 0; i < p->graph->nodes.n; i++)
		if (p->halo[i])
			find_hole(p, p->halo[i]);
	for (int i = 0; i < p->graph->nodes.n; i++)
		if (p->cut[i] && comes_late(p, p->cut[i]))
			p->cut[i] = NULL;
}
