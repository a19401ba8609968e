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
	int round, begin_step;
	int missing;  /* messages of the round whose other end has not begun */
	double done;  /* when those that have are there */
	double busy;  /* processor time of the round's bytes */
	int32_t from; /* who began the last of them last, … */
	double since; /* … when */
};

/* Where a rank stood when a turn of a loop began. */
struct turn {
	int64_t over; /* turns before it */
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
	struct turn *turn;        /* by loop: the present one */
	struct flight *flight;    /* by transfer of the region */
	VEC(int) active;          /* transfers under way */
	int waits_for;            /* transfer; -1: none */
	double wait_begin, spare; /* spare: time waited that no message's bytes have taken yet */
	int64_t version;          /* of its one valid event */
};

/* One end of a message whose other end is to come. */
struct post {
	struct post *next;
	int32_t rank;
	bool sends;
	int64_t bytes;
	double at;
};

struct channel {
	uint64_t key; /* transfer, sender, receiver; 0: empty */
	struct post first; /* who waits longest; others of the same end behind it */
};

struct event {
	double at;
	int32_t rank;
	int64_t version;
};

struct stage {
	struct arena *arena;
	const struct program *program;
	int first, ntransfers; /* of the region */
	int *carrier;          /* by transfer of the region, as one of these */
	struct network *network;
	struct routes *routes;
	struct actor *actor;
	struct channel *channel; /* in which posts wait */
	int64_t nchannels, room; /* room: a power of two */
	struct post *unused;
	bool acts;
	struct event *heap;
	int64_t nevents, events_room;
	struct play *play;
};

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

/* The channels of neighbours lie side by side, 4 x 4 ranks at a time: they mostly send at a time, and to neighbours. */
enum { TILE = 4, NEAR = TILE * TILE };

/* By the highest bits, on which all of the key has a say: the same two ranks meet in many transfers. */
static uint64_t home_of(const struct stage *s, uint64_t key)
{
	const uint64_t low = TILE - 1, within = (key >> 20 & low) * TILE + (key & low);
	uint64_t tile = (key & ~(low << 20 | low)) * UINT64_C(0x9e3779b97f4a7c15);
	return (tile >> (64 - __builtin_ctzll((uint64_t)s->room / NEAR))) * NEAR + within;
}

static struct channel *find_channel(struct stage *s, uint64_t key)
{
	for (uint64_t at = home_of(s, key);; at = (at + 1) & (uint64_t)(s->room - 1)) {
		struct channel *c = &s->channel[at];
		if (!c->key || c->key == key)
			return c;
	}
}

/* One that is not there yet. */
static struct channel *add_channel(struct stage *s, uint64_t key)
{
	if (2 * ++s->nchannels > s->room) {
		struct channel *old = s->channel;
		int64_t n = s->room;
		s->room *= 2;
		s->channel = ARENA_ARRAY(s->arena, struct channel, s->room);
		for (int64_t i = 0; i < n; i++)
			if (old[i].key)
				*find_channel(s, old[i].key) = old[i];
	}
	struct channel *c = find_channel(s, key);
	c->key = key;
	return c;
}

/* Takes a channel out in which nobody waits any more; those behind it that its place was in the way of move up. */
static void drop_channel(struct stage *s, struct channel *c)
{
	uint64_t mask = (uint64_t)(s->room - 1), gap = (uint64_t)(c - s->channel);
	for (uint64_t at = (gap + 1) & mask; s->channel[at].key; at = (at + 1) & mask)
		if (((at - home_of(s, s->channel[at].key)) & mask) >= ((at - gap) & mask)) {
			s->channel[gap] = s->channel[at];
			gap = at;
		}
	s->channel[gap] = (struct channel){.key = 0};
	s->nchannels--;
}

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
		const struct flight *f = &a->flight[a->active.at[i]];
		if (!f->finished && !f->missing && (next < 0 || f->done < next))
			next = f->done;
	}
	if (next >= 0)
		push(s, a, next > a->clock ? next : a->clock);
}

