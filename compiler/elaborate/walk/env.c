/* env.c — names in scope. Scopes nest within a function; an inlined function starts with none, so that it sees its
 * parameters and the items of its module only. */
#include "elab.h"

void env_push(struct elab *e)
{
	struct scope *s = ARENA_NEW(e->a, struct scope);
	s->outer = e->scope;
	e->scope = s;
}

void env_pop(struct elab *e)
{
	e->scope = e->scope->outer;
}

struct binding *env_bind(struct elab *e, struct name name, enum binding_kind kind, const struct value *v)
{
	struct binding *b = ARENA_NEW(e->a, struct binding);
	*b = (struct binding){.name = name.text,
			      .span = name.span,
			      .kind = kind,
			      .value = v,
			      .code = e->code,
			      .micro = e->micro,
			      .next = e->scope->bindings};
	e->scope->bindings = b;
	return b;
}

struct binding *env_find(struct elab *e, const char *name)
{
	for (struct scope *s = e->scope; s; s = s->outer)
		for (struct binding *b = s->bindings; b; b = b->next)
			if (b->name == name)
				return b;
	return NULL;
}

bool elab_may_never_come(const struct elab *e)
{
	if (e->guard)
		return true;
	for (const struct frame *f = e->frame; f; f = f->outer)
		for (const struct loop_walk *l = f->loop; l; l = l->outer)
			if (l->done >= 0 && l->turns > 1)
				return true;
	return false;
}

struct binding *env_hidden(struct elab *e, const char *name)
{
	return env_find(e, intern(e->s->names, name));
}
