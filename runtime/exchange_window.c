/* exchange_window.c — the general exchange among few ranks of one host, if none has much to pack, through a window
 * (windows.h): every box is packed where its receivers unpack it from, once for all of them, in place of messages that
 * wait in staging on either side. A call takes a piece of the pool (pool.h) for all its phases, of which two may be
 * there at a time, so that who is late holds up only the call after the next. */
#include "exchange.h"
#include "publish.h"
#include "windows.h"

enum { WRITTEN, TAKEN }; /* phases of all calls: what others get is packed; all is unpacked */

/* What others unpack of a call. */
struct packed_call {
	struct pool_piece piece; /* the first member */
	const struct exchange_window *of;
	int64_t count; /* phases of calls before it */
};

struct exchange_window {
	struct window window;
	struct exchange *exchange;
	struct exchange_way way; /* by messages */
	int64_t staged;          /* bytes of staging before it was planned */
	int64_t boxes;
	int64_t begin[ROOM_PHASES]; /* bytes of a call's piece before those of a phase */
	int64_t calls, count;       /* before this one; phases done in all of them */
	struct packed_call call[POOL_CALLS];
	int64_t ticket;
	struct publish_way past;
	bool placed, packed; /* this call has its piece; the present phase is in it */
};

/* ---- which ---- */

enum room_way exchange_way_of(const struct pmlrt *rt, struct rt_transfer *t, struct exchange_way way)
{
	struct room_limits limits = window_limits(rt);
	if (t->way == ROOM_UNKNOWN)
		t->way = transfer_spans_hosts(rt, t)
				 ? ROOM_MESSAGES
				 : room_way_of_exchange(&limits, &t->from, &t->to, t->size, way.one_phase);
	return t->way;
}

/* ---- at start ---- */

static void refused(struct pmlrt *rt, struct window *w)
{
	struct exchange_window *e = (struct exchange_window *)(void *)w;
	struct rt_transfer *t = w->t;
	rt->staging_bytes -= t->staging - e->staged;
	t->staging = e->staged;
	t->looks = false;
	t->shared = 0;
	*e->exchange = (struct exchange){0};
	exchange_make(rt, t, e->exchange, e->way);
	exchange_stage(rt, t, e->exchange);
}

static int number_of(const struct window *w, int32_t rank)
{
	int i = 0;
	while (w->rank[i] != rank)
		i++;
	return i;
}

static bool is_unpacked(const struct pool_piece *piece)
{
	const struct packed_call *call = (const struct packed_call *)(const void *)piece;
	const struct window *w = &call->of->window;
	const struct exchange *x = call->of->exchange;
	for (int i = 0; i < x->nphases; i++)
		for (const struct leg *leg = x->phase[i].send; leg < x->phase[i].send + x->phase[i].nsend; leg++)
			if (window_seen(w, number_of(w, leg->peer), TAKEN) <= call->count + i)
				return false;
	return true;
}

static void make_room(struct exchange_window *e)
{
	const struct exchange *x = e->exchange;
	int64_t bytes = 0;
	for (int i = 0; i < x->nphases; i++) {
		e->begin[i] = bytes;
		bytes += room_lines(x->phase[i].send_room * e->window.t->size);
		e->boxes += x->phase[i].nsend;
	}
	for (int i = 0; i < POOL_CALLS; i++)
		e->call[i] = (struct packed_call){.piece.is_read = is_unpacked, .of = e};
	e->window.bytes = room_of_boxes(e->boxes);
	e->window.passing = bytes;
}

bool exchange_by_window(struct pmlrt *rt, struct rt_transfer *t, struct exchange *x, struct exchange_way way)
{
	if (exchange_way_of(rt, t, way) != ROOM_WINDOW)
		return false;
	struct exchange_window *e = rt_alloc(rt, sizeof *e);
	*e = (struct exchange_window){.exchange = x, .way = way, .staged = t->staging};
	int32_t *rank = rt_alloc(rt, room_ranks(&t->from, &t->to, NULL) * (int64_t)sizeof *rank);
	int ranks = room_ranks(&t->from, &t->to, rank);
	e->window = (struct window){.t = t, .ranks = ranks, .rank = rank, .refused = refused};
	while (rank[e->window.own] != rt->rank)
		e->window.own++;
	way.staged = true;
	exchange_make(rt, t, x, way);
	make_room(e);
	t->looks = true;
	t->shared = e->window.bytes + e->window.passing;
	x->window = e;
	if (window_ask(rt, &e->window))
		return true;
	x->window = NULL;
	refused(rt, &e->window);
	return true;
}

