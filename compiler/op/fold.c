/* fold.c — simpler equals of a node: constants are computed, neutral elements vanish (each function's in its record,
 * scalars/). Keeps derivatives small. Functions of operands that happen to be the same one stay: which layouts an
 * operator takes is read off the body, and must not depend on what it is given. */
#include "scalars/terms.h"

static const struct scalar *fold_constants(struct arena *a, const struct scalar *s)
{
	for (int k = 0; k < 3 && s->arg[k]; k++)
		if (!is_const(s->arg[k]))
			return NULL;
	if (scalar_result_kind(s->fn) == SCALAR_FROM)
		return NULL;
	union scalar_value v = scalar_eval_wide(s, NULL, NULL);
	return dtype_is_float(s->type) ? scalar_float(a, s->type, v.f) : scalar_int(a, s->type, v.i);
}

const struct scalar *scalar_fold(struct arena *a, const struct scalar *s)
{
	const struct scalar_function *f = scalar_functions[s->fn];
	const struct scalar *constant = fold_constants(a, s);
	return constant || !f->fold ? constant : f->fold(a, s);
}
