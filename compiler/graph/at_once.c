/* at_once.c — see at_once.h.
 *
 * The lines are the first dimension of a value, or stand further back: what an inner loop stacks has its turns in front
 * of them, and a line of that has them in front again. Where anything else reads a stack it is turned around.
 *
 * Which nodes differ from line to line follows from what they read, but for what is carried, which is asked for first:
 * it may begin as the same for all. What does not differ goes on as it was, without lines. */
#include "at_once.h"

#include <string.h>

/* What a node of a turn has become. */
struct lined {
	struct node *x;      /* of all turns, or the same in each */
	int at;              /* the dimension of the lines; -1: it has none */
	struct node *second; /* x with the lines second, if somebody asked */
};
enum { SAME = -1 };

/* A loop inside. */
struct inner {
	struct loop *now;   /* over all lines */
	struct node *taken; /* a branch that lines take or not: how often each makes it, 0 or 1; else NULL */
};

struct at_once {
	struct graph *g;
	struct loop *loop;
	int64_t n;     /* lines */
	int from, end; /* the nodes that there were */
	struct map lined;   /* by node: struct lined */
	struct map inner;   /* by loop: struct inner */
	struct map blocks;  /* by remat block made inside: what it is now */
	bool *varies;       /* by number from `from` on: may differ from line to line */
};

static bool is_inside(const struct at_once *a, const struct node *x)
{
	return loop_is_in(x->loop, a->loop);
}

/* ---- what differs from line to line ---- */

static bool may_vary(const struct at_once *a, const struct node *x)
{
	return is_inside(a, x) && x->id >= a->from && a->varies[x->id - a->from];
}

static bool turns_vary(const struct at_once *a, const struct loop *l)
{
	return (l->count && may_vary(a, l->count)) || (l->condition && may_vary(a, l->condition));
}

/* What a branch stacks is for who takes it too, as its reverse does: what there is of other lines does not matter. */
static bool stacks_in_branch(const struct node *n)
{
	return n->kind == NODE_STACK && n->of->is_branch;
}

static bool finds_varying(const struct at_once *a, struct node *n)
{
	if (n->of == a->loop || may_vary(a, n))
		return true;
	bool any = node_is_exit(n) && turns_vary(a, n->of) && !stacks_in_branch(n);
	for (int i = 0; i < n->nin && !any; i++)
		any = may_vary(a, n->in[i]);
	return any;
}

/* Whether n is what the next turn begins with. A branch that lines take or not makes no second one. */
static bool hands_on(const struct at_once *a, const struct node *n)
{
	return n->kind == NODE_END && !(n->of->is_branch && turns_vary(a, n->of));
}

static void find_varying(struct at_once *a)
{
	a->varies = ARENA_ARRAY(a->g->arena, bool, a->end - a->from + 1);
	for (bool changed = true; changed;) {
		changed = false;
		for (int i = a->from; i < a->end; i++) {
			struct node *n = a->g->nodes.at[i];
			bool is = is_inside(a, n) && finds_varying(a, n);
			changed |= is && !a->varies[i - a->from];
			a->varies[i - a->from] |= is;
			if (is && hands_on(a, n) && n->in[0]->id >= a->from && !a->varies[n->in[0]->id - a->from])
				a->varies[n->in[0]->id - a->from] = changed = true;
		}
	}
}

/* A branch may be computed for lines that do not take it if all it does is to compute, and it comes to an end. */
static bool may_be_computed_by_all(const struct at_once *a, const struct loop *branch, struct one_by_one *why)
{
	*why = (struct one_by_one){"not all lines make as many turns of this loop", branch->span};
	if (!branch->is_branch || !branch->count || branch->condition)
		return false;
	for (int i = a->from; i < a->end; i++) {
		const struct node *n = a->g->nodes.at[i];
		const struct loop *l = node_part_of(n);
		bool checks = n->kind == NODE_CHECK;
		if (!loop_is_in(l, branch) || (!checks && !l->condition))
			continue;
		*why = checks ? (struct one_by_one){"this is checked, in a branch that not all lines take", n->span}
			      : (struct one_by_one){"this loop stands in a branch that not all lines take", l->span};
		return false;
	}
	return true;
}

