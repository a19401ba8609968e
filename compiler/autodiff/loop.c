/* loop.c — the reverse of a loop is a loop of as many turns, the last first.
 *
 *     h = x                                   dh = (cotangent of h at the end), dw = 0
 *     for t in 0..n { h = tanh(h * w) }       for t in n-1..=0 { d = dh * (1 - y[t]²); dw = dw + d * h[t]; dh = d * w }
 *
 * What the turns read of the forward ones is kept line by line in a STACK, and read back from its end; lines of other
 * tensors, the number of the turn, and what is little work over what is there anyway is not kept. Cotangents of carried
 * values are carried; those of values that every turn reads from outside are carried sums; those of lines are lines of
 * a stack. Which carried values have a cotangent is a fixpoint: any that a later turn lets flow into a result. */
#include "tape.h"
#include "undo.h"

#include "base/diag.h"

#include <string.h>

/* ---- values of the turn ---- */

/* Computing again costs less than reading back. */
enum { CHEAP = 8 };

static struct node *value_at(struct tape *t, struct turns *w, struct node *x);

static struct node *last_turn(struct tape *t, struct turns *w, const struct node_site *at)
{
	struct node *count = w->backward->count, *one = graph_int(t->g, at, DT_I64, 1);
	return count ? graph_pointwise(t->g, at, SC_SUB, count, one, NULL)
		     : graph_int(t->g, at, DT_I64, w->forward->turns - 1);
}

/* The number of turns, as an exit's gradients read it, which begin with c. */
static struct node *turns_again(struct tape *t, struct loop *l, const struct node *exit, const struct node *c)
{
	struct node_site at = {.span = l->span, .origin = ORIGIN_BACKWARD};
	if (l->turns >= 0)
		return NULL;
	return tape_value(t, l->count ? again_value(t->again, exit, l->count, c)
				      : graph_turns(t->g, &at, again_loop(t->again, l, c)));
}

struct node *tape_add_lines(struct tape *t, struct node *stack, struct node *a, struct node *b)
{
	struct node_site at = node_site_backward(stack);
	struct node *count = turns_again(t, stack->of, stack, a);
	struct loop *l = graph_loop(t->g, t->turns ? t->turns->backward : t->g->open, -1, stack->of->span);
	l->count = count;
	a = graph_line(t->g, &at, l, 1, &a, 0, 1, false);
	b = graph_line(t->g, &at, l, 1, &b, 0, 1, false);
	return graph_stack(t->g, &at, l, adjoint_add(t->g, stack, a, b), false);
}

/* The line that the backward loop reads where the forward one reads n; false if it cannot be said. */
static bool line_backward(const struct turns *w, const struct node *n, int64_t *first, int64_t *step, bool *back)
{
	int64_t turns = w->forward->turns;
	*back = n->line.back;
	*step = -n->line.step;
	*first = n->line.first;
	if (turns >= 0) {
		int64_t last;
		return !__builtin_mul_overflow(n->line.step, turns ? turns - 1 : 0, &last) &&
		       !__builtin_add_overflow(*first, last, first);
	}
	*back = !n->line.back;
	*first += n->line.back ? 1 : -1;
	return n->line.step == (n->line.back ? -1 : 1);
}

static struct node *line_again(struct tape *t, struct turns *w, const struct node *n)
{
	int64_t first, step;
	bool back;
	struct node_site at = node_site_backward(n);
	if (!line_backward(w, n, &first, &step, &back))
		return NULL;
	struct node **in = ARENA_ARRAY(t->g->arena, struct node *, n->nin);
	for (int i = 0; i < n->nin; i++)
		in[i] = value_at(t, w->outer, n->in[i]);
	return graph_line(t->g, &at, w->backward, n->nin, in, first, step, back);
}

static bool is_cheap(struct tape *t, const struct turns *w, const struct node *x, int depth);

/* Of numbers made of numbers, so many are made again rather than kept. */
enum { NUMBERS = 6 };

/* Whether what a value of loop `of` reads need not be kept; depth: of numbers that are made of it. */
static bool is_there(struct tape *t, const struct turns *w, const struct loop *of, struct node *x, int depth)
{
	int64_t first, step;
	bool back;
	while (x->kind == NODE_RESHAPE && loop_is_in(x->loop, of))
		x = x->in[0];
	return !loop_is_in(x->loop, of) || x->kind == NODE_TURN ||
	       (x->kind == NODE_LINE && line_backward(w, x, &first, &step, &back)) || undo_has(t, x) ||
	       (!x->shape.rank && depth < NUMBERS && is_cheap(t, w, x, depth + 1));
}

/* The value of its input, on the same ranks. */
static bool is_same(const struct node *x)
{
	return (x->kind == NODE_CONTRACT || x->kind == NODE_STOP) && x->place == x->in[0]->place;
}

