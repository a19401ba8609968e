/* functions.c — the records by number, and by name. */
#include "function.h"

#include <string.h>

const struct scalar_function *const scalar_functions[SC_FN_COUNT] = {
#define SCALAR(NAME, name) [SC_##NAME] = &scalar_fn_##name,
#include "../scalar.def"
#undef SCALAR
};

const char *function_gives_no(struct arena *a, const struct scalar *s)
{
	return arena_printf(a, "`%s` of %s gives no %s", scalar_text(s->fn), dtype_text(s->arg[0]->type),
			    dtype_text(s->type));
}

int scalar_arity(enum scalar_fn fn)
{
	return scalar_functions[fn]->arity;
}

const char *scalar_text(enum scalar_fn fn)
{
	return fn < SC_FN_COUNT ? scalar_functions[fn]->text : "?";
}

const char *scalar_name(enum scalar_fn fn)
{
	static const char *const names[] = {
#define SCALAR(NAME, name) [SC_##NAME] = #name,
#include "../scalar.def"
#undef SCALAR
	};
	return names[fn];
}

enum scalar_result scalar_result_kind(enum scalar_fn fn)
{
	return scalar_functions[fn]->result;
}

enum dtype scalar_parameter(enum scalar_fn fn)
{
	return scalar_functions[fn]->parameter;
}

enum dtype scalar_drawn(enum scalar_fn fn)
{
	return scalar_functions[fn]->drawn;
}

enum scalar_effort scalar_effort(enum scalar_fn fn)
{
	return scalar_functions[fn]->effort;
}

int scalar_first_value(enum scalar_fn fn)
{
	return scalar_functions[fn]->chooses ? 1 : 0;
}

bool scalar_is_of_bools(enum scalar_fn fn)
{
	return scalar_functions[fn]->bools == BOOLS_ONLY;
}

bool scalar_is_of_ints(enum scalar_fn fn)
{
	const struct scalar_function *f = scalar_functions[fn];
	return f->ints && !f->eval && !f->float1 && !f->float2;
}

enum scalar_fn scalar_fn_of_text(const char *name)
{
	int fn = 0;
	while (fn < SC_FN_COUNT && strcmp(scalar_functions[fn]->text, name))
		fn++;
	return (enum scalar_fn)fn;
}

enum scalar_fn scalar_fn_of_source(const char *name)
{
	enum scalar_fn fn = scalar_fn_of_text(name);
	return fn < SC_FN_COUNT && scalar_functions[fn]->internal ? SC_FN_COUNT : fn;
}
