/* play.c — see play.h.
 *
 * Each rank is an actor with a clock: an event is the next thing it does. Ranks meet in messages alone: a message is
 * under way when both ends have begun the round that it belongs to, and arrives when the network says. What its bytes
 * take of the processors at both ends is paid when the round is found complete, unless the rank waited meanwhile. */
#include "play.h"

#include "network.h"
#include "route.h"

#include <string.h>

/* A transfer of one rank. */
struct flight {
	const struct route *route; /* NULL: not worked out yet */
	bool under_way, finished;
	int turn; /* how often it has begun, at this rank */
	int round, begin_step;
	int missing;  /* messages of the round whose other end has not begun */
	double done;  /* when those that have are there */
	double busy;  /* processor time of the round's bytes */
	int32_t from; /* who began the last of them last, … */
	double since; /* … when */
	double *at;   /* by message of the round: when it begins at this end */
};

/* A loop that a rank is in. */
struct turn {
	int64_t over;   /* turns before the present one */
	int64_t played; /* turns since the middle of those that are played, where it stood as follows */
	double clock;
	struct play_times times;
};

struct actor {
	int32_t rank;
	int role;
	const struct plan *plan; /* NULL: nothing to do */
	const struct machine_processor *processor;
	const double *takes; /* by step: ns */
	double clock, slower;
	int step;
	struct turn *turn;        /* by loop */
	VEC(int) active;          /* transfers under way */
	int waits_for;            /* transfer; -1: none */
	double wait_begin, spare; /* spare: time waited that no message's bytes have taken yet */
	int64_t version;          /* of its one valid event */
};

/* One end of a message. */
struct post {
	int32_t rank;
	double at;
};

struct event {
	double at;
	int32_t rank;
	int64_t version;
};

enum { ROOMS = 32 };

struct stage {
	struct arena *arena;
	const struct program *program;
	int first, ntransfers; /* of the region */
	int *carrier;          /* by transfer of the region, as one of these */
	struct network *network;
	struct routes *routes;
	struct actor *actor;
	struct flight **flight;      /* by transfer of the region, by rank */
	VEC(double *) unused[ROOMS]; /* of flights that are over: rooms for 2^i messages */
	bool spans, acts;
	struct event *heap;
	int64_t nevents, events_room;
	struct play *play;
};

static struct flight *flight_of(const struct stage *s, const struct actor *a, int transfer)
{
	return &s->flight[transfer][a->rank];
}

/* ---- events ---- */

static bool is_before(const struct event *a, const struct event *b)
{
	return a->at != b->at ? a->at < b->at : a->rank < b->rank;
}

static void push(struct stage *s, struct actor *a, double at)
{
	struct event e = {at, a->rank, ++a->version};
	if (s->nevents == s->events_room) {
		struct event *more = ARENA_ARRAY(s->arena, struct event, 2 * s->events_room);
		memcpy(more, s->heap, sizeof *more * (size_t)s->nevents);
		s->heap = more;
		s->events_room *= 2;
	}
	int64_t i = s->nevents++;
	for (; i > 0 && is_before(&e, &s->heap[(i - 1) / 2]); i = (i - 1) / 2)
		s->heap[i] = s->heap[(i - 1) / 2];
	s->heap[i] = e;
}

static struct event pop(struct stage *s)
{
	struct event top = s->heap[0], last = s->heap[--s->nevents];
	int64_t i = 0;
	for (int64_t child = 1; child < s->nevents; child = 2 * i + 1) {
		if (child + 1 < s->nevents && is_before(&s->heap[child + 1], &s->heap[child]))
			child++;
		if (!is_before(&s->heap[child], &last))
			break;
		s->heap[i] = s->heap[child];
		i = child;
	}
	s->heap[i] = last;
	return top;
}

/* ---- what ranks did ---- */

static void record(struct stage *s, struct actor *a, double end, struct play_span span)
{
	struct play_rank *r = &s->play->rank[a->rank];
	struct play_times *t = &s->play->step[a->role][span.step];
	double ns = end - span.begin;
	span.end = end;
	if (ns <= 0)
		return;
	switch (span.kind) {
	case PLAY_COMPUTE:
		r->times.compute += ns;
		t->compute += ns;
		break;
	case PLAY_TALK:
		r->times.talk += ns;
		t->talk += ns;
		break;
	case PLAY_WAIT:
		r->times.wait += ns;
		t->wait += ns;
		break;
	}
	if (s->spans)
		vec_push(s->arena, &r->spans, span);
}

static void keep_act(struct stage *s, struct actor *a, struct play_act act)
{
	if (s->acts && (act.kind != PLAY_ACT_BUSY || act.ns > 0))
		vec_push(s->arena, &s->play->rank[a->rank].acts, act);
}

