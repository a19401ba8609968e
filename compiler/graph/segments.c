/* segments.c — a loop cut in segments of k turns: a loop of as many turns as there are segments, in each of which the
 * loop makes k turns, the last one what is left. It computes what it did, turn by turn.
 *
 *     for t in 0..n { h = f(h, x[t]); y[t] = h; }
 *     for s in 0..ceil(n / k) { for j in 0..min(k, n - k * s) { h = f(h, x[k * s + j]); y[k * s + j] = h; } }
 *
 * Whoever computes a segment again for gradients keeps what a segment begins with, and of one segment what its turns
 * make. What is carried is carried by both loops. Lines are lines of blocks: x as so many blocks of k lines, copied
 * only if it is not just that; what is stacked is stacked in blocks. A loop that a condition ends makes segments as
 * long as the last one was full. */
#include "graph.h"

struct cut {
	struct graph *g;
	struct loop *l, *segments;
	int64_t k;
	const struct node_site *at; /* of the loop, for what is made to count turns */
	const struct remat *inside; /* what stands in a segment stands in it; the rest further out */
	struct map *instead;
	struct node *first; /* the number of the turn that a segment begins with; NULL: nobody has asked yet */
};

static struct node *whole(struct cut *c, const struct node_site *at, int64_t v)
{
	return graph_int(c->g, at, DT_I64, v);
}

static struct node *first_turn(struct cut *c)
{
	if (!c->first)
		c->first = graph_pointwise(c->g, c->at, SC_MUL, graph_turn(c->g, c->at, c->segments), whole(c, c->at, c->k),
					   NULL);
	return c->first;
}

/* Lines of all segments together. */
static int64_t all_lines(const struct cut *c)
{
	return loop_lines(c->segments) * c->k;
}

static struct node *shaped(struct cut *c, const struct node_site *at, struct node *x, int n, const int64_t *first,
			   const struct shape *rest, int from)
{
	struct shape s = {.rank = n + rest->rank - from};
	for (int i = 0; i < n; i++)
		s.dim[i] = first[i];
	for (int i = from; i < rest->rank; i++)
		s.dim[n + i - from] = rest->dim[i];
	return graph_reshape(c->g, at, x, &s);
}

/* ---- lines ---- */

/* Several tensors as one. */
static struct node *joined(struct cut *c, const struct node_site *at, const struct node *line)
{
	if (line->nin == 1)
		return line->in[0];
	struct loop *l = graph_loop(c->g, c->segments->outer, line->nin, c->l->span);
	struct node *x = graph_line(c->g, at, l, line->nin, line->in, 0, 1, false);
	return graph_stack(c->g, at, l, x, false);
}

/* The turns read lines of the block that their segment reads. Of tensors with as many dimensions as there may be,
 * blocks have none of their own: their lines stand one behind the other. */
static void cut_line(struct cut *c, struct node *line)
{
	struct node_site at = node_site_of(line);
	struct node *x = joined(c, &at, line);
	struct shape s = x->shape;
	int64_t n = all_lines(c), step = line->line.step, first = line->line.first;
	bool merges = s.rank == MAX_RANK, forward = s.dim[0] == n && step == 1 && !first;
	bool backward = s.dim[0] == n && step == -1 && first == n - 1;
	int64_t blocks[2] = {n / c->k, merges ? c->k * s.dim[1] : c->k};
	BUG_IF(line->line.back, "lines from the end of a loop that is cut in segments");
	if (!forward && !backward)
		x = graph_lines(c->g, &at, x, n, first, step);
	x = shaped(c, &at, x, 2, blocks, &s, merges ? 2 : 1);
	x = graph_line(c->g, &at, c->segments, 1, &x, backward ? blocks[0] - 1 : 0, backward ? -1 : 1, false);
	if (merges)
		x = shaped(c, &at, x, 1, &c->k, &s, 1);
	line->in = ARENA_ARRAY(c->g->arena, struct node *, 1);
	line->in[0] = x;
	line->nin = 1;
	line->line.first = backward ? c->k - 1 : 0;
	line->line.step = backward ? -1 : 1;
}

static struct node *cut_stack(struct cut *c, const struct node *stack)
{
	struct node_site at = node_site_of(stack);
	struct shape s = stack->shape;
	int64_t n = s.dim[0], all = all_lines(c);
	bool back = stack->line.back, exact = n == all && c->l->turns >= 0;
	BUG_IF(!n, "what is stacked by a loop that is cut in segments has no size");
	struct node *x = graph_stack(c->g, &at, c->l, stack->in[0], back && exact);
	if (s.rank == MAX_RANK)
		x = shaped(c, &at, x, 1, (int64_t[]){c->k * s.dim[1]}, &s, 2);
	x = graph_stack(c->g, &at, c->segments, x, back && exact);
	x = shaped(c, &at, x, 1, &all, &s, 1);
	return exact ? x : graph_lines(c->g, &at, x, n, back ? n - 1 : 0, back ? -1 : 1);
}

/* ---- the loop ---- */

/* What n is from now on; n itself goes on as an exit of all segments, or inside of one. */
static void cut_node(struct cut *c, struct node *n)
{
	struct node_site at = node_site_of(n);
	struct node *x;
	if (n->kind == NODE_LINE) {
		cut_line(c, n);
	} else if (n->kind == NODE_CARRY) {
		n->in[0] = graph_carry(c->g, &at, c->segments, n->in[0]);
	} else if (n->kind == NODE_END) {
		x = graph_end(c->g, &at, n->in[0], n->in[1]);
		n->in[0] = n->in[0]->in[0];
		n->in[1] = x;
		n->of = c->segments;
	}
}

