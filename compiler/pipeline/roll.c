/* roll.c — the loops of a steady pipeline (steady.h).
 *
 * Node i over micro-batch t stands ahead of its loop if t < first(i), in it if t is first(i) + turn, else behind it.
 * What is read d turns after it was made is carried d times: one turn's is the next one's a turn older. So the loop
 * begins with what was computed ahead, and what is behind it begins with what is carried in the end. What a later loop
 * reads is stacked, and read line by line. What is cheap is computed once more where it is read later, as plans without
 * a loop do: is_again. */
#include "steady.h"

struct older {
	VEC(struct node *) at; /* by turns - 1: CARRY */
};

struct roller {
	struct graph *g;
	struct arena *arena;
	struct steady *s;
	struct loop *l; /* as it was */
	struct node **body;
	int n;
	const bool *is_again; /* by node of the body: computed once more by whoever reads it in a later turn or loop */
	struct node **made;   /* likewise: in its loop of periods; NULL: not yet */
	struct older *older;  /* likewise: what it was turns ago */
	struct node **lines;  /* likewise: all that its loop made; NULL: nobody has asked */
	struct map plain;     /* (micro, node) -> ahead of a loop and behind it */
	struct map ends;      /* CARRY of a loop of periods -> its END */
	struct rolled_loop {
		struct map entries; /* (micro ahead of the turn, node) -> in the loop */
		bool is_made;       /* what stands in it is there: ENDs can be made */
	} loops[STEADY_LOOPS];
};

/* Where nodes are made. */
struct where {
	int in;      /* which loop of periods: in it, */
	bool rolled; /* in all turns; else ahead of it or behind it */
	int64_t micro;
	struct loop **twin; /* by loop inside: the one there */
};

static struct node *plain_value(struct roller *r, struct node *x, int in, int64_t micro);
static struct node *rolled_value(struct roller *r, struct node *x, int in, int ahead);

static int index_of(const struct roller *r, const struct node *x)
{
	int i = x->id - r->s->from;
	return i >= 0 && i < r->n && r->body[i] == x ? i : -1;
}

static uint64_t key(const struct roller *r, int64_t micro, int i)
{
	return (uint64_t)micro * (uint64_t)r->n + (uint64_t)i + 1;
}

/* Nodes that the builders make stand where n does, in its micro-batch. */
static struct node *settle(struct node *x, const struct node *n)
{
	x->place = x->place ? x->place : n->place;
	x->layout = n->layout;
	return x;
}

static struct node_site site_of(const struct roller *r, const struct node *n, int64_t micro)
{
	struct node_site at = node_site_of(n);
	at.batch = r->l->batch;
	at.micro = (int)micro;
	at.forward = index_of(r, n->forward ? n->forward : n) < 0 ? n->forward : NULL;
	return at;
}

static struct loop *loop_of(const struct roller *r, int in)
{
	return r->s->loops[in].now;
}

static int first_segment(const struct roller *r, int in)
{
	return r->s->loops[in].begin + 1;
}

static int last_segment(const struct roller *r, int in)
{
	return r->s->loops[in].begin + r->s->loops[in].length;
}

/* ---- in a loop ---- */

static struct node *end_of(struct roller *r, int in, struct node *carry, struct node *next)
{
	struct node_site at = node_site_of(carry);
	struct node *x = settle(graph_end(r->g, &at, carry, next), carry);
	x->segment = last_segment(r, in);
	map_set_u64(&r->ends, (uint64_t)(uintptr_t)carry, x);
	return x;
}

static struct node *aged(struct roller *r, int i, int turns)
{
	struct older *o = &r->older[i];
	struct node *n = r->body[i];
	int in = r->s->in[i];
	while (o->at.n < turns) {
		int64_t micro = r->s->first[i] - o->at.n - 1;
		struct node_site at = site_of(r, n, micro);
		struct node *x = graph_carry(r->g, &at, loop_of(r, in), plain_value(r, n, in, micro));
		settle(x, n)->segment = first_segment(r, in);
		vec_push(r->arena, &o->at, x);
		if (r->loops[in].is_made)
			end_of(r, in, x, o->at.n > 1 ? o->at.at[o->at.n - 2] : r->made[i]);
	}
	return turns ? o->at.at[turns - 1] : r->made[i];
}

static struct node *line_in_turn(struct roller *r, struct node *n, int in, int ahead)
{
	struct node_site at = site_of(r, n, ahead);
	struct node *x = graph_line(r->g, &at, loop_of(r, in), n->nin, n->in, n->line.first + n->line.step * ahead,
				    n->line.step, false);
	settle(x, n)->segment = first_segment(r, in);
	return x;
}

