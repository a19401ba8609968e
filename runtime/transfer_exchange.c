/* transfer_exchange.c — the general redistribution: any layout on any placement to any other, by the moves of moves.c.
 * Every rank sends each other rank exactly the box it needs, as one message or none; boxes in one piece travel straight
 * from and to the tensors, others through staging. Parts of an unfinished tensor are combined in one fixed order, after
 * all have arrived. A P that ends on several ranks goes in two phases, scattered and then gathered (moves.h).
 * All-to-all is the same plan on one placement, carried by MPI_Ialltoallv. */
#include "combine.h"
#include "transfer.h"

#include <string.h>

/* One box to one peer, from one peer, or within this rank. */
struct leg {
	int32_t peer; /* world rank */
	struct boxcopy copy; /* send: tensor to message; receive: message (or source tensor) to tensor */
	int64_t at; /* element of the staging buffer, -1: straight from or into the tensor */
	bool first;
};

struct phase {
	struct side from, to;
	int nsend, nreceive;
	struct leg *send, *receive; /* receive holds the legs within this rank as well: peer == this rank */
	int64_t send_room, receive_room; /* staging, elements */
	char *send_stage, *receive_stage;
	bool fill; /* the destination starts as the identity */
	int64_t fill_count;
	int32_t fill_combiner;
};

struct exchange {
	int nphases, at;
	struct phase phase[2];
	void *middle; /* the tensor between two phases */
	/* all-to-all only */
	MPI_Comm comm;
	int *send_counts, *send_at, *receive_counts, *receive_at;
};

/* Context of the visits that build a phase. */
struct builder {
	struct pmlrt *rt;
	struct rt_transfer *t;
	struct phase *p;
	struct box from, to; /* what this rank holds on either side */
	bool staged; /* every message goes through staging (all-to-all) */
};

static void count_send(void *context, const struct move *m)
{
	struct builder *b = context;
	b->p->nsend += m->to != m->from;
}

static void count_receive(void *context, const struct move *m)
{
	struct builder *b = context;
	b->p->nreceive += m->to == b->rt->rank;
}

static int64_t take_staging(struct builder *b, int64_t *room, bool straight, int64_t volume)
{
	if (straight && !b->staged)
		return -1;
	int64_t at = *room;
	*room += volume;
	return at;
}

static void add_send(void *context, const struct move *m)
{
	struct builder *b = context;
	if (m->to == m->from)
		return;
	struct leg *leg = &b->p->send[b->p->nsend++];
	leg->peer = m->to;
	boxcopy_make(&leg->copy, b->p->from.rank, &m->box, &b->from, &m->box);
	leg->at = take_staging(b, &b->p->send_room, boxcopy_is_run(&leg->copy), leg->copy.volume);
	transfer_count(b->rt, b->t, leg->copy.volume);
	b->t->sends += leg->copy.volume * b->t->size;
}

static void add_receive(void *context, const struct move *m)
{
	struct builder *b = context;
	struct leg *leg = &b->p->receive[b->p->nreceive++];
	bool self = m->from == b->rt->rank;
	leg->peer = m->from;
	leg->first = m->first;
	boxcopy_make(&leg->copy, b->p->from.rank, &m->box, self ? &b->from : &m->box, &b->to);
	leg->at = -1;
	if (!self)
		leg->at = take_staging(b, &b->p->receive_room, boxcopy_is_run(&leg->copy) && m->first, leg->copy.volume);
}

static struct box own_box(const struct side *s, int32_t rank)
{
	int64_t position = rt_place_position(s->place, rank);
	return position < 0 ? (struct box){{0}, {0}} : side_box(s, position);
}

/* A rank that gets the identity: the destination is a P of several parts. */
static void phase_fill(struct phase *p, const struct builder *b)
{
	if (!side_uses(&p->to, SHARD_P) || rt_place_position(p->to.place, b->rt->rank) < 0)
		return;
	p->fill = true;
	p->fill_count = box_volume(p->to.rank, &b->to);
	p->fill_combiner = side_combiner(&p->to);
}

