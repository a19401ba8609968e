/* visit.c — see visit.h. */
#include "visit.h"

static void visit_layout(struct visitor *v, const struct ast_layout *l)
{
	for (int i = 0; l && i < l->atoms.n; i++) {
		visit_expr(v, l->atoms.at[i].dim);
		visit_expr(v, l->atoms.at[i].shares);
	}
}

static void visit_args(struct visitor *v, const struct arg *args, int n)
{
	for (int i = 0; i < n; i++) {
		visit_expr(v, args[i].value);
		visit_layout(v, args[i].layout);
	}
}

static void visit_list(struct visitor *v, struct expr *const *items, int n)
{
	for (int i = 0; i < n; i++)
		visit_expr(v, items[i]);
}

void visit_type(struct visitor *v, const struct type *t)
{
	if (t && (!v->type || v->type(v, t)))
		visit_in_type(v, t);
}

void visit_in_type(struct visitor *v, const struct type *t)
{
	for (int i = 0; i < t->dims.n; i++)
		visit_expr(v, t->dims.at[i].expr);
	visit_expr(v, t->placement);
	visit_layout(v, t->layout);
	visit_list(v, t->args.at, t->args.n);
	visit_type(v, t->element);
	for (int i = 0; i < t->members.n; i++)
		visit_type(v, t->members.at[i]);
}

void visit_in_expr(struct visitor *v, const struct expr *e)
{
	switch (e->kind) {
	case EXPR_INT:
	case EXPR_FLOAT:
	case EXPR_STRING:
	case EXPR_BOOL:
	case EXPR_NAME:
		return;
	case EXPR_FIELD:
		visit_expr(v, e->object);
		return;
	case EXPR_MAYBE:
		visit_expr(v, e->index);
		return;
	case EXPR_BINARY: /* its chain is gone along by visit_expr */
	case EXPR_UNARY:
		visit_expr(v, e->rhs);
		return;
	case EXPR_RANGE:
		visit_expr(v, e->lhs);
		visit_expr(v, e->rhs);
		return;
	case EXPR_CALL:
	case EXPR_INDEX:
		visit_expr(v, e->callee);
		visit_args(v, e->args.at, e->args.n);
		return;
	case EXPR_TUPLE:
	case EXPR_LIST:
		visit_list(v, e->items.at, e->items.n);
		return;
	case EXPR_LAYOUT:
		visit_args(v, e->layout.at, e->layout.n);
		return;
	case EXPR_TO:
		visit_expr(v, e->to.value);
		visit_expr(v, e->to.placement);
		visit_layout(v, e->to.layout);
		return;
	case EXPR_AS:
		visit_expr(v, e->as.value);
		visit_type(v, e->as.type);
		return;
	case EXPR_IF:
		visit_expr(v, e->cond.cond);
		visit_expr(v, e->cond.then);
		visit_expr(v, e->cond.other);
		return;
	case EXPR_EACH:
		visit_expr(v, e->each.of);
		visit_expr(v, e->each.body);
		return;
	case EXPR_REDUCE:
		visit_expr(v, e->reduce.body);
		return;
	case EXPR_BLOCK:
		visit_args(v, e->block.args.at, e->block.args.n);
		visit_stmts(v, e->block.body);
		return;
	case EXPR_PLACE:
		visit_expr(v, e->place.ranks);
		visit_args(v, e->place.axes.at, e->place.axes.n);
		return;
	}
}

void visit_expr(struct visitor *v, const struct expr *e)
{
	while (e && (!v->expr || v->expr(v, e))) {
		visit_in_expr(v, e);
		e = e->kind == EXPR_BINARY ? e->lhs : NULL; /* chains are long, and deep on the left */
	}
}

static void visit_pattern(struct visitor *v, const struct pattern *p)
{
	if (!p)
		return;
	visit_type(v, p->type);
	for (int i = 0; i < p->members.n; i++)
		visit_pattern(v, p->members.at[i]);
}

void visit_stmts(struct visitor *v, const struct stmt *first)
{
	for (const struct stmt *s = first; s; s = s->next) {
		if (v->stmt && !v->stmt(v, s))
			continue;
		visit_expr(v, s->target);
		visit_type(v, s->type);
		visit_expr(v, s->like);
		visit_expr(v, s->every);
		visit_expr(v, s->value);
		visit_pattern(v, s->pattern);
		visit_stmts(v, s->body);
		visit_stmts(v, s->other);
	}
}
