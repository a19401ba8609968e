/* loop_steps.c — the steps around a loop's turns, and the buffers that they move. */
#include "writer.h"
#include "../layout/exchange.h"

/* A buffer that lies in others, one after the other. */
static int moving_buffer(struct writer *w, const struct phys_node *n, const int *within, int nwithin)
{
	struct planner *p = w->p;
	int b = writer_new_buffer(w, BUFFER_MOVING, n, -1);
	for (int i = 0; i < nwithin; i++) {
		vec_push(p->arena, &p->plan->buffers.at[b].within, within[i]);
		p->plan->buffers.at[within[i]].is_shared = true;
	}
	return b;
}

static void gives(struct writer *w, struct phys_node *n, int b)
{
	w->p->buffer[n->id] = b;
	w->readers[b] += w->p->readers[n->id].list.n;
}

static int site_of(struct writer *w, const struct phys_node *n)
{
	return program_site(w->p->program, n->node->span, n->name ? n->name : "loop");
}

/* ---- lines ---- */

static void add_line(struct writer *w, struct plan_loop *l, const struct planned_entry *e)
{
	struct planner *p = w->p;
	struct phys_node *n = e->node;
	const struct node *x = n->node;
	int *of = ARENA_ARRAY(p->scratch, int, n->nin);
	for (int k = 0; k < n->nin; k++)
		of[k] = writer_buffer(w, n->in[k]);
	struct plan_move m = {.of_lines = n->nin == 1,
			      .late = l->asks && !e->is_asked,
			      .back = x->line.back,
			      .first = x->line.first,
			      .step = x->line.step,
			      .site = site_of(w, n)};
	m.buffer = moving_buffer(w, n, of, n->nin);
	for (int k = 0; k < n->nin; k++)
		vec_push(p->arena, &m.of, of[k]);
	m.lines = n->nin > 1 ? n->nin : n->in[0]->shape.dim[0];
	m.of_all = node_is_tape_of_tapes(x->in[0]);
	vec_push(p->arena, &l->moves, m);
	gives(w, n, m.buffer);
}

static void add_turn(struct writer *w, struct plan_loop *l, struct phys_node *n)
{
	if (l->turn < 0)
		l->turn = writer_new_buffer(w, BUFFER_ARENA, n, -1);
	gives(w, n, l->turn);
}

/* ---- stacks ---- */

/* The stack of a loop around that the tape n goes on in; NULL: none. */
static const struct phys_node *stack_of_tape(const struct planner *p, const struct phys_node *n)
{
	for (struct phys_node *const *u = p->users[n->id]; *u; u++)
		if ((*u)->kind == PHYS_STACK)
			return *u;
	return NULL;
}

/* A tape, whose lines begin anew with the loop l that writes them, which is not in the plan yet, or with the outermost
 * of those around that stack it. */
static int add_tape(struct writer *w, struct plan_loop *l, const struct planned_stack *s)
{
	struct planner *p = w->p;
	int b = writer_new_buffer(w, BUFFER_TAPE, s->stack, -1);
	p->plan->buffers.at[b].elements = shape_volume(&s->line->shape);
	vec_push(p->arena, &l->tapes, b);
	for (const struct phys_node *n = s->stack, *user; (user = stack_of_tape(p, n)); n = user)
		l = &p->plan->loops.at[planner_loop(p, user->of)->number];
	vec_push(p->arena, &l->rewinds, b);
	return b;
}

static void add_stack(struct writer *w, struct plan_loop *l, struct planned_stack *s)
{
	struct planner *p = w->p;
	const struct phys_node *n = s->stack;
	bool back = n->node->line.back, is_tape = node_is_tape(n->node);
	if (s->over) {
		s->buffer = p->buffer[s->line->id] = p->buffer[s->over->id];
		p->buffer[n->id] = writer_buffer(w, s->over->in[0]);
		return;
	}
	bool is_placed = p->in_slot[n->id] >= 0 || p->buffer[n->id] >= 0;
	int b = is_tape     ? add_tape(w, l, s)
		: is_placed ? writer_buffer(w, s->stack)
			    : writer_new_buffer(w, BUFFER_ARENA, n, -1);
	if (l->turns < 0 && !is_tape)
		vec_push(p->arena, &l->cleared, b);
	p->buffer[n->id] = b;
	s->buffer = moving_buffer(w, s->line, &b, 1);
	p->buffer[s->line->id] = s->buffer;
	struct plan_move m = {.buffer = s->buffer,
			      .of_lines = true,
			      .late = l->asks,
			      .back = back,
			      .first = back ? -1 : 0,
			      .step = back ? -1 : 1,
			      .lines = is_tape ? 0 : n->shape.dim[0],
			      .site = site_of(w, n)};
	vec_push(p->arena, &m.of, b);
	vec_push(p->arena, &l->moves, m);
}

/* ---- what is carried ---- */

static void add_place(struct writer *w, struct plan_loop *l, bool is_start, int buffer, int at)
{
	if (is_start)
		vec_push(w->p->arena, &l->starts, ((struct plan_place){buffer, at}));
	else
		vec_push(w->p->arena, &l->nexts, ((struct plan_place){buffer, at}));
}

