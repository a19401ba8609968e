/* processors.c — ranks that take turns on the processors of their host, as an operating system and runtime/wait.c have
 * it: a rank keeps a processor until it waits for a message, or for as long as a turn lasts if others want to go on. A
 * rank that waits looks for its message again and again, and lets go of the processor as soon as another one has
 * something to do. */
#include "stage.h"

/* A turn of a rank that computes on and on. */
static const double LONGEST_TURN = 3e6;

static int64_t common_divisor(int64_t a, int64_t b)
{
	return b ? common_divisor(b, a % b) : a;
}

/* The ranks of a host are dealt out to its processors one after the other, and stay where they are if all processors
 * have as many; else the same of as few processors as that is so for, on which ranks take whichever is free. */
struct crowd **stage_find_crowds(struct arena *a, const struct machine *m, int nranks)
{
	struct crowd **of = ARENA_ARRAY(a, struct crowd *, nranks);
	int64_t host = -1;
	int first = 0;
	for (int r = 0; r < nranks; r++) {
		struct machine_place place = machine_place_of(m, r);
		int64_t ranks = place.kind->ranks, processors = place.kind->processors;
		first = place.host == host ? first : r;
		host = place.host;
		if (machine_crowd(place.kind) == 1)
			continue;
		int64_t crowds = common_divisor(ranks, processors);
		if (r - first >= crowds) {
			of[r] = of[r - crowds];
			continue;
		}
		of[r] = ARENA_NEW(a, struct crowd);
		of[r]->processors = processors / crowds;
		of[r]->turn = place.kind->turn;
	}
	return of;
}

double stage_polled(const struct actor *a, double until)
{
	double from = a->clock;
	if (!a->crowd)
		return until - from;
	if (a->has)
		from = a->since > from ? a->since : from;
	else
		until = a->since < until ? a->since : until;
	return until > from ? until - from : 0;
}

static void remove_rank(struct crowd *c, int32_t rank)
{
	int to = 0;
	for (int i = 0; i < c->having.n; i++)
		if (c->having.at[i] != rank)
			c->having.at[to++] = c->having.at[i];
	c->having.n = to;
}

static void lose(struct actor *a, double now)
{
	if (a->waits_for >= 0)
		a->spare += stage_polled(a, now);
	a->has = false;
	a->since = now;
	remove_rank(a->crowd, a->rank);
}

static void get(struct stage *s, struct actor *a, double now, int32_t before)
{
	a->has = true;
	a->queues = false;
	a->is_new = true;
	a->since = now;
	a->before = before;
	vec_push(s->arena, &a->crowd->having, a->rank);
}

/* Who waits for messages with a processor, for the longest. */
static struct actor *find_waiting(const struct stage *s, const struct crowd *c)
{
	struct actor *longest = NULL;
	for (int i = 0; i < c->having.n; i++) {
		struct actor *x = &s->actor[c->having.at[i]];
		if (x->waits_for >= 0 && !x->is_new && (!longest || x->clock < longest->clock))
			longest = x;
	}
	return longest;
}

/* A rank that computes goes on later than it would have. */
static void go_on_at(struct stage *s, struct actor *a, double at)
{
	if (a->waits_for < 0 && at > a->clock) {
		struct play_span span = {.begin = a->clock,
					 .kind = PLAY_WAIT,
					 .step = a->step,
					 .from = a->before < 0 ? a->rank : a->before,
					 .since = a->since};
		a->queued += at - a->clock;
		a->clock = at;
		stage_record(s, a, at, span);
	}
}

bool stage_take_processor(struct stage *s, struct actor *a, double now)
{
	struct crowd *c = a->crowd;
	if (!c || a->has)
		return true;
	if (a->queues)
		return false;
	if (c->having.n < c->processors) {
		get(s, a, now, -1);
		return true;
	}
	struct actor *x = find_waiting(s, c);
	if (!x) {
		a->queues = true;
		vec_push(s->arena, &c->queue, a->rank);
		return false;
	}
	lose(x, now);
	get(s, a, now + c->turn, x->rank);
	go_on_at(s, a, now + c->turn);
	stage_push(s, a, now + c->turn);
	return false;
}

/* Who came first. */
static void hand_on(struct stage *s, struct crowd *c, double now, double turn, int32_t before)
{
	struct actor *next = &s->actor[c->queue.at[0]];
	for (int i = 1; i < c->queue.n; i++)
		c->queue.at[i - 1] = c->queue.at[i];
	c->queue.n--;
	get(s, next, now + turn, before);
	go_on_at(s, next, now + turn);
	stage_push(s, next, now + turn);
}

bool stage_turn_is_over(const struct stage *s, const struct actor *a)
{
	(void)s;
	return a->crowd && a->crowd->queue.n && a->clock - a->since > LONGEST_TURN;
}

bool stage_let_others(struct stage *s, struct actor *a)
{
	struct crowd *c = a->crowd;
	if (!c || !a->has || !c->queue.n)
		return false;
	lose(a, a->clock);
	hand_on(s, c, a->clock, c->turn, a->rank);
	return true;
}

void stage_leave_processor(struct stage *s, struct actor *a)
{
	struct crowd *c = a->crowd;
	if (!c || !a->has)
		return;
	lose(a, a->clock);
	if (c->queue.n)
		hand_on(s, c, a->clock, c->turn, a->rank);
}
