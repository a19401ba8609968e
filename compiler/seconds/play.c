/* play.c — see play.h.
 *
 * Each rank is an actor with a clock: an event is the next thing it does. Ranks meet in messages alone: a message is
 * under way when both ends have begun the round that it belongs to, and arrives when the network says. What its bytes
 * take of the processors at both ends is paid when the round is found complete, unless the rank waited meanwhile. */
#include "stage.h"

/* ---- ranks ---- */

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
		a->spare += stage_polled(a, now);
		/* It was there, but another rank had the processor. */
		if (a->crowd && a->before >= 0 && a->since > came->done) {
			span.from = a->before;
			span.since = a->since - a->crowd->turn;
		}
		a->clock = now;
		stage_record(s, a, now, span);
	}
	stage_progress(s, a);
	if (f->finished) {
		stage_forget(s, a, a->waits_for);
		a->waits_for = -1;
		a->spare = 0;
		a->version++; /* it is awake */
		return true;
	}
	stage_let_others(s, a);
	stage_sleep(s, a);
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
		stage_begin_transfer(s, a, carrier);
	if (step->kind == STEP_TRANSFER_END && flight_of(s, a, carrier)->under_way) {
		a->waits_for = carrier;
		if (!wait_on(s, a, a->clock))
			return false;
	}
	if (a->takes[a->step] > 0) {
		struct play_span span = {.begin = a->clock, .kind = PLAY_COMPUTE, .step = a->step};
		a->clock += a->takes[a->step] * a->slower;
		stage_keep_busy(s, a, a->takes[a->step] * a->slower);
		stage_record(s, a, a->clock, span);
		stage_progress(s, a);
	}
	a->step = plan_step_is_loop(step) ? stage_behind_loop(s, a, step) : a->step + 1;
	return true;
}

/* Steps that meet nobody are done at once; before and behind others time has to come this far everywhere. */
static void go_on(struct stage *s, struct actor *a, double now)
{
	if (!stage_take_processor(s, a, now))
		return;
	if (a->crowd && now < a->since) {
		stage_push(s, a, a->since);
		return;
	}
	a->is_new = false;
	if (a->waits_for >= 0) {
		if (!wait_on(s, a, now))
			return;
		a->step++;
	}
	for (;;) {
		bool ends = a->step == a->plan->steps.n;
		enum plan_step_kind kind = ends ? STEP_EXCHANGE : a->plan->steps.at[a->step].kind;
		bool meets = a->crowd || a->active.n || kind == STEP_TRANSFER_BEGIN || kind == STEP_TRANSFER_END;
		if (meets && s->nevents && s->heap[0].at < a->clock) {
			stage_push(s, a, a->clock);
			return;
		}
		if (ends)
			break;
		if (a->crowd && !a->has) {
			stage_push(s, a, a->clock);
			return;
		}
		if (stage_turn_is_over(s, a) && stage_let_others(s, a)) {
			stage_push(s, a, a->clock);
			return;
		}
		if (!do_step(s, a))
			return;
	}
	stage_leave_processor(s, a);
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

/* By step; ranks of one role on hosts that are alike share it. */
static const double *takes_of(struct stage *s, const struct plan *plan, const struct machine_place *place)
{
	struct machine_processor processor = *place->processor;
	processor.crowd = machine_crowd(place->kind);
	struct price price = price_on(s->arena, s->program, &processor);
	double *takes = ARENA_ARRAY(s->arena, double, plan->steps.n + 1);
	for (int i = 0; i < plan->steps.n; i++)
		takes[i] = price_step(&price, plan, &plan->steps.at[i]);
	return takes;
}

static void find_actors(struct stage *s, int region, const struct machine *m, const struct play_options *o)
{
	const struct program *p = s->program;
	struct crowd **crowd = stage_find_crowds(s->arena, m, (int)p->nranks);
	for (int i = 0; i < p->roles.n; i++) {
		const struct role *role = p->roles.at[i];
		const struct plan *plan = role->plans[region];
		const double **takes = ARENA_ARRAY(s->arena, const double *, m->hosts.n);
		s->play->step[i] = plan ? ARENA_ARRAY(s->arena, struct play_times, plan->steps.n + 1) : NULL;
		for (int k = 0; plan && k < role->ranks.n; k++) {
			int32_t rank = role->ranks.at[k];
			struct machine_place place = machine_place_of(m, rank);
			int kind = (int)(place.kind - m->hosts.at);
			if (!takes[kind])
				takes[kind] = takes_of(s, plan, &place);
			s->actor[rank] = (struct actor){
				.rank = rank,
				.role = i,
				.plan = plan,
				.processor = place.processor,
				.takes = takes[kind],
				.slower = rank == o->slow_rank ? o->slow_factor : 1,
				.turn = ARENA_ARRAY(s->arena, struct turn, plan->loops.n),
				.waits_for = -1,
				.crowd = crowd[rank],
				.before = -1,
			};
			s->actor[rank].clock = place.processor->start[START_REGION] * s->actor[rank].slower;
			s->play->rank[rank].role = i;
			s->play->rank[rank].times.compute = s->actor[rank].clock;
			stage_keep_busy(s, &s->actor[rank], s->actor[rank].clock);
			stage_push(s, &s->actor[rank], s->actor[rank].clock);
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
	s.routes = routes_new(a, p, m);
	find_transfers(&s, region);
	find_actors(&s, region, m, o);
	while (s.nevents) {
		struct event e = stage_pop(&s);
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
