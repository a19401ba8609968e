/* mixed.c — `mixed bf16 { … }`: products of f32 that are made in the block, in functions called there too, round their
 * factors (op/narrow.c). Derivatives of what is made there round theirs, wherever the derivative is asked for. */
#include "notation.h"

static bool type_of_head(struct elab *e, const struct arg *type, enum dtype *t)
{
	const struct value *v = expr_eval(e, type->value);
	if (value_failed(v))
		return false;
	*t = v->kind == VALUE_DTYPE ? v->dtype : DT_COUNT;
	if (*t == DT_BF16 || *t == DT_F16 || *t == DT_F32)
		return true;
	struct diag *d = elab_error(e, PML0209, type->span,
				    "`mixed` takes the element type of a product's factors: bf16, f16, or f32 as they are");
	diag_help(d, "write `mixed bf16 { ... }`");
	return false;
}

const struct value *expr_mixed(struct elab *e, const struct expr *x)
{
	enum dtype outside = e->factors;
	if (!type_of_head(e, &x->block.args.at[0], &e->factors)) {
		e->factors = outside;
		return &value_error;
	}
	const struct value *v = block_value(e, x->block.body->body);
	e->factors = outside;
	return v;
}
