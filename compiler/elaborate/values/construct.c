/* construct.c — a struct made of values: `Net(w = a, b = c)`, or with its sizes and placements written, `Net[4, 2,
 * all](...)`. Its fields are fitted to their declared types as arguments are to parameters, and bind what the program
 * leaves open. */
#include "values.h"

static bool fits_kind(const struct generic *g, const struct value *v)
{
	if (!g->kind.text)
		return value_is_known(v) && v->host.type == HOST_INT;
	return g->kind.text[0] == 'p' ? v->kind == VALUE_PLACE : v->kind == VALUE_DTYPE;
}

static void error_kind(struct elab *e, const struct item *s, int i, const struct value *v, struct span at)
{
	const struct generic *g = &s->generics.at[i];
	const char *kind = !g->kind.text            ? "a size known when compiling"
			   : g->kind.text[0] == 'p' ? "a placement"
			   : g->kind.text[0] == 'l' ? "a layout"
						    : arena_printf(e->a, "an element type (%s)", g->kind.text);
	struct diag *d = elab_error(e, PML0209, at, "`%s` of `%s` is %s, this is %s", g->name.text, s->name.text, kind,
				    value_describe(e, v));
	diag_label(d, g->name.span, "declared here");
	if (g->kind.text && strcmp(g->kind.text, "int") == 0 && value_is_known(v) && v->host.type == HOST_INT)
		diag_help(d, "a size is declared by its name alone: `%s[%s]`", s->name.text, g->name.text);
}

/* How many arguments have to be said: placements at the end may be left out. */
static int least_args(const struct item *s)
{
	int n = s->generics.n;
	while (n && s->generics.at[n - 1].kind.text && s->generics.at[n - 1].kind.text[0] == 'p')
		n--;
	return n;
}

bool struct_arguments(struct elab *e, const struct item *s, int n, struct expr *const *args, struct span at,
		      struct value *out)
{
	if (n > s->generics.n || n < least_args(s)) {
		struct diag *d = elab_error(e, PML0203, at, "`%s` takes %d argument%s in `[...]`, here are %d",
					    s->name.text, s->generics.n, s->generics.n == 1 ? "" : "s", n);
		diag_label(d, s->name.span, "declared here");
		return false;
	}
	for (int i = 0; i < n; i++) {
		const struct value *v = expr_eval(e, args[i]);
		if (value_failed(v))
			return false;
		if (!fits_kind(&s->generics.at[i], v)) {
			error_kind(e, s, i, v, args[i]->span);
			return false;
		}
		vec_push(e->a, &out->object.args, v);
	}
	return true;
}

const struct value *struct_type(struct elab *e, struct item *s)
{
	struct value *v = value_new(e, VALUE_STRUCT_TYPE);
	v->object.item = s;
	return v;
}

const struct value *struct_type_index(struct elab *e, const struct value *type, const struct expr *x)
{
	VEC(struct expr *) args = {0};
	struct value *v = value_new(e, VALUE_STRUCT_TYPE);
	v->object.item = type->object.item;
	for (int i = 0; i < x->args.n; i++) {
		if (x->args.at[i].name.text || !x->args.at[i].value) {
			elab_error(e, PML0203, x->args.at[i].span,
				   "sizes and placements of `%s` are given in their order",
				   type->object.item->name.text);
			return &value_error;
		}
		vec_push(e->a, &args, x->args.at[i].value);
	}
	return struct_arguments(e, v->object.item, args.n, args.at, x->span, v) ? v : &value_error;
}

/* ---- fields ---- */

/* Fields are given, all of them: initial values are of what is declared, whose name their keys are made from. */
static bool match_fields(struct elab *e, const struct item *s, const struct arguments *args,
			 const struct argument **given)
{
	if (s->params.n && !args->at.n) {
		struct diag *d = elab_error(e, PML0203, args->span, "`%s` is made of its fields: %s", s->name.text,
					    param_names(e, s->params.at, s->params.n));
		diag_label(d, s->name.span, "declared here");
		diag_help(d, "initial values are of what is declared: `param name : %s%s;`", s->name.text,
			  s->generics.n ? "[...]" : "");
		return false;
	}
	struct param *fields = ARENA_ARRAY(e->a, struct param, s->params.n);
	for (int i = 0; i < s->params.n; i++) {
		fields[i] = s->params.at[i];
		fields[i].init = NULL;
	}
	return arguments_match(e, args, s->name.text, "field", fields, s->params.n, given);
}

