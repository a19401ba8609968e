/* item.c — the value of an item: constants (with -D), configs, placements, params, functions. Each is evaluated once,
 * in its own module; an item that needs itself is an error. */
#include "elaborate.h"
#include "values/values.h"
#include "slots/slots.h"

#include "../../runtime/pmlrt.h"

#include <stdlib.h>
#include <string.h>

/* Stands for an item that is being evaluated. */
static const struct value in_progress = {.kind = VALUE_NONE};

struct saved {
	struct module *module;
	struct scope *scope;
	struct frame *frame;
	const char *param_name;
	const struct shape *param_shape;
};

static struct saved enter_module(struct elab *e, struct module *m)
{
	struct saved s = {e->module, e->scope, e->frame, e->param_name, e->param_shape};
	e->module = m;
	e->scope = NULL;
	e->param_name = NULL;
	env_push(e);
	return s;
}

static void leave_module(struct elab *e, struct saved s)
{
	e->module = s.module;
	e->scope = s.scope;
	e->frame = s.frame;
	e->param_name = s.param_name;
	e->param_shape = s.param_shape;
}

static const struct value *coerce_const(struct elab *e, struct item *item, const struct value *v, struct span at)
{
	if (!item->type || value_failed(v))
		return v;
	return unify_value(e, NULL, item->type, v, at, arena_printf(e->a, "`%s`", item->name.text));
}

static const struct value *const_value(struct elab *e, struct item *item)
{
	const struct expr *x = item->value;
	if (!x)
		return &value_error;
	const struct value *v = coerce_const(e, item, expr_eval(e, x), x->span);
	if (v->kind == VALUE_HOST && !v->host.known) {
		struct diag *d =
			elab_error(e, PML0205, x->span, "`%s` is a constant, its value must be known when compiling",
				   item->name.text);
		help_config(e, d, v);
		return &value_error;
	}
	return v;
}

static const struct value *place_item(struct elab *e, struct item *item)
{
	const struct expr *x = item->value;
	if (!x)
		return &value_error;
	e->param_name = x->kind == EXPR_PLACE ? item->name.text : NULL;
	e->param_shape = NULL; /* a name, but of nothing with a shape */
	const struct value *v = expr_eval(e, x);
	e->param_name = NULL;
	if (value_failed(v) || v->kind == VALUE_PLACE)
		return v;
	struct diag *d = elab_error(e, PML0204, x->span, "`%s` is a placement, this is %s", item->name.text,
				    value_describe(e, v));
	diag_help(d, "ranks are counted from 0: `place %s = ranks(0..4);` are four", item->name.text);
	return &value_error;
}

/* ---- configs ---- */

struct config_type {
	const char *name;
	enum pmlrt_config_kind kind;
	enum host_type type;
};

static const struct config_type *config_type(const char *name)
{
	static const struct config_type types[] = {
		{"int", PMLRT_CONFIG_INT, HOST_INT},     {"i32", PMLRT_CONFIG_INT, HOST_INT},
		{"i64", PMLRT_CONFIG_INT, HOST_INT},     {"float", PMLRT_CONFIG_FLOAT, HOST_FLOAT},
		{"f32", PMLRT_CONFIG_FLOAT, HOST_FLOAT}, {"f64", PMLRT_CONFIG_FLOAT, HOST_FLOAT},
		{"bool", PMLRT_CONFIG_BOOL, HOST_BOOL},  {"string", PMLRT_CONFIG_TEXT, HOST_TEXT},
		{"path", PMLRT_CONFIG_PATH, HOST_TEXT},
	};
	for (size_t i = 0; name && i < sizeof types / sizeof *types; i++)
		if (strcmp(types[i].name, name) == 0)
			return &types[i];
	return NULL;
}

static const char *fallback_text(struct elab *e, const struct host_value *h)
{
	switch (h->type) {
	case HOST_INT:
		return arena_printf(e->a, "%lld", (long long)h->i);
	case HOST_FLOAT:
		return arena_printf(e->a, "%.17g", h->f);
	case HOST_BOOL:
		return h->i ? "true" : "false";
	case HOST_TEXT:
		return h->text;
	case HOST_VOID:
	case HOST_KEY:
	case HOST_HANDLE:
		return "";
	}
	return "";
}

/* 0.1 stays "0.1" where the short form reads back as the same number. */
static const char *short_float(struct elab *e, double f)
{
	for (int digits = 6; digits < 17; digits++) {
		char *s = arena_printf(e->a, "%.*g", digits, f);
		if (strtod(s, NULL) == f)
			return s;
	}
	return arena_printf(e->a, "%.17g", f);
}

