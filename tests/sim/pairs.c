/* pairs.c — see pairs.h. To add a mesh or a size: the tables here. */
#include "pairs.h"

#include <string.h>

const struct mesh meshes[MESHES] = {{1, {2}},    {1, {3}},       {1, {4}},   {2, {2, 2}},
				    {2, {2, 3}}, {3, {2, 2, 2}}, {2, {1, 3}}};
const int64_t sizes[SIZES] = {1, 2, 5, 6, 7, 12};

static struct shard_atom atom_number(int k, int rank)
{
	if (k == 0)
		return (struct shard_atom){.kind = SHARD_B};
	if (k <= rank)
		return (struct shard_atom){.kind = SHARD_S, .dim = (int8_t)(k - 1)};
	return (struct shard_atom){.kind = SHARD_P, .combiner = (uint8_t)(k - rank - 1)};
}

bool has_parts(const struct pmlrt_type *t, int naxes)
{
	for (int a = 0; a < naxes; a++)
		if (t->atom[a].kind == SHARD_P)
			return true;
	return false;
}

int layouts_of(int mesh, int rank, const int64_t *dim, int32_t dtype, struct pmlrt_type *out)
{
	int naxes = meshes[mesh].naxes, kinds = 1 + rank + COMBINERS, all = 1, n = 0;
	for (int a = 0; a < naxes; a++)
		all *= kinds;
	for (int k = 0; k < all; k++) {
		struct pmlrt_type t = {.dtype = dtype, .rank = rank};
		int rest = k;
		for (int a = 0; a < naxes; a++, rest /= kinds)
			t.atom[a] = atom_number(rest % kinds, rank);
		memcpy(t.dim, dim, sizeof *dim * (size_t)rank);
		if (!atoms_mix(naxes, t.atom))
			out[n++] = t;
	}
	return n;
}

void draw_shares(int mesh, struct pmlrt_type *t, uint64_t *dice)
{
	/* the last two of each are what slices leave: x[1..61] of 64, x[20..61] */
	static const int32_t of_two[][4] = {{2, 0, 2, 3}, {2, 0, 1, 4},   {2, 0, 0, 1},
					    {2, 0, 5, 5}, {2, 0, 31, 60}, {2, 0, 12, 41}};
	static const int32_t of_three[][5] = {{3, 0, 2, 3, 4}, {3, 0, 1, 1, 4},	   {3, 0, 3, 4, 4},
					      {3, 0, 0, 7, 7}, {3, 0, 21, 42, 60}, {3, 0, 2, 23, 41}};
	static const int32_t of_four[][6] = {{4, 0, 4, 7, 9, 10}, {4, 0, 1, 2, 2, 4},	   {4, 0, 0, 1, 1, 3},
					     {4, 0, 1, 1, 1, 8},  {4, 0, 15, 31, 47, 60}, {4, 0, 0, 12, 28, 41}};
	for (int a = 0; a < meshes[mesh].naxes; a++) {
		struct shard_atom *x = &t->atom[a];
		int64_t k = meshes[mesh].extent[a];
		int i = (int)(sim_random(dice) % 8);
		if ((x->kind != SHARD_S && x->kind != SHARD_WINDOW) || i > 5)
			continue;
		x->shares = k == 2 ? of_two[i] : k == 3 ? of_three[i] : k == 4 ? of_four[i] : NULL;
	}
}

struct pmlrt_place mesh_place(int mesh, int32_t first)
{
	struct pmlrt_place p = {.name = "place", .naxes = meshes[mesh].naxes, .count = 1, .first = first};
	for (int a = 0; a < p.naxes; a++) {
		p.axis[a] = "";
		p.extent[a] = meshes[mesh].extent[a];
		p.count *= p.extent[a];
	}
	return p;
}

/* Positions by ascending rank. */
static const int32_t *ranks_in_order(const struct pmlrt_place *p, int32_t *order)
{
	for (int32_t i = 0; i < p->count; i++) {
		int32_t k = i;
		for (; k > 0 && p->ranks[order[k - 1]] > p->ranks[i]; k--)
			order[k] = order[k - 1];
		order[k] = i;
	}
	return order;
}

int place_second(int mesh, enum relation relation, const struct pmlrt_place *from, struct pmlrt_place *to,
		 int32_t *ranks, uint64_t *dice)
{
	int64_t p = from->count, all;
	*to = mesh_place(mesh, 0);
	if (relation == OVERLAPPING)
		to->first = (int32_t)(1 + sim_random(dice) % (uint64_t)(p - 1));
	if (relation == DISJOINT)
		to->first = (int32_t)p;
	all = to->first + to->count > p ? to->first + to->count : p;
	if (relation != PERMUTED)
		return (int)all;
	for (int64_t i = 0; i < all; i++) {
		int64_t k = (int64_t)(sim_random(dice) % (uint64_t)(i + 1));
		ranks[i] = ranks[k];
		ranks[k] = (int32_t)i;
	}
	to->ranks = ranks;
	if (sim_random(dice) % 2)
		to->order = ranks_in_order(to, ranks + SIM_MOST_RANKS);
	return (int)all;
}

int32_t draw_dtype(uint64_t *dice)
{
	int k = (int)(sim_random(dice) % (2 * PMLRT_DTYPES));
	return k < PMLRT_DTYPES ? k : PMLRT_F32;
}
