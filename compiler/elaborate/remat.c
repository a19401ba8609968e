/* remat.c — `remat { … }`: the value of the block. Every node made while it is walked knows the block it stands in;
 * differentiation reads that (autodiff/again.c). Without gradients it changes nothing. */
#include "region.h"

static const struct value *block_value(struct elab *e, const struct stmt *first)
{
	const struct value *v = &value_none;
	env_push(e);
	for (const struct stmt *s = first; s; s = s->next) {
		if (!s->next && s->kind == STMT_EXPR)
			v = expr_eval(e, s->value);
		else
			stmt_eval(e, s);
	}
	env_pop(e);
	return v;
}

static void enter(struct elab *e, const struct remat *block)
{
	e->remat = block;
	if (e->region)
		e->region->region->graph->remat = block;
}

const struct value *expr_remat(struct elab *e, const struct expr *x)
{
	struct remat *block = ARENA_NEW(e->a, struct remat);
	block->outer = e->remat;
	enter(e, block);
	const struct value *v = block_value(e, x->block.body->body);
	enter(e, block->outer);
	return v;
}
