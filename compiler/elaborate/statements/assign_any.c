/* assign_any.c — `ls[k] = v`, `ls[k].up = v` where k is an int of the running program: each element is assigned if it
 * is the one, `if k == 0 { ls[0] = v; } if k == 1 { ls[1] = v; }`, of which branches of graphs and of the host both
 * know what it means. Only the one is written. */
#include "statements.h"
#include "../operators/operators.h"
#include "../values/values.h"

/* Names that no program can write. */
#define POSITION "element that is assigned"
#define ASSIGNED "value that is assigned"

static const struct expr *element_of(const struct expr *t)
{
	while (t->kind == EXPR_FIELD)
		t = t->object;
	return t;
}

bool assigns_any(struct elab *e, const struct expr *t)
{
	t = element_of(t);
	if (t->kind != EXPR_INDEX)
		return false;
	const struct value *list = expr_eval(e, t->callee);
	return (list->kind == VALUE_LIST || list->kind == VALUE_TUPLE) && position_to_check(e, t, list->items.n);
}

static struct expr *made(struct elab *e, enum expr_kind kind, struct span at)
{
	struct expr *x = ARENA_NEW(e->a, struct expr);
	x->kind = kind;
	x->span = at;
	return x;
}

static struct expr *named(struct elab *e, const char *name, struct span at)
{
	struct expr *x = made(e, EXPR_NAME, at);
	x->name = (struct name){intern(e->s->names, name), at};
	return x;
}

static struct expr *number(struct elab *e, int64_t i, struct span at)
{
	struct expr *x = made(e, EXPR_INT, at);
	x->i = i;
	return x;
}

/* t with element k in place of the one that is not known. */
static struct expr *with_element(struct elab *e, const struct expr *t, int k)
{
	struct expr *x = ARENA_NEW(e->a, struct expr);
	*x = *t;
	if (t->kind == EXPR_FIELD) {
		x->object = with_element(e, t->object, k);
		return x;
	}
	struct arg arg = t->args.at[0];
	arg.value = number(e, k, arg.span);
	x->args.at = NULL;
	x->args.n = x->args.cap = 0;
	vec_push(e->a, &x->args, arg);
	return x;
}

/* `if POSITION == k { t = ASSIGNED; }` */
static struct stmt *if_it_is(struct elab *e, const struct stmt *s, const struct expr *t, int k)
{
	struct span at = element_of(t)->args.at[0].span;
	struct stmt *branch = ARENA_NEW(e->a, struct stmt), *set = ARENA_NEW(e->a, struct stmt);
	struct expr *is = made(e, EXPR_BINARY, at);
	is->op = BIN_EQ;
	is->lhs = named(e, POSITION, at);
	is->rhs = number(e, k, at);
	*set = (struct stmt){.kind = STMT_ASSIGN, .span = s->span, .op = ASSIGN_SET};
	set->target = with_element(e, t, k);
	set->value = named(e, ASSIGNED, s->value->span);
	*branch = (struct stmt){.kind = STMT_IF, .span = s->span, .value = is, .body = set};
	return branch;
}

/* Which one it is, from 0 on; an index outside of the list ends the program. */
static const struct value *position(struct elab *e, const struct expr *x, int n)
{
	struct value *all = value_new(e, VALUE_LIST);
	for (int k = 0; k < n; k++)
		vec_push(e->a, &all->items, value_int(e, k));
	return host_freeze(e, index_list(e, all, x), NULL, x->span);
}

static void bind(struct elab *e, const char *name, const struct value *v, struct span at)
{
	env_bind(e, (struct name){intern(e->s->names, name), at}, BIND_LET, v);
}

void assign_any(struct elab *e, const struct stmt *s, const struct expr *t, const struct value *v)
{
	const struct expr *element = element_of(t);
	int n = expr_eval(e, element->callee)->items.n;
	const struct value *i = position(e, element, n);
	if (value_failed(i) || value_failed(v))
		return;
	env_push(e);
	bind(e, POSITION, i, element->args.at[0].span);
	bind(e, ASSIGNED, host_freeze(e, value_snapshot(e, v, s->value->span), NULL, s->value->span), s->value->span);
	int errors = e->s->errors;
	for (int k = 0; k < n && e->s->errors == errors; k++)
		stmt_eval(e, if_it_is(e, s, t, k));
	env_pop(e);
}
