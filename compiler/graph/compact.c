/* compact.c — keeping the node list in order: dropping what no output needs, and rewriting node by node.
 * Both work on the list itself: nodes stay where they are in memory, so pointers to those that stay remain good. */
#include "graph.h"

/* By layout parameter: the node that binds it, which is the first to name it; past the last where none does. */
static int *find_binders(const struct graph *g, struct arena *a)
{
	int *binder = ARENA_ARRAY(a, int, g->nlayout_vars), named[MAX_AXES];
	for (int v = 0; v < g->nlayout_vars; v++)
		binder[v] = g->nodes.n;
	for (int i = g->nodes.n - 1; i >= 0; i--)
		for (int k = node_variables(g->nodes.at[i], named) - 1; k >= 0; k--)
			binder[named[k]] = i;
	return binder;
}

struct marking {
	struct arena *arena;
	bool *needed;
	struct node **end; /* graph_ends; NULL: no loops */
	VEC(const struct node *) under_way;
};

static void need(struct marking *m, const struct node *n)
{
	if (!n || m->needed[n->id])
		return;
	m->needed[n->id] = true;
	vec_push(m->arena, &m->under_way, n);
}

static void need_for(struct marking *m, const struct node *n)
{
	for (int k = 0; k < n->nin; k++)
		need(m, n->in[k]);
	for (int i = 0; n->of && loop_asked(n->of, i); i++)
		need(m, *loop_asked(n->of, i));
	if (n->kind == NODE_CARRY)
		need(m, m->end[n->id]);
}

bool *graph_needed(const struct graph *g, struct arena *a, int n, struct node *const *of, bool by_layout)
{
	struct marking m = {.arena = a, .needed = ARENA_ARRAY(a, bool, g->nodes.n)};
	const int *binder = by_layout ? find_binders(g, a) : NULL;
	int named[MAX_AXES];
	m.end = g->loops.n ? graph_ends(g, a) : NULL;
	for (int i = 0; i < n; i++)
		need(&m, of[i]);
	while (m.under_way.n) {
		const struct node *x = m.under_way.at[--m.under_way.n];
		for (int k = by_layout ? node_variables(x, named) - 1 : -1; k >= 0; k--)
			need(&m, g->nodes.at[binder[named[k]]]);
		need_for(&m, x);
	}
	return m.needed;
}

int *graph_count_reads(const struct graph *g, struct arena *a)
{
	int *reads = ARENA_ARRAY(a, int, g->nodes.n);
	for (int i = 0; i < g->nodes.n; i++)
		for (int k = 0; k < g->nodes.at[i]->nin; k++)
			reads[g->nodes.at[i]->in[k]->id]++;
	for (int i = 0; i < g->outputs.n; i++)
		reads[g->outputs.at[i].node->id]++;
	for (int i = 0; i < g->loops.n; i++)
		for (int k = 0; loop_asked(g->loops.at[i], k); k++)
			reads[(*loop_asked(g->loops.at[i], k))->id]++;
	return reads;
}

/* A node outside the list has no place in it. */
static bool stays(const struct graph *g, const bool *needed, const struct node *n)
{
	return n && n->id < g->nodes.n && g->nodes.at[n->id] == n && needed[n->id];
}

void graph_drop_loops(struct graph *g)
{
	if (!g->loops.n)
		return;
	bool *is_used = ARENA_ARRAY(g->arena, bool, g->loops.n);
	for (int i = 0; i < g->nodes.n; i++)
		for (const struct loop *l = g->nodes.at[i]->of; l; l = l->outer)
			is_used[l->id] = true;
	int kept = 0;
	for (int i = 0; i < g->loops.n; i++)
		if (is_used[i])
			g->loops.at[kept++] = g->loops.at[i];
	g->loops.n = kept;
	for (int i = 0; i < kept; i++)
		g->loops.at[i]->id = i;
}

void graph_compact(struct graph *g)
{
	struct node **outputs = ARENA_ARRAY(g->arena, struct node *, g->outputs.n);
	for (int i = 0; i < g->outputs.n; i++)
		outputs[i] = g->outputs.at[i].node;
	bool *needed = graph_needed(g, g->arena, g->outputs.n, outputs, true);
	/* `forward` and `after` are read while ids are still the old ones. */
	for (int i = 0; i < g->nodes.n; i++) {
		struct node *n = g->nodes.at[i];
		n->forward = stays(g, needed, n->forward) ? n->forward : NULL;
		n->after = stays(g, needed, n->after) ? n->after : NULL;
	}
	int kept = 0;
	for (int i = 0; i < g->nodes.n; i++)
		if (needed[i])
			g->nodes.at[kept++] = g->nodes.at[i];
	g->nodes.n = kept;
	for (int i = 0; i < kept; i++)
		g->nodes.at[i]->id = i;
	graph_drop_loops(g);
	const char *wrong = graph_order(g);
	BUG_IF(wrong, "%s", wrong);
}

static struct node *follow(const struct node *n)
{
	return n->instead ? n->instead : (struct node *)n;
}

/* An empty list in memory that an earlier one had. */
static void begin_list(struct graph *g)
{
	int n = g->nodes.n;
	if (g->spare.cap < n) {
		g->spare.cap = n + n / 8;
		g->spare.at = ARENA_ARRAY(g->arena, struct node *, g->spare.cap);
	}
	g->nodes.at = g->spare.at;
	g->nodes.cap = g->spare.cap;
	g->nodes.n = 0;
}

bool graph_rewrite(struct graph *g, graph_rewriter *f, void *context)
{
	struct node **old = g->nodes.at;
	int n = g->nodes.n, cap = g->nodes.cap;
	bool changed = false;
	begin_list(g);
	for (int i = 0; i < n; i++) {
		struct node *x = old[i];
		for (int k = 0; k < x->nin; k++)
			x->in[k] = follow(x->in[k]);
		if (x->forward)
			x->forward = follow(x->forward);
		if (x->after)
			x->after = follow(x->after);
		struct node *y = f(g, x, context, &changed);
		if (y == x) {
			x->id = g->nodes.n;
			vec_push(g->arena, &g->nodes, x);
			continue;
		}
		changed = true;
		x->instead = y;
	}
	for (int i = 0; i < g->outputs.n; i++)
		g->outputs.at[i].node = follow(g->outputs.at[i].node);
	for (int i = 0; i < g->loops.n; i++) {
		struct loop *l = g->loops.at[i];
		for (int k = 0; loop_asked(l, k); k++)
			*loop_asked(l, k) = follow(*loop_asked(l, k));
	}
	g->spare.at = old;
	g->spare.cap = cap;
	if (changed) {
		const char *wrong = graph_order(g);
		BUG_IF(wrong, "%s", wrong);
	}
	return changed;
}