/* What is computed again from its input whatever that is, or a map that is little work over what need not be kept. */
static bool is_cheap(struct tape *t, const struct turns *w, const struct node *x, int depth)
{
	if (x->kind == NODE_RESHAPE || is_same(x))
		return true;
	if (x->kind == NODE_CHECK)
		return !x->shape.rank && is_there(t, w, x->loop, x->in[0], depth);
	if (x->kind != NODE_MAP || x->rule->combiner != COMBINE_NONE || rule_is_scatter(x->rule) ||
	    scalar_flops(x->rule->body) > CHEAP)
		return false;
	for (int i = 0; i < x->nin; i++)
		if (!is_there(t, w, x->loop, x->in[i], depth))
			return false;
	return true;
}

static struct node *made_again(struct tape *t, struct turns *w, struct node *x)
{
	struct node_site at = node_site_backward(x);
	struct node *in[MAX_OPERANDS] = {NULL};
	for (int i = 0; i < x->nin; i++)
		in[i] = value_at(t, w, x->in[i]);
	if (x->kind == NODE_STOP)
		return graph_stop(t->g, &at, in[0]); /* derivatives of the derivative stop there, too */
	if (is_same(x))
		return in[0];
	if (x->kind == NODE_CHECK)
		return graph_check(t->g, &at, in[0], &x->check);
	return x->kind == NODE_RESHAPE ? graph_reshape(t->g, &at, in[0], &x->shape) : graph_map(t->g, &at, x->rule, in);
}

static void tell_unkept(const struct tape *t, const struct loop *l, const struct node *x)
{
	struct diag *d =
		diag_error(t->g->session, PML0415, l->span,
			   l->is_branch ? "what this branch keeps for its derivative cannot be kept"
					: "what the turns of this loop keep for its derivative cannot be kept");
	diag_label(d, x->span, "of %d dimensions", MAX_RANK);
	diag_note(d, "turns are one dimension more, and there are no more than %d", MAX_RANK);
	diag_help(d, "compute it with dimensions merged (`reshape`), or in two loops");
}

/* A tensor of as many dimensions as there may be has no room for one of turns: false after a message, one for a
 * loop. */
static bool has_room(const struct tape *t, struct turns *w, const struct node *x)
{
	if (x->shape.rank < MAX_RANK)
		return true;
	if (!w->is_told)
		tell_unkept(t, w->forward, x);
	w->is_told = true;
	return false;
}

/* x without the dimensions of branches in branches, each of one line: those of a long `else if` are more than a tensor
 * may have. */
static struct node *without_branches(struct tape *t, struct node *x)
{
	int n = 0;
	for (const struct node *y = x; y->kind == NODE_STACK && y->of->is_branch; y = y->in[0])
		n++;
	if (!n)
		return x;
	struct node_site at = node_site_backward(x);
	struct shape lines = {.rank = x->shape.rank - n};
	memcpy(lines.dim, x->shape.dim + n, sizeof *lines.dim * (size_t)lines.rank);
	return graph_reshape(t->g, &at, x, &lines);
}

/* What was kept. */
static struct node *kept(struct tape *t, struct turns *w, struct node *x)
{
	struct node_site at = node_site_backward(x);
	struct node *less = x->shape.rank < MAX_RANK ? x : without_branches(t, x);
	if (!has_room(t, w, less))
		return x;
	struct node *line = value_at(t, w->outer, graph_stack(t->g, &at, x->loop, less, false));
	line = graph_line(t->g, &at, w->backward, 1, &line, -1, -1, true);
	return less == x ? line : graph_reshape(t->g, &at, line, &x->shape);
}

/* What x has been since before the loop, as what an arm of a branch reads from outside has. */
static struct node *unchanged(const struct tape *t, const struct node *x)
{
	bool stays = x->kind == NODE_CARRY && x->id < t->end && t->ends[x->id] && t->ends[x->id]->in[1] == x;
	return stays ? x->in[0] : NULL;
}

static struct node *turn_value(struct tape *t, struct turns *w, struct node *x)
{
	struct node_site at = node_site_backward(x);
	if (unchanged(t, x))
		return value_at(t, w->outer, unchanged(t, x));
	struct node *line = x->kind == NODE_LINE ? line_again(t, w, x) : NULL;
	if (line)
		return line;
	if (x->kind == NODE_TURN)
		return graph_pointwise(t->g, &at, SC_SUB, last_turn(t, w, &at), graph_turn(t->g, &at, w->backward),
				       NULL);
	struct node *undone = is_cheap(t, w, x, 0) ? made_again(t, w, x) : undo_value(t, w, x);
	return undone ? undone : kept(t, w, x);
}

