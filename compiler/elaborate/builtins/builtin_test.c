/* builtin_test.c — checks of the running program: assert, assert_close, assert_equal. A check that fails tells what it
 * compared: host values go to the call as they are; both sides of a comparison of tensors are kept in slots, where the
 * runtime looks for the largest difference. */
#include "builtin.h"
#include "../operators/operators.h"

#include <string.h>

/* "`assert(x == y)` does not hold" */
static const char *message_of(struct elab *e, const struct arguments *args)
{
	enum { LONGEST = 200 };
	const struct source *s = &e->s->sources.at[args->span.file];
	int n = (int)(args->span.end - args->span.begin);
	return arena_printf(e->a, "`%.*s%s` does not hold", n > LONGEST ? LONGEST : n, s->bytes + args->span.begin,
			    n > LONGEST ? "…" : "");
}

/* ---- what is compared ---- */

/* Two tensors and the sign between them; of a tensor of bools that is no comparison only that, and no sign. */
struct sides {
	const char *sign;
	struct node *node[2];
	int slot[2]; /* -1: there is none */
};
struct conditions {
	VEC(struct sides) at;
};

/* Dimension by dimension the result's last ones. */
static bool is_aligned(const struct rule *r, const struct access *a)
{
	for (int d = 0; d < a->rank; d++) {
		int factor = index_factor(&a->index[d]);
		if (factor < 0 || factor != index_factor(&r->out.index[d + r->out.rank - a->rank]))
			return false;
	}
	return true;
}

/* An elementwise function of two operands, one of these. */
static bool is_of_two(const struct node *n, enum scalar_fn first, enum scalar_fn last)
{
	const struct rule *r = n->kind == NODE_MAP ? n->rule : NULL;
	if (!r || r->noperands != 2 || r->combiner != COMBINE_NONE || r->body->kind != SCALAR_APPLY ||
	    r->body->fn < first || r->body->fn > last)
		return false;
	for (int i = 0; i < 2; i++)
		if (r->body->arg[i]->kind != SCALAR_OPERAND || !is_aligned(r, &r->operand[i]))
			return false;
	return true;
}

/* `all(c)`, whole or along a dimension: it holds where c does. */
static bool is_all(const struct node *n)
{
	return n->kind == NODE_MAP && n->rule->noperands == 1 && n->rule->combiner == COMBINE_MIN &&
	       n->rule->body->kind == SCALAR_OPERAND;
}

/* `a && b`, element by element: both hold everywhere where it does. */
static bool is_both(const struct node *n)
{
	return is_of_two(n, SC_AND, SC_AND) && shape_equal(&n->in[0]->shape, &n->shape) &&
	       shape_equal(&n->in[1]->shape, &n->shape);
}

static struct node *operand_of(const struct node *n, int i)
{
	return n->in[n->rule->body->arg[i]->index];
}

/* What must hold everywhere for all of n to hold. */
static struct node *condition_of(struct node *n)
{
	while (node_is_identity(n) || is_all(n))
		n = n->in[0];
	return n;
}

static struct sides sides_of(struct node *condition)
{
	struct node *n = condition_of(condition);
	struct sides s = {.sign = "", .node = {n, NULL}, .slot = {-1, -1}};
	if (!is_of_two(n, SC_EQ, SC_GE))
		return s;
	s.sign = scalar_text(n->rule->body->fn);
	for (int i = 0; i < 2; i++)
		s.node[i] = operand_of(n, i);
	return s;
}

/* The sides of each of the conditions that n joins, kept until one is known to fail. */
static void sides_keep(struct elab *e, struct region_build *home, struct node *condition, struct span at,
		       struct conditions *all)
{
	struct node *n = condition_of(condition);
	if (is_both(n)) {
		sides_keep(e, home, operand_of(n, 0), at, all);
		sides_keep(e, home, operand_of(n, 1), at, all);
		return;
	}
	struct sides s = sides_of(n);
	if (!s.node[1] && !s.node[0]->shape.rank)
		return;
	for (int i = 0; i < 2; i++)
		if (s.node[i])
			s.slot[i] = tensor_slot(e, home, s.node[i], at);
	vec_push(e->a, &all->at, s);
}

