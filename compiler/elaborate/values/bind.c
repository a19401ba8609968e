/* bind.c — values to names and patterns. */
#include "values.h"

#include <string.h>

/* A move is called as what it moves until it has a name of its own. */
static bool has_own_name(const struct node *n)
{
	return n->name && !(n->kind == NODE_TO && n->name == n->in[0]->name);
}

const struct value *binding_named(struct elab *e, const struct value *v, const char *name)
{
	if (elab_in_library(e))
		return v;
	if (v->kind == VALUE_TENSOR && v->tensor->home == e->region && !has_own_name(v->tensor->node) &&
	    v->tensor->node->kind != NODE_SLOT)
		v->tensor->node->name = name;
	return v;
}

const struct value *value_sizes(struct elab *e, const struct value *v)
{
	if (v->kind != VALUE_SHAPE)
		return v;
	struct value *list = value_new(e, VALUE_LIST);
	for (int i = 0; i < v->shape.rank; i++)
		vec_push(e->a, &list->items, value_int(e, v->shape.dim[i]));
	return list;
}

/* What a tuple has that is taken apart into another number of names: one of several may be a tuple itself. */
static void tell_members(struct elab *e, struct diag *d, const struct value *v)
{
	enum { MOST_TOLD = 6 };
	struct text t;
	if ((v->kind != VALUE_TUPLE && v->kind != VALUE_LIST) || !v->items.n || v->items.n > MOST_TOLD)
		return;
	text_init(&t, e->a);
	for (int i = 0; i < v->items.n; i++)
		text_printf(&t, "%s%s",
			    i == 0                ? ""
			    : i == v->items.n - 1 ? " and "
						  : ", ",
			    value_describe(e, v->items.at[i]));
	diag_note(d, "its members are %s", text_get(&t));
}

static void bind_tuple(struct elab *e, const struct pattern *p, enum binding_kind kind, const struct value *given,
		       struct span at)
{
	const struct value *v = value_sizes(e, given);
	bool fits = (v->kind == VALUE_TUPLE || v->kind == VALUE_LIST) && v->items.n == p->members.n;
	if (!fits && given->kind == VALUE_SHAPE &&
	    elab_is_of_library(e, p->span)) { /* of a tensor that it was handed */
		elab_error(e, PML0211, p->span, "`%s` takes a tensor of %d dimensions here, this has %d",
			   elab_called(e, ""), p->members.n, given->shape.rank);
	} else if (!fits && !value_failed(v)) {
		struct diag *d = elab_error(e, PML0217, p->span, "%s does not come apart into %d names",
					    value_describe(e, given), p->members.n);
		tell_members(e, d, v);
		if (v->kind == VALUE_GRADIENT && p->members.n == 2)
			diag_help(d, "`value_and_grad(f)(x)` gives the value, too, `grad(f)(x)` the gradient alone");
	}
	for (int i = 0; i < p->members.n; i++)
		pattern_bind(e, p->members.at[i], kind, fits ? v->items.at[i] : &value_error, at);
}

/* With numbers of the host as they are now, also in what they are members of. */
static const struct value *frozen(struct elab *e, const struct value *v, const char *name, struct span at)
{
	if (v->kind == VALUE_HOST)
		return host_freeze(e, v, name, at);
	const struct value *out = v;
	for (int i = 0; value_is_composed(v) && v->kind != VALUE_GRADIENT && i < value_members(v); i++) {
		const struct value *was = value_member(e, v, i), *now = frozen(e, was, NULL, at);
		if (now != was)
			out = parts_with_member(e, out, i, now);
	}
	return out;
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
	v = frozen(e, v, p->name.text, at);
	env_bind(e, p->name, kind, binding_named(e, v, p->name.text));
}

const struct value *value_snapshot(struct elab *e, const struct value *v, struct span at)
{
	if (v->kind == VALUE_PARAM)
		return tensor_value_of(e, tensor_node(e, v, at));
	if (v->kind != VALUE_TUPLE)
		return v;
	struct value *out = value_new(e, VALUE_TUPLE);
	for (int i = 0; i < v->items.n; i++)
		vec_push(e->a, &out->items, value_snapshot(e, v->items.at[i], at));
	return out;
}
