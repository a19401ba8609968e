/* builtin.c — the table of built-in functions, and taking their arguments. */
#include "builtin.h"
#include "../region/region.h"
#include "../values/values.h"

#include <string.h>

static const char *const names[] = {
#define BUILTIN(name, call, doc) #name,
#include "builtin.def"
#undef BUILTIN
};

static const char *const descriptions[] = {
#define BUILTIN(name, call, doc) "`" call "`: " doc,
#include "builtin.def"
#undef BUILTIN
};

typedef const struct value *builtin_fn(struct elab *e, struct arguments *args);
static builtin_fn *const functions[] = {
#define BUILTIN(name, call, doc) builtin_##name,
#include "builtin.def"
#undef BUILTIN
};

int builtin_find(const char *name)
{
	for (int i = 0; i < BUILTIN_COUNT; i++)
		if (strcmp(names[i], name) == 0)
			return i;
	return -1;
}

const char *builtin_name(int b)
{
	return names[b];
}

const char *builtin_describe(int b)
{
	return descriptions[b];
}

const struct value *builtin_call(struct elab *e, int b, struct arguments *args)
{
	return functions[b](e, args);
}

const struct argument *builtin_take(struct arguments *args, const char *name)
{
	for (int pass = 0; pass < 2; pass++)
		for (int i = 0; i < args->at.n; i++) {
			struct argument *a = &args->at.at[i];
			bool wanted = pass == 0 ? name && a->name && strcmp(a->name, name) == 0 : !a->name && a->value;
			if (!wanted || !a->value)
				continue;
			/* Taken: the entry is moved behind the end, so that the rest keeps its order. */
			struct argument taken = *a;
			memmove(a, a + 1, sizeof *a * (size_t)(args->at.n - i - 1));
			args->at.at[--args->at.n] = taken;
			return &args->at.at[args->at.n];
		}
	return NULL;
}

bool builtin_done(struct elab *e, const struct arguments *args, enum builtin b)
{
	static const char *const calls[] = {
#define BUILTIN(name, call, doc) call,
#include "builtin.def"
#undef BUILTIN
	};
	if (!args->at.n)
		return true;
	const struct argument *a = &args->at.at[0];
	struct diag *d = a->name ? argument_unknown(e, a, names[b], "parameter")
				 : elab_error(e, PML0203, a->span, "`%s` has one argument too many", names[b]);
	if (*calls[b])
		diag_help(d, "it is called like this: `%s`", calls[b]);
	return false;
}

const struct argument *builtin_need(struct elab *e, struct arguments *args, enum builtin b, const char *name)
{
	const struct argument *a = builtin_take(args, name);
	if (!a)
		elab_error(e, PML0203, args->span, "`%s` needs its argument `%s`", names[b], name);
	return a;
}

bool builtin_option(struct elab *e, struct arguments *args, enum builtin b, const char *name, enum host_type t,
		    const struct value **out)
{
	*out = NULL;
	for (int i = 0; i < args->at.n; i++) {
		const struct argument *a = &args->at.at[i];
		if (!a->name || strcmp(a->name, name) != 0)
			continue;
		struct span at = a->span;
		const struct value *v = read_scalar(e, builtin_take(args, name)->value, at);
		if (value_failed(v))
			return false;
		if (v->kind != VALUE_HOST || v->host.type != t) {
			elab_error(e, PML0209, at, "`%s` of `%s` is %s, this is %s", name, names[b],
				   t == HOST_INT ? "an int" : "a string", value_describe(e, v));
			return false;
		}
		if (value_is_of_graph(v)) {
			struct diag *d = elab_error(e, PML0411, at,
						    "`%s` of `%s` is one for all turns of a loop in a function that is "
						    "differentiated, this is another one in each",
						    name, names[b]);
			diag_help(d, "give it what the loop does not change: a number, a `const`, a `config`, an "
				     "argument of "
				     "the function");
			return false;
		}
		*out = v;
		return true;
	}
	return true;
}

bool builtin_digits(struct elab *e, struct arguments *args, enum builtin b, struct digits *out)
{
	const struct value *digits, *significant;
	if (!builtin_option(e, args, b, "digits", HOST_INT, &digits) ||
	    !builtin_option(e, args, b, "significant", HOST_INT, &significant))
		return false;
	if (digits && significant) {
		elab_error(e, PML0203, args->span,
			   "`digits` counts those behind the point, `significant` all of them: one is given");
		return false;
	}
	*out = (struct digits){digits ? digits : significant, digits != NULL};
	return true;
}
