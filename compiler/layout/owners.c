/* owners.c — see owners.h. The owner of an element has all that the map reads for it: other operands are whole along
 * these axes, so what the map computes from the row does not matter. */
#include "owners.h"

/* Whether all ranks of a placement have the same, parts aside. */
static bool is_alike(const struct place *p, const struct layout *l)
{
	for (int a = 0; a < p->naxes; a++)
		if (p->extent[a] > 1 && l->atom[a].kind != SHARD_P && l->atom[a].kind != SHARD_B)
			return false;
	return true;
}

/* Whether the axes that come to split a dimension split it inside of all that did before: then what a rank keeps lies
 * in what it had. */
static bool splits_within(const struct place *p, const struct layout *l, uint32_t axes)
{
	for (int a = 0; a < p->naxes; a++)
		for (int b = a + 1; b < p->naxes && axes >> a & 1; b++)
			if (!(axes >> b & 1) && p->extent[b] > 1 && l->atom[b].kind == SHARD_S &&
			    l->atom[b].dim == l->atom[a].dim)
				return false;
	return true;
}

/* The axes along which there are parts, as bits, if a movement makes all of them whole, or splits along all of them,
 * and moves nothing else; else 0. */
static uint32_t finished_axes(const struct node *from, const struct place *to, const struct layout *l)
{
	const struct place *p = from->place;
	bool same = place_same_mesh(p, to);
	uint32_t axes = 0, split = 0;
	if (layout_has_partial(to, l))
		return 0;
	if (!same && !(place_same_ranks(p, to) && is_alike(p, &from->layout) && is_alike(to, l)))
		return 0;
	for (int a = 0; a < p->naxes; a++) {
		struct shard_atom x = from->layout.atom[a], y = l->atom[a];
		if (p->extent[a] == 1)
			continue;
		if (x.kind == SHARD_P)
			axes |= UINT32_C(1) << a;
		if (same && x.kind == SHARD_P && y.kind == SHARD_S)
			split |= UINT32_C(1) << a;
		else if (same && !atom_equal(x, y) && (x.kind != SHARD_P || y.kind != SHARD_B))
			return 0;
	}
	return !split || (split == axes && splits_within(p, l, axes)) ? axes : 0;
}

static uint32_t wide_axes(const struct place *p)
{
	uint32_t wide = 0;
	for (int a = 0; a < p->naxes; a++)
		wide |= p->extent[a] > 1 ? UINT32_C(1) << a : 0;
	return wide;
}

/* The axes, of those that count, that split a dimension. */
static uint32_t splitting_axes(const struct place *p, const struct layout *l, int d, uint32_t count)
{
	uint32_t split = 0;
	for (int a = 0; a < p->naxes; a++)
		if (count >> a & 1 && l->atom[a].kind == SHARD_S && l->atom[a].dim == d)
			split |= UINT32_C(1) << a;
	return split;
}

/* The one operand that these axes split, all of them along one dimension, which nothing else splits. */
static bool find_table(const struct node *map, uint32_t axes, uint32_t count, struct owners *out)
{
	out->table = -1;
	for (int i = 0; i < map->nin; i++)
		for (int a = 0; a < map->place->naxes; a++) {
			struct shard_atom x = map->in[i]->layout.atom[a];
			if (!(count >> a & 1))
				continue;
			bool finished = axes >> a & 1;
			if (finished && x.kind == SHARD_S &&
			    (out->table < 0 || (out->table == i && out->dim == x.dim))) {
				out->table = i;
				out->dim = x.dim;
			} else if (finished && x.kind != SHARD_B) {
				return false;
			}
		}
	return out->table >= 0 && splitting_axes(map->place, &map->in[out->table]->layout, out->dim, count) == axes;
}

/* Where the dimensions of the indices stand in a tensor, one behind the other, all of them. */
static bool find_place(const struct rule *r, const struct access *tensor, const struct access *rows, int *at)
{
	*at = 0;
	for (int d = 0; d < tensor->rank; d++)
		if (index_factor(&tensor->index[d]) < 0)
			return false;
	for (int d = 0; rows->rank && d < tensor->rank; d++)
		if (index_factor(&tensor->index[d]) == index_factor(&rows->index[0]))
			*at = d;
	for (int d = 0; d < rows->rank; d++) {
		int f = index_factor(&rows->index[d]);
		if (f < 0 || *at + d >= tensor->rank || index_factor(&tensor->index[*at + d]) != f ||
		    rows->dim[d] != r->factor[f].extent || tensor->dim[*at + d] != rows->dim[d])
			return false;
	}
	return true;
}

