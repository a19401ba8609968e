/* verify_loops.c — loops of plans: their steps stand in each other, what moves stays in what it lies in, nothing is
 * under way from turn to turn. Two turns are checked, which stand for all; of a loop that was, as turns of one around it
 * come by again, one more, or each loop within another would double what there is to check. */
#include "verify.h"

static bool lies_in(const struct buffer *x, int other)
{
	for (int i = 0; i < x->within.n; i++)
		if (x->within.at[i] == other)
			return true;
	return false;
}

/* b takes the address of `at`, or of where that lies. */
static void check_within(struct checker *c, int step, int b, int at)
{
	const struct buffer *x = &c->p->buffers.at[b], *y = &c->p->buffers.at[at];
	bool all = y->within.n > 0;
	for (int i = 0; i < y->within.n; i++)
		all = all && lies_in(x, y->within.at[i]);
	if (!all && !lies_in(x, at))
		FAIL(c, "step %d: buffer %d is moved to buffer %d, in which it does not lie", step, b, at);
}

static void check_place(struct checker *c, int step, const struct plan_place *x)
{
	if (!verify_names(c, step, x->buffer) || !verify_names(c, step, x->at))
		return;
	const struct buffer *b = &c->p->buffers.at[x->buffer], *at = &c->p->buffers.at[x->at];
	if (b->kind != BUFFER_MOVING || b->type != at->type || b->elements != at->elements)
		FAIL(c, "step %d: buffer %d cannot take the place of buffer %d", step, x->buffer, x->at);
	else
		check_within(c, step, x->buffer, x->at);
}

static void check_move(struct checker *c, int step, const struct plan_loop *l, const struct plan_move *m)
{
	int64_t last = l->turns > 0 ? l->turns - 1 : 0, base = m->first + (m->back ? l->turns : 0);
	if (!verify_names(c, step, m->buffer) || m->of.n < 1 || (m->of_lines && m->of.n != 1)) {
		FAIL(c, "step %d: a move of no buffer, or of lines of several", step);
		return;
	}
	const struct buffer *b = &c->p->buffers.at[m->buffer];
	for (int i = 0; i < m->of.n && verify_names(c, step, m->of.at[i]); i++) {
		const struct buffer *of = &c->p->buffers.at[m->of.at[i]];
		int64_t lines = m->of_lines ? m->lines : 1;
		if (b->kind != BUFFER_MOVING || of->type != b->type ||
		    of->elements != b->elements * (of->kind == BUFFER_TAPE ? 1 : lines))
			FAIL(c, "step %d: buffer %d is no line of buffer %d", step, m->buffer, m->of.at[i]);
		check_within(c, step, m->buffer, m->of.at[i]);
	}
	if (l->turns > 0 && m->lines &&
	    (base < 0 || base >= m->lines || base + last * m->step < 0 || base + last * m->step >= m->lines))
		FAIL(c, "step %d: buffer %d leaves its lines", step, m->buffer);
}

/* Of the loop and those around it, how many the lines of tape b begin with. */
static int count_rewinds(const struct checker *c, const struct plan_loop *l, int b)
{
	int n = 0;
	for (; l; l = l->outer >= 0 ? &c->p->loops.at[l->outer] : NULL)
		for (int i = 0; i < l->rewinds.n; i++)
			n += l->rewinds.at[i] == b;
	return n;
}

static void check_begin(struct checker *c, int step, const struct plan_loop *l)
{
	if (l->begin != step || l->end <= step || l->end >= c->p->steps.n || l->outer != c->open ||
	    l->asks != (l->test >= 0)) {
		FAIL(c, "step %d begins no loop", step);
		return;
	}
	for (int i = 0; i < l->starts.n; i++)
		check_place(c, step, &l->starts.at[i]);
	for (int i = 0; i < l->nexts.n; i++)
		check_place(c, step, &l->nexts.at[i]);
	for (int i = 0; i < l->moves.n; i++)
		check_move(c, step, l, &l->moves.at[i]);
	for (int i = 0; i < l->tapes.n; i++)
		if (count_rewinds(c, l, l->tapes.at[i]) != 1)
			FAIL(c, "step %d: the lines of tape %d begin with no loop, or with several", step,
			     l->tapes.at[i]);
	for (int i = 0; i < l->starts.n && !c->error; i++)
		c->written[l->starts.at[i].buffer] = verify_holds(c, l->starts.at[i].at);
	for (int i = 0; i < l->moves.n && !c->error; i++)
		c->written[l->moves.at[i].buffer] = verify_holds(c, l->moves.at[i].of.at[0]);
	if (l->turn >= 0)
		verify_writes(c, step, l->turn);
	c->open = c->p->steps.at[step].loop;
	c->loops[c->open].begun = c->begun.n;
	c->loops[c->open].turns = 0;
}

