/* written.c — what statements do that is seen without walking them. */
#include "elab.h"

const struct expr *assigned_root(const struct expr *target)
{
	while (target->kind == EXPR_INDEX || target->kind == EXPR_FIELD)
		target = target->kind == EXPR_INDEX ? target->callee : target->object;
	return target;
}

/* Whether the statements may leave the loop that they are the body of: anywhere (branch true), or in a branch, of which
 * only the running program may know whether it is taken; so is what follows one that returns. */
static bool may_leave(const struct stmt *first, bool breaks_only, bool branch)
{
	for (const struct stmt *s = first; s; s = s->next) {
		bool leaves = s->kind == STMT_BREAK || (s->kind == STMT_CONTINUE && !breaks_only);
		bool is_branch = s->kind == STMT_IF || s->kind == STMT_EVERY,
		     is_loop = s->kind == STMT_FOR || s->kind == STMT_WHILE;
		if ((leaves && branch) || (!is_loop && may_leave(s->body, breaks_only, branch || is_branch)) ||
		    may_leave(s->other, breaks_only, true))
			return true;
		branch |= stmt_may_return(s->body) || stmt_may_return(s->other);
	}
	return false;
}

bool stmt_may_leave(const struct stmt *first, bool anywhere)
{
	return may_leave(first, false, anywhere);
}

bool stmt_may_break(const struct stmt *first)
{
	return may_leave(first, true, true);
}

bool stmt_may_return(const struct stmt *first)
{
	for (const struct stmt *s = first; s; s = s->next)
		if (s->kind == STMT_RETURN || stmt_may_return(s->body) || stmt_may_return(s->other))
			return true;
	return false;
}

bool stmt_returns_inside(const struct stmt *first)
{
	for (const struct stmt *s = first; s; s = s->next)
		if (s->kind != STMT_RETURN && (stmt_may_return(s->body) || stmt_may_return(s->other)))
			return true;
	return false;
}

bool stmt_may_end_block(const struct stmt *s)
{
	bool is_loop = s->kind == STMT_FOR || s->kind == STMT_WHILE;
	return stmt_may_return(s->body) || stmt_may_return(s->other) ||
	       (!is_loop && (may_leave(s->body, false, true) || may_leave(s->other, false, true)));
}
