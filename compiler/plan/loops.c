/* loops.c — loops in the order of units, and where what they carry, stack and read line by line lies.
 *
 * A loop begins when all that it reads is there, and whatever reads its results waits for its end, so an edge over its
 * border is one of its begin or end. A carried value has a home, which holds the start and nothing else. The next value
 * is written over it if all that reads the carried one can come first. If not, it has memory of its own and the two
 * take turns, or it is a line of a stack and is carried where it lies. So nothing is copied in a turn but what is
 * carried or stacked and was not made there, or for something else.
 *
 *   for t in 0..n { h = tanh(h @ w + xs[t]); ys[t] = h }      begin: h = home
 *                                                             turn:  h' = line t of ys; h' = tanh(h @ w + line t of xs)
 *                                                             end:   h = h' */
#include "planner.h"

/* ---- units ---- */

static struct unit *border_unit(struct planner *p, enum unit_kind kind, struct planned_loop *of,
				struct planned_loop *in)
{
	struct unit *u = unit_new(p, kind, NULL);
	u->loop = in;
	u->of = of;
	return u;
}

void planner_begin_loops(struct planner *p)
{
	for (int i = 0; i < p->loops.n; i++) {
		struct planned_loop *l = p->loops.at[i];
		l->begin = border_unit(p, UNIT_LOOP_BEGIN, l, l->outer);
		l->end = border_unit(p, UNIT_LOOP_END, l, l->outer);
		if (l->phys->condition)
			l->test = border_unit(p, UNIT_LOOP_TEST, l, l);
	}
}

static void reads(struct planner *p, struct unit *u, struct phys_node *n)
{
	planner_want_stored(p, n);
	if (!unit_does_read(u, planner_root(n)))
		unit_notes_read(p, u, planner_root(n));
}

static void makes(struct planner *p, struct unit *u, struct phys_node *n)
{
	vec_push(p->scratch, &u->writes, n);
	p->maker[n->id] = u;
}

/* Whether n lies wherever what makes it is told to write: a tape grows where it is, and a stack that is added to
 * something lies there. */
static bool has_no_place(const struct phys_node *n)
{
	bool is_stack = n->kind == PHYS_STACK && !node_is_tape(n->node) && !n->onto;
	return n->kind == PHYS_MAP || n->kind == PHYS_TRANSFER || n->kind == PHYS_CHECK || n->kind == PHYS_FACTORS ||
	       is_stack;
}

/* Whether all that reads n, but for the carry that begins with it, is computed by passes before that of the carry. */
static bool is_read_before(const struct planner *p, const struct phys_node *n, const struct phys_node *carry)
{
	int users = 0;
	for (struct phys_node *const *u = p->users[n->id]; *u; u++, users++) {
		if (*u == carry)
			continue;
		bool is_unit = (*u)->kind == PHYS_MAP || (*u)->kind == PHYS_CHECK || (*u)->kind == PHYS_FACTORS;
		if ((*u)->kind == PHYS_VIEW ? !is_read_before(p, *u, carry)
					    : !is_unit || (*u)->loop != carry->of->outer ||
						      planner_segment(*u) >= planner_segment(carry))
			return false;
	}
	return carry->of->loop->stages && users == p->uses[n->id];
}

/* Whether n, or a view of it, is carried to the next turn. */
static bool is_carried_on(const struct planner *p, const struct phys_node *n)
{
	for (struct phys_node *const *u = p->users[n->id]; *u; u++)
		if (((*u)->kind == PHYS_END && (*u)->in[1] == n) || ((*u)->kind == PHYS_VIEW && is_carried_on(p, *u)))
			return true;
	return false;
}

static struct phys_node *home_of(struct planner *p, struct phys_node *carry)
{
	struct phys_node *start = carry->in[0];
	struct phys_loop *around = carry->of->outer;
	bool is_own = p->uses[start->id] == 1 || is_read_before(p, start, carry);
	if (start->kind == PHYS_STACK && is_carried_on(p, planner_root(start->in[0])))
		is_own = false; /* it may be carried where the line lies */
	if (has_no_place(start) && p->stored[start->id] && is_own && start->loop == around)
		return start;
	planner_want_stored(p, start);
	return planner_copied(p, start, around);
}

