/* layers.c — see layers.h. */
#include "layers.h"

#include "../layout/stage.h"
#include "../simplify/passes.h"
#include "model.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct sorting {
	struct arena *arena;
	const struct program *p;
	struct layers *out;
	struct model *model;
	const char *const *lists;
	int nlists;
	int *layer_of_slot; /* -1: of no list */
	const struct graph *g;
	bool has_micro;   /* its gradient is computed in micro-batches */
	int *layer;       /* by node */
	bool *is_update;  /* by node: the program's own, made of gradients */
	bool *is_awaited; /* by node of the backward pass: a layer in front waits for it */
	int *read_by;     /* by node: the last layer that reads it in the forward pass */
};

/* 3 of "optim.sgd.v.blocks.3.wu" for the list "blocks"; -1 */
static int layer_in_name(const char *name, const char *list)
{
	size_t n = strlen(list);
	for (const char *at = strstr(name, list); at; at = strstr(at + 1, list)) {
		char *end;
		if ((at > name && at[-1] != '.') || at[n] != '.' || !isdigit((unsigned char)at[n + 1]))
			continue;
		long i = strtol(at + n + 1, &end, 10);
		if (i < 1 << 20 && (!*end || *end == '.'))
			return (int)i;
	}
	return -1;
}

static int layer_of_slot(const struct slot *s, const char *const *lists, int nlists)
{
	int layer = -1;
	for (int k = 0; s->name && k < nlists && layer < 0; k++)
		layer = layer_in_name(s->name, lists[k]);
	return layer;
}

int layers_count(const struct program *p, const char *const *lists, int nlists)
{
	int n = 0;
	for (int i = 0; i < p->slots.n; i++) {
		int layer = layer_of_slot(p->slots.at[i], lists, nlists);
		n = layer >= n ? layer + 1 : n;
	}
	return n;
}

static void find_slots(struct sorting *x)
{
	x->layer_of_slot = ARENA_ARRAY(x->arena, int, x->p->slots.n);
	for (int i = 0; i < x->p->slots.n; i++)
		x->layer_of_slot[i] = layer_of_slot(x->p->slots.at[i], x->lists, x->nlists);
}

static bool is_backward(const struct node *n)
{
	return n->origin == ORIGIN_BACKWARD;
}

/* That of the forward node it is the gradient of; where that is gone, of the gradients it is made of. */
static int layer_of_gradient(const struct sorting *x, const struct node *n)
{
	int least = -1;
	if (n->forward)
		return x->layer[n->forward->id];
	for (int k = 0; k < n->nin; k++)
		if (is_backward(n->in[k]) && (least < 0 || x->layer[n->in[k]->id] < least))
			least = x->layer[n->in[k]->id];
	return least < 0 ? 0 : least;
}

/* Forward nodes stand in front of their gradients. */
static void find_layers(struct sorting *x)
{
	for (int i = 0; i < x->g->nodes.n; i++) {
		const struct node *n = x->g->nodes.at[i];
		int layer = n->kind == NODE_SLOT ? x->layer_of_slot[n->slot] : -1;
		x->layer[i] = layer > 0 ? layer : 0;
		for (int k = 0; k < n->nin; k++) {
			const struct node *in = n->in[k];
			x->is_update[i] |= !is_backward(n) && (is_backward(in) || x->is_update[in->id]);
			if (!is_backward(n) && x->layer[in->id] > x->layer[i])
				x->layer[i] = x->layer[in->id];
		}
	}
	for (int i = 0; i < x->g->nodes.n; i++)
		if (is_backward(x->g->nodes.at[i]))
			x->layer[i] = layer_of_gradient(x, x->g->nodes.at[i]);
}

/* Gradients that a layer in front is made of, from the end to the beginning. */
static void find_awaited(struct sorting *x)
{
	for (int i = x->g->nodes.n - 1; i >= 0; i--) {
		const struct node *n = x->g->nodes.at[i];
		for (int k = 0; is_backward(n) && k < n->nin; k++) {
			const struct node *in = n->in[k];
			if (is_backward(in) && (x->is_awaited[i] || x->layer[in->id] > x->layer[i]))
				x->is_awaited[in->id] = true;
		}
	}
}