/* A field that has an element type is a tensor, where a number is given too: so there is a derivative by it. `float`
 * and `int` are numbers of the host. */
static const struct value *as_declared(struct elab *e, const struct type *t, const struct value *v, struct span at)
{
	if (t->kind != TYPE_TENSOR || !value_is_number(v))
		return v;
	enum dtype type = dtype_resolve(e, t);
	return type == DT_COUNT ? &value_error : number_as(e, v, type, at);
}

/* What is on no rank yet comes last: it is brought to where the others are. */
static bool fit_fields(struct elab *e, struct item *s, const struct argument *const *given, struct value *out)
{
	int n = s->params.n, i;
	const struct value **v = ARENA_ARRAY(e->a, const struct value *, n);
	bool *done = ARENA_ARRAY(e->a, bool, n), *late = ARENA_ARRAY(e->a, bool, n), ok = true;
	for (i = 0; i < n; i++)
		late[i] = !value_is_tensor(given[i]->value) || !tensor_place(e, given[i]->value);
	while ((i = next_ready(e, s, done, late)) >= 0) {
		const struct param *p = &s->params.at[i];
		v[i] = unify_value(e, s, p->type, given[i]->value, given[i]->span,
				   arena_printf(e->a, "field `%s` of `%s`", p->name.text, s->name.text));
		v[i] = as_declared(e, p->type, v[i], given[i]->span);
		ok = ok && !value_failed(v[i]);
		done[i] = true;
	}
	for (i = 0; ok && i < n; i++)
		vec_push(e->a, &out->object.fields, ((struct struct_field){s->params.at[i].name.text, v[i]}));
	return ok;
}

/* "Net[3, 2, on](...)": what the fields have told, and the names of what they have not. */
static const char *with_arguments(struct elab *e, const struct item *s)
{
	struct text t;
	text_init(&t, e->a);
	text_printf(&t, "%s[", s->name.text);
	for (int i = 0; i < s->generics.n; i++) {
		const struct binding *b = env_find(e, s->generics.at[i].name.text);
		text_add(&t, i ? ", " : "");
		if (b && value_is_known(b->value))
			text_printf(&t, "%lld", (long long)b->value->host.i);
		else
			text_add(&t, b ? value_static_text(e, b->value) : s->generics.at[i].name.text);
	}
	text_add(&t, "](...)");
	return text_get(&t);
}

/* The sizes and placements, all of which the fields must have told. */
static bool take_arguments(struct elab *e, const struct item *s, struct span at, struct value *out)
{
	for (int i = 0; i < s->generics.n; i++) {
		const struct generic *g = &s->generics.at[i];
		const struct binding *b = env_find(e, g->name.text);
		if (!b) {
			struct diag *d = elab_error(e, PML0209, at, "no field says what `%s` of `%s` is", g->name.text,
						    s->name.text);
			diag_label(d, g->name.span, "declared here");
			diag_help(d, "say it: `%s`", with_arguments(e, s));
			return false;
		}
		vec_push(e->a, &out->object.args, b->value);
	}
	return true;
}

/* Of params and variables as they are now: it does not change with them. */
const struct value *struct_construct(struct elab *e, const struct value *type, const struct arguments *args)
{
	struct item *s = type->object.item;
	const struct argument **given = ARENA_ARRAY(e->a, const struct argument *, s->params.n + 1);
	if (!match_fields(e, s, args, given))
		return &value_error;
	struct value *out = value_new(e, VALUE_STRUCT);
	out->object.item = s;
	struct scope *scope = e->scope;
	struct module *module = e->module;
	e->scope = NULL;
	e->module = s->module;
	env_push(e);
	for (int i = 0; i < type->object.args.n; i++)
		env_bind(e, s->generics.at[i].name, BIND_LET, type->object.args.at[i]);
	bool ok = fit_fields(e, s, given, out) && take_arguments(e, s, args->span, out);
	e->scope = scope;
	e->module = module;
	return ok ? parts_now(e, out, args->span) : &value_error;
}
