/* graph.c — adds a placed graph to a model, node by node. The program's own nodes follow inference (infer.c), those of
 * gradients are decided (decide.c), what the source declares or moves is here, with what is carried in loops: it has
 * one layout in all turns, which the start converts to without a byte moved and what a turn leaves has. */
#include "graph.h"

#include "../layout/solve.h"

#include <string.h>

bool adding_decides(const struct node *n)
{
	return n->origin == ORIGIN_BACKWARD;
}

static bool follows_forward(const struct node *n)
{
	return n->kind == NODE_CONTRACT && n->origin == ORIGIN_BACKWARD && n->target->layout.form == LAYOUT_INFER &&
	       n->forward && n->forward->place == n->place && n->forward->kind == NODE_SLOT;
}

static bool is_given(const struct node *n)
{
	if (n->kind != NODE_TO && n->kind != NODE_CONTRACT)
		return false;
	enum layout_form form = n->target->layout.form;
	return form == LAYOUT_GIVEN || form == LAYOUT_VAR || follows_forward(n);
}

/* ---- what is made of data and constants ---- */

static bool inputs_are_free(const struct adding *x, const struct node *n)
{
	for (int i = 0; i < n->nin; i++)
		if (!x->is_free[n->in[i]->id])
			return false;
	return true;
}

static bool is_free(const struct adding *x, const void *context, const struct node *n)
{
	(void)context;
	if (!x->m->weight && adding_decides(n) && !is_given(n))
		return true; /* some layout will do */
	switch (n->kind) {
	case NODE_DATA:
	case NODE_HOST:
	case NODE_CONST:
	case NODE_TURN:
		return true;
	case NODE_SLOT:
		return false;
	case NODE_CARRY:
		return !adding_decides(n) && x->is_free[n->in[0]->id] && x->is_free[x->ends[n->id]->in[1]->id];
	case NODE_MAP:
	case NODE_RESHAPE:
	case NODE_CHECK:
	case NODE_FACTORS:
	case NODE_REMAT:
	case NODE_LINE:
	case NODE_STACK:
	case NODE_END:
	case NODE_STOP:
	case NODE_TO:
	case NODE_CONTRACT:
		return !adding_decides(n) && !is_given(n) && inputs_are_free(x, n);
	case NODE_TANGENT:
	case NODE_RULED:
	case NODE_PULLED:
	case NODE_KINDS:
		break;
	}
	return false;
}

void adding_find_free(struct adding *x, adding_test *is, const void *context)
{
	for (int i = 0; i < x->g->nodes.n; i++)
		x->is_free[i] = true;
	for (bool changed = true; changed;) {
		changed = false;
		for (int i = 0; i < x->g->nodes.n; i++) {
			bool now = x->is_free[i] && is(x, context, x->g->nodes.at[i]);
			changed |= now != x->is_free[i];
			x->is_free[i] = now;
		}
	}
}

/* ---- layouts that are written ---- */

static const struct model_value *value_of(const struct adding *x, const struct node *n)
{
	return &x->value[n->id];
}

/* On each axis that a layout parameter stands for, what it is bound to. */
static struct model_value bind_axes(struct adding *x, const struct node *n)
{
	struct model *m = x->m;
	const struct layout *given = &n->target->layout.layout;
	const struct model_value *has = value_of(x, n->in[0]), *from = NULL;
	for (int a = 0; a < n->place->naxes; a++) {
		int v = atom_variable(given->atom[a]);
		if (v >= 0 && !x->vars[v].layout) {
			x->vars[v] = *has;
			x->axis[v] = a;
		}
		if (v < 0 || x->vars[v].var < 0)
			continue;
		if (from && from->var != x->vars[v].var && !m->refused)
			m->refused = "a layout names parameters that stand for several open ones";
		from = &x->vars[v];
	}
	struct model_value out = {.place = n->place, .var = from ? from->var : -1, .n = from ? from->n : 1};
	out.layout = ARENA_ARRAY(m->arena, struct layout, out.n);
	for (int i = 0; i < out.n; i++) {
		out.layout[i] = *given;
		for (int a = 0; a < n->place->naxes; a++) {
			int v = atom_variable(given->atom[a]);
			if (v >= 0)
				out.layout[i].atom[a] = x->vars[v].layout[x->vars[v].var < 0 ? 0 : i].atom[x->axis[v]];
		}
	}
	return out;
}

static struct model_value target_of(struct adding *x, const struct node *n)
{
	const struct layout_spec *l = &n->target->layout;
	if (follows_forward(n))
		return *value_of(x, n->forward);
	if (l->form == LAYOUT_VAR) {
		struct model_value *bound = &x->vars[l->var];
		if (!bound->layout)
			*bound = *value_of(x, n->in[0]);
		return *bound;
	}
	for (int a = 0; a < n->place->naxes; a++)
		if (atom_variable(l->layout.atom[a]) >= 0)
			return bind_axes(x, n);
	return model_given(x->m, n->place, &l->layout);
}

