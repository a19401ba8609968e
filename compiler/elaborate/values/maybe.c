/* maybe.c — `i?`, indices that may name what is not there, and what is said of the others (region/check.c). */
#include "values.h"

bool value_is_index(struct elab *e, const struct value *v)
{
	if (value_is_tensor(v))
		return dtype_is_int(tensor_dtype(e, v));
	return v->kind == VALUE_HOST && v->host.type == HOST_INT;
}

const struct value *value_that_may_miss(struct elab *e, const struct value *v)
{
	struct value *copy = value_new(e, v->kind);
	*copy = *v;
	copy->may_miss = true;
	return copy;
}

const struct value *expr_maybe(struct elab *e, const struct expr *x)
{
	const struct value *v = expr_eval(e, x->index);
	if (value_is_list(v))
		v = literal_tensor(e, v, literal_natural_type(e, v), x->index->span);
	if (value_failed(v))
		return v;
	if (value_is_index(e, v))
		return value_that_may_miss(e, v);
	struct diag *d =
		elab_error(e, PML0204, x->span, "`?` stands behind an index, an int or a tensor of ints; this is %s",
			   value_describe(e, v));
	diag_note(d, "`x[i?]` leaves out what `i` names outside of `x`");
	return &value_error;
}

const char *check_range(struct elab *e, const char *of, int dim, int64_t extent)
{
	const char *op = e->op_call ? e->op_call->function : NULL;
	const char *function = elab_in_library(e) || !of ? elab_called(e, op) : NULL;
	if (function && extent > 0)
		return arena_printf(e->a, "`%s` takes 0 to %lld", function, (long long)extent - 1);
	const char *every = of ? strstr(of, ".*") : NULL; /* a list of params, as one tensor: `blocks.*.w` */
	if (every && dim == 0)
		return arena_printf(e->a, "`%.*s` has %lld elements", (int)(every - of), of, (long long)extent);
	if (of && !every)
		return arena_printf(e->a, "dimension %d of `%s` has %lld elements", dim, of, (long long)extent);
	return arena_printf(e->a, "dimension %d has %lld elements", dim, (long long)extent);
}
