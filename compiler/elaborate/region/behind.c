/* behind.c — lines, records and checks of what a region computes: the host is told behind it, in the order of the walk.
 *
 * In a loop or branch of the graph that is once for each turn made. The loop keeps what is shown, turn by turn, in
 * stacks, and how many turns it made; behind the region host code makes as many, and takes line after line:
 *
 *     for k in 0..n { …; print(h); }       stack(h), n   |   while t < n { print_line(stack, t); t = t + 1; }
 *
 * Loops in loops have stacks of stacks, of which the inner are as long as the most turns there may be. Of a loop of any
 * number of turns the stack is a tape, and in another loop all its turns stand on it, one behind the other: the host
 * counts them (struct again.made). */
#include "region_build.h"

#include "../../graph/at_once.h"

void region_behind(struct elab *e, struct host_expr *call, int n, const struct shown *shown, struct span at)
{
	struct behind x = {.call = call, .nshown = n, .span = at};
	x.loop = region_graph(e)->open;
	for (int i = 0; i < n; i++)
		x.shown[i] = shown[i];
	vec_push(e->a, &e->region->behind, x);
	e->effects++;
}

void region_replaced(struct elab *e, const struct map *instead)
{
	for (int i = 0; i < e->region->behind.n; i++)
		for (int k = 0; k < e->region->behind.at[i].nshown; k++) {
			struct node **n = &e->region->behind.at[i].shown[k].node, *now = map_get(instead, *n);
			*n = now ? now : *n;
		}
}

bool region_may_show(const struct elab *e, const struct loop *l, struct at_once *once, struct one_by_one *why)
{
	for (int i = 0; i < e->region->behind.n; i++) {
		const struct loop *in = e->region->behind.at[i].loop;
		if (loop_is_in(in, l) && !at_once_may_show(once, in, why))
			return false;
	}
	return true;
}

void region_behind_lines(struct elab *e, const struct loop *l, int64_t lines, struct at_once *once, struct span at)
{
	struct graph *g = region_graph(e);
	struct loop *again = NULL;
	for (int i = 0; i < e->region->behind.n; i++) {
		struct behind *x = &e->region->behind.at[i];
		struct loop *in = x->loop;
		if (!loop_is_in(in, l))
			continue;
		again = again ? again : graph_loop(g, g->open, lines, at);
		x->loop = at_once_again(once, in, again);
		for (int k = 0; k < x->nshown; k++)
			x->shown[k].node = at_once_shown(once, x->shown[k].node, in, again);
	}
}

void region_say(struct elab *e, bool waits, struct host_expr *call, struct span at)
{
	if (waits)
		region_behind(e, call, 0, NULL, at);
	else
		host_eval(e, call, at);
}

static bool is_any(const struct loop *l)
{
	return l && l->turns < 0 && l->most < 0;
}

/* The innermost loop around n that makes any number of turns; NULL: none does. */
static struct loop *any_around(const struct node *n)
{
	struct loop *l = n->loop;
	while (l && !is_any(l))
		l = l->outer;
	return l;
}

static bool is_in_stage(const struct elab *e, const struct node *n)
{
	return n->place && n->place->count != e->world->count;
}

struct node *region_shown(struct elab *e, const struct value *v, const char *what, struct span where, struct span at)
{
	struct node *n = tensor_node(e, v, at);
	struct layout_spec whole = {.form = LAYOUT_GIVEN, .layout = layout_broadcast()};
	struct node_site site = elab_site(e, at);
	site.name = n->name;
	return n->place ? graph_contract(region_graph(e), &site, n, n->place, &whole, what, where) : n;
}

/* ---- before: what is kept ---- */

int region_whole_value(struct elab *e, struct node *n, struct span at)
{
	struct graph *g = region_graph(e);
	struct node_site site = node_site_of(n);
	struct layout_spec whole = {.form = LAYOUT_GIVEN, .layout = layout_broadcast()};
	site.batch = NULL; /* it outlives all micro-batches */
	struct slot like = {.name = n->name ? n->name : "value",
			    .slot_class = SLOT_VALUE,
			    .dtype = n->dtype,
			    .shape = n->shape,
			    .place = e->world,
			    .layout = whole,
			    .span = at};
	bool is_there = node_is_tape(n) && n->place == e->world; /* nothing moves that */
	int slot = slot_new(e, &like);
	graph_output(g, OUTPUT_SLOT, slot, is_there ? n : graph_to(g, &site, n, e->world, &whole), at);
	return slot;
}