static void add_given(struct adding *x, const struct node *n)
{
	struct model_value to = target_of(x, n);
	to.is_free = false;
	if (adding_decides(n))
		adding_pay(x, n->in[0], &to);
	else
		model_pay(x->m, n->in[0], value_of(x, n->in[0]), &to,
			  n->kind == NODE_TO ? model_price_move : model_price_free);
	x->value[n->id] = to;
	int open = n->target->layout.form == LAYOUT_GIVEN ? layout_open(n->place, &n->target->layout.layout) : -1;
	if (n->kind == NODE_TO && open >= 0)
		vec_push(x->m->arena, &x->m->moves, ((struct model_move){open, *value_of(x, n->in[0]), to}));
	if (x->m->weight && n->kind == NODE_CONTRACT && adding_decides(n))
		model_add_usage(x->m, &to, n->dtype, &n->shape, 1); /* a gradient */
}

/* ---- slots, loops ---- */

static void add_slot(struct adding *x, const struct node *n)
{
	struct model_value *s = &x->m->slots[n->slot];
	struct layout whole = layout_broadcast();
	if (!s->layout)
		*s = model_fixed(x->m, n->place, &whole);
	x->value[n->id] = *s;
	x->value[n->id].place = n->place;
}

static void add_carry(struct adding *x, const struct node *n)
{
	struct layout *all;
	int count = layouts_of(x->m->arena, n->place, &n->shape, n->dtype != DT_BOOL, &all);
	struct model_value v = {.place = n->place, .var = model_variable(x->m, count), .n = count, .layout = all};
	model_pay(x->m, n->in[0], value_of(x, n->in[0]), &v, model_price_free);
	if (x->left[n->id].layout)
		model_pay(x->m, x->ends[n->id]->in[1], &x->left[n->id], &v, model_price_equal);
	x->value[n->id] = v;
}

static void add_end(struct adding *x, const struct node *n)
{
	x->value[n->id] = x->value[n->in[0]->id];
	model_pay(x->m, n->in[1], value_of(x, n->in[1]), &x->value[n->id], model_price_equal);
}

/* ---- what is kept ---- */

/* What the backward pass reads: values, and the tapes of loops, which have the layout that is stacked in each turn. */
static void add_kept(struct adding *x, const struct node *n)
{
	bool decides = adding_decides(n), is_tape = decides && n->kind == NODE_STACK && !adding_decides(n->in[0]);
	int64_t lines = n->kind == NODE_STACK ? n->shape.dim[0] : 1;
	if (is_tape && !x->is_free[n->in[0]->id])
		model_add_usage(x->m, &x->value[n->in[0]->id], n->dtype, &n->in[0]->shape, lines > 1 ? lines : 1);
	bool is_kept = (n->kind == NODE_MAP && x->is_read[n->id]) || n->kind == NODE_STACK;
	if (is_kept && !decides && !x->is_free[n->id])
		model_add_usage(x->m, &x->value[n->id], n->dtype, &n->shape, 1);
}

/* ---- the graph ---- */

static void add_node(struct adding *x, const struct node *n)
{
	struct layout whole = layout_broadcast();
	if (x->is_free[n->id]) {
		x->value[n->id] = model_fixed(x->m, n->place, &whole);
		x->value[n->id].is_free = true;
	} else if (n->kind == NODE_SLOT) {
		add_slot(x, n);
	} else if (n->kind == NODE_CARRY) {
		adding_decides(n) ? adding_decide_carry(x, n) : add_carry(x, n);
	} else if (n->kind == NODE_END) {
		adding_decides(n) ? adding_decide_end(x, n) : add_end(x, n);
	} else if (is_given(n)) {
		add_given(x, n);
	} else if (n->kind == NODE_STOP || (adding_decides(n) && (n->kind == NODE_CONTRACT || n->kind == NODE_TO) &&
					    n->place == n->in[0]->place)) {
		x->value[n->id] = x->value[n->in[0]->id];
		x->made[n->id] = x->made[n->in[0]->id];
	} else if (adding_decides(n)) {
		adding_decide(x, n);
	} else {
		adding_infer(x, n);
	}
	if (x->m->weight)
		add_kept(x, n);
}

static void forbid_parts(struct adding *x, const struct node *n)
{
	const struct model_value *v = value_of(x, n);
	for (int i = 0; i < v->n; i++)
		if (layout_has_partial(v->place, &v->layout[i]))
			model_forbid(x->m, v->var, i, n);
}

static void add_output(struct adding *x, const struct output *o)
{
	struct model_value *s = o->kind == OUTPUT_SLOT ? &x->m->slots[o->index] : NULL;
	if (!s)
		forbid_parts(x, o->node);
	else if (s->layout && adding_decides(o->node))
		adding_pay(x, o->node, s);
	else if (s->layout)
		model_pay(x->m, o->node, value_of(x, o->node), s, model_price_free);
	else
		*s = *value_of(x, o->node);
	if (s)
		s->is_free = false;
}

