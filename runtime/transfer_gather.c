/* transfer_gather.c — S -> B along one axis of many ranks of one host (few ones exchange straight, those
 * of several in rounds: moves/relay.h): MPI_Iallgatherv on the axis's
 * communicator. Shards of the outermost dimension arrive in place; those of an inner one arrive rank by rank in staging
 * and are put where they belong. */
#include "transfer.h"

struct gather {
	int32_t place, axis;
	int64_t ranks, own;
	const struct rt_group *group;
	int *counts, *at;
	char *stage;            /* NULL: straight into the destination */
	struct boxcopy *unpack; /* per rank of the axis */
};

static void gather_counts(struct pmlrt *rt, struct rt_transfer *t, struct gather *g)
{
	struct shard_atom x = t->from.atom[g->axis];
	struct box whole = side_box(&t->to, rt->places[g->place].position);
	int64_t total = 0;
	bool straight = true;
	for (int64_t r = 0; r < g->ranks; r++) {
		struct box b = whole;
		cuts_narrow(x, g->ranks, r, &b.begin[x.dim], &b.end[x.dim]);
		boxcopy_make(&g->unpack[r], t->to.rank, &b, &b, &whole);
		g->counts[r] = (int)g->unpack[r].volume;
		g->at[r] = (int)total;
		straight = straight &&
			   (g->unpack[r].volume == 0 || (boxcopy_is_run(&g->unpack[r]) && g->unpack[r].to == total));
		total += g->unpack[r].volume;
	}
	if (!straight)
		g->stage = transfer_staging(rt, t, total * t->size);
}

static bool gather_prepare(struct pmlrt *rt, struct rt_transfer *t)
{
	int axis = transfer_axis(t);
	if (axis < 0 || t->from.atom[axis].kind != SHARD_S || t->to.atom[axis].kind != SHARD_B ||
	    t->from.place->extent[axis] <= rt->few_ranks)
		return false;
	if (!transfer_splits_plainly(&t->from, t->from.atom[axis].dim, axis) || !transfer_fits(rt, t) ||
	    transfer_parts_hosts(rt, t, UINT32_C(1) << axis))
		return false;
	struct gather *g = t->plan = rt_alloc(rt, sizeof *g);
	g->place = rt->program->types[t->decl->src].place;
	g->axis = axis;
	g->ranks = t->from.place->extent[axis];
	g->counts = rt_alloc(rt, g->ranks * (int64_t)sizeof *g->counts);
	g->at = rt_alloc(rt, g->ranks * (int64_t)sizeof *g->at);
	g->unpack = rt_alloc(rt, g->ranks * (int64_t)sizeof *g->unpack);
	gather_counts(rt, t, g);
	g->own = g->counts[rt->places[g->place].coordinate[axis]];
	t->sends = g->own * (g->ranks - 1) * t->size;
	int32_t *rank = rt_alloc(rt, g->ranks * (int64_t)sizeof *rank);
	rt_group_ranks(rt, g->place, UINT32_C(1) << axis, rank);
	for (int64_t r = 0; r < g->ranks; r++)
		transfer_crosses(rt, t, rank[r], g->own);
	rt_release(rt, rank);
	transfer_requests(rt, t, 1);
	g->group = rt_group_want(rt, g->place, UINT32_C(1) << axis);
	return true;
}

static void gather_begin(struct pmlrt *rt, struct rt_transfer *t)
{
	struct gather *g = t->plan;
	MPI_Datatype type = rt_dtype_mpi(t->dtype);
	t->nrequests = 1;
	RT_CHECK_AT(rt, t->site,
		    MPI_Iallgatherv(t->src, (int)g->own, type, g->stage ? g->stage : t->dst, g->counts, g->at, type,
				    g->group->comm, &t->requests[0]));
}

static bool gather_next(struct pmlrt *rt, struct rt_transfer *t)
{
	(void)rt;
	struct gather *g = t->plan;
	for (int64_t r = 0; g->stage && r < g->ranks; r++)
		boxcopy_run(&g->unpack[r], t->size, g->stage + g->at[r] * t->size, t->dst);
	return true;
}

const struct rt_method rt_method_all_gather = {.prepare = gather_prepare, .begin = gather_begin, .next = gather_next};
