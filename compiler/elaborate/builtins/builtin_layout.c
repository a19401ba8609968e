/* builtin_layout.c — layouts as values: what a `const rows : layout = S(0);` holds and `-D rows=B` replaces. What
 * these give is one atom and stands for itself on any axis of any placement: `(dp=rows, tp=B)`, which is a value, too
 * (values/layouts.c). */
#include "builtin.h"
#include "../values/values.h"

const struct value *builtin_S(struct elab *e, struct arguments *args)
{
	const struct argument *a = builtin_need(e, args, BUILTIN_S, "dim");
	const struct argument *shares = builtin_take(args, "shares");
	if (!a || !builtin_done(e, args, BUILTIN_S))
		return &value_error;
	if (value_is_known(a->value) && a->value->host.type == HOST_INT && a->value->host.i >= -MAX_RANK &&
	    a->value->host.i < MAX_RANK) {
		struct layout_spec l = {.form = LAYOUT_GIVEN, .layout = layout_broadcast()};
		l.layout.atom[0].kind = SHARD_S;
		l.layout.atom[0].dim = (int8_t)a->value->host.i;
		bool good = !shares || shares_of_value(e, shares->value, shares->span, &l.layout.atom[0].shares);
		return good ? value_layout(e, &l) : &value_error;
	}
	elab_error(e, PML0204, a->span, "`S` takes the number of a dimension, known when compiling");
	return &value_error;
}

const struct value *builtin_B(struct elab *e, struct arguments *args)
{
	elab_error(e, PML0208, args->span, "`B` takes no argument");
	return &value_error;
}

/* `sum`, `max`, `min` and `prod` are functions of the prelude here; only their names matter. */
const struct value *builtin_P(struct elab *e, struct arguments *args)
{
	uint8_t combiner;
	const struct argument *a = builtin_need(e, args, BUILTIN_P, "by");
	if (!a || !builtin_done(e, args, BUILTIN_P))
		return &value_error;
	if (a->value->kind != VALUE_FUNCTION) {
		elab_error(e, PML0213, a->span, "a `P` is of sum, max, min or prod, this is %s",
			   value_describe(e, a->value));
		return &value_error;
	}
	struct name name = {a->value->function->name.text, a->span};
	return layout_combiner(e, name, &combiner) ? value_atom(e, SHARD_P, 0, combiner) : &value_error;
}