/* The buffers of the homes, one more, and the carries that follow each other go round. */
static void add_round(struct writer *w, struct plan_loop *l, const struct planned_loop *of,
		      const struct planned_carry *c)
{
	struct planner *p = w->p;
	VEC(int) all = {0};
	int other = writer_new_buffer(w, BUFFER_ARENA, c->carry, -1), before;
	vec_push(p->scratch, &all, other);
	for (int i = (int)(c - of->carries.at); i >= 0; i = of->carries.at[i].older)
		vec_push(p->scratch, &all, writer_buffer(w, of->carries.at[i].home));
	int there = before = moving_buffer(w, c->next, all.at, all.n);
	p->buffer[c->next->id] = there;
	add_place(w, l, true, there, other);
	for (int i = (int)(c - of->carries.at), k = 1; i >= 0; i = of->carries.at[i].older, k++) {
		int here = moving_buffer(w, of->carries.at[i].carry, all.at, all.n);
		add_place(w, l, true, here, all.at[k]);
		add_place(w, l, false, here, before);
		gives(w, of->carries.at[i].carry, here);
		before = here;
	}
	add_place(w, l, false, there, before);
}

static void add_carry(struct writer *w, struct plan_loop *l, const struct planned_loop *of,
		      const struct planned_carry *c)
{
	struct planner *p = w->p;
	if (c->way == CARRY_OLDER)
		return;
	if (c->next && c->way == CARRY_SWAP) {
		add_round(w, l, of, c);
		return;
	}
	int home = writer_buffer(w, c->home), here;
	if (!c->next || c->way == CARRY_IN_PLACE) {
		gives(w, c->carry, home);
		for (struct phys_node *n = c->next; n && n != c->carry; n = planner_written_over(p, n, c->carry))
			p->buffer[n->id] = home;
		vec_push(p->arena, &l->buffers, home);
		return;
	}
	int line = c->stack->buffer, stack = p->plan->buffers.at[line].within.at[0];
	here = moving_buffer(w, c->carry, (int[]){home, stack}, 2);
	add_place(w, l, false, here, line);
	add_place(w, l, true, here, home);
	gives(w, c->carry, here);
}

/* ---- steps ---- */

/* All that the loop moves lives through it. */
static void list_buffers(struct writer *w, struct plan_loop *l, int from)
{
	for (int b = from; b < w->p->plan->buffers.n; b++)
		vec_push(w->p->arena, &l->buffers, b);
}

static struct plan_step *loop_step(struct writer *w, enum plan_step_kind kind, const struct unit *u, bool names)
{
	struct planner *p = w->p;
	struct plan_step *s = writer_add_step(w, kind, NULL);
	s->loop = u->of->number;
	s->span = u->of->phys->loop->span;
	const struct plan_loop *l = &p->plan->loops.at[s->loop];
	for (int i = 0; i < l->buffers.n && names; i++)
		vec_push(p->arena, &s->buffers, l->buffers.at[i]);
	return s;
}

void writer_loop_begin(struct writer *w, struct unit *u)
{
	struct planner *p = w->p;
	struct planned_loop *of = u->of;
	const struct loop *loop = of->phys->loop;
	struct plan_loop l = {.id = loop->id,
			      .outer = of->outer ? of->outer->number : -1,
			      .begin = p->plan->steps.n,
			      .test = -1,
			      .end = -1,
			      .turns = loop->turns,
			      .most = loop->most,
			      .asks = of->test != NULL,
			      .turn = -1};
	int from = p->plan->buffers.n;
	struct plan_scalar count = {.kind = OPERAND_CONST, .type = DT_I64, .number = {.i = loop->turns}};
	if (of->phys->count)
		count = writer_scalar(w, of->phys->count);
	for (int i = 0; i < of->entries.n; i++)
		if (of->entries.at[i].node->kind == PHYS_TURN)
			add_turn(w, &l, of->entries.at[i].node);
		else
			add_line(w, &l, &of->entries.at[i]);
	for (int i = 0; i < of->stacks.n; i++)
		add_stack(w, &l, of->stacks.at[i]);
	for (int i = 0; i < of->carries.n; i++)
		add_carry(w, &l, of, &of->carries.at[i]);
	list_buffers(w, &l, from);
	l.site = program_site(p->program, loop->span, "loop");
	of->number = p->plan->loops.n;
	vec_push(p->arena, &p->plan->loops, l);
	struct plan_step *s = loop_step(w, STEP_LOOP_BEGIN, u, true);
	vec_push(p->arena, &s->scalars, count);
}

void writer_loop_test(struct writer *w, struct unit *u)
{
	struct plan_scalar condition = writer_scalar(w, u->of->phys->condition);
	w->p->plan->loops.at[u->of->number].test = w->p->plan->steps.n;
	struct plan_step *s = loop_step(w, STEP_LOOP_TEST, u, false);
	vec_push(w->p->arena, &s->scalars, condition);
}

void writer_loop_end(struct writer *w, struct unit *u)
{
	struct planner *p = w->p;
	const struct planned_loop *of = u->of;
	for (int i = 0; i < of->carries.n; i++)
		gives(w, of->carries.at[i].end, p->buffer[of->carries.at[i].carry->id]);
	for (int i = 0; i < of->tapes.n; i++)
		gives(w, of->tapes.at[i], writer_buffer(w, of->tapes.at[i]->in[0]));
	for (int i = 0; i < of->stacks.n; i++) {
		const struct phys_node *n = of->stacks.at[i]->stack;
		w->readers[writer_buffer(w, of->stacks.at[i]->stack)] += p->readers[n->id].list.n;
	}
	p->plan->loops.at[of->number].end = p->plan->steps.n;
	loop_step(w, STEP_LOOP_END, u, true);
}
