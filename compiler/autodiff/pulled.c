/* pulled.c — functions with a rule for cotangents (`custom_vjp`), in reverse mode.
 *
 * Each result of a call is a PULLED node, and the rule wants the cotangents of all of them at once, for it need not be
 * linear. The walk goes backward, so where it comes to the first of these nodes it has met whatever reads any of them.
 * A result that nobody reads may have been left out of the graph; the rule is given it all the same, with zeros. */
#include "tape.h"

struct call {
	struct node **result; /* by number; NULL: no float, or in the graph no more */
	struct node *first;   /* of them in the graph */
	struct call *next;    /* of the same pullback, of other tensors */
};

static bool is_result(const struct call *c, const struct node *n)
{
	for (int i = 0; i < n->nin; i++)
		if (n->in[pulled_input(n, i)] != c->first->in[pulled_input(c->first, i)])
			return false;
	return true;
}

static struct call *call_of(const struct tape *t, const struct node *n)
{
	struct call *c = map_get(&t->calls, n->pulled.by);
	while (c && !is_result(c, n))
		c = c->next;
	return c;
}

void tape_find_calls(struct tape *t, int from, int end)
{
	map_init(&t->calls, t->g->arena);
	for (int id = from; id < end; id++) {
		struct node *n = t->g->nodes.at[id];
		if (n->kind != NODE_PULLED || !t->varying[id])
			continue;
		struct call *c = call_of(t, n);
		if (!c) {
			c = ARENA_NEW(t->g->arena, struct call);
			*c = (struct call){.result = ARENA_ARRAY(t->g->arena, struct node *, n->pulled.by->results),
					   .first = n,
					   .next = map_get(&t->calls, n->pulled.by)};
			map_set(&t->calls, n->pulled.by, c);
		}
		c->result[n->pulled.result] = n;
	}
}

/* A cotangent of the call's results; NULL: none has one. */
static struct node *some_cotangent(const struct tape *t, const struct call *c)
{
	for (int i = 0; i < c->first->pulled.by->results; i++) {
		const struct node *r = c->result[i];
		if (r && t->cotangent[r->id] && !t->is_wrt[r->id])
			return t->cotangent[r->id];
	}
	return NULL;
}

bool tape_is_due(const struct tape *t, const struct node *n)
{
	const struct call *c = call_of(t, n);
	return c->first == n && some_cotangent(t, c);
}

/* Result i as the rule is given it: with its derivative, if it has one. */
static struct node *result_read(struct tape *t, const struct call *c, int i, const struct node *cotangent)
{
	struct node *n = c->first;
	if (c->result[i])
		return tape_value(t, again_value(t->again, n, c->result[i], cotangent));
	return tape_value(t, again_value(t->again, n, n->in[pulled_input(n, i)], cotangent));
}

void tape_backward_call(struct tape *t, struct node *n)
{
	const struct call *call = call_of(t, n);
	const struct pullback *p = n->pulled.by;
	const struct node *some = some_cotangent(t, call);
	struct node **values = ARENA_ARRAY(t->g->arena, struct node *, n->nin);
	struct node **out = ARENA_ARRAY(t->g->arena, struct node *, n->nin);
	struct node **c = ARENA_ARRAY(t->g->arena, struct node *, p->results);
	struct loop *open = t->g->open;
	for (int i = 0; i < n->nin; i++) {
		values[i] = i < p->results ? result_read(t, call, i, some)
					   : tape_value(t, again_value(t->again, n, n->in[pulled_input(n, i)], some));
		if (i >= p->results || !dtype_is_float(values[i]->dtype))
			continue;
		const struct node *r = call->result[i];
		c[i] = adjoint_or_zeros(t->g, values[i], r && !t->is_wrt[r->id] ? t->cotangent[r->id] : NULL);
	}
	t->g->open = t->turns ? t->turns->backward : open;
	bool ok = p->back(p, values, c, out);
	t->g->open = open;
	for (int i = p->results; i < n->nin && ok; i++)
		if (adjoint_goes_on(t->varying, n, i))
			tape_add(t, n, n->in[i], out[i - p->results]);
}