static void keep_busy(struct stage *s, struct actor *a, double ns)
{
	keep_act(s, a, (struct play_act){.kind = PLAY_ACT_BUSY, .ns = ns});
}

/* So many ns of the rank's time for messages of a transfer. */
static void talk_for(struct stage *s, struct actor *a, const struct flight *f, double ns)
{
	struct play_span span = {.begin = a->clock, .kind = PLAY_TALK, .step = f->begin_step};
	a->clock += ns;
	record(s, a, a->clock, span);
}

/* So many ns of its processor, which may be slower. */
static void talk(struct stage *s, struct actor *a, const struct flight *f, double ns)
{
	keep_busy(s, a, ns * a->slower);
	talk_for(s, a, f, ns * a->slower);
}

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

/* While a rank waits: until when, if anything that is under way says so. */
static void sleep_on(struct stage *s, struct actor *a)
{
	double next = -1;
	for (int i = 0; i < a->active.n; i++) {
		const struct flight *f = flight_of(s, a, a->active.at[i]);
		if (!f->finished && !f->missing && (next < 0 || f->done < next))
			next = f->done;
	}
	if (next >= 0)
		push(s, a, next > a->clock ? next : a->clock);
}

static void meet(struct stage *s, int transfer, const struct post *send, const struct post *receive, int64_t bytes)
{
	const struct post *later = receive->at > send->at ? receive : send;
	struct arrival x = network_send(s->network, send->rank, receive->rank, bytes, later->at);
	struct actor *from = &s->actor[send->rank], *to = &s->actor[receive->rank];
	struct flight *sent = flight_of(s, from, transfer), *received = flight_of(s, to, transfer);
	settle(sent, x.left, x.busy, later);
	settle(received, x.arrived, x.busy, later);
	if (!sent->missing && from->waits_for >= 0)
		sleep_on(s, from);
	if (!received->missing && to->waits_for >= 0)
		sleep_on(s, to);
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
	meet(s, transfer, m->sends ? &own : &other, m->sends ? &other : &own, bytes);
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
		double takes = a->slower * network_start(s->network, a->rank, peer);
		f->at[i] = a->clock + start;
		post(s, transfer, a, m, bytes, f->at[i]);
		keep_act(s, a,
			 (struct play_act){.kind = m->sends ? PLAY_ACT_SEND : PLAY_ACT_RECEIVE,
					   .peer = peer,
					   .tag = transfer,
					   .bytes = bytes});
		keep_busy(s, a, takes);
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
		talk(s, a, f, price_copy(a->processor, (double)r->packed));
		f->missing = r->full;
		f->done = a->clock;
		f->busy = 0;
		f->from = a->rank;
		f->since = a->clock;
		talk_for(s, a, f, post_all(s, a, transfer, r));
		if (r->full)
			return;
		talk(s, a, f, price_copy(a->processor, (double)r->settled));
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
			keep_act(s, a,
				 (struct play_act){.kind = m->sends ? PLAY_ACT_SENT : PLAY_ACT_RECEIVED,
						   .peer = route_peer(f->route, m),
						   .tag = transfer});
	}
	a->spare -= paid;
	talk(s, a, f, f->busy - paid + price_copy(a->processor, (double)r->settled));
	f->round++;
	begin_round(s, a, transfer);
}

/* What a poke does: rounds that are complete by now end. */
static bool progress(struct stage *s, struct actor *a)
{
	bool moved = false;
	for (int i = 0; i < a->active.n; i++) {
		struct flight *f = flight_of(s, a, a->active.at[i]);
		while (!f->finished && !f->missing && f->done <= a->clock) {
			end_round(s, a, a->active.at[i]);
			moved = true;
		}
	}
	return moved;
}

static void begin_transfer(struct stage *s, struct actor *a, int transfer)
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

static void forget(struct stage *s, struct actor *a, int transfer)
{
	for (int i = 0; i < a->active.n; i++)
		if (a->active.at[i] == transfer)
			a->active.at[i--] = a->active.at[--a->active.n];
	flight_of(s, a, transfer)->under_way = false;
}

/* ---- ranks ---- */

static int depth_of(const struct plan *plan, const struct plan_loop *l)
{
	int depth = 0;
	for (; l->outer >= 0; l = &plan->loops.at[l->outer])
		depth++;
	return depth;
}

/* Turns that are played; those behind them take as long as the later half of them, one with another. No transfer is
 * under way where a turn ends, and all ranks leave out the same turns. */
static int64_t turns_played(const struct plan *plan, const struct plan_loop *l)
{
	enum { OUTER = 32, INNER = 16, INNERMOST = 2 };
	int depth = depth_of(plan, l);
	return depth == 0 ? OUTER : depth == 1 ? INNER : INNERMOST;
}

