/* control.c — for, while, if, every: decided now where what they ask is known, else host code.
 *
 * A branch or loop of the running program is a boundary of regions. Variables of outer scopes that its body assigns
 * become variables of the running program before it begins (demote.c). */
#include "statements.h"
#include "../values/values.h"
#include "../loops/loops.h"
#include "../builtins/builtins.h"

#include <string.h>

/* ---- run-time blocks ---- */

static bool may_branch(struct elab *e, struct span at, const char *what)
{
	const char *it = arena_printf(e->a, "%s that the host decides at run time", what);
	if (microbatch_refuses(e, at, it) || (!e->grad_depth && graph_loop_refuses(e, at, it)))
		return false;
	if (!e->grad_depth)
		return true;
	struct diag *d = elab_error(e, PML0411, at,
				    "%s is decided at run time and stands in a function that is differentiated", what);
	diag_help(d, "loops and branches by conditions can be differentiated: `if i %% 10 == 0 { ... }`");
	return false;
}

/* Whether the function has been left at the end of it. */
static bool run_block(struct elab *e, const struct stmt *body, struct host_stmt **to)
{
	struct arm_body arm = {.statements = body};
	e->frame->returned = false;
	host_block(e, &arm, to);
	return e->frame->returned;
}

/* A loop of the running program. Behind the outermost one nobody asks any more whether the program was told to end. */
struct host_loop {
	int stops;
	struct loop_walk walk;
};

static void loop_enter(struct elab *e, struct host_loop *loop)
{
	struct frame *f = e->frame;
	e->loops++;
	*loop = (struct host_loop){e->stops,
				   {.outer = f->loop, .depth = f->runtime_depth + 1, .host = true, .done = -1}};
	f->loop = &loop->walk;
}

/* The body: everything that is walked until its end is of one turn. */
static void loop_body_begin(struct elab *e, struct host_stmt *h, struct host_stmt ***outer)
{
	*outer = host_enter(e, &h->body);
	e->frame->runtime_depth++;
}

/* What is emitted next, until loop_close, follows each turn. */
static void loop_body_end(struct elab *e, struct host_stmt *h)
{
	region_close(e);
	e->frame->runtime_depth--;
	e->frame->left = e->frame->returned = false; /* what follows is reached on other ways */
	host_enter(e, &h->other);
}

static void loop_close(struct elab *e, const struct host_loop *loop, struct host_stmt **outer)
{
	region_close(e);
	host_leave(e, outer);
	e->frame->loop = loop->walk.outer;
}

static void loop_leave(struct elab *e, const struct host_loop *loop, struct span at)
{
	if (--e->loops == 0 && e->stops > loop->stops)
		host_eval(e, host_call(e, "stopping_over", HOST_VOID, at, 0, NULL), at);
}

/* A condition as a host value. */
static const struct value *condition(struct elab *e, const struct expr *x)
{
	const struct value *v = expr_eval(e, x);
	if (value_is_tensor(v) && tensor_dtype(e, v) == DT_BOOL)
		v = read_scalar(e, v, x->span);
	if (value_failed(v) || (v->kind == VALUE_HOST && v->host.type == HOST_BOOL))
		return v;
	struct diag *d = elab_error(e, PML0501, x->span, "a condition is a bool, this is %s", value_describe(e, v));
	elab_help_sort(e, d, v, x->span);
	return &value_error;
}

void stmt_if(struct elab *e, const struct stmt *s)
{
	bool in_graph = graph_loop_wanted(e);
	const struct value *c = in_graph ? graph_condition(e, s->value) : condition(e, s->value);
	if (value_failed(c))
		return;
	if (value_is_known(c)) {
		const struct stmt *chosen = c->host.i ? s->body : s->other;
		if (chosen)
			stmt_eval(e, chosen);
		return;
	}
	if (in_graph) {
		graph_branch(e, s, c);
		return;
	}
	if (!may_branch(e, s->value->span, "a branch"))
		return;
	demote_assigned(e, s->body);
	demote_assigned(e, s->other);
	c = host_freeze(e, c, NULL, s->value->span);
	region_close(e);
	struct host_stmt *h = host_emit(e, HOST_IF, s->value->span);
	h->expr = host_of(e, &c->host);
	bool left = run_block(e, s->body, &h->body);
	if (s->other)
		left &= run_block(e, s->other, &h->other);
	e->frame->returned = left && s->other;
}

