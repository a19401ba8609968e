/* builtin_grad.c — grad(f), value_and_grad(f), vjp(f), jvp(f): which function, by what, in which layout. */
#include "builtin.h"
#include "../region/region.h"
#include "../values/values.h"

#include <string.h>

/* Collects the slots of a param, of a struct of params or of an array of those; false if something else is in it. */
static bool param_slots(struct elab *e, const struct value *v, struct wrt_params *out)
{
	bool ok = true;
	if (v->kind == VALUE_PARAM) {
		ok = e->p->slots.at[v->slot]->slot_class == SLOT_PARAM;
		vec_push(e->a, &out->slots, v->slot);
	} else if (v->kind == VALUE_STRUCT) {
		for (int i = 0; i < v->object.fields.n; i++)
			ok &= param_slots(e, v->object.fields.at[i].value, out);
	} else if (v->kind == VALUE_LIST) {
		for (int i = 0; i < v->items.n; i++)
			ok &= param_slots(e, v->items.at[i], out);
	} else {
		ok = false;
	}
	return ok && out->slots.n;
}

/* The argument that `wrt = "x"` or `wrt = 0` names, or NULL. */
static const char *wrt_argument(struct elab *e, const struct value *f, const struct value *v)
{
	if (!value_is_known(v))
		return NULL;
	if (v->host.type == HOST_TEXT)
		return intern(e->s->names, v->host.text);
	const char *name = v->host.type == HOST_INT ? function_param_name(f, v->host.i) : "";
	return name[0] ? name : NULL;
}

/* Why what was found is nothing to differentiate by: the first slot that is no param, or what `wrt` takes at all. */
static void note_of_wrt(struct elab *e, struct diag *m, const struct wrt_params *found)
{
	for (int i = 0; i < found->slots.n; i++) {
		const struct slot *s = e->p->slots.at[found->slots.at[i]];
		if (s->slot_class == SLOT_PARAM)
			continue;
		diag_note(m, "`%s` is a %s, which is kept without a gradient", s->name,
			  s->slot_class == SLOT_STATE ? "state" : "cache");
		diag_help(m, "declare it as a `param`, or hand it to the function as an argument");
		return;
	}
	diag_note(m, "arguments by name or position, \"x\" or (\"x\", 1); params as they are, `w` or (encoder, head)");
}

static bool add_wrt(struct elab *e, struct derived *d, const struct value *v, struct span at)
{
	struct wrt_params params = {.span = at};
	struct name name = {wrt_argument(e, d->function, v), at};
	if (value_failed(v))
		return false;
	if (name.text) {
		vec_push(e->a, &d->wrt, name);
		return true;
	}
	if (param_slots(e, v, &params)) {
		vec_push(e->a, &d->only, params);
		return true;
	}
	if (v->kind == VALUE_TUPLE || v->kind == VALUE_LIST) {
		for (int i = 0; i < v->items.n; i++)
			if (!add_wrt(e, d, v->items.at[i], at))
				return false;
		return true;
	}
	if (v->kind == VALUE_HOST && v->host.type == HOST_INT && value_is_known(v)) {
		struct diag *m = elab_error(e, PML0413, at, "the function has no argument %lld", (long long)v->host.i);
		diag_note(m, "`wrt` counts them from 0, or takes their names: \"x\" or (\"x\", 1)");
		return false;
	}
	struct diag *m =
		elab_error(e, PML0413, at, "`wrt` names arguments or params, this is %s", value_describe(e, v));
	note_of_wrt(e, m, &params);
	return false;
}

static bool may_be_by_params(struct elab *e, const struct derived *d, struct span at)
{
	if (!d->only.n || d->how != DERIVE_JVP)
		return true;
	struct diag *m = elab_error(e, PML0413, at, "`jvp` is by arguments");
	diag_help(m, "give the function the param as an argument");
	return false;
}

static bool take_function(struct elab *e, struct derived *d, enum builtin b, struct arguments *args)
{
	const struct argument *f = builtin_need(e, args, b, "function");
	if (!f)
		return false;
	d->function = f->value;
	d->span = f->span;
	if (f->value->kind == VALUE_FUNCTION || f->value->kind == VALUE_DERIVED)
		return true;
	struct diag *m = elab_error(e, PML0204, f->span, "`%s` takes a function, this is %s", builtin_name((int)b),
				    value_describe(e, f->value));
	diag_help(m, "what it gives is called: `%s(f)(x)`", builtin_name((int)b));
	return false;
}

static const struct value *derived_value(struct elab *e, const struct derived *d, enum builtin b,
					 struct arguments *args)
{
	if (args->at.n && !args->at.at[0].name) {
		const char *name = builtin_name((int)b);
		struct diag *g = elab_error(e, PML0203, args->at.at[0].span, "`%s` has one argument too many", name);
		diag_help(g, "it gives a function, which takes the arguments: `%s(f)(x)`", name);
		return &value_error;
	}
	if (!builtin_done(e, args, b))
		return &value_error;
	struct value *v = value_new(e, VALUE_DERIVED);
	v->derived = d;
	return v;
}