static void add_turns(struct play_times *to, const struct play_times *turn, double n)
{
	to->compute += n * turn->compute;
	to->talk += n * turn->talk;
	to->wait += n * turn->wait;
}

/* So many turns like those since `from`; in the timeline they are one span of computing. */
static void leave_out(struct stage *s, struct actor *a, const struct turn *from, double turns)
{
	struct play_rank *r = &s->play->rank[a->rank];
	struct play_times turn = {r->times.compute - from->times.compute, r->times.talk - from->times.talk,
				  r->times.wait - from->times.wait};
	struct play_span span = {.begin = a->clock, .kind = PLAY_COMPUTE, .step = a->step};
	double n = turns / (double)from->played, ns = n * (a->clock - from->clock);
	keep_busy(s, a, ns);
	span.end = a->clock += ns;
	add_turns(&r->times, &turn, n);
	add_turns(&s->play->step[a->role][a->step], &turn, n);
	if (s->spans)
		vec_push(s->arena, &r->spans, span);
}

/* The step behind the begin, test or end of a loop. */
static int behind_loop_step(struct stage *s, struct actor *a, const struct plan_step *step)
{
	const struct plan_loop *l = &a->plan->loops.at[step->loop];
	struct turn *t = &a->turn[step->loop];
	int64_t over = step->kind == STEP_LOOP_END ? t->over + 1 : 0;
	if (step->kind == STEP_LOOP_TEST || (step->kind == STEP_LOOP_END && over >= l->turns))
		return a->step + 1;
	if (step->kind == STEP_LOOP_BEGIN && l->turns == 0)
		return l->end + 1;
	int64_t most = turns_played(a->plan, l), middle = most / 2;
	if (over == most) {
		t->played = most - middle;
		leave_out(s, a, t, (double)(l->turns - over));
		return a->step + 1;
	}
	t->over = over;
	if (over <= middle) {
		t->clock = a->clock;
		t->times = s->play->rank[a->rank].times;
	}
	return l->begin + 1;
}

/* Goes on waiting; true if what it waits for is there. */
static bool wait_on(struct stage *s, struct actor *a, double now)
{
	const struct flight *f = flight_of(s, a, a->waits_for);
	if (now > a->clock) {
		/* What ends the wait: the round that is complete by now. */
		const struct flight *came = f;
		for (int i = 0; i < a->active.n; i++) {
			const struct flight *x = flight_of(s, a, a->active.at[i]);
			if (!x->finished && !x->missing && x->done <= now && (came->missing || came->done > now))
				came = x;
		}
		struct play_span span = {.begin = a->clock,
					 .kind = PLAY_WAIT,
					 .step = f->begin_step,
					 .from = came->from,
					 .since = came->since};
		a->spare += now - a->clock;
		a->clock = now;
		record(s, a, now, span);
	}
	progress(s, a);
	if (f->finished) {
		forget(s, a, a->waits_for);
		a->waits_for = -1;
		a->spare = 0;
		a->version++; /* it is awake */
		return true;
	}
	sleep_on(s, a);
	return false;
}

/* Does one step; false if it waits. */
static bool do_step(struct stage *s, struct actor *a)
{
	const struct plan_step *step = &a->plan->steps.at[a->step];
	int carrier = step->transfer >= 0 && (step->kind == STEP_TRANSFER_BEGIN || step->kind == STEP_TRANSFER_END)
			      ? s->carrier[step->transfer - s->first]
			      : -1;
	if (step->kind == STEP_TRANSFER_BEGIN && carrier == step->transfer - s->first)
		begin_transfer(s, a, carrier);
	if (step->kind == STEP_TRANSFER_END && flight_of(s, a, carrier)->under_way) {
		a->waits_for = carrier;
		if (!wait_on(s, a, a->clock))
			return false;
	}
	if (a->takes[a->step] > 0) {
		struct play_span span = {.begin = a->clock, .kind = PLAY_COMPUTE, .step = a->step};
		a->clock += a->takes[a->step] * a->slower;
		keep_busy(s, a, a->takes[a->step] * a->slower);
		record(s, a, a->clock, span);
		progress(s, a);
	}
	a->step = plan_step_is_loop(step) ? behind_loop_step(s, a, step) : a->step + 1;
	return true;
}

