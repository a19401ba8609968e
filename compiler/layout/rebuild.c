/* rebuild.c — writes the decisions into the graph. Each value gets the conversions that its users want, as `to` nodes
 * before the first user, equal ones once, along the cheapest tree; contracts, stops and whatever changes nothing go;
 * results for the host are brought to every rank. What no output needs is dropped. In: GRAPH_PLACED with notes.  Out:
 * GRAPH_LAID_OUT. */
#include "stage.h"

#include "../program.h"

/* A value of the old graph in the new one: as it is made, and converted. */
struct made {
	struct node *node; /* in the new list; NULL: not there yet */
	VEC(struct wanted) wanted;
	int *parent; /* by wanted layout: the one it is converted from, -1: the node itself */
	struct node **converted;
};

struct rebuild {
	struct stage *st;
	struct graph *g;
	struct made *made; /* by old id */
	VEC(struct node *) old;
};

static int find_wanted(const struct made *m, const struct node *v, const struct layout *l)
{
	for (int i = 0; i < m->wanted.n; i++)
		if (layout_same(v->place, &m->wanted.at[i].layout, l))
			return i;
	for (int i = 0; i < m->wanted.n; i++)
		if (convert_serves(&v->shape, v->place, &m->wanted.at[i].layout, l))
			return i;
	return -1;
}

/* user: NULL: an output, a loop, or the value itself. */
static void want(struct rebuild *r, struct node *x, const struct layout *l, const struct node *user)
{
	struct node *v = stage_value(r->st, x);
	struct made *m = &r->made[v->id];
	if (layout_same(v->place, &v->layout, l))
		return;
	struct wanted w = stage_wanted(r->st, v, v->place, user, l, user ? &user->layout : l);
	int known = find_wanted(m, v, l);
	if (known < 0)
		vec_push(r->st->arena, &m->wanted, w);
	else
		wanted_join(&m->wanted.at[known], &w);
}

static void want_asked(struct rebuild *r, struct node *x)
{
	struct layout whole = layout_broadcast();
	if (r->st->notes[x->id].is_live)
		want(r, x, &whole, NULL);
}

static void collect_wanted(struct rebuild *r)
{
	for (int i = 0; i < r->old.n; i++) {
		const struct node *n = r->old.at[i];
		const struct note *note = &r->st->notes[i];
		for (int k = 0; note->is_live && !note->is_alias && k < n->nin; k++)
			want(r, n->in[k], &note->want[k], n);
		if (note->is_live && note->between)
			want(r, r->old.at[i], note->between, NULL);
	}
	for (int i = 0; i < r->g->outputs.n; i++)
		want(r, r->g->outputs.at[i].node, &r->st->output_want[i], NULL);
	for (int i = 0; i < r->g->loops.n; i++)
		for (int k = 0; loop_asked(r->g->loops.at[i], k); k++)
			want_asked(r, *loop_asked(r->g->loops.at[i], k));
	for (int i = 0; i < r->old.n; i++) {
		const struct node *n = r->old.at[i];
		struct made *m = &r->made[i];
		m->wanted.n = convert_join_windows(r->st->costs, n->dtype, &n->shape, n->place, &n->layout, m->wanted.n,
						   m->wanted.at);
		m->parent = ARENA_ARRAY(r->st->arena, int, m->wanted.n);
		m->converted = ARENA_ARRAY(r->st->arena, struct node *, m->wanted.n);
		convert_tree(r->st->costs, n->dtype, &n->shape, n->place, &n->layout, m->wanted.n, m->wanted.at,
			     m->parent);
	}
}

/* A conversion that moves bytes is a consequence of its first user, of the backward pass if that is none; one that
 * moves none belongs to the value. What has no name is called as its first user is ("dw1"). */
static struct node *convert(struct rebuild *r, const struct node *v, struct node *x, const struct layout *l,
			    const struct node *user, const char *name)
{
	struct node_site at = node_site_of(v);
	if (convert_bytes(r->st->costs, x->dtype, &x->shape, x->place, &x->layout, x->place, l)) {
		bool forward = user && user->origin == ORIGIN_SOURCE;
		at = forward ? node_site_of(user) : at;
		at.origin = forward ? ORIGIN_SOURCE : ORIGIN_BACKWARD;
	}
	at.name = v->name ? v->name : name;
	return graph_moved(r->g, &at, x, x->place, l);
}

/* Value x of the old graph in layout l, for a user (NULL: an output or a loop) of that name. Parents form a chain that
 * ends at the value. */