static bool is_carried_forward(const struct node *n, const struct loop *l)
{
	return n->kind == NODE_CARRY && n->of == l && !adding_decides(n);
}

/* What is computed again for gradients reads some of theirs, which the first turn leaves out. */
static bool has_inputs(const struct adding *x, const struct node *n)
{
	for (int i = 0; i < n->nin; i++)
		if (!x->value[n->in[i]->id].layout)
			return false;
	return true;
}

/* The first turn, with layouts that values begin with: inference goes on with those in which it leaves them, whatever
 * else would stay as it is from turn to turn. What it takes is counted with the other turns. */
static void add_first_turn(struct adding *x, const struct loop *l, int from)
{
	struct model *m = x->m;
	const struct loop_extent to = loop_extent(l, x->g->nodes.at, x->g->nodes.n, from);
	int64_t weight = m->weight;
	bool carries = false;
	for (int i = from; i < to.exits; i++)
		carries |= is_carried_forward(x->g->nodes.at[i], l) && !x->is_free[i];
	if (!carries || x->is_first)
		return;
	m->weight = 0;
	x->is_first = true;
	for (int i = from; i < to.exits && !m->refused; i++) {
		const struct node *n = x->g->nodes.at[i];
		if (is_carried_forward(n, l))
			x->value[i] = x->value[n->in[0]->id];
		else if (!adding_decides(n) && has_inputs(x, n))
			add_node(x, n);
	}
	for (int i = from; i < to.exits; i++)
		if (is_carried_forward(x->g->nodes.at[i], l) && !x->is_free[i])
			x->left[i] = *value_of(x, x->ends[i]->in[1]);
	x->is_first = false;
	m->weight = weight;
}

static void add_nodes(struct adding *x, int64_t weight)
{
	const struct loop *inside = NULL;
	for (int i = 0; i < x->g->nodes.n && !x->m->refused; i++) {
		const struct node *n = x->g->nodes.at[i];
		x->m->weight = weight * solve_turns(n->loop);
		if (n->loop && n->loop != inside && !x->has_begun[n->loop->id]) {
			x->has_begun[n->loop->id] = true;
			add_first_turn(x, n->loop, i);
		}
		inside = n->loop;
		add_node(x, n);
	}
}

/* A slice that is assigned fetches what it reads: who reads it is not asked. */
static bool *find_waiting(struct arena *a, const struct graph *g)
{
	bool *may_wait = ARENA_ARRAY(a, bool, g->nodes.n);
	for (int id = 0; id < g->nodes.n; id++)
		may_wait[id] = true;
	for (int id = g->nodes.n - 1; id >= 0; id--) {
		const struct node *n = g->nodes.at[id];
		for (int i = 0; i < n->nin; i++) {
			enum waiting w = stage_waiting(n, i);
			may_wait[n->in[i]->id] &= w == WAITING_ENDS || (w == WAITING_GOES_ON && may_wait[id]);
		}
		may_wait[id] |= stage_puts(n);
	}
	return may_wait;
}

struct adding adding_new(struct model *m, const struct graph *g, int64_t weight)
{
	struct adding x = {.m = m, .g = g, .weight = weight};
	x.ends = graph_ends(g, m->arena);
	x.is_free = ARENA_ARRAY(m->arena, bool, g->nodes.n);
	x.readers = ARENA_ARRAY(m->arena, int, g->nodes.n);
	x.is_read = ARENA_ARRAY(m->arena, bool, g->nodes.n);
	x.may_wait = find_waiting(m->arena, g);
	x.choices = ARENA_ARRAY(m->arena, struct choice *, g->nodes.n);
	x.value = ARENA_ARRAY(m->arena, struct model_value, g->nodes.n);
	x.shared = ARENA_ARRAY(m->arena, struct model_value, g->nodes.n);
	x.left = ARENA_ARRAY(m->arena, struct model_value, g->nodes.n);
	x.has_begun = ARENA_ARRAY(m->arena, bool, g->loops.n);
	x.vars = ARENA_ARRAY(m->arena, struct model_value, g->nlayout_vars);
	x.axis = ARENA_ARRAY(m->arena, int, g->nlayout_vars);
	x.made = ARENA_ARRAY(m->arena, const struct node *, g->nodes.n);
	for (int i = 0; i < g->nodes.n; i++) {
		const struct node *n = g->nodes.at[i];
		x.made[i] = n;
		for (int k = 0; adding_decides(n) && k < n->nin; k++) {
			x.readers[n->in[k]->id]++;
			x.is_read[n->in[k]->id] |= n->kind != NODE_STACK;
		}
	}
	m->weight = weight;
	return x;
}

void model_add_graph(struct model *m, const struct graph *g, int64_t weight)
{
	struct adding x = adding_new(m, g, weight);
	adding_find_free(&x, is_free, NULL);
	add_nodes(&x, weight);
	m->weight = weight;
	for (int i = 0; i < g->outputs.n && !m->refused; i++)
		add_output(&x, &g->outputs.at[i]);
}