static struct node *number_in_turn(struct roller *r, struct node *n, int in, int ahead)
{
	struct node_site at = site_of(r, n, ahead);
	struct node *turn = settle(graph_turn(r->g, &at, loop_of(r, in)), n);
	turn->segment = first_segment(r, in);
	struct node *more = settle(graph_int(r->g, &at, DT_I64, ahead), n);
	return settle(graph_pointwise(r->g, &at, SC_ADD, turn, more, NULL), n);
}

/* n once more, for who reads it elsewhere. */
static struct node *again(struct roller *r, struct node *n, struct node **in, int64_t micro)
{
	struct node *x = graph_node(r->g);
	struct node_site at = site_of(r, n, micro);
	*x = *n;
	x->in = in;
	x->forward = at.forward;
	x->batch = at.batch;
	x->micro = at.micro;
	x->loop = node_loop(x);
	x->after = NULL;
	x->segment = 0;
	vec_push(r->g->arena, &r->g->nodes, x);
	return x;
}

static struct node *again_in_turn(struct roller *r, struct node *n, int in, int ahead)
{
	struct node **x = ARENA_ARRAY(r->g->arena, struct node *, n->nin);
	for (int k = 0; k < n->nin; k++)
		x[k] = rolled_value(r, n->in[k], in, ahead);
	return again(r, n, x, ahead);
}

/* What an earlier loop has made of node i in all its turns. */
static struct node *lines_of(struct roller *r, int i)
{
	struct node *n = r->body[i];
	struct node_site at = site_of(r, n, r->s->first[i]);
	if (r->lines[i])
		return r->lines[i];
	struct node *x = graph_stack(r->g, &at, loop_of(r, r->s->in[i]), r->made[i], false);
	x->place = n->place;
	x->layout = layout_of_lines(n->place, &n->layout);
	x->segment = last_segment(r, r->s->in[i]);
	return r->lines[i] = x;
}

static struct node *kept_in_turn(struct roller *r, struct node *n, int in, int ahead)
{
	int i = index_of(r, n);
	struct node_site at = site_of(r, n, ahead);
	struct node *lines = lines_of(r, i);
	struct node *x = graph_line(r->g, &at, loop_of(r, in), 1, &lines, ahead - r->s->first[i], 1, false);
	settle(x, n)->segment = first_segment(r, in);
	return x;
}

/* An entry of the loop as it was, what is computed again, or what an earlier loop made, over micro-batch turn +
 * ahead. */
static struct node *entry(struct roller *r, struct node *n, int in, int ahead)
{
	int i = index_of(r, n);
	uint64_t k = key(r, ahead, i);
	struct node *x = map_get_u64(&r->loops[in].entries, k);
	if (x)
		return x;
	x = n->of == r->l && n->kind == NODE_LINE   ? line_in_turn(r, n, in, ahead)
	    : n->of == r->l && n->kind == NODE_TURN ? number_in_turn(r, n, in, ahead)
	    : r->is_again[i]                        ? again_in_turn(r, n, in, ahead)
						    : kept_in_turn(r, n, in, ahead);
	map_set_u64(&r->loops[in].entries, k, x);
	return x;
}

/* x over micro-batch turn + ahead. */
static struct node *rolled_value(struct roller *r, struct node *x, int in, int ahead)
{
	int i = index_of(r, x);
	if (i < 0)
		return x;
	if (x->of == r->l && x->kind == NODE_CARRY)
		return rolled_value(r, r->s->end[x->id]->in[1], in, ahead - 1);
	if (x->of == r->l || r->s->in[i] != in)
		return entry(r, x, in, ahead);
	int turns = r->s->first[i] - ahead;
	return turns && r->is_again[i] ? entry(r, x, in, ahead) : aged(r, i, turns);
}

/* ---- ahead of loops and behind them ---- */

static struct node *plain_entry(struct roller *r, struct node *n, int64_t micro)
{
	uint64_t k = key(r, micro, index_of(r, n));
	struct node *x = map_get_u64(&r->plain, k);
	if (x)
		return x;
	struct node_site at = site_of(r, n, micro);
	int64_t line = n->line.first + n->line.step * micro;
	if (n->kind == NODE_TURN)
		x = settle(graph_int(r->g, &at, DT_I64, micro), n);
	else if (n->nin > 1)
		x = n->in[line];
	else
		x = settle(graph_line_of(r->g, &at, n->in[0], line), n);
	map_set_u64(&r->plain, k, x);
	return x;
}

/* What the loop has made of node i, so many turns before the last. */
static struct node *left(struct roller *r, int i, int turns)
{
	return map_get_u64(&r->ends, (uint64_t)(uintptr_t)aged(r, i, turns + 1));
}

