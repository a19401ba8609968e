/* leave.c — return, break, continue.
 *
 * Where the running program decides whether a `return` is reached, it sets two variables of the function
 * (HIDDEN_LEFT, HIDDEN_GIVEN), leaves the loop that it stands in, and all that follows is a branch. In graphs loops do
 * so themselves (loops/leave.c); here is what the host does. */
#include "statements.h"
#include "../values/values.h"

/* ---- loops ---- */

/* In a loop that is walked turn by turn, what is reached for sure ends the walk; all else is left to the host. */
static void host_leave_loop(struct elab *e, bool breaks, struct span at)
{
	const struct loop_walk *l = e->frame->loop;
	region_close(e);
	if (!l->host && breaks)
		host_set(e, l->done, host_of(e, &value_bool(e, true)->host), at);
	host_emit(e, breaks || !l->host ? HOST_BREAK : HOST_CONTINUE, at);
}

void stmt_leave(struct elab *e, const struct stmt *s)
{
	struct loop_walk *l = e->frame->loop;
	bool breaks = s->kind == STMT_BREAK;
	e->frame->left = true;
	if (l->graph) {
		graph_loop_leave(e, breaks);
		return;
	}
	if (graph_loop_wanted(e) && e->frame->runtime_depth != l->depth) {
		l->unknown = true;
		return;
	}
	if (!l->host && l->done < 0) {
		BUG_IF(e->frame->runtime_depth != l->depth, "a loop that is walked is left at run time");
		l->ends = breaks;
		return;
	}
	host_leave_loop(e, breaks, s->span);
}

/* ---- functions ---- */

/* Whether what a variable of the running program holds can become v. */
static bool takes(struct elab *e, const struct value *old, const struct value *v)
{
	bool scalar = value_is_tensor(v) && !tensor_shape(e, v)->rank;
	if (value_is_tensor(old)) {
		const struct place *was = tensor_place(e, old), *is = value_is_tensor(v) ? tensor_place(e, v) : NULL;
		if (v->kind == VALUE_HOST)
			return !tensor_shape(e, old)->rank && value_is_number(v);
		return tensor_dtype(e, old) == tensor_dtype(e, v) &&
		       shape_equal(tensor_shape(e, old), tensor_shape(e, v)) && (!is || place_same_mesh(was, is));
	}
	if (v->kind == VALUE_HOST)
		return old->host.type == v->host.type || (old->host.type == HOST_FLOAT && v->host.type == HOST_INT);
	switch (old->host.type) {
	case HOST_BOOL:
		return scalar && tensor_dtype(e, v) == DT_BOOL;
	case HOST_INT:
		return scalar && dtype_is_int(tensor_dtype(e, v));
	case HOST_FLOAT:
		return scalar && dtype_is_float(tensor_dtype(e, v));
	case HOST_VOID:
	case HOST_TEXT:
	case HOST_KEY:
	case HOST_HANDLE:
		break;
	}
	return false;
}

static bool fits(struct elab *e, const struct value *old, const struct value *v, struct span at)
{
	struct parts was = {0}, is = {0};
	bool alike = parts_alike(old, v), all = alike || (old->kind == VALUE_HOST && v->kind == VALUE_HOST);
	parts_collect(e, old, &was);
	parts_collect(e, alike ? parts_in_form(e, old, v, at) : v, &is);
	for (int i = 0; all && i < was.at.n; i++)
		all = takes(e, was.at.at[i], is.at.at[i]);
	return all;
}

/* The first value that is given says what the variables are. */
static void host_give(struct elab *e, const struct value *v, struct span at)
{
	struct binding *given = env_hidden(e, HIDDEN_GIVEN);
	bool changes = v->kind == VALUE_HOST || value_is_tensor(v) || value_is_composed(v);
	if (value_failed(given->value))
		return;
	if (given->value == &value_nothing) {
		given->value = parts_now(e, v, at);
		given->span = at;
		if (changes)
			demote(e, given->name, at);
	} else if (!fits(e, given->value, v, at)) {
		return_differs(e, value_describe(e, given->value), value_describe(e, v), at);
		given->kind = BIND_VAR;
		given->value = &value_error;
	} else if (changes) {
		binding_assign(e, given, v, at);
	}
}

static void host_return(struct elab *e, const struct value *v, struct span at)
{
	const struct loop_walk *l = e->frame->loop;
	const struct value *left = env_hidden(e, HIDDEN_LEFT)->value;
	if (v != &value_nothing)
		host_give(e, v, at);
	host_set(e, left->host.expr->index, host_of(e, &value_bool(e, true)->host), at);
	if (l && (l->host || l->done >= 0))
		host_leave_loop(e, true, at);
}

void stmt_return(struct elab *e, const struct stmt *s)
{
	struct frame *f = e->frame;
	const struct value *v = s->value ? open_eval(e, s->value) : &value_nothing;
	f->returned = true;
	f->gave_nothing |= f->runtime_depth && v == &value_nothing;
	if (!f->runtime_depth)
		f->result = v;
	else if (value_failed(v))
		env_hidden(e, HIDDEN_GIVEN)->value = v;
	else if (graph_loop_wanted(e))
		graph_return(e, v, s->value ? s->value->span : s->span);
	else
		host_return(e, v, s->value ? s->value->span : s->span);
}

/* ---- what follows ---- */

void host_block(struct elab *e, const struct arm_body *body, struct host_stmt **to)
{
	struct host_stmt **outer = host_enter(e, to);
	e->frame->runtime_depth++;
	arm_walk(e, body);
	region_close(e);
	e->frame->runtime_depth--;
	e->frame->left = false; /* what follows is reached on other ways */
	host_leave(e, outer);
}

/* The host's variable that says whether the function has been left; NULL: that is known, or a graph's. */
static struct host_expr *host_left(struct elab *e)
{
	const struct binding *left = env_hidden(e, HIDDEN_LEFT);
	return left && left->kind == BIND_HOST && !graph_loop_wanted(e) ? left->value->host.expr : NULL;
}

bool unless_left(struct elab *e, const struct arm_body *body, struct span at)
{
	struct host_expr *left = host_left(e);
	if (graph_unless_left(e, body, at))
		return true;
	if (!left)
		return false;
	demote_assigned(e, body->statements);
	region_close(e);
	struct host_stmt *h = host_emit(e, HOST_IF, at);
	h->expr = host_apply(e, HOST_NOT_OP, HOST_BOOL, left, NULL, at);
	host_block(e, body, &h->body);
	return true;
}

/* Behind a loop in a loop of the host: the outer one is left, too. Branches in it have left it themselves. */
static void leave_outer(struct elab *e, const struct stmt *s)
{
	struct host_expr *left = host_left(e);
	if (!left || (s->kind != STMT_FOR && s->kind != STMT_WHILE))
		return;
	region_close(e);
	struct host_stmt *h = host_emit(e, HOST_IF, s->span);
	h->expr = left;
	struct host_stmt **outer = host_enter(e, &h->body);
	host_leave_loop(e, true, s->span);
	host_leave(e, outer);
}

bool rest_walked(struct elab *e, const struct stmt *s)
{
	const struct loop_walk *l = e->frame ? e->frame->loop : NULL;
	if (!l || !(l->host || l->done >= 0)) {
		struct arm_body rest = {.statements = s->next};
		return s->next && !e->frame->returned && !e->frame->left && stmt_may_end_block(s) &&
		       unless_left(e, &rest, s->next->span);
	}
	if (stmt_may_return(s->body))
		leave_outer(e, s);
	return false;
}
