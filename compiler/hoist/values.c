/* values.c — numbers for values (values.h): equal keys, written from what a value follows from, have equal numbers. */
#include "values.h"

enum key_kind { KEY_NODE, KEY_SOURCE, KEY_LOOP, KEY_NUMBER };

struct writer {
	struct values *v;
	const struct graph *g;
	const struct host_stmt *run;
	struct node **ends; /* graph_ends */
	int *number;        /* by node id: of those in front */
	/* What an exit of a loop is computed from there, in an order that follows from that alone. */
	int begin, end; /* the ids of the loop's nodes; equal: there is none */
	int *position;  /* by id: where in `order`, from 1; 0: not yet */
	int *loop;      /* by id of a loop: which it is of those there, from 1; 0: not met yet */
	int nloops;     /* that were met */
	VEC(struct node *) order;
	VEC(struct node *) next; /* to be looked at, the last one first */
};

void values_begin(struct values *v, struct arena *a, const struct program *p, const struct host_function *f)
{
	*v = (struct values){.arena = a, .p = p};
	memo_init(&v->known, a);
	v->mesh = ARENA_ARRAY(a, int, p->places.n);
	for (int i = 0; i < p->places.n; i++)
		while (!place_same_mesh(p->places.at[v->mesh[i]], p->places.at[i]))
			v->mesh[i]++;
	for (int i = 0; i < f->vars.n; i++)
		vec_push(a, &v->variables, values_fresh(v));
	for (int i = 0; i < p->slots.n; i++)
		vec_push(a, &v->slots, values_fresh(v));
}

int values_fresh(struct values *v)
{
	return ++v->n;
}

struct values values_copy(struct values *v)
{
	struct values c = {0};
	for (int i = 0; i < v->variables.n; i++)
		vec_push(v->arena, &c.variables, v->variables.at[i]);
	for (int i = 0; i < v->slots.n; i++)
		vec_push(v->arena, &c.slots, v->slots.at[i]);
	return c;
}

void values_back(struct values *v, const struct values *then)
{
	for (int i = 0; i < then->variables.n; i++)
		v->variables.at[i] = then->variables.at[i];
	for (int i = 0; i < then->slots.n; i++)
		v->slots.at[i] = then->slots.at[i];
}

void values_forget(struct values *v, const struct changes *c)
{
	for (int i = 0; i < c->variables.n; i++)
		v->variables.at[c->variables.at[i]] = values_fresh(v);
	for (int i = 0; i < c->slots.n; i++)
		values_kept(v, c->slots.at[i], values_fresh(v));
}

/* The number of the key that was written. */
static int known(struct values *v)
{
	void **at = memo_find(&v->known);
	if (!*at)
		*at = (void *)(intptr_t)values_fresh(v);
	return (int)(intptr_t)*at;
}

static int of_number(struct values *v, const struct host_expr *x)
{
	int arg[sizeof x->arg / sizeof *x->arg];
	switch (x->kind) {
	case HOST_VAR:
		return v->variables.at[x->index];
	case HOST_CONST:
	case HOST_APPLY:
	case HOST_SELECT:
		for (int i = 0; i < x->nargs; i++)
			arg[i] = of_number(v, x->arg[i]);
		memo_begin(&v->known);
		memo_add(&v->known, KEY_NUMBER);
		memo_add(&v->known, (uint64_t)x->kind << 16 | (uint64_t)x->type << 8 | (uint64_t)x->op);
		memo_add(&v->known, (uint64_t)x->i);
		memo_add(&v->known, (uint64_t)x->index);
		memo_add(&v->known, (uint64_t)((union scalar_value){.f = x->f}).i);
		memo_add_pointer(&v->known, x->text);
		for (int i = 0; i < x->nargs; i++)
			memo_add(&v->known, (uint64_t)arg[i]);
		return known(v);
	case HOST_CALL:
	case HOST_SLOT:
	case HOST_NUMBER:
		break;
	}
	return values_fresh(v);
}

static bool is_inside(const struct writer *w, const struct node *n)
{
	return n->id >= w->begin && n->id < w->end;
}

static void add_reference(struct writer *w, const struct node *n)
{
	if (!n)
		memo_add(&w->v->known, 0);
	else if (is_inside(w, n))
		memo_add(&w->v->known, (uint64_t)w->position[n->id] << 32);
	else
		memo_add(&w->v->known, (uint64_t)w->number[n->id]);
}

static void add_where(struct writer *w, const struct node *n)
{
	memo_add(&w->v->known, n->place ? (uint64_t)w->v->mesh[n->place->id] + 1 : 0);
	if (n->place)
		layout_add_key(&w->v->known, n->place, &n->layout);
}

static void add_node(struct writer *w, const struct node *n)
{
	node_add_key(&w->v->known, n);
	add_where(w, n);
	for (int i = 0; i < n->nin; i++)
		add_reference(w, n->in[i]);
}

/* What is read, and what nothing is known of. */
static bool is_source(const struct node *n)
{
	return n->kind == NODE_SLOT || n->kind == NODE_DATA || n->kind == NODE_HOST || n->kind == NODE_REMAT ||
	       n->batch;
}