/* What an earlier loop than `in` has made of n in that turn, or the same again. */
static struct node *plain_kept(struct roller *r, struct node *n, int in, int64_t micro)
{
	int i = index_of(r, n);
	uint64_t k = key(r, micro, i);
	struct node *x = map_get_u64(&r->plain, k);
	if (x)
		return x;
	if (r->is_again[i]) {
		struct node **of = ARENA_ARRAY(r->g->arena, struct node *, n->nin);
		for (int m = 0; m < n->nin; m++)
			of[m] = plain_value(r, n->in[m], in, micro);
		x = again(r, n, of, micro);
	} else {
		struct node_site at = site_of(r, n, micro);
		x = settle(graph_line_of(r->g, &at, lines_of(r, i), micro - r->s->first[i]), n);
	}
	map_set_u64(&r->plain, k, x);
	return x;
}

/* x over a micro-batch, for who is ahead of the loop or behind it. */
static struct node *plain_value(struct roller *r, struct node *x, int in, int64_t micro)
{
	int i = index_of(r, x);
	if (i < 0)
		return x;
	if (x->of == r->l && x->kind == NODE_CARRY)
		return micro ? plain_value(r, r->s->end[x->id]->in[1], in, micro - 1) : x->in[0];
	if (x->of == r->l)
		return plain_entry(r, x, micro);
	int64_t turn = micro - r->s->first[i], turns = r->s->loops[r->s->in[i]].turns;
	if (turn >= 0 && turn < turns)
		return r->s->in[i] < in ? plain_kept(r, x, in, micro) : left(r, i, (int)(turns - 1 - turn));
	struct node *made = map_get_u64(&r->plain, key(r, micro, i));
	BUG_IF(!made, "node %d of a pipeline's micro-batches is read before it is made", i);
	return made;
}

/* ---- all nodes ---- */

static struct node *value(struct roller *r, const struct where *w, int reader, struct node *x)
{
	return w->rolled ? rolled_value(r, x, w->in, r->s->first[reader]) : plain_value(r, x, w->in, w->micro);
}

/* The loop inside of the micro-batch, there. */
static struct loop *twin(struct roller *r, const struct where *w, struct loop *inner)
{
	if (inner == r->l)
		return w->rolled ? loop_of(r, w->in) : NULL;
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
		own = pass_unit(&s->units, s->place[index_of(r, x->in[0])], (int)w->micro);
	return s->of_unit[own];
}

static struct node *known(struct roller *r, const struct where *w, const struct node *x)
{
	int i = x ? index_of(r, x) : -1;
	if (i < 0)
		return (struct node *)x;
	return w->rolled ? r->made[i] : map_get_u64(&r->plain, key(r, w->micro, i));
}

/* Which node a gradient belongs to, for names and plans: over another micro-batch if there is none there. */
static struct node *forward_of(struct roller *r, const struct where *w, const struct node *x)
{
	struct node *there = known(r, w, x);
	int i = x && !there ? index_of(r, x) : -1;
	if (i < 0)
		return there;
	return r->made[i] ? r->made[i] : map_get_u64(&r->plain, key(r, 0, i));
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
	int after = n->after ? index_of(r, n->after) : -1;
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
		struct node *x = addend ? plain_value(r, addend, in, micro) : copy(r, &w, i);
		map_set_u64(&r->plain, key(r, micro, i), x);
	}
	ask(r, &w, nloops);
}

static void make_rolled(struct roller *r, int in, int nloops)
{
	const struct steady *s = r->s;
	struct where w = {.in = in, .rolled = true, .twin = ARENA_ARRAY(r->arena, struct loop *, nloops)};
	for (int segment = first_segment(r, in); segment <= last_segment(r, in); segment++)
		for (int i = 0; i < r->n; i++)
			if (s->place[i] >= 0 && s->in[i] == in && s->segment[i] == segment)
				r->made[i] = copy(r, &w, i);
	ask(r, &w, nloops);
	for (int i = 0; i < r->n; i++)
		for (int k = 0; k < r->older[i].at.n && s->in[i] == in; k++)
			end_of(r, in, r->older[i].at.at[k], k ? r->older[i].at.at[k - 1] : r->made[i]);
	r->loops[in].is_made = true;
}

/* What stands behind the loop reads what it leaves; what was inside is nobody's `forward`. */
static struct node *behind(struct roller *r, struct node *x)
{
	bool is_exit = x && node_is_exit(x) && x->of == r->l;
	return is_exit ? plain_value(r, x->in[1], 0, r->l->turns - 1) : x && index_of(r, x) >= 0 ? NULL : x;
}

static void put_back(struct roller *r, struct node **nodes, int n)
{
	struct graph *g = r->g;
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
