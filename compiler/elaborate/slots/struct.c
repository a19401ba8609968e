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
	if (!struct_arguments(e, s, t->args.n, t->args.at, t->span, out))
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