static void phase_prepare(struct pmlrt *rt, struct rt_transfer *t, struct phase *p, bool staged)
{
	struct builder b = {rt, t, p, own_box(&p->from, rt->rank), own_box(&p->to, rt->rank), staged};
	moves_from(&p->from, &p->to, rt->rank, count_send, &b);
	moves_to(&p->from, &p->to, rt->rank, count_receive, &b);
	p->send = rt_alloc(rt, p->nsend * (int64_t)sizeof *p->send);
	p->receive = rt_alloc(rt, p->nreceive * (int64_t)sizeof *p->receive);
	p->nsend = p->nreceive = 0;
	moves_from(&p->from, &p->to, rt->rank, add_send, &b);
	moves_to(&p->from, &p->to, rt->rank, add_receive, &b);
	p->send_stage = transfer_staging(rt, p->send_room * t->size);
	p->receive_stage = transfer_staging(rt, p->receive_room * t->size);
	phase_fill(p, &b);
	transfer_requests(rt, t, p->nsend + p->nreceive);
}

static struct exchange *exchange_make(struct pmlrt *rt, struct rt_transfer *t, bool staged)
{
	struct exchange *x = t->plan = rt_alloc(rt, sizeof *x);
	struct side mid;
	x->nphases = 1;
	x->phase[0].from = t->from;
	x->phase[0].to = t->to;
	if (side_between(&t->from, &t->to, &mid)) {
		x->nphases = 2;
		x->phase[0].to = x->phase[1].from = mid;
		x->phase[1].to = t->to;
		struct box own = own_box(&mid, rt->rank);
		x->middle = transfer_staging(rt, box_volume(mid.rank, &own) * t->size);
	}
	t->sends = 0;
	for (int i = 0; i < x->nphases; i++)
		phase_prepare(rt, t, &x->phase[i], staged);
	return x;
}

static bool exchange_prepare(struct pmlrt *rt, struct rt_transfer *t)
{
	exchange_make(rt, t, false);
	return true;
}

/* Source and destination of the present phase. */
static const void *phase_source(const struct rt_transfer *t, const struct exchange *x)
{
	return x->at == 0 ? t->src : x->middle;
}

static void *phase_target(const struct rt_transfer *t, const struct exchange *x)
{
	return x->at == x->nphases - 1 ? t->dst : x->middle;
}

/* Fills, and packs what is not in one piece. */
static void phase_pack(struct rt_transfer *t, struct phase *p, const void *src, void *dst)
{
	if (p->fill)
		combine_identity(t->dtype, p->fill_combiner, dst, p->fill_count);
	for (int i = 0; i < p->nsend; i++) {
		struct leg *leg = &p->send[i];
		if (leg->at >= 0)
			boxcopy_run(&leg->copy, t->size, src, p->send_stage + leg->at * t->size);
	}
}

/* Receives first, so that messages find their place waiting. */
static void phase_begin(struct pmlrt *rt, struct rt_transfer *t, struct phase *p, const void *src, void *dst)
{
	MPI_Datatype type = rt_dtype_mpi(t->dtype);
	phase_pack(t, p, src, dst);
	for (int i = 0; i < p->nreceive; i++) {
		struct leg *leg = &p->receive[i];
		if (leg->peer == rt->rank)
			continue;
		char *to = leg->at >= 0 ? p->receive_stage + leg->at * t->size : (char *)dst + leg->copy.to * t->size;
		RT_CHECK_AT(rt, t->site, MPI_Irecv(to, (int)leg->copy.volume, type, leg->peer, t->id, rt->wire,
		                                   &t->requests[t->nrequests++]));
	}
	for (int i = 0; i < p->nsend; i++) {
		struct leg *leg = &p->send[i];
		const char *from =
			leg->at >= 0 ? p->send_stage + leg->at * t->size : (const char *)src + leg->copy.from * t->size;
		RT_CHECK_AT(rt, t->site, MPI_Isend(from, (int)leg->copy.volume, type, leg->peer, t->id, rt->wire,
		                                   &t->requests[t->nrequests++]));
	}
}