/* ---- assert, assert_equal ---- */

static void emit(struct elab *e, const char *call, const struct value *ok, struct host_expr *message, int n,
		 struct host_expr *const *more, struct span at)
{
	struct host_expr *x[8] = {host_of(e, &ok->host), message};
	for (int i = 0; i < n; i++)
		x[2 + i] = more[i];
	x[2 + n] = host_int(e, elab_site_id(e, at, "assert"));
	host_eval(e, host_call(e, call, HOST_VOID, at, 3 + n, x), at);
}

static struct host_expr *frozen(struct elab *e, struct host_expr *x, struct span at)
{
	const struct value *v = host_freeze(e, value_expr(e, x), NULL, at);
	return host_of(e, &v->host);
}

/* Each side is evaluated once, for the comparison and for what it shows. */
static bool emit_host_comparison(struct elab *e, const struct value *v, struct host_expr *message, struct span at)
{
	struct host_expr *c = v->host.expr;
	bool differs = c && c->kind == HOST_APPLY && c->op == HOST_NOT_OP;
	c = differs ? c->arg[0] : c;
	bool is_text = c && c->kind == HOST_CALL && !strcmp(c->function, "text_equal");
	if (differs && !is_text)
		return false;
	if (!is_text && (!c || c->kind != HOST_APPLY || c->op < HOST_EQ_OP || c->op > HOST_GE_OP))
		return false;
	struct host_expr *a = frozen(e, c->arg[0], at), *b = frozen(e, c->arg[1], at);
	const char *sign = differs ? "!=" : is_text ? "==" : host_op_text(c->op);
	struct host_expr *more[3] = {a, host_text(e, sign), b}, *pair[2] = {a, b};
	const struct value *ok = v;
	if (!v->host.known) {
		ok = value_expr(e, is_text ? host_call(e, "text_equal", HOST_BOOL, at, 2, pair)
					   : host_apply(e, c->op, HOST_BOOL, a, b, at));
		ok = differs ? unary_apply(e, UN_NOT, ok, at) : ok;
	}
	if (a->type == HOST_BOOL) {
		more[0] = host_text_of_bool(e, a);
		more[2] = host_text_of_bool(e, b);
	}
	const char *call = a->type == HOST_INT ? "check_ints" : a->type == HOST_FLOAT ? "check_floats" : "check_texts";
	if (a->type == HOST_KEY || a->type == HOST_HANDLE)
		emit(e, "check", ok, message, 0, NULL, at);
	else
		emit(e, call, ok, message, 3, more, at);
	return true;
}

/* Of conditions that are to hold together the one that fails says what it compared. */
static void emit_host_condition(struct elab *e, const struct value *v, struct host_expr *message, struct span at)
{
	const struct host_expr *c = v->host.known ? NULL : v->host.expr;
	if (c && c->kind == HOST_APPLY && c->op == HOST_AND_OP) {
		emit_host_condition(e, value_expr(e, c->arg[0]), message, at);
		emit_host_condition(e, value_expr(e, c->arg[1]), message, at);
	} else if (!emit_host_comparison(e, v, message, at)) {
		emit(e, "check", v, message, 0, NULL, at);
	}
}

/* A side of a condition, brought where the condition is. */
static struct node *side_there(struct elab *e, const struct node *condition, struct node *side)
{
	struct node_site site = node_site_of(side);
	for (; node_is_identity(condition) || is_all(condition); condition = condition->in[0])
		if (condition->kind == NODE_TO && side->place)
			return graph_to(region_graph(e), &site, side, condition->target->place,
					&condition->target->layout);
	return side;
}

/* A number of the graph that a failed check shows; NULL: it is none, or would not be shown as it is. */
static struct node *side_shown(struct elab *e, const struct node *condition, const struct sides *s, int i,
			       struct span at)
{
	struct node *n = s->node[i];
	if (!n || n->shape.rank || n->dtype == DT_U64)
		return NULL;
	n = side_there(e, condition, n);
	return region_shown(e, tensor_value_of(e, n), "condition", at, at);
}

