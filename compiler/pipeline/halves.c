/* halves.c — loops of backward passes in two, where the schedule has these passes in two.
 *
 * A backward loop over layers carries what the stage before waits for and makes gradients of weights on the way. In one
 * piece, all of it would be waited for. So what does not lead to a change of ranks becomes a loop of its own, behind
 * the other and with as many turns; what it reads of the other is stacked there. Only who computes what when is
 * changed, not what is computed: values have the same bits. A loop inside of such a loop stays in one piece.
 * Micro-batches may be turns of a loop around them or not. */
#include "../layout/choice.h"
#include "passes.h"

struct halves {
	struct arena *arena;
	struct graph *graph;
	int n;             /* nodes as they were */
	struct node **end; /* by CARRY */
	bool *waited;      /* by node: a change of ranks needs it */
	VEC(struct node *) todo;
	struct loop_nodes {
		VEC(struct node *) at;
	} * exits, *in;     /* by loop: what leaves it; of one that is in no other, all that is a part of it */
	struct node **read; /* by node of the first half: what the second reads instead */
};

/* The loop of micro-batches that the node is a part of, while these are turns. */
static struct loop *batches_of(const struct node *x)
{
	struct loop *l = node_whole_loop(x);
	return l && l->batch ? l : NULL;
}

static bool is_split(const struct node *x)
{
	const struct loop *l = batches_of(x);
	const struct microbatch *m = l ? l->batch : x->batch;
	return m && schedule_splits(m->schedule);
}

/* Whether l is in no other, of a micro-batch. */
static bool is_outermost(const struct loop *l)
{
	return !l->batch && (!l->outer || l->outer->batch);
}

/* The outermost loop of a micro-batch that the node is a part of. */
static struct loop *outermost_of(const struct node *x)
{
	struct loop *l = node_part_of(x), *around = batches_of(x);
	return l && l != around ? loop_below(l, around) : NULL;
}

static void want(struct halves *h, struct node *x)
{
	if (h->waited[x->id] || !is_split(x))
		return;
	h->waited[x->id] = true;
	vec_push(h->arena, &h->todo, x);
}

/* The next turn of a loop reads what is carried; a loop in another is wanted as a whole, with what it asks. */
static void want_sources(struct halves *h, struct node *x)
{
	for (int k = 0; k < x->nin; k++)
		want(h, x->in[k]);
	if (x->kind == NODE_CARRY)
		want(h, h->end[x->id]);
	struct loop *l = node_part_of(x);
	for (struct loop *in = l; in && !in->batch && !is_outermost(in); in = in->outer) {
		for (int k = 0; loop_asked(in, k); k++)
			want(h, *loop_asked(in, k));
		for (int k = 0; k < h->exits[in->id].at.n; k++)
			want(h, h->exits[in->id].at.at[k]);
	}
}

/* A stack of what is in the first half anyway is there, too. */
static void find_waited(struct halves *h)
{
	for (int i = 0; i < h->n; i++) {
		struct node *x = h->graph->nodes.at[i];
		const struct loop *l = outermost_of(x);
		if (node_is_exit(x))
			vec_push(h->arena, &h->exits[x->of->id].at, x);
		if (l)
			vec_push(h->arena, &h->in[l->id].at, x);
	}
	for (int i = 0; i < h->n; i++) {
		struct node *x = h->graph->nodes.at[i];
		if (is_split(x) && x->kind == NODE_TO && !place_same_ranks(x->place, x->in[0]->place))
			want(h, x->in[0]);
	}
	while (h->todo.n)
		want_sources(h, h->todo.at[--h->todo.n]);
	for (int i = 0; i < h->n; i++) {
		struct node *x = h->graph->nodes.at[i];
		if (x->kind == NODE_STACK && is_outermost(x->of) && h->waited[x->in[0]->id])
			h->waited[i] = true;
	}
}

/* The second half of l reads x in the first. */
static bool is_between(const struct halves *h, const struct loop *l, const struct node *x)
{
	return x->id < h->n && x->loop == l && h->waited[x->id];
}

