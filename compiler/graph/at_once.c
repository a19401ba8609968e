/* at_once.c — see at_once.h.
 *
 * The lines are the first dimension of a value, or stand further back: what an inner loop stacks has its turns in front
 * of them, and a line of that has them in front again. Where anything else reads a stack it is turned around. */
#include "at_once_lines.h"

/* ---- the nodes of a turn ---- */

/* A layout of each line as one of all of them. Where no line is split, the lines may be. */
static struct layout_spec layout_over(const struct node *n)
{
	const struct place *p = n->target->place ? n->target->place : n->place;
	struct layout_spec l = layout_spec_of_lines(p, &n->target->layout);
	bool whole = true;
	for (int i = 0; l.form == LAYOUT_GIVEN && p && i < p->naxes; i++)
		whole = whole && l.layout.atom[i].kind == SHARD_B;
	if (l.form == LAYOUT_GIVEN && whole && n->kind == NODE_CONTRACT)
		l = (struct layout_spec){.form = LAYOUT_INFER};
	return l;
}

/* What a node has become, where another names it as its forward node, or as what it waits for. */
static const struct node *named(struct at_once *a, const struct node *n)
{
	const struct lined *l = n ? map_get(&a->lined, n) : NULL;
	return l ? l->x : n;
}

static struct node_site site_of(struct at_once *a, const struct node *n)
{
	struct node_site at = node_site_of(n);
	at.forward = named(a, at.forward);
	return at;
}

/* n once more, outside of the loop that is no more, or in the one that an inner loop is now. */
static struct node *copied(struct at_once *a, const struct node *n)
{
	struct graph *g = a->g;
	const struct inner *in = n->of ? at_once_inner(a, n->of) : NULL;
	struct node *x = graph_node(g);
	*x = *n;
	x->in = ARENA_ARRAY(g->arena, struct node *, n->nin);
	for (int i = 0; i < n->nin; i++)
		x->in[i] = at_once_lined(a, n->in[i])->x;
	x->forward = named(a, n->forward);
	x->after = named(a, n->after);
	x->of = in ? in->now : n->of;
	x->loop = node_loop(x);
	x->remat = a->g->remat;
	x->id = g->nodes.n;
	vec_push(g->arena, &g->nodes, x);
	return x;
}

/* x, which is checked, of the lines that come by; of others what passes. *lines: x has them, and will. */
static struct node *checked(struct at_once *a, const struct node *n, const struct node_site *at, struct node *x,
			    bool *lines)
{
	bool is_divisor = n->check.asked == ASKED_NOT_ZERO;
	struct node *mask;
	if (!at_once_mask(a, n->loop, &mask))
		return NULL;
	if (!mask)
		return x;
	if (!is_divisor && n->check.extent < 1)
		return NULL;
	struct node *passes = graph_int(a->g, at, x->dtype, is_divisor);
	x = at_once_chosen(a, at, mask, x, *lines, graph_fill(a->g, at, passes, &n->shape), false);
	*lines = true;
	return x;
}

/* A map for the lines that come by: of others it is 0, and what it reads has no derivative, which would be 0 times an
 * undefined slope. */
static struct node *guarded(struct at_once *a, const struct node *n, const struct node_site *at, struct node *mask,
			    struct node **in, bool *lines)
{
	for (int i = 0; i < n->nin; i++) {
		if (!dtype_is_float(in[i]->dtype))
			continue;
		in[i] = at_once_chosen(a, at, mask, in[i], lines[i], graph_stop(a->g, at, in[i]), lines[i]);
		lines[i] = true;
		if (!in[i])
			return NULL;
	}
	struct node *x = at_once_mapped(a, at, n->rule, in, lines), *zero = graph_zeros(a->g, at, n->dtype, &n->shape);
	return x ? at_once_chosen(a, at, mask, x, true, zero, false) : NULL;
}

static struct node *map(struct at_once *a, const struct node *n, const struct node_site *at, struct node **in,
			bool *lines)
{
	bool may_be_steep =
		a->slopes && dtype_is_float(n->dtype) && scalar_most_effort(n->rule->body) > EFFORT_ARITHMETIC;
	struct node *mask = NULL;
	if (may_be_steep && !at_once_mask(a, n->loop, &mask))
		return NULL;
	return mask ? guarded(a, n, at, mask, in, lines) : at_once_mapped(a, at, n->rule, in, lines);
}