static void push(struct cut *c, struct node *n)
{
	n->loop = node_loop(n);
	n->id = c->g->nodes.n;
	vec_push(c->g->arena, &c->g->nodes, n);
}

/* Whose readers read something else instead. */
static void replace(struct cut *c, struct node *n)
{
	struct node_site at = node_site_of(n);
	if (n->kind == NODE_STACK) {
		map_set(c->instead, n, cut_stack(c, n));
		return;
	}
	struct node *first = first_turn(c);
	push(c, n);
	c->g->remat = c->inside;
	map_set(c->instead, n, graph_pointwise(c->g, &at, SC_ADD, first, n, NULL));
	c->g->remat = c->segments->remat;
}

static struct node *now(const struct cut *c, struct node *n)
{
	struct node *instead = n ? map_get(c->instead, n) : NULL;
	return instead ? instead : n;
}

static void cut_nodes(struct cut *c, int from)
{
	struct graph *g = c->g;
	int n = g->nodes.n - from;
	struct node **were = ARENA_ARRAY(g->arena, struct node *, n + 1);
	for (int i = 0; i < n; i++)
		were[i] = g->nodes.at[from + i];
	g->nodes.n = from;
	for (int i = 0; i < n; i++) {
		struct node *x = were[i];
		for (int k = 0; k < x->nin; k++)
			x->in[k] = now(c, x->in[k]);
		if (x->of == c->l && map_get(c->instead, x)) /* what nobody reads any more */
			continue;
		if (x->of == c->l && (x->kind == NODE_TURN || x->kind == NODE_STACK)) {
			replace(c, x);
			continue;
		}
		if (x->of == c->l)
			cut_node(c, x);
		push(c, x);
	}
	for (int i = c->l->id + 1; i < g->loops.n; i++)
		g->loops.at[i]->count = now(c, g->loops.at[i]->count);
}

/* ---- how many turns ---- */

/* n turns, or as many as `count` says, n at the most. */
static void set_counts(struct cut *c, int64_t n, struct node *count)
{
	struct graph *g = c->g;
	struct loop *l = c->l, *s = c->segments;
	bool known = l->turns >= 0;
	s->turns = known ? n / c->k + (n % c->k > 0) : -1;
	s->most = known || n < 0 ? -1 : n / c->k + (n % c->k > 0);
	l->turns = known && n % c->k == 0 ? c->k : -1;
	l->most = l->turns < 0 ? c->k : -1;
	l->count = NULL;
	if (count) { /* rounded up: (count - 1) / k, of no turn and less than none below 0, and 1 */
		struct node *k = whole(c, c->at, c->k), *one = whole(c, c->at, 1);
		struct node *last = graph_pointwise(g, c->at, SC_SUB, count, one, NULL);
		struct node *rest = graph_pointwise(g, c->at, SC_MOD, last, k, NULL);
		last = graph_pointwise(g, c->at, SC_DIV, graph_pointwise(g, c->at, SC_SUB, last, rest, NULL), k, NULL);
		s->count = graph_pointwise(g, c->at, SC_ADD, last, one, NULL);
	}
	if (l->turns >= 0)
		return;
	struct node *all = count ? count : whole(c, c->at, n);
	l->count = graph_pointwise(g, c->at, SC_MIN, graph_pointwise(g, c->at, SC_SUB, all, first_turn(c), NULL),
				   whole(c, c->at, c->k), NULL);
}

/* A segment ends with its last turn, too, and the next one begins if it was full. */
static void set_conditions(struct cut *c, struct node *condition)
{
	struct graph *g = c->g;
	struct node *k = whole(c, c->at, c->k);
	g->remat = c->inside;
	struct node *goes_on = graph_pointwise(g, c->at, SC_LT, graph_turn(g, c->at, c->l), k, NULL);
	c->l->condition = graph_pointwise(g, c->at, SC_AND, goes_on, condition, NULL);
	struct node *turns = graph_turns(g, c->at, c->l);
	g->remat = c->segments->remat;
	struct node *on = graph_carry(g, c->at, c->segments, graph_int(g, c->at, DT_BOOL, 1));
	graph_end(g, c->at, on, graph_pointwise(g, c->at, SC_EQ, turns, k, NULL));
	c->segments->condition = on;
}

void graph_cut(struct graph *g, const struct node_site *at, struct loop *l, struct loop *segments, int64_t k, int from,
	       struct map *instead)
{
	struct cut c = {
		.g = g, .l = l, .segments = segments, .k = k, .at = at, .inside = l->remat, .instead = instead};
	struct node *count = l->count;
	int64_t n = l->turns >= 0 ? l->turns : l->most;
	BUG_IF(segments->outer != l->outer || segments->id >= l->id, "segments that a loop cannot stand in");
	const struct remat *was = g->remat;
	g->remat = segments->remat;
	l->outer = segments;
	if (l->condition) {
		segments->most = n < 0 ? -1 : n / k + 1; /* the last one may be of no turn */
		l->most = k;
	} else {
		set_counts(&c, n, count);
	}
	cut_nodes(&c, from);
	if (l->condition)
		set_conditions(&c, l->condition);
	const char *wrong = graph_order_from(g, from);
	BUG_IF(wrong, "segments: %s", wrong);
	g->remat = was;
}
