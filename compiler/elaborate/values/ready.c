/* ready.c — in which order values are fitted to types that are open together: `f(wx: f32[n, 4 * m], wh: f32[m, 4 * m])`
 * has m from wh, so wx comes behind it. */
#include "values.h"

#include "visit.h"

/* A search for names that nothing has bound yet. */
struct open_names {
	struct visitor visitor;
	struct elab *e;
	const struct item *item;
	const struct type *type; /* whose own dimensions bind their names first */
	bool found;
};

static bool is_own_dimension(const struct type *t, const char *name)
{
	for (int i = 0; i < t->dims.n; i++)
		if (t->dims.at[i].form == DIM_EXPR && t->dims.at[i].expr->kind == EXPR_NAME &&
		    t->dims.at[i].expr->name.text == name)
			return true;
	return false;
}

static bool look_at(struct visitor *v, const struct expr *x)
{
	struct open_names *o = (struct open_names *)v;
	for (int i = 0; x->kind == EXPR_NAME && i < o->item->generics.n; i++)
		if (o->item->generics.at[i].name.text == x->name.text && !env_find(o->e, x->name.text))
			o->found |= !is_own_dimension(o->type, x->name.text);
	return true;
}

/* A name alone is bound by what is fitted, in more it must have been before. */
static void look_within(struct open_names *o, const struct expr *x)
{
	if (x && x->kind != EXPR_NAME)
		visit_expr(&o->visitor, x);
}

static bool type_is_ready(struct elab *e, const struct item *item, const struct type *t)
{
	struct open_names o = {.visitor.expr = look_at, .e = e, .item = item, .type = t};
	if (!item || !t)
		return true;
	for (int i = 0; i < t->dims.n; i++)
		look_within(&o, t->dims.at[i].form == DIM_EXPR ? t->dims.at[i].expr : NULL);
	for (int i = 0; i < t->args.n; i++)
		look_within(&o, t->args.at[i]);
	look_within(&o, t->placement);
	for (int i = 0; i < t->members.n; i++)
		o.found |= !type_is_ready(e, item, t->members.at[i]);
	return !o.found && type_is_ready(e, item, t->element);
}

int next_ready(struct elab *e, const struct item *item, const bool *done, const bool *late)
{
	int next = -1, least = 0;
	for (int i = 0; i < item->params.n; i++) {
		if (done[i])
			continue;
		int waits = 2 * !type_is_ready(e, item, item->params.at[i].type) + (late && late[i]);
		if (next < 0 || waits < least) {
			next = i;
			least = waits;
		}
	}
	return next;
}