static const struct value *derive(struct elab *e, enum derivation how, enum builtin b, struct arguments *args)
{
	struct derived *d = ARENA_NEW(e->a, struct derived);
	*d = (struct derived){.how = how, .span = args->span};
	for (int i = 0; i < args->at.n; i++)
		if (args->at.at[i].layout) {
			d->layout = args->at.at[i].layout;
			memmove(&args->at.at[i], &args->at.at[i + 1],
				sizeof args->at.at[i] * (size_t)(--args->at.n - i));
			break;
		}
	if (!take_function(e, d, b, args))
		return &value_error;
	for (int i = 0; i < args->at.n; i++)
		if (args->at.at[i].name && strcmp(args->at.at[i].name, "wrt") == 0) {
			if (!add_wrt(e, d, args->at.at[i].value, args->at.at[i].span) ||
			    !may_be_by_params(e, d, args->at.at[i].span))
				return &value_error;
			memmove(&args->at.at[i], &args->at.at[i + 1],
				sizeof args->at.at[i] * (size_t)(--args->at.n - i));
			break;
		}
	return derived_value(e, d, b, args);
}

const struct value *builtin_value_and_grad(struct elab *e, struct arguments *args)
{
	return derive(e, DERIVE_VALUE_AND_GRAD, BUILTIN_value_and_grad, args);
}

const struct value *builtin_grad(struct elab *e, struct arguments *args)
{
	return derive(e, DERIVE_GRAD, BUILTIN_grad, args);
}

const struct value *builtin_vjp(struct elab *e, struct arguments *args)
{
	return derive(e, DERIVE_VJP, BUILTIN_vjp, args);
}

const struct value *builtin_jvp(struct elab *e, struct arguments *args)
{
	return derive(e, DERIVE_JVP, BUILTIN_jvp, args);
}

static bool add_over(struct elab *e, struct derived *d, const struct value *v, struct span at)
{
	struct mapped_argument o = {.position = -1, .span = at};
	if (value_failed(v))
		return false;
	bool several = v->kind == VALUE_TUPLE || v->kind == VALUE_LIST;
	for (int i = 0; several && i < v->items.n; i++)
		if (!add_over(e, d, v->items.at[i], at))
			return false;
	if (several)
		return true;
	if (value_is_known(v) && v->host.type == HOST_TEXT)
		o.name = intern(e->s->names, v->host.text);
	else if (value_is_known(v) && v->host.type == HOST_INT && v->host.i >= 0)
		o.position = v->host.i;
	if (o.name || o.position >= 0) {
		vec_push(e->a, &d->over, o);
		return true;
	}
	struct diag *m = elab_error(e, PML0413, at, "`over` names arguments, this is %s", value_describe(e, v));
	diag_note(m, "by name or position: \"x\" or (\"x\", 1)");
	return false;
}

const struct value *builtin_vmap(struct elab *e, struct arguments *args)
{
	struct derived *d = ARENA_NEW(e->a, struct derived);
	*d = (struct derived){.how = DERIVE_VMAP, .span = args->span};
	if (!take_function(e, d, BUILTIN_vmap, args))
		return &value_error;
	const struct argument *over = builtin_take(args, "over");
	if (over && !add_over(e, d, over->value, over->span))
		return &value_error;
	return derived_value(e, d, BUILTIN_vmap, args);
}

static const struct value *with_rule(struct elab *e, enum derivation how, enum builtin b, struct arguments *args,
				     const char *help)
{
	struct derived *d = ARENA_NEW(e->a, struct derived);
	*d = (struct derived){.how = how, .span = args->span};
	if (!take_function(e, d, b, args))
		return &value_error;
	const struct argument *rule = builtin_need(e, args, b, "rule");
	if (!rule)
		return &value_error;
	d->rule = rule->value;
	d->rule_span = rule->span;
	if (rule->value->kind == VALUE_FUNCTION || rule->value->kind == VALUE_DERIVED)
		return derived_value(e, d, b, args);
	struct diag *m = elab_error(e, PML0204, rule->span, "the rule is a function, this is %s",
				    value_describe(e, rule->value));
	diag_help(m, "%s", help);
	return &value_error;
}

const struct value *builtin_custom_jvp(struct elab *e, struct arguments *args)
{
	return with_rule(e, DERIVE_CUSTOM_JVP, BUILTIN_custom_jvp, args,
			 "it takes the arguments, the result and a tangent for each argument, and gives the result's "
			 "tangent");
}

const struct value *builtin_custom_vjp(struct elab *e, struct arguments *args)
{
	return with_rule(
		e, DERIVE_CUSTOM_VJP, BUILTIN_custom_vjp, args,
		"it takes the arguments, the result and its cotangent, and gives a cotangent for each argument");
}

static const struct value *stopped(struct elab *e, const struct value *x, struct span at)
{
	struct node_site site = elab_site(e, at);
	if (!value_is_tensor(x))
		return x;
	return tensor_value_of(e, graph_stop(region_graph(e), &site, tensor_node(e, x, at)));
}

const struct value *builtin_stop_gradient(struct elab *e, struct arguments *args)
{
	const struct argument *x = builtin_need(e, args, BUILTIN_stop_gradient, "x");
	if (!x || !builtin_done(e, args, BUILTIN_stop_gradient))
		return &value_error;
	return parts_changed(e, x->value, stopped, args->span);
}