/* x as it is read in the turns of w. */
static struct node *value_at(struct tape *t, struct turns *w, struct node *x)
{
	const struct loop *l = again_original(t->again, x->loop);
	while (w && w->forward != l && w->backward != l)
		w = w->outer;
	if (!w || w->backward == x->loop)
		return x;
	struct node *known = map_get(&w->lines, x);
	if (!known) {
		known = turn_value(t, w, x);
		map_set(&w->lines, x, known);
	}
	return known;
}

struct node *tape_value(struct tape *t, struct node *x)
{
	return value_at(t, t->turns, x);
}

struct loop *tape_backward(const struct tape *t, struct loop *l)
{
	const struct turns *w = t->turns;
	while (w && w->forward != l)
		w = w->outer;
	return w ? w->backward : l;
}

/* ---- which carried values have a cotangent ---- */

/* Marks what the wanted values of the loop are computed from; true if that was more than before. */
static bool spread_wish(const struct tape *t, bool *wanted, int from, int end)
{
	bool more = false;
	for (int i = end - 1; i >= from; i--) {
		const struct node *n = t->g->nodes.at[i];
		/* What a carried value becomes is wanted where the value is. */
		bool is_wanted = wanted[i - from] || (n->kind == NODE_END && wanted[n->in[0]->id - from]);
		for (int k = 0; k < n->nin && is_wanted && t->varying[i]; k++) {
			int id = n->in[k]->id;
			if (id < from || wanted[id - from] || !adjoint_goes_on(t->varying, n, k))
				continue;
			more = wanted[id - from] = true;
		}
	}
	return more;
}

/* From node `from` on. */
static bool *find_wanted(struct tape *t, int from, int exits, int end)
{
	bool *wanted = ARENA_ARRAY(t->g->arena, bool, end - from);
	for (int i = exits; i < end; i++)
		wanted[i - from] = !t->is_wrt[i] && *tape_cell(t, t->g->nodes.at[i], NULL) != NULL;
	while (spread_wish(t, wanted, from, end))
		;
	return wanted;
}

/* ---- the loop ---- */

static void enter(struct tape *t, struct loop *l, const struct node *exit, const struct node *c)
{
	struct turns *w = ARENA_NEW(t->g->arena, struct turns);
	struct node *count = turns_again(t, l, exit, c);
	*w = (struct turns){.outer = t->turns, .forward = l};
	w->backward = graph_loop(t->g, t->turns ? t->turns->backward : l->outer, l->turns, l->span);
	w->backward->count = count;
	w->backward->most = l->most;
	w->backward->is_branch = l->is_branch;
	map_init(&w->lines, t->g->arena);
	map_init(&w->cotangent, t->g->arena);
	t->turns = w;
}

/* What carries the cotangent of the value that `end` leaves, from the last turn to the first: it begins with what has
 * come so far of the uses behind the loop, NULL being zeros. */
static struct node *begin_carry(struct tape *t, struct node *end, struct node *so_far)
{
	struct node_site at = node_site_backward(end->in[0]);
	struct node *carry = graph_carry(t->g, &at, t->turns->backward, adjoint_or_zeros(t->g, end->in[0], so_far));
	if (adjoint_goes_on(t->varying, end, 1))
		tape_add(t, end, end->in[1], carry);
	return carry;
}

static void begin_stack(struct tape *t, struct node *stack, struct node *c)
{
	struct node_site at = node_site_backward(stack);
	bool back = stack->line.back;
	c = graph_line(t->g, &at, t->turns->backward, 1, &c, back ? 0 : -1, back ? 1 : -1, !back);
	tape_add(t, stack, stack->in[0], c);
}

/* Line of turn t in line t; back: in that of the turn as many from the end. */
static struct node *stack_of(struct tape *t, struct turns *w, struct node *line, struct node *c, bool back)
{
	struct node_site at = node_site_backward(line);
	return graph_stack(t->g, &at, w->backward, c, !back);
}

static void add_lines_of_many(struct tape *t, struct turns *w, struct node *n, struct node *c)
{
	struct node_site at = node_site_backward(n);
	if (!has_room(t, w, n))
		return;
	struct node *lines = stack_of(t, w, n, adjoint_or_zeros(t->g, n, c), false);
	for (int64_t turn = 0; turn < lines->shape.dim[0]; turn++) {
		int64_t k = n->line.first + n->line.step * turn + (n->line.back ? w->forward->turns : 0);
		if (k >= 0 && k < n->nin && adjoint_goes_on(t->varying, n, (int)k))
			tape_add(t, n, n->in[k], graph_line_of(t->g, &at, lines, turn));
	}
}

