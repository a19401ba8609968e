/* transfer_reduce.c — finishing a P on a group's communicator: P -> S along one axis of one host by
 * MPI_Ireduce_scatter, where shards of an inner dimension are packed rank by rank first. What is little goes as parts
 * through a window instead (exchange_window.c). */
#include "combine.h"
#include "exchange.h"

#include <string.h>

struct reduce {
	int32_t place, combiner;
	int64_t ranks, own, elements; /* of the group, this rank's number in it, elements of its part */
	int32_t *rank;                /* world ranks */
	const struct rt_group *group;
	MPI_Op op;
	int *counts;
	char *stage; /* NULL: straight from the source */
	struct boxcopy *pack;
};

/* Operations of our own: those of 16-bit floats, for which MPI has no type, and all max and min, because MPICH 4.0
 * takes unsigned numbers for signed ones there, and a NaN has to stay. The combiner is in the function's name. */
#define OPERATION(dtype, combiner) \
	static void op_##dtype##_##combiner(void *from, void *to, int *n, MPI_Datatype *type) \
	{ \
		(void)type; \
		combine(PMLRT_##dtype, SHARD_##combiner, to, to, from, *n); \
	}
#define DTYPE(name, text, ctype, size, kind) OPERATION(name, MAX) OPERATION(name, MIN)
#include "dtype.def"
#undef DTYPE
OPERATION(BF16, SUM)
OPERATION(BF16, PROD)
OPERATION(F16, SUM)
OPERATION(F16, PROD)

static MPI_User_function *own_operation(int32_t dtype, int32_t combiner)
{
	static MPI_User_function *const most[PMLRT_DTYPES] = {
#define DTYPE(name, text, ctype, size, kind) [PMLRT_##name] = op_##name##_MAX,
#include "dtype.def"
#undef DTYPE
	};
	static MPI_User_function *const least[PMLRT_DTYPES] = {
#define DTYPE(name, text, ctype, size, kind) [PMLRT_##name] = op_##name##_MIN,
#include "dtype.def"
#undef DTYPE
	};
	static MPI_User_function *const sum[PMLRT_DTYPES] = {
		[PMLRT_BF16] = op_BF16_SUM, [PMLRT_F16] = op_F16_SUM, [PMLRT_BOOL] = op_BOOL_MAX};
	static MPI_User_function *const prod[PMLRT_DTYPES] = {
		[PMLRT_BF16] = op_BF16_PROD, [PMLRT_F16] = op_F16_PROD, [PMLRT_BOOL] = op_BOOL_MIN};
	switch ((enum shard_combiner)combiner) {
	case SHARD_SUM:
		return sum[dtype];
	case SHARD_MAX:
		return most[dtype];
	case SHARD_MIN:
		return least[dtype];
	case SHARD_PROD:
		return prod[dtype];
	}
	return NULL;
}

/* One operation per transfer is made; they are freed with MPI. */
static MPI_Op reduce_operation(int32_t dtype, int32_t combiner)
{
	MPI_User_function *own = own_operation(dtype, combiner);
	MPI_Op op;
	if (!own)
		return combiner == SHARD_SUM ? MPI_SUM : MPI_PROD;
	return MPI_Op_create(own, 1, &op) == MPI_SUCCESS ? op : MPI_OP_NULL;
}

static struct reduce *reduce_make(struct pmlrt *rt, struct rt_transfer *t, uint32_t axes)
{
	struct reduce *r = t->plan = rt_alloc(rt, sizeof *r);
	r->place = rt->program->types[t->decl->src].place;
	r->group = rt_group_want(rt, r->place, axes);
	r->ranks = mesh_extent(t->from.place, axes);
	r->rank = rt_alloc(rt, r->ranks * (int64_t)sizeof *r->rank);
	r->own = rt_group_ranks(rt, r->place, axes, r->rank);
	r->elements = side_volume(&t->from, rt->places[r->place].position);
	r->combiner = side_combiner(&t->from);
	transfer_requests(rt, t, 1);
	return r;
}

static void reduce_connect(struct pmlrt *rt, struct rt_transfer *t)
{
	struct reduce *r = t->plan;
	(void)rt;
	r->op = reduce_operation(t->dtype, r->combiner);
}

static bool reduce_next(struct pmlrt *rt, struct rt_transfer *t)
{
	(void)rt;
	(void)t;
	return true;
}

static void scatter_counts(struct pmlrt *rt, struct rt_transfer *t, struct reduce *r, struct shard_atom x)
{
	struct box whole = side_box(&t->from, rt->places[r->place].position);
	int64_t total = 0;
	bool straight = true;
	for (int64_t i = 0; i < r->ranks; i++) {
		struct box b = whole;
		cuts_narrow(x, r->ranks, i, &b.begin[x.dim], &b.end[x.dim]);
		boxcopy_make(&r->pack[i], t->from.rank, &b, &whole, &b);
		r->counts[i] = (int)r->pack[i].volume;
		straight = straight &&
			   (r->pack[i].volume == 0 || (boxcopy_is_run(&r->pack[i]) && r->pack[i].from == total));
		total += r->pack[i].volume;
	}
	if (!straight)
		r->stage = transfer_staging(rt, t, total * t->size);
}

static bool reduce_scatter_prepare(struct pmlrt *rt, struct rt_transfer *t)
{
	int axis = transfer_axis(t);
	if (axis < 0 || t->from.atom[axis].kind != SHARD_P || t->to.atom[axis].kind != SHARD_S ||
	    !transfer_fits(rt, t) || moves_widen(t->dtype, &t->from, &t->to) ||
	    !transfer_splits_plainly(&t->to, t->to.atom[axis].dim, axis) ||
	    transfer_parts_hosts(rt, t, UINT32_C(1) << axis) ||
	    exchange_way_of(rt, t, (struct exchange_way){.one_phase = true}) != ROOM_MESSAGES)
		return false;
	struct reduce *r = reduce_make(rt, t, UINT32_C(1) << axis);
	r->counts = rt_alloc(rt, r->ranks * (int64_t)sizeof *r->counts);
	r->pack = rt_alloc(rt, r->ranks * (int64_t)sizeof *r->pack);
	scatter_counts(rt, t, r, t->to.atom[axis]);
	t->sends = (r->elements - r->counts[r->own]) * t->size;
	for (int64_t i = 0; i < r->ranks; i++)
		transfer_crosses(rt, t, r->rank[i], r->counts[i]);
	rt_release(rt, r->rank);
	return true;
}

static void reduce_scatter_begin(struct pmlrt *rt, struct rt_transfer *t)
{
	struct reduce *r = t->plan;
	int64_t at = 0;
	for (int64_t i = 0; r->stage && i < r->ranks; i++) {
		boxcopy_run(&r->pack[i], t->size, t->src, r->stage + at * t->size);
		at += r->counts[i];
	}
	t->nrequests = 1;
	RT_CHECK_AT(rt, t->site,
		    MPI_Ireduce_scatter(r->stage ? r->stage : t->src, t->dst, r->counts, rt_dtype_mpi(t->dtype), r->op,
					r->group->comm, &t->requests[0]));
}

const struct rt_method rt_method_reduce_scatter = {.prepare = reduce_scatter_prepare,
						   .connect = reduce_connect,
						   .begin = reduce_scatter_begin,
						   .next = reduce_next,
						   .otherwise = &rt_method_parts};
