/* division.c — quotients of ints: rounded down where the program says so, refused where an element type would round. */
#include "operators.h"

void elab_int_quotient(struct elab *e, struct span at, enum dtype t, const struct span *left, const struct span *right)
{
	struct diag *d =
		elab_error(e, PML0202, at, "`/` does not round, and a quotient of `%s` elements is not one of them",
			   dtype_text(t));
	diag_help(d, "`floor_div(a, b)` rounds down; for the quotient as it is, convert: `as f32`");
	if (left)
		elab_edit_as(e, d, *left, DT_F32);
	if (right)
		elab_edit_as(e, d, *right, DT_F32);
}

static bool is_int(struct elab *e, const struct value *v, struct span at)
{
	bool is_tensor = value_is_tensor(v), is_float = is_tensor && dtype_is_float(tensor_dtype(e, v));
	if (value_failed(v) || (is_tensor && !is_float) || (v->kind == VALUE_HOST && v->host.type == HOST_INT))
		return !value_failed(v);
	struct diag *d = elab_error(e, PML0209, at, "`floor_div` takes ints, this is %s", value_describe(e, v));
	if (!elab_help_whole(e, d, v, at) && (is_float || (v->kind == VALUE_HOST && v->host.type == HOST_FLOAT)))
		diag_help(d, "of floats it is `floor(a / b)`");
	return false;
}

const struct value *int_floor_div(struct elab *e, const struct value *a, const struct value *b, struct span at,
				  struct span a_at, struct span b_at)
{
	if (!is_int(e, a, a_at) || !is_int(e, b, b_at))
		return &value_error;
	if (value_is_known(b) && b->host.i == 0) {
		elab_zero_division(e, at);
		return &value_error;
	}
	if (value_is_tensor(a) || value_is_tensor(b)) {
		const struct value *pair[] = {a, b};
		struct span spans[] = {at, at};
		return call_prelude(e, "floor_divide", at, 2, pair, spans);
	}
	if (a->host.known && b->host.known && a->host.i == INT64_MIN && b->host.i == -1)
		return elab_int_overflow(e, at, "floor_div", a->host.i, &b->host.i);
	if (a->host.known && b->host.known) {
		int64_t q = a->host.i / b->host.i;
		return value_int(e, q - (a->host.i % b->host.i != 0 && (a->host.i < 0) != (b->host.i < 0)));
	}
	return value_expr(e,
			  host_apply(e, HOST_FLOOR_DIV_OP, HOST_INT, host_of(e, &a->host), host_of(e, &b->host), at));
}