static void add_lines(struct tape *t, struct turns *w, struct node *n, struct node *c)
{
	struct node_site at = node_site_backward(n);
	struct node *x = n->in[0];
	int64_t turns = w->forward->turns, lines = loop_lines(w->forward), first = n->line.first;
	c = adjoint_or_zeros(t->g, n, c);
	if (n->line.back && turns >= 0)
		first += turns;
	bool all = lines == x->shape.dim[0], known_from = !n->line.back || turns >= 0;
	if (all && known_from && first == 0 && n->line.step == 1) {
		tape_add(t, n, x, stack_of(t, w, n, c, false));
	} else if (all && n->line.step == -1 && (known_from ? turns >= 0 && first == turns - 1 : first == -1)) {
		tape_add(t, n, x, stack_of(t, w, n, c, true));
	} else if (known_from && lines) {
		c = stack_of(t, w, n, c, false);
		tape_add(t, n, x, graph_spread_lines(t->g, &at, c, &x->shape, first, n->line.step));
	} else if (n->line.step == -1 && lines) { /* from the last turn's on, as many turns as there are */
		c = stack_of(t, w, n, c, true);
		tape_add(t, n, x, graph_spread_lines(t->g, &at, c, &x->shape, first + 1, 1));
	} else if (turns != 0) {
		diag_error(t->g->session, PML0415, n->span,
			   "the derivative of these lines has no fixed size: the number of turns is not known");
	}
}

struct node *tape_carried(struct tape *t, struct node *x, const struct node *like)
{
	struct turns *w = t->turns;
	struct node_site at = node_site_backward(x);
	const struct place *place = x->place ? x->place : like->place;
	if (x->kind == NODE_STACK && !loop_lines(x->of))
		return NULL;
	t->turns = w->outer;
	struct node **outer = tape_cell(t, x, like), *start = *outer ? *outer : adjoint_zeros(t->g, x);
	start = adjoint_pin(t->g, x, start, place);
	t->turns = w;
	return graph_carry(t->g, &at, w->backward, start);
}

/* The cotangent of a value from outside as the last turn leaves it. */
static void end_outside(struct tape *t, struct turns *w, int i)
{
	struct node *x = w->outside.at[i], *carry = w->carries.at[i], *sum = *(struct node **)map_get(&w->cotangent, x);
	struct node_site at = node_site_backward(x);
	t->turns = w->outer;
	struct node **outer = tape_cell(t, x, sum);
	if (!carry) {
		struct node *start = *outer ? *outer : adjoint_zeros(t->g, x);
		carry = graph_carry(t->g, &at, w->backward,
				    adjoint_pin(t->g, x, start, x->place ? x->place : sum->place));
		sum = adjoint_add(t->g, x, carry, sum);
	}
	*outer = graph_end(t->g, &at, carry, sum);
	t->turns = w;
}

void tape_walk_loop(struct tape *t, struct loop *l, int from, int exits, int end)
{
	struct node **nodes = t->g->nodes.at;
	struct node **carry = ARENA_ARRAY(t->g->arena, struct node *, end - exits); /* by exit */
	struct node **so_far = ARENA_ARRAY(t->g->arena, struct node *, end - exits);
	bool *wanted = find_wanted(t, from, exits, end);
	int first = end;
	for (int i = end - 1; i >= exits; i--) {
		so_far[i - exits] = t->is_wrt[i] ? NULL : *tape_cell(t, nodes[i], NULL);
		first = so_far[i - exits] ? i : first;
	}
	if (first == end)
		return;
	enter(t, l, nodes[first], so_far[first - exits]);
	struct turns *w = t->turns;
	for (int i = end - 1; i >= exits; i--) {
		struct node *n = t->g->nodes.at[i];
		if (n->kind == NODE_END && wanted[n->in[0]->id - from])
			carry[i - exits] = begin_carry(t, n, so_far[i - exits]);
		else if (n->kind == NODE_STACK && so_far[i - exits] && t->varying[i])
			begin_stack(t, n, so_far[i - exits]);
	}
	tape_walk(t, from, exits);
	for (int i = exits; i < end; i++)
		if (carry[i - exits]) {
			struct node *c = t->g->nodes.at[i]->in[0];
			struct node_site at = node_site_backward(c);
			carry[i - exits] =
				graph_end(t->g, &at, carry[i - exits], adjoint_or_zeros(t->g, c, t->cotangent[c->id]));
		}
	for (int i = 0; i < w->outside.n; i++)
		end_outside(t, w, i);
	undo_end(t, w);
	t->turns = w->outer;
	for (int i = exits; i < end; i++) {
		struct node *c = t->g->nodes.at[i]->in[0];
		if (carry[i - exits] && adjoint_goes_on(t->varying, c, 0))
			tape_add(t, c, c->in[0], carry[i - exits]);
	}
	for (int i = exits - 1; i >= from; i--) {
		struct node *n = t->g->nodes.at[i], *c = t->cotangent[i];
		if (n->kind != NODE_LINE || n->of != l || !c || !t->varying[i])
			continue;
		if (n->nin > 1)
			add_lines_of_many(t, w, n, c);
		else
			add_lines(t, w, n, c);
	}
}