/* A node that computes, all of whose inputs have lines in front or none. */
static struct node *computed(struct at_once *a, struct node *n)
{
	struct graph *g = a->g;
	struct node_site at = site_of(a, n);
	struct node *in[MAX_OPERANDS] = {NULL};
	bool lines[MAX_OPERANDS];
	struct shape s;
	struct layout_spec l;
	int named_by[MAX_AXES];
	if (n->shape.rank == MAX_RANK || n->nin > MAX_OPERANDS)
		return NULL;
	for (int i = 0; i < n->nin; i++) {
		struct lined *x = at_once_lined(a, n->in[i]);
		in[i] = at_once_in_front(a, x);
		lines[i] = x->at == 0;
		if (!in[i])
			return NULL;
	}
	switch (n->kind) {
	case NODE_MAP:
		return map(a, n, &at, in, lines);
	case NODE_RESHAPE:
		s = shape_of_lines(a->n, &n->shape);
		return graph_reshape(g, &at, in[0], &s);
	case NODE_FACTORS:
		return graph_factors(g, &at, in[0], n->factors);
	case NODE_STOP:
		return graph_stop(g, &at, in[0]);
	case NODE_REMAT:
		return graph_remat(g, &at, in[0], named(a, n->after));
	case NODE_CHECK:
		in[0] = checked(a, n, &at, in[0], lines);
		return in[0] ? graph_check(g, &at, in[0], &n->check) : NULL;
	case NODE_TO:
		l = layout_over(n);
		return node_variables(n, named_by) ? NULL : graph_to(g, &at, in[0], n->target->place, &l);
	case NODE_CONTRACT:
		l = layout_over(n);
		return node_variables(n, named_by)
			       ? NULL
			       : graph_contract(g, &at, in[0], n->target->place, &l, n->target->what, n->target->where);
	case NODE_SLOT:
	case NODE_DATA:
	case NODE_HOST:
	case NODE_CONST:
	case NODE_TURN:
	case NODE_CARRY:
	case NODE_LINE:
	case NODE_END:
	case NODE_STACK:
	case NODE_TANGENT:
	case NODE_RULED:
	case NODE_PULLED:
	case NODE_KINDS:
		break;
	}
	return NULL;
}

/* A function with a derivative of its own, or how an argument of it moves: of all lines. */
static struct node *ruled(struct at_once *a, const struct node *n)
{
	struct node_site at = site_of(a, n);
	bool is_tangent = n->kind == NODE_TANGENT;
	struct node **in = ARENA_ARRAY(a->g->arena, struct node *, n->nin);
	for (int i = 0; i < n->nin; i++) {
		in[i] = i < (is_tangent ? 1 : 2) ? at_once_with_lines(a, n->in[i]) : at_once_lined(a, n->in[i])->x;
		if (!in[i] || in[i]->shape.rank > MAX_RANK)
			return NULL;
	}
	return is_tangent ? graph_tangent(a->g, &at, n->depth, n->nin, in, 0)
			  : graph_ruled(a->g, &at, n->depth, in[0], in[1], n->nin - 2, in + 2);
}

/* The same by a rule for cotangents, which is then for each line, and one for all results of a call. */
static struct node *pulled(struct at_once *a, const struct node *n)
{
	struct node_site at = site_of(a, n);
	struct node **tensor = ARENA_ARRAY(a->g->arena, struct node *, n->nin);
	struct pullback *p = map_get(&a->pullbacks, n->pulled.by);
	if (!p) {
		p = ARENA_NEW(a->g->arena, struct pullback);
		*p = *n->pulled.by;
		p->lines++;
		map_set(&a->pullbacks, n->pulled.by, p);
	}
	for (int i = 0; i < n->nin; i++) {
		tensor[i] = at_once_with_lines(a, n->in[pulled_input(n, i)]);
		if (!tensor[i])
			return NULL;
	}
	return graph_pulled(a->g, &at, p, n->pulled.result, n->nin, tensor);
}

