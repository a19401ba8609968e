/* builtin_text.c — texts by their bytes: length(text), char(byte), text[i]. */
#include "builtin.h"

#include <string.h>

const struct value *builtin_length(struct elab *e, struct arguments *args)
{
	const struct argument *a = builtin_need(e, args, BUILTIN_length, "text");
	if (!a || !builtin_done(e, args, BUILTIN_length) || value_failed(a->value))
		return &value_error;
	const struct value *v = a->value;
	if (v->kind != VALUE_HOST || v->host.type != HOST_TEXT) {
		struct diag *d =
			elab_error(e, PML0209, a->span, "`length` takes a string, this is %s", value_describe(e, v));
		if (value_is_tensor(v))
			diag_help(d, "sizes of a tensor are its shape, `x.shape[0]`; `volume(x)` counts its elements");
		return &value_error;
	}
	if (v->host.known)
		return value_int(e, (int64_t)strlen(v->host.text));
	struct host_expr *x = host_of(e, &v->host);
	return value_expr(e, host_call(e, "text_length", HOST_INT, args->span, 1, &x));
}

static const struct value *int_argument(struct elab *e, const struct value *v, struct span at, const char *what)
{
	v = read_scalar(e, v, at);
	if (v->kind == VALUE_HOST && v->host.type == HOST_INT)
		return v;
	if (!value_failed(v))
		elab_error(e, PML0209, at, "%s is an int, this is %s", what, value_describe(e, v));
	return NULL;
}

const struct value *builtin_char(struct elab *e, struct arguments *args)
{
	const struct argument *a = builtin_need(e, args, BUILTIN_char, "byte");
	const struct value *v =
		a && builtin_done(e, args, BUILTIN_char) ? int_argument(e, a->value, a->span, "a byte") : NULL;
	if (!v)
		return &value_error;
	struct host_expr *x[2] = {host_of(e, &v->host), host_int(e, elab_site_id(e, args->span, "char"))};
	return value_expr(e, host_call(e, "text_char", HOST_TEXT, args->span, 2, x));
}

const struct value *text_index(struct elab *e, const struct value *text, const struct expr *x)
{
	const struct expr *i = x->args.n == 1 && !x->args.at[0].name.text ? x->args.at[0].value : NULL;
	if (!i || i->kind == EXPR_RANGE) {
		elab_error(e, PML0204, x->span, "one index is needed here: `text[i]` is a byte");
		return &value_error;
	}
	const struct value *v = int_argument(e, expr_eval(e, i), i->span, "the number of a byte");
	if (!v)
		return &value_error;
	struct host_expr *args[3] = {host_of(e, &text->host), host_of(e, &v->host),
				     host_int(e, elab_site_id(e, x->span, "byte of a text"))};
	return host_freeze(e, value_expr(e, host_call(e, "text_byte", HOST_INT, x->span, 3, args)), NULL, x->span);
}