/* All of v, a tensor of bools. compares: a failure shows what v compares, if these are numbers. */
static bool check_behind(struct elab *e, const struct value *v, bool compares, struct host_expr *message,
			 struct span span, struct span at)
{
	if (tensor_shape(e, v)->rank)
		v = call_prelude(e, "all_hold", span, 1, &v, &span);
	if (value_failed(v))
		return false;
	struct host_expr *site = host_int(e, elab_site_id(e, at, "assert"));
	struct node *condition = tensor_node(e, v, span);
	struct sides s = sides_of(condition);
	struct shown shown[3] = {{.node = region_shown(e, v, "condition of `assert`", span, span), .as = HOST_BOOL}};
	struct node *a = compares ? side_shown(e, condition, &s, 0, span) : NULL,
		    *b = compares ? side_shown(e, condition, &s, 1, span) : NULL;
	bool is_float = a && b && dtype_is_float(a->dtype) && dtype_is_float(b->dtype);
	bool is_int = a && b && dtype_is_int(a->dtype) && dtype_is_int(b->dtype);
	if (is_float || is_int) {
		struct host_expr *x[6] = {NULL, message, NULL, host_text(e, s.sign), NULL, site};
		shown[1] = (struct shown){.node = a, .arg = 2, .as = is_int ? HOST_INT : HOST_FLOAT};
		shown[2] = (struct shown){.node = b, .arg = 4, .as = is_int ? HOST_INT : HOST_FLOAT};
		region_behind(e, host_call(e, is_int ? "check_ints" : "check_floats", HOST_VOID, at, 6, x), 3, shown,
			      at);
	} else {
		struct host_expr *x[3] = {NULL, message, site};
		region_behind(e, host_call(e, "check", HOST_VOID, at, 3, x), 1, shown, at);
	}
	return true;
}

/* All of the condition, a bool or a tensor of them, must hold. False after an error. */
static bool emit_condition(struct elab *e, const struct value *v, struct host_expr *message, struct span span,
			   struct span at)
{
	struct conditions all = {0};
	/* What is known to hold is nothing that the host has to do, which would make its turn by turn of a loop. */
	if (value_is_known(v) && v->host.type == HOST_BOOL && v->host.i)
		return true;
	if (!graph_loop_shows(e, at, "`assert`"))
		return false;
	if (region_stays_open(e))
		v = number_as_tensor(e, v, span);
	if (region_loop(e) && v->kind == VALUE_HOST && v->host.type == HOST_BOOL)
		v = tensor_value_of(e, tensor_of_host(e, v, DT_BOOL, span));
	if (region_stays_open(e) && value_is_tensor(v) && tensor_dtype(e, v) == DT_BOOL)
		return check_behind(e, v, true, message, span, at);
	if (value_is_tensor(v)) {
		if (v->kind == VALUE_TENSOR)
			sides_keep(e, v->tensor->home, v->tensor->node, at, &all);
		if (tensor_dtype(e, v) == DT_BOOL && tensor_shape(e, v)->rank)
			v = call_prelude(e, "all_hold", span, 1, &v, &span);
	}
	v = read_scalar(e, v, span);
	if (value_failed(v))
		return false;
	if (v->kind != VALUE_HOST || v->host.type != HOST_BOOL) {
		elab_error(e, PML0501, span, "a condition is a bool, this is %s", value_describe(e, v));
		return false;
	}
	for (int i = 0; i < all.at.n; i++) {
		const struct sides *s = &all.at.at[i];
		struct host_expr *more[3] = {host_int(e, s->slot[0]), host_text(e, s->sign), host_int(e, s->slot[1])};
		emit(e, "check_tensors", v, message, 3, more, at);
	}
	emit_host_condition(e, v, message, at);
	return true;
}

/* Says what the library wants of a call, which then gives nothing: what follows in it would be about sizes that nobody
 * wrote. */