static const struct value *read_config(struct elab *e, int index, const struct config_type *t, struct span at)
{
	struct host_expr *number = host_int(e, index);
	switch (t->kind) {
	case PMLRT_CONFIG_INT:
		return value_expr(e, host_call(e, "config_int", HOST_INT, at, 1, &number));
	case PMLRT_CONFIG_FLOAT:
		return value_expr(e, host_call(e, "config_float", HOST_FLOAT, at, 1, &number));
	case PMLRT_CONFIG_BOOL: {
		struct host_expr *x = host_call(e, "config_int", HOST_INT, at, 1, &number);
		return value_expr(e, host_apply(e, HOST_NE_OP, HOST_BOOL, x, host_int(e, 0), at));
	}
	case PMLRT_CONFIG_TEXT:
	case PMLRT_CONFIG_PATH:
		return value_expr(e, host_call(e, "config_text", HOST_TEXT, at, 1, &number));
	}
	return &value_error;
}

static const struct value *config_item(struct elab *e, struct item *item)
{
	const struct config_type *t = config_type(item->type ? item->type->name.text : NULL);
	if (!t || item->type->has_dims) {
		struct diag *d = elab_error(e, PML0219, item->type ? item->type->span : item->span,
					    "a config is an int, float, bool, string or path");
		diag_note(d, "it is an option of the produced program, given as text on its command line");
		return &value_error;
	}
	const struct value *v = item->value ? expr_eval(e, item->value) : &value_none;
	if (t->type == HOST_FLOAT)
		v = host_to_float(e, v);
	if (value_failed(v))
		return v;
	if (!value_is_known(v) || v->host.type != t->type) {
		elab_error(e, PML0209, item->value ? item->value->span : item->span,
			   "the default of `%s` must be %s known when compiling", item->name.text,
			   host_type_text(t->type));
		return &value_error;
	}
	enum dtype declared = t->type == HOST_INT ? dtype_of_text(t->name) : DT_COUNT;
	if (declared != DT_COUNT && !number_fits(e, &v->host, declared, item->value->span))
		return &value_error;
	struct config c = {.name = item->name.text,
			   .type = t->name,
			   .doc = item->doc,
			   .fallback = t->type == HOST_FLOAT ? short_float(e, v->host.f) : fallback_text(e, &v->host),
			   .kind = (int)t->kind,
			   .span = item->span};
	vec_push(e->a, &e->p->configs, c);
	v = read_config(e, e->p->configs.n - 1, t, item->span);
	enum dtype as = t->type == HOST_FLOAT ? dtype_of_text(t->name) : DT_COUNT;
	return as == DT_COUNT ? v : host_typed(e, v, as);
}

static const struct value *function_item(struct elab *e, struct item *item)
{
	struct value *v = value_new(e, VALUE_FUNCTION);
	v->function = item;
	return v;
}

static const struct value *evaluate(struct elab *e, struct item *item, struct span use)
{
	switch (item->kind) {
	case ITEM_CONST:
		return const_value(e, item);
	case ITEM_CONFIG:
		return config_item(e, item);
	case ITEM_PLACE:
		return place_item(e, item);
	case ITEM_PARAM:
	case ITEM_STATE:
	case ITEM_CACHE:
		return slot_of_item(e, item);
	case ITEM_OP:
	case ITEM_FN:
		return function_item(e, item);
	case ITEM_NAMES:
		return file_names_item(e, item);
	case ITEM_STRUCT:
		return struct_type(e, item);
	case ITEM_IMPORT:
	case ITEM_MAIN:
	case ITEM_TEST:
		elab_error(e, PML0204, use, "`%s` is not a value", item->name.text);
		return &value_error;
	}
	return &value_error;
}

const struct value *item_evaluated(struct elab *e, struct item *item, struct span use)
{
	const struct value *v = map_get(&e->item_values, item);
	if (v == &in_progress) {
		struct diag *d = elab_error(e, PML0220, use, "`%s` depends on itself", item->name.text);
		diag_label(d, item->span, "declared here");
		return &value_error;
	}
	if (v)
		return v;
	map_set(&e->item_values, item, (void *)&in_progress);
	struct saved saved = enter_module(e, item->module);
	v = evaluate(e, item, use);
	leave_module(e, saved);
	map_set(&e->item_values, item, (void *)v);
	return v;
}