/* A line of what has lines, in a loop inside; *at: where its lines are. */
static struct node *line(struct at_once *a, const struct node *n, struct loop *l, int *at)
{
	struct node_site site = site_of(a, n);
	struct node **in = ARENA_ARRAY(a->g->arena, struct node *, n->nin);
	*at = 0;
	if (n->nin == 1) {
		in[0] = at_once_behind(a, at_once_lined(a, n->in[0]), at);
		--*at;
	}
	for (int i = 0; i < n->nin && n->nin > 1; i++)
		in[i] = at_once_with_lines(a, n->in[i]);
	for (int i = 0; i < n->nin; i++)
		if (!in[i])
			return NULL;
	return graph_line(a->g, &site, l, n->nin, in, n->line.first, n->line.step, n->line.back);
}

/* The same in a branch that lines take or not. Its only turn reads one line for certain. */
static struct lined line_taken(struct at_once *a, const struct node *n)
{
	struct node_site site = site_of(a, n);
	int64_t at = n->line.first + (n->line.back ? 1 : 0);
	struct lined *l = at_once_lined(a, n->in[n->nin > 1 ? at : 0]), got = *l;
	if (n->nin > 1)
		return got;
	if (node_is_tape(l->x))
		return (struct lined){.x = NULL};
	if (l->at == SAME)
		return (struct lined){.x = graph_line_of(a->g, &site, l->x, at), .at = SAME};
	got.x = at_once_behind(a, l, &got.at);
	got.x = got.x ? graph_line_of(a->g, &site, got.x, at) : NULL;
	got.at--;
	return got;
}

/* The one line that such a branch stacks. */
static struct lined stack_taken(struct at_once *a, const struct node *n)
{
	struct node_site at = site_of(a, n);
	struct lined *l = at_once_lined(a, n->in[0]), got = {.at = l->at == SAME ? SAME : 1};
	struct node *x = at_once_in_front(a, l);
	if (!x || x->shape.rank == MAX_RANK)
		return got;
	struct shape s = shape_of_lines(1, &x->shape);
	got.x = graph_reshape(a->g, &at, x, &s);
	return got;
}

/* Entries and exits of a branch that lines take or not, which are no loop any more. */
static bool take(struct at_once *a, struct node *n)
{
	struct node_site at = site_of(a, n);
	struct lined got = {.at = 0};
	if (n->kind == NODE_TURN)
		got = (struct lined){.x = graph_int(a->g, &at, DT_I64, 0), .at = SAME};
	else if (n->kind == NODE_CARRY)
		got = *at_once_lined(a, n->in[0]);
	else if (n->kind == NODE_LINE)
		got = line_taken(a, n);
	else if (n->kind == NODE_STACK)
		got = stack_taken(a, n);
	else
		got.x = at_once_chosen_in(a, &at, n->of, n->in[1], n->in[0]);
	if (got.x)
		at_once_become(a, n, got.x, got.at);
	return got.x;
}

/* What the turn hands on: of a line that is not in it what it had. */
static struct node *next(struct at_once *a, const struct node *n, const struct node_site *at)
{
	return at_once_turns_vary(a, n->of) ? at_once_chosen_in(a, at, n->of, n->in[1], n->in[0])
					    : at_once_with_lines(a, n->in[1]);
}

/* What a turn stacks; *at: where its lines are. Where turns are counted and the lines of those that are not made are
 * zeros, so are they here. */
static struct node *stacked(struct at_once *a, const struct node *n, const struct node_site *site, int *at)
{
	struct lined *of = at_once_lined(a, n->in[0]);
	bool lines = of->at != SAME;
	*at = of->at;
	if (!at_once_turns_vary(a, n->of) || n->of->most < 0)
		return of->x;
	struct node *zero = graph_zeros(a->g, site, n->dtype, &n->in[0]->shape);
	*at = 0;
	return at_once_chosen(a, site, at_once_active(a, n->of), at_once_in_front(a, of), lines, zero, false);
}

/* Exits of a loop inside that differ from line to line. What they leave is made in the block that the loop is in. */
static struct node *exit_of(struct at_once *a, struct node *n, struct loop *l, int *at)
{
	struct node_site site = site_of(a, n);
	const struct remat *outside = a->g->remat;
	a->g->remat = l->remat;
	struct node *x = n->kind == NODE_END ? next(a, n, &site) : stacked(a, n, &site, at);
	a->g->remat = outside;
	if (x && n->kind == NODE_END)
		return graph_end(a->g, &site, at_once_lined(a, n->in[0])->x, x);
	if (!x || x->shape.rank == MAX_RANK)
		return NULL;
	++*at;
	return graph_stack(a->g, &site, l, x, n->line.back);
}

