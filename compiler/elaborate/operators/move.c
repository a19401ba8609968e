/* move.c — `x to @place : layout`, `x as f32`. */
#include "operators.h"
#include "../values/values.h"

#include <math.h>
#include <string.h>

/* ---- to ---- */

static const struct value *move_tensor(struct elab *e, const struct value *v, const struct place *p,
				       const struct expr *x)
{
	struct node *n = tensor_node(e, v, x->to.value->span);
	const struct place *target = p ? p : n->place;
	struct layout_spec l;
	if (!target) {
		struct diag *d = elab_error(e, PML0214, x->span, "%s is on no rank yet", value_describe(e, v));
		diag_help(d, "say where it is to be: `to @place : ...`");
		return &value_error;
	}
	e->takes_auto = true;
	bool good = layout_resolve(e, x->to.layout, target, n->shape.rank, &l);
	e->takes_auto = false;
	if (!good ||
	    (layout_open(target, &l.layout) >= 0 && !open_auto(e, n->name ? n->name : "to", target, &n->shape, &l)))
		return &value_error;
	const char *open = l.form == LAYOUT_INFER && !n->place && n->shape.rank ? open_place_name(e, x->span) : NULL;
	if (open)
		open_layout(e, open, target, &n->shape, &l);
	struct node_site site = elab_site(e, x->span);
	site.name = n->name;
	return tensor_value_of(e, graph_to(region_graph(e), &site, n, p, &l));
}

/* Numbers of the host are alike on every rank. */
static bool is_whole_already(const struct value *v, const struct place *p, const struct expr *x)
{
	const struct ast_layout *l = x->to.layout;
	return v->kind == VALUE_HOST && v->host.type != HOST_TEXT && !p && l && !l->named_axes && l->atoms.n == 1 &&
	       l->atoms.at[0].form == ATOM_BROADCAST;
}

static const struct value *move_value(struct elab *e, const struct value *v, const struct place *p,
				      const struct expr *x);

/* Field by field. What is moved to a placement is a struct of that placement. */
static const struct value *move_struct(struct elab *e, const struct value *v, const struct place *p,
				       const struct expr *x)
{
	struct value *out = value_new(e, VALUE_STRUCT);
	out->object.item = v->object.item;
	for (int i = 0; i < v->object.args.n; i++) {
		const struct value *a = v->object.args.at[i];
		vec_push(e->a, &out->object.args, p && a->kind == VALUE_PLACE ? value_place(e, p) : a);
	}
	for (int i = 0; i < v->object.fields.n; i++) {
		struct struct_field f = v->object.fields.at[i];
		bool moves = value_is_tensor(f.value) || value_is_composed(f.value);
		f.value = moves ? move_value(e, f.value, p, x) : f.value;
		if (value_failed(f.value))
			return f.value;
		vec_push(e->a, &out->object.fields, f);
	}
	return out;
}

static const struct value *move_value(struct elab *e, const struct value *v, const struct place *p,
				      const struct expr *x)
{
	if (is_whole_already(v, p, x))
		return v;
	if (value_is_tensor(v))
		return move_tensor(e, v, p, x);
	if (v->kind == VALUE_HOST && v->host.type != HOST_TEXT) {
		enum dtype t = literal_natural_type(e, v);
		v = number_as(e, v, t, x->to.value->span);
		return value_failed(v) ? v : move_tensor(e, v, p, x);
	}
	if (value_is_list(v)) {
		v = literal_tensor(e, v, literal_natural_type(e, v), x->to.value->span);
		return value_failed(v) ? v : move_tensor(e, v, p, x);
	}
	if (v->kind == VALUE_TUPLE) {
		struct value *out = value_new(e, VALUE_TUPLE);
		for (int i = 0; i < v->items.n; i++)
			vec_push(e->a, &out->items, move_value(e, v->items.at[i], p, x));
		return out;
	}
	if (v->kind == VALUE_STRUCT)
		return move_struct(e, v, p, x);
	if (value_failed(v))
		return v;
	struct diag *d = elab_error(e, PML0204, x->to.value->span, "only tensors are moved with `to`, this is %s",
				    value_describe(e, v));
	if (v->kind == VALUE_GRADIENT && v->gradient.n == 1)
		diag_help(d, "write `.%s` before `to` for the derivative by that param", v->gradient.at[0].name);
	else if (v->kind == VALUE_GRADIENT)
		diag_help(d, "write `g.w to ...` for the derivative by param `w`");
	else
		elab_help_sort(e, d, v, x->to.value->span);
	return &value_error;
}

const struct value *expr_to(struct elab *e, const struct expr *x)
{
	return value_to(e, expr_eval(e, x->to.value), x);
}

const struct value *value_to(struct elab *e, const struct value *v, const struct expr *x)
{
	const struct place *p = NULL;
	if (x->to.placement) {
		const struct value *at = expr_eval(e, x->to.placement);
		if (value_failed(at))
			return at;
		if (!place_is_one(e, x->to.placement, at))
			return &value_error;
		p = at->place;
	}
	return move_value(e, v, p, x);
}

/* ---- as ---- */

static const struct value *int_of_bool(struct elab *e, const struct value *v, struct span at)
{
	struct host_expr *s = ARENA_NEW(e->a, struct host_expr);
	*s = (struct host_expr){.kind = HOST_SELECT, .type = HOST_INT, .span = at, .nargs = 3};
	s->arg[0] = v->host.expr;
	s->arg[1] = host_int(e, 1);
	s->arg[2] = host_int(e, 0);
	return value_expr(e, s);
}

