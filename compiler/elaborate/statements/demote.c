/* demote.c — variables that a branch or loop of the host assigns: what they hold behind it is not known, so they become
 * variables of the running program, numbers as host variables and tensors as slots. */
#include "statements.h"
#include "../values/values.h"
#include "visit.h"

/* A part as a variable of the running program. */
static const struct value *demote_part(struct elab *e, const struct value *v, const char *name, struct span at)
{
	if (value_is_tensor(v)) {
		struct value *p = value_new(e, VALUE_PARAM);
		p->slot = tensor_keep(e, v, name, at);
		return p;
	}
	int var = host_new_var(e, name, v->host.type);
	host_set(e, var, host_of(e, &v->host), at);
	vec_push(e->a, &e->code->assigned, var);
	return host_typed_like(e, value_expr(e, host_var(e, v->host.type, var)), 1, &v);
}

void demote(struct elab *e, const char *name, struct span at)
{
	struct binding *b = env_find(e, name);
	if (!b || b->kind != BIND_VAR || value_failed(b->value))
		return;
	const struct value *v = b->value;
	if (v->kind != VALUE_HOST && !value_is_tensor(v) && !value_is_composed(v)) {
		struct diag *d = elab_error(e, PML0505, at, "`%s` is %s and cannot change while the program runs", name,
					    value_describe(e, v));
		diag_label(d, b->span, "declared here");
		b->value = &value_error;
		return;
	}
	struct span declared = b->span.file ? b->span : at;
	struct parts parts = {0}, variables = {0};
	b->kind = value_is_tensor(v) ? BIND_SLOT : v->kind == VALUE_HOST ? BIND_HOST : BIND_PARTS;
	if (b->kind != BIND_PARTS) {
		b->value = demote_part(e, v, name, b->kind == BIND_SLOT ? declared : at);
		return;
	}
	parts_collect(e, parts_now(e, v, at), &parts);
	for (int i = 0; i < parts.at.n; i++)
		vec_push(e->a, &variables.at, demote_part(e, parts.at.at[i], name, declared));
	b->value = parts_replaced(e, v, &variables);
}

static void demote_target(struct elab *e, const struct expr *target, struct span at)
{
	target = assigned_root(target);
	if (target->kind == EXPR_NAME)
		demote(e, target->name.text, at);
	for (int i = 0; target->kind == EXPR_TUPLE && i < target->items.n; i++)
		demote_target(e, target->items.at[i], at);
}

struct assignments {
	struct visitor visitor;
	struct elab *e;
};

static bool demote_assigned_by(struct visitor *v, const struct stmt *s)
{
	struct elab *e = ((struct assignments *)v)->e;
	if (s->kind == STMT_ASSIGN)
		demote_target(e, s->target, s->span);
	if (s->kind == STMT_RETURN && env_hidden(e, HIDDEN_LEFT))
		demote(e, env_hidden(e, HIDDEN_LEFT)->name, s->span);
	return true;
}

void demote_assigned(struct elab *e, const struct stmt *first)
{
	struct assignments a = {{.stmt = demote_assigned_by}, e};
	visit_stmts(&a.visitor, first);
}