static int depth_of(const struct loop *l)
{
	int n = 0;
	for (; l; l = l->outer)
		n++;
	return n;
}

/* Numbers that are on no rank yet go where their loop is, or else the one around it, so that these stay in one stage of
 * a pipeline. */
static struct node *settled(struct elab *e, struct node *n, const struct loop *l)
{
	struct graph *g = region_graph(e);
	struct node_site site = node_site_of(n);
	struct layout_spec whole = {.form = LAYOUT_GIVEN, .layout = layout_broadcast()};
	const struct place *p = NULL;
	for (; l && !p; l = l->outer)
		for (int i = 0; i < g->nodes.n && !p; i++)
			p = loop_is_in(g->nodes.at[i]->loop, l) ? g->nodes.at[i]->place : NULL;
	return n->place || !p ? n : graph_to(g, &site, n, p, &whole);
}

/* How many turns a loop has made, `so_far` of them before it. */
static struct node *counted(struct elab *e, struct loop *l, struct loop *innermost, struct node *so_far)
{
	struct graph *g = region_graph(e);
	struct node_site at = node_site_of(so_far);
	struct node *now = graph_carry(g, &at, l, so_far), *next;
	if (l == innermost)
		next = graph_pointwise(g, &at, SC_ADD, now, graph_int(g, &at, DT_I64, 1), NULL);
	else
		next = counted(e, loop_below(innermost, l), innermost, now);
	return graph_end(g, &at, now, next);
}

/* How many turns a loop has made in each turn of those around it; NULL: all together in the loops from `in` on. */
static struct node *turns_of(struct elab *e, struct loop *l, struct loop *in, const struct node_site *at)
{
	struct graph *g = region_graph(e);
	if (in == l && !l->condition)
		return graph_turns(g, at, l);
	return counted(e, in, l, settled(e, graph_int(g, at, DT_I64, 0), in));
}

/* Of each turn of the loops in `any`, or of it and all around it. */
static struct node *stacked_in(struct elab *e, struct node *n, const struct loop *any)
{
	struct node_site site = node_site_of(n);
	for (struct loop *l = n->loop; l != any; l = l->outer)
		n = graph_stack(region_graph(e), &site, l, settled(e, n, l), false);
	return n;
}

/* A tape as lines of all turns of all loops that have put some on it: what these have around them is no line of its
 * own.
 */
static struct node *all_lines(struct elab *e, struct node *tape, const struct shape *line)
{
	struct node_site site = node_site_of(tape);
	struct shape s = shape_of_lines(0, line);
	return shape_equal(&tape->shape, &s) ? tape : graph_reshape(region_graph(e), &site, tape, &s);
}

/* The lines of n that a loop of any number of turns made in a stage of a pipeline, in whatever loops, on all ranks:
 * brought one by one when all micro-batches are done. */
static struct node *stacked_after(struct elab *e, struct node *n, struct loop *any)
{
	struct graph *g = region_graph(e);
	struct node_site in_stage = node_site_of(n), after = in_stage;
	struct layout_spec whole = {.form = LAYOUT_GIVEN, .layout = layout_broadcast()};
	struct node *line = settled(e, stacked_in(e, n, any), any), *tape = stacked_in(e, line, NULL);
	struct node *turns = turns_of(e, any, loop_below(any, NULL), &in_stage);
	after.batch = NULL;
	struct loop *l = graph_loop(g, NULL, -1, any->span);
	l->count = graph_to(g, &after, turns, e->world, &whole);
	tape = all_lines(e, tape, &line->shape);
	line = graph_line(g, &after, l, 1, &tape, 0, 1, false);
	return graph_stack(g, &after, l, graph_to(g, &after, line, e->world, &whole), false);
}

static struct node *stacked(struct elab *e, struct node *n)
{
	struct graph *g = region_graph(e);
	struct node_site site = node_site_of(n);
	struct layout_spec whole = {.form = LAYOUT_GIVEN, .layout = layout_broadcast()};
	struct loop *any = n->batch ? any_around(n) : NULL;
	n = any ? settled(e, n, n->loop) : n;
	if (any && is_in_stage(e, n))
		return stacked_after(e, n, any);
	for (struct loop *l = n->loop; l; l = l->outer) {
		n = settled(e, n, l);
		if (is_any(l) && !node_is_tape(n))
			n = graph_to(g, &site, n, e->world, &whole);
		n = graph_stack(g, &site, l, n, false);
	}
	return n;
}