static void end_call(struct elab *e, const char *text, struct span at)
{
	struct looked_at x;
	if (elab_looks_at_element(e, e->call, &x) && x.turn > 0)
		diag_label(elab_error(e, PML0203, x.list->element[x.turn], "%s", text), x.list->element[0],
			   "the first is this");
	else
		elab_error(e, PML0203, e->call ? e->call->span : at, "%s", text);
	if (e->frame->runtime_depth)
		return;
	e->frame->result = &value_error;
	e->frame->returned = true;
}

/* What the library wants of a call and is known not to have when compiling. */
static bool fails_in_library(struct elab *e, const struct value *condition, struct span at)
{
	return elab_is_of_library(e, at) && value_is_known(condition) && condition->kind == VALUE_HOST &&
	       condition->host.type == HOST_BOOL && !condition->host.i;
}

static bool is_text(struct elab *e, const struct argument *message)
{
	if (message->value->kind == VALUE_HOST && message->value->host.type == HOST_TEXT)
		return true;
	elab_error(e, PML0209, message->span, "`message` of `assert` is a string, this is %s",
		   value_describe(e, message->value));
	return false;
}

const struct value *builtin_assert(struct elab *e, struct arguments *args)
{
	const struct argument *c = builtin_need(e, args, BUILTIN_assert, "condition");
	const struct argument *message = c ? builtin_take(args, "message") : NULL;
	if (!c || !builtin_done(e, args, BUILTIN_assert))
		return &value_error;
	if (message && (value_failed(message->value) || !is_text(e, message)))
		return &value_error;
	const struct value *text = message ? message->value : value_text(e, message_of(e, args));
	if (message && value_is_known(text) && fails_in_library(e, c->value, args->span)) {
		end_call(e, text->host.text, args->span);
		return &value_error;
	}
	if (!value_is_known(text))
		text = host_freeze(e, text, NULL, args->span);
	return emit_condition(e, c->value, host_of(e, &text->host), c->span, args->span) ? &value_nothing : &value_error;
}

/* What is known when compiling has no host code that shows it. */
static bool emit_static(struct elab *e, const struct value *a, const struct value *b, const struct value *equal,
			struct host_expr *message, struct span at)
{
	const char *x = value_static_text(e, a), *y = value_static_text(e, b);
	if (!x || !y)
		return false;
	emit(e, "check_texts", equal, message, 3,
	     (struct host_expr *[]){host_text(e, x), host_text(e, "=="), host_text(e, y)}, at);
	return true;
}

const struct value *builtin_assert_equal(struct elab *e, struct arguments *args)
{
	const struct argument *a = builtin_need(e, args, BUILTIN_assert_equal, "a");
	struct argument left = a ? *a : (struct argument){0};
	const struct argument *b = a ? builtin_need(e, args, BUILTIN_assert_equal, "b") : NULL;
	if (!b || !builtin_done(e, args, BUILTIN_assert_equal))
		return &value_error;
	const struct value *v = binary_apply(e, BIN_EQ, left.value, b->value, args->span, left.span, b->span);
	if (value_failed(v))
		return v;
	struct host_expr *message = host_text(e, message_of(e, args));
	if (value_is_known(v) && emit_static(e, left.value, b->value, v, message, args->span))
		return &value_nothing;
	return emit_condition(e, v, message, args->span, args->span) ? &value_nothing : &value_error;
}

/* ---- assert_close ---- */

/* Takes a tolerance by name; false after an error. */
static bool take_tolerance(struct elab *e, struct arguments *args, const char *name, struct argument *out)
{
	for (int k = 0; k < args->at.n; k++)
		if (args->at.at[k].name && !strcmp(args->at.at[k].name, name)) {
			*out = *builtin_take(args, name);
			out->value = host_to_float(e, read_scalar(e, out->value, out->span));
			if (out->value->kind == VALUE_HOST && out->value->host.type == HOST_FLOAT)
				return true;
			if (!value_failed(out->value))
				elab_error(e, PML0204, out->span, "a tolerance is a number, this is %s",
					   value_describe(e, out->value));
			return false;
		}
	return true;
}

static const struct value *not_floats(struct elab *e, struct span at)
{
	elab_error(e, PML0204, at, "`assert_close` compares floats");
	return &value_error;
}