/* Steps that meet nobody are done at once; before and behind others time has to come this far everywhere. */
static void go_on(struct stage *s, struct actor *a, double now)
{
	if (a->waits_for >= 0) {
		if (!wait_on(s, a, now))
			return;
		a->step++;
	}
	while (a->step < a->plan->steps.n) {
		enum plan_step_kind kind = a->plan->steps.at[a->step].kind;
		bool meets = a->active.n || kind == STEP_TRANSFER_BEGIN || kind == STEP_TRANSFER_END;
		if (meets && s->nevents && s->heap[0].at < a->clock) {
			push(s, a, a->clock);
			return;
		}
		if (!do_step(s, a))
			return;
	}
	s->play->rank[a->rank].end = a->clock;
	s->play->end = a->clock > s->play->end ? a->clock : s->play->end;
}

/* ---- the whole ---- */

static void find_transfers(struct stage *s, int region)
{
	const struct program *p = s->program;
	for (int i = 0; i < p->transfers.n; i++)
		if (p->transfers.at[i].region == region) {
			s->first = s->ntransfers ? s->first : i;
			s->ntransfers = i + 1 - s->first;
		}
	s->carrier = ARENA_ARRAY(s->arena, int, s->ntransfers);
	for (int i = 0; i < s->ntransfers; i++)
		s->carrier[i] = route_carrier(p, s->first + i) - s->first;
	s->flight = ARENA_ARRAY(s->arena, struct flight *, s->ntransfers);
	for (int i = 0; i < s->ntransfers; i++)
		if (s->carrier[i] == i)
			s->flight[i] = ARENA_ARRAY(s->arena, struct flight, p->nranks);
}

/* By step; ranks of one role on one class of processors share it. */
static const double *takes_of(struct stage *s, const struct plan *plan, const struct machine_processor *processor)
{
	struct price price = price_on(s->arena, s->program, processor);
	double *takes = ARENA_ARRAY(s->arena, double, plan->steps.n + 1);
	for (int i = 0; i < plan->steps.n; i++)
		takes[i] = price_step(&price, plan, &plan->steps.at[i]);
	return takes;
}

static void find_actors(struct stage *s, int region, const struct machine *m, const struct play_options *o)
{
	const struct program *p = s->program;
	for (int i = 0; i < p->roles.n; i++) {
		const struct role *role = p->roles.at[i];
		const struct plan *plan = role->plans[region];
		const double **takes = ARENA_ARRAY(s->arena, const double *, m->processors.n);
		s->play->step[i] = plan ? ARENA_ARRAY(s->arena, struct play_times, plan->steps.n + 1) : NULL;
		for (int k = 0; plan && k < role->ranks.n; k++) {
			int32_t rank = role->ranks.at[k];
			struct machine_place place = machine_place_of(m, rank);
			int processor = place.kind->processor;
			if (!takes[processor])
				takes[processor] = takes_of(s, plan, place.processor);
			s->actor[rank] = (struct actor){
				.rank = rank,
				.role = i,
				.plan = plan,
				.processor = place.processor,
				.takes = takes[processor],
				.slower = rank == o->slow_rank ? o->slow_factor : 1,
				.turn = ARENA_ARRAY(s->arena, struct turn, plan->loops.n),
				.waits_for = -1,
			};
			s->actor[rank].clock = place.processor->start[START_REGION] * s->actor[rank].slower;
			s->play->rank[rank].role = i;
			s->play->rank[rank].times.compute = s->actor[rank].clock;
			keep_busy(s, &s->actor[rank], s->actor[rank].clock);
			push(s, &s->actor[rank], s->actor[rank].clock);
		}
	}
}

struct play *play_region(struct arena *a, const struct program *p, int region, const struct machine *m,
			 const struct play_options *o)
{
	struct stage s = {.arena = a, .program = p, .spans = o->spans, .acts = o->acts, .events_room = 1 << 10};
	struct play *play = s.play = ARENA_NEW(a, struct play);
	play->nranks = (int)p->nranks;
	play->rank = ARENA_ARRAY(a, struct play_rank, p->nranks);
	play->step = ARENA_ARRAY(a, struct play_times *, p->roles.n);
	s.heap = ARENA_ARRAY(a, struct event, s.events_room);
	s.actor = ARENA_ARRAY(a, struct actor, p->nranks);
	s.network = network_new(a, m, (int)p->nranks);
	s.routes = routes_new(a, p);
	find_transfers(&s, region);
	find_actors(&s, region, m, o);
	while (s.nevents) {
		struct event e = pop(&s);
		struct actor *actor = &s.actor[e.rank];
		if (e.version == actor->version)
			go_on(&s, actor, e.at);
	}
	for (int level = 0; level <= m->networks.n; level++)
		vec_push(a, &play->links, network_use(s.network, level));
	for (int64_t r = 0; r < p->nranks; r++)
		BUG_IF(s.actor[r].plan && s.actor[r].step < s.actor[r].plan->steps.n,
		       "region %d: rank %lld waits for ever", region, (long long)r);
	return play;
}
