/* loops.c — what is handed on from turn to turn, line by line or stacked up. Parts of sums stay parts, so that what the
 * turns add up is finished behind the loop. With --reproducible it is finished in every turn, as it would be turn by
 * turn: quanta of several turns have no grid in common before the last of them is known. */
#include "rewrite.h"

#include "../layout/parts.h"

#include <string.h>

/* The input with parts of floats as they are, which --reproducible does not know. What must be made again from finished
 * values is finished before it is shared out. */
static struct node *as_parts(struct rewrite *w, const struct node *x)
{
	struct value *v = value_of(w, x);
	struct layout whole = without_parts(x->place, &x->layout);
	struct node_site at = node_site_of(x);
	if (v->kind != VALUE_MADE || !is_float_sum(x->dtype, x->place, &x->layout))
		return finish(w, v, x->place, &x->layout);
	return add_to(w, &at, finish(w, v, x->place, &whole), x->place, &x->layout);
}

static struct node *as_whole(struct rewrite *w, const struct node *x)
{
	struct layout whole = x->layout;
	if (is_float_part(x->dtype, x->place, &x->layout))
		whole = without_parts(x->place, &x->layout);
	return finish(w, value_of(w, x), x->place, &whole);
}

/* A carried value may have any parts from the second turn on; lines are owned where the tensor is. */
static bool is_owned(struct rewrite *w, const struct node *n)
{
	for (int k = 0; k < n->nin; k++) {
		const struct value *v = value_of(w, n->in[k]);
		if (v->kind != VALUE_PARTS || !v->owned)
			return false;
	}
	return n->kind == NODE_LINE || n->kind == NODE_STACK;
}

struct value rewrite_turns(struct rewrite *w, struct node *n)
{
	struct node **in = ARENA_ARRAY(w->arena, struct node *, n->nin), *fresh = n;
	struct value v = {.kind = VALUE_FINISHED, .old = n};
	for (int k = 0; k < n->nin; k++)
		in[k] = w->exact ? as_whole(w, n->in[k]) : as_parts(w, n->in[k]);
	if (w->exact && is_float_part(n->dtype, n->place, &n->layout)) {
		/* Readers still see in the old node that they were given parts. */
		fresh = graph_node(w->g);
		*fresh = *n;
		fresh->in = ARENA_ARRAY(w->g->arena, struct node *, n->nin);
		fresh->layout = without_parts(n->place, &n->layout);
		v.kind = VALUE_VIEW;
	} else if (!w->exact && is_float_sum(n->dtype, n->place, &n->layout)) {
		v.kind = VALUE_PARTS;
		v.owned = is_owned(w, n);
	}
	memcpy(fresh->in, in, sizeof *in * (size_t)n->nin);
	append(w, fresh);
	v.node = fresh;
	return v;
}

void rewrite_asked(struct rewrite *w)
{
	for (int i = 0; i < w->g->loops.n; i++) {
		struct loop *l = w->g->loops.at[i];
		for (int k = 0; loop_asked(l, k); k++) {
			struct node *n = *loop_asked(l, k);
			*loop_asked(l, k) = finish(w, value_of(w, n), n->place, &n->layout);
		}
	}
}