/* Of the micro-batches: done once for all of them. */
static bool is_outside(const struct sorting *x, const struct node *n)
{
	return x->has_micro && !n->batch;
}

static int64_t bytes_of(const struct node *n)
{
	return shape_volume(&n->shape) * dtype_size(n->dtype);
}

static void add_times(struct sorting *x)
{
	struct layers *l = x->out;
	for (int i = 0; i < x->g->nodes.n; i++) {
		const struct node *n = x->g->nodes.at[i];
		if (x->is_update[i] || n->kind != NODE_MAP || is_outside(x, n))
			continue;
		double *to = !is_backward(n) ? l->forward : x->is_awaited[i] ? l->backward : l->weights;
		to[x->layer[i]] += model_time_whole(x->model, n);
	}
}

static const struct node *value_of(const struct node *n)
{
	while (node_is_identity(n))
		n = n->in[0];
	return n;
}

static void add_bytes(struct sorting *x)
{
	bool *kept = ARENA_ARRAY(x->arena, bool, x->g->nodes.n);
	for (int i = 0; i < x->g->nodes.n; i++) {
		const struct node *n = x->g->nodes.at[i];
		for (int k = 0; k < n->nin; k++) {
			const struct node *from = value_of(n->in[k]);
			int in = from->id;
			kept[in] |= is_backward(n) && !is_backward(from) && from->kind == NODE_MAP;
			if (!is_backward(n) && !x->is_update[i] && x->layer[i] > x->read_by[in])
				x->read_by[in] = x->layer[i];
		}
	}
	for (int i = 0; i < x->g->nodes.n; i++) {
		const struct node *n = x->g->nodes.at[i];
		if (is_backward(n) || x->is_update[i] || is_outside(x, n))
			continue;
		x->out->kept[x->layer[i]] += kept[i] ? bytes_of(n) : 0;
		for (int l = x->layer[i] + 1; n->kind == NODE_MAP && n->place && l <= x->read_by[i]; l++)
			x->out->message[l] += bytes_of(n);
	}
}

/* Params beside the lists are where they are read: with the last layer if none in front reads them. */
static void add_slots(struct sorting *x)
{
	int *home = ARENA_ARRAY(x->arena, int, x->p->slots.n);
	for (int i = 0; i < x->p->slots.n; i++)
		home[i] = x->layer_of_slot[i] >= 0 ? x->layer_of_slot[i] : -1;
	for (int i = 0; i < x->g->nodes.n; i++) {
		const struct node *n = x->g->nodes.at[i];
		for (int k = 0; k < n->nin && !is_backward(n) && !x->is_update[i]; k++) {
			const struct node *in = n->in[k];
			if (in->kind == NODE_SLOT && x->layer_of_slot[in->slot] < 0 &&
			    (home[in->slot] < 0 || x->layer[i] < home[in->slot]))
				home[in->slot] = x->layer[i];
		}
	}
	for (int i = 0; i < x->p->slots.n; i++) {
		const struct slot *s = x->p->slots.at[i];
		int at = home[i] == x->out->n - 1 ? home[i] : x->layer_of_slot[i] >= 0 ? home[i] : 0;
		x->out->fixed[at] +=
			shape_volume(&s->shape) * dtype_size(s->dtype) * (s->slot_class == SLOT_PARAM ? 2 : 1);
	}
}

/* A slot that a value could become; -1 */
static int slot_like(const struct program *p, const struct node *n)
{
	for (int i = 0; i < p->slots.n; i++) {
		const struct slot *s = p->slots.at[i];
		if (s->dtype == n->dtype && shape_equal(&s->shape, &n->shape))
			return i;
	}
	return -1;
}

/* Updates are no layer's time, and as many nodes as all layers: they go, so that nothing is simplified for them, and
 * the gradients that they read are what the step leaves behind. Where one has the shape of no slot all stays. */