/* ---- a transfer ---- */

static struct room_contents *contents_of(const struct exchange_window *e, int rank)
{
	return (struct room_contents *)(void *)window_data(&e->window, rank);
}

static void write_contents(const struct exchange_window *e)
{
	const struct exchange *x = e->exchange;
	struct room_contents *c = contents_of(e, e->window.own);
	struct room_parcel *parcel = (struct room_parcel *)(void *)(c + 1);
	c->n = e->boxes;
	for (int32_t i = 0; i < x->nphases; i++)
		for (int k = 0; k < x->phase[i].nsend; k++)
			*parcel++ = (struct room_parcel){e->begin[i] / e->window.t->size + x->phase[i].send[k].at, i,
							 x->phase[i].send[k].peer};
}

/* Where a rank has the boxes of this call. */
static char *boxes_of(const struct exchange_window *e, int rank)
{
	return e->window.pools[rank] + contents_of(e, rank)->at[e->calls % POOL_CALLS];
}

/* Where a sender has this rank's box: one, since a rank has one box of the source, which meets a receiver's once. */
static int64_t find_parcel(const struct exchange_window *e, int sender)
{
	const struct room_parcel *parcel = (const struct room_parcel *)(const void *)(contents_of(e, sender) + 1);
	while (parcel->phase != e->exchange->at || parcel->to != e->window.rank[e->window.own])
		parcel++;
	return parcel->at;
}

/* Takes a piece of the pool for a call. */
static bool place(struct exchange_window *e)
{
	struct packed_call *call = &e->call[e->calls % POOL_CALLS];
	if (!pool_take(e->window.pool, e->ticket, &call->piece, e->window.passing))
		return false;
	call->count = e->count;
	if (e->calls == 0)
		write_contents(e);
	contents_of(e, e->window.own)->at[e->calls % POOL_CALLS] = call->piece.at;
	return e->placed = true;
}

static bool pack(struct rt_transfer *t, struct exchange *x)
{
	struct exchange_window *e = x->window;
	struct phase *p = &x->phase[x->at];
	const struct window *w = &e->window;
	if (!e->placed && !place(e))
		return false;
	p->send_stage = boxes_of(e, w->own) + e->begin[x->at];
	int64_t since = rt_now(), bytes = p->send_room * t->size;
	p->publishes = publish_goes_past(&e->past, bytes);
	phase_pack(t, p, phase_source(t, x), phase_target(t, x));
	publish_took(&e->past, bytes, rt_now() - since);
	window_tell(&e->window, WRITTEN, e->count + 1);
	for (const struct leg *leg = p->send; leg < p->send + p->nsend; leg++)
		window_message(w, number_of(w, leg->peer), leg->copy.volume * t->size);
	return e->packed = true;
}

/* Unpacks what is there, in the order of the moves. False: not all of it is. */
static bool unpack(struct pmlrt *rt, struct rt_transfer *t, struct exchange *x)
{
	const struct exchange_window *e = x->window;
	struct phase *p = &x->phase[x->at];
	for (; x->done < p->nreceive; x->done++) {
		struct leg *leg = &p->receive[x->done];
		if (leg->peer != rt->rank) {
			int sender = number_of(&e->window, leg->peer);
			if (window_seen(&e->window, sender, WRITTEN) <= e->count)
				return false;
			if (e->calls == 0)
				leg->at = find_parcel(e, sender);
			p->receive_stage = boxes_of(e, sender);
		}
		leg_finish(rt, t, p, leg, phase_source(t, x), phase_target(t, x));
	}
	phase_round(t, p, phase_target(t, x));
	return true;
}

void exchange_window_begin(struct rt_transfer *t, struct exchange *x)
{
	struct exchange_window *e = x->window;
	x->at = x->done = 0;
	e->placed = e->window.passing == 0;
	if (!e->placed)
		e->ticket = pool_ticket(e->window.pool);
	pack(t, x);
}

bool exchange_window_next(struct pmlrt *rt, struct rt_transfer *t, struct exchange *x)
{
	struct exchange_window *e = x->window;
	for (;;) {
		if ((!e->packed && !pack(t, x)) || !unpack(rt, t, x))
			return false;
		window_tell(&e->window, TAKEN, ++e->count);
		e->packed = false;
		if (x->at == x->nphases - 1) {
			e->calls++;
			return true;
		}
		x->at++;
		x->done = 0;
	}
}
