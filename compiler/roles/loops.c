/* loops.c — a role's part of loops: their entries and exits, with what its ranks ask for the number of turns. */
#include "localiser.h"

bool phys_loop_is_in(const struct phys_loop *inner, const struct phys_loop *outer)
{
	while (inner != outer && inner)
		inner = inner->outer;
	return inner == outer;
}

/* What the role's ranks ask for the number of turns, or before each: that of one of the placements they are on. NULL:
 * it is known, or has not come yet. */
static struct phys_node *asked(const struct localiser *l, const struct node *first, const struct loop *loop)
{
	struct phys_node *x = first ? l->of[first->id] : NULL;
	for (int i = 0; first && !x && i < loop->elsewhere.n; i++)
		x = l->of[loop->elsewhere.at[i]->id];
	return x;
}

/* Its count is there, since it comes before what stands in the loop. */
struct phys_loop *localiser_loop(struct localiser *l, const struct loop *loop)
{
	if (!loop || l->loop[loop->id])
		return loop ? l->loop[loop->id] : NULL;
	struct phys_loop *x = l->loop[loop->id] = ARENA_NEW(l->arena, struct phys_loop);
	x->outer = localiser_loop(l, loop->outer);
	x->loop = loop;
	x->id = l->out->loops.n;
	x->count = asked(l, loop->count, loop);
	BUG_IF(loop->count && !x->count, "loop %d: its count is not where it is needed", loop->id);
	vec_push(l->arena, &l->out->loops, x);
	return x;
}

/* An entry or exit. */
static struct phys_node *border(struct localiser *l, const struct node *n, enum phys_kind kind)
{
	struct phys_node *x = localiser_add(l, kind, n);
	localiser_set_inputs(l, x, n);
	if (kind == PHYS_END)
		x->in[0]->end = x;
	return x;
}

/* What no turn changes is its start. */
static bool is_constant(const struct localiser *l, const struct node *carry)
{
	const struct node *end = l->end[carry->id];
	return end && end->in[1] == carry;
}

void localiser_find_conditions(struct localiser *l)
{
	for (int i = 0; i < l->out->loops.n; i++) {
		struct phys_loop *x = l->out->loops.at[i];
		x->condition = asked(l, x->loop->condition, x->loop);
		BUG_IF(x->loop->condition && !x->condition, "loop %d: its condition is not where it is asked",
		       x->loop->id);
	}
}

struct phys_node *localiser_border(struct localiser *l, const struct node *n)
{
	static const enum phys_kind kind[] = {[NODE_TURN] = PHYS_TURN,
					      [NODE_CARRY] = PHYS_CARRY,
					      [NODE_LINE] = PHYS_LINE,
					      [NODE_END] = PHYS_END,
					      [NODE_STACK] = PHYS_STACK};
	const struct node *carry = n->kind == NODE_CARRY ? n : n->kind == NODE_END ? n->in[0] : NULL;
	return carry && is_constant(l, carry) ? localiser_view(l, n, l->of[carry->in[0]->id])
					      : border(l, n, kind[n->kind]);
}