void stmt_while(struct elab *e, const struct stmt *s)
{
	int64_t every;
	if (!remat_every(e, s, &every))
		return;
	if (graph_loop_wanted(e)) {
		graph_loop_while(e, s);
		return;
	}
	if (!may_branch(e, s->value->span, "a loop"))
		return;
	demote_assigned(e, s->body);
	const struct value *c = condition(e, s->value);
	if (value_failed(c))
		return;
	if (c->host.known && !c->host.i)
		return;
	bool endless = c->host.known && !stmt_may_break(s->body);
	if (endless && !stmt_may_return(s->body)) {
		struct diag *d =
			elab_error(e, PML0506, s->value->span, "the loop never ends: its condition is always true");
		diag_help(d, "leave it with `break`");
		return;
	}
	int var = host_new_var(e, NULL, HOST_BOOL);
	vec_push(e->a, &e->code->assigned, var);
	host_set(e, var, host_of(e, &c->host), s->value->span);
	region_close(e);
	struct host_loop loop;
	struct host_stmt **outer;
	loop_enter(e, &loop);
	struct host_stmt *h = host_emit(e, HOST_WHILE, s->value->span);
	h->expr = host_var(e, HOST_BOOL, var);
	h->asks = true;
	loop_body_begin(e, h, &outer);
	stmt_block(e, s->body);
	loop_body_end(e, h);
	c = condition(e, s->value);
	if (!value_failed(c))
		host_set(e, var, host_of(e, &c->host), s->value->span);
	loop_close(e, &loop, outer);
	loop_leave(e, &loop, s->span);
	e->frame->returned = endless;
}

static void host_enter_set(struct elab *e, struct host_stmt **body, int var, struct host_expr *x, struct span at)
{
	struct host_stmt **outer = host_enter(e, body);
	host_set(e, var, x, at);
	host_leave(e, outer);
}

void stmt_every(struct elab *e, const struct stmt *s)
{
	const struct value *n = expr_eval(e, s->value);
	bool in_graph = e->grad_depth && !e->micro;
	if (value_failed(n) || (!in_graph && !may_branch(e, s->value->span, "an `every`")))
		return;
	if (n->kind != VALUE_HOST || n->host.type != HOST_INT || (n->host.known && n->host.i < 1)) {
		elab_error(e, PML0501, s->value->span, "`every` takes a count of at least 1");
		return;
	}
	if (!n->host.known && value_failed(call_prelude(e, "check_every", s->value->span, 1, &n, &s->value->span)))
		return;
	if (in_graph) {
		every_in_graph(e, s, n);
		return;
	}
	demote_assigned(e, s->body);
	int var = every_variable(e, s);
	struct host_expr *count = host_var(e, HOST_INT, var);
	struct host_expr *rest = host_apply(e, HOST_MOD_OP, HOST_INT, count, host_of(e, &n->host), s->span);
	region_close(e);
	struct host_stmt *h = host_emit(e, HOST_IF, s->span);
	h->expr = host_apply(e, HOST_EQ_OP, HOST_BOOL, rest, host_int(e, 0), s->span);
	/* Counted at the begin of either branch: the body may leave the loop around it. */
	struct host_expr *next = host_apply(e, HOST_ADD_OP, HOST_INT, count, host_int(e, 1), s->span);
	host_enter_set(e, &h->body, var, next, s->span);
	host_enter_set(e, &h->other, var, next, s->span);
	int before = e->checkpoints;
	run_block(e, s->body, &h->body->next);
	e->frame->returned = false;
	if (e->checkpoints > before) /* a program that is told to end does so here, in whichever turn */
		h->expr = host_apply(e, HOST_OR_OP, HOST_BOOL, host_stopping(e, s->span), h->expr, s->span);
}

/* ---- for ---- */

static bool stopped(const struct elab *e)
{
	return e->frame && e->frame->returned;
}

/* Turn by turn. Where the running program may end a turn or the loop, each turn is a loop of the host that runs once,
 * unless an earlier one ended it all. What is differentiated has no such branches. */
