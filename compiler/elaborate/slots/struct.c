/* struct.c — params and states of a struct type: one slot per field, named "block.w", with the struct's sizes, element
 * types and placements bound from the type's arguments. An instance is a value that functions take and index by field.
 */
#include "slots.h"

#include <string.h>

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

/* Binds the struct's generics in the current scope; args are evaluated before, where the type stands. */
static bool bind_generics(struct elab *e, const struct item *s, const struct value *const *args)
{
	for (int i = 0; i < s->generics.n; i++)
		env_bind(e, s->generics.at[i].name, BIND_LET, args[i]);
	return true;
}

/* How many arguments have to be said: placements at the end may be left out, and are then where params without one are.
 */
static int least_args(const struct item *s)
{
	int n = s->generics.n;
	while (n && s->generics.at[n - 1].kind.text && s->generics.at[n - 1].kind.text[0] == 'p')
		n--;
	return n;
}

static bool eval_args(struct elab *e, const struct type *t, struct value *out)
{
	const struct item *s = t->item;
	if (t->args.n > s->generics.n || t->args.n < least_args(s)) {
		struct diag *d = elab_error(e, PML0203, t->span, "`%s` takes %d argument%s in `[...]`, here are %d",
					    s->name.text, s->generics.n, s->generics.n == 1 ? "" : "s", t->args.n);
		diag_label(d, s->name.span, "declared here");
		return false;
	}
	for (int i = 0; i < t->args.n; i++) {
		const struct value *v = expr_eval(e, t->args.at[i]);
		if (value_failed(v))
			return false;
		if (!fits_kind(&s->generics.at[i], v)) {
			error_kind(e, s, i, v, t->args.at[i]->span);
			return false;
		}
		vec_push(e->a, &out->object.args, v);
	}
	for (int i = t->args.n; i < s->generics.n; i++)
		vec_push(e->a, &out->object.args, value_place(e, e->fallback_place));
	return true;
}

const struct value *struct_declare(struct elab *e, const struct type *t, enum slot_class class, const char *name,
				   struct span at)
{
	struct item *s = t->item;
	struct value *out = value_new(e, VALUE_STRUCT);
	out->object.item = s;
	for (struct frame *f = e->frame; f; f = f->outer)
		if (f->item == s) {
			elab_error(e, PML0220, t->span, "`%s` contains itself", s->name.text);
			return &value_error;
		}
	if (!eval_args(e, t, out))
		return &value_error;
	struct scope *scope = e->scope;
	struct module *module = e->module;
	struct frame frame = {.outer = e->frame, .item = s};
	e->scope = NULL;
	e->module = s->module;
	e->frame = &frame;
	env_push(e);
	bind_generics(e, s, out->object.args.at);
	bool ok = true;
	for (int i = 0; i < s->params.n; i++) {
		const struct param *p = &s->params.at[i];
		struct struct_field f = {p->name.text,
					 slot_declare(e, p->type, class, elab_intern(e, "%s.%s", name, p->name.text),
						      at, p->init, NULL)};
		ok = ok && !value_failed(f.value);
		vec_push(e->a, &out->object.fields, f);
	}
	e->scope = scope;
	e->module = module;
	e->frame = frame.outer;
	return ok ? out : &value_error;
}
