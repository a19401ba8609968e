/* at_once_value.c — what a node of a turn has become (at_once_lines.h): where its lines are, and the same with them
 * elsewhere. */
#include "at_once_lines.h"

struct lined *at_once_lined(struct at_once *a, struct node *x)
{
	struct lined *l = map_get(&a->lined, x);
	if (l)
		return l;
	l = ARENA_NEW(a->g->arena, struct lined);
	*l = (struct lined){.x = x, .at = SAME};
	BUG_IF(at_once_is_inside(a, x), "a node of a turn that is read before it is made");
	map_set(&a->lined, x, l);
	return l;
}

void at_once_become(struct at_once *a, struct node *n, struct node *x, int at)
{
	struct lined *l = ARENA_NEW(a->g->arena, struct lined);
	*l = (struct lined){.x = x, .at = at};
	map_set(&a->lined, n, l);
}

struct loop *at_once_loop_now(const struct at_once *a, struct loop *l)
{
	if (!l || !loop_is_in(l, a->loop))
		return l;
	const struct inner *in = at_once_inner(a, l);
	return in && in->now ? in->now : at_once_loop_now(a, l->outer);
}

const struct remat *at_once_block(struct at_once *a, const struct remat *r)
{
	if (!r || r == a->remat)
		return r;
	struct loop *in = at_once_loop_now(a, r->in);
	if (r->in && !in)
		return at_once_block(a, r->outer);
	struct remat *now = map_get(&a->blocks, r);
	if (now)
		return now;
	now = ARENA_NEW(a->g->arena, struct remat);
	*now = (struct remat){.outer = at_once_block(a, r->outer), .in = in};
	map_set(&a->blocks, r, now);
	return now;
}

struct node *at_once_mapped(struct at_once *a, const struct node_site *at, const struct rule *r, struct node *const *in,
			    const bool *lines)
{
	struct rule_turn turn[MAX_OPERANDS];
	for (int i = 0; i < r->noperands; i++)
		turn[i] = (struct rule_turn){lines[i] ? TURN_LINE : TURN_SAME, a->n, 0, 1};
	const struct rule *all = rule_over_turns(a->g->arena, r, a->n, turn, false);
	return all ? graph_map(a->g, at, all, in) : NULL;
}

static struct node *turned(struct at_once *a, struct node *x, int from, int to)
{
	struct node_site at = node_site_of(x);
	return graph_turned(a->g, &at, x, from, to);
}

struct node *at_once_in_front(struct at_once *a, struct lined *l)
{
	if (l->at <= 0)
		return l->x;
	if (node_is_tape(l->x))
		return NULL;
	l->second = l->at == 1 ? l->x : l->second;
	l->x = turned(a, l->x, l->at, 0);
	l->at = 0;
	return l->x;
}

struct node *at_once_behind(struct at_once *a, struct lined *l, int *at)
{
	*at = l->at;
	if (l->at > 0)
		return l->x;
	*at = 1;
	if (!l->second)
		l->second = turned(a, l->x, 0, 1);
	return l->second;
}

struct node *at_once_repeat(struct at_once *a, struct node *x)
{
	struct node_site at = node_site_of(x);
	return x->shape.rank < MAX_RANK ? graph_repeated(a->g, &at, x, a->n) : NULL;
}

struct node *at_once_with_lines(struct at_once *a, struct node *n)
{
	struct lined *l = at_once_lined(a, n);
	return l->at == SAME ? at_once_repeat(a, l->x) : at_once_in_front(a, l);
}

struct node *at_once_chosen(struct at_once *a, const struct node_site *at, struct node *mask, struct node *x,
			    bool x_has_lines, struct node *y, bool y_has_lines)
{
	struct node *in[] = {mask, x, y};
	const bool lines[] = {true, x_has_lines, y_has_lines};
	if (!mask || !x || !y || node_is_tape(x))
		return NULL;
	const struct place *p = nodes_place(3, in);
	for (int i = 0; i < 3; i++)
		if (in[i]->place && in[i]->place != p)
			return NULL;
	struct shape s = y_has_lines ? shape_of_line(&y->shape) : y->shape;
	struct rule r = rule_over_shape("chosen", x->dtype, &s);
	struct access operand[] = {{.type = mask->dtype}, r.out, r.out};
	r.noperands = 3;
	r.operand = operand;
	r.body = scalar_apply(a->g->arena, SC_WHERE, x->dtype, scalar_operand(a->g->arena, DT_BOOL, 0),
			      scalar_operand(a->g->arena, x->dtype, 1), scalar_operand(a->g->arena, x->dtype, 2));
	return at_once_mapped(a, at, &r, in, lines);
}

struct node *at_once_chosen_in(struct at_once *a, const struct node_site *at, struct loop *l, struct node *x,
			       struct node *y)
{
	struct lined *lines[] = {at_once_lined(a, x), at_once_lined(a, y)};
	struct node *mask = at_once_active(a, l),
		    *in[] = {at_once_in_front(a, lines[0]), at_once_in_front(a, lines[1])};
	return at_once_chosen(a, at, mask, in[0], lines[0]->at == 0, in[1], lines[1]->at == 0);
}
