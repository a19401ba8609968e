/* roll.c — the loops of a steady pipeline (steady.h).
 *
 * Node i over micro-batch t stands ahead of its loop if t < first(i), in it if t is first(i) + turn, else behind it.
 * What is read d turns after it was made is carried d times: one turn's is the next one's a turn older. So the loop
 * begins with what was computed ahead, and what is behind it begins with what is carried in the end. What a later loop
 * reads is stacked, and read line by line. What is cheap is computed once more where it is read later, as plans without
 * a loop do: is_again; ahead of the loop and behind it, too. */
#include "roll.h"

/* Where nodes are made. */
struct where {
	int in;      /* which loop of periods: in it, */
	bool rolled; /* in all turns; else ahead of it or behind it */
	int64_t micro;
	struct loop **twin; /* by loop inside: the one there */
};

/* ---- all nodes ---- */

static struct node *value(struct roller *r, const struct where *w, int reader, struct node *x)
{
	return w->rolled ? roll_value_in_turn(r, x, w->in, r->s->first[reader])
			 : roll_value_for(r, reader, x, w->micro);
}

/* The loop inside of the micro-batch, there. */
static struct loop *twin(struct roller *r, const struct where *w, struct loop *inner)
{
	if (inner == r->l)
		return w->rolled ? roll_loop_of(r, w->in) : NULL;
	if (!inner || !loop_is_in(inner, r->l))
		return inner;
	if (!w->twin[inner->id]) {
		struct loop *outer = twin(r, w, inner->outer), *x = graph_loop(r->g, NULL, inner->turns, inner->span);
		int id = x->id;
		*x = *inner;
		x->id = id;
		x->outer = outer;
		w->twin[inner->id] = x;
	}
	return w->twin[inner->id];
}

static int segment_of(const struct roller *r, const struct where *w, int i)
{
	struct steady *s = r->s;
	if (w->rolled)
		return s->segment[i];
	const struct node *x = r->body[i];
	int place = s->place[i], own = pass_unit(&s->units, place, (int)w->micro);
	/* A message of what is computed ahead of the loop, to whoever reads it there. */
	if (w->micro < s->first[i] && s->of_unit[own] > s->loops[w->in].begin)
		own = pass_unit(&s->units, s->place[roll_index_of(r, x->in[0])], (int)w->micro);
	return s->of_unit[own];
}

static struct node *known(struct roller *r, const struct where *w, const struct node *x)
{
	int i = x ? roll_index_of(r, x) : -1;
	if (i < 0)
		return (struct node *)x;
	return w->rolled ? r->made[i] : map_get_u64(&r->plain, roll_key(r, w->micro, i));
}

/* Which node a gradient belongs to, for names and plans: over another micro-batch if there is none there. */
static struct node *forward_of(struct roller *r, const struct where *w, const struct node *x)
{
	struct node *there = known(r, w, x);
	int i = x && !there ? roll_index_of(r, x) : -1;
	if (i < 0)
		return there;
	return r->made[i] ? r->made[i] : map_get_u64(&r->plain, roll_key(r, 0, i));
}

static struct node *copy(struct roller *r, const struct where *w, int i)
{
	struct node *n = r->body[i], *x = graph_node(r->g);
	struct node **in = ARENA_ARRAY(r->g->arena, struct node *, n->nin);
	for (int k = 0; k < n->nin; k++)
		in[k] = value(r, w, i, n->in[k]);
	*x = *n;
	x->in = in;
	x->forward = forward_of(r, w, n->forward);
	int after = n->after ? roll_index_of(r, n->after) : -1;
	bool apart = after >= 0 && (r->s->in[after] != w->in || r->s->first[after] != r->s->first[i]);
	x->after = w->rolled && apart ? NULL : known(r, w, n->after);
	x->of = n->of ? twin(r, w, n->of) : NULL;
	x->loop = node_loop(x);
	x->batch = r->l->batch;
	x->micro = w->rolled ? r->s->first[i] : (int)w->micro;
	x->segment = segment_of(r, w, i);
	vec_push(r->g->arena, &r->g->nodes, x);
	return x;
}

/* What inner loops ask, once all nodes there are made. */
static void ask(struct roller *r, const struct where *w, int nloops)
{
	for (int i = 0; i < r->n; i++) {
		struct loop *inner = node_part_of(r->body[i]);
		struct loop *x = inner && inner != r->l && inner->id < nloops ? w->twin[inner->id] : NULL;
		if (!x)
			continue;
		w->twin[inner->id] = NULL;
		x->count = inner->count ? value(r, w, i, inner->count) : NULL;
		x->condition = inner->condition ? value(r, w, i, inner->condition) : NULL;
		x->elsewhere.at = NULL;
		x->elsewhere.n = x->elsewhere.cap = 0;
		for (int k = 0; k < inner->elsewhere.n; k++)
			vec_push(r->g->arena, &x->elsewhere, value(r, w, i, inner->elsewhere.at[k]));
	}
}

