/* scalar_host.c — scalar functions of host values: `sqrt(128.0)`, `exp(lr)`. Known arguments are computed here, by the
 * same evaluation as everywhere; others by the host where it has the operation. */
#include "operators.h"

#include <string.h>

static const struct value *compute(struct elab *e, enum scalar_fn fn, int n, const struct value **v, bool floats)
{
	const struct scalar *s[3] = {NULL};
	enum dtype t = floats ? DT_F64 : DT_I64;
	for (int i = 0; i < n; i++)
		s[i] = floats ? scalar_float(e->a, t, v[i]->host.f) : scalar_int(e->a, t, v[i]->host.i);
	union scalar_value r = scalar_eval(scalar_apply(e->a, fn, t, s[0], s[1], s[2]), NULL, NULL);
	return floats ? value_float(e, r.f) : value_int(e, r.i);
}

/* Whether x, shifted to the left, is no int. By a negative number it is 0. */
static bool loses_bits(int64_t x, int64_t by)
{
	return by < 64 ? by > 0 && (int64_t)((uint64_t)x << by) >> by != x : x != 0;
}

static const struct value *choose(struct elab *e, const struct arguments *args)
{
	const struct value *v[3];
	struct span spans[3];
	for (int i = 0; i < 3; i++) {
		v[i] = args->at.at[i].value;
		spans[i] = args->at.at[i].span;
		if (value_failed(v[i]))
			return v[i];
		if (v[i]->kind == VALUE_HOST && (i || v[i]->host.type == HOST_BOOL))
			continue;
		elab_error(e, PML0204, spans[i], "`where` takes a bool and two numbers, this is %s",
			   value_describe(e, v[i]));
		return &value_error;
	}
	if (v[0]->host.known)
		return v[v[0]->host.i ? 1 : 2];
	return host_choose(e, v, spans, args->span);
}

/* abs, rsqrt and as_if: what the host can say in other operations. */
static const struct value *compose(struct elab *e, enum scalar_fn fn, const struct value *x, struct span at)
{
	if (fn == SC_RSQRT) {
		struct host_expr *root = host_apply(e, HOST_SQRT_OP, HOST_FLOAT, host_of(e, &x->host), NULL, at);
		return value_expr(
			e, host_apply(e, HOST_DIV_OP, HOST_FLOAT, host_of(e, &value_float(e, 1)->host), root, at));
	}
	if (fn == SC_AS_IF)
		return x;
	if (fn != SC_ABS)
		return NULL;
	struct arguments pair = {.span = at};
	arguments_push(e, &pair, NULL, x, at);
	arguments_push(e, &pair, NULL, unary_apply(e, UN_NEG, x, at), at);
	return scalar_on_host(e, SC_MAX, &pair);
}

static const struct value *of_numbers(struct elab *e, enum scalar_fn fn, const struct arguments *args)
{
	const struct value *v[3];
	int n = args->at.n;
	if (n != scalar_arity(fn) || n > 3) {
		elab_error(e, PML0203, args->span, "`%s` takes %d argument%s", scalar_text(fn), scalar_arity(fn),
			   scalar_arity(fn) == 1 ? "" : "s");
		return &value_error;
	}
	if (fn == SC_WHERE)
		return choose(e, args);
	bool known = true, floats = scalar_result_kind(fn) == SCALAR_FLOAT;
	for (int i = 0; i < n; i++) {
		v[i] = args->at.at[i].value;
		if (!value_is_number(v[i])) {
			if (!value_failed(v[i]))
				elab_error(e, PML0204, args->at.at[i].span, "`%s` takes numbers, this is %s",
					   scalar_text(fn), value_describe(e, v[i]));
			return &value_error;
		}
		known = known && v[i]->host.known;
		floats = floats || v[i]->host.type == HOST_FLOAT;
	}
	if (floats && scalar_is_of_ints(fn)) {
		elab_error(e, PML0204, args->span, "`%s` takes ints, not floats", scalar_text(fn));
		return &value_error;
	}
	for (int i = 0; i < n && floats; i++)
		v[i] = host_to_float(e, v[i]);
	if (known && !floats && (fn == SC_ABS || fn == SC_NEG) && v[0]->host.i == INT64_MIN)
		return elab_int_overflow(e, args->span, scalar_text(fn), v[0]->host.i, NULL);
	if (known && fn == SC_LEFT_SHIFT && loses_bits(v[0]->host.i, v[1]->host.i))
		return elab_int_overflow(e, args->span, scalar_text(fn), v[0]->host.i, &v[1]->host.i);
	if (known)
		return compute(e, fn, n, v, floats);
	enum host_op op;
	const struct value *composed = compose(e, fn, v[0], args->span);
	if (composed)
		return composed;
	bool is_call = fn != SC_NEG && fn != SC_CAST; /* which programs write otherwise */
	if (!is_call || !host_op_of_function(fn, &op))
		return elab_unsupported(e, args->span,
					arena_printf(e->a, "`%s` of a number of the running program", scalar_text(fn)));
	return value_expr(e, host_apply(e, op, floats ? HOST_FLOAT : HOST_INT, host_of(e, &v[0]->host),
					n > 1 ? host_of(e, &v[1]->host) : NULL, args->span));
}

const struct value *scalar_on_host(struct elab *e, enum scalar_fn fn, const struct arguments *args)
{
	const struct value *r = of_numbers(e, fn, args), *of[3];
	for (int i = 0; i < args->at.n && i < 3; i++)
		of[i] = args->at.at[i].value;
	return host_typed_like(e, r, args->at.n < 3 ? args->at.n : 3, of);
}
