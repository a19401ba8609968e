/* graph_loop.c — loops and branches that become part of the graph: in functions, those of known turns that are alike;
 * where a function is differentiated, also those of which only the running program knows how often they turn or which
 * way they go.
 *
 * A body is walked once, with numbers and tensors standing for what is carried (carried.c). Nothing of it is known
 * before the program runs; what the host alone can do is refused. `if c { a } else { b }` is two loops of one turn or
 * none, of which the second begins with what the first leaves.
 *
 * `break`, `continue` and `return`: see leave.c. */
#include "build.h"
#include "../operators/operators.h"

#include <string.h>

/* Another name that no program can write. */
#define ASKED "loop asks"

bool graph_loop_wanted(const struct elab *e)
{
	const struct loop *l = region_loop(e);
	return e->grad_depth > 0 || (l && !l->batch);
}

bool graph_loop_kept(const struct elab *e)
{
	return e->grad_depth || e->frame->item;
}

void stmt_turn(struct elab *e, const struct stmt *s, const struct value *v)
{
	env_push(e);
	pattern_bind(e, s->pattern, BIND_LET, v, s->value->span);
	stmt_block(e, s->body->body);
	env_pop(e);
}

/* ---- entering and leaving ---- */

static bool is_arm(const struct build *b)
{
	return !b->s && !b->lists;
}

/* Whether it may make more turns than a segment has. */
static bool is_cut(const struct elab *e, const struct build *b)
{
	int64_t most = b->turns >= 0 ? b->turns : b->most;
	return b->every && e->grad_depth && (most < 0 || most > b->every);
}

static void enter(struct elab *e, struct build *b)
{
	struct graph *g = region_graph(e);
	struct frame *f = e->frame;
	b->outer = *f;
	b->remat = e->remat;
	if (!is_arm(b) && b->turns < 0 && b->most < 0 && g->open)
		remat_enter(e, remat_new(e, g->open));
	b->segments = is_cut(e, b) ? segments_begin(e, b->span) : NULL;
	b->loop = g->open = graph_loop(g, g->open, b->turns, b->span);
	b->loop->count = b->count;
	b->loop->is_branch = is_arm(b);
	b->loop->most = b->most;
	f->runtime_depth++;
	if (is_arm(b))
		return;
	b->walk = (struct loop_walk){.outer = f->loop, .depth = f->runtime_depth, .graph = true, .done = -1};
	f->loop = &b->walk;
}

static void leave(struct elab *e, struct build *b)
{
	region_graph(e)->open = b->loop->outer;
	e->frame->loop = b->outer.loop;
	e->frame->runtime_depth = b->outer.runtime_depth;
	e->frame->left = false; /* what follows is reached on other ways */
}

/* ---- numbers and bools of the graph ---- */

static const struct value *number_of_turn(struct elab *e, const struct build *b)
{
	struct node_site site = elab_site(e, b->span);
	site.name = b->s->pattern->name.text;
	return number_value(e, HOST_INT, graph_turn(region_graph(e), &site, b->loop));
}

static struct node *bool_node(struct elab *e, const struct value *v, struct span at)
{
	return value_is_tensor(v) ? tensor_node(e, v, at) : tensor_of_host(e, v, DT_BOOL, at);
}

static const struct value *find(struct elab *e, const char *name)
{
	return env_hidden(e, name)->value;
}

static void bind(struct elab *e, const char *name, bool value, struct span at)
{
	env_bind(e, (struct name){intern(e->s->names, name), at}, BIND_VAR, value_bool(e, value));
}

/* Both, of which b may be nothing. */
static const struct value *both(struct elab *e, const struct value *a, const struct value *b, struct span at)
{
	return b ? binary_apply(e, BIN_AND, a, b, at, at, at) : a;
}

