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

/* The axes along which there are parts, as bits, if a movement makes all of them whole and moves nothing else; else 0.
 */
static uint32_t finished_axes(const struct node *from, const struct place *to, const struct layout *l)
{
	const struct place *p = from->place;
	bool same = place_same_mesh(p, to);
	uint32_t axes = 0;
	if (layout_has_partial(to, l))
		return 0;
	if (!same && !(place_same_ranks(p, to) && is_alike(p, &from->layout) && is_alike(to, l)))
		return 0;
	for (int a = 0; a < p->naxes; a++) {
		struct shard_atom x = from->layout.atom[a];
		if (p->extent[a] == 1)
			continue;
		if (x.kind == SHARD_P)
			axes |= UINT32_C(1) << a;
		if (same && !atom_equal(x, l->atom[a]) && (x.kind != SHARD_P || l->atom[a].kind != SHARD_B))
			return 0;
	}
	return axes;
}

/* Whether these are the axes, of those that count, that split a dimension. */
static bool split_dimension(const struct place *p, const struct layout *l, int d, uint32_t axes, uint32_t count)
{
	uint32_t split = 0;
	for (int a = 0; a < p->naxes; a++)
		if (count >> a & 1 && l->atom[a].kind == SHARD_S && l->atom[a].dim == d)
			split |= UINT32_C(1) << a;
	return split == axes;
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
	return out->table >= 0 && split_dimension(map->place, &map->in[out->table]->layout, out->dim, axes, count);
}

/* Where the dimensions of the indices stand in the result, one behind the other. */
static bool find_place(const struct rule *r, const struct access *rows, int *at)
{
	*at = 0;
	for (int d = 0; d < r->out.rank; d++)
		if (index_factor(&r->out.index[d]) < 0)
			return false;
	for (int d = 0; rows->rank && d < r->out.rank; d++)
		if (index_factor(&r->out.index[d]) == index_factor(&rows->index[0]))
			*at = d;
	for (int d = 0; d < rows->rank; d++)
		if (*at + d >= r->out.rank || index_factor(&rows->index[d]) < 0 ||
		    index_factor(&rows->index[d]) != index_factor(&r->out.index[*at + d]))
			return false;
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
	return find_place(r, &r->operand[rows], &out->at);
}

bool owners_find(const struct node *map, const struct place *to, const struct layout *l, struct owners *out)
{
	if (map->kind != NODE_MAP || !map->place || !to)
		return false;
	uint32_t wide = 0;
	for (int a = 0; a < map->place->naxes; a++)
		wide |= map->place->extent[a] > 1 ? UINT32_C(1) << a : 0;
	return find_owners(map, finished_axes(map, to, l), wide, out);
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