/* What an element of the type holds of a number that is known: a number of the host again. */
static const struct value *known_as_element(struct elab *e, const struct value *v, enum dtype t, struct span at)
{
	union scalar_value n = {.i = v->host.i};
	if (v->host.type == HOST_FLOAT)
		n.f = v->host.f;
	n = scalar_convert(n, host_dtype(v->host.type), t);
	if (dtype_is_float(t))
		return value_float(e, n.f);
	bool has_sign = dtype_kind(t) == DTYPE_INT;
	double whole = trunc(v->host.f), end = ldexp(1, 8 * (int)dtype_size(t) - has_sign);
	if (v->host.type == HOST_FLOAT && !(whole >= (has_sign ? -end : 0) && whole < end)) {
		elab_error(e, PML0207, at, "%g is beyond what an element of `%s` can be", v->host.f, dtype_text(t));
		return &value_error;
	}
	if (t != DT_U64 || n.i >= 0)
		return value_int(e, n.i);
	struct diag *d =
		elab_error(e, PML0207, at,
			   "%llu, which is the number as `u64`, does not fit an int (64 bits, one of them the sign)",
			   (unsigned long long)n.i);
	diag_help(d, "a tensor has it: of a list, `[-1] as u64`");
	return &value_error;
}

/* The same of one of the running program. What surely fits stays as it is, so that the turn of a loop is one still. */
static const struct value *as_element(struct elab *e, const struct value *v, enum dtype t, struct span at)
{
	bool is_int = v->host.type == HOST_INT;
	if (is_int ? t == DT_I64 || number_surely_fits(e, v, t) : t == DT_F64)
		return v;
	if (is_int && t == DT_F64)
		return host_to_float(e, v);
	if (!is_int && t == DT_I64)
		return value_expr(e, host_apply(e, HOST_INT_OF_FLOAT_OP, HOST_INT, v->host.expr, NULL, at));
	struct host_expr *x =
		host_apply(e, HOST_CONVERT_OP, dtype_is_float(t) ? HOST_FLOAT : HOST_INT, v->host.expr, NULL, at);
	x->index = (int)t;
	return value_expr(e, x);
}

static const struct value *cast_host(struct elab *e, const struct value *v, enum dtype t, const struct expr *x)
{
	if (v->host.type == HOST_BOOL && dtype_kind(t) != DTYPE_BOOL)
		v = v->host.known ? value_int(e, v->host.i) : int_of_bool(e, v, x->span);
	if (!value_is_number(v) || dtype_kind(t) == DTYPE_BOOL) {
		elab_error(e, PML0204, x->span, "%s cannot be converted to `%s`", value_describe(e, v), dtype_text(t));
		return &value_error;
	}
	return v->host.known ? known_as_element(e, v, t, x->span) : as_element(e, v, t, x->span);
}

static const struct value *cast_value(struct elab *e, const struct value *v, const struct expr *x)
{
	enum dtype t = dtype_resolve(e, x->as.type);
	if (t == DT_COUNT)
		return &value_error;
	/* `as float`: numbers of the host and tensors of f64 keep their digits. */
	bool is_host_float = strcmp(x->as.type->name.text, "float") == 0;
	if (v->kind == VALUE_HOST)
		return is_host_float ? cast_host(e, v, DT_F64, x) : host_typed(e, cast_host(e, v, t, x), t);
	if (is_host_float && value_is_tensor(v) && tensor_dtype(e, v) == DT_F64)
		return v;
	if (value_is_list(v))
		return literal_as(e, v, t, x->span);
	if (!value_is_tensor(v)) {
		struct diag *d = elab_error(e, PML0204, x->span, "%s cannot be converted to `%s`", value_describe(e, v),
					    dtype_text(t));
		elab_help_sort(e, d, v, x->as.value->span);
		return &value_error;
	}
	struct node_site site = elab_site(e, x->span);
	return tensor_value_of(e, graph_cast(region_graph(e), &site, tensor_node(e, v, x->as.value->span), t));
}

/* The shape a value is said to have: `x as [n, 784]`, `_` is anything. */
static const struct value *claim_shape(struct elab *e, const struct value *v, const struct expr *x)
{
	const struct type *t = x->as.type;
	if (!value_is_tensor(v)) {
		if (!value_failed(v))
			elab_error(e, PML0204, x->span, "a shape is claimed of a tensor, this is %s",
				   value_describe(e, v));
		return &value_error;
	}
	const struct shape *s = tensor_shape(e, v);
	bool fits = s->rank == t->dims.n;
	for (int i = 0; fits && i < t->dims.n; i++) {
		int64_t n;
		if (t->dims.at[i].form == DIM_ANY)
			continue;
		if (t->dims.at[i].form != DIM_EXPR || !size_eval(e, t->dims.at[i].expr, &n))
			return &value_error;
		fits = n == s->dim[i];
	}
	if (fits)
		return v;
	elab_error(e, PML0201, x->span, "%s does not have the claimed shape", value_describe(e, v));
	return &value_error;
}

const struct value *expr_as(struct elab *e, const struct expr *x)
{
	const struct type *t = x->as.type;
	enum dtype of_slot = e->param_dtype;
	e->param_dtype = t->name.text ? DT_COUNT : of_slot;
	const struct value *v = expr_eval(e, x->as.value);
	e->param_dtype = of_slot;
	if (value_failed(v))
		return v;
	if (v->kind == VALUE_DATASET)
		return data_claim(e, v, x);
	if (t->kind == TYPE_TUPLE || t->kind == TYPE_ARRAY)
		return elab_unsupported(e, t->span, "`as` with this type");
	if (!t->name.text)
		return claim_shape(e, v, x);
	v = cast_value(e, v, x);
	return t->has_dims && !value_failed(v) ? claim_shape(e, v, x) : v;
}