static bool loops_may_stay(const struct at_once *a, struct one_by_one *why)
{
	for (int i = a->loop->id + 1; i < a->g->loops.n; i++) {
		const struct loop *l = a->g->loops.at[i];
		*why = (struct one_by_one){"these are micro-batches", l->span};
		if (loop_is_in(l, a->loop) && (l->batch || (turns_vary(a, l) && !may_be_computed_by_all(a, l, why))))
			return false;
	}
	return true;
}

/* ---- a node for all lines ---- */

static struct lined *lined_of(struct at_once *a, struct node *x)
{
	struct lined *l = map_get(&a->lined, x);
	if (l)
		return l;
	l = ARENA_NEW(a->g->arena, struct lined);
	*l = (struct lined){.x = x, .at = SAME};
	BUG_IF(is_inside(a, x), "a node of a turn that is read before it is made");
	map_set(&a->lined, x, l);
	return l;
}

static void become(struct at_once *a, struct node *n, struct node *x, int at)
{
	struct lined *l = ARENA_NEW(a->g->arena, struct lined);
	*l = (struct lined){.x = x, .at = at};
	map_set(&a->lined, n, l);
}

static struct inner *inner_of(const struct at_once *a, const struct loop *l)
{
	return map_get(&a->inner, l);
}

/* The loop that l is now: where a branch that lines take or not was, and where the turns were, what is around it. */
static struct loop *loop_now(const struct at_once *a, struct loop *l)
{
	if (!l || !loop_is_in(l, a->loop))
		return l;
	const struct inner *in = l == a->loop ? NULL : inner_of(a, l);
	return in && !in->taken ? in->now : loop_now(a, l->outer);
}

/* The innermost block that there is now for one that may have been made inside. That of a loop with no loop around it
 * any more is none: nothing makes it several times. */
static const struct remat *block_of(struct at_once *a, const struct remat *r)
{
	if (!r || r == a->g->remat)
		return r;
	struct loop *in = loop_now(a, r->in);
	if (r->in && !in)
		return block_of(a, r->outer);
	struct remat *now = map_get(&a->blocks, r);
	if (now)
		return now;
	now = ARENA_NEW(a->g->arena, struct remat);
	*now = (struct remat){.outer = block_of(a, r->outer), .in = in};
	map_set(&a->blocks, r, now);
	return now;
}

/* Of r, whose operands of a line each have `lines` of them, or none. NULL if it cannot be written. */
static struct node *mapped(struct at_once *a, const struct node_site *at, const struct rule *r, struct node *const *in,
			   const bool *lines)
{
	struct rule_turn turn[MAX_OPERANDS];
	for (int i = 0; i < r->noperands; i++)
		turn[i] = (struct rule_turn){lines[i] ? TURN_LINE : TURN_SAME, a->n, 0, 1};
	const struct rule *all = rule_over_turns(a->g->arena, r, a->n, turn, false);
	return all ? graph_map(a->g, at, all, in) : NULL;
}

static struct node *turned(struct at_once *a, struct node *x, int from, int to)
{
	struct node_site at = node_site_of(x);
	return graph_turned(a->g, &at, x, from, to);
}

/* With the lines in front; what has none as it is; NULL: a tape, which is read line by line alone. */
static struct node *in_front(struct at_once *a, struct lined *l)
{
	if (l->at <= 0)
		return l->x;
	if (node_is_tape(l->x))
		return NULL;
	l->second = l->at == 1 ? l->x : l->second;
	l->x = turned(a, l->x, l->at, 0);
	l->at = 0;
	return l->x;
}