/* Of the axes that count these are the ones along which there are parts. */
static bool find_owners(const struct node *map, uint32_t axes, uint32_t count, struct owners *out)
{
	const struct rule *r = map->rule;
	if (!axes || r->combiner != COMBINE_NONE || rule_is_scatter(r) || !find_table(map, axes, count, out))
		return false;
	int rows = r->operand[out->table].index[out->dim].data;
	if (rows < 0 || !dtype_is_int(map->in[rows]->dtype))
		return false;
	out->rows = map->in[rows];
	return find_place(r, &r->out, &r->operand[rows], &out->at);
}

bool owners_find(const struct node *map, const struct place *to, const struct layout *l, struct owners *out)
{
	if (map->kind != NODE_MAP || !map->place || !to)
		return false;
	return find_owners(map, finished_axes(map, to, l), wide_axes(map->place), out);
}

bool owners_of_rows(const struct node *map, struct layout *whole)
{
	struct owners owners;
	uint32_t axes = 0;
	*whole = map->layout;
	for (int a = 0; a < map->place->naxes; a++)
		if (whole->atom[a].kind == SHARD_P) {
			whole->atom[a] = (struct shard_atom){.kind = SHARD_B};
			axes |= UINT32_C(1) << a;
		}
	return find_owners(map, axes, (UINT32_C(1) << map->place->naxes) - 1, &owners);
}

/* The axes along which a movement makes whole what is split inside of other splits, as bits, if it does nothing else;
 * else 0. */
static uint32_t gathered_axes(const struct place *p, const struct layout *from, const struct layout *to)
{
	uint32_t axes = 0;
	if (layout_has_partial(p, to))
		return 0;
	for (int a = 0; a < p->naxes; a++) {
		struct shard_atom x = from->atom[a], y = to->atom[a];
		if (p->extent[a] == 1 || atom_equal(x, y))
			continue;
		if (x.kind != SHARD_S || y.kind != SHARD_B)
			return 0;
		axes |= UINT32_C(1) << a;
	}
	return splits_within(p, from, axes) ? axes : 0;
}

bool owners_return(const struct place *p, const struct layout *from, const struct layout *to, uint32_t owning)
{
	uint32_t axes = gathered_axes(p, from, to);
	return axes && !(axes & ~owning);
}

/* The dimension of its result whose index is data; -1: there is none, or several. */
static int dimension_by_data(const struct rule *r)
{
	int found = -1;
	for (int d = 0; d < r->out.rank; d++) {
		if (r->out.index[d].data >= 0 && found >= 0)
			return -1;
		found = r->out.index[d].data >= 0 ? d : found;
	}
	return found;
}

/* The one operand of a map that this is; -1: several are. */
static int operand_of(const struct node *map, const struct node *x)
{
	int found = -1;
	for (int i = 0; i < map->nin; i++) {
		if (map->in[i] == x && found >= 0)
			return -1;
		found = map->in[i] == x ? i : found;
	}
	return found;
}

/* Whether a map adds up what it takes as this operand, each row where its index says. */
static bool adds_up(const struct node *map, int moved, struct owners *out)
{
	if (map->kind != NODE_MAP)
		return false;
	const struct rule *r = map->rule;
	int d = dimension_by_data(r);
	if (d < 0 || r->out.index[d].data == moved)
		return false;
	int rows = r->out.index[d].data;
	*out = (struct owners){.table = -1, .dim = d, .rows = map->in[rows]};
	return dtype_is_int(map->in[rows]->dtype) && find_place(r, &r->operand[moved], &r->operand[rows], &out->at);
}

uint32_t owners_axes(const struct node *map, int moved, const struct place *p, const struct layout *l)
{
	struct owners owners;
	return adds_up(map, moved, &owners) ? splitting_axes(p, l, owners.dim, wide_axes(p)) : 0;
}

bool owners_of_sums(const struct node *to, const struct node *map, struct owners *out)
{
	int moved = operand_of(map, to);
	if (moved < 0 || map->place != to->place || to->in[0]->place != to->place || map->loop != to->loop ||
	    !adds_up(map, moved, out) || out->rows->id >= to->id)
		return false;
	uint32_t owning = splitting_axes(map->place, &map->layout, out->dim, wide_axes(map->place));
	return owners_return(to->place, &to->in[0]->layout, &to->layout, owning);
}
