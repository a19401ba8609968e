/* unfinished.c — the walk over a laid-out graph (README.md): every node becomes a value, finished or not, and outputs
 * are finished. */
#include "rewrite.h"

#include "../compiler.h"
#include "../layout/parts.h"
#include "../layout/routes.h"
#include "../layout/scans.h"
#include "../layout/verify.h"

#include <string.h>

bool is_unfinished(const struct value *v)
{
	return v->kind != VALUE_FINISHED;
}

struct value append(struct rewrite *w, struct node *n)
{
	n->id = w->g->nodes.n;
	vec_push(w->g->arena, &w->g->nodes, n);
	return (struct value){.kind = VALUE_FINISHED, .old = n, .node = n};
}

struct value keep(struct rewrite *w, struct node *n)
{
	for (int k = 0; k < n->nin; k++)
		n->in[k] = value_of(w, n->in[k])->node;
	return append(w, n);
}

struct value made_again(struct node *n)
{
	return (struct value){.kind = VALUE_MADE, .old = n};
}

/* A slot may hold parts, but not with --reproducible (finish_slots). What is made from parts that must not be computed
 * with, or waits, is finished before it is kept in parts. */
static void rewrite_output(struct rewrite *w, struct output *o)
{
	struct value *v = value_of(w, o->node);
	const struct place *p = o->node->place;
	struct node_site at = node_site_of(o->node);
	struct layout l = o->node->layout, whole = l;
	if (w->exact ? is_float_part(o->node->dtype, p, &l)
		     : (v->kind == VALUE_MADE || v->waits) && is_float_sum(o->node->dtype, p, &l))
		whole = without_parts(p, &l);
	o->node = finish(w, v, p, &whole);
	if (!w->exact)
		o->node = add_to(w, &at, o->node, p, &l);
}

static const struct node *became(const struct rewrite *w, const struct node *n)
{
	const struct value *v = n ? map_get(&w->values, n) : NULL;
	return v ? v->node : NULL;
}

/* `forward` and `after` name what became of the node. */
static void relink_forward(struct rewrite *w)
{
	for (int i = 0; i < w->g->nodes.n; i++) {
		struct node *n = w->g->nodes.at[i];
		n->forward = became(w, n->forward);
		n->after = became(w, n->after);
	}
}

/* All atoms mean the same on an axis of one rank: B from here on. */
static void plain_layouts(struct graph *g)
{
	for (int i = 0; i < g->nodes.n; i++) {
		struct node *n = g->nodes.at[i];
		n->layout = layout_plain(n->place, &n->layout);
		if (n->kind == NODE_TO)
			graph_retarget(g, n)->layout.layout = n->layout;
	}
}

static bool has_float_sums(const struct graph *g)
{
	for (int i = 0; i < g->nodes.n; i++) {
		const struct node *n = g->nodes.at[i];
		if (is_float_sum(n->dtype, n->place, &n->layout))
			return true;
	}
	return false;
}

static void rewrite_graph(struct session *s, struct graph *g)
{
	struct rewrite w = {.session = s, .g = g, .arena = g->arena, .exact = s->options.reproducible};
	if (!w.exact && !has_float_sums(g))
		return;
	plain_layouts(g);
	struct node **old = g->nodes.at;
	int n = g->nodes.n;
	map_init(&w.values, g->arena);
	map_init(&w.bounds, g->arena);
	memset(&g->nodes, 0, sizeof g->nodes);
	for (int i = 0; i < n; i++) {
		struct value *v = ARENA_NEW(g->arena, struct value);
		*v = w.exact ? rewrite_exactly(&w, old[i]) : rewrite_parts(&w, old[i]);
		map_set(&w.values, old[i], v);
	}
	for (int i = 0; i < g->outputs.n; i++)
		rewrite_output(&w, &g->outputs.at[i]);
	rewrite_asked(&w);
	relink_forward(&w);
	graph_compact(g);
}

/* A variable that was given parts first keeps them finished: it is a float on every rank, and its sum would depend on
 * how it was shared out. */
static void finish_slots(struct program *p)
{
	for (int i = 0; i < p->slots.n; i++) {
		struct slot *s = p->slots.at[i];
		if (s->place && s->is_laid_out && is_float_part(s->dtype, s->place, &s->laid_out))
			s->laid_out = without_parts(s->place, &s->laid_out);
	}
}

void compiler_unfinished(struct program *p)
{
	if (p->session->options.reproducible)
		finish_slots(p);
	for (int i = 0; i < p->regions.n; i++) {
		struct graph *g = p->regions.at[i]->graph;
		if (g->stage != GRAPH_LAID_OUT)
			continue;
		if (!p->session->options.reproducible)
			scans_write(g);
		rewrite_graph(p->session, g);
		routes_write(g);
		const char *wrong = graph_verify(g);
		BUG_IF(wrong, "after rewriting what is unfinished in region %d: %s", i, wrong);
		wrong = layout_verify(g);
		BUG_IF(wrong, "layouts after rewriting what is unfinished in region %d: %s", i, wrong);
	}
}