const struct value *graph_condition(struct elab *e, const struct expr *x)
{
	const struct value *v = expr_eval(e, x);
	if (value_failed(v) || (v->kind == VALUE_HOST && v->host.type == HOST_BOOL) ||
	    (value_is_tensor(v) && tensor_dtype(e, v) == DT_BOOL && !tensor_shape(e, v)->rank))
		return v;
	struct diag *d = elab_error(e, PML0501, x->span, "a condition is a bool, this is %s", value_describe(e, v));
	if (value_is_tensor(v) && tensor_dtype(e, v) == DT_BOOL)
		diag_help(d, "ask for all or any of it: `all(x)`, `any(x)`");
	elab_help_sort(e, d, v, x->span);
	return &value_error;
}

/* ---- branches ---- */

/* c, or not c, as a number of turns. */
static struct node *taken(struct elab *e, struct node *c, bool is, struct span at)
{
	struct graph *g = region_graph(e);
	struct node_site site = elab_site(e, at);
	if (!is)
		c = graph_pointwise(g, &site, SC_NOT, c, NULL, NULL);
	return graph_cast(g, &site, c, DT_I64);
}

void arm_walk(struct elab *e, const struct arm_body *body)
{
	if (body->walk)
		body->walk(e, body->x);
	else
		stmt_block(e, body->statements);
}

/* One arm; false if what it leaves does not fit what is carried, or after an error. */
static bool walk_arm(struct elab *e, struct build *b, const struct arm_body *body, struct carried_set *carried,
		     const struct trial *before, bool *failed)
{
	int errors = e->s->errors;
	enter(e, b);
	int from = region_graph(e)->nodes.n;
	carried_begin(e, carried, b->loop, b->span);
	arm_walk(e, body);
	*failed |= e->s->errors > errors;
	bool fits = !*failed && carried_fits(e, carried, before, failed);
	struct arm *arm = fits ? arm_close(e, b->loop, from) : NULL;
	leave(e, b);
	if (!fits)
		return false;
	carried_end(e, carried, b->span);
	arm_end(e, arm);
	return true;
}

/* The function has been left behind the branch if it has in both arms; an arm that is not there says nothing. */
static void branch(struct elab *e, struct node *c, const struct arm_body *arms, struct span at)
{
	struct carried_set *carried = carried_by(e, arms[0].statements, arms[1].statements);
	bool failed = false, fits = false, left = true;
	if (arms[0].adds)
		carried_add(e, carried, intern(e->s->names, arms[0].adds), at);
	while (!fits && !failed) {
		const struct trial *before = trial_begin(e);
		fits = left = true;
		for (int i = 0; i < 2 && fits; i++) {
			struct build b = {.turns = -1, .most = 1, .span = at};
			if (!arms[i].statements && !arms[i].walk)
				continue;
			b.count = taken(e, c, i == 0, at);
			e->frame->returned = false;
			fits = walk_arm(e, &b, &arms[i], carried, before, &failed);
			left &= e->frame->returned;
		}
		if (!fits && !failed)
			trial_back(e, before);
	}
	e->frame->returned = left;
	if (failed)
		carried_fail(carried);
}

void graph_unless(struct elab *e, const struct value *c, const struct arm_body *body, struct span at)
{
	struct node_site site = elab_site(e, at);
	struct arm_body arms[2] = {*body, {0}};
	struct node *n = tensor_of_host(e, c, DT_BOOL, at);
	branch(e, graph_pointwise(region_graph(e), &site, SC_NOT, n, NULL, NULL), arms, at);
}

void graph_branch(struct elab *e, const struct stmt *s, const struct value *c)
{
	struct arm_body arms[2] = {{.statements = s->body}, {.statements = s->other}};
	branch(e, bool_node(e, c, s->value->span), arms, s->value->span);
	e->frame->returned &= s->other != NULL;
}

/* ---- loops ---- */

/* Whether what was made since may end the program, or is a loop of its own. */
static bool may_fail(struct elab *e, int nodes, int loops)
{
	const struct graph *g = region_graph(e);
	bool fails = g->loops.n > loops;
	for (int i = nodes; i < g->nodes.n; i++)
		fails |= g->nodes.at[i]->kind == NODE_CHECK;
	return fails;
}

static void ask(struct elab *e, const void *x)
{
	const struct value *v = graph_condition(e, x);
	env_hidden(e, ASKED)->value = v;
}

/* What a `while` asks, and whether a `break` was reached before: then what it asks may be senseless, an index outside
 * of a tensor, and is not computed. */