/* x: a, b, rtol, atol. */
static const struct value *near_on_host(struct elab *e, const struct argument *x, struct host_expr *message,
					struct span at)
{
	struct host_expr *h[6] = {message};
	for (int i = 0; i < 4; i++) {
		const struct value *v = host_to_float(e, x[i].value);
		if (!value_is_number(v))
			return not_floats(e, at);
		h[1 + i] = host_of(e, &v->host);
	}
	h[5] = host_int(e, elab_site_id(e, at, "assert_close"));
	region_say(e, region_loop(e), host_call(e, "check_near", HOST_VOID, at, 6, h), at);
	return &value_nothing;
}

/* The slot of a side that is a tensor, or a number or list beside one of elements t. -1 after an error. */
static int side_keep(struct elab *e, const struct value *v, enum dtype t, struct span at)
{
	if (value_is_list(v))
		v = literal_tensor(e, v, t, at);
	bool fits = value_is_tensor(v) || value_is_number(v);
	struct node *n = !fits ? NULL : value_is_tensor(v) ? tensor_node(e, v, at) : number_fitted(e, v, t, at);
	return n ? tensor_slot(e, e->region, n, at) : -1;
}

/* The worst violation, max(|a - b| - (atol + rtol |b|)), must not be positive. */
static const struct value *close_tensors(struct elab *e, const struct argument *x, struct host_expr *message,
					 struct span at)
{
	const struct value *v[4];
	struct span spans[4];
	enum dtype t = tensor_dtype(e, x[value_is_tensor(x[0].value) ? 0 : 1].value);
	int slot[2];
	for (int i = 0; i < 4; i++) {
		v[i] = x[i].value;
		spans[i] = x[i].span;
	}
	if (!dtype_is_float(t))
		return not_floats(e, at);
	if (region_stays_open(e)) {
		const struct value *gap = call_prelude_as(e, "assert_close", "worst_violation", at, 4, v, spans);
		const struct value *holds = binary_apply(e, BIN_LE, gap, value_float(e, 0), at, at, at);
		bool done = !value_failed(holds) && check_behind(e, holds, false, message, at, at);
		return done ? &value_nothing : &value_error;
	}
	for (int i = 0; i < 2; i++)
		slot[i] = side_keep(e, v[i], t, spans[i]);
	const struct value *worst =
		read_scalar(e, call_prelude_as(e, "assert_close", "worst_violation", at, 4, v, spans), at);
	if (value_failed(worst) || slot[0] < 0 || slot[1] < 0)
		return value_failed(worst) ? worst : not_floats(e, at);
	const struct value *ok = binary_apply(e, BIN_LE, worst, value_float(e, 0), at, at, at);
	struct host_expr *more[4] = {host_int(e, slot[0]), host_int(e, slot[1]), host_of(e, &v[2]->host),
				     host_of(e, &v[3]->host)};
	emit(e, "check_close", ok, message, 4, more, at);
	return &value_nothing;
}

const struct value *builtin_assert_close(struct elab *e, struct arguments *args)
{
	static const char *const names[] = {"a", "b", "rtol", "atol"};
	struct argument x[4] = {{0},
				{0},
				{.value = value_float(e, 1e-5), .span = args->span},
				{.value = value_float(e, 1e-6), .span = args->span}};
	for (int i = 2; i < 4; i++)
		if (!take_tolerance(e, args, names[i], &x[i]))
			return &value_error;
	for (int i = 0; i < 2; i++) {
		const struct argument *side = builtin_need(e, args, BUILTIN_assert_close, names[i]);
		if (!side)
			return &value_error;
		x[i] = *side;
	}
	if (!builtin_done(e, args, BUILTIN_assert_close) || !graph_loop_shows(e, args->span, "`assert_close`"))
		return &value_error;
	for (int i = 0; i < 2 && region_stays_open(e); i++)
		x[i].value = number_as_tensor(e, x[i].value, x[i].span);
	bool tensors = value_is_tensor(x[0].value) || value_is_tensor(x[1].value);
	struct host_expr *message = host_text(e, message_of(e, args));
	return tensors ? close_tensors(e, x, message, args->span) : near_on_host(e, x, message, args->span);
}
