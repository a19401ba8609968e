/* struct.c — params and states of a struct type: one slot per field, named "block.w", with the struct's sizes, element
 * types and placements bound from the type's arguments. An instance is a value that functions take and index by field.
 */
#include "slots.h"
#include "../values/values.h"

/* Binds the struct's generics in the current scope; args are evaluated before, where the type stands. */
static void bind_generics(struct elab *e, const struct item *s, const struct value *const *args)
{
	for (int i = 0; i < s->generics.n; i++)
		env_bind(e, s->generics.at[i].name, BIND_LET, args[i]);
}

/* What `Net(w = a)` or `Net[4](a)` gives to field i; NULL: nothing. False: x is another expression. */
static bool written_for(const struct item *s, const struct expr *x, int i, const struct expr **out)
{
	const struct expr *of = x->kind == EXPR_CALL ? x->callee : NULL;
	of = of && of->kind == EXPR_INDEX ? of->callee : of;
	*out = NULL;
	if (!of || of->item != s)
		return false;
	for (int k = 0; k < x->args.n; k++) {
		const struct arg *a = &x->args.at[k];
		if (a->name.text ? a->name.text == s->params.at[i].name.text : k == i)
			*out = a->value;
	}
	return true;
}

/* Every argument is that of a field. */
static bool check_written(struct elab *e, const struct item *s, const struct expr *x)
{
	for (int k = 0; k < x->args.n; k++) {
		const struct arg *a = &x->args.at[k];
		if (a->name.text ? param_named(s->params.at, s->params.n, a->name.text) >= 0 : k < s->params.n)
			continue;
		struct diag *d = elab_error(e, PML0203, a->span, "`%s` has no such field", s->name.text);
		diag_note(d, "its fields are %s", param_names(e, s->params.at, s->params.n));
		return false;
	}
	return true;
}

/* The initial value of field i: as the declaration of the whole says, `param net : Net = Net(w = ones())`, where it
 * stands in module *m, else its own. */
static const struct expr *initial_of(struct elab *e, const struct item *s, const struct expr *init, int i,
				     struct module **m)
{
	const struct expr *x = NULL;
	if (!init || (written_for(s, init, i, &x) && !x)) {
		*m = NULL;
		return s->params.at[i].init;
	}
	if (x)
		return x;
	struct expr *field = ARENA_NEW(e->a, struct expr);
	*field = (struct expr){.kind = EXPR_FIELD, .span = init->span};
	field->name = (struct name){s->params.at[i].name.text, init->span};
	field->object = (struct expr *)init;
	return field;
}

const struct value *struct_declare(struct elab *e, const struct type *t, enum slot_class class, const char *name,
				   struct span at, const struct expr *init, struct module *m)
{
	struct item *s = t->item;
	struct value *out = value_new(e, VALUE_STRUCT);
	out->object.item = s;
	if (!struct_arguments(e, s, t->args.n, t->args.at, t->span, out))
		return &value_error;
	/* Placements that are left out: where params without one are. */
	open_arguments(e, t, s->generics.n - out->object.args.n);
	while (out->object.args.n < s->generics.n)
		vec_push(e->a, &out->object.args, value_place(e, e->fallback_place));
	const struct expr *first;
	if (init && written_for(s, init, 0, &first) && !check_written(e, s, init))
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
		struct module *of = m;
		const struct expr *x = initial_of(e, s, init, i, &of);
		struct struct_field f = {
			p->name.text,
			slot_declare(e, p->type, class, elab_intern(e, "%s.%s", name, p->name.text), at, x, of)};
		ok = ok && !value_failed(f.value);
		vec_push(e->a, &out->object.fields, f);
	}
	e->scope = scope;
	e->module = module;
	e->frame = frame.outer;
	return ok ? out : &value_error;
}
