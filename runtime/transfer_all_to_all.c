/* transfer_all_to_all.c — all-to-all on one placement, without parts, and on one host where several ranks want the
 * same: the plan of the general exchange in one phase and one round, carried by MPI_Ialltoallv. Pieces go straight from
 * the source, or into the destination, where every one of them is one piece there, else through staging. */
#include "exchange.h"
#include "moves/relay.h"

struct all_to_all {
	struct exchange x;
	const struct rt_group *group;
	bool from_source, to_target; /* without staging */
	int *send_counts, *send_at, *receive_counts, *receive_at;
};

static bool all_straight(const struct pmlrt *rt, const struct leg *legs, int n)
{
	for (int i = 0; i < n; i++)
		if (legs[i].peer != rt->rank && !boxcopy_is_run(&legs[i].copy))
			return false;
	return true;
}

static void set_counts(struct pmlrt *rt, struct rt_transfer *t, struct all_to_all *a)
{
	const struct phase *p = &a->x.phase[0];
	int64_t bytes = t->from.place->count * (int64_t)sizeof(int);
	a->send_counts = rt_alloc(rt, bytes);
	a->send_at = rt_alloc(rt, bytes);
	a->receive_counts = rt_alloc(rt, bytes);
	a->receive_at = rt_alloc(rt, bytes);
	for (int i = 0; i < p->nsend; i++) {
		int64_t position = mesh_position(t->from.place, p->send[i].peer);
		a->send_counts[position] = (int)p->send[i].copy.volume;
		transfer_crosses(rt, t, p->send[i].peer, p->send[i].copy.volume);
		a->send_at[position] = (int)(a->from_source ? p->send[i].copy.from : p->send[i].at);
	}
	for (int i = 0; i < p->nreceive; i++) {
		int64_t position = mesh_position(t->from.place, p->receive[i].peer);
		if (p->receive[i].peer == rt->rank)
			continue;
		a->receive_counts[position] = (int)p->receive[i].copy.volume;
		a->receive_at[position] = (int)(a->to_target ? p->receive[i].copy.to : p->receive[i].at);
	}
}

static bool all_to_all_prepare(struct pmlrt *rt, struct rt_transfer *t)
{
	struct side mid;
	if (!mesh_same(t->from.place, t->to.place) || side_uses(&t->from, SHARD_P) || side_uses(&t->to, SHARD_P) ||
	    moves_between(&t->from, &t->to, &mid) || !transfer_fits(rt, t) ||
	    (relays_help(&t->from, &t->to) && transfer_spans_hosts(rt, t)) ||
	    exchange_way_of(rt, t, (struct exchange_way){0}) != ROOM_MESSAGES)
		return false;
	struct all_to_all *a = t->plan = rt_alloc(rt, sizeof *a);
	struct phase *p = &a->x.phase[0];
	exchange_make(rt, t, &a->x, (struct exchange_way){.staged = true});
	a->from_source = all_straight(rt, p->send, p->nsend);
	a->to_target = all_straight(rt, p->receive, p->nreceive);
	p->send_room = a->from_source ? 0 : p->send_room;
	p->receive_room = a->to_target ? 0 : p->receive_room;
	exchange_stage(rt, t, &a->x);
	set_counts(rt, t, a);
	transfer_requests(rt, t, 1);
	a->group = rt_group_want(rt, rt->program->types[t->decl->src].place, (UINT32_C(1) << t->from.place->naxes) - 1);
	return true;
}

static void all_to_all_begin(struct pmlrt *rt, struct rt_transfer *t)
{
	struct all_to_all *a = t->plan;
	struct phase *p = &a->x.phase[0];
	MPI_Datatype type = rt_dtype_mpi(t->dtype);
	if (!a->from_source)
		phase_pack(t, p, t->src, t->dst);
	t->nrequests = 1;
	RT_CHECK_AT(rt, t->site,
		    MPI_Ialltoallv(a->from_source ? t->src : p->send_stage, a->send_counts, a->send_at, type,
				   a->to_target ? t->dst : p->receive_stage, a->receive_counts, a->receive_at, type,
				   a->group->comm, &t->requests[0]));
}

static bool all_to_all_next(struct pmlrt *rt, struct rt_transfer *t)
{
	struct all_to_all *a = t->plan;
	const struct phase *p = &a->x.phase[0];
	for (int i = 0; i < p->nreceive; i++)
		if (!a->to_target || p->receive[i].peer == rt->rank)
			leg_finish(rt, t, p, &p->receive[i], t->src, t->dst);
	return true;
}

const struct rt_method rt_method_all_to_all = {
	.prepare = all_to_all_prepare, .begin = all_to_all_begin, .next = all_to_all_next};
