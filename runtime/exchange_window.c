/* exchange_window.c — the general exchange among few ranks of one host, if none has much to pack, through a window
 * (windows.h): every box is packed where its receivers unpack it from, once for all of them, in place of messages that
 * wait in staging on either side. Phases take turns in two places, so that who is late holds up only the phase after
 * the next. */
#include "exchange.h"
#include "windows.h"

enum { WRITTEN, TAKEN }; /* phases of all calls: what others get is packed; all is unpacked */

struct exchange_window {
	struct window window;
	struct exchange *exchange;
	struct exchange_way way; /* by messages */
	int64_t staged;          /* bytes of staging before it was planned */
	struct room_contents own;
	int64_t count; /* phases done in all calls */
	bool packed;   /* the present one is */
};

/* ---- which ---- */

bool exchange_fits_window(const struct pmlrt *rt, const struct rt_transfer *t, struct exchange_way way)
{
	struct room_limits limits = window_limits(rt);
	return room_fits_exchange(&limits, &t->from, &t->to, t->size, way.one_phase) && !transfer_spans_hosts(rt, t);
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

bool exchange_by_window(struct pmlrt *rt, struct rt_transfer *t, struct exchange *x, struct exchange_way way)
{
	if (!exchange_fits_window(rt, t, way) || room_is_empty(&t->from, &t->to, way.one_phase))
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
	int64_t boxes = 0, most = 0;
	for (int i = 0; i < x->nphases; i++) {
		most = x->phase[i].send_room > most ? x->phase[i].send_room : most;
		boxes += x->phase[i].nsend;
	}
	e->own = room_contents(boxes, most * t->size);
	e->window.bytes = room_of_contents(&e->own);
	t->looks = true;
	t->shared = e->window.bytes;
	x->window = e;
	if (window_ask(rt, &e->window))
		return true;
	x->window = NULL;
	refused(rt, &e->window);
	return true;
}

/* ---- a transfer ---- */

static int number_of(const struct window *w, int32_t rank)
{
	int i = 0;
	while (w->rank[i] != rank)
		i++;
	return i;
}

static void write_contents(const struct exchange_window *e)
{
	const struct exchange *x = e->exchange;
	struct room_contents *c = (struct room_contents *)(void *)window_data(&e->window, e->window.own);
	struct room_parcel *parcel = (struct room_parcel *)(void *)(c + 1);
	*c = e->own;
	int64_t n = 0;
	for (int32_t i = 0; i < x->nphases; i++)
		for (int k = 0; k < x->phase[i].nsend; k++)
			parcel[n++] = (struct room_parcel){x->phase[i].send[k].at, i, x->phase[i].send[k].peer};
}

/* The place of the present phase of a rank. */
static char *place_of(const struct exchange_window *e, int rank)
{
	char *data = window_data(&e->window, rank);
	const struct room_contents *c = (const struct room_contents *)(void *)data;
	return data + c->begin + e->count % ROOM_PLACES * c->place;
}

/* Where a sender has this rank's box: one, since a rank has one box of the source, which meets a receiver's once. */
static int64_t find_parcel(const struct exchange_window *e, int sender)
{
	const struct room_contents *c = (const struct room_contents *)(void *)window_data(&e->window, sender);
	const struct room_parcel *parcel = (const struct room_parcel *)(const void *)(c + 1);
	while (parcel->phase != e->exchange->at || parcel->to != e->window.rank[e->window.own])
		parcel++;
	return parcel->at;
}

static bool pack(struct rt_transfer *t, struct exchange *x)
{
	struct exchange_window *e = x->window;
	struct phase *p = &x->phase[x->at];
	const struct window *w = &e->window;
	for (int i = 0; i < w->ranks; i++)
		if (i != w->own && window_seen(w, i, TAKEN) < e->count + 1 - ROOM_PLACES)
			return false;
	if (e->count == 0)
		write_contents(e);
	p->send_stage = place_of(e, w->own);
	p->publishes = true;
	phase_pack(t, p, phase_source(t, x), phase_target(t, x));
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
			if (e->count == x->at)
				leg->at = find_parcel(e, sender);
			p->receive_stage = place_of(e, sender);
		}
		leg_finish(rt, t, p, leg, phase_source(t, x), phase_target(t, x));
	}
	phase_round(t, p, phase_target(t, x));
	return true;
}

void exchange_window_begin(struct rt_transfer *t, struct exchange *x)
{
	x->at = x->done = 0;
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
		if (x->at == x->nphases - 1)
			return true;
		x->at++;
		x->done = 0;
	}
}