/* Whether some of it is waited for and some is not, which can be taken apart. */
static bool has_halves(const struct halves *h, const struct loop *l)
{
	bool backward = false, waited = false, rest = false;
	if (!is_outermost(l) || l->stages || l->turns < 1)
		return false;
	for (int i = 0; i < h->in[l->id].at.n; i++) {
		const struct node *x = h->in[l->id].at.at[i];
		if (!is_split(x))
			return false;
		backward |= x->origin == ORIGIN_BACKWARD && x->kind != NODE_STACK;
		waited |= x->of == l && node_is_exit(x) && h->waited[x->id];
		rest |= x->of == l && node_is_exit(x) && !h->waited[x->id];
		for (int k = 0; k < x->nin && !h->waited[x->id]; k++)
			if (is_between(h, l, x->in[k]) && x->in[k]->shape.rank == MAX_RANK)
				return false;
	}
	return backward && waited && rest;
}

static struct node *entry_again(struct graph *g, const struct node *x, struct loop *second)
{
	struct node *y = graph_node(g);
	*y = *x;
	y->of = y->loop = second;
	vec_push(g->arena, &g->nodes, y);
	return y;
}

/* What the second half of l reads instead of x. */
static struct node *read_from(struct halves *h, struct loop *l, struct loop *second, struct node *x)
{
	if (!is_between(h, l, x))
		return x;
	if (h->read[x->id])
		return h->read[x->id];
	if (x->kind == NODE_LINE || x->kind == NODE_TURN)
		return h->read[x->id] = entry_again(h->graph, x, second);
	struct node_site at = node_site_of(x);
	struct node *lines = graph_stack(h->graph, &at, l, x, false);
	lines->layout = layout_of_lines(x->place, &x->layout);
	struct node *line = graph_line(h->graph, &at, second, 1, &lines, 0, 1, false);
	line->layout = x->layout;
	return h->read[x->id] = line;
}

static bool goes_along(const struct halves *h, const struct loop *inner, const struct loop *l)
{
	if (inner == l || !loop_is_in(inner, l))
		return false;
	while (inner->outer != l)
		inner = inner->outer;
	return !h->waited[h->exits[inner->id].at.at[0]->id];
}

static void take_apart(struct halves *h, struct loop *l)
{
	struct graph *g = h->graph;
	struct loop *second = graph_loop(g, NULL, l->turns, l->span);
	const struct loop_nodes *in = &h->in[l->id];
	int id = second->id;
	*second = *l;
	second->id = id;
	for (int i = 0; i < in->at.n; i++) {
		struct node *x = in->at.at[i];
		for (int k = 0; k < x->nin && !h->waited[x->id]; k++)
			x->in[k] = read_from(h, l, second, x->in[k]);
	}
	for (int i = 0; i < id; i++) {
		struct loop *inner = g->loops.at[i];
		for (int k = 0; goes_along(h, inner, l) && loop_asked(inner, k); k++)
			*loop_asked(inner, k) = read_from(h, l, second, *loop_asked(inner, k));
	}
	for (int i = 0; i < id; i++)
		if (g->loops.at[i]->outer == l && goes_along(h, g->loops.at[i], l))
			g->loops.at[i]->outer = second;
	for (int i = 0; i < in->at.n; i++)
		if (in->at.at[i]->of == l && !h->waited[in->at.at[i]->id])
			in->at.at[i]->of = second;
}

/* Outer ones first. */
static void sort_loops(struct arena *a, struct graph *g)
{
	struct loop **list = ARENA_ARRAY(a, struct loop *, g->loops.n);
	int n = 0;
	for (int depth = 0; n < g->loops.n; depth++)
		for (int i = 0; i < g->loops.n; i++) {
			int d = 0;
			for (const struct loop *l = g->loops.at[i]->outer; l; l = l->outer)
				d++;
			if (d == depth)
				list[n++] = g->loops.at[i];
		}
	for (int i = 0; i < n; i++) {
		g->loops.at[i] = list[i];
		list[i]->id = i;
	}
}

void passes_halve_loops(struct arena *a, struct graph *g)
{
	struct halves h = {.arena = a, .graph = g, .n = g->nodes.n};
	int nloops = g->loops.n;
	bool any = false;
	h.end = graph_ends(g, a);
	h.waited = ARENA_ARRAY(a, bool, h.n);
	h.exits = ARENA_ARRAY(a, struct loop_nodes, nloops);
	h.in = ARENA_ARRAY(a, struct loop_nodes, nloops);
	h.read = ARENA_ARRAY(a, struct node *, h.n);
	find_waited(&h);
	for (int i = 0; i < nloops; i++)
		if (has_halves(&h, g->loops.at[i])) {
			take_apart(&h, g->loops.at[i]);
			any = true;
		}
	if (!any)
		return;
	sort_loops(a, g);
	const char *wrong = graph_order(g);
	BUG_IF(wrong, "loops of backward passes in two: %s", wrong);
}
