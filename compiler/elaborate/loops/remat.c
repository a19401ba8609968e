/* remat.c — `remat { … }`: the value of the block. Every node made while it is walked knows the block it stands in;
 * differentiation reads that (autodiff/again.c). Without gradients it changes nothing. */
#include "loops.h"

void remat_enter(struct elab *e, const struct remat *block)
{
	e->remat = block;
	if (e->region)
		region_graph(e)->remat = block;
}

const struct remat *remat_new(struct elab *e, struct loop *in)
{
	struct remat *block = ARENA_NEW(e->a, struct remat);
	*block = (struct remat){e->remat, in};
	return block;
}

const struct value *expr_remat(struct elab *e, const struct expr *x)
{
	const struct remat *block = remat_new(e, NULL);
	remat_enter(e, block);
	const struct value *v = block_value(e, x->block.body->body);
	remat_enter(e, block->outer);
	return v;
}
