/* flight.c — transfers while they are played: rounds of messages, each under way when both of its ends have begun. */
#include "stage.h"

/* ---- messages ---- */

/* Both ends of a message have begun. */
static void settle(struct flight *f, double done, double busy, const struct post *later)
{
	f->missing--;
	f->busy += busy;
	if (done >= f->done) {
		f->done = done;
		f->from = later->rank;
		f->since = later->at;
	}
}

/* Of ranks that take turns on processors a message of more bytes than MPI sends at once is the sender's until the
 * receiver, in its own turn, has looked for it and taken it. */
enum { SENT_AT_ONCE = 8192 };

static bool is_offered(const struct actor *to, int64_t bytes, bool in_memory)
{
	return to->crowd && !in_memory && bytes > SENT_AT_ONCE;
}

/* What has been offered to a rank by now it takes, and its senders have sent it. */
static void take_offers(struct stage *s, struct actor *a, int transfer)
{
	struct flight *f = flight_of(s, a, transfer);
	const struct post own = {a->rank, a->clock};
	int left = 0;
	for (int i = 0; i < f->offers.n; i++) {
		const struct offer x = f->offers.at[i];
		struct actor *from = &s->actor[x.from];
		struct flight *sent = flight_of(s, from, transfer);
		if (x.at > a->clock) {
			f->offers.at[left++] = x;
			continue;
		}
		settle(sent, a->clock, x.busy, &own);
		if (!sent->missing && from->waits_for >= 0)
			stage_sleep(s, from);
	}
	f->offers.n = left;
}

/* While a rank waits: until when, if anything that is under way says so. */
void stage_sleep(struct stage *s, struct actor *a)
{
	double next = -1;
	for (int i = 0; i < a->active.n; i++) {
		const struct flight *f = flight_of(s, a, a->active.at[i]);
		if (!f->finished && !f->missing && (next < 0 || f->done < next))
			next = f->done;
		for (int k = 0; k < f->offers.n; k++)
			next = next < 0 || f->offers.at[k].at < next ? f->offers.at[k].at : next;
	}
	if (next >= 0)
		stage_push(s, a, next > a->clock ? next : a->clock);
}

static void meet(struct stage *s, int transfer, const struct post *send, const struct post *receive, int64_t bytes,
		 bool in_memory)
{
	const struct post *later = receive->at > send->at ? receive : send;
	struct arrival x = network_send(s->network, send->rank, receive->rank, bytes, in_memory, later->at);
	struct actor *from = &s->actor[send->rank], *to = &s->actor[receive->rank];
	struct flight *sent = flight_of(s, from, transfer), *received = flight_of(s, to, transfer);
	bool offered = is_offered(to, bytes, in_memory);
	struct offer offer = {send->rank, x.arrived, x.busy};
	if (offered)
		vec_push(s->arena, &received->offers, offer);
	else
		settle(sent, x.left, x.busy, later);
	settle(received, x.arrived, x.busy, later);
	if (!sent->missing && from->waits_for >= 0)
		stage_sleep(s, from);
	if ((offered || !received->missing) && to->waits_for >= 0)
		stage_sleep(s, to);
}

/* A message of the round that a rank is in: the other end waits for it if its rank is in the round that it belongs to.
 */
static void post(struct stage *s, int transfer, struct actor *a, const struct route_message *m, int64_t bytes,
		 double at)
{
	const struct flight *f = flight_of(s, a, transfer);
	int32_t peer = route_peer(f->route, m);
	const struct flight *there = &s->flight[transfer][peer];
	if (!there->under_way || there->turn != f->turn || there->round != m->round)
		return;
	struct post own = {a->rank, at}, other = {peer, there->at[m->index]};
	meet(s, transfer, m->sends ? &own : &other, m->sends ? &other : &own, bytes,
	     f->route->rounds.at[f->round].in_memory);
}

/* ---- transfers ---- */

/* Room for the times of the largest round. */
static int room_of(const struct route *r)
{
	int most = 1, room = 0;
	for (int i = 0; i < r->rounds.n; i++)
		most = r->rounds.at[i].messages.n > most ? r->rounds.at[i].messages.n : most;
	while (INT64_C(1) << room < most)
		room++;
	return room;
}