/* Entries and exits of a loop inside that differ from line to line. */
static struct node *entry_or_exit(struct at_once *a, struct node *n, struct loop *l, int *at)
{
	struct node_site site = site_of(a, n);
	*at = 0;
	if (node_is_exit(n))
		return exit_of(a, n, l, at);
	if (n->kind == NODE_LINE)
		return line(a, n, l, at);
	if (n->kind == NODE_TURN)
		return at_once_turn(a, n);
	struct node *x = at_once_with_lines(a, n->in[0]);
	return x ? graph_carry(a->g, &site, l, x) : NULL;
}

/* Whether n has lines, or gets them here: a CARRY later, exits and the number of the turn by who is in it, a CHECK by
 * who comes by. */
static bool has_lines(struct at_once *a, const struct node *n)
{
	bool gets = n->kind == NODE_CARRY || n->kind == NODE_CHECK || n->kind == NODE_TURN || node_is_exit(n);
	if (gets && at_once_varies(a, n))
		return true;
	for (int i = 0; i < n->nin; i++)
		if (at_once_lined(a, n->in[i])->at != SAME)
			return true;
	return false;
}

/* False if it cannot be written for all lines. */
static bool map_as(struct at_once *a, struct node *n)
{
	struct inner *in = at_once_inner(a, n->of);
	int at = 0;
	if (n->of == a->loop) {
		if (n->kind != NODE_LINE || n->nin != 1)
			return false;
		at_once_become(a, n, n->in[0], 0);
		return true;
	}
	if (in && !in->now)
		return take(a, n);
	if (!has_lines(a, n)) {
		at_once_become(a, n, copied(a, n), SAME);
		return true;
	}
	struct node *x = in                       ? entry_or_exit(a, n, in->now, &at)
			 : n->kind == NODE_PULLED ? pulled(a, n)
			 : node_is_of_rule(n)     ? ruled(a, n)
						  : computed(a, n);
	if (x && !in && a->written)
		x->lines = n->lines + 1;
	if (x)
		at_once_become(a, n, x, at);
	return x;
}

static bool map_node(struct at_once *a, struct node *n)
{
	const struct remat *open = a->g->remat;
	a->g->remat = at_once_block(a, n->remat);
	bool mapped = map_as(a, n);
	a->g->remat = open;
	return mapped;
}

/* Of the turn, no input from elsewhere, and not mapped yet. */
static bool is_to_map(const struct at_once *a, const struct node *n)
{
	bool own = n->id >= a->from && n->id < a->end && a->g->nodes.at[n->id] == n &&
		   (at_once_is_inside(a, n) || (node_is_exit(n) && loop_is_in(n->of, a->loop)));
	return own && !map_get(&a->lined, n);
}

bool at_once_need(struct at_once *a, struct node *x)
{
	if (!is_to_map(a, x))
		return true;
	int n = x->id - a->from + 1;
	bool *needed = ARENA_ARRAY(a->g->arena, bool, n);
	needed[n - 1] = true;
	for (int i = n - 1; i >= 0; i--) {
		const struct node *at = a->g->nodes.at[a->from + i];
		for (int k = 0; needed[i] && k < at->nin; k++)
			if (is_to_map(a, at->in[k]))
				needed[at->in[k]->id - a->from] = true;
	}
	for (int i = 0; i < n; i++) {
		struct node *at = a->g->nodes.at[a->from + i];
		if (needed[i] && is_to_map(a, at) && !map_node(a, at))
			return false;
	}
	return true;
}

/* ---- loops inside ---- */

static void begin_loop(struct at_once *a, struct loop *l)
{
	struct inner *in = at_once_inner(a, l);
	if (l->is_branch && at_once_turns_vary(a, l))
		return;
	in->now = graph_loop(a->g, at_once_loop_now(a, l->outer), l->turns, l->span);
	in->now->most = l->most;
	in->now->is_branch = l->is_branch;
	in->now->remat = at_once_block(a, l->remat);
}

