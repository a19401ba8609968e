/* stmt.c — statements that do not branch: let, var, assignment, return, state. */
#include "elab.h"

#include <string.h>

/* ---- binding ---- */

/* Names of the library would say nothing to the user. */
static const struct value *named(struct elab *e, const struct value *v, const char *name)
{
	if (elab_in_library(e))
		return v;
	if (v->kind == VALUE_TENSOR && v->tensor->home == e->region && !v->tensor->node->name &&
	    v->tensor->node->kind != NODE_SLOT)
		v->tensor->node->name = name;
	return v;
}

/* A shape comes apart like the list of its sizes. */
static const struct value *sizes_of(struct elab *e, const struct value *v)
{
	if (v->kind != VALUE_SHAPE)
		return v;
	struct value *list = value_new(e, VALUE_LIST);
	for (int i = 0; i < v->shape.rank; i++)
		vec_push(e->a, &list->items, value_int(e, v->shape.dim[i]));
	return list;
}

static void bind_tuple(struct elab *e, const struct pattern *p, enum binding_kind kind, const struct value *given,
		       struct span at)
{
	const struct value *v = sizes_of(e, given);
	bool fits = (v->kind == VALUE_TUPLE || v->kind == VALUE_LIST) && v->items.n == p->members.n;
	if (!fits && !value_failed(v))
		elab_error(e, PML0217, p->span, "%s does not come apart into %d names", value_describe(e, given),
			   p->members.n);
	for (int i = 0; i < p->members.n; i++)
		pattern_bind(e, p->members.at[i], kind, fits ? v->items.at[i] : &value_error, at);
}

void pattern_bind(struct elab *e, const struct pattern *p, enum binding_kind kind, const struct value *v,
		  struct span at)
{
	if (!p->name.text) {
		bind_tuple(e, p, kind, v, at);
		return;
	}
	if (p->type)
		v = unify_value(e, NULL, p->type, v, at, arena_printf(e->a, "`%s`", p->name.text));
	if (strcmp(p->name.text, "_") == 0)
		return;
	if (v->kind == VALUE_HOST)
		v = host_freeze(e, v, p->name.text, at);
	env_bind(e, p->name, kind, named(e, v, p->name.text));
}

/* A variable holds the tensor as it is now, not the param it was read from. */
static const struct value *snapshot(struct elab *e, const struct value *v, struct span at)
{
	if (v->kind == VALUE_PARAM)
		return tensor_value_of(e, tensor_node(e, v, at));
	if (v->kind != VALUE_TUPLE)
		return v;
	struct value *out = value_new(e, VALUE_TUPLE);
	for (int i = 0; i < v->items.n; i++)
		vec_push(e->a, &out->items, snapshot(e, v->items.at[i], at));
	return out;
}

static void let_or_var(struct elab *e, const struct stmt *s)
{
	const struct pattern *p = s->pattern;
	const struct value *v = p->indexed ? notation_let(e, p, s->value, s->value->span) : expr_eval(e, s->value);
	pattern_bind(e, p, s->kind == STMT_VAR ? BIND_VAR : BIND_LET, snapshot(e, v, s->value->span), s->value->span);
}

/* ---- assignment ---- */

static void assign_slot(struct elab *e, int slot, const struct value *v, struct span at)
{
	const struct slot *s = e->p->slots.at[slot];
	if (value_failed(v))
		return;
	if (s->slot_class == SLOT_PARAM &&
	    microbatch_refuses(e, at, arena_printf(e->a, "an assignment of param `%s`", s->name)))
		return;
	if (s->slot_class == SLOT_PARAM && e->grad_depth) {
		struct diag *d = elab_error(e, PML0502, at, "param `%s` is assigned in a function that is differentiated",
					    s->name);
		diag_note(d, "its derivative would be of two values; assign it after the gradient is computed");
		return;
	}
	if (v->kind == VALUE_HOST && v->host.type != HOST_TEXT && s->shape.rank == 0)
		v = tensor_value_of(e, tensor_of_host(e, v, s->dtype, at));
	if (value_is_list(v))
		v = literal_tensor(e, v, s->dtype, at);
	if (value_failed(v))
		return;
	if (!value_is_tensor(v)) {
		elab_error(e, PML0505, at, "`%s` is a tensor, this is %s", s->name ? s->name : "the variable",
			   value_describe(e, v));
		return;
	}
	struct node *n = tensor_node(e, v, at);
	struct node_site site = elab_site(e, at);
	site.name = s->name;
	if (n->dtype != s->dtype || !shape_equal(&n->shape, &s->shape)) {
		struct text t;
		text_init(&t, e->a);
		type_print(&t, s->dtype, &s->shape);
		struct diag *d = elab_error(e, PML0505, at, "`%s` is %s, this is %s",
					    s->name ? s->name : "the variable", text_get(&t), value_describe(e, v));
		diag_label(d, s->span, "declared here");
		return;
	}
	if (!n->place)
		n = graph_to(region_graph(e), &site, n, s->place, &s->layout);
	else if (n->place->naxes != s->place->naxes || !place_same_ranks(n->place, s->place)) {
		struct diag *d = elab_error(e, PML0212, at, "`%s` is on `%s`, this is on `%s`",
					    s->name ? s->name : "the variable", s->place->name, n->place->name);
		diag_help(d, "move it: `to @%s`", s->place->name);
		elab_edit_behind(e, d, at, arena_printf(e->a, " to @%s", s->place->name), false);
		return;
	}
	n = tensor_adopt(e, n, s->place, at);
	if (s->layout.form == LAYOUT_GIVEN)
		n = graph_contract(region_graph(e), &site, n, s->place, &s->layout, arena_printf(e->a, "`%s`", s->name),
				   s->span);
	region_slot_write(e, slot, n, at);
}