/* What has lines, with the lines behind one other dimension at least: what a loop reads line by line. NULL as above. */
static struct node *behind(struct at_once *a, struct lined *l, int *at)
{
	*at = l->at;
	if (l->at > 0)
		return l->x;
	*at = 1;
	if (!l->second)
		l->second = turned(a, l->x, 0, 1);
	return l->second;
}

/* As it is read by what has lines in any case. */
static struct node *repeated(struct at_once *a, struct node *x)
{
	struct node_site at = node_site_of(x);
	return x->shape.rank < MAX_RANK ? graph_repeated(a->g, &at, x, a->n) : NULL;
}

static struct node *with_lines(struct at_once *a, struct node *n)
{
	struct lined *l = lined_of(a, n);
	return l->at == SAME ? repeated(a, l->x) : in_front(a, l);
}

/* x of the lines that take a branch, else y. */
static struct node *chosen(struct at_once *a, const struct node_site *at, struct node *taken, struct node *x,
			   struct node *y)
{
	struct arena *arena = a->g->arena;
	struct lined *l[] = {lined_of(a, x), lined_of(a, y)};
	struct node *in[] = {taken, in_front(a, l[0]), in_front(a, l[1])};
	const bool lines[] = {true, l[0]->at == 0, l[1]->at == 0};
	if (!in[1] || !in[2] || node_is_tape(in[1]))
		return NULL;
	const struct place *p = nodes_place(3, in);
	for (int i = 0; i < 3; i++)
		if (in[i]->place && in[i]->place != p)
			return NULL;
	struct rule r = rule_over_shape("chosen", x->dtype, &x->shape);
	struct access operand[] = {{.type = taken->dtype}, r.out, r.out};
	const struct scalar *is = scalar_apply(arena, SC_LT, DT_BOOL, scalar_int(arena, taken->dtype, 0),
					       scalar_operand(arena, taken->dtype, 0), NULL);
	r.noperands = 3;
	r.operand = operand;
	r.body = scalar_apply(arena, SC_WHERE, x->dtype, is, scalar_operand(arena, x->dtype, 1),
			      scalar_operand(arena, x->dtype, 2));
	return mapped(a, at, &r, in, lines);
}

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
	const struct inner *in = n->of ? inner_of(a, n->of) : NULL;
	struct node *x = graph_node(g);
	*x = *n;
	x->in = ARENA_ARRAY(g->arena, struct node *, n->nin);
	for (int i = 0; i < n->nin; i++)
		x->in[i] = lined_of(a, n->in[i])->x;
	x->forward = named(a, n->forward);
	x->after = named(a, n->after);
	x->of = in ? in->now : n->of;
	x->loop = node_loop(x);
	x->id = g->nodes.n;
	vec_push(g->arena, &g->nodes, x);
	return x;
}

/* A node that computes, all of whose inputs have lines in front or none. */
static struct node *computed(struct at_once *a, struct node *n)
{
	struct graph *g = a->g;
	struct node_site at = site_of(a, n);
	struct node *in[MAX_OPERANDS] = {NULL};
	bool lines[MAX_OPERANDS];
	struct shape s = {.rank = n->shape.rank + 1, .dim = {a->n}};
	struct layout_spec l;
	int named_by[MAX_AXES];
	if (n->shape.rank == MAX_RANK || n->nin > MAX_OPERANDS)
		return NULL;
	memcpy(s.dim + 1, n->shape.dim, sizeof *s.dim * (size_t)n->shape.rank);
	for (int i = 0; i < n->nin; i++) {
		struct lined *x = lined_of(a, n->in[i]);
		in[i] = in_front(a, x);
		lines[i] = x->at == 0;
		if (!in[i])
			return NULL;
	}
	switch (n->kind) {
	case NODE_MAP:
		return mapped(a, &at, n->rule, in, lines);
	case NODE_RESHAPE:
		return graph_reshape(g, &at, in[0], &s);
	case NODE_STOP:
		return graph_stop(g, &at, in[0]);
	case NODE_REMAT:
		return graph_remat(g, &at, in[0], named(a, n->after));
	case NODE_CHECK:
		return graph_check(g, &at, in[0], &n->check);
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
	case NODE_KINDS:
		break;
	}
	return NULL;
}

