/* mesh.c — see mesh.h. */
#include "mesh.h"

#include "count.h"

int32_t mesh_rank(const struct pmlrt_place *m, int64_t position)
{
	return m->ranks ? m->ranks[position] : m->first + (int32_t)position;
}

static int64_t search_order(const struct pmlrt_place *m, int32_t rank)
{
	int64_t begin = 0, end = m->count;
	while (begin < end) {
		int64_t middle = begin + (end - begin) / 2;
		if (m->ranks[m->order[middle]] < rank)
			begin = middle + 1;
		else
			end = middle;
	}
	return begin < m->count && m->ranks[m->order[begin]] == rank ? m->order[begin] : -1;
}

int64_t mesh_position(const struct pmlrt_place *m, int32_t rank)
{
	if (!m->ranks)
		return rank >= m->first && rank - m->first < m->count ? rank - m->first : -1;
	if (m->order)
		return search_order(m, rank);
	for (int64_t i = 0; i < m->count; i++)
		if (m->ranks[i] == rank)
			return i;
	return -1;
}

/* There are as many positions as ranks at the most, whose numbers have 32 bits: they divide faster than 64. */
void mesh_coordinates(int naxes, const int64_t *extent, int64_t position, int64_t *coordinate)
{
	uint32_t rest = (uint32_t)position;
	for (int a = naxes - 1; a >= 0; a--) {
		uint32_t n = (uint32_t)extent[a];
		coordinate[a] = rest % n;
		rest /= n;
	}
}

int64_t mesh_extent(const struct pmlrt_place *m, uint32_t axes)
{
	int64_t n = 1;
	for (int a = 0; a < m->naxes; a++)
		n = axes >> a & 1 ? count_mul(n, m->extent[a]) : n;
	return n;
}

int64_t mesh_number(const struct pmlrt_place *m, uint32_t axes, const int64_t *coordinate)
{
	int64_t number = 0;
	for (int a = 0; a < m->naxes; a++)
		number = axes >> a & 1 ? number * m->extent[a] + coordinate[a] : number;
	return number;
}

bool mesh_parts_hosts(const struct pmlrt_place *m, uint32_t axes, const int32_t *host)
{
	int64_t coordinate[PMLRT_MAX_AXES];
	for (int64_t i = 0; host && i < m->count; i++) {
		mesh_coordinates(m->naxes, m->extent, i, coordinate);
		int64_t first = 0;
		for (int a = 0; a < m->naxes; a++)
			first = first * m->extent[a] + (axes >> a & 1 ? 0 : coordinate[a]);
		if (host[mesh_rank(m, i)] != host[mesh_rank(m, first)])
			return true;
	}
	return false;
}

bool mesh_same_ranks(const struct pmlrt_place *a, const struct pmlrt_place *b)
{
	if (a == b)
		return true;
	if (a->count != b->count)
		return false;
	if (a->ranks == b->ranks)
		return a->ranks || a->first == b->first;
	for (int64_t i = 0; i < a->count; i++)
		if (mesh_rank(a, i) != mesh_rank(b, i))
			return false;
	return true;
}

bool mesh_same(const struct pmlrt_place *a, const struct pmlrt_place *b)
{
	if (a->naxes != b->naxes)
		return false;
	for (int i = 0; i < a->naxes; i++)
		if (a->extent[i] != b->extent[i])
			return false;
	return mesh_same_ranks(a, b);
}