static const struct value *asked(struct elab *e, struct build *b)
{
	const struct value *goes_on = find(e, GOES_ON);
	struct arm_body arms[2] = {{.walk = ask, .x = b->s->value, .adds = ASKED}, {0}};
	const struct graph *g = region_graph(e);
	const struct trial *before = trial_begin(e);
	int nodes = g->nodes.n, loops = g->loops.n;
	const struct value *c = graph_condition(e, b->s->value);
	b->endless = value_is_known(c) && c->host.i && !stmt_may_break(b->s->body);
	if (!b->breaks || value_failed(c))
		return c;
	if (!may_fail(e, nodes, loops))
		return binary_apply(e, BIN_AND, goes_on, c, b->span, b->span, b->span);
	trial_back(e, before);
	bind(e, ASKED, false, b->span);
	branch(e, tensor_of_host(e, goes_on, DT_BOOL, b->span), arms, b->span);
	return find(e, ASKED);
}

/* Whether a turn is made, as the loop's condition. One that never changes has to be asked in the loop all the same. */
static void set_condition(struct elab *e, struct build *b, const struct value *v)
{
	if (value_failed(v))
		return;
	struct node *c = bool_node(e, v, b->span);
	if (!loop_is_in(c->loop, b->loop)) {
		struct node_site site = elab_site(e, b->span);
		struct node *on = tensor_of_host(e, find(e, GOES_ON), DT_BOOL, b->span);
		c = graph_pointwise(region_graph(e), &site, SC_AND, on, c, NULL);
	}
	b->loop->condition = c;
}

static void walk_while(struct elab *e, struct build *b)
{
	const struct value *c = asked(e, b);
	if (value_is_known(c) && c->host.i && !b->breaks) {
		struct diag *d = elab_error(e, PML0506, b->span, "the loop never ends: its condition is always true");
		diag_help(d, "leave it with `break`");
		return;
	}
	set_condition(e, b, c);
	stmt_block(e, b->s->body);
}

static void walk_for(struct elab *e, struct build *b)
{
	struct span at = b->span;
	const struct value *turn = number_of_turn(e, b), *i = turn;
	if (b->breaks) {
		const struct value *n = b->turns < 0 ? number_value(e, HOST_INT, b->count) : value_int(e, b->turns);
		b->loop->most = b->turns < 0 ? b->most : b->turns;
		b->loop->turns = -1;
		b->loop->count = NULL;
		set_condition(e, b, both(e, find(e, GOES_ON), binary_apply(e, BIN_LT, turn, n, at, at, at), at));
	}
	if (!b->from->host.known || b->from->host.i)
		i = value_expr(e,
			       host_apply(e, HOST_ADD_OP, HOST_INT, host_of(e, &b->from->host), turn->host.expr, at));
	if (b->list)
		i = line_of_list(e, b->list, i, at);
	b->differs = !i;
	if (i)
		stmt_turn(e, b->s, i);
}

static void walk_lists(struct elab *e, struct build *b)
{
	struct list_turns *t = b->lists->turns, *outer = e->turns;
	t->loop = b->loop;
	t->failed = false;
	t->lines.n = 0;
	e->turns = t;
	b->lists->turn(e, b->lists->context);
	e->turns = outer;
	b->differs = t->failed || e->frame->returned || e->frame->left;
}

static void walk_turn(struct elab *e, struct build *b)
{
	env_push(e);
	bind(e, IS_LEFT, false, b->span);
	if (b->lists)
		walk_lists(e, b);
	else if (b->s->kind == STMT_WHILE)
		walk_while(e, b);
	else
		walk_for(e, b);
	env_pop(e);
}

/* One of a list in each turn is as many turns at the most, which only a loop that is not cut asks. */
static void cut(struct elab *e, struct build *b, int from)
{
	if (b->turns < 0 && b->most < 0 && b->loop->most >= 0)
		segments_forget(e, b->segments, b->loop, from);
	else
		segments_end(e, b->segments, b->loop, b->every, from);
}