/* Everything has arrived: unpacks and combines in the order of the moves. */
static void phase_finish(struct pmlrt *rt, struct rt_transfer *t, struct phase *p, const void *src, void *dst)
{
	int32_t combiner = side_combiner(&p->from);
	for (int i = 0; i < p->nreceive; i++) {
		struct leg *leg = &p->receive[i];
		bool self = leg->peer == rt->rank;
		if (!self && leg->at < 0)
			continue;
		const void *from = self ? src : p->receive_stage + leg->at * t->size;
		if (leg->first)
			boxcopy_run(&leg->copy, t->size, from, dst);
		else
			boxcopy_combine(&leg->copy, t->dtype, combiner, from, dst);
	}
}

static void exchange_begin(struct pmlrt *rt, struct rt_transfer *t)
{
	struct exchange *x = t->plan;
	x->at = 0;
	phase_begin(rt, t, &x->phase[0], t->src, phase_target(t, x));
}

static bool exchange_next(struct pmlrt *rt, struct rt_transfer *t)
{
	struct exchange *x = t->plan;
	phase_finish(rt, t, &x->phase[x->at], phase_source(t, x), phase_target(t, x));
	if (x->at == x->nphases - 1)
		return true;
	x->at++;
	phase_begin(rt, t, &x->phase[x->at], x->middle, t->dst);
	return false;
}

const struct rt_method rt_method_exchange = {.prepare = exchange_prepare, .begin = exchange_begin, .next = exchange_next};

/* ---- all-to-all: one placement, one phase, every message through staging, by MPI_Ialltoallv ---- */

static bool all_to_all_prepare(struct pmlrt *rt, struct rt_transfer *t)
{
	struct side mid;
	const struct pmlrt_place *place = t->from.place;
	if (place != t->to.place || side_uses(&t->from, SHARD_P) || side_between(&t->from, &t->to, &mid))
		return false;
	struct exchange *x = exchange_make(rt, t, true);
	struct phase *p = &x->phase[0];
	int64_t bytes = place->count * (int64_t)sizeof(int);
	x->send_counts = rt_alloc(rt, bytes);
	x->send_at = rt_alloc(rt, bytes);
	x->receive_counts = rt_alloc(rt, bytes);
	x->receive_at = rt_alloc(rt, bytes);
	transfer_count(rt, t, p->send_room);
	transfer_count(rt, t, p->receive_room);
	for (int i = 0; i < p->nsend; i++) {
		int64_t position = rt_place_position(place, p->send[i].peer);
		x->send_counts[position] = (int)p->send[i].copy.volume;
		x->send_at[position] = (int)p->send[i].at;
	}
	for (int i = 0; i < p->nreceive; i++) {
		int64_t position = rt_place_position(place, p->receive[i].peer);
		if (p->receive[i].peer == rt->rank)
			continue;
		x->receive_counts[position] = (int)p->receive[i].copy.volume;
		x->receive_at[position] = (int)p->receive[i].at;
	}
	transfer_requests(rt, t, 1);
	rt->places[rt->program->types[t->decl->src].place].comm_wanted = true;
	return true;
}

static void all_to_all_connect(struct pmlrt *rt, struct rt_transfer *t)
{
	struct exchange *x = t->plan;
	x->comm = rt->places[rt->program->types[t->decl->src].place].comm;
}

static void all_to_all_begin(struct pmlrt *rt, struct rt_transfer *t)
{
	struct exchange *x = t->plan;
	struct phase *p = &x->phase[0];
	MPI_Datatype type = rt_dtype_mpi(t->dtype);
	phase_pack(t, p, t->src, t->dst);
	x->at = 0;
	t->nrequests = 1;
	RT_CHECK_AT(rt, t->site, MPI_Ialltoallv(p->send_stage, x->send_counts, x->send_at, type, p->receive_stage,
	                                        x->receive_counts, x->receive_at, type, x->comm, &t->requests[0]));
}

const struct rt_method rt_method_all_to_all = {
	.prepare = all_to_all_prepare, .connect = all_to_all_connect, .begin = all_to_all_begin, .next = exchange_next};
