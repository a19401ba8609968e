/* leave.c — `break`, `continue` and `return` where the running program decides whether they are reached.
 *
 * A loop has two carried bools: whether more turns follow, and whether the rest of this one is left out. A function has
 * one, whether it has been left, and what it gives then. They are variables like others, so branches and loops hand
 * them on; what stands behind a statement that may leave the turn or the function is a branch. */
#include "loops.h"
#include "../operators/operators.h"

#include <string.h>

static void set(struct elab *e, const char *name, const struct value *v)
{
	struct binding *b = env_hidden(e, name);
	if (b)
		b->value = v;
}

void graph_loop_leave(struct elab *e, bool breaks)
{
	set(e, IS_LEFT, value_bool(e, true));
	if (breaks)
		set(e, GOES_ON, value_bool(e, false));
}

void graph_return(struct elab *e, const struct value *v, struct span at)
{
	struct binding *left = env_hidden(e, HIDDEN_LEFT), *given = env_hidden(e, HIDDEN_GIVEN);
	if (left->kind != BIND_VAR) { /* a loop that was tried to be one of the graph */
		elab_error(e, PML0411, at, "the host decides elsewhere whether the function is left");
		return;
	}
	left->value = value_bool(e, true);
	given->value = v == &value_nothing ? v : parts_now(e, v, at);
	given->span = at;
	graph_loop_leave(e, true);
}

void return_differs(struct elab *e, const char *was, const char *is, struct span at)
{
	const char *other = strcmp(was, is) ? was : "one of another form";
	struct diag *d =
		elab_error(e, PML0503, at, "`%s` gives %s here and %s elsewhere", e->frame->item->name.text, is, other);
	diag_note(d, "the running program decides where it returns, so all of it has one type, shape and placement");
}

void graph_loop_left(struct elab *e, struct span at)
{
	const struct value *left = env_hidden(e, HIDDEN_LEFT)->value;
	struct binding *turn = env_hidden(e, IS_LEFT), *goes_on = env_hidden(e, GOES_ON);
	if (!turn || !value_is_of_graph(left))
		return;
	const struct value *stays = unary_apply(e, UN_NOT, left, at);
	turn->value = binary_apply(e, BIN_OR, turn->value, left, at, at, at);
	goes_on->value = binary_apply(e, BIN_AND, goes_on->value, stays, at, at, at);
}

void graph_leave_flags(struct elab *e, struct carried_set *carried, const struct stmt *leaves)
{
	bool returns = leaves->kind == STMT_RETURN;
	if (returns) {
		carried_add(e, carried, intern(e->s->names, HIDDEN_LEFT), leaves->span);
		carried_add(e, carried, intern(e->s->names, HIDDEN_GIVEN), leaves->span);
	}
	carried_add(e, carried, intern(e->s->names, IS_LEFT), leaves->span);
	if (returns || leaves->kind == STMT_BREAK)
		carried_add(e, carried, intern(e->s->names, GOES_ON), leaves->span);
}

bool graph_unless_left(struct elab *e, const struct arm_body *body, struct span at)
{
	const struct loop_walk *l = e->frame ? e->frame->loop : NULL;
	const struct binding *left = env_hidden(e, l && l->graph ? IS_LEFT : HIDDEN_LEFT);
	if (!left || !value_is_of_graph(left->value))
		return false;
	graph_unless(e, left->value, body, at);
	return true;
}