static void meet(struct stage *s, int transfer, const struct post *one, const struct post *other)
{
	const struct post *send = one->sends ? one : other, *receive = one->sends ? other : one;
	const struct post *later = receive->at > send->at ? receive : send;
	struct arrival x = network_send(s->network, send->rank, receive->rank, send->bytes, later->at);
	struct actor *from = &s->actor[send->rank], *to = &s->actor[receive->rank];
	settle(&from->flight[transfer], x.left, x.busy, later);
	settle(&to->flight[transfer], x.arrived, x.busy, later);
	if (from->waits_for >= 0 && !from->flight[transfer].missing)
		sleep_on(s, from);
	if (to->waits_for >= 0 && !to->flight[transfer].missing)
		sleep_on(s, to);
}

/* Behind those of the same end. */
static void queue(struct stage *s, struct post *first, const struct post *own)
{
	struct post *p = s->unused ? s->unused : ARENA_NEW(s->arena, struct post);
	s->unused = p == s->unused ? p->next : s->unused;
	*p = *own;
	while (first->next)
		first = first->next;
	first->next = p;
}

/* Who waits longest. */
static struct post take(struct stage *s, struct channel *c)
{
	struct post first = c->first, *next = first.next;
	if (!next) {
		drop_channel(s, c);
		return first;
	}
	c->first = *next;
	next->next = s->unused;
	s->unused = next;
	return first;
}

static void post(struct stage *s, int transfer, struct actor *a, const struct route_message *m, double at)
{
	/* Less than a million ranks each, and room for 2^23 transfers. */
	uint64_t from = (uint64_t)(m->sends ? a->rank : m->peer), to = (uint64_t)(m->sends ? m->peer : a->rank);
	uint64_t key = (uint64_t)(transfer + 1) << 40 | from << 20 | to;
	struct post own = {.rank = a->rank, .sends = m->sends, .bytes = m->bytes, .at = at};
	struct channel *c = find_channel(s, key);
	if (!c->key) {
		add_channel(s, key)->first = own;
	} else if (c->first.sends == m->sends) {
		queue(s, &c->first, &own);
	} else {
		struct post other = take(s, c);
		meet(s, transfer, &other, &own);
	}
}

/* ---- transfers ---- */

/* Begins rounds, as long as they have no messages to wait for. */
static void begin_round(struct stage *s, struct actor *a, int transfer)
{
	struct flight *f = &a->flight[transfer];
	while (f->round < f->route->rounds.n) {
		const struct route_round *r = &f->route->rounds.at[f->round];
		talk(s, a, f, price_copy(a->processor, (double)r->packed));
		f->missing = r->messages.n;
		f->done = a->clock;
		f->busy = 0;
		f->from = a->rank;
		f->since = a->clock;
		double start = 0;
		for (int i = 0; i < r->messages.n; i++) {
			const struct route_message *m = &r->messages.at[i];
			double takes = a->slower * network_start(s->network, a->rank, m->peer);
			post(s, transfer, a, m, a->clock + start);
			keep_act(s, a,
				 (struct play_act){.kind = m->sends ? PLAY_ACT_SEND : PLAY_ACT_RECEIVE,
						   .peer = m->peer,
						   .tag = transfer,
						   .bytes = m->bytes});
			keep_busy(s, a, takes);
			start += takes;
		}
		talk_for(s, a, f, start);
		if (r->messages.n)
			return;
		talk(s, a, f, price_copy(a->processor, (double)r->settled));
		f->round++;
	}
	f->finished = true;
}

/* All messages of the round are there: what they take of the processor is paid, and the next round begins. */
static void end_round(struct stage *s, struct actor *a, int transfer)
{
	struct flight *f = &a->flight[transfer];
	const struct route_round *r = &f->route->rounds.at[f->round];
	double paid = f->busy < a->spare ? f->busy : a->spare;
	for (int i = 0; i < r->messages.n; i++)
		keep_act(s, a,
			 (struct play_act){.kind = r->messages.at[i].sends ? PLAY_ACT_SENT : PLAY_ACT_RECEIVED,
					   .peer = r->messages.at[i].peer,
					   .tag = transfer});
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
		struct flight *f = &a->flight[a->active.at[i]];
		while (!f->finished && !f->missing && f->done <= a->clock) {
			end_round(s, a, a->active.at[i]);
			moved = true;
		}
	}
	return moved;
}

