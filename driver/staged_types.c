/* staged_types.c — where params and states of a program with stages are, by their types. */
#include "staged_writer.h"

void staged_add_generic(struct writer *w, const struct item *it)
{
	uint32_t end = it->name.span.end;
	const char *text = arena_printf(w->edits.arena, "[%s: place]", w->on);
	if (it->generics.n) {
		const struct generic *last = &it->generics.at[it->generics.n - 1];
		end = last->kind.text ? last->kind.span.end : last->name.span.end;
		text = arena_printf(w->edits.arena, ", %s: place", w->on);
	}
	edits_add(&w->edits, end, end, text, 0);
}

static void add_argument(struct writer *w, const struct type *t, const char *place)
{
	uint32_t end = t->args.n ? t->args.at[t->args.n - 1]->span.end : t->name.span.end;
	edits_add(&w->edits, end, end,
		  t->args.n ? arena_printf(w->edits.arena, ", %s", place) : arena_printf(w->edits.arena, "[%s]", place),
		  0);
}

/* Everything in the type is at that place. */
void staged_put(struct writer *w, const struct type *t, const char *place)
{
	switch (t->kind) {
	case TYPE_ARRAY:
		staged_put(w, t->element, place);
		return;
	case TYPE_TUPLE:
		for (int i = 0; i < t->members.n; i++)
			staged_put(w, t->members.at[i], place);
		return;
	case TYPE_NAMED:
		if (t->item)
			add_argument(w, t, place);
		return;
	case TYPE_TENSOR:
		if (!t->placement && !t->layout)
			edits_add(&w->edits, t->span.end, t->span.end,
				  arena_printf(w->edits.arena, " @ %s : auto", place), 0);
		return;
	}
}

void staged_find_structs(struct writer *w, const struct type *t)
{
	if (t->kind == TYPE_ARRAY)
		staged_find_structs(w, t->element);
	for (int i = 0; i < t->members.n; i++)
		staged_find_structs(w, t->members.at[i]);
	if (t->kind != TYPE_NAMED || !t->item || t->item->module != w->module)
		return;
	for (int i = 0; i < w->structs.n; i++)
		if (w->structs.at[i] == t->item)
			return;
	vec_push(w->edits.arena, &w->structs, t->item);
	for (int i = 0; i < t->item->params.n; i++)
		staged_find_structs(w, t->item->params.at[i].type);
}

static bool is_placed_struct(const struct writer *w, const struct type *t)
{
	for (int i = 0; t && t->kind == TYPE_NAMED && i < w->structs.n; i++)
		if (w->structs.at[i] == t->item)
			return true;
	return false;
}

/* Functions that say that a parameter is such a struct take the placement with it. */
void staged_write_function(struct writer *w, const struct item *it)
{
	bool any = false;
	for (int i = 0; i < it->params.n; i++) {
		if (!is_placed_struct(w, it->params.at[i].type))
			continue;
		add_argument(w, it->params.at[i].type, w->on);
		any = true;
	}
	if (any)
		staged_add_generic(w, it);
}

void staged_write_slot(struct writer *w, const struct item *it)
{
	if (!chain_has_list(w->chain, it)) {
		staged_put(w, it->type, staged_home(w, it));
		return;
	}
	const char *index = it->type->index.text ? it->type->index.text : "i";
	if (!it->type->index.text)
		edits_add(&w->edits, it->type->dims.at[0].span.begin, it->type->dims.at[0].span.begin, "i in 0..", 0);
	staged_put(w, it->type->element, arena_printf(w->edits.arena, "%s[pp = %s(%s)]", w->grid, w->stage, index));
}
