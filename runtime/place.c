/* place.c — this process on every placement, and communicators for the placements and axes that transfers use.
 * Communicators are made once at start, by their members alone and in the order of the program's table on every rank,
 * so that creation cannot deadlock; a placement no collective uses costs nothing. */
#include "rt.h"

int32_t rt_place_rank(const struct pmlrt_place *p, int64_t position)
{
	return p->ranks ? p->ranks[position] : p->first + (int32_t)position;
}

int64_t rt_place_position(const struct pmlrt_place *p, int32_t rank)
{
	if (!p->ranks)
		return rank >= p->first && rank < p->first + p->count ? rank - p->first : -1;
	for (int64_t i = 0; i < p->count; i++)
		if (p->ranks[i] == rank)
			return i;
	return -1;
}

static void place_prepare(struct pmlrt *rt, int32_t i)
{
	const struct pmlrt_place *decl = &rt->program->places[i];
	struct rt_place *p = &rt->places[i];
	p->position = rt_place_position(decl, rt->rank);
	p->comm = MPI_COMM_NULL;
	int64_t rest = p->position < 0 ? 0 : p->position;
	for (int a = decl->naxes - 1; a >= 0; a--) {
		p->axis[a] = MPI_COMM_NULL;
		p->coordinate[a] = rest % decl->extent[a];
		rest /= decl->extent[a];
	}
}

void rt_places_prepare(struct pmlrt *rt)
{
	rt->places = rt_alloc(rt, rt->program->nplaces * (int64_t)sizeof *rt->places);
	for (int32_t i = 0; i < rt->program->nplaces; i++)
		place_prepare(rt, i);
}

/* Ranks at the positions first, first + stride, … of a placement, in this order, as a communicator. */
static MPI_Comm comm_make(struct pmlrt *rt, const struct pmlrt_place *decl, int64_t first, int64_t stride, int64_t count)
{
	int *ranks = rt_alloc(rt, count * (int64_t)sizeof *ranks);
	for (int64_t i = 0; i < count; i++)
		ranks[i] = rt_place_rank(decl, first + i * stride);
	MPI_Group world, group;
	MPI_Comm comm;
	RT_CHECK(rt, MPI_Comm_group(rt->control, &world));
	RT_CHECK(rt, MPI_Group_incl(world, (int)count, ranks, &group));
	RT_CHECK(rt, MPI_Comm_create_group(rt->control, group, 0, &comm));
	RT_CHECK(rt, MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
	MPI_Group_free(&group);
	MPI_Group_free(&world);
	rt_release(rt, ranks);
	return comm;
}

static void place_connect(struct pmlrt *rt, int32_t i)
{
	const struct pmlrt_place *decl = &rt->program->places[i];
	struct rt_place *p = &rt->places[i];
	if (p->position < 0)
		return;
	if (p->comm_wanted)
		p->comm = comm_make(rt, decl, 0, 1, decl->count);
	int64_t stride = decl->count;
	for (int a = 0; a < decl->naxes; a++) {
		stride /= decl->extent[a];
		if (p->axis_wanted[a])
			p->axis[a] = comm_make(rt, decl, p->position - p->coordinate[a] * stride, stride, decl->extent[a]);
	}
}

void rt_places_connect(struct pmlrt *rt)
{
	for (int32_t i = 0; i < rt->program->nplaces; i++)
		place_connect(rt, i);
}

void rt_places_end(struct pmlrt *rt)
{
	for (int32_t i = 0; i < rt->program->nplaces; i++) {
		struct rt_place *p = &rt->places[i];
		if (p->comm != MPI_COMM_NULL)
			MPI_Comm_free(&p->comm);
		for (int a = 0; a < rt->program->places[i].naxes; a++)
			if (p->axis[a] != MPI_COMM_NULL)
				MPI_Comm_free(&p->axis[a]);
	}
}

int64_t pmlrt_coordinate(struct pmlrt *rt, int32_t place, int32_t axis)
{
	return place < 0 ? 0 : rt->places[place].coordinate[axis];
}