static struct node *get(struct rebuild *r, struct node *x, const struct layout *l, const struct node *user,
			const char *name)
{
	const struct node *v = stage_value(r->st, x);
	struct made *m = &r->made[v->id];
	int chain[MAX_WANTED + 1], n = 0;
	for (int i = find_wanted(m, v, l); i >= 0 && !m->converted[i]; i = m->parent[i])
		chain[n++] = i;
	while (n-- > 0) {
		int i = chain[n];
		struct node *from = m->parent[i] < 0 ? m->node : m->converted[m->parent[i]];
		m->converted[i] = convert(r, v, from, &m->wanted.at[i].layout, user, name);
	}
	int i = find_wanted(m, v, l);
	return i < 0 ? m->node : m->converted[i];
}

static bool leaves_as_is(const struct node *n)
{
	if (n->kind != NODE_TO && n->kind != NODE_CONTRACT)
		return false;
	return n->place == n->in[0]->place && layout_same(n->place, &n->layout, &n->in[0]->layout);
}

static void rebuild_node(struct rebuild *r, struct node *n, int id)
{
	const struct note *note = &r->st->notes[id];
	if (!note->is_live || note->is_alias)
		return;
	for (int i = 0; i < n->nin; i++)
		n->in[i] = get(r, n->in[i], &note->want[i], n, n->name);
	if (leaves_as_is(n)) {
		r->made[id].node = n->in[0];
		return;
	}
	BUG_IF(n->kind == NODE_CONTRACT, "a contract would move a value");
	if (n->kind == NODE_TO) {
		struct node_target *t = graph_retarget(r->g, n);
		t->place = n->place;
		t->layout = (struct layout_spec){.form = LAYOUT_GIVEN, .layout = n->layout, .span = t->layout.span};
	}
	vec_push(r->g->arena, &r->g->nodes, n);
	r->made[id].node = n;
}

static void rebuild_output(struct rebuild *r, int i)
{
	struct output *o = &r->g->outputs.at[i];
	const struct place *world = r->g->program->places.at[0];
	struct layout whole = layout_broadcast();
	const char *name = o->kind == OUTPUT_SLOT ? r->g->program->slots.at[o->index]->name : NULL;
	struct node *x = get(r, o->node, &r->st->output_want[i], NULL, name);
	if (o->kind == OUTPUT_HOST && (x->place != world || !layout_same(world, &x->layout, &whole))) {
		struct node_site at = node_site_of(x);
		at.span = o->span.file ? o->span : at.span;
		at.origin = ORIGIN_SOURCE;
		x = graph_moved(r->g, &at, x, world, &whole);
	}
	o->node = x;
}

/* A loop that nobody needs asks nothing more, and goes. */
static void rebuild_loop(struct rebuild *r, struct loop *l)
{
	struct layout whole = layout_broadcast();
	for (int k = 0; loop_asked(l, k); k++) {
		struct node **x = loop_asked(l, k);
		if (r->st->notes[(*x)->id].is_live)
			*x = get(r, *x, &whole, NULL, NULL);
	}
}

/* `forward` and `after` point at what became of the node. */
static void relink_forward(struct rebuild *r)
{
	struct map now;
	map_init(&now, r->st->arena);
	for (int i = 0; i < r->old.n; i++)
		map_set(&now, r->old.at[i], r->made[stage_value(r->st, r->old.at[i])->id].node);
	for (int i = 0; i < r->g->nodes.n; i++) {
		struct node *n = r->g->nodes.at[i];
		if (n->forward)
			n->forward = map_get(&now, n->forward);
		if (n->after)
			n->after = map_get(&now, n->after);
	}
}

void stage_rebuild(struct stage *st)
{
	struct rebuild r = {.st = st, .g = st->graph};
	int n = r.g->nodes.n;
	r.made = ARENA_ARRAY(st->arena, struct made, n);
	for (int i = 0; i < n; i++)
		vec_push(st->arena, &r.old, r.g->nodes.at[i]);
	collect_wanted(&r);
	r.g->nodes.at = NULL;
	r.g->nodes.n = r.g->nodes.cap = 0;
	/* Notes are found by old ids, so nodes get new ones only in a second walk. */
	for (int i = 0; i < n; i++)
		rebuild_node(&r, r.old.at[i], i);
	for (int i = 0; i < r.g->outputs.n; i++)
		rebuild_output(&r, i);
	for (int i = 0; i < r.g->loops.n; i++)
		rebuild_loop(&r, r.g->loops.at[i]);
	relink_forward(&r);
	r.g->stage = GRAPH_LAID_OUT;
	for (int i = 0; i < r.g->nodes.n; i++)
		r.g->nodes.at[i]->id = i;
	graph_compact(r.g);
}
