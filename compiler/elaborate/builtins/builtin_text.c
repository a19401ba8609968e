/* builtin_text.c — texts by their bytes: length(text), char(byte), text[i]; lengths of lists, tuples and shapes. */
#include "builtin.h"
#include "../region/region.h"
#include "../values/values.h"

#include <string.h>

const struct value *builtin_length(struct elab *e, struct arguments *args)
{
	const struct argument *a = builtin_need(e, args, BUILTIN_length, "text");
	if (!a || !builtin_done(e, args, BUILTIN_length) || value_failed(a->value))
		return &value_error;
	const struct value *v = a->value;
	if (v->kind == VALUE_LIST || v->kind == VALUE_TUPLE)
		return value_int(e, v->items.n);
	if (v->kind == VALUE_SHAPE)
		return value_int(e, v->shape.rank);
	if (v->kind != VALUE_HOST || v->host.type != HOST_TEXT) {
		struct diag *d = elab_error(e, PML0209, a->span,
					    "`length` takes a string, a list, a tuple or a shape, this is %s",
					    value_describe(e, v));
		if (value_is_tensor(v))
			diag_help(d, "sizes of a tensor are its shape, `x.shape[0]`; `volume(x)` counts its elements");
		else if (v->kind == VALUE_GRADIENT)
			diag_help(d, "a gradient has what the params it is by have: `length` of the list of params");
		else if (v->kind == VALUE_DATASET)
			diag_help(d, "how many rows a dataset has is `data.rows(d)`");
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

/* ---- format ---- */

/* The text of a number, or the text itself. NULL after an error. */
static struct host_expr *plain_text(struct elab *e, const struct value *v, struct span at)
{
	const char *text = value_static_text(e, v);
	if (text)
		return host_text(e, text);
	if (v->kind == VALUE_HOST && v->host.type == HOST_TEXT)
		return host_of(e, &v->host);
	if (v->kind == VALUE_HOST && v->host.type == HOST_BOOL)
		return host_text_of_bool(e, host_of(e, &v->host));
	if (value_is_number(v)) {
		struct host_expr *x = host_of(e, &v->host);
		return host_call(e, v->host.type == HOST_INT ? "text_of_int" : "text_of_float", HOST_TEXT, at, 1, &x);
	}
	if (!value_failed(v))
		elab_error(e, PML0209, at, "`format` takes a number, bool or string, this is %s", value_describe(e, v));
	return NULL;
}

/* A number with a count of digits. NULL after an error. */
static struct host_expr *with_digits(struct elab *e, const struct value *v, const struct digits *d,
				     struct host_expr *site, struct span at)
{
	v = host_to_float(e, v);
	if (value_is_number(v)) {
		struct host_expr *args[3] = {host_of(e, &v->host), host_of(e, &d->count->host), site};
		return host_call(e, d->behind_point ? "text_fixed" : "text_significant", HOST_TEXT, at, 3, args);
	}
	if (!value_failed(v)) {
		struct diag *said =
			elab_error(e, PML0209, at, "only numbers have digits, this is %s", value_describe(e, v));
		if (value_is_tensor(v) || value_is_composed(v))
			diag_help(said, "`print(x, digits = 3)` shows all floats of its line with so many");
	}
	return NULL;
}

const struct value *builtin_format(struct elab *e, struct arguments *args)
{
	struct digits digits;
	const struct value *width, *fill;
	if (!builtin_digits(e, args, BUILTIN_format, &digits) ||
	    !builtin_option(e, args, BUILTIN_format, "width", HOST_INT, &width) ||
	    !builtin_option(e, args, BUILTIN_format, "fill", HOST_TEXT, &fill))
		return &value_error;
	const struct argument *x = builtin_need(e, args, BUILTIN_format, "x");
	if (!x || !builtin_done(e, args, BUILTIN_format))
		return &value_error;
	const struct value *v = read_scalar(e, x->value, x->span);
	const char *known = value_static_text(e, v);
	if (known && !digits.count && !width && !fill)
		return value_text(e, known);
	struct host_expr *site = host_int(e, elab_site_id(e, args->span, "format"));
	struct host_expr *text = digits.count ? with_digits(e, v, &digits, site, x->span) : plain_text(e, v, x->span);
	if (text && (width || fill)) {
		struct host_expr *h[4] = {text, width ? host_of(e, &width->host) : host_int(e, 0),
					  fill ? host_of(e, &fill->host) : host_text(e, " "), site};
		text = host_call(e, "text_pad", HOST_TEXT, args->span, 4, h);
	}
	return text ? host_freeze(e, value_expr(e, text), NULL, args->span) : &value_error;
}
