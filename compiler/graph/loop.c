/* loop.c — loops in the list of nodes: their entries and exits, which nodes stand in which loop, and the order that
 * keeps each loop in one piece.
 *
 *   var h = x;  for t in 0..8 { h = tanh(h @ w + xs[t]); }      %3 = carry(%0) of 0
 *                                                               %4 = line(%2) of 0 first 0 step 1
 *                                                               %5 = map(%3, %1, %4) {tanh(h @ w + x)}
 *                                                               %6 = end(%3, %5) of 0
 *                                                               loop 0 turns 8
 *
 * %5 stands in the loop since it reads %3; w is read from outside. */
#include "graph.h"

bool node_is_entry(const struct node *n)
{
	return n->kind == NODE_TURN || n->kind == NODE_CARRY || n->kind == NODE_LINE;
}

bool node_is_exit(const struct node *n)
{
	return n->kind == NODE_END || n->kind == NODE_STACK;
}

int node_variables(const struct node *n, int *list)
{
	bool names = n->kind == NODE_TO || n->kind == NODE_CONTRACT;
	return names ? layout_variables(n->place, &n->target->layout, list) : 0;
}

bool node_names_before(const struct node *n, const struct node *other)
{
	const struct span *where = &n->target->where, *there = &other->target->where;
	return where->file && (!there->file || where->begin < there->begin);
}

bool loop_is_in(const struct loop *inner, const struct loop *outer)
{
	while (inner != outer && inner)
		inner = inner->outer;
	return inner == outer;
}

bool remat_is_in(const struct remat *inner, const struct remat *outer)
{
	while (inner != outer && inner)
		inner = inner->outer;
	return inner == outer;
}

const struct remat *node_block(const struct node *n)
{
	const struct remat *block = n->of ? n->of->remat : n->remat;
	for (const struct remat *b = block; b; b = b->outer)
		if (b->in && !loop_is_in(n->loop, b->in))
			block = b->outer;
	return block;
}

struct loop *loop_below(struct loop *l, const struct loop *around)
{
	while (l != around && l->outer != around)
		l = l->outer;
	return l;
}

int64_t loop_lines(const struct loop *l)
{
	return l->turns >= 0 ? l->turns : l->most >= 0 ? l->most : 0;
}

bool node_is_tape(const struct node *n)
{
	if (n->kind == NODE_RESHAPE)
		return node_is_tape(n->in[0]);
	return n->kind == NODE_STACK && ((n->of->turns < 0 && n->of->most < 0) || node_is_tape(n->in[0]));
}

bool node_is_tape_of_tapes(const struct node *n)
{
	if (n->kind == NODE_RESHAPE)
		return node_is_tape_of_tapes(n->in[0]);
	return n->kind == NODE_STACK && node_is_tape(n->in[0]);
}

bool *graph_stacks_tapes(const struct graph *g, struct arena *a)
{
	bool *stacks = ARENA_ARRAY(a, bool, g->loops.n + 1);
	for (int i = 0; i < g->nodes.n; i++) {
		const struct node *n = g->nodes.at[i];
		stacks[n->of ? n->of->id : g->loops.n] |= n->kind == NODE_STACK && node_is_tape(n->in[0]);
	}
	return stacks;
}

struct loop *node_loop(const struct node *n)
{
	if (node_is_entry(n))
		return n->of;
	if (node_is_exit(n))
		return n->of->outer;
	struct loop *l = NULL;
	for (int i = 0; i < n->nin; i++)
		l = loop_is_in(n->in[i]->loop, l) ? n->in[i]->loop : l;
	return l;
}

struct loop *node_part_of(const struct node *n)
{
	return node_is_exit(n) ? n->of : n->loop;
}

struct loop *node_whole_loop(const struct node *n)
{
	struct loop *l = node_part_of(n);
	return l ? loop_below(l, NULL) : NULL;
}

struct loop_extent loop_extent(const struct loop *l, struct node *const *nodes, int n, int from)
{
	struct loop_extent x = {.exits = from};
	while (x.exits < n && loop_is_in(nodes[x.exits]->loop, l))
		x.exits++;
	x.end = x.exits;
	while (x.end < n && node_is_exit(nodes[x.end]) && nodes[x.end]->of == l)
		x.end++;
	return x;
}

int graph_whole_begin(const struct graph *g, int at)
{
	const struct loop *l = node_whole_loop(g->nodes.at[at]);
	while (l && at > 0 && node_whole_loop(g->nodes.at[at - 1]) == l)
		at--;
	return at;
}

int graph_whole_end(const struct graph *g, int at)
{
	const struct loop *l = node_whole_loop(g->nodes.at[at++]);
	while (l && at < g->nodes.n && node_whole_loop(g->nodes.at[at]) == l)
		at++;
	return at;
}

