/* call.c — calls: arguments to parameters, functions walked at the call. */
#include "elaborate.h"
#include "operators/operators.h"
#include "notation/notation.h"
#include "gradients/gradients.h"
#include "builtins/builtins.h"

#include "habit.h"

#include <string.h>

/* ---- arguments ---- */

/* ---- functions ---- */

/* Initialisers: `zeros()` of a param takes key, shape and dtype from the param. */
static void supply(struct elab *e, struct item *item, struct arguments *args)
{
	if (!e->param_name || !e->param_shape)
		return;
	static const char *const names[] = {"key", "shape", "dtype"};
	for (int i = 0; i < 3; i++) {
		int k = param_named(item->params.at, item->params.n, intern(e->s->names, names[i]));
		if (k < 0)
			continue;
		const char *name = item->params.at[k].name.text;
		int positional = 0;
		for (int a = 0; a < args->at.n; a++)
			positional += !args->at.at[a].name;
		bool given = k < positional;
		for (int a = 0; a < args->at.n; a++)
			given = given || args->at.at[a].name == name;
		if (given || (i == 2 && e->param_dtype == DT_COUNT))
			continue;
		const struct value *v = i == 0 ? (e->param_key ? e->param_key : slot_key(e, e->param_name, args->span))
					: i == 1 ? value_shape(e, e->param_shape)
						 : value_dtype(e, e->param_dtype);
		e->is_drawn |= i == 0;
		arguments_push(e, args, name, v, args->span);
	}
}

struct outer {
	struct scope *scope;
	struct module *module;
	struct caller caller;
	struct frame *frame;
	const struct call_site *call;
	const struct call_site *op_call;
	const char *param_name;
	bool scalar_mode;
};

static void note_elements(struct elab *e, struct call_argument *a, const struct expr *list)
{
	if (!list || list->kind != EXPR_LIST)
		return;
	struct span *at = ARENA_ARRAY(e->a, struct span, list->items.n);
	a->n = list->items.n;
	for (int i = 0; i < a->n; i++)
		at[i] = list->items.at[i]->span;
	a->element = at;
}

/* Where the arguments of the call stand. */
static void note_arguments(struct elab *e, struct call_site *c, const struct item *item, const struct argument **given)
{
	struct call_argument *to = ARENA_ARRAY(e->a, struct call_argument, item->params.n);
	for (int i = 0; i < item->params.n; i++)
		if (given[i]) {
			to[c->nargs] = (struct call_argument){item->params.at[i].name.text, given[i]->span, 0, NULL};
			note_elements(e, &to[c->nargs++], given[i]->expr);
		}
	c->args = to;
}

static struct outer enter(struct elab *e, struct item *item, const struct arguments *args,
			  const struct argument **given)
{
	struct outer o = {e->scope, e->module, e->caller, e->frame, e->call, e->op_call, e->param_name, e->scalar_mode};
	struct call_site *c = ARENA_NEW(e->a, struct call_site);
	*c = (struct call_site){e->call,
				args->span,
				args->called ? args->called : elab_qualified(e, item),
				elab_is_of_library(e, item->name.span) ? item->doc : NULL,
				0,
				NULL};
	note_arguments(e, c, item, given);
	struct frame *f = ARENA_NEW(e->a, struct frame);
	*f = (struct frame){.outer = e->frame, .item = item, .result = &value_nothing};
	e->call = c;
	e->op_call = NULL;
	e->frame = f;
	e->caller = (struct caller){e->scope, e->module};
	e->scope = NULL;
	e->module = item->module;
	e->scalar_mode = false;
	env_push(e);
	if (stmt_returns_inside(item->body->body)) {
		struct span name = item->name.span;
		env_bind(e, (struct name){intern(e->s->names, HIDDEN_LEFT), name}, BIND_VAR, value_bool(e, false));
		env_bind(e, (struct name){intern(e->s->names, HIDDEN_GIVEN), name}, BIND_VAR, &value_nothing);
	}
	return o;
}

static void leave(struct elab *e, const struct outer *o)
{
	e->scope = o->scope;
	e->module = o->module;
	e->caller = o->caller;
	e->frame = o->frame;
	e->call = o->call;
	e->op_call = o->op_call;
	e->param_name = o->param_name;
	e->scalar_mode = o->scalar_mode;
}

/* Known, or a variable: what is computed from something assignable is fixed at the call. */
static const struct value *freeze(struct elab *e, const struct value *v, const char *name, struct span at)
{
	return v->kind == VALUE_HOST ? host_freeze(e, v, name, at) : v;
}

/* Inside the function the value goes by the parameter's name: messages look for it there. */
static void name_parameter(struct elab *e, const struct value *v, const char *name, const char *what)
{
	if (v->kind == VALUE_TENSOR && v->tensor->node->kind == NODE_CONTRACT &&
	    v->tensor->node->target->what == what && !elab_in_library(e))
		v->tensor->node->name = name;
}

/* What a message calls a parameter. Of a function that the library has for itself, by what the program has called: it
 * hands on what it was given under the same name, or what it has made of that. */
