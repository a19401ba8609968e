/* windows.c — where a role reads what it has fetched. An index of a map is global: origins of factors are added, that
 * of the tensor is taken off. Ranks of a role read their windows alike, so what is left of all that is one number,
 * which is added to the offset: the role computes on its box as if it were the tensor, with a guard only where the box
 * ends at an edge. So loops and products over windows are those of one rank. Example: x[i - 1] + x[i + 1] of 64 on 4
 * ranks: the first reads its 17 rows at i - 1 and i + 1, the next two their 18 rows at i and i + 2.
 *
 * Where a factor is needed for itself, or something is read of a tensor that is whole, origins stay. */
#include "localiser.h"

#include <string.h>

static bool has_window(const struct node *x, int d)
{
	for (int a = 0; a < x->place->naxes; a++)
		if (x->layout.atom[a].kind == SHARD_WINDOW && x->layout.atom[a].dim == d && x->place->extent[a] > 1)
			return true;
	return false;
}

/* What the index of a local box is off by at a position: local = (sum of coef * factor + offset + this) / div. A box of
 * nothing is nowhere, as for the classes of ranks. */
static int64_t shift_at(const struct node *n, const struct map_split *split, int k, int d, int64_t position)
{
	const struct index *x = &n->rule->operand[k].index[d];
	struct layout box = layout_of_dim(n->place, &n->in[k]->layout, d);
	struct extent_at held = vector_at(n->place, &box, n->rule->operand[k].dim[d], position);
	int64_t shift = -x->div * held.begin;
	if (!held.count)
		return 0;
	for (int i = 0; i < x->nterms; i++) {
		int f = x->term[i].factor;
		shift += x->term[i].coef *
			 vector_at(n->place, &split->factor[f], n->rule->factor[f].extent, position).begin;
	}
	return shift;
}

/* False if ranks of the role differ. */
static bool find_shift(const struct localiser *l, const struct node *n, const struct map_split *split, int k, int d,
		       int64_t *shift)
{
	for (int i = 0; i < l->role->ranks.n; i++) {
		int64_t here = shift_at(n, split, k, d, place_position(n->place, l->role->ranks.at[i]));
		if (i > 0 && here != *shift)
			return false;
		*shift = here;
	}
	return true;
}

/* Whether an index does not need the origins of its factors or its own: they cancel, or there are none. */
static bool is_settled(const struct phys_origins *o, const struct index *x, int had)
{
	bool shifted = had >= 0;
	for (int i = 0; i < x->nterms; i++)
		shifted |= o->factor[x->term[i].factor].type >= 0;
	int f = index_factor(x);
	return x->data < 0 ? !shifted || (f >= 0 && o->factor[f].type == had) : had < 0;
}

static bool needs_factors(const struct node *n, const struct phys_origins *o)
{
	for (int f = 0; f < n->rule->nfactors; f++)
		if (o->factor[f].type >= 0 && scalar_uses_factor(n->rule->body, f))
			return true;
	for (int d = 0; d < n->rule->out.rank; d++)
		if (!is_settled(o, &n->rule->out.index[d], o->out[d].type))
			return true;
	return false;
}

static void guard_as_written(const struct node *n, struct access *operand)
{
	for (int k = 0; k < n->nin; k++)
		for (int d = 0; d < operand[k].rank; d++)
			if (has_window(n->in[k], d))
				operand[k].index[d].guarded = n->rule->operand[k].index[d].guarded;
}

void localiser_settle_windows(const struct localiser *l, const struct node *n, const struct map_split *split,
			      struct rule *part, struct access *operand, struct phys_origins *o)
{
	struct access settled[MAX_OPERANDS];
	bool any = false;
	memcpy(settled, operand, sizeof *operand * (size_t)n->nin);
	guard_as_written(n, operand);
	if (needs_factors(n, o))
		return;
	for (int k = 0; k < n->nin; k++)
		for (int d = 0; d < part->operand[k].rank; d++) {
			struct index *x = &settled[k].index[d];
			int64_t shift = 0;
			if (!has_window(n->in[k], d) && is_settled(o, x, o->operand[k][d].type))
				continue;
			if (!has_window(n->in[k], d) || !find_shift(l, n, split, k, d, &shift))
				return;
			x->offset += shift;
			x->guarded = index_needs_guard(part, x, settled[k].dim[d]);
			any = true;
		}
	if (!any)
		return;
	memcpy(operand, settled, sizeof *operand * (size_t)n->nin);
	for (int f = 0; f < MAX_FACTORS; f++)
		o->factor[f].type = -1;
	for (int d = 0; d < MAX_RANK; d++) {
		o->out[d].type = -1;
		for (int k = 0; k < part->noperands; k++)
			o->operand[k][d].type = -1;
	}
}
