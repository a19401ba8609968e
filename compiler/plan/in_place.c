/* in_place.c — what is carried in place: the next value is written over it where all that reads it can come first. It
 * may be written line by line, by several maps one after the other (elements.c), and by loops in the turn, which begin
 * with it:
 *
 *   for i in 0..n { if y[i] > 0 { y[i] = … }  y[j] = … }      the arm takes over y, and leaves it where it was
 *
 * A loop takes over what the loop around it carries, what a loop before has left of that, or that with lines of it
 * written, if nobody reads it any more.
 *
 * Who can come first is asked of the edges between units, one measure for kernels, products, sorts, transfers and
 * loops, and each answer adds its edges before the next is asked for: so steps never wait for each other in a circle.
 */
#include "planner.h"

/* ---- what a loop takes over from the turn around it ---- */

struct planned_carry *planner_carry(const struct planner *p, const struct phys_node *n)
{
	struct planned_loop *l = planner_loop(p, n->of);
	for (int i = 0; i < l->carries.n; i++)
		if (l->carries.at[i].end == n || l->carries.at[i].carry == n)
			return &l->carries.at[i];
	return NULL;
}

static bool is_under_stages(const struct phys_loop *l)
{
	for (; l; l = l->outer)
		if (l->loop->stages)
			return true;
	return false;
}

/* Whether the condition of `around` depends on what stands in l, a loop directly in it: then l is done once more than
 * there are turns. Transfers may have to come before the condition. */
static bool is_asked_for(const struct planner *p, const struct phys_loop *around, const struct phys_loop *l)
{
	VEC(const struct phys_node *) todo = {0};
	bool *seen = ARENA_ARRAY(p->scratch, bool, p->graph->nodes.n);
	if (!around->condition)
		return false;
	if (p->region->asked_of[around->loop->id] >= 0)
		return true;
	vec_push(p->scratch, &todo, around->condition);
	while (todo.n) {
		const struct phys_node *n = todo.at[--todo.n];
		if (seen[n->id] || !phys_loop_is_in(n->loop, around))
			continue;
		if (phys_loop_is_in(n->loop, l) || n->of == l)
			return true;
		seen[n->id] = true;
		for (int k = 0; k < n->nin && n->of != around; k++)
			vec_push(p->scratch, &todo, n->in[k]);
		if (n->of && n->of != around && n->of->count)
			vec_push(p->scratch, &todo, n->of->count);
		if (n->of && n->of != around && n->of->condition)
			vec_push(p->scratch, &todo, n->of->condition);
	}
	return false;
}

/* Whether the value may lie in a line of a stack: what is carried is, or what a loop leaves that carries it there. */
static bool may_lie_in_stack(const struct planner *p, const struct phys_node *n)
{
	while (n->kind == PHYS_MAP && n->onto)
		n = n->onto;
	if (n->kind != PHYS_CARRY && n->kind != PHYS_END)
		return false;
	const struct phys_node *next = planner_root((n->kind == PHYS_CARRY ? n->end : n)->in[1]);
	for (struct phys_node *const *u = p->users[next->id]; *u; u++)
		if ((*u)->kind == PHYS_STACK || (*u)->kind == PHYS_VIEW)
			return true;
	return false;
}

bool carry_may_take_over(const struct planner *p, const struct phys_node *carry)
{
	const struct phys_node *start = carry->in[0];
	const struct phys_loop *around = carry->of->outer;
	bool is_carried = start->kind == PHYS_CARRY || start->kind == PHYS_END;
	bool has_lines = start->kind == PHYS_MAP && start->onto && p->stored[start->id];
	return around && start->loop == around && (is_carried || has_lines) &&
	       shape_volume(&start->shape) >= WORTH_A_COPY && !is_under_stages(around) && !may_lie_in_stack(p, start) &&
	       !is_asked_for(p, around, carry->of);
}

/* Whether n, or a view of it, is carried on or stacked by the turn, begins what another loop takes over, or is more to
 * the loop of the carry than what that begins with. */
static bool is_kept(const struct planner *p, const struct phys_node *n, const struct phys_node *carry)
{
	for (struct phys_node *const *at = p->users[n->id]; *at; at++) {
		const struct phys_node *u = *at;
		bool is_own = u == carry || (u->kind == PHYS_END && u->in[0] == n && u->in[1] != n);
		bool enters = u->kind == PHYS_CARRY || u->kind == PHYS_LINE || u->kind == PHYS_TURN;
		if (is_own)
			continue;
		if (u->kind == PHYS_END || u->kind == PHYS_STACK || (enters && u->of == carry->of) ||
		    (u->kind == PHYS_CARRY && planner_carry(p, u)->takes_over) ||
		    (u->kind == PHYS_VIEW && is_kept(p, u, carry)))
			return true;
	}
	return false;
}