/* A tensor becomes a host value when a host variable takes it. */
static void assign_host(struct elab *e, struct binding *b, const struct value *v, struct span at)
{
	enum host_type want = b->value->host.type;
	if (value_is_tensor(v))
		v = read_scalar(e, v, at);
	if (value_failed(v))
		return;
	if (want == HOST_FLOAT)
		v = host_to_float(e, v);
	if (v->kind != VALUE_HOST || v->host.type != want) {
		struct diag *d = elab_error(e, PML0505, at, "`%s` is %s, this is %s", b->name, host_type_text(want),
					    value_describe(e, v));
		diag_label(d, b->span, "declared here");
		if (want == HOST_INT && v->kind == VALUE_HOST && v->host.type == HOST_FLOAT)
			diag_help(d, "begin with a float: `0.0`");
		return;
	}
	host_set(e, b->value->host.expr->index, host_of(e, &v->host), at);
}

void binding_assign(struct elab *e, struct binding *b, const struct value *v, struct span at)
{
	if (value_failed(v)) {
		/* What is computed from it from now on is as wrong as it is. */
		if (b->kind == BIND_VAR)
			b->value = v;
		return;
	}
	if (!microbatch_may_assign(e, b, at))
		return;
	if (b->value->kind == VALUE_PARAM) {
		assign_slot(e, b->value->slot, v, at);
		return;
	}
	switch (b->kind) {
	case BIND_LET: {
		struct diag *d = elab_error(e, PML0502, at, "`%s` does not change: it is not a `var`", b->name);
		diag_label(d, b->span, "declared here");
		return;
	}
	case BIND_VAR:
		v = snapshot(e, v, at);
		if (v->kind == VALUE_HOST)
			v = host_freeze(e, v, b->name, at);
		b->value = named(e, v, b->name);
		return;
	case BIND_HOST:
		assign_host(e, b, v, at);
		return;
	case BIND_SLOT:
		assign_slot(e, b->value->slot, v, at);
		return;
	}
}

static enum binary_op operator_of(enum assign_op op)
{
	static const enum binary_op ops[] = {
		[ASSIGN_ADD] = BIN_ADD, [ASSIGN_SUB] = BIN_SUB, [ASSIGN_MUL] = BIN_MUL, [ASSIGN_DIV] = BIN_DIV};
	return ops[op];
}

/* The value that `x op= v` gives x. */
static const struct value *combined(struct elab *e, const struct stmt *s, const struct expr *x, const struct value *v)
{
	if (s->op == ASSIGN_SET || value_failed(v))
		return v;
	const struct value *old = expr_eval(e, x);
	/* A host variable takes a finished scalar: read it before it is added. */
	if (old->kind == VALUE_HOST && !old->host.known && value_is_tensor(v))
		v = read_scalar(e, v, s->value->span);
	return binary_apply(e, operator_of(s->op), old, v, s->span, x->span, s->value->span);
}

static void assign_to(struct elab *e, const struct stmt *s, const struct expr *t, const struct value *v)
{
	struct span at = s->value->span;
	struct binding *b = t->kind == EXPR_NAME ? env_find(e, t->name.text) : NULL;
	if (b) {
		binding_assign(e, b, v, at);
		return;
	}
	const struct value *target = expr_eval(e, t);
	if (target->kind == VALUE_PARAM)
		assign_slot(e, target->slot, v, at);
	if (target->kind == VALUE_PARAM || value_failed(target))
		return;
	struct diag *d = elab_error(e, PML0502, t->span, "only variables, params and states are assigned, this is %s",
				    value_describe(e, target));
	if (value_is_tensor(target) && t->kind == EXPR_INDEX)
		diag_help(d, "elements of elements are named by one index: `x[i, j]`");
}