/* Of all turns of the loops it stands in. */
static int kept(struct elab *e, struct node *n, struct span at)
{
	if (n->shape.rank + depth_of(n->loop) > MAX_RANK) {
		struct node_site site = node_site_of(n);
		struct shape flat = {.rank = 1, .dim = {shape_volume(&n->shape)}};
		n = graph_reshape(region_graph(e), &site, n, &flat);
	}
	return region_whole_value(e, stacked(e, n), at);
}

/* A loop whose turns the host makes once more. */
struct again {
	struct loop *loop;
	struct node *turns;
	int slot; /* that holds how many they were */
	int made; /* a variable of the host: how many it has made so far in all turns around, of a loop of any number of
		     turns in another; else -1 */
};

/* The micro-batch a loop is in is that of what stands in it. */
static struct node_site site_of_loop(struct elab *e, const struct loop *l)
{
	const struct graph *g = region_graph(e);
	struct node_site site = elab_site(e, l->span);
	int i = 0;
	while (i < g->nodes.n && !loop_is_in(g->nodes.at[i]->loop, l))
		i++;
	if (i < g->nodes.n) {
		site.batch = g->nodes.at[i]->batch;
		site.micro = g->nodes.at[i]->micro;
	}
	return site;
}

static void keep_turns(struct elab *e, struct region_build *b, struct loop *l)
{
	for (; l && !map_get(&b->again, l); l = l->outer) {
		struct again *x = ARENA_NEW(e->a, struct again);
		struct node_site site = site_of_loop(e, l);
		*x = (struct again){.loop = l, .slot = -1, .made = -1};
		x->turns = turns_of(e, l, l, &site);
		x->slot = kept(e, x->turns, l->span);
		map_set(&b->again, l, x);
		vec_push(e->a, &b->agains, x);
	}
}

/* What is shown in every turn is kept with one dimension for each loop around it, and as a tensor of one at least.
 * False after an error: there are too many. */
static bool can_be_kept(struct elab *e, const struct behind *x)
{
	bool tensors = false;
	for (int k = 0; k < x->nshown; k++)
		tensors |= x->shown[k].node->shape.rank > 0;
	int most = MAX_RANK - tensors;
	if (depth_of(x->loop) <= most)
		return true;
	struct diag *d = elab_error(e, PML0415, x->span, "this is shown in %d loops and branches within each other",
				    depth_of(x->loop));
	diag_note(
		d,
		"what a function that is differentiated shows is kept for each turn of the loops around it, and there "
		"are no more than %d of them",
		most);
	diag_help(d, "show it behind some of them, or where the function is called");
	return false;
}

void behind_keep(struct elab *e, struct region_build *b)
{
	int can = 0;
	while (can < b->behind.n && can_be_kept(e, &b->behind.at[can]))
		can++;
	b->behind.n = can;
	for (int i = 0; i < b->behind.n; i++) {
		struct behind *x = &b->behind.at[i];
		for (int k = 0; k < x->nshown; k++)
			x->shown[k].slot = kept(e, x->shown[k].node, x->span);
		keep_turns(e, b, x->loop);
	}
}

/* ---- behind: what is said ---- */

/* The turn of a loop that the host makes once more, in the innermost of these. */
struct turn {
	const struct loop *loop;
	int var, made; /* its number; as of struct again */
	struct host_stmt *stmt;
	struct host_stmt **outer;
};

struct turns {
	VEC(struct turn) at; /* from the outermost loop on */
};

/* Which line of the stack of stacks is that of the turns. On a tape it is the one behind all that were made before. */
static struct host_expr *line_of(struct elab *e, const struct turns *t, const struct loop *innermost, struct span at)
{
	struct host_expr *line = host_int(e, 0);
	for (int i = 0; i < depth_of(innermost); i++) {
		const struct turn *x = &t->at.at[i];
		if (x->made >= 0) {
			line = host_var(e, HOST_INT, x->made);
			continue;
		}
		if (i)
			line = host_apply(e, HOST_MUL_OP, HOST_INT, line, host_int(e, loop_lines(x->loop)), at);
		line = host_apply(e, HOST_ADD_OP, HOST_INT, line, host_var(e, HOST_INT, x->var), at);
	}
	return line;
}