bool carry_takes_over(struct planner *p, const struct planned_loop *l, const struct planned_carry *c)
{
	const struct readers *readers = &p->readers[c->home->id];
	if (is_kept(p, c->home, c->carry))
		return false;
	unit_reaches(p, l->begin, NULL); /* marks what the loop, or what waits for it, is */
	for (int i = 0; i < readers->list.n; i++)
		if (readers->list.at[i]->seen == p->search)
			return false;
	for (int i = 0; i < readers->list.n; i++)
		unit_edge(p, readers->list.at[i], l->begin);
	return true;
}

/* Where n, which a loop leaves, was when that loop began, if it took that over; NULL: somewhere else. */
static struct phys_node *taken_over(const struct planner *p, const struct phys_node *n)
{
	const struct planned_carry *c = n->kind == PHYS_END ? planner_carry(p, n) : NULL;
	return c && c->takes_over ? c->home : NULL;
}

bool carry_is_left(const struct planner *p, const struct phys_node *n, const struct phys_node *carry)
{
	const struct phys_node *at = taken_over(p, n);
	while (at && at != carry)
		at = at->kind == PHYS_MAP ? at->onto : taken_over(p, at);
	return at != NULL;
}

/* ---- what comes next ---- */

/* Values of a turn, the last first, and what each is written over. */
struct written {
	VEC(struct phys_node *) fresh, old;
	VEC(struct phys_node *) left; /* by loops in the turn */
};

/* Whether u, which makes fresh of old, can come behind all others that read old, which then do. Not if a later pass of
 * a turn reads the old value: passes keep their order. */
static bool comes_last(struct planner *p, const struct planned_loop *l, struct unit *u, const struct phys_node *old,
		       const struct phys_node *fresh)
{
	const struct readers *readers = &p->readers[old->id];
	if (!unit_may_overwrite(u, old, fresh))
		return false;
	for (int i = 0; i < readers->list.n; i++) {
		struct unit *reader = readers->list.at[i];
		bool later =
			l->phys->loop->stages && reader->node && planner_segment(reader->node) > planner_segment(fresh);
		if (reader != u && (later || unit_reaches(p, u, reader)))
			return false;
	}
	for (int i = 0; i < readers->list.n; i++)
		unit_edge(p, readers->list.at[i], u);
	return true;
}

struct phys_node *planner_written_over(const struct planner *p, const struct phys_node *n, struct phys_node *carry)
{
	struct phys_node *before = carry_is_left(p, n, carry) ? taken_over(p, n) : NULL;
	return before ? before : n->kind == PHYS_MAP && n->onto ? n->onto : carry;
}

static void note_written(struct planner *p, struct written *w, struct phys_node *fresh, struct phys_node *old)
{
	vec_push(p->scratch, &w->fresh, fresh);
	vec_push(p->scratch, &w->old, old);
}

/* What loops in the turn leave where the carried value was, which they took over, in place. False if one of them moved
 * it: then other values may lie there. */
static bool find_left(struct planner *p, const struct planned_loop *l, const struct phys_node *carry, struct written *w)
{
	for (int i = 0; i < p->loops.n; i++)
		for (int k = 0; k < p->loops.at[i]->carries.n && p->loops.at[i]->outer == l; k++) {
			const struct planned_carry *c = &p->loops.at[i]->carries.at[k];
			if (!carry_is_left(p, c->end, carry))
				continue;
			if (c->next && c->way != CARRY_IN_PLACE)
				return false;
			vec_push(p->scratch, &w->left, c->end);
		}
	return true;
}

/* From the carried value to the next: loops that took it over and leave it in place, and maps, each written over what
 * it was before. False if one cannot be. */
static bool find_ways(struct planner *p, const struct planned_loop *l, const struct planned_carry *c, struct written *w)
{
	if (!find_left(p, l, c->carry, w))
		return false;
	for (struct phys_node *n = c->next; n != c->carry;) {
		struct phys_node *old = planner_written_over(p, n, c->carry);
		bool is_left = carry_is_left(p, n, c->carry);
		if (!is_left)
			note_written(p, w, n, old);
		for (int i = 0; i < w->left.n && !is_left && !n->onto; i++)
			note_written(p, w, n, w->left.at[i]);
		n = old;
	}
	return true;
}

bool carry_may_stay(struct planner *p, const struct planned_loop *l, const struct planned_carry *c)
{
	struct written w = {0};
	if (!find_ways(p, l, c, &w))
		return false;
	for (int i = w.fresh.n - 1; i >= 0; i--) {
		struct unit *u = planner_writer(p, w.fresh.at[i]);
		if (!u || !comes_last(p, l, u, w.old.at[i], w.fresh.at[i]))
			return false;
	}
	for (int i = w.fresh.n - 1; i >= 0; i--)
		unit_writes_over(planner_writer(p, w.fresh.at[i]), w.old.at[i], w.fresh.at[i]);
	return true;
}