static void begin_transfer(struct stage *s, struct actor *a, int transfer)
{
	struct flight *f = &a->flight[transfer];
	if (!f->route)
		f->route = route_of(s->routes, s->first + transfer, a->rank);
	f->under_way = true;
	f->finished = false;
	f->round = 0;
	f->begin_step = a->step;
	vec_push(s->arena, &a->active, transfer);
	begin_round(s, a, transfer);
}

static void forget(struct actor *a, int transfer)
{
	for (int i = 0; i < a->active.n; i++)
		if (a->active.at[i] == transfer)
			a->active.at[i--] = a->active.at[--a->active.n];
	a->flight[transfer].under_way = false;
}

/* ---- ranks ---- */

static int depth_of(const struct plan *plan, const struct plan_loop *l)
{
	int depth = 0;
	for (; l->outer >= 0; l = &plan->loops.at[l->outer])
		depth++;
	return depth;
}

/* Turns that are played; those behind them take as long as the last of them. No transfer is under way where a turn
 * ends, and all ranks leave out the same turns. */
static int64_t turns_played(const struct plan *plan, const struct plan_loop *l)
{
	enum { OUTER = 256, INNER = 16, INNERMOST = 2 };
	int depth = depth_of(plan, l);
	return depth == 0 ? OUTER : depth == 1 ? INNER : INNERMOST;
}

static void add_turns(struct play_times *to, const struct play_times *turn, double n)
{
	to->compute += n * turn->compute;
	to->talk += n * turn->talk;
	to->wait += n * turn->wait;
}

/* So many turns like the present one; in the timeline they are one span of computing. */
static void leave_out(struct stage *s, struct actor *a, const struct turn *t, double n)
{
	struct play_rank *r = &s->play->rank[a->rank];
	struct play_times turn = {r->times.compute - t->times.compute, r->times.talk - t->times.talk,
				  r->times.wait - t->times.wait};
	struct play_span span = {.begin = a->clock, .kind = PLAY_COMPUTE, .step = a->step};
	keep_busy(s, a, n * (a->clock - t->clock));
	span.end = a->clock += n * (a->clock - t->clock);
	add_turns(&r->times, &turn, n);
	add_turns(&s->play->step[a->role][a->step], &turn, n);
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
	if (over == turns_played(a->plan, l)) {
		leave_out(s, a, t, (double)(l->turns - over));
		return a->step + 1;
	}
	*t = (struct turn){over, a->clock, s->play->rank[a->rank].times};
	return l->begin + 1;
}

/* Goes on waiting; true if what it waits for is there. */
static bool wait_on(struct stage *s, struct actor *a, double now)
{
	const struct flight *f = &a->flight[a->waits_for];
	if (now > a->clock) {
		/* What ends the wait: the round that is complete by now. */
		const struct flight *came = f;
		for (int i = 0; i < a->active.n; i++) {
			const struct flight *x = &a->flight[a->active.at[i]];
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
		forget(a, a->waits_for);
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
	if (step->kind == STEP_TRANSFER_END && a->flight[carrier].under_way) {
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
				.flight = ARENA_ARRAY(s->arena, struct flight, s->ntransfers),
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
	struct stage s = {.arena = a, .program = p, .acts = o->acts, .room = 1 << 10, .events_room = 1 << 10};
	struct play *play = s.play = ARENA_NEW(a, struct play);
	play->nranks = (int)p->nranks;
	play->rank = ARENA_ARRAY(a, struct play_rank, p->nranks);
	play->step = ARENA_ARRAY(a, struct play_times *, p->roles.n);
	s.channel = ARENA_ARRAY(a, struct channel, s.room);
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