/* An element of a tensor without dimensions, or of a stack of them. */
static struct host_expr *number_in_slot(struct elab *e, int slot, enum dtype t, enum host_type as,
					struct host_expr *line, struct span at)
{
	struct layout_spec whole = {.form = LAYOUT_GIVEN, .layout = layout_broadcast()};
	struct shape none = {0};
	struct host_expr *args[3] = {host_int(e, program_type(e->p, t, &none, e->world, &whole.layout)),
				     host_slot(e, slot, at), line};
	if (as == HOST_FLOAT)
		return host_call(e, "line_float", HOST_FLOAT, at, 3, args);
	struct host_expr *x = host_call(e, "line_int", HOST_INT, at, 3, args);
	return as == HOST_BOOL ? host_apply(e, HOST_NE_OP, HOST_BOOL, x, host_int(e, 0), at) : x;
}

/* Before the outermost loop l: nothing has been made of those in it. */
static void begin_counts(struct elab *e, struct region_build *b, const struct loop *l)
{
	for (int i = 0; i < b->agains.n; i++) {
		struct again *x = b->agains.at[i];
		if (x->loop == l || !is_any(x->loop) || !loop_is_in(x->loop, l))
			continue;
		x->made = host_new_var(e, NULL, HOST_INT);
		host_set(e, x->made, host_int(e, 0), x->loop->span);
	}
}

static void enter_turn(struct elab *e, struct region_build *b, struct turns *t, struct loop *l)
{
	if (!l->outer)
		begin_counts(e, b, l);
	const struct again *x = map_get(&b->again, l);
	struct host_expr *n =
		number_in_slot(e, x->slot, x->turns->dtype, HOST_INT, line_of(e, t, x->turns->loop, l->span), l->span);
	int count = host_new_var(e, NULL, HOST_INT), var = host_new_var(e, NULL, HOST_INT);
	host_set(e, count, n, l->span);
	host_set(e, var, host_int(e, 0), l->span);
	struct turn turn = {.loop = l, .var = var, .made = x->made, .stmt = host_emit(e, HOST_WHILE, l->span)};
	turn.stmt->expr =
		host_apply(e, HOST_LT_OP, HOST_BOOL, host_var(e, HOST_INT, var), host_var(e, HOST_INT, count), l->span);
	turn.outer = host_enter(e, &turn.stmt->body);
	vec_push(e->a, &t->at, turn);
}

static void count_one(struct elab *e, int var, struct span at)
{
	host_set(e, var, host_apply(e, HOST_ADD_OP, HOST_INT, host_var(e, HOST_INT, var), host_int(e, 1), at), at);
}

static void leave_turn(struct elab *e, struct turns *t)
{
	struct turn *x = &t->at.at[--t->at.n];
	struct span at = x->loop->span;
	host_leave(e, x->outer);
	struct host_stmt **outer = host_enter(e, &x->stmt->other);
	count_one(e, x->var, at);
	if (x->made >= 0)
		count_one(e, x->made, at);
	host_leave(e, outer);
}

static void enter_turns(struct elab *e, struct region_build *b, struct turns *t, struct loop *l)
{
	if (!l || depth_of(l) <= t->at.n)
		return;
	enter_turns(e, b, t, l->outer);
	enter_turn(e, b, t, l);
}

/* From the turns that are being made to those of the loop, NULL: of none. */
static void go_to(struct elab *e, struct region_build *b, struct turns *t, struct loop *l)
{
	while (t->at.n && !loop_is_in(l, t->at.at[t->at.n - 1].loop))
		leave_turn(e, t);
	enter_turns(e, b, t, l);
}

static void say(struct elab *e, const struct turns *t, struct behind *x)
{
	for (int k = 0; k < x->nshown; k++) {
		const struct shown *s = &x->shown[k];
		struct host_expr *line = line_of(e, t, s->node->loop, x->span);
		x->call->arg[s->arg] = s->as == HOST_HANDLE
					       ? host_slot(e, s->slot, x->span)
					       : number_in_slot(e, s->slot, s->node->dtype, s->as, line, x->span);
		if (s->as == HOST_HANDLE)
			x->call->arg[x->call->nargs - 1] = line;
	}
	host_eval(e, x->call, x->span);
}

void behind_say(struct elab *e, struct region_build *b)
{
	struct turns t = {0};
	for (int i = 0; i < b->behind.n; i++) {
		go_to(e, b, &t, b->behind.at[i].loop);
		say(e, &t, &b->behind.at[i]);
	}
	go_to(e, b, &t, NULL);
}