struct node **graph_ends(const struct graph *g, struct arena *a)
{
	struct node **end = ARENA_ARRAY(a, struct node *, g->nodes.n);
	for (int i = 0; i < g->nodes.n; i++)
		if (g->nodes.at[i]->kind == NODE_END)
			end[g->nodes.at[i]->in[0]->id] = g->nodes.at[i];
	return end;
}

const struct place *nodes_place(int n, struct node *const *nodes)
{
	for (int i = 0; i < n; i++)
		if (nodes[i]->place)
			return nodes[i]->place;
	return NULL;
}

const struct place *node_place_of_inputs(const struct node *n)
{
	return nodes_place(n->nin, n->in);
}

struct node *loop_asks(const struct loop *l, const struct place *p)
{
	struct node *first = l->count ? l->count : l->condition;
	if (!first || first->place == p)
		return first;
	for (int i = 0; i < l->elsewhere.n; i++)
		if (l->elsewhere.at[i]->place == p)
			return l->elsewhere.at[i];
	return NULL;
}

struct node **loop_asked(struct loop *l, int i)
{
	if (i > 0)
		return i <= l->elsewhere.n ? &l->elsewhere.at[i - 1] : NULL;
	return l->count ? &l->count : l->condition ? &l->condition : NULL;
}

struct loop *graph_loop(struct graph *g, struct loop *outer, int64_t turns, struct span span)
{
	struct loop *l = ARENA_NEW(g->arena, struct loop);
	*l = (struct loop){
		.outer = outer, .id = g->loops.n, .turns = turns, .most = -1, .remat = g->remat, .span = span};
	vec_push(g->arena, &g->loops, l);
	return l;
}

struct node *graph_turns(struct graph *g, const struct node_site *at, struct loop *l)
{
	if (!l->condition)
		return l->count ? l->count : graph_int(g, at, DT_I64, l->turns);
	struct node *so_far = graph_carry(g, at, l, graph_int(g, at, DT_I64, 0));
	struct node *one = graph_int(g, at, DT_I64, 1);
	return graph_end(g, at, so_far, graph_pointwise(g, at, SC_ADD, so_far, one, NULL));
}

/* ---- order ---- */

struct members {
	VEC(struct node *) at;
};

struct order {
	struct graph *g;
	struct arena *arena;
	struct node **nodes; /* from number `first` on, as they were, and by that node_state; those before stay */
	int first, n;
	struct members *in;    /* by loop: what stands in it, directly or deeper, and its exits */
	struct members *named; /* by layout parameter: the nodes that name it */
	enum progress { TO_DO, UNDER_WAY, DONE } * node_state, *loop_state;
	const struct loop *open; /* it and those around it are not in one piece */
	const struct loop *circular;
};

static bool place_unit(struct order *o, const struct loop *around, struct node *n);

static bool place_input(struct order *o, const struct loop *around, const struct loop *of, struct node *x)
{
	return (of && loop_is_in(x->loop, of)) || place_unit(o, around, x);
}

/* What l asks from outside: a count, or a condition once that is the same in all turns. */
static bool place_asked(struct order *o, const struct loop *around, const struct loop *of, struct loop *l)
{
	struct node **asked;
	for (int i = 0; (asked = loop_asked(l, i)) != NULL; i++)
		if (!loop_is_in((*asked)->loop, l) && !place_input(o, around, of, *asked))
			return false;
	return true;
}

/* Those that do not stand in `of`. */
static bool place_inputs(struct order *o, const struct loop *around, const struct loop *of, const struct node *n)
{
	for (int i = 0; i < n->nin; i++)
		if (!place_input(o, around, of, n->in[i]))
			return false;
	return !n->of || place_asked(o, around, of, n->of);
}

static void place_node(struct order *o, struct node *n)
{
	o->node_state[n->id - o->first] = DONE;
	vec_push(o->g->arena, &o->g->nodes, n);
}

static bool leaves(const struct node *n, const struct loop *l)
{
	return node_is_exit(n) && n->of == l;
}

/* Of the layout parameters that n in l names: what else stands outside and names them and comes before n. Who is first
 * says what a parameter stands for. */
static bool place_named(struct order *o, const struct loop *l, const struct node *n)
{
	int named[MAX_AXES];
	for (int k = node_variables(n, named) - 1; k >= 0; k--) {
		const struct members *all = &o->named[named[k]];
		for (int i = 0; i < all->at.n && all->at.at[i]->id < n->id; i++)
			if (!loop_is_in(all->at.at[i]->loop, l) && !place_unit(o, l->outer, all->at.at[i]))
				return false;
	}
	return true;
}

/* What is asked before a turn comes first in it, so that transfers of the turn come behind those of that. */
static bool place_condition(struct order *o, struct loop *l)
{
	struct node **asked;
	for (int i = 0; l->condition && (asked = loop_asked(l, i)) != NULL; i++)
		if (loop_is_in((*asked)->loop, l) && !place_unit(o, l, *asked))
			return false;
	return true;
}

