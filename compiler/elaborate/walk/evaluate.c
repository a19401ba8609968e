/* evaluate.c — what a part of a program means, for whoever stands below those who know (struct evaluator). */
#include "elab.h"

const struct value *expr_eval(struct elab *e, const struct expr *x)
{
	BUG_IF(!x, "an expression is missing");
	if (e->depth >= MAX_EXPR_DEPTH) {
		elab_error(e, PML0510, x->span, "expressions and calls are nested too deeply");
		return &value_error;
	}
	if (!elab_step(e, 1, x->span))
		return &value_error;
	e->depth++;
	const struct value *v = e->evaluator->expr(e, x);
	e->depth--;
	return v;
}

const struct value *item_value(struct elab *e, struct item *item, struct span use)
{
	return e->evaluator->item(e, item, use);
}

const struct value *call_value(struct elab *e, const struct value *f, struct arguments *args)
{
	return e->evaluator->call(e, f, args);
}

void arguments_push(struct elab *e, struct arguments *a, const char *name, const struct value *v, struct span at)
{
	struct argument x = {.name = name, .value = v, .span = at};
	vec_push(e->a, &a->at, x);
}

const struct value *call_prelude_as(struct elab *e, const char *called, const char *name, struct span at, int n,
				    const struct value *const *v, const struct span *spans)
{
	struct item *item = elab_prelude(e, name);
	BUG_IF(!item, "the prelude has no `%s`", name);
	struct arguments args = {.span = at, .called = called};
	for (int i = 0; i < n; i++)
		arguments_push(e, &args, NULL, v[i], spans[i]);
	return call_value(e, &(struct value){.kind = VALUE_FUNCTION, .function = item}, &args);
}

const struct value *call_prelude(struct elab *e, const char *name, struct span at, int n, const struct value *const *v,
				 const struct span *spans)
{
	return call_prelude_as(e, NULL, name, at, n, v, spans);
}

void stmt_block(struct elab *e, const struct stmt *first)
{
	e->evaluator->block(e, first);
}

const struct value *block_value(struct elab *e, const struct stmt *first)
{
	return e->evaluator->block_value(e, first);
}