/* `x[i] = v`: x becomes itself with some elements replaced. */
static void assign_elements(struct elab *e, const struct stmt *s, const struct expr *t, const struct value *x,
			    const struct value *v)
{
	struct span at = s->value->span;
	if (s->op == ASSIGN_SET) {
		assign_to(e, s, t->callee, index_update(e, x, t, v, at));
		return;
	}
	v = index_neutral(e, x, operator_of(s->op), t, v, at);
	assign_to(e, s, t->callee, value_failed(v) ? v : binary_apply(e, operator_of(s->op), x, v, s->span, t->span, at));
}

static void assign_one(struct elab *e, const struct stmt *s, const struct expr *t, const struct value *v)
{
	const struct value *whole = t->kind == EXPR_INDEX ? expr_eval(e, t->callee) : &value_none;
	if (value_failed(whole))
		return;
	if (value_is_tensor(whole))
		assign_elements(e, s, t, whole, v);
	else
		assign_to(e, s, t, combined(e, s, t, v));
}

static void assign_items(struct elab *e, const struct stmt *s, const struct expr *t, const struct value *given)
{
	const struct value *v = sizes_of(e, given);
	bool fits = !value_failed(v) && (v->kind == VALUE_TUPLE || v->kind == VALUE_LIST) && v->items.n == t->items.n;
	if (!fits && !value_failed(v)) {
		struct diag *d = elab_error(e, PML0217, s->value->span, "%s does not come apart into %d values",
					    value_describe(e, given), t->items.n);
		diag_label(d, t->span, "assigned to these");
	}
	for (int i = 0; i < t->items.n; i++) {
		const struct value *item = fits ? v->items.at[i] : &value_error;
		if (t->items.at[i]->kind == EXPR_TUPLE)
			assign_items(e, s, t->items.at[i], item);
		else
			assign_one(e, s, t->items.at[i], item);
	}
}

/* Host values of a tuple as they are now. */
static const struct value *freeze_items(struct elab *e, const struct value *v, struct span at)
{
	if (v->kind != VALUE_TUPLE && v->kind != VALUE_LIST)
		return host_freeze(e, v, "assigned", at);
	struct value *out = value_new(e, v->kind);
	for (int i = 0; i < v->items.n; i++)
		vec_push(e->a, &out->items, freeze_items(e, v->items.at[i], at));
	return out;
}

static void assign(struct elab *e, const struct stmt *s)
{
	const struct value *v = expr_eval(e, s->value);
	/* All of the right side is computed before anything is assigned: `(a, b) = (b, a)` exchanges them. */
	if (s->target->kind == EXPR_TUPLE)
		assign_items(e, s, s->target, freeze_items(e, snapshot(e, v, s->value->span), s->value->span));
	else
		assign_one(e, s, s->target, v);
}

/* ---- return ---- */

static void do_return(struct elab *e, const struct stmt *s)
{
	struct frame *f = e->frame;
	const struct value *v = s->value ? expr_eval(e, s->value) : &value_none;
	if (f->runtime_depth) {
		struct diag *d = elab_error(e, PML0503, s->span,
					    "`return` stands in a branch or loop that is decided at run time");
		diag_help(d, "choose the value instead: `return if c => a else b;`");
		return;
	}
	f->result = v;
	f->returned = true;
}

/* ---- states of functions ---- */

struct state_entry {
	int slot;
	struct span span;
	const struct call_site *call;
};

/* What a state is like: the slot it belongs to, and the layout. */
struct like {
	const struct slot *slot;
	struct layout_spec layout;
};

/* `like p`, a param or state; or `like d`, the derivative in `each (p, d) in g`: the state belongs to p and is laid out
 * like d. False after a message. */
static bool state_like(struct elab *e, const struct stmt *s, struct like *out)
{
	const struct value *v = s->like ? expr_eval(e, s->like) : NULL;
	if (!v)
		return true;
	if (v->kind == VALUE_PARAM) {
		*out = (struct like){e->p->slots.at[v->slot], e->p->slots.at[v->slot]->layout};
		return true;
	}
	if (e->each && v == e->each->d && e->each->slot >= 0) {
		*out = (struct like){e->p->slots.at[e->each->slot], e->each->layout};
		return true;
	}
	if (!value_failed(v)) {
		struct diag *d = elab_error(e, PML0507, s->like->span, "a state is `like` a param or state, this is %s",
					    value_describe(e, v));
		if (value_is_tensor(v))
			diag_note(d, "or like the derivative that `each (p, d) in g` gives, as it is: `like d`");
	}
	return false;
}

/* The param that a state belongs to: the one it is `like`, or the one that the innermost `each` stands at, here or in a caller; NULL: to none. */
static const char *state_owner(struct elab *e, const struct like *like)
{
	if (like->slot)
		return like->slot->name;
	for (const struct frame *f = e->frame; f; f = f->outer)
		if (f->like)
			return f->like;
	return NULL;
}

