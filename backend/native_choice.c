/* native_choice.c — which loops of a region are code: see native_loop.h.
 *
 * A step that is walked to costs some nanoseconds, for its words, addresses and call: nothing beside a product of
 * matrices, and ten times the work where a turn computes one element of a recurrence. So it is loops of small steps and
 * enough turns, with all loops in them, where the plan alone says that what moves stays within what it moves over. */
#include "native_loop.h"

#include "native_emit.h"

/* Of the steps of a loop; of the points and copied bytes of one; turns below which no loop is worth code. */
enum { MOST_STEPS = 96, MOST_POINTS = 64, MOST_BYTES = 512, FEW_TURNS = 16 };

static int64_t points_of(const struct kernel_instr *body)
{
	int64_t points = 1;
	for (const struct kernel_instr *i = body; i; i = i->next)
		if (i->kind == K_LOOP) {
			int64_t inside = i->extent > MOST_POINTS ? MOST_POINTS + 1 : i->extent * points_of(i->body);
			points = inside > points ? inside : points;
		}
	return points > MOST_POINTS ? MOST_POINTS + 1 : points;
}

static bool is_small(const struct plan *plan, const struct plan_step *s)
{
	switch (s->kind) {
	case STEP_KERNEL:
		return points_of(s->kernel->body) <= MOST_POINTS;
	case STEP_COPY: {
		const struct buffer *b = &plan->buffers.at[s->dst];
		return b->elements <= MOST_BYTES / dtype_size(b->type);
	}
	case STEP_CHECK:
		return plan->buffers.at[s->src].elements == 1 && dtype_is_int(plan->buffers.at[s->src].type) &&
		       s->check->rows.argument < 0;
	case STEP_RESULT:
	case STEP_LOOP_BEGIN:
	case STEP_LOOP_TEST:
	case STEP_LOOP_END:
		return true;
	default:
		return false;
	}
}

/* Whether all lines of a loop of so many turns are within what they are lines of. */
static bool is_inside(const struct plan_move *m, int64_t turns)
{
	int64_t first = m->first + (m->back ? turns : 0), last = first + m->step * (turns - 1);
	return first >= 0 && last >= 0 && first < m->lines && last < m->lines;
}

/* Lines of a tape, which has as many as there are turns: what goes over it from its end does so in as many. */
static bool is_inside_tape(const struct plan_loop *l, const struct plan_move *m)
{
	bool in_order = m->back ? m->first >= -1 && m->step == -1 : m->first >= 0 && m->step >= 0;
	return in_order && !l->asks && !m->of_all;
}

/* The same whatever the turn, and, where they are counted, however many there are: between one and the most. What a
 * condition asks moves in the turn that it ends as well. */
static bool moves_inside(const struct plan *plan, const struct plan_loop *l, bool may_tape)
{
	int64_t most = l->turns < 0 ? l->most : l->turns, least = l->turns < 0 ? 1 : most;
	for (int i = 0; i < l->moves.n; i++) {
		const struct plan_move *m = &l->moves.at[i];
		bool one_more = l->asks && !m->late;
		if (m->of.n == 1 && plan->buffers.at[m->of.at[0]].kind == BUFFER_TAPE) {
			if (!may_tape || !is_inside_tape(l, m))
				return false;
			continue;
		}
		if (most < 1 || (l->asks && m->back) || m->of.n != 1 || !is_inside(m, least) ||
		    !is_inside(m, most + one_more))
			return false;
	}
	return true;
}

/* may_tape: it stands in no other loop that is code, and begins where the cells say. Whoever knows how many turns there
 * are has room for their lines before the first. */
static bool is_plain(const struct plan *plan, const struct plan_loop *l, bool may_tape)
{
	bool has_tapes = l->tapes.n || l->rewinds.n;
	return (!has_tapes || (may_tape && !l->asks)) && moves_inside(plan, l, may_tape);
}

bool plan_is_small(const struct plan *plan)
{
	if (plan->steps.n > MOST_STEPS)
		return false;
	for (int i = 0; i < plan->steps.n; i++) {
		const struct plan_step *x = &plan->steps.at[i];
		if (!is_small(plan, x) ||
		    (x->kind == STEP_LOOP_BEGIN && !is_plain(plan, native_loop_of(plan, x), false)))
			return false;
	}
	return true;
}

bool loop_is_native(const struct session *s, const struct plan *plan, int loop)
{
	const struct plan_loop *l = &plan->loops.at[loop];
	int64_t turns = 1;
	bool computes = false;
	if (s->options.debug_info || l->end - l->begin > MOST_STEPS)
		return false;
	for (int i = l->begin; i <= l->end; i++) {
		const struct plan_step *x = &plan->steps.at[i];
		if (!is_small(plan, x) ||
		    (x->kind == STEP_LOOP_BEGIN && !is_plain(plan, native_loop_of(plan, x), x->loop == loop)))
			return false;
		if (x->kind == STEP_LOOP_BEGIN && turns < FEW_TURNS)
			turns *= native_loop_of(plan, x)->turns < 0 ? FEW_TURNS : native_loop_of(plan, x)->turns;
		computes |= x->kind == STEP_KERNEL;
	}
	return computes && turns >= FEW_TURNS;
}

static bool plan_has_native_loops(const struct session *s, const struct plan *plan)
{
	for (int i = 0; plan && i < plan->loops.n; i++)
		if (loop_is_native(s, plan, i))
			return true;
	return false;
}

bool role_has_native_loops(const struct program *p, int role)
{
	const struct role *r = p->roles.at[role];
	for (int i = 0; r->plans && i < p->regions.n; i++)
		if (plan_has_native_loops(p->session, r->plans[i]))
			return true;
	return false;
}
