/* turns.c — loops while they are played: the first turns are, and what is left of them takes as long as the later half
 * of these. */
#include "stage.h"

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

/* So many turns like those since `from`; in the timeline they are one span of computing. Of ranks that take turns on a
 * processor one that has not met others keeps it for what it computes; those that met in each turn of the loop go
 * through all of it together, as they did so far. */
static void leave_out(struct stage *s, struct actor *a, const struct turn *from, double turns)
{
	struct play_rank *r = &s->play->rank[a->rank];
	struct play_times turn = {r->times.compute - from->times.compute, r->times.talk - from->times.talk,
				  r->times.wait - from->times.wait};
	struct play_span span = {.begin = a->clock, .kind = PLAY_COMPUTE, .step = a->step};
	double n = turns / (double)from->played, ns = n * (a->clock - from->clock), queued = a->queued - from->queued;
	bool meets = turn.wait > queued * 1.0001;
	if (a->crowd && meets) {
		stage_leave_processor(s, a);
	} else {
		turn.wait -= queued;
		ns -= n * queued;
	}
	stage_keep_busy(s, a, ns);
	span.end = a->clock += ns;
	add_turns(&r->times, &turn, n);
	add_turns(&s->play->step[a->role][a->step], &turn, n);
	if (s->spans)
		vec_push(s->arena, &r->spans, span);
}

/* The step behind the begin, test or end of a loop. */
int stage_behind_loop(struct stage *s, struct actor *a, const struct plan_step *step)
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
		t->queued = a->queued;
		t->times = s->play->rank[a->rank].times;
	}
	return l->begin + 1;
}