static void unroll_begin(struct elab *e, const struct stmt *s, int64_t turns, struct loop_walk *l)
{
	int64_t every;
	bool cut = remat_every(e, s, &every) && e->grad_depth && turns > every;
	*l = (struct loop_walk){.outer = e->frame->loop, .depth = e->frame->runtime_depth, .done = -1, .stmt = s};
	l->every = cut ? every : 0;
	l->around = e->remat;
	e->frame->loop = l;
	if (region_stays_open(e) || !stmt_may_leave(s->body, false))
		return;
	demote_assigned(e, s->body);
	l->depth++;
	l->done = host_new_var(e, NULL, HOST_BOOL);
	vec_push(e->a, &e->code->assigned, l->done);
	host_set(e, l->done, host_of(e, &value_bool(e, false)->host), s->span);
	region_close(e);
}

static void turn_on_host(struct elab *e, const struct stmt *s, const struct loop_walk *l, const struct value *v)
{
	struct span at = s->value->span;
	struct host_stmt *h = host_emit(e, HOST_WHILE, at);
	h->expr = host_apply(e, HOST_NOT_OP, HOST_BOOL, host_var(e, HOST_BOOL, l->done), NULL, at);
	struct host_stmt **outer = host_enter(e, &h->body);
	e->frame->runtime_depth++;
	stmt_turn(e, s, v);
	region_close(e);
	if (!e->frame->left && !e->frame->returned)
		host_emit(e, HOST_BREAK, at);
	e->frame->left = e->frame->returned = false;
	e->frame->runtime_depth--;
	host_leave(e, outer);
}

struct turn {
	const struct stmt *s;
	const struct value *v;
};

static void walk_turn(struct elab *e, const void *x)
{
	const struct turn *t = x;
	stmt_turn(e, t->s, t->v);
}

/* False once no more turns follow. */
static bool unroll_turn(struct elab *e, const struct stmt *s, struct loop_walk *l, const struct value *v)
{
	if (stopped(e) || !elab_step(e, 1, s->value->span))
		return false;
	l->turn = v;
	bool begins_block = l->every && l->turns % l->every == 0;
	l->turns++;
	if (begins_block) {
		remat_enter(e, l->around);
		remat_enter(e, remat_new(e, NULL));
	}
	struct turn turn = {s, v};
	int errors = e->s->errors;
	struct arm_body arm = {.statements = s->body, .walk = walk_turn, .x = &turn};
	if (l->done >= 0)
		turn_on_host(e, s, l, v);
	else if (!(stmt_may_return(s->body) && unless_left(e, &arm, s->value->span)))
		stmt_turn(e, s, v);
	e->frame->left = false;
	return !l->ends && e->s->errors == errors; /* the next turns would have the same mistake */
}

static void unroll_end(struct elab *e, const struct loop_walk *l)
{
	remat_enter(e, l->around);
	e->frame->loop = l->outer;
}

/* How many turns, from number i on, become a loop of their own. A block that is computed again ends before it. */
static int64_t unroll_run(struct elab *e, struct loop_walk *l, struct loop_runs *runs, int64_t i)
{
	if (!runs->s || stopped(e))
		return 0;
	const struct remat *block = e->remat;
	remat_enter(e, l->around);
	int64_t n = graph_loop_run(e, runs, i);
	if (n)
		l->turns = 0;
	else
		remat_enter(e, block);
	return n;
}

/* A range that is known, or a list. False where the running program decides about a `break`: it is no loop to be walked
 * turn by turn after all, and nothing has been done. */
static bool unroll(struct elab *e, const struct stmt *s, const struct value *v, struct loop_runs *runs)
{
	struct loop_walk l;
	bool is_range = v->kind == VALUE_RANGE;
	int64_t first = is_range ? v->range.from->host.i : 0;
	int64_t turns = is_range ? v->range.to->host.i - first : v->items.n;
	const struct trial *before = graph_loop_wanted(e) && stmt_may_leave(s->body, true) ? trial_begin(e) : NULL;
	int errors = e->s->errors;
	unroll_begin(e, s, turns, &l);
	for (int64_t i = 0, n; i < turns && !l.unknown && e->s->errors == errors; i += n) {
		n = unroll_run(e, &l, runs, i);
		if (!n && !unroll_turn(e, s, &l, is_range ? value_int(e, first + i) : v->items.at[i]))
			break;
		n = n ? n : 1;
	}
	unroll_end(e, &l);
	if (l.unknown)
		trial_back(e, before);
	else
		graph_loop_unrolled(e, runs);
	return !l.unknown;
}

