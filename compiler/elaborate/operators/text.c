/* text.c — `text[i]`: a byte. */
#include "operators.h"

const struct value *text_index(struct elab *e, const struct value *text, const struct expr *x)
{
	const struct expr *i = x->args.n == 1 && !x->args.at[0].name.text ? x->args.at[0].value : NULL;
	if (!i || i->kind == EXPR_RANGE) {
		elab_error(e, PML0204, x->span, "one index is needed here: `text[i]` is a byte");
		return &value_error;
	}
	const struct value *v = read_scalar(e, expr_eval(e, i), i->span);
	if (value_failed(v) || v->kind != VALUE_HOST || v->host.type != HOST_INT) {
		if (!value_failed(v))
			elab_error(e, PML0209, i->span, "the number of a byte is an int, this is %s",
				   value_describe(e, v));
		return &value_error;
	}
	struct host_expr *args[3] = {host_of(e, &text->host), host_of(e, &v->host),
				     host_int(e, elab_site_id(e, x->span, "byte of a text"))};
	return host_freeze(e, value_expr(e, host_call(e, "text_byte", HOST_INT, x->span, 3, args)), NULL, x->span);
}
