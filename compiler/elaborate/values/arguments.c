/* arguments.c — what a call is given, to parameters. */
#include "values.h"

#include "habit.h"

#include <string.h>

bool arguments_eval(struct elab *e, const struct expr *call, struct arguments *out)
{
	bool ok = true;
	*out = (struct arguments){.span = call->span};
	for (int i = 0; i < call->args.n; i++) {
		const struct arg *a = &call->args.at[i];
		struct argument x = {.name = a->name.text,
				     .layout = a->layout,
				     .expr = a->value,
				     .span = a->value ? a->value->span : a->span,
				     .named = a->name.text ? a->name.span : (struct span){0}};
		x.value = a->value ? open_eval(e, a->value) : &value_none;
		ok = ok && !value_failed(x.value);
		vec_push(e->a, &out->at, x);
	}
	return ok;
}

struct arguments arguments_copied(struct elab *e, const struct arguments *args)
{
	struct arguments copy = {.span = args->span};
	for (int i = 0; i < args->at.n; i++)
		vec_push(e->a, &copy.at, args->at.at[i]);
	return copy;
}

int param_named(const struct param *params, int n, const char *name)
{
	for (int i = 0; i < n; i++)
		if (params[i].name.text == name)
			return i;
	return -1;
}

const struct param *function_params(const struct value *f, int *n)
{
	while (f->kind == VALUE_DERIVED)
		f = f->derived->function;
	*n = f->kind == VALUE_FUNCTION ? f->function->params.n : 0;
	return *n ? f->function->params.at : NULL;
}

const char *function_param_name(const struct value *f, int64_t i)
{
	int n;
	const struct param *params = function_params(f, &n);
	return i >= 0 && i < n ? params[i].name.text : "";
}

const char *param_names(struct elab *e, const struct param *params, int n)
{
	struct text all;
	text_init(&all, e->a);
	for (int i = 0; i < n; i++)
		text_printf(&all, "%s`%s`", i == 0 ? "" : i == n - 1 ? " and " : ", ", params[i].name.text);
	return text_get(&all);
}

static bool too_many(struct elab *e, const struct argument *a, const char *callee, const char *what,
		     const struct param *params, int n)
{
	struct diag *d = elab_error(e, PML0203, a->span, "`%s` takes %d argument%s, this is one too many", callee, n,
				    n == 1 ? "" : "s");
	const char *here = habit_here(HABIT_SURPLUS, callee);
	if (here)
		diag_help(d, "%s", here);
	if (n)
		diag_note(d, "its %s%s %s", what, n > 1 ? "s are" : " is", param_names(e, params, n));
	return false;
}

struct diag *argument_unknown(struct elab *e, const struct argument *a, const char *callee, const char *what)
{
	return elab_error(e, PML0203, a->named.file ? a->named : a->span, "`%s` has no %s `%s`", callee, what, a->name);
}

static bool unknown_argument(struct elab *e, const struct argument *a, const char *callee, const char *what,
			     const struct param *params, int n)
{
	const char *candidates[64];
	int count = 0;
	for (int i = 0; i < n && count < 64; i++)
		candidates[count++] = params[i].name.text;
	struct diag *d = argument_unknown(e, a, callee, what);
	const char *here = habit_here(HABIT_ARGUMENT, a->name);
	const char *near = diag_nearest(a->name, candidates, count);
	if (here)
		diag_help(d, "%s", here);
	else if (near)
		elab_help_meant(e, d, a->name, a->named, near);
	if (!count)
		diag_note(d, "it takes no arguments");
	else if (!near)
		diag_note(d, "its %s%s %s", what, count > 1 ? "s are" : " is", param_names(e, params, count));
	return false;
}

static bool is_of_type(const struct param *p, const char *type)
{
	return p->type && p->type->name.text && !strcmp(p->type->name.text, type);
}

/* `var x : f32[2] = zeros();`: key and shape were left out, as an initial value may leave them out. */
static void help_initial(struct diag *d, const struct param *params, int n, const struct argument *const *slots,
			 const char *callee)
{
	bool draws = is_of_type(&params[0], "rngkey");
	int k = 0;
	while (k < n && !is_of_type(&params[k], "shape"))
		k++;
	if (k < n && !slots[k] && !(draws && slots[0]))
		diag_help(d,
			  "only initial values of params and states have %s from what is declared; here `%s(%s[n, m])`",
			  draws ? "key and shape" : "their shape", callee,
			  draws ? "rng(1), "
			  : k   ? "v, "
				: "");
}

/* A draw whose first argument is no key: the key was left out. */
static void help_key(struct diag *d, const struct param *params, const struct argument *const *slots)
{
	const struct argument *first = slots[0];
	if (!is_of_type(&params[0], "rngkey") || !first || first->name)
		return;
	if (value_failed(first->value) || (first->value->kind == VALUE_HOST && first->value->host.type == HOST_KEY))
		return;
	diag_help(d, "draws take a key first, and the same key gives the same numbers");
	diag_edit(d, (struct span){first->span.file, first->span.begin, first->span.begin}, "rng(1), ");
}

/* True after the error of `normal(k, [2], f64)`: an element type by position, where the function takes one by name. */
static bool dtype_elsewhere(struct elab *e, const struct argument *a, const char *callee, const struct param *params,
			    int n, int k)
{
	int meant = param_named(params, n, intern(e->s->names, "dtype"));
	if (a->value->kind != VALUE_DTYPE || params[k].type || !params[k].init || meant < 0 || meant == k)
		return false;
	struct diag *d = elab_error(e, PML0203, a->span, "the element type is parameter `dtype` of `%s`, this is `%s`",
				    callee, params[k].name.text);
	diag_label(d, params[meant].span, "declared here");
	diag_help(d, "give it by its name");
	diag_edit(d, (struct span){a->span.file, a->span.begin, a->span.begin}, "dtype = ");
	return true;
}

bool arguments_match(struct elab *e, const struct arguments *args, const char *callee, const char *what,
		     const struct param *params, int n, const struct argument **slots)
{
	int next = 0;
	memset(slots, 0, sizeof *slots * (size_t)n);
	for (int i = 0; i < args->at.n; i++) {
		const struct argument *a = &args->at.at[i];
		int k = a->name ? param_named(params, n, a->name) : next++;
		if (k < 0)
			return unknown_argument(e, a, callee, what, params, n);
		if (k >= n)
			return too_many(e, a, callee, what, params, n);
		if (slots[k]) {
			struct diag *d = elab_error(e, PML0203, a->span, "%s `%s` of `%s` is given twice", what,
						    params[k].name.text, callee);
			diag_label(d, slots[k]->span, slots[k]->name ? "here first" : "here by its position");
			return false;
		}
		if (!a->name && dtype_elsewhere(e, a, callee, params, n, k))
			return false;
		slots[k] = a;
	}
	for (int k = 0; k < n; k++)
		if (!slots[k] && !params[k].init) {
			struct diag *d = elab_error(e, PML0203, args->span, "`%s` needs its %s `%s`", callee, what,
						    params[k].name.text);
			diag_label(d, params[k].span, "declared here");
			help_key(d, params, slots);
			help_initial(d, params, n, slots, callee);
			return false;
		}
	return true;
}