static void loop_range(struct elab *e, const struct stmt *s, const struct value *from, const struct value *to)
{
	if (!may_branch(e, s->value->span, "a loop"))
		return;
	demote_assigned(e, s->body);
	const char *name = s->pattern->name.text;
	int var = host_new_var(e, name, HOST_INT);
	e->code->fn->vars.at[var].counts = !e->frame->item && from->host.known && to->host.known;
	to = host_freeze(e, to, NULL, s->value->span);
	struct host_expr *i = host_var(e, HOST_INT, var);
	host_set(e, var, host_of(e, &from->host), s->value->span);
	region_close(e);
	struct host_loop loop;
	struct host_stmt **outer;
	loop_enter(e, &loop);
	struct host_stmt *h = host_emit(e, HOST_WHILE, s->value->span);
	h->expr = host_apply(e, HOST_LT_OP, HOST_BOOL, i, host_of(e, &to->host), s->value->span);
	loop_body_begin(e, h, &outer);
	stmt_turn(e, s, value_expr(e, i));
	loop_body_end(e, h);
	host_set(e, var, host_apply(e, HOST_ADD_OP, HOST_INT, i, host_int(e, 1), s->value->span), s->value->span);
	loop_close(e, &loop, outer);
	loop_leave(e, &loop, s->span);
}

/* Turn by turn, or as a loop: of the graph where loops are kept, of the host else if the turns are many, and where
 * there is no turn but params that it would read. */
static void known_range(struct elab *e, const struct stmt *s, const struct value *from, const struct value *to)
{
	struct value *r = value_new(e, VALUE_RANGE);
	r->range.from = from;
	r->range.to = to;
	struct loop_runs runs = {0};
	int64_t turns;
	bool many = __builtin_sub_overflow(to->host.i, from->host.i, &turns) || turns > MAX_UNROLLED;
	bool any = to->host.i > from->host.i;
	many &= any;
	if (many && e->grad_depth)
		graph_loop_range(e, s, from, to);
	else if (turns != 1 && (graph_loop_kept(e) || (e->grad_depth && !any)) && graph_loop_tried(e, s, r, &runs))
		return;
	else if (many)
		loop_range(e, s, from, to);
	else if (!unroll(e, s, r, &runs))
		graph_loop_range(e, s, from, to);
}

/* What a loop counts to. */
static const struct value *bound_number(struct elab *e, const struct value *v, struct span at)
{
	return is_one_integer(e, v) && !graph_loop_wanted(e) ? read_scalar(e, v, at) : read_integer(e, v, at);
}

/* A number that is the same in all turns of the loops around. Where it is not, the loop turns as often as it says. */
static const struct value *known_in_turns(struct elab *e, const struct value *v, struct span at)
{
	int64_t i;
	struct unlike outer = e->unlike;
	bool is_known = number_is_known(e, v, at, &i);
	e->unlike = outer;
	return is_known && !v->host.known ? value_int(e, i) : v;
}

static void for_range(struct elab *e, const struct stmt *s, const struct value *r)
{
	const struct expr *x = s->value;
	bool written = x->kind == EXPR_RANGE && x->lhs && x->rhs;
	const struct value *from = bound_number(e, r->range.from, written ? x->lhs->span : x->span);
	const struct value *to = bound_number(e, r->range.to, written ? x->rhs->span : x->span);
	if (value_failed(from) || value_failed(to))
		return;
	from = known_in_turns(e, from, x->span);
	to = known_in_turns(e, to, x->span);
	if (from->kind != VALUE_HOST || to->kind != VALUE_HOST || from->host.type != HOST_INT ||
	    to->host.type != HOST_INT) {
		struct diag *d =
			elab_error(e, PML0501, x->span, "a loop counts from an int to an int, this is %s to %s",
				   value_describe(e, from), value_describe(e, to));
		if (value_is_tensor(from) || value_is_tensor(to))
			diag_help(d, "of a tensor one integer counts: `max(n)`, `n[0]`, `x as int`");
		elab_help_ints(e, d, (const struct value *[]){from, to},
			       (struct span[]){written ? x->lhs->span : x->span, written ? x->rhs->span : x->span});
		elab_help_sort(e, d, from, written ? x->lhs->span : x->span);
		elab_help_sort(e, d, to, written ? x->rhs->span : x->span);
		return;
	}
	if (from->host.known && to->host.known && (e->frame->item || region_stays_open(e)))
		known_range(e, s, from, to);
	else if (graph_loop_wanted(e))
		graph_loop_range(e, s, from, to);
	else
		loop_range(e, s, from, to);
}