static const char *parameter_what(struct elab *e, const struct item *item, const char *name)
{
	const struct frame *f = e->frame;
	const struct call_site *c = e->call;
	for (; c->outer && f->outer && elab_is_of_library(e, c->span); c = c->outer)
		f = f->outer;
	if (f == e->frame || !f->item || elab_is_of_library(e, c->span))
		return arena_printf(e->a, "parameter `%s` of `%s`", name, item->name.text);
	return param_named(f->item->params.at, f->item->params.n, name) >= 0
		       ? arena_printf(e->a, "parameter `%s` of `%s`", name, c->function)
		       : arena_printf(e->a, "a value that `%s` computes", c->function);
}

static bool bind_params(struct elab *e, struct item *item, const struct argument **given, struct span at)
{
	bool ok = true, *done = ARENA_ARRAY(e->a, bool, item->params.n);
	for (int i; (i = next_ready(e, item, done, NULL)) >= 0; done[i] = true) {
		const struct param *p = &item->params.at[i];
		const struct value *v = given[i] ? given[i]->value : expr_eval(e, p->init);
		struct span where = given[i] ? given[i]->span : at;
		const char *what = parameter_what(e, item, p->name.text);
		if (p->type && (given[i] || v->kind != VALUE_NONE))
			v = unify_value(e, item, p->type, v, where, what);
		else if (!p->type)
			v = unify_boundary(e, v, where, what, p->span);
		name_parameter(e, v, p->name.text, what);
		ok = ok && !value_failed(v);
		env_bind(e, p->name, BIND_LET, freeze(e, v, p->name.text, where));
	}
	return ok;
}

static const struct value *finish_result(struct elab *e, struct item *item, struct span at)
{
	const struct binding *given = env_hidden(e, HIDDEN_GIVEN);
	bool at_run_time = given && given->value != &value_nothing;
	const struct value *v = at_run_time ? parts_now(e, given->value, at) : e->frame->result;
	const char *what = arena_printf(e->a, RESULT_OF "`%s`", item->name.text);
	if (value_failed(v))
		return v;
	if (at_run_time && (!e->frame->returned || e->frame->gave_nothing)) {
		struct diag *d = elab_error(e, PML0209, item->name.span, "`%s` may end without %s", item->name.text,
					    e->frame->returned ? "a value" : "`return`");
		diag_label(d, given->span, "gives this elsewhere");
		return &value_error;
	}
	if (!item->type)
		return unify_boundary(e, v, at, what, item->name.span);
	if (v->kind == VALUE_NONE) {
		struct diag *d = elab_error(e, PML0209, item->name.span, "`%s` ends without `return`", item->name.text);
		diag_label(d, item->type->span, "declared to give this");
		return &value_error;
	}
	return unify_value(e, item, item->type, v, at, what);
}

static struct span return_span(const struct item *item)
{
	const struct stmt *last = NULL;
	for (const struct stmt *s = item->body ? item->body->body : NULL; s; s = s->next)
		if (s->kind == STMT_RETURN && s->value)
			last = s;
	return last ? last->value->span : item->name.span;
}

const struct value *call_function(struct elab *e, struct item *item, struct arguments *args)
{
	const struct argument *given[64];
	if (!recursion_may_call(e, item, args->span))
		return &value_error;
	supply(e, item, args);
	if (item->params.n > 64) {
		elab_error(e, PML0203, args->span, "`%s` has more than 64 parameters", item->name.text);
		return &value_error;
	}
	if (arguments_disordered(e, item, args) ||
	    !arguments_match(e, args, item->name.text, "parameter", item->params.at, item->params.n, given))
		return &value_error;
	struct outer o = enter(e, item, args, given);
	const struct value *v = &value_error;
	item->is_called = true;
	if (bind_params(e, item, given, args->span) && recursion_goes_on(e, args->span)) {
		e->param_name = NULL;
		int errors = e->s->errors;
		stmt_block(e, item->body->body);
		v = finish_result(e, item, return_span(item));
		if (e->s->errors > errors) /* what it gives is not known: nothing is said of it any more */
			v = &value_error;
	}
	leave(e, &o);
	return v;
}

