/* builtin_test.c — checks of the running program: assert, assert_close, assert_equal. */
#include "builtin.h"

#include <string.h>

static const char *source_text(struct elab *e, const struct arguments *args)
{
	const struct source *s = &e->s->sources.at[args->span.file];
	int n = (int)(args->span.end - args->span.begin);
	return arena_printf(e->a, "%.*s", n > 200 ? 200 : n, s->bytes + args->span.begin);
}

static void emit_check(struct elab *e, const struct value *ok, const char *message, struct span at)
{
	struct host_expr *x[3] = {host_of(e, &ok->host), host_text(e, message),
				  host_int(e, elab_site_id(e, at, "assert"))};
	host_eval(e, host_call(e, "check", HOST_VOID, at, 3, x), at);
}

const struct value *builtin_assert(struct elab *e, struct arguments *args)
{
	const struct argument *c = builtin_need(e, args, BUILTIN_assert, "condition");
	const struct argument *message = c ? builtin_take(args, "message") : NULL;
	if (!c || !builtin_done(e, args, BUILTIN_assert))
		return &value_error;
	const struct value *v = c->value;
	if (value_is_tensor(v) && tensor_dtype(e, v) == DT_BOOL && tensor_shape(e, v)->rank)
		v = call_prelude(e, "all_hold", c->span, 1, &v, &c->span);
	v = read_scalar(e, v, c->span);
	if (value_failed(v))
		return v;
	if (v->kind != VALUE_HOST || v->host.type != HOST_BOOL) {
		elab_error(e, PML0501, c->span, "a condition is a bool, this is %s", value_describe(e, v));
		return &value_error;
	}
	const char *text = source_text(e, args);
	if (message && value_is_known(message->value) && message->value->host.type == HOST_TEXT)
		text = message->value->host.text;
	emit_check(e, v, text, args->span);
	return &value_none;
}

/* The worst violation, max(|a - b| - (atol + rtol |b|)), must not be positive. */
const struct value *builtin_assert_close(struct elab *e, struct arguments *args)
{
	const struct argument *pair[2], *tolerance[2];
	const struct value *v[4] = {NULL, NULL, value_float(e, 1e-5), value_float(e, 1e-6)};
	struct span spans[4] = {args->span, args->span, args->span, args->span};
	static const char *const names[] = {"rtol", "atol"};
	struct argument taken[2];
	for (int i = 0; i < 2; i++) {
		tolerance[i] = NULL;
		for (int k = 0; k < args->at.n; k++)
			if (args->at.at[k].name && !strcmp(args->at.at[k].name, names[i]))
				tolerance[i] = builtin_take(args, names[i]);
		if (tolerance[i])
			v[2 + i] = tolerance[i]->value;
	}
	for (int i = 0; i < 2; i++) {
		pair[i] = builtin_need(e, args, BUILTIN_assert_close, i ? "b" : "a");
		if (!pair[i])
			return &value_error;
		taken[i] = *pair[i];
		v[i] = taken[i].value;
		spans[i] = taken[i].span;
	}
	if (!builtin_done(e, args, BUILTIN_assert_close))
		return &value_error;
	const struct value *worst =
		read_scalar(e, call_prelude(e, "worst_violation", args->span, 4, v, spans), args->span);
	if (value_failed(worst))
		return worst;
	worst = host_to_float(e, worst);
	if (worst->kind != VALUE_HOST || worst->host.type != HOST_FLOAT) {
		elab_error(e, PML0204, args->span, "`assert_close` compares floats");
		return &value_error;
	}
	struct host_value zero = {.type = HOST_FLOAT, .known = true};
	struct host_expr *x[4] = {host_of(e, &worst->host), host_of(e, &zero), host_text(e, source_text(e, args)),
				  host_int(e, elab_site_id(e, args->span, "assert_close"))};
	host_eval(e, host_call(e, "check_close", HOST_VOID, args->span, 4, x), args->span);
	return &value_none;
}

const struct value *builtin_assert_equal(struct elab *e, struct arguments *args)
{
	const struct argument *a = builtin_need(e, args, BUILTIN_assert_equal, "a");
	struct argument left = a ? *a : (struct argument){0};
	const struct argument *b = a ? builtin_need(e, args, BUILTIN_assert_equal, "b") : NULL;
	if (!b || !builtin_done(e, args, BUILTIN_assert_equal))
		return &value_error;
	const struct value *v = binary_apply(e, BIN_EQ, left.value, b->value, args->span, left.span, b->span);
	if (value_is_tensor(v) && tensor_shape(e, v)->rank)
		v = call_prelude(e, "all_hold", args->span, 1, &v, &args->span);
	v = read_scalar(e, v, args->span);
	if (!value_failed(v))
		emit_check(e, v, source_text(e, args), args->span);
	return &value_none;
}