/* A line of what has lines, in a loop inside; *at: where its lines are. */
static struct node *line(struct at_once *a, const struct node *n, struct loop *l, int *at)
{
	struct node_site site = site_of(a, n);
	struct node **in = ARENA_ARRAY(a->g->arena, struct node *, n->nin);
	*at = 0;
	if (n->nin == 1) {
		in[0] = behind(a, lined_of(a, n->in[0]), at);
		--*at;
	}
	for (int i = 0; i < n->nin && n->nin > 1; i++)
		in[i] = with_lines(a, n->in[i]);
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
	struct lined *l = lined_of(a, n->in[n->nin > 1 ? at : 0]), got = *l;
	if (n->nin > 1)
		return got;
	if (node_is_tape(l->x))
		return (struct lined){.x = NULL};
	if (l->at == SAME)
		return (struct lined){.x = graph_line_of(a->g, &site, l->x, at), .at = SAME};
	got.x = behind(a, l, &got.at);
	got.x = got.x ? graph_line_of(a->g, &site, got.x, at) : NULL;
	got.at--;
	return got;
}

/* The one line that such a branch stacks. */
static struct lined stack_taken(struct at_once *a, const struct node *n)
{
	struct node_site at = site_of(a, n);
	struct lined *l = lined_of(a, n->in[0]), got = {.at = l->at == SAME ? SAME : 1};
	struct node *x = in_front(a, l);
	if (!x || x->shape.rank == MAX_RANK)
		return got;
	struct shape s = {.rank = x->shape.rank + 1, .dim = {1}};
	memcpy(s.dim + 1, x->shape.dim, sizeof *s.dim * (size_t)x->shape.rank);
	got.x = graph_reshape(a->g, &at, x, &s);
	return got;
}

/* Entries and exits of a branch that lines take or not, which are no loop any more. */
static bool take(struct at_once *a, struct node *n, struct node *taken)
{
	struct node_site at = site_of(a, n);
	struct lined got = {.at = 0};
	if (n->kind == NODE_TURN)
		got = (struct lined){.x = graph_int(a->g, &at, DT_I64, 0), .at = SAME};
	else if (n->kind == NODE_CARRY)
		got = *lined_of(a, n->in[0]);
	else if (n->kind == NODE_LINE)
		got = line_taken(a, n);
	else if (n->kind == NODE_STACK)
		got = stack_taken(a, n);
	else
		got.x = chosen(a, &at, taken, n->in[1], n->in[0]);
	if (got.x)
		become(a, n, got.x, got.at);
	return got.x;
}

/* Entries and exits of a loop inside that differ from line to line. */
static struct node *entry_or_exit(struct at_once *a, struct node *n, struct loop *l, int *at)
{
	struct node_site site = site_of(a, n);
	const struct lined *of = lined_of(a, n->in[0]);
	bool begins = n->kind == NODE_CARRY;
	if (n->kind == NODE_LINE)
		return line(a, n, l, at);
	*at = n->kind == NODE_STACK ? of->at + 1 : 0;
	if (n->kind == NODE_STACK)
		return of->x->shape.rank < MAX_RANK ? graph_stack(a->g, &site, l, of->x, n->line.back) : NULL;
	struct node *x = with_lines(a, n->in[begins ? 0 : 1]);
	if (!x)
		return NULL;
	return begins ? graph_carry(a->g, &site, l, x) : graph_end(a->g, &site, of->x, x);
}

/* Whether any input has lines. A CARRY may get them later. */
static bool has_lines(struct at_once *a, const struct node *n)
{
	if (n->kind == NODE_CARRY && may_vary(a, n))
		return true;
	for (int i = 0; i < n->nin; i++)
		if (lined_of(a, n->in[i])->at != SAME)
			return true;
	return false;
}