bool loop_build(struct elab *e, struct build *b)
{
	env_push(e);
	bind(e, GOES_ON, true, b->span);
	struct carried_set *carried = carried_by(e, b->lists ? b->lists->body : b->s->body, NULL);
	int errors = e->s->errors;
	bool failed = false;
	carried_add(e, carried, intern(e->s->names, GOES_ON), b->span);
	for (bool fits = false; !fits && !failed;) {
		const struct trial *before = trial_begin(e);
		int from = region_graph(e)->nodes.n;
		enter(e, b);
		carried_begin(e, carried, b->loop, b->span);
		walk_turn(e, b);
		failed = e->s->errors > errors || b->differs;
		fits = !failed && carried_fits(e, carried, before, &failed);
		leave(e, b);
		if (fits) /* numbers become nodes of the loop where they are handed on, which is in its block */
			carried_end(e, carried, b->span);
		remat_enter(e, b->remat);
		if (fits && b->segments)
			cut(e, b, from);
		if (!fits && !failed)
			trial_back(e, before);
	}
	if (failed)
		carried_fail(carried);
	else
		b->counts = carried_numbers(e, carried);
	if (!failed && !b->counts && !region_stays_open(e) && !region_graph(e)->open)
		carried_read(e, carried, b->span);
	env_pop(e);
	e->frame->returned = b->endless;
	if (!failed && b->s && stmt_may_return(b->s->body))
		graph_loop_left(e, b->span);
	return !failed;
}

bool loop_may_stop(const struct stmt *s)
{
	return stmt_may_break(s->body) || stmt_may_return(s->body);
}

void graph_loop_while(struct elab *e, const struct stmt *s)
{
	struct build b = {.s = s, .turns = -1, .most = -1, .breaks = loop_may_stop(s), .span = s->value->span};
	if (remat_every(e, s, &b.every))
		loop_build(e, &b);
}

/* How many turns there are at the most, where their count follows from the turn of a loop around; else -1. */
static int64_t most_of(const struct elab *e, const struct value *count)
{
	struct number_line l;
	int64_t turns, last;
	if (!number_is_line(e, count, &l))
		return -1;
	turns = l.loop->turns >= 0 ? l.loop->turns : l.loop->most;
	if (turns < 1 || __builtin_mul_overflow(l.step, turns - 1, &last) ||
	    __builtin_add_overflow(last, l.first, &last))
		return turns ? -1 : 0;
	last = last > l.first ? last : l.first;
	return last > 0 ? last : 0;
}

bool loop_build_range(struct elab *e, const struct stmt *s, const struct value *from, const struct value *to,
		      struct build *b)
{
	struct span at = s->value->span;
	*b = (struct build){.s = s, .turns = -1, .most = -1, .breaks = loop_may_stop(s), .span = at};
	if (!remat_every(e, s, &b->every))
		return false;
	b->from = host_freeze(e, from, NULL, at);
	to = host_freeze(e, to, NULL, at);
	const struct value *count = binary_apply(e, BIN_SUB, to, b->from, at, at, at);
	if (value_failed(count))
		return false;
	if (count->host.known)
		b->turns = count->host.i > 0 ? count->host.i : 0;
	else {
		b->most = most_of(e, count);
		b->turns = b->most ? -1 : 0;
		b->count = b->most ? tensor_of_host(e, count, DT_I64, at) : NULL;
	}
	return loop_build(e, b);
}

void graph_loop_range(struct elab *e, const struct stmt *s, const struct value *from, const struct value *to)
{
	struct build b;
	loop_build_range(e, s, from, to, &b);
}

struct build loop_over_list(struct elab *e, const struct stmt *s, const struct value *list)
{
	int64_t every;
	remat_every(e, s, &every);
	return (struct build){.s = s,
			      .every = every,
			      .from = value_int(e, 0),
			      .list = list,
			      .turns = list->items.n,
			      .most = -1,
			      .breaks = loop_may_stop(s),
			      .span = s->value->span};
}

bool graph_loop_list(struct elab *e, const struct stmt *s, const struct value *list)
{
	struct build b = loop_over_list(e, s, list);
	return loop_build(e, &b) || !b.differs;
}