/* All that l reads from outside, then what stands in it, then its exits. */
static bool place_loop(struct order *o, struct loop *l)
{
	if (o->loop_state[l->id] != TO_DO) {
		if (o->loop_state[l->id] == UNDER_WAY)
			o->circular = l;
		return o->loop_state[l->id] == DONE;
	}
	o->loop_state[l->id] = UNDER_WAY;
	if (!place_asked(o, l->outer, l, l))
		return false;
	const struct members *in = &o->in[l->id];
	for (int i = 0; i < in->at.n; i++)
		if (!place_inputs(o, l->outer, l, in->at.at[i]) || !place_named(o, l, in->at.at[i]))
			return false;
	if (!place_condition(o, l))
		return false;
	for (int i = 0; i < in->at.n; i++)
		if (!leaves(in->at.at[i], l) && !place_unit(o, l, in->at.at[i]))
			return false;
	for (int i = 0; i < in->at.n; i++)
		if (leaves(in->at.at[i], l))
			place_node(o, in->at.at[i]);
	o->loop_state[l->id] = DONE;
	return true;
}

/* n, which stands in `around` or deeper, or further out: then it is there already, or has to come before. */
static bool place_unit(struct order *o, const struct loop *around, struct node *n)
{
	if (n->id < o->first || o->node_state[n->id - o->first] == DONE)
		return true;
	if (!loop_is_in(n->loop, around))
		return place_unit(o, around->outer, n);
	if (n->loop != around) {
		struct loop *l = loop_below(n->loop, around);
		return loop_is_in(o->open, l) ? place_unit(o, l, n) : place_loop(o, l);
	}
	if (node_is_exit(n))
		return place_loop(o, n->of);
	if (o->node_state[n->id - o->first] == UNDER_WAY)
		return false;
	o->node_state[n->id - o->first] = UNDER_WAY;
	if (!place_inputs(o, around, NULL, n))
		return false;
	place_node(o, n);
	return true;
}

static void collect_members(struct order *o)
{
	for (int i = 0; i < o->n; i++)
		for (struct loop *l = node_part_of(o->nodes[i]); l; l = l->outer)
			vec_push(o->arena, &o->in[l->id].at, o->nodes[i]);
}

static void collect_named(struct order *o)
{
	int named[MAX_AXES];
	for (int i = 0; i < o->n; i++)
		for (int k = node_variables(o->nodes[i], named) - 1; k >= 0; k--)
			vec_push(o->arena, &o->named[named[k]].at, o->nodes[i]);
}

const char *graph_order(struct graph *g)
{
	return graph_order_from(g, 0);
}

/* What stands outside of a loop comes before what it was to wait for in it, also when there is no such loop any more.
 */
static void wait_for_earlier(struct graph *g, int from)
{
	for (int i = from; i < g->nodes.n; i++) {
		struct node *n = g->nodes.at[i];
		n->after = n->after && n->after->id < i ? n->after : NULL;
	}
}

/* NULL, or what is wrong. All tables lie in `a`. */
static const char *order_from(struct graph *g, int from, struct arena *a)
{
	struct order o = {.g = g, .arena = a, .first = from, .n = g->nodes.n - from, .open = from ? g->open : NULL};
	o.in = ARENA_ARRAY(a, struct members, g->loops.n);
	o.named = ARENA_ARRAY(a, struct members, g->nlayout_vars);
	o.nodes = ARENA_ARRAY(a, struct node *, o.n);
	o.node_state = ARENA_ARRAY(a, enum progress, o.n);
	o.loop_state = ARENA_ARRAY(a, enum progress, g->loops.n);
	for (int i = 0; i < o.n; i++) {
		o.nodes[i] = g->nodes.at[from + i];
		o.nodes[i]->id = from + i;
		o.nodes[i]->loop = node_loop(o.nodes[i]);
	}
	collect_members(&o);
	collect_named(&o);
	g->nodes.n = from;
	for (int i = 0; i < o.n; i++)
		if (!place_unit(&o, NULL, o.nodes[i]))
			return o.circular ? arena_printf(g->arena, "loop %d reads what depends on its own result",
							 o.circular->id)
					  : "nodes depend on each other in a circle";
	for (int i = from; i < g->nodes.n; i++)
		g->nodes.at[i]->id = i;
	return NULL;
}

const char *graph_order_from(struct graph *g, int from)
{
	const char *wrong = NULL;
	if (g->loops.n && g->nodes.n > from) {
		struct arena *scratch = arena_new("order");
		wrong = order_from(g, from, scratch);
		arena_free(scratch);
	}
	if (!wrong)
		wait_for_earlier(g, from);
	return wrong;
}