static void leave_out_updates(struct graph *g, const struct program *p, struct arena *scratch)
{
	bool *is_update = ARENA_ARRAY(scratch, bool, g->nodes.n), *is_read = ARENA_ARRAY(scratch, bool, g->nodes.n);
	VEC(struct output) outputs = {0};
	for (int i = 0; i < g->outputs.n; i++)
		is_read[g->outputs.at[i].node->id] = is_backward(g->outputs.at[i].node);
	for (int i = 0; i < g->nodes.n; i++) {
		const struct node *n = g->nodes.at[i];
		for (int k = 0; k < n->nin && !is_backward(n); k++)
			is_update[i] |= is_backward(n->in[k]) || is_update[n->in[k]->id];
		for (int k = 0; k < n->nin && is_update[i]; k++)
			is_read[n->in[k]->id] |= is_backward(n->in[k]);
	}
	for (int i = 0; i < g->outputs.n; i++)
		if (!is_update[g->outputs.at[i].node->id] && !is_read[g->outputs.at[i].node->id])
			vec_push(scratch, &outputs, g->outputs.at[i]);
	for (int i = 0; i < g->nodes.n; i++) {
		struct node *n = g->nodes.at[i];
		struct output o = {
			.kind = OUTPUT_SLOT, .index = is_read[i] ? slot_like(p, n) : -1, .node = n, .span = n->span};
		if (is_read[i] && (o.index < 0 || n->loop))
			return;
		if (is_read[i])
			vec_push(scratch, &outputs, o);
	}
	g->outputs.n = 0;
	for (int i = 0; i < outputs.n; i++)
		vec_push(g->arena, &g->outputs, outputs.at[i]);
}

/* The graph with a gradient of the most layers. */
static const struct graph *graph_with_gradient(const struct program *p, struct arena *a)
{
	struct graph *best = NULL;
	for (int i = 0; i < p->regions.n; i++) {
		const struct graph *g = p->regions.at[i]->graph;
		bool has = false;
		for (int k = 0; k < g->nodes.n; k++)
			has |= is_backward(g->nodes.at[k]);
		if (has && (!best || g->nodes.n > best->nodes.n))
			best = graph_copy(g, a);
	}
	if (best) {
		struct arena *scratch = arena_new("layers: updates");
		leave_out_updates(best, p, scratch);
		arena_free(scratch);
		graph_run_passes(p->session, best);
		stage_place(best);
	}
	return best;
}

struct layers *layers_of(struct arena *a, const struct program *p, const struct machine *m, const char *const *lists,
			 int nlists)
{
	struct layers *l = ARENA_NEW(a, struct layers);
	struct model model = {.arena = a, .program = p, .machine = machine_in_turns(m)};
	struct sorting x = {.arena = a, .p = p, .out = l, .model = &model, .lists = lists, .nlists = nlists};
	*l = (struct layers){.n = layers_count(p, lists, nlists)};
	find_slots(&x);
	x.g = graph_with_gradient(p, a);
	if (!x.g) {
		l->n = 0;
		return l;
	}
	for (int i = 0; i < x.g->nodes.n; i++)
		x.has_micro |= x.g->nodes.at[i]->batch != NULL;
	l->forward = ARENA_ARRAY(a, double, l->n);
	l->backward = ARENA_ARRAY(a, double, l->n);
	l->weights = ARENA_ARRAY(a, double, l->n);
	l->fixed = ARENA_ARRAY(a, int64_t, l->n);
	l->kept = ARENA_ARRAY(a, int64_t, l->n);
	l->message = ARENA_ARRAY(a, int64_t, l->n);
	x.layer = ARENA_ARRAY(a, int, x.g->nodes.n);
	x.is_update = ARENA_ARRAY(a, bool, x.g->nodes.n);
	x.is_awaited = ARENA_ARRAY(a, bool, x.g->nodes.n);
	x.read_by = ARENA_ARRAY(a, int, x.g->nodes.n);
	if (!l->n)
		return l;
	find_layers(&x);
	find_awaited(&x);
	add_times(&x);
	add_bytes(&x);
	add_slots(&x);
	return l;
}
