/* choose.c — `if c => a else b`. What is known when compiling is one of the two; what the running program decides
 * chooses numbers, texts, tensors, and what consists of them member by member. */
#include "operators.h"
#include "../values/values.h"

const struct value *host_choose(struct elab *e, const struct value *const *v, const struct span *spans, struct span at)
{
	const struct value *a = v[1], *b = v[2];
	if (value_is_number(a) && value_is_number(b) && a->host.type != b->host.type) {
		a = host_to_float(e, a);
		b = host_to_float(e, b);
	}
	if (a->host.type != b->host.type) {
		struct diag *d = elab_error(e, PML0505, at, "the two branches differ: %s and %s", value_describe(e, a),
					    value_describe(e, b));
		diag_label(d, spans[1], "%s", value_describe(e, a));
		diag_label(d, spans[2], "%s", value_describe(e, b));
		return &value_error;
	}
	struct host_expr *s = ARENA_NEW(e->a, struct host_expr);
	*s = (struct host_expr){.kind = HOST_SELECT, .type = a->host.type, .span = at, .nargs = 3};
	s->arg[0] = v[0]->host.expr;
	s->arg[1] = host_of(e, &a->host);
	s->arg[2] = host_of(e, &b->host);
	return value_expr(e, s);
}

/* A single number stands for a tensor of any shape. */
static bool same_shapes(struct elab *e, const struct value *a, const struct value *b)
{
	const struct shape *s = tensor_shape(e, a), *t = tensor_shape(e, b);
	return !s->rank || !t->rank || shape_equal(s, t);
}

static void differ(struct elab *e, const struct value *const *v, const struct span *spans, struct span at)
{
	struct diag *d = elab_error(e, PML0505, at, "the two branches differ: %s and %s", value_describe(e, v[1]),
				    value_describe(e, v[2]));
	diag_label(d, spans[1], "%s", value_describe(e, v[1]));
	diag_label(d, spans[2], "%s", value_describe(e, v[2]));
}

static const struct value *choose_tensor(struct elab *e, const struct value *const *v, const struct span *spans,
					 struct span at)
{
	for (int i = 1; i < 3; i++)
		if (!value_is_tensor(v[i]) && v[i]->kind != VALUE_HOST) {
			elab_error(e, PML0501, spans[i], "the running program cannot choose %s",
				   value_describe(e, v[i]));
			return &value_error;
		}
	if (value_is_tensor(v[1]) && value_is_tensor(v[2]) && !same_shapes(e, v[1], v[2])) {
		differ(e, v, spans, at);
		return &value_error;
	}
	return call_prelude(e, "where", at, 3, v, spans);
}

/* Gradients by the same params: derivative by derivative. */
static const struct value *choose_gradient(struct elab *e, const struct value *const *v, const struct span *spans,
					   struct span at)
{
	struct parts a = {0}, b = {0}, out = {0};
	if (!gradients_alike(v[1], v[2])) {
		differ(e, v, spans, at);
		return &value_error;
	}
	parts_collect(e, v[1], &a);
	parts_collect(e, gradient_in_form(e, v[1], v[2], at), &b);
	for (int i = 0; i < a.at.n; i++) {
		const struct value *one[3] = {v[0], a.at.at[i], b.at.at[i]};
		vec_push(e->a, &out.at, choose_tensor(e, one, spans, at));
	}
	return parts_replaced(e, v[1], &out);
}

static const struct value *choose(struct elab *e, const struct value *const *v, const struct span *spans,
				  struct span at);

/* Tuples, lists and structs of one form: member by member. */
static const struct value *choose_members(struct elab *e, const struct value *const *v, const struct span *spans,
					  struct span at)
{
	const struct value *out = v[1];
	int n = value_members(v[1]);
	if (v[1]->kind != v[2]->kind || value_members(v[2]) != n ||
	    (out->kind == VALUE_STRUCT && out->object.item != v[2]->object.item)) {
		differ(e, v, spans, at);
		return &value_error;
	}
	for (int i = 0; i < n; i++) {
		const struct value *one[3] = {v[0], value_member(e, v[1], i), value_member(e, v[2], i)};
		const struct value *chosen = choose(e, one, spans, at);
		if (value_failed(chosen))
			return chosen;
		out = parts_with_member(e, out, i, chosen);
	}
	return out;
}

static const struct value *choose(struct elab *e, const struct value *const *v, const struct span *spans,
				  struct span at)
{
	const struct value *a = v[1], *b = v[2];
	if (value_is_same(a, b))
		return a;
	if (a->kind == VALUE_GRADIENT && b->kind == VALUE_GRADIENT)
		return choose_gradient(e, v, spans, at);
	if (value_is_composed(a) && value_is_composed(b))
		return choose_members(e, v, spans, at);
	/* Texts are chosen by the host, as by the statement `if`. */
	bool hosts = a->kind == VALUE_HOST && b->kind == VALUE_HOST;
	bool texts = hosts && (a->host.type == HOST_TEXT || b->host.type == HOST_TEXT);
	const struct value *all[3] = {texts && value_is_tensor(v[0]) ? read_scalar(e, v[0], spans[0]) : v[0], a, b};
	if (value_failed(all[0]))
		return all[0];
	return hosts && all[0]->kind == VALUE_HOST ? host_choose(e, all, spans, at) : choose_tensor(e, all, spans, at);
}

/* A bool scalar that the running program knows. */
static bool is_condition(struct elab *e, const struct value *v)
{
	if (v->kind == VALUE_HOST)
		return v->host.type == HOST_BOOL && !v->host.known;
	return value_is_tensor(v) && tensor_dtype(e, v) == DT_BOOL && !tensor_shape(e, v)->rank;
}

const struct value *expr_eval_where(struct elab *e, const struct expr *x, const struct value *c, bool holds,
				    struct span at)
{
	const struct guard guard = {e->guard, c, holds, at};
	e->guard = is_condition(e, c) ? &guard : guard.outer;
	const struct value *v = expr_eval(e, x);
	e->guard = guard.outer;
	return v;
}

const struct value *expr_if(struct elab *e, const struct expr *x)
{
	const struct value *c = expr_eval(e, x->cond.cond);
	if (value_failed(c))
		return c;
	if (c->kind == VALUE_HOST && c->host.type == HOST_BOOL && c->host.known)
		return expr_eval(e, c->host.i ? x->cond.then : x->cond.other);
	const struct span at = x->cond.cond->span;
	const struct value *v[3] = {c, expr_eval_where(e, x->cond.then, c, true, at),
				    expr_eval_where(e, x->cond.other, c, false, at)};
	struct span spans[3] = {x->cond.cond->span, x->cond.then->span, x->cond.other->span};
	if (value_failed(v[1]) || value_failed(v[2]))
		return &value_error;
	bool host = c->kind == VALUE_HOST && c->host.type == HOST_BOOL;
	if (!host && !(value_is_tensor(c) && tensor_dtype(e, c) == DT_BOOL)) {
		struct diag *d = elab_error(e, PML0501, at, "a condition is a bool, this is %s", value_describe(e, c));
		elab_help_sort(e, d, c, at);
		return &value_error;
	}
	return choose(e, v, spans, x->span);
}
