/* at_once_turns.c — see at_once_lines.h. Which nodes differ from line to line follows from what they read, but for what
 * is carried, which is asked for first: it may begin as the same for all.
 *
 * Of a loop that line i makes c[i] times all lines together make C turns, C the most of them. A line is in the first
 * c[i] of them, or, where the loop reads from the end, as the reverse of another does, in the last: then what is read
 * at one place by all lines in a turn is what each of them would read in its own. */
#include "at_once_lines.h"

static bool is_in_turn(const struct at_once *a, const struct loop *l)
{
	return loop_is_in(l, a->loop) && l != a->loop;
}

bool at_once_is_inside(const struct at_once *a, const struct node *x)
{
	return loop_is_in(x->loop, a->loop);
}

struct inner *at_once_inner(const struct at_once *a, const struct loop *l)
{
	return l ? map_get(&a->inner, l) : NULL;
}

bool at_once_varies(const struct at_once *a, const struct node *x)
{
	return at_once_is_inside(a, x) && x->id >= a->from && a->varies[x->id - a->from];
}

static bool is_taken_or_not(const struct at_once *a, const struct loop *l)
{
	return l->is_branch && at_once_turns_vary(a, l);
}

/* In a branch that not all lines take, but that is computed for all. */
static bool is_for_some(const struct at_once *a, const struct loop *l)
{
	for (; l && l != a->loop; l = l->outer)
		if (is_taken_or_not(a, l))
			return true;
	return false;
}

bool at_once_turns_vary(const struct at_once *a, const struct loop *l)
{
	if (!is_in_turn(a, l))
		return false;
	if (l->count)
		return at_once_varies(a, l->count);
	return l->condition && (at_once_varies(a, l->condition) || is_for_some(a, l->outer));
}

/* What is stacked is for who is in the turn too, as its reverse is: what there is of other lines does not matter, if
 * nobody looks at turns that are not made. */
static bool stacks_as_it_is(const struct node *n)
{
	return n->kind == NODE_STACK && (n->of->is_branch || n->of->most < 0);
}

static bool finds_varying(const struct at_once *a, struct node *n)
{
	const struct inner *in = at_once_inner(a, n->of);
	if (n->of == a->loop || at_once_varies(a, n))
		return true;
	if (n->kind == NODE_CHECK && is_for_some(a, n->loop))
		return true;
	bool unequal = n->of && at_once_turns_vary(a, n->of);
	bool any = unequal && (n->kind == NODE_TURN ? in->is_late : node_is_exit(n) && !stacks_as_it_is(n));
	for (int i = 0; i < n->nin && !any; i++)
		any = at_once_varies(a, n->in[i]);
	return any;
}

/* Whether n is what the next turn begins with. A branch that lines take or not makes no second one. */
static bool hands_on(const struct at_once *a, const struct node *n)
{
	return n->kind == NODE_END && !is_taken_or_not(a, n->of);
}

/* Whether the lines of x lie C - c[i] places behind where line i alone would have put them. */
static bool lies_behind(const struct at_once *a, const struct node *x)
{
	const struct inner *in = x->kind == NODE_STACK ? at_once_inner(a, x->of) : NULL;
	return in && !x->of->is_branch && at_once_turns_vary(a, x->of) && in->is_late != x->line.back;
}

/* The number of turns is the same, if it is counted. */
static bool counts_agree(const struct loop *x, const struct loop *y)
{
	const struct node *n = x->count, *m = y->count;
	while (n && node_is_identity(n))
		n = n->in[0];
	while (m && node_is_identity(m))
		m = m->in[0];
	return n && n == m;
}

/* What n, a LINE, reads in a turn of all lines is what each line reads in its own, if lines are late or not. */
static bool reads_well(const struct at_once *a, const struct node *n, bool is_late)
{
	bool behind = n->nin == 1 && lies_behind(a, n->in[0]);
	if (behind && !counts_agree(n->of, n->in[0]->of))
		return false;
	return behind == n->line.back + (is_late ? n->line.step : 0);
}

static bool find_late(struct at_once *a)
{
	bool changed = false;
	for (int i = a->from; i < a->end; i++) {
		const struct node *n = a->g->nodes.at[i];
		struct inner *in = n->kind == NODE_LINE ? at_once_inner(a, n->of) : NULL;
		bool late = in && at_once_turns_vary(a, n->of) && n->of->count && reads_well(a, n, true);
		changed |= late && !in->is_late;
		if (late)
			in->is_late = true;
	}
	return changed;
}

void at_once_find_varying(struct at_once *a)
{
	for (int i = a->loop->id + 1; i < a->g->loops.n; i++)
		if (is_in_turn(a, a->g->loops.at[i]))
			map_set(&a->inner, a->g->loops.at[i], ARENA_NEW(a->g->arena, struct inner));
	a->varies = ARENA_ARRAY(a->g->arena, bool, a->end - a->from + 1);
	for (bool changed = true; changed;) {
		changed = find_late(a);
		for (int i = a->from; i < a->end; i++) {
			struct node *n = a->g->nodes.at[i];
			bool is = at_once_is_inside(a, n) && finds_varying(a, n);
			changed |= is && !a->varies[i - a->from];
			a->varies[i - a->from] |= is;
			if (is && hands_on(a, n) && n->in[0]->id >= a->from && !a->varies[n->in[0]->id - a->from])
				a->varies[n->in[0]->id - a->from] = changed = true;
		}
	}
}

/* Of a loop of unequal numbers of turns: an entry or exit that all lines cannot have together; NULL: none. */
static const struct node *find_apart(const struct at_once *a, const struct loop *l)
{
	const struct inner *in = at_once_inner(a, l);
	for (int i = a->from; i < a->end; i++) {
		const struct node *n = a->g->nodes.at[i];
		if (n->of != l)
			continue;
		if (n->kind == NODE_LINE && !reads_well(a, n, in->is_late))
			return n;
		if (n->kind == NODE_STACK && l->most >= 0 && lies_behind(a, n))
			return n;
	}
	return NULL;
}

bool at_once_loops_may_stay(struct at_once *a, struct one_by_one *why)
{
	for (int i = a->loop->id + 1; i < a->g->loops.n; i++) {
		const struct loop *l = a->g->loops.at[i];
		if (!is_in_turn(a, l))
			continue;
		*why = (struct one_by_one){"these are micro-batches", l->span};
		if (l->batch)
			return false;
		*why = (struct one_by_one){"not all lines make as many turns of this loop, and it reads from both ends",
					   l->span};
		if (!l->is_branch && at_once_turns_vary(a, l) && find_apart(a, l))
			return false;
	}
	return true;
}
