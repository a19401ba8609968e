/* remat.c — `remat { … }`: the value of the block. Every node made while it is walked knows the block it stands in;
 * differentiation reads that (autodiff/again.c). Without gradients it changes nothing.
 *
 * `remat every k` before a loop makes such a block of each k turns: the loop is cut in segments, which are turns of
 * another one; where turns are walked one by one, each k of them are walked in a block. */
#include "loops.h"
#include "../operators/operators.h"

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

/* `remat(deep) { … }`: computed again if that is so. False after an error. */
static bool is_again(struct elab *e, const struct expr *x, bool *again)
{
	*again = !x->block.args.n;
	if (*again)
		return true;
	const struct arg *a = &x->block.args.at[0];
	if (a->is_auto && !a->name.text && x->block.args.n == 1)
		return open_way(e, WAY_AGAIN, x, a->span);
	const struct value *v =
		a->value && !a->name.text && x->block.args.n == 1 ? expr_eval(e, a->value) : &value_none;
	if (value_failed(v))
		return false;
	if (value_is_known(v) && v->host.type == HOST_BOOL) {
		*again = v->host.i;
		return true;
	}
	struct diag *d = elab_error(e, PML0209, a->span, "`remat` takes one bool that is known when compiling");
	diag_note(d, "whether the block is computed again for gradients; without one it is");
	diag_help(d,
		  "`remat { … }`, `remat(deep) { … }` with `const deep : bool = true;`, or `remat(auto) { … }`, which "
		  "`pmlc search` decides");
	return false;
}

const struct value *expr_remat(struct elab *e, const struct expr *x)
{
	bool again;
	if (!is_again(e, x, &again))
		return &value_error;
	if (!again)
		return block_value(e, x->block.body->body);
	const struct remat *block = remat_new(e, NULL);
	remat_enter(e, block);
	const struct value *v = block_value(e, x->block.body->body);
	remat_enter(e, block->outer);
	return v;
}

/* ---- loops ---- */

bool remat_every(struct elab *e, const struct stmt *s, int64_t *k)
{
	*k = 0;
	if (!s->every)
		return true;
	const struct value *v = expr_eval(e, s->every);
	if (value_failed(v))
		return false;
	bool is_int = v->kind == VALUE_HOST && v->host.type == HOST_INT, known = is_int && v->host.known;
	if (known && v->host.i >= 1) {
		*k = v->host.i;
		return true;
	}
	struct diag *d = known ? elab_error(e, PML0501, s->every->span,
					    "`remat every` takes at least 1 turn, this is %lld", (long long)v->host.i)
			       : elab_error(e, PML0501, s->every->span,
					    "`remat every` takes an int that is known when compiling, this is %s%s",
					    value_describe(e, v), is_int ? " of the running program" : "");
	diag_note(d, "the loop keeps what each k turns begin with, and computes them again for their gradients, k at a time");
	if (known)
		diag_help(d, "for n turns about the square root of n is best; without `remat every` all turns are kept");
	else if (is_int)
		diag_help(d, "a `const` can be another one for each compilation: `pmlc -D K=300`");
	return false;
}

struct loop *segments_begin(struct elab *e, struct span at)
{
	struct graph *g = region_graph(e);
	struct loop *segments = graph_loop(g, g->open, -1, at);
	remat_enter(e, remat_new(e, segments));
	return segments;
}

/* `block`, or what it is where `gone` is none: the blocks in that are those of the one around. */
static const struct remat *without(struct elab *e, struct map *now, const struct remat *block, const struct remat *gone)
{
	if (!block || !remat_is_in(block, gone))
		return block;
	if (block == gone)
		return gone->outer;
	struct remat *copy = map_get(now, block);
	if (!copy) {
		copy = ARENA_NEW(e->a, struct remat);
		*copy = (struct remat){without(e, now, block->outer, gone), block->in};
		map_set(now, block, copy);
	}
	return copy;
}

void segments_forget(struct elab *e, struct loop *segments, const struct loop *l, int from)
{
	struct graph *g = region_graph(e);
	const struct remat *gone = l->remat;
	struct map now;
	map_init(&now, e->a);
	for (int i = from; i < g->nodes.n; i++)
		g->nodes.at[i]->remat = without(e, &now, g->nodes.at[i]->remat, gone);
	for (int i = segments->id; i < g->loops.n; i++)
		g->loops.at[i]->remat = without(e, &now, g->loops.at[i]->remat, gone);
	for (int i = segments->id + 1; i < g->loops.n; i++) {
		g->loops.at[i - 1] = g->loops.at[i];
		g->loops.at[i - 1]->id = i - 1;
	}
	g->loops.n--;
}

void segments_end(struct elab *e, struct loop *segments, struct loop *l, int64_t k, int from)
{
	const struct remat *around = e->remat;
	struct map instead;
	map_init(&instead, e->a);
	remat_enter(e, l->remat);
	lines_of_split(e, l, from, &instead);
	remat_enter(e, around);
	struct node_site at = elab_site(e, l->span);
	graph_cut(region_graph(e), &at, l, segments, k, from, &instead);
	region_replaced(e, &instead);
}