static double *take_room(struct stage *s, const struct route *r)
{
	int room = room_of(r);
	return s->unused[room].n ? s->unused[room].at[--s->unused[room].n]
				 : ARENA_ARRAY(s->arena, double, INT64_C(1) << room);
}

static void give_room(struct stage *s, struct flight *f)
{
	vec_push(s->arena, &s->unused[room_of(f->route)], f->at);
	f->at = NULL;
}

/* The messages of a round begin one after the other; what that takes of the processor. */
static double post_all(struct stage *s, struct actor *a, int transfer, const struct route_round *r)
{
	struct flight *f = flight_of(s, a, transfer);
	double start = 0;
	for (int i = 0; i < r->messages.n; i++) {
		const struct route_message *m = &r->messages.at[i];
		int64_t bytes = route_message_bytes(f->route, m);
		if (!bytes)
			continue;
		int32_t peer = route_peer(f->route, m);
		double takes = a->slower * network_start(s->network, a->rank, peer, r->in_memory);
		f->at[i] = a->clock + start;
		post(s, transfer, a, m, bytes, f->at[i]);
		stage_keep_act(s, a,
			       (struct play_act){.kind = m->sends ? PLAY_ACT_SEND : PLAY_ACT_RECEIVE,
						 .peer = peer,
						 .tag = transfer,
						 .bytes = bytes});
		stage_keep_busy(s, a, takes);
		start += takes;
	}
	return start;
}

/* Begins rounds, as long as they have no messages to wait for. */
static void begin_round(struct stage *s, struct actor *a, int transfer)
{
	struct flight *f = flight_of(s, a, transfer);
	while (f->round < f->route->rounds.n) {
		const struct route_round *r = &f->route->rounds.at[f->round];
		stage_talk(s, a, f, price_copy(a->processor, (double)r->packed));
		f->missing = r->full;
		f->done = a->clock;
		f->busy = 0;
		f->from = a->rank;
		f->since = a->clock;
		stage_talk_for(s, a, f, post_all(s, a, transfer, r));
		if (r->full)
			return;
		stage_talk(s, a, f, price_copy(a->processor, (double)r->settled));
		f->round++;
	}
	f->finished = true;
	give_room(s, f);
}

/* All messages of the round are there: what they take of the processor is paid, and the next round begins. */
static void end_round(struct stage *s, struct actor *a, int transfer)
{
	struct flight *f = flight_of(s, a, transfer);
	const struct route_round *r = &f->route->rounds.at[f->round];
	double paid = f->busy < a->spare ? f->busy : a->spare;
	for (int i = 0; s->acts && i < r->messages.n; i++) {
		const struct route_message *m = &r->messages.at[i];
		if (route_message_bytes(f->route, m))
			stage_keep_act(s, a,
				       (struct play_act){.kind = m->sends ? PLAY_ACT_SENT : PLAY_ACT_RECEIVED,
							 .peer = route_peer(f->route, m),
							 .tag = transfer});
	}
	a->spare -= paid;
	stage_talk(s, a, f, f->busy - paid + price_copy(a->processor, (double)r->settled));
	f->round++;
	begin_round(s, a, transfer);
}

/* What a poke does: rounds that are complete by now end. */
void stage_progress(struct stage *s, struct actor *a)
{
	for (int i = 0; i < a->active.n; i++) {
		struct flight *f = flight_of(s, a, a->active.at[i]);
		take_offers(s, a, a->active.at[i]);
		while (!f->finished && !f->missing && f->done <= a->clock)
			end_round(s, a, a->active.at[i]);
	}
}

void stage_begin_transfer(struct stage *s, struct actor *a, int transfer)
{
	struct flight *f = flight_of(s, a, transfer);
	if (!f->route)
		f->route = route_of(s->routes, s->first + transfer, a->rank);
	f->at = take_room(s, f->route);
	f->under_way = true;
	f->finished = false;
	f->turn++;
	f->round = 0;
	f->begin_step = a->step;
	vec_push(s->arena, &a->active, transfer);
	begin_round(s, a, transfer);
}

void stage_forget(struct stage *s, struct actor *a, int transfer)
{
	for (int i = 0; i < a->active.n; i++)
		if (a->active.at[i] == transfer)
			a->active.at[i--] = a->active.at[--a->active.n];
	flight_of(s, a, transfer)->under_way = false;
}