static void for_batches(struct elab *e, const struct stmt *s, const struct batches *b)
{
	struct span at = s->value->span;
	if (!may_branch(e, at, "a loop"))
		return;
	demote_assigned(e, s->body);
	struct host_value no_key = {.type = HOST_KEY, .known = true},
			  shuffled = {.type = HOST_BOOL, .known = true, .i = b->key != NULL},
			  once = {.type = HOST_BOOL, .known = true, .i = b->once},
			  rest = {.type = HOST_BOOL, .known = true, .i = b->rest};
	struct host_expr *args[10] = {b->data->handle,
				      host_int(e, b->size),
				      host_of(e, &shuffled),
				      host_of(e, b->key ? b->key : &no_key),
				      b->first,
				      host_of(e, &once),
				      b->steps,
				      host_of(e, &rest),
				      host_int(e, elab_site_id(e, b->span, "data.batches")),
				      host_int(e, e->p->nfeeds++)};
	int var = host_new_var(e, NULL, HOST_HANDLE);
	struct host_expr *handle = host_var(e, HOST_HANDLE, var);
	host_set(e, var, host_call(e, "batches_begin", HOST_HANDLE, at, 10, args), at);
	region_close(e);
	struct host_loop loop;
	struct host_stmt **outer;
	loop_enter(e, &loop);
	struct host_stmt *h = host_emit(e, HOST_WHILE, at);
	h->expr = host_call(e, "batches_next", HOST_BOOL, at, 1, &handle);
	loop_body_begin(e, h, &outer);
	stmt_turn(e, s, data_batch(e, b, var, at));
	loop_body_end(e, h);
	loop_close(e, &loop, outer);
	host_eval(e, host_call(e, "batches_end", HOST_VOID, at, 1, &handle), at);
	loop_leave(e, &loop, s->span);
}

static void for_list(struct elab *e, const struct stmt *s, const struct value *v)
{
	struct loop_runs runs = {0};
	if ((graph_loop_kept(e) && v->items.n > 1 && graph_loop_tried(e, s, v, &runs)) || unroll(e, s, v, &runs))
		return;
	if (!graph_loop_list(e, s, v)) {
		struct diag *d =
			elab_error(e, PML0411, s->value->span,
				   "the running program decides when this loop ends, and its turns differ in more "
				   "than tensors and numbers");
		diag_note(
			d,
			"it stands in a function that is differentiated, where such a loop has one body for all turns");
	}
}

void stmt_for(struct elab *e, const struct stmt *s)
{
	int64_t every;
	if (!remat_every(e, s, &every))
		return;
	const struct value *v = expr_eval(e, s->value);
	switch (v->kind) {
	case VALUE_ERROR:
		return;
	case VALUE_RANGE:
		for_range(e, s, v);
		return;
	case VALUE_BATCHES:
		for_batches(e, s, v->batches);
		return;
	case VALUE_TUPLE:
	case VALUE_LIST:
	case VALUE_SHAPE:
		for_list(e, s, value_sizes(e, v));
		return;
	case VALUE_DATASET: {
		struct diag *d = elab_error(e, PML0501, s->value->span, "a dataset is walked in batches");
		diag_help(d, "write `data.batches(..., size = 256)`");
		return;
	}
	case VALUE_NONE:
	case VALUE_NAMES:
	case VALUE_HOST:
	case VALUE_TENSOR:
	case VALUE_PARAM:
	case VALUE_PLACE:
	case VALUE_LAYOUT:
	case VALUE_DTYPE:
	case VALUE_STRUCT:
	case VALUE_STRUCT_TYPE:
	case VALUE_FUNCTION:
	case VALUE_BUILTIN:
	case VALUE_DERIVED:
	case VALUE_GRADIENT:
		break;
	}
	struct diag *d = elab_error(e, PML0501, s->value->span, "%s cannot be walked by `for`", value_describe(e, v));
	if (v->kind == VALUE_HOST && v->host.type == HOST_INT)
		diag_help(d, "a range is written `0..n`");
	else if (v->kind == VALUE_GRADIENT)
		diag_help(d, "`each (p, d) in g { … }` walks the derivatives in it with their params; of a list of params "
			     "`g.ws[i]` is one");
	else if (v->kind == VALUE_STRUCT)
		diag_help(d, "`each x in s { … }` walks the tensors of a struct");
	else if (value_is_tensor(v))
		diag_note(d, "elements of tensors are computed all at once; `for i in 0..n` with `x[i]` walks rows");
}