/* Nothing is under way from turn to turn. */
static void check_turn(struct checker *c, int step)
{
	const struct plan_loop *l = &c->p->loops.at[c->open];
	if (c->begun.n != c->loops[c->open].begun)
		FAIL(c, "step %d: a transfer crosses the border of a loop", step);
	for (int i = l->begin; i < step; i++)
		if (c->p->steps.at[i].kind == STEP_TRANSFER_BEGIN)
			c->left[c->p->steps.at[i].transfer] = false;
	bool *was = ARENA_ARRAY(c->arena, bool, l->nexts.n);
	for (int i = 0; i < l->nexts.n; i++)
		was[i] = verify_holds(c, l->nexts.at[i].at);
	for (int i = 0; i < l->nexts.n; i++)
		c->written[l->nexts.at[i].buffer] = was[i];
}

static bool is_same_line(const struct plan_loop *l, const struct plan_move *x, const struct plan_move *y)
{
	int64_t turns = l->turns < 0 ? 0 : l->turns;
	bool may_differ = l->turns < 0 && x->back != y->back;
	return !may_differ && x->of_lines && y->of_lines && x->step == y->step &&
	       x->first + x->back * turns == y->first + y->back * turns;
}

/* Whether a loop around or within l moves another line of what m does. */
static bool uses_other_line(const struct checker *c, const struct plan_loop *l, const struct plan_move *m)
{
	for (int i = 0; i < c->p->loops.n; i++) {
		const struct plan_loop *other = &c->p->loops.at[i];
		bool meets = other->begin <= l->end && other->end >= l->begin;
		for (int k = 0; k < other->moves.n && meets; k++) {
			const struct plan_move *x = &other->moves.at[k];
			for (int j = 0; j < x->of.n; j++)
				if (x->of.at[j] == m->of.at[0] && (other != l || !is_same_line(l, x, m)))
					return true;
		}
	}
	return false;
}

/* Whether a step of the turns uses all of b. */
static bool uses_whole(const struct checker *c, const struct plan_loop *l, int b)
{
	for (int i = l->begin; i < l->end; i++) {
		int used[64], n = 0;
		const struct plan_step *s = &c->p->steps.at[i];
		for (int more = 0; !plan_step_is_loop(s) && (n = plan_step_buffers(s, used, 64, more)) > 0; more += n)
			for (int k = 0; k < n; k++)
				if (used[k] == b)
					return true;
	}
	return false;
}

void verify_line(struct checker *c, int step, int b)
{
	for (int open = c->is_line[b] ? c->open : -1; open >= 0; open = c->p->loops.at[open].outer) {
		const struct plan_loop *l = &c->p->loops.at[open];
		for (int i = 0; i < l->moves.n && !c->loops[open].turns; i++) {
			const struct plan_move *m = &l->moves.at[i];
			if (m->buffer == b && m->of_lines &&
			    (uses_other_line(c, l, m) || uses_whole(c, l, m->of.at[0])))
				FAIL(c, "step %d writes a line of buffer %d, of which turns use others", step,
				     m->of.at[0]);
		}
	}
}

int verify_loop_step(struct checker *c, int step)
{
	const struct plan_step *s = &c->p->steps.at[step];
	if (s->loop < 0 || s->loop >= c->p->loops.n ||
	    (s->kind == STEP_LOOP_BEGIN ? s->scalars.n != 1 : c->open != s->loop)) {
		FAIL(c, "step %d is of no loop", step);
		return step + 1;
	}
	const struct plan_loop *l = &c->p->loops.at[s->loop];
	if (s->kind == STEP_LOOP_BEGIN)
		check_begin(c, step, l);
	else if (s->kind == STEP_LOOP_TEST && (l->test != step || s->scalars.n != 1))
		FAIL(c, "step %d tests no loop", step);
	else if (s->kind == STEP_LOOP_END && l->end != step)
		FAIL(c, "step %d ends no loop", step);
	if (s->kind != STEP_LOOP_END || c->error)
		return step + 1;
	check_turn(c, step);
	struct open_loop *o = &c->loops[s->loop];
	if (o->turns++ == 0 && !o->was_checked)
		return l->begin + 1;
	o->was_checked = true;
	c->open = l->outer;
	return step + 1;
}