static void enter(struct planner *p, struct phys_node *n)
{
	struct planned_loop *l = planner_loop(p, n->of);
	makes(p, l->begin, n);
	if (n->kind != PHYS_CARRY) {
		vec_push(p->scratch, &l->entries, (struct planned_entry){.node = n});
		for (int k = 0; k < n->nin; k++) {
			reads(p, l->begin, n->in[k]);
			reads(p, l->end, n->in[k]);
		}
		return;
	}
	struct planned_carry c = {.carry = n, .end = n->end, .older = -1, .takes_over = carry_may_take_over(p, n)};
	c.home = c.takes_over ? n->in[0] : home_of(p, n);
	if (!c.takes_over) {
		reads(p, l->begin, c.home);
		reads(p, l->end, c.home);
	}
	vec_push(p->scratch, &l->carries, c);
}

static void leave(struct planner *p, struct phys_node *n)
{
	struct planned_loop *l = planner_loop(p, n->of);
	makes(p, l->end, n);
	planner_want_stored(p, n->in[n->nin - 1]);
	if (n->kind != PHYS_STACK)
		return;
	if (node_is_tape(n->node->in[0])) {
		reads(p, l->end, planner_root(n->in[0]));
		vec_push(p->scratch, &l->tapes, n);
		return;
	}
	struct planned_stack *s = ARENA_NEW(p->scratch, struct planned_stack);
	*s = (struct planned_stack){.stack = n};
	vec_push(p->scratch, &l->stacks, s);
}

/* The first node of a loop says where it stands in the order, and in which pass. */
static void give_place(struct planned_loop *l, struct phys_node *n)
{
	for (; l && !l->begin->node; l = l->outer) {
		l->begin->node = l->end->node = n;
		l->begin->priority = n->id;
		if (l->test)
			l->test->node = n;
	}
}

void planner_enter_loops(struct planner *p)
{
	for (int i = 0, n = p->graph->nodes.n; i < n; i++) {
		struct phys_node *x = p->graph->nodes.at[i];
		give_place(planner_loop(p, x->loop), x);
		if (x->kind == PHYS_TURN || x->kind == PHYS_CARRY || x->kind == PHYS_LINE)
			enter(p, x);
		else if (x->kind == PHYS_END || x->kind == PHYS_STACK)
			leave(p, x);
	}
	for (int i = 0; i < p->loops.n; i++) {
		struct planned_loop *l = p->loops.at[i];
		if (l->phys->count)
			unit_reads(p, l->begin, l->phys->count);
		if (l->phys->condition)
			unit_reads(p, l->test, l->phys->condition);
	}
}

/* ---- order ---- */

/* What is made outside and read in a turn is there in all of them. */
static void hold_reads(struct planner *p, struct unit *u)
{
	for (int k = 0; k < u->reads.n; k++)
		for (struct planned_loop *l = u->loop; l && !phys_loop_is_in(u->reads.at[k]->loop, l->phys);
		     l = l->outer)
			if (!unit_does_read(l->end, u->reads.at[k]))
				unit_notes_read(p, l->end, u->reads.at[k]);
}

static void enclose(struct planner *p, struct unit *u)
{
	vec_push(p->scratch, &u->loop->begin->after, u);
	vec_push(p->scratch, &u->before, u->loop->begin);
	vec_push(p->scratch, &u->after, u->loop->end);
	vec_push(p->scratch, &u->loop->end->before, u);
}

/* Marks with p->search what the test of l waits for. */
static void mark_asked(struct planner *p, const struct planned_loop *l)
{
	p->search++;
	p->stack.n = 0;
	vec_push(p->scratch, &p->stack, l->test);
	while (p->stack.n) {
		struct unit *u = p->stack.at[--p->stack.n];
		if (u->seen == p->search || u == l->begin)
			continue;
		u->seen = p->search;
		for (int i = 0; i < u->before.n; i++)
			vec_push(p->scratch, &p->stack, u->before.at[i]);
	}
}

/* On all ranks the same transfers come before the test. */
static void ask_transfers(struct planner *p, const struct planned_loop *l)
{
	int last = p->region->asked_of[l->phys->loop->id];
	for (int i = 0; i < p->units.n; i++) {
		struct unit *u = p->units.at[i];
		bool moves = u->kind == UNIT_BEGIN || u->kind == UNIT_END;
		if (moves && planned_loop_is_in(u->loop, l) && u->node->transfer <= last)
			unit_edge(p, u, l->test);
	}
}

