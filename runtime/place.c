/* place.c — this process on every placement, and communicators for the groups of ranks that transfers use. They are
 * made once at start, by their members alone, placement by placement and in the order in which the program's transfers
 * ask for them, which is the same on all members, so that creation cannot deadlock; a placement no collective uses
 * costs nothing. */
#include "moves/mesh.h"
#include "rt.h"

static void place_prepare(struct pmlrt *rt, int32_t i)
{
	const struct pmlrt_place *decl = &rt->program->places[i];
	struct rt_place *p = &rt->places[i];
	p->position = mesh_position(decl, rt->rank);
	mesh_coordinates(decl->naxes, decl->extent, p->position < 0 ? 0 : p->position, p->coordinate);
}

void rt_places_prepare(struct pmlrt *rt)
{
	rt->places = rt_alloc(rt, rt->program->nplaces * (int64_t)sizeof *rt->places);
	for (int32_t i = 0; i < rt->program->nplaces; i++)
		place_prepare(rt, i);
}

/* The position of a group's member by its number. */
static int64_t member_position(const struct pmlrt_place *decl, const struct rt_place *p, uint32_t axes, int64_t number)
{
	int64_t coordinate[PMLRT_MAX_AXES], position = 0;
	for (int a = decl->naxes - 1; a >= 0; a--) {
		coordinate[a] = axes >> a & 1 ? number % decl->extent[a] : p->coordinate[a];
		number /= axes >> a & 1 ? decl->extent[a] : 1;
	}
	for (int a = 0; a < decl->naxes; a++)
		position = position * decl->extent[a] + coordinate[a];
	return position;
}

int64_t rt_group_ranks(const struct pmlrt *rt, int32_t place, uint32_t axes, int32_t *ranks)
{
	const struct pmlrt_place *decl = &rt->program->places[place];
	const struct rt_place *p = &rt->places[place];
	int64_t own = 0;
	for (int64_t i = 0; i < mesh_extent(decl, axes); i++) {
		int64_t position = member_position(decl, p, axes, i);
		ranks[i] = mesh_rank(decl, position);
		own = position == p->position ? i : own;
	}
	return own;
}

const struct rt_group *rt_group_want(struct pmlrt *rt, int32_t place, uint32_t axes)
{
	struct rt_group **at = &rt->places[place].groups;
	while (*at && (*at)->axes != axes)
		at = &(*at)->next;
	if (!*at) {
		*at = rt_alloc(rt, sizeof **at);
		**at = (struct rt_group){.axes = axes, .comm = MPI_COMM_NULL};
	}
	return *at;
}

static void group_connect(struct pmlrt *rt, int32_t place, struct rt_group *g)
{
	int64_t n = mesh_extent(&rt->program->places[place], g->axes);
	int *ranks = rt_alloc(rt, n * (int64_t)sizeof *ranks);
	MPI_Group world, group;
	rt_group_ranks(rt, place, g->axes, ranks);
	RT_CHECK(rt, MPI_Comm_group(rt->control, &world));
	RT_CHECK(rt, MPI_Group_incl(world, (int)n, ranks, &group));
	RT_CHECK(rt, MPI_Comm_create_group(rt->control, group, 0, &g->comm));
	RT_CHECK(rt, MPI_Comm_set_errhandler(g->comm, MPI_ERRORS_RETURN));
	MPI_Group_free(&group);
	MPI_Group_free(&world);
	rt_release(rt, ranks);
}

void rt_places_connect(struct pmlrt *rt)
{
	for (int32_t i = 0; i < rt->program->nplaces; i++)
		for (struct rt_group *g = rt->places[i].groups; g; g = g->next)
			group_connect(rt, i, g);
}

void rt_places_end(struct pmlrt *rt)
{
	for (int32_t i = 0; i < rt->program->nplaces; i++)
		for (struct rt_group *g = rt->places[i].groups; g; g = g->next)
			if (g->comm != MPI_COMM_NULL)
				MPI_Comm_free(&g->comm);
}

int64_t pmlrt_coordinate(struct pmlrt *rt, int32_t place, int32_t axis)
{
	return place < 0 ? 0 : rt->places[place].coordinate[axis];
}
