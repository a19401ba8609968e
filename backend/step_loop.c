/* step_loop.c — loops of plans as words: runtime/loop.h says what they are. */
#include "step_writer.h"

#include "../compiler/layout/exchange.h"
#include "../runtime/loop.h"

int step_cell_of_loop(const struct plan *plan, int loop)
{
	int at = plan->buffers.n + 1;
	for (int i = 0; i < loop; i++)
		at += LOOP_CELLS + plan->loops.at[i].nexts.n;
	return at;
}

int step_cell_of_tape(const struct plan *plan, int buffer)
{
	int at = step_cell_of_loop(plan, plan->loops.n);
	for (int i = 0; i < buffer; i++)
		at += plan->buffers.at[i].kind == BUFFER_TAPE ? TAPE_CELLS : 0;
	return at;
}

int step_cells(const struct plan *plan)
{
	return step_cell_of_tape(plan, plan->buffers.n);
}

static int64_t buffer_bytes(const struct writer *w, int b)
{
	return buffer_size(&w->plan->buffers.at[b]);
}

static void place_words(struct writer *w, const struct plan_place *place, int n)
{
	word(w, n);
	for (int i = 0; i < n; i++) {
		word(w, place[i].buffer);
		word(w, place[i].at);
	}
}

/* First of the cells of the tape that says where its lines begin; -1: none does. */
static int tape_of(const struct plan *plan, const struct plan_move *m)
{
	bool is_tape = plan->buffers.at[m->of.at[0]].kind == BUFFER_TAPE;
	return is_tape && !m->of_all ? step_cell_of_tape(plan, m->of.at[0]) : -1;
}

static void move_words(struct writer *w, const struct plan_loop *l, bool late)
{
	int at = w->words->list.n;
	word(w, 0);
	for (int i = 0; i < l->moves.n; i++) {
		const struct plan_move *m = &l->moves.at[i];
		const int64_t head[MOVE_HEAD] = {[MOVE_CELL] = m->buffer, [MOVE_BACK] = m->back,
						 [MOVE_FIRST] = m->first, [MOVE_STEP] = m->step,
						 [MOVE_LINES] = m->lines, [MOVE_BYTES] = buffer_bytes(w, m->buffer),
						 [MOVE_SITE] = m->site,   [MOVE_TAPE] = tape_of(w->plan, m),
						 [MOVE_BUFFERS] = m->of.n};
		if (m->late != late)
			continue;
		w->words->list.at[at]++;
		for (int k = 0; k < MOVE_HEAD; k++)
			word(w, head[k]);
		for (int k = 0; k < m->of.n; k++)
			word(w, m->of.at[k]);
	}
}

static void clear_words(struct writer *w, const struct plan_loop *l)
{
	word(w, l->cleared.n);
	for (int i = 0; i < l->cleared.n; i++) {
		word(w, l->cleared.at[i]);
		word(w, buffer_bytes(w, l->cleared.at[i]));
	}
}

static void tape_words(struct writer *w, const struct plan_loop *l)
{
	word(w, l->tapes.n);
	for (int i = 0; i < l->tapes.n; i++) {
		word(w, l->tapes.at[i]);
		word(w, step_cell_of_tape(w->plan, l->tapes.at[i]));
		word(w, buffer_bytes(w, l->tapes.at[i]));
	}
}

static void rewind_words(struct writer *w, const struct plan_loop *l)
{
	word(w, l->rewinds.n);
	for (int i = 0; i < l->rewinds.n; i++)
		word(w, step_cell_of_tape(w->plan, l->rewinds.at[i]));
}

/* The next list begins here. */
static void list_begins(struct writer *w, int begin, enum loop_word which)
{
	w->words->list.at[begin + which] = w->words->list.n - begin;
}

/* Where its end is, is filled in when that is written. */
static void write_loop_begin(struct writer *w, const struct plan_step *s)
{
	const struct plan_loop *l = &w->plan->loops.at[s->loop];
	argument(w, (struct step_argument){.kind = FROM_WORDS});
	int begin = w->words->loop[s->loop] = w->words->list.n, words = w->arguments.n - 1;
	const int64_t head[LOOP_HEAD] = {[LOOP_STATE] = step_cell_of_loop(w->plan, s->loop),
					 [LOOP_TURN] = l->turn,
					 [LOOP_MOST] = l->most,
					 [LOOP_ASKS] = l->asks,
					 [LOOP_SITE] = l->site};
	for (int i = 0; i < LOOP_HEAD; i++)
		word(w, head[i]);
	list_begins(w, begin, LOOP_STARTS);
	place_words(w, l->starts.at, l->starts.n);
	list_begins(w, begin, LOOP_NEXTS);
	place_words(w, l->nexts.at, l->nexts.n);
	list_begins(w, begin, LOOP_CLEARED);
	clear_words(w, l);
	list_begins(w, begin, LOOP_TAPES);
	tape_words(w, l);
	list_begins(w, begin, LOOP_REWINDS);
	rewind_words(w, l);
	list_begins(w, begin, LOOP_MOVES);
	move_words(w, l, false);
	list_begins(w, begin, LOOP_LATE);
	move_words(w, l, true);
	w->arguments.at[words].index = w->words->list.n - begin;
	step_scalar(w, &s->scalars.at[0], DT_I64);
	list_begins(w, begin, LOOP_BODY);
}

void step_write_loop(struct writer *w, const struct plan_step *s)
{
	runtime(w);
	argument(w, (struct step_argument){.kind = FROM_CELLS});
	w->form->callee = CALLEE_NEXT;
	if (s->kind == STEP_LOOP_BEGIN) {
		w->form->name = "loop_begin";
		write_loop_begin(w, s);
		return;
	}
	bool ends = s->kind == STEP_LOOP_END;
	w->form->name = ends ? "loop_end" : "loop_test";
	argument(w, (struct step_argument){.kind = FROM_WORDS, .index = 2});
	int at = w->words->list.n, begin = w->words->loop[s->loop];
	word(w, begin - at);
	word(w, 0);
	if (!ends)
		step_scalar(w, &s->scalars.at[0], DT_BOOL);
	w->words->list.at[at + 1] = w->words->list.n - at;
	if (ends)
		w->words->list.at[begin + LOOP_BEHIND] = w->words->list.n - begin;
}