/* False if it cannot be written for all lines. */
static bool map_node(struct at_once *a, struct node *n)
{
	int first = a->g->nodes.n, at = 0;
	struct inner *in = n->of ? inner_of(a, n->of) : NULL;
	struct node *x;
	if (n->of == a->loop) {
		if (n->kind != NODE_LINE || n->nin != 1)
			return false;
		become(a, n, n->in[0], 0);
		return true;
	}
	if (in && in->taken) {
		struct node *taken = with_lines(a, in->taken);
		if (!taken || !take(a, n, taken))
			return false;
	} else if (!has_lines(a, n)) {
		become(a, n, copied(a, n), SAME);
	} else {
		x = in ? entry_or_exit(a, n, in->now, &at) : computed(a, n);
		if (!x)
			return false;
		become(a, n, x, at);
	}
	for (int i = first; i < a->g->nodes.n; i++)
		a->g->nodes.at[i]->remat = block_of(a, n->remat);
	return true;
}

/* ---- loops inside ---- */

static void begin_loop(struct at_once *a, struct loop *l)
{
	struct inner *in = ARENA_NEW(a->g->arena, struct inner);
	map_set(&a->inner, l, in);
	if (turns_vary(a, l)) {
		in->taken = l->count;
		return;
	}
	in->now = graph_loop(a->g, loop_now(a, l->outer), l->turns, l->span);
	in->now->most = l->most;
	in->now->is_branch = l->is_branch;
	in->now->remat = block_of(a, l->remat);
}

/* What the loops ask is known when all nodes are. */
static void finish_loop(struct at_once *a, struct loop *l)
{
	struct loop *now = inner_of(a, l)->now;
	if (!now)
		return;
	now->count = l->count ? lined_of(a, l->count)->x : NULL;
	now->condition = l->condition ? lined_of(a, l->condition)->x : NULL;
}

static bool map_all(struct at_once *a, struct one_by_one *why)
{
	struct graph *g = a->g;
	int nloops = g->loops.n;
	for (int i = a->loop->id + 1; i < nloops; i++)
		if (loop_is_in(g->loops.at[i], a->loop))
			begin_loop(a, g->loops.at[i]);
	for (int i = a->from; i < a->end; i++) {
		struct node *n = g->nodes.at[i];
		bool is_exit = node_is_exit(n) && loop_is_in(n->of, a->loop);
		*why = (struct one_by_one){"this cannot be written for all lines at a time", n->span};
		if ((is_inside(a, n) || is_exit) && !map_node(a, n))
			return false;
	}
	for (int i = a->loop->id + 1; i < nloops; i++)
		if (loop_is_in(g->loops.at[i], a->loop))
			finish_loop(a, g->loops.at[i]);
	return true;
}

/* ---- */

struct at_once *graph_at_once(struct graph *g, struct loop *l, int64_t lines, int from, struct one_by_one *why)
{
	struct at_once *a = ARENA_NEW(g->arena, struct at_once);
	int nloops = g->loops.n;
	*a = (struct at_once){.g = g, .loop = l, .n = lines, .from = from, .end = g->nodes.n};
	map_init(&a->lined, g->arena);
	map_init(&a->inner, g->arena);
	map_init(&a->blocks, g->arena);
	find_varying(a);
	if (loops_may_stay(a, why) && map_all(a, why))
		return a;
	g->nodes.n = a->end;
	g->loops.n = nloops;
	return NULL;
}

struct node *at_once_lines(struct at_once *a, struct node *x)
{
	struct lined *l = lined_of(a, x);
	return l->at == SAME ? NULL : in_front(a, l);
}

struct node *at_once_same(struct at_once *a, struct node *x)
{
	return lined_of(a, x)->x;
}

struct node *at_once_repeated(struct at_once *a, struct node *x)
{
	struct node *all = repeated(a, lined_of(a, x)->x);
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
		if (is_inside(a, x) || is_exit)
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