const struct value *call_of_kind(struct elab *e, const struct value *f, struct arguments *args)
{
	switch (f->kind) {
	case VALUE_ERROR:
		return f;
	case VALUE_FUNCTION:
		return f->function->kind == ITEM_OP ? notation_op(e, f->function, args)
						    : call_function(e, f->function, args);
	case VALUE_BUILTIN:
		return builtin_call(e, f->builtin, args);
	case VALUE_DERIVED:
		return f->derived->how == DERIVE_VMAP         ? vmap_call(e, f->derived, args)
		       : f->derived->how == DERIVE_CUSTOM_JVP ? custom_call(e, f->derived, args)
		       : f->derived->how == DERIVE_CUSTOM_VJP ? pulled_call(e, f->derived, args)
							      : gradient_call(e, f->derived, args);
	case VALUE_STRUCT_TYPE:
		return struct_construct(e, f, args);
	case VALUE_LAYOUT:
		if (f->layout && f->layout->form == LAYOUT_GIVEN && f->layout->layout.atom[0].kind == SHARD_P)
			return builtin_call(e, builtin_find("P"), args);
		break;
	case VALUE_NONE:
	case VALUE_HOST:
	case VALUE_TENSOR:
	case VALUE_PARAM:
	case VALUE_PLACE:
	case VALUE_DTYPE:
	case VALUE_SHAPE:
	case VALUE_TUPLE:
	case VALUE_LIST:
	case VALUE_RANGE:
	case VALUE_STRUCT:
	case VALUE_GRADIENT:
	case VALUE_DATASET:
	case VALUE_BATCHES:
	case VALUE_NAMES:
		break;
	}
	struct diag *d = elab_error(e, PML0208, args->span, "%s cannot be called", value_describe(e, f));
	if (f->kind == VALUE_SHAPE || f->kind == VALUE_TENSOR || f->kind == VALUE_PARAM || f->kind == VALUE_LIST)
		diag_help(d, "elements are taken in square brackets: `[0]`");
	return &value_error;
}

/* What is called: a variable or placement hides no function of the prelude, so that `all(x)` means it beside `place
 * all`. */
static const struct value *callee(struct elab *e, const struct expr *x)
{
	const struct value *f = expr_eval(e, x);
	bool callable = f->kind == VALUE_FUNCTION || f->kind == VALUE_BUILTIN || f->kind == VALUE_DERIVED ||
			f->kind == VALUE_LAYOUT || f->kind == VALUE_STRUCT_TYPE || f->kind == VALUE_NONE ||
			value_failed(f);
	if (callable || x->kind != EXPR_NAME)
		return f;
	struct item *item = elab_prelude(e, x->name.text);
	int b = builtin_find(x->name.text);
	if (item && item->kind != ITEM_FN && item->kind != ITEM_OP)
		return f;
	if (!item && b < 0)
		return f;
	struct value *v = value_new(e, item ? VALUE_FUNCTION : VALUE_BUILTIN);
	if (item)
		v->function = item;
	else
		v->builtin = b;
	return v;
}

/* `f32(x)` of other languages. */
static const struct value *called_dtype(struct elab *e, const struct value *f, const struct expr *x)
{
	const char *t = dtype_text(f->dtype);
	struct diag *d = elab_error(e, PML0208, x->span, "`%s` is an element type and cannot be called", t);
	if (x->args.n != 1 || !x->args.at[0].value) {
		diag_help(d, "elements are converted by `as`: `x as %s`", t);
		return &value_error;
	}
	struct span at = x->args.at[0].value->span;
	diag_help(d, "elements are converted by `as`");
	diag_edit(d, (struct span){at.file, x->span.begin, x->callee->span.end}, "");
	elab_edit_as(e, d, at, f->dtype);
	return &value_error;
}

static const struct value *gives_nothing(struct elab *e, const struct value *f, const struct expr *x)
{
	while (f->kind == VALUE_DERIVED)
		f = f->derived->function;
	bool named = f->kind == VALUE_FUNCTION;
	if (f->kind == VALUE_BUILTIN) {
		const char *name = builtin_name(f->builtin);
		struct diag *d = elab_error(e, PML0209, x->span, "`%s` gives nothing here", name);
		diag_help(d, "it is a statement of its own: `%s(...);`", name);
		return &value_error;
	}
	struct diag *d = elab_error(e, PML0209, x->span, "`%s` gives nothing: it ends without `return`",
				    named ? f->function->name.text : "the function");
	if (named && elab_is_of_library(e, f->function->name.span)) {
		diag_help(d, "it is a statement of its own: `%s(...);`", f->function->name.text);
		return &value_error;
	}
	if (named)
		elab_label(e, d, f->function->name.span, "declared here");
	diag_help(d, "end it with `return` and a value");
	return &value_error;
}

const struct value *expr_call(struct elab *e, const struct expr *x)
{
	struct arguments args;
	enum scalar_fn fn = e->scalar_mode && x->callee->kind == EXPR_NAME ? scalar_fn_of_source(x->callee->name.text)
									   : SC_FN_COUNT;
	if (fn != SC_FN_COUNT)
		return arguments_eval(e, x, &args) ? scalar_on_host(e, fn, &args) : &value_error;
	bool used = e->statement != x;
	int errors = e->s->errors;
	const struct value *extent = e->notation ? notation_extent(e->notation, x) : NULL;
	if (extent)
		return extent;
	const struct value *f = callee(e, x->callee);
	/* An initialiser supplies the arguments of the outermost call only. */
	const char *param_name = e->param_name;
	e->param_name = NULL;
	bool ok = arguments_eval(e, x, &args);
	e->param_name = param_name;
	if (ok && f->kind == VALUE_DTYPE)
		return called_dtype(e, f, x);
	const struct value *v = ok ? call_value(e, f, &args) : &value_error;
	return v == &value_nothing && used && e->s->errors == errors ? gives_nothing(e, f, x) : v;
}