static void put_behind_test(struct planner *p, struct planned_loop *l)
{
	ask_transfers(p, l);
	mark_asked(p, l);
	uint64_t asked = p->search;
	for (int i = 0; i < p->units.n; i++) {
		struct unit *u = p->units.at[i];
		if (u->loop == l && u->seen != asked)
			unit_edge(p, l->test, u);
	}
	for (int i = 0; i < l->entries.n; i++) {
		struct planned_entry *e = &l->entries.at[i];
		const struct readers *r = &p->readers[e->node->id];
		for (int k = 0; k < r->list.n; k++)
			e->is_asked |= r->list.at[k]->seen == asked;
	}
}

/* ---- what is carried and stacked ---- */

/* By node: whether something has given it its place. */
static bool may_be_placed(const struct planner *p, const struct planned_loop *l, const struct phys_node *n,
			  const bool *taken)
{
	return has_no_place(n) && n->loop == l->phys && p->stored[n->id] && !taken[n->id];
}

/* A copy between units that are there already. */
static struct phys_node *copied(struct planner *p, struct planned_loop *l, struct phys_node *n)
{
	struct phys_node *x = planner_copied(p, n, l->phys);
	struct unit *u = p->maker[x->id], *from = p->maker[planner_root(n)->id];
	u->priority = x->id;
	enclose(p, u);
	hold_reads(p, u);
	if (from)
		unit_edge(p, from, u);
	if (l->test)
		unit_edge(p, l->test, u);
	return x;
}

static bool is_asked(struct planner *p, const struct planned_loop *l, const struct phys_node *n)
{
	return l->test && unit_reaches(p, planner_writer(p, n), l->test);
}

static void place_stacks(struct planner *p, struct planned_loop *l, bool *taken)
{
	for (int i = 0; i < l->stacks.n; i++) {
		struct planned_stack *s = l->stacks.at[i];
		struct phys_node *n = planner_root(s->stack->in[0]);
		struct phys_node *over = s->stack->onto;
		bool may_lie = may_be_placed(p, l, n, taken) && !is_asked(p, l, n) &&
			       (!over || unit_may_overwrite(planner_writer(p, n), over, n));
		n = may_lie ? n : copied(p, l, s->stack->in[0]);
		s->line = n;
		s->over = over;
		if (over)
			unit_writes_over(planner_writer(p, n), over, n);
		taken[n->id] = true;
		reads(p, l->end, n);
	}
}

static struct planned_stack *stack_of(const struct planned_loop *l, const struct phys_node *line)
{
	for (int i = 0; i < l->stacks.n; i++)
		if (l->stacks.at[i]->line == line)
			return l->stacks.at[i];
	return NULL;
}

/* What is carried once more, a turn older: of the carry whose value it is. */
static struct planned_carry *newer(const struct planned_loop *l, const struct planned_carry *c)
{
	const struct phys_node *n = planner_root(c->end->in[1]);
	for (int i = 0; i < l->carries.n; i++)
		if (l->carries.at[i].carry == n && &l->carries.at[i] != c)
			return &l->carries.at[i];
	return NULL;
}

/* Of those that follow each other, the newest first: each gets the buffer of the one before, which is nobody's
 * otherwise. */
static void place_older(struct planned_loop *l)
{
	for (bool any = true; any;) {
		any = false;
		for (int i = 0; i < l->carries.n; i++) {
			struct planned_carry *c = &l->carries.at[i], *from = newer(l, c);
			bool moves = from && from->next && (from->way == CARRY_SWAP || from->way == CARRY_OLDER);
			if (c->next || !moves || from->older >= 0)
				continue;
			from->older = i;
			c->way = CARRY_OLDER;
			c->next = from->carry;
			any = true;
		}
	}
}

/* Whether n is `to` but for the lines that loops have added to it. */
static bool is_added_to(const struct phys_node *n, const struct phys_node *to)
{
	while (n->kind == PHYS_STACK && n->onto)
		n = n->onto->in[0];
	return n == to;
}

static void place_next(struct planner *p, struct planned_loop *l, struct planned_carry *c, bool *taken)
{
	struct phys_node *n = planner_root(c->end->in[1]);
	if (n == c->carry)
		return;
	if (is_added_to(n, c->carry)) {
		c->way = CARRY_IN_PLACE;
		c->next = n;
		reads(p, l->end, n);
		return;
	}
	c->stack = stack_of(l, n);
	if (!c->stack && carry_is_left(p, n, c->carry)) {
		c->way = CARRY_LEFT;
	} else if (c->stack) {
		c->way = CARRY_STACKED;
	} else {
		c->way = CARRY_SWAP;
		if (!may_be_placed(p, l, n, taken))
			n = copied(p, l, c->end->in[1]);
		taken[n->id] = true;
	}
	c->next = n;
	reads(p, l->end, n);
}

