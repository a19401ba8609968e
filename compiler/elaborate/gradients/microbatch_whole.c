/* microbatch_whole.c — which tensors are as large for one micro-batch as for all, so that their mean over micro-batches
 * says what the whole step would have given: params and states, what `whole` names, derivatives by such, and what is
 * computed from one of these element by element. All others may have a line for each row. */
#include "gradients.h"
#include "../values/values.h"
#include "../walk/microbatch.h"

static bool is_whole(struct microbatch_walk *w, const struct node *n);

/* Whether element for element of the result one of the operands has one that is whole. */
static bool is_whole_map(struct microbatch_walk *w, const struct node *n)
{
	const struct rule *r = n->rule;
	bool found = false;
	if (r->combiner != COMBINE_NONE)
		return false;
	for (int i = 0; i < n->nin && !found; i++) {
		const struct access *x = &r->operand[i];
		found = x->rank == r->out.rank;
		for (int d = 0; found && d < x->rank; d++)
			found = index_factor(&x->index[d]) >= 0 && index_equal(&x->index[d], &r->out.index[d]);
		found = found && is_whole(w, n->in[i]);
	}
	return found;
}

static bool find_whole(struct microbatch_walk *w, const struct node *n)
{
	switch (n->kind) {
	case NODE_SLOT:
		return true;
	case NODE_MAP:
		return is_whole_map(w, n);
	case NODE_RESHAPE:
	case NODE_TO:
	case NODE_CONTRACT:
	case NODE_CHECK:
	case NODE_FACTORS:
	case NODE_STOP:
	case NODE_REMAT:
	case NODE_TANGENT:
	case NODE_RULED:
	case NODE_PULLED:
	case NODE_CARRY:
		return is_whole(w, n->in[0]);
	case NODE_END:
		return is_whole(w, n->in[0]) || is_whole(w, n->in[1]);
	case NODE_LINE:
		return n->of != w->loop && is_whole(w, n->in[0]);
	case NODE_DATA:
	case NODE_HOST:
	case NODE_CONST:
	case NODE_TURN:
	case NODE_STACK:
	case NODE_KINDS:
		return false;
	}
	return false;
}

/* What is known of a node. */
struct known {
	bool whole;
	const char *derivative; /* what it is called as one by what is whole, "dw"; NULL: it is none */
};

static void set_known(struct microbatch_walk *w, const struct node *n, bool whole, const char *derivative)
{
	struct known *x = ARENA_NEW(w->shapes.arena, struct known);
	*x = (struct known){whole, derivative};
	map_set(&w->shapes, n, x);
}

static bool is_whole(struct microbatch_walk *w, const struct node *n)
{
	if (!map_get(&w->shapes, n))
		set_known(w, n, find_whole(w, n), NULL);
	return ((const struct known *)map_get(&w->shapes, n))->whole;
}

bool microbatch_is_whole(struct elab *e, const struct node *n)
{
	return e->micro && is_whole(e->micro, n);
}

void microbatch_derivatives(struct elab *e, int n, struct node *const *by, struct node *const *d)
{
	for (int i = 0; e->micro && i < n; i++) {
		/* One node may be the derivative by several values: all of them must be. */
		const struct known *before = map_get(&e->micro->shapes, d[i]);
		bool whole = is_whole(e->micro, by[i]) && (!before || before->whole);
		const char *name = arena_printf(e->a, "d%s", by[i]->name ? by[i]->name : "");
		set_known(e->micro, d[i], whole, whole ? name : NULL);
	}
}

const char *microbatch_sum_name(struct elab *e, const struct node *n)
{
	const struct known *x = map_get(&e->micro->shapes, n);
	return x && x->derivative ? x->derivative : "sum";
}

void microbatch_mapped(struct elab *e, const struct node *x, bool lines, const struct node *all)
{
	if (e->micro)
		set_known(e->micro, all, lines && is_whole(e->micro, x), NULL);
}

bool microbatch_has_rows(struct elab *e, const struct gradient_entry *d, const struct node *x)
{
	const struct slot *s = e->p->slots.at[d->slot];
	int lines = d->all ? 1 : 0; /* those of the list are in front of all */
	return x->shape.rank == s->shape.rank + lines + 1 &&
	       x->shape.dim[lines] * e->micro->batch->count == e->micro->rows && !microbatch_is_whole(e, x);
}

void microbatch_named_whole(struct elab *e, const struct value *v, struct span at)
{
	struct parts parts = {0};
	parts_collect(e, v, &parts);
	for (int i = 0; i < parts.at.n; i++)
		if (value_is_tensor(parts.at.at[i]))
			set_known(e->micro, tensor_node(e, parts.at.at[i], at), true, NULL);
}