/* What the loops ask is known when all nodes are. */
static bool finish_loop(struct at_once *a, struct loop *l)
{
	struct loop *now = at_once_inner(a, l)->now;
	if (!now)
		return true;
	if (at_once_turns_vary(a, l)) {
		a->g->remat = now->remat;
		bool asks = at_once_ask_unequal(a, l);
		a->g->remat = a->remat;
		return asks;
	}
	now->count = l->count ? at_once_lined(a, l->count)->x : NULL;
	now->condition = l->condition ? at_once_lined(a, l->condition)->x : NULL;
	return true;
}

static bool map_all(struct at_once *a, struct one_by_one *why)
{
	struct graph *g = a->g;
	int nloops = g->loops.n;
	for (int i = a->loop->id + 1; i < nloops; i++)
		if (at_once_inner(a, g->loops.at[i]))
			begin_loop(a, g->loops.at[i]);
	for (int i = a->from; i < a->end; i++) {
		struct node *n = g->nodes.at[i];
		*why = (struct one_by_one){"this cannot be written for all lines at a time", n->span};
		if (is_to_map(a, n) && !map_node(a, n))
			return false;
	}
	for (int i = a->loop->id + 1; i < nloops; i++) {
		struct loop *l = g->loops.at[i];
		*why = (struct one_by_one){"this cannot be asked for all lines at a time", l->span};
		if (at_once_inner(a, l) && !finish_loop(a, l))
			return false;
	}
	return true;
}

/* ---- */

struct at_once *graph_at_once(struct graph *g, struct loop *l, int64_t lines, int from, bool slopes, bool written,
			      struct one_by_one *why)
{
	struct at_once *a = ARENA_NEW(g->arena, struct at_once);
	*a = (struct at_once){.g = g,
			      .loop = l,
			      .n = lines,
			      .from = from,
			      .end = g->nodes.n,
			      .nloops = g->loops.n,
			      .remat = g->remat,
			      .slopes = slopes,
			      .written = written};
	map_init(&a->lined, g->arena);
	map_init(&a->inner, g->arena);
	map_init(&a->blocks, g->arena);
	map_init(&a->pullbacks, g->arena);
	at_once_find_varying(a);
	if (at_once_loops_may_stay(a, why) && map_all(a, why))
		return a;
	at_once_forget(a);
	return NULL;
}

void at_once_forget(struct at_once *a)
{
	a->g->nodes.n = a->end;
	a->g->loops.n = a->nloops;
}

struct node *at_once_lines(struct at_once *a, struct node *x)
{
	struct lined *l = at_once_lined(a, x);
	return l->at == SAME ? NULL : at_once_in_front(a, l);
}

struct node *at_once_same(struct at_once *a, struct node *x)
{
	return at_once_lined(a, x)->x;
}

struct node *at_once_repeated(struct at_once *a, struct node *x)
{
	struct node *all = at_once_repeat(a, at_once_lined(a, x)->x);
	BUG_IF(!all, "a value of %d dimensions once for each line", x->shape.rank);
	return all;
}

/* The loops inside are dropped with their nodes. */
static void drop_loops(struct graph *g, const struct loop *l)
{
	int kept = l->id;
	for (int i = kept; i < g->loops.n; i++) {
		struct loop *x = g->loops.at[i];
		if (loop_is_in(x, l))
			continue;
		g->loops.at[kept] = x;
		x->id = kept++;
	}
	g->loops.n = kept;
}

void at_once_end(struct at_once *a)
{
	struct graph *g = a->g;
	int n = a->from;
	for (int i = a->from; i < g->nodes.n; i++) {
		struct node *x = g->nodes.at[i];
		bool is_exit = node_is_exit(x) && loop_is_in(x->of, a->loop);
		if (at_once_is_inside(a, x) || is_exit)
			continue;
		x->forward = named(a, x->forward);
		x->after = named(a, x->after);
		g->nodes.at[n] = x;
		x->id = n++;
	}
	g->nodes.n = n;
	drop_loops(g, a->loop);
	const char *wrong = graph_order_from(g, a->from);
	BUG_IF(wrong, "%s", wrong);
}
