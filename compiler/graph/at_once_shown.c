/* at_once_shown.c — what turns show (print, log, assert), line by line: behind the turns of all lines stand loops that
 * make those of one line after the other once more, and read what was kept.
 *
 *   loop 0 over lines { loop 1 { %4 shown } }     loop 1 { %4, of all lines }   %5 = stack(%4) of 1
 *                                                 loop 2 over lines { loop 3, as often as the line made loop 1 {
 *                                                         %6 = line(%5) of 3    %7 = %6[turn of loop 2], shown } }
 */
#include "at_once_lines.h"

/* Whether l turns for all lines in a loop inside that does so too. */
static bool is_deep(struct at_once *a, const struct loop *l)
{
	for (l = l->outer; l != a->loop; l = l->outer)
		if (at_once_inner(a, l)->now)
			return true;
	return false;
}

bool at_once_may_show(struct at_once *a, const struct loop *l, struct one_by_one *why)
{
	for (; l != a->loop; l = l->outer) {
		const struct inner *in = at_once_inner(a, l);
		*why = (struct one_by_one){"something is shown in this loop, which reads lines from their end",
					   l->span};
		if (in->is_late)
			return false;
		*why = (struct one_by_one){"something is shown in a loop of any number of turns, within another loop, "
					   "and not in a `for` with a `break`",
					   l->span};
		if (in->now && l->turns < 0 && l->most < 0 && is_deep(a, l))
			return false;
	}
	return true;
}

/* x, where l was, in the loop that makes l's turns once more for a line: kept turn by turn on the way out. */
static struct node *once_more(struct at_once *a, struct node *x, const struct loop *l)
{
	struct node_site at = node_site_of(x);
	if (l == a->loop)
		return x;
	const struct inner *in = at_once_inner(a, l);
	if (!in->now || !loop_is_in(x->loop, in->now))
		return once_more(a, x, l->outer);
	x = once_more(a, graph_stack(a->g, &at, in->now, x, false), l->outer);
	return graph_line(a->g, &at, in->again, 1, &x, 0, 1, false);
}

/* The same of the line, if x has lines in front. */
static struct node *of_line(struct at_once *a, struct node *x, bool has_lines, const struct loop *l, struct loop *lines)
{
	struct node_site at = node_site_of(x);
	struct node *y = once_more(a, x, l);
	if (!has_lines)
		return y;
	return y == x ? graph_line(a->g, &at, lines, 1, &x, 0, 1, false)
		      : graph_line_at(a->g, &at, y, graph_turn(a->g, &at, lines));
}

struct loop *at_once_again(struct at_once *a, struct loop *l, struct loop *lines)
{
	struct inner *in = at_once_inner(a, l);
	if (l == a->loop)
		return lines;
	if (in->again)
		return in->again;
	struct loop *outer = at_once_again(a, l->outer, lines);
	in->again = graph_loop(a->g, outer, l->turns, l->span);
	in->again->most = l->most;
	in->again->is_branch = l->is_branch;
	if (l->turns >= 0)
		return in->again;
	bool has_lines;
	struct node *made = at_once_made(a, l, &has_lines);
	in->again->count = of_line(a, has_lines ? at_once_whole(a, made, in->now) : made, has_lines, l->outer, lines);
	return in->again;
}

struct node *at_once_shown(struct at_once *a, struct node *n, struct loop *l, struct loop *lines)
{
	struct layout_spec whole = {.form = LAYOUT_GIVEN, .layout = layout_broadcast()};
	struct node_site site = node_site_of(n);
	struct node *x = at_once_lines(a, n);
	bool has_lines = x != NULL;
	at_once_again(a, l, lines);
	if (!has_lines)
		x = at_once_same(a, n);
	else if (x->place && n->kind == NODE_CONTRACT)
		x = graph_contract(a->g, &site, x, x->place, &whole, n->target->what, n->target->where);
	return of_line(a, x, has_lines, l, lines);
}