static const char *state_name(struct elab *e, const struct stmt *s, const char *of)
{
	const char *fn = e->frame && e->frame->item ? elab_qualified(e, e->frame->item) : "main";
	return of ? elab_intern(e, "%s.%s.%s", fn, s->pattern->name.text, of)
		  : elab_intern(e, "%s.%s", fn, s->pattern->name.text);
}

static bool state_type(struct elab *e, const struct stmt *s, struct slot *out)
{
	struct tensor_type t;
	if (!type_resolve(e, s->type, &t))
		return false;
	out->dtype = t.dtype;
	out->shape = t.shape;
	out->place = t.place ? t.place : e->fallback_place;
	out->layout = t.layout;
	if (out->layout.form != LAYOUT_GIVEN)
		out->layout = (struct layout_spec){.form = LAYOUT_GIVEN, .layout = layout_broadcast(), .span = s->span};
	return true;
}

static int new_state(struct elab *e, const struct stmt *s, const struct like *like, const char *name)
{
	struct slot slot = {.name = name, .slot_class = SLOT_STATE, .span = s->pattern->name.span};
	if (s->like) {
		const struct slot *p = like->slot;
		struct tensor_type t = {.dtype = p->dtype};
		if (s->type && !type_resolve(e, s->type, &t))
			return -1;
		slot.dtype = t.dtype;
		slot.shape = p->shape;
		slot.place = p->place;
		slot.layout = like->layout;
	} else if (!state_type(e, s, &slot)) {
		return -1;
	}
	int id = slot_new(e, &slot);
	slot_initialise(e, id, s->value, NULL);
	return id;
}

static bool same_call(const struct call_site *a, const struct call_site *b)
{
	for (; a && b; a = a->outer, b = b->outer)
		if (a->span.file != b->span.file || a->span.begin != b->span.begin)
			return false;
	return a == b;
}

/* One state per function and, with `like p` or where `each` walks params, per param: whoever calls the function for this param shares
 * it. Otherwise nothing tells two calls apart, so the second place that calls is an error. */
void stmt_state(struct elab *e, const struct stmt *s)
{
	struct like like = {0};
	if (!state_like(e, s, &like)) {
		env_bind(e, s->pattern->name, BIND_LET, &value_error);
		return;
	}
	const char *of = state_owner(e, &like), *name = state_name(e, s, of);
	struct state_entry *known = map_get(&e->states, name);
	if (known && !of && !same_call(known->call, e->call)) {
		struct diag *d = elab_error(e, PML0507, e->call ? e->call->span : s->span,
					    "`%s` keeps a state, it cannot be called from two places",
					    e->call ? e->call->function : "this");
		diag_label(d, s->span, "this state");
		diag_label(d, known->call ? known->call->span : known->span, "called here before");
		diag_help(d, "declare the state outside and pass it, or make it `like` a param");
	}
	if (!known) {
		known = ARENA_NEW(e->a, struct state_entry);
		*known = (struct state_entry){new_state(e, s, &like, name), s->span, e->call};
		map_set(&e->states, name, known);
	}
	struct value *v = value_new(e, known->slot < 0 ? VALUE_ERROR : VALUE_PARAM);
	v->slot = known->slot;
	env_bind(e, s->pattern->name, BIND_LET, v);
}

/* ---- all ---- */

static void eval_statement(struct elab *e, const struct stmt *s)
{
	expr_eval(e, s->value);
}

void stmt_eval(struct elab *e, const struct stmt *s)
{
	if (!elab_step(e, 1, s->span))
		return;
	switch (s->kind) {
	case STMT_LET:
	case STMT_VAR:
		let_or_var(e, s);
		break;
	case STMT_STATE:
		stmt_state(e, s);
		break;
	case STMT_ASSIGN:
		assign(e, s);
		break;
	case STMT_EXPR:
		eval_statement(e, s);
		break;
	case STMT_RETURN:
		do_return(e, s);
		break;
	case STMT_FOR:
		stmt_for(e, s);
		break;
	case STMT_EACH:
		stmt_each(e, s);
		break;
	case STMT_WHILE:
		stmt_while(e, s);
		break;
	case STMT_IF:
		stmt_if(e, s);
		break;
	case STMT_EVERY:
		stmt_every(e, s);
		break;
	case STMT_BLOCK:
		stmt_block(e, s->body);
		break;
	}
}

void stmt_block(struct elab *e, const struct stmt *first)
{
	env_push(e);
	for (const struct stmt *s = first; s && !(e->frame && e->frame->returned); s = s->next)
		stmt_eval(e, s);
	env_pop(e);
}