static int of_source(struct writer *w, const struct node *n)
{
	struct values *v = w->v;
	if (n->batch || n->kind == NODE_REMAT)
		return values_fresh(v);
	if (n->kind == NODE_SLOT) /* params and states are also changed by what host code calls */
		return v->p->slots.at[n->slot]->slot_class == SLOT_VALUE ? v->slots.at[n->slot] : values_fresh(v);
	int argument = n->kind == NODE_DATA ? n->data.argument : n->argument;
	int number = of_number(v, w->run->args.at[argument]);
	memo_begin(&v->known);
	memo_add(&v->known, KEY_SOURCE);
	memo_add(&v->known, (uint64_t)n->kind);
	memo_add(&v->known, (uint64_t)number);
	memo_add(&v->known, n->kind == NODE_DATA ? (uint64_t)n->data.field : (uint64_t)n->dtype);
	add_where(w, n);
	return known(v);
}

static int of_node(struct writer *w, const struct node *n)
{
	if (is_source(n))
		return of_source(w, n);
	memo_begin(&w->v->known);
	memo_add(&w->v->known, KEY_NODE);
	add_node(w, n);
	return known(w->v);
}

static void add_loop(struct writer *w, struct loop *l)
{
	struct memo *m = &w->v->known;
	memo_add(m, (uint64_t)w->loop[l->id]);
	memo_add(m, (uint64_t)l->turns);
	memo_add(m, (uint64_t)l->most);
	memo_add(m, l->is_branch);
	for (int i = 0; loop_asked(l, i); i++)
		add_reference(w, *loop_asked(l, i));
}

static void look_at(struct writer *w, struct node *n)
{
	if (is_inside(w, n) && !w->position[n->id])
		vec_push(w->v->arena, &w->next, n);
}

/* From the exit on, each node once, behind it those it depends on: the same order in loops that compute the same,
 * however their nodes are listed and whatever else is computed there. */
static void find_order(struct writer *w, struct node *exit)
{
	look_at(w, exit);
	while (w->next.n) {
		struct node *n = w->next.at[--w->next.n];
		if (w->position[n->id])
			continue;
		vec_push(w->v->arena, &w->order, n);
		w->position[n->id] = w->order.n;
		if (n->of && !w->loop[n->of->id])
			w->loop[n->of->id] = ++w->nloops;
		for (int i = 0; n->of && loop_asked(n->of, i); i++)
			look_at(w, *loop_asked(n->of, i));
		if (n->kind == NODE_CARRY)
			look_at(w, w->ends[n->id]);
		for (int i = 0; i < n->nin; i++)
			look_at(w, n->in[i]);
	}
}

static void forget_order(struct writer *w)
{
	for (int i = 0; i < w->order.n; i++) {
		w->position[w->order.at[i]->id] = 0;
		if (w->order.at[i]->of)
			w->loop[w->order.at[i]->of->id] = 0;
	}
	w->order.n = w->nloops = 0;
}

static int of_exit(struct writer *w, struct node *exit)
{
	find_order(w, exit);
	memo_begin(&w->v->known);
	memo_add(&w->v->known, KEY_LOOP);
	for (int i = 0; i < w->order.n; i++) {
		add_node(w, w->order.at[i]);
		if (w->order.at[i]->of)
			add_loop(w, w->order.at[i]->of);
	}
	forget_order(w);
	return known(w->v);
}

static void of_loop(struct writer *w, int begin, int end)
{
	bool is_known = true;
	for (int i = begin; i < end; i++)
		is_known = is_known && !w->g->nodes.at[i]->batch && w->g->nodes.at[i]->kind != NODE_REMAT;
	w->begin = begin;
	w->end = end;
	for (int i = begin; i < end; i++)
		w->number[i] =
			w->g->nodes.at[i]->loop || !is_known ? values_fresh(w->v) : of_exit(w, w->g->nodes.at[i]);
	w->begin = w->end = 0;
}

int *values_of_graph(struct values *v, const struct graph *g, const struct host_stmt *run)
{
	struct arena *a = v->arena;
	struct writer w = {.v = v, .g = g, .run = run, .ends = graph_ends(g, a)};
	w.number = ARENA_ARRAY(a, int, g->nodes.n);
	w.position = ARENA_ARRAY(a, int, g->nodes.n);
	w.loop = ARENA_ARRAY(a, int, g->loops.n);
	for (int i = 0; i < g->nodes.n;) {
		int end = graph_whole_end(g, i);
		if (node_whole_loop(g->nodes.at[i]))
			of_loop(&w, i, end);
		else
			w.number[i] = of_node(&w, g->nodes.at[i]);
		i = end;
	}
	return w.number;
}

void values_kept(struct values *v, int slot, int number)
{
	while (v->slots.n <= slot)
		vec_push(v->arena, &v->slots, values_fresh(v));
	v->slots.at[slot] = number;
}

static bool is_as_declared(const struct slot *s, const struct node *n)
{
	return n->place == s->place && n->dtype == s->dtype && layout_equal(n->place, &n->layout, &s->laid_out);
}

static void after_region(struct values *v, const struct graph *g, const int *number)
{
	for (int i = 0; i < g->outputs.n; i++) {
		const struct output *o = &g->outputs.at[i];
		if (o->kind == OUTPUT_SLOT && is_as_declared(v->p->slots.at[o->index], o->node))
			values_kept(v, o->index, number[o->node->id]);
	}
}

void values_after(struct values *v, const struct host_stmt *s, const int *number)
{
	int set = s->kind == HOST_SET ? of_number(v, s->expr) : 0;
	struct changes c = changes_find(v->arena, v->p, s);
	values_forget(v, &c);
	if (s->kind == HOST_SET)
		v->variables.at[s->var] = set;
	else if (s->kind == HOST_REGION)
		after_region(v, v->p->regions.at[s->region]->graph, number);
}