static void try_in_place(struct planner *p, struct planned_loop *l, struct planned_carry *c)
{
	if (!c->next || (c->way != CARRY_SWAP && c->way != CARRY_LEFT) || c->older >= 0)
		return;
	if (!is_asked(p, l, c->next) && carry_may_stay(p, l, c)) {
		c->way = CARRY_IN_PLACE;
	} else if (c->way == CARRY_LEFT) {
		c->way = CARRY_SWAP;
		c->next = copied(p, l, c->end->in[1]);
		reads(p, l->end, c->next);
	}
}

/* What a loop begins with: what it takes over, where all else that reads that can come first, or a copy. Edges before
 * those of what is carried and stacked. */
static void take_over(struct planner *p, struct planned_loop *l)
{
	for (int i = 0; i < l->carries.n; i++) {
		struct planned_carry *c = &l->carries.at[i];
		if (!c->takes_over)
			continue;
		c->takes_over = carry_takes_over(p, l, c);
		if (!c->takes_over) {
			c->home = copied(p, l->outer, c->home);
			unit_edge(p, p->maker[c->home->id], l->begin);
		}
		reads(p, l->begin, c->home);
		reads(p, l->end, c->home);
	}
}

/* What loops may take over they wait for, in whatever way they begin. */
static void wait_for_starts(struct planner *p)
{
	for (int i = 0; i < p->loops.n; i++)
		for (int k = 0; k < p->loops.at[i]->carries.n; k++) {
			const struct planned_carry *c = &p->loops.at[i]->carries.at[k];
			if (c->takes_over)
				unit_edge(p, p->maker[c->home->id], p->loops.at[i]->begin);
		}
}

/* Where the home of a carry is read by others, which are passes before, they come before the loop. */
static void read_before(struct planner *p, struct planned_loop *l)
{
	for (int i = 0; i < l->carries.n; i++) {
		const struct readers *readers = &p->readers[l->carries.at[i].home->id];
		for (int k = 0; k < readers->list.n && !l->carries.at[i].takes_over; k++) {
			struct unit *u = readers->list.at[k];
			if (u != l->begin && u != l->end && u->loop == l->outer && u->kind != UNIT_LOOP_END)
				unit_edge(p, u, l->begin);
		}
	}
}

void planner_place_loops(struct planner *p)
{
	if (!p->loops.n)
		return;
	int n = p->units.n;
	for (int i = 0; i < n; i++)
		if (p->units.at[i]->loop)
			hold_reads(p, p->units.at[i]);
	for (int i = 0; i < n; i++)
		if (p->units.at[i]->loop)
			enclose(p, p->units.at[i]);
	for (int i = 0; i < p->loops.n; i++) /* also of one in which nothing stands */
		unit_edge(p, p->loops.at[i]->begin, p->loops.at[i]->end);
	wait_for_starts(p);
	for (int i = 0; i < p->loops.n; i++)
		if (p->loops.at[i]->test)
			put_behind_test(p, p->loops.at[i]);
	for (int i = 0; i < p->loops.n; i++)
		take_over(p, p->loops.at[i]);
	bool *taken = ARENA_ARRAY(p->scratch, bool, 3 * p->graph->nodes.n + 16);
	for (int i = 0; i < p->loops.n; i++) {
		struct planned_loop *l = p->loops.at[i];
		place_stacks(p, l, taken);
		for (int k = 0; k < l->carries.n; k++)
			if (!newer(l, &l->carries.at[k]))
				place_next(p, l, &l->carries.at[k], taken);
		place_older(l);
		for (int k = 0; k < l->carries.n; k++)
			if (newer(l, &l->carries.at[k]) && l->carries.at[k].way != CARRY_OLDER)
				place_next(p, l, &l->carries.at[k], taken);
		read_before(p, l);
	}
	for (int i = p->loops.n - 1; i >= 0; i--) /* inner ones first */
		for (int k = 0; k < p->loops.at[i]->carries.n; k++)
			try_in_place(p, p->loops.at[i], &p->loops.at[i]->carries.at[k]);
}
