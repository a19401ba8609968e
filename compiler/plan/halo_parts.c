/* halo_parts.c — the parts of a map that is cut: each is the map's rule over fewer points, of which the interior reads
 * the shard and the edges the box (halos.c). Those of a product are products that write where their points are, scaled
 * and added to like the whole. */
#include "halos.h"

#include "../kernel/matrices.h"
#include "../op/intern.h"

#include <string.h>

bool halo_find_reading(const struct rule *r, const struct index *x, struct reading *out)
{
	*out = (struct reading){.factor = -1, .least = x->offset, .most = x->offset};
	for (int i = 0; i < x->nterms; i++) {
		int f = x->term[i].factor;
		int64_t far = x->term[i].coef * (r->factor[f].extent - 1);
		if (!rule_reduces(r, f)) {
			if (out->factor >= 0 || x->term[i].coef <= 0)
				return false;
			out->factor = f;
			out->coef = x->term[i].coef;
		} else if (far < 0) {
			out->least += far;
		} else {
			out->most += far;
		}
	}
	return x->data < 0 && out->factor >= 0;
}

struct range {
	int64_t lo[MAX_FACTORS], hi[MAX_FACTORS];
};

/* Of factors that count from the part's first number. */
static void shift_index(struct index *at, const struct range *x)
{
	for (int i = 0; i < at->nterms; i++)
		at->offset += at->term[i].coef * x->lo[at->term[i].factor];
}

/* The operand as this part has it: the shard itself, or the box without its gap. */
static void place_operand(const struct planner *p, const struct halo_cut *c, const struct range *x, bool interior,
			  struct phys_node *n, struct access *operand, int k)
{
	const struct halo *h = p->halo[n->in[k]->id];
	for (int d = 0; h && d < operand->rank; d++) {
		struct index *at = &operand->index[d];
		const struct shape *s = interior ? &h->source->shape : &h->transfer->shape;
		int64_t gap = h->box.dim[d] - h->transfer->shape.dim[d];
		struct reading from;
		operand->dim[d] = s->dim[d];
		if (interior)
			at->offset -= h->low[d] * at->div;
		else if (gap && halo_find_reading(c->map->rule, &c->map->rule->operand[k].index[d], &from) &&
			 x->lo[from.factor] >= c->hi[from.factor])
			at->offset -= gap * at->div;
	}
	if (h && interior)
		n->in[k] = h->source;
}

static void guard_operand(const struct rule *r, struct access *operand)
{
	for (int d = 0; d < operand->rank; d++) {
		struct index *at = &operand->index[d];
		at->guarded = at->guarded && index_needs_guard(r, at, operand->dim[d]);
	}
}

static struct phys_node *part_of(struct planner *p, const struct halo_cut *c, const struct range *x, bool interior)
{
	struct phys_node *n = ARENA_NEW(p->scratch, struct phys_node);
	struct phys_part *part = ARENA_NEW(p->scratch, struct phys_part);
	struct rule r = *c->map->rule;
	struct access *operand = rule_own_operands(p->scratch, &r, 0);
	*n = *c->map;
	n->in = ARENA_ARRAY(p->scratch, struct phys_node *, n->nin);
	memcpy(n->in, c->map->in, sizeof *n->in * (size_t)n->nin);
	*part = (struct phys_part){.whole = c->map->rule};
	for (int d = 0; d < r.out.rank; d++) {
		int f = index_factor(&r.out.index[d]);
		part->begin[d] = f >= 0 ? x->lo[f] : 0;
		r.out.dim[d] = f >= 0 ? x->hi[f] - x->lo[f] : r.out.dim[d];
	}
	for (int f = 0; f < r.nfactors; f++)
		r.factor[f].extent = x->hi[f] - x->lo[f];
	for (int k = 0; k < r.noperands; k++) {
		for (int d = 0; d < operand[k].rank; d++)
			shift_index(&operand[k].index[d], x);
		place_operand(p, c, x, interior, n, &operand[k], k);
		guard_operand(&r, &operand[k]);
	}
	r.facts = NULL;
	n->rule = rule_intern(p->program->rules, &r);
	n->part = part;
	return n;
}

int planner_parts(struct planner *p, const struct halo_cut *c, struct phys_node **part)
{
	const struct rule *r = c->map->rule;
	struct range x;
	int n = 0;
	memcpy(x.lo, c->lo, sizeof x.lo);
	memcpy(x.hi, c->hi, sizeof x.hi);
	part[n++] = part_of(p, c, &x, true);
	for (int f = 0; f < r->nfactors; f++) {
		x.lo[f] = 0;
		x.hi[f] = r->factor[f].extent;
	}
	for (int f = 0; f < r->nfactors; f++) {
		x.hi[f] = c->lo[f];
		if (c->lo[f] > 0)
			part[n++] = part_of(p, c, &x, false);
		x.lo[f] = c->hi[f];
		x.hi[f] = r->factor[f].extent;
		if (c->hi[f] < r->factor[f].extent)
			part[n++] = part_of(p, c, &x, false);
		x.lo[f] = c->lo[f];
		x.hi[f] = c->hi[f];
	}
	return n;
}

/* ---- of products ---- */

/* As part of the whole product x. False if loops do it. */
static bool find_product(const struct planner *p, struct arena *a, const struct product *x, struct phys_node *part,
			 struct product *out)
{
	int64_t stride[MAX_RANK];
	*out = *x;
	if (!planner_contraction(p, a, part, &out->c))
		return false;
	out->c.alpha = x->c.alpha;
	row_major(&part->shape, stride);
	for (int d = 0; d < part->shape.rank; d++)
		out->c.offset_c += part->part->begin[d] * stride[d];
	return true;
}

bool halo_parts_are_products(struct planner *p, const struct halo_cut *c)
{
	struct phys_node *part[2 * MAX_FACTORS + 1];
	int n = planner_parts(p, c, part);
	for (int i = 0; i < n; i++) {
		struct product x;
		if (!find_product(p, p->scratch, c->product, part[i], &x) || !p->stored[x.c.a->id] ||
		    !p->stored[x.c.b->id] || (x.c.grid && !p->stored[x.c.grid->id]))
			return false;
	}
	return true;
}

struct product *planner_part_product(struct planner *p, const struct halo_cut *c, struct phys_node *part)
{
	struct product *x = ARENA_NEW(p->scratch, struct product);
	bool found = find_product(p, p->arena, c->product, part, x);
	BUG_IF(!found, "a part of the product %%%d is none", c->map->id);
	return x;
}