static void make_plain(struct roller *r, int in, int64_t micro, bool behind, int nloops)
{
	struct where w = {.in = in, .micro = micro, .twin = ARENA_ARRAY(r->arena, struct loop *, nloops)};
	for (int i = 0; i < r->n; i++) {
		int64_t turn = micro - r->s->first[i];
		if (r->s->place[i] < 0 || r->s->in[i] != in || (behind ? turn < r->s->loops[in].turns : turn >= 0))
			continue;
		struct node *addend = micro ? NULL : loop_first_addend(r->body[i]);
		struct node *x = addend ? roll_value_for(r, i, addend, micro) : copy(r, &w, i);
		map_set_u64(&r->plain, roll_key(r, micro, i), x);
	}
	ask(r, &w, nloops);
}

static void make_rolled(struct roller *r, int in, int nloops)
{
	const struct steady *s = r->s;
	struct where w = {.in = in, .rolled = true, .twin = ARENA_ARRAY(r->arena, struct loop *, nloops)};
	for (int segment = roll_first_segment(r, in); segment <= roll_last_segment(r, in); segment++)
		for (int i = 0; i < r->n; i++)
			if (s->place[i] >= 0 && s->in[i] == in && s->segment[i] == segment)
				r->made[i] = copy(r, &w, i);
	ask(r, &w, nloops);
	for (int i = 0; i < r->n; i++)
		for (int k = 0; k < r->older[i].at.n && s->in[i] == in; k++)
			roll_end_of(r, in, r->older[i].at.at[k], k ? r->older[i].at.at[k - 1] : r->made[i]);
	r->loops[in].is_made = true;
}

/* What stands behind the loop reads what it leaves; what was inside is nobody's `forward`. */
static struct node *behind(struct roller *r, struct node *x)
{
	bool is_exit = x && node_is_exit(x) && x->of == r->l;
	if (is_exit && x->kind == NODE_STACK)
		return map_get(&r->stacks, x);
	return is_exit ? roll_value_at(r, x->in[1], 0, r->l->turns - 1) : x && roll_index_of(r, x) >= 0 ? NULL : x;
}

static void put_back(struct roller *r, struct node **nodes, int n)
{
	struct graph *g = r->g;
	map_init(&r->stacks, r->arena);
	for (int i = r->s->extent.exits; i < r->s->extent.end; i++)
		if (nodes[i]->kind == NODE_STACK)
			map_set(&r->stacks, nodes[i], roll_stack(r, nodes[i]));
	for (int i = r->s->extent.end; i < n; i++) {
		struct node *x = nodes[i];
		for (int k = 0; k < x->nin; k++)
			x->in[k] = behind(r, x->in[k]);
		x->forward = behind(r, (struct node *)x->forward);
		x->after = behind(r, (struct node *)x->after);
		vec_push(g->arena, &g->nodes, x);
	}
	for (int i = 0; i < g->outputs.n; i++)
		g->outputs.at[i].node = behind(r, g->outputs.at[i].node);
	for (int i = 0; i < g->loops.n; i++)
		for (int k = 0; loop_asked(g->loops.at[i], k); k++)
			*loop_asked(g->loops.at[i], k) = behind(r, *loop_asked(g->loops.at[i], k));
}

void steady_roll(struct arena *a, struct graph *g, struct steady *s)
{
	struct roller r = {.g = g, .arena = a, .s = s, .l = s->loop, .n = s->extent.exits - s->from};
	struct node **nodes = g->nodes.at;
	int n = g->nodes.n, nloops = g->loops.n;
	r.body = nodes + s->from;
	r.is_again = steady_again(a, g, s);
	r.made = ARENA_ARRAY(a, struct node *, r.n);
	r.older = ARENA_ARRAY(a, struct older, r.n);
	r.lines = ARENA_ARRAY(a, struct node *, r.n);
	map_init(&r.plain, a);
	map_init(&r.again, a);
	map_init(&r.ends, a);
	for (int i = 0; i < n; i++)
		nodes[i]->segment = 0;
	g->nodes.at = NULL;
	g->nodes.n = g->nodes.cap = 0;
	for (int i = 0; i < s->from; i++)
		vec_push(g->arena, &g->nodes, nodes[i]);
	for (int in = 0; in < s->nloops; in++) {
		struct steady_loop *l = &s->loops[in];
		map_init(&r.loops[in].entries, a);
		l->now = graph_loop(g, NULL, l->turns, s->loop->span);
		l->now->remat = s->loop->remat;
		l->now->stages = true;
		for (int64_t micro = 0; micro < l->most; micro++)
			make_plain(&r, in, micro, false, nloops);
		make_rolled(&r, in, nloops);
		for (int64_t micro = l->turns; micro < s->loop->turns; micro++)
			make_plain(&r, in, micro, true, nloops);
	}
	put_back(&r, nodes, n);
	for (int i = 0; i < g->nodes.n; i++)
		g->nodes.at[i]->id = i;
	graph_drop_loops(g);
	const char *wrong = graph_order(g);
	BUG_IF(wrong, "periods of a pipeline: %s", wrong);
	graph_compact(g);
}
