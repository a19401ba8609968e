/* staged_types.c — where params and states of a program with stages are, by their types. */
#include "staged_writer.h"

#include <string.h>

void staged_add_generic(struct writer *w, const struct item *it)
{
	uint32_t end = it->name.span.end;
	const char *text = arena_printf(w->arena, "[%s: place]", w->on);
	if (it->generics.n) {
		const struct generic *last = &it->generics.at[it->generics.n - 1];
		end = last->kind.text ? last->kind.span.end : last->name.span.end;
		text = arena_printf(w->arena, ", %s: place", w->on);
	}
	edits_add(w->edits, end, end, text, 0);
}

/* Placements at its end that the type of a struct leaves out. */
static int left_out(const struct type *t)
{
	int n = 0, all = t->item->generics.n;
	while (n < all - t->args.n && t->item->generics.at[all - 1 - n].kind.text &&
	       !strcmp(t->item->generics.at[all - 1 - n].kind.text, "place"))
		n++;
	return n;
}

/* Whether it is what is `auto(...)`. */
static bool names_open(const struct expr *place)
{
	return place && place->kind == EXPR_NAME && place->item && item_is_open_place(place->item);
}

/* Whether a tensor in it does not say on which stage it is, so that a struct that is written needs a parameter for
 * that.
 */
static bool says_nowhere(const struct writer *w, const struct type *t)
{
	if (t->kind == TYPE_ARRAY)
		return says_nowhere(w, t->element);
	for (int i = 0; i < t->members.n; i++)
		if (says_nowhere(w, t->members.at[i]))
			return true;
	for (int i = 0; i < t->args.n; i++)
		if (names_open(t->args.at[i]))
			return true;
	if (t->kind == TYPE_TENSOR)
		return names_open(t->placement) || (!t->placement && !t->layout);
	return t->kind == TYPE_NAMED && t->item && (left_out(t) || staged_adds_generic(w, t->item));
}

bool staged_adds_generic(const struct writer *w, const struct item *it)
{
	bool adds = false;
	for (int i = 0; it->kind == ITEM_STRUCT && chain_writes(w->chain, it->module) && i < it->params.n && !adds; i++)
		adds = says_nowhere(w, it->params.at[i].type);
	return adds;
}

static void add_arguments(struct writer *w, const struct type *t, const char *place)
{
	uint32_t end = t->args.n ? t->args.at[t->args.n - 1]->span.end : t->name.span.end;
	int n = left_out(t) + staged_adds_generic(w, t->item);
	struct text list;
	text_init(&list, w->arena);
	for (int i = 0; i < n; i++)
		text_printf(&list, "%s%s", t->args.n || i ? ", " : "[", place);
	if (n)
		edits_add(w->edits, end, end, arena_printf(w->arena, "%s%s", text_get(&list), t->args.n ? "" : "]"), 0);
}

/* What is on `auto(...)` is there. */
static void put_on(struct writer *w, const struct expr *named, const char *place)
{
	if (names_open(named))
		edits_add(w->edits, named->span.begin, named->span.end, place, 0);
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
		for (int i = 0; i < t->args.n; i++)
			put_on(w, t->args.at[i], place);
		if (t->item)
			add_arguments(w, t, place);
		return;
	case TYPE_TENSOR:
		put_on(w, t->placement, place);
		if (!t->placement && !t->layout)
			edits_add(w->edits, t->span.end, t->span.end, arena_printf(w->arena, " @ %s : auto", place), 0);
		return;
	}
}

void staged_find_structs(struct writer *w, const struct type *t)
{
	if (t->kind == TYPE_ARRAY)
		staged_find_structs(w, t->element);
	for (int i = 0; i < t->members.n; i++)
		staged_find_structs(w, t->members.at[i]);
	if (t->kind != TYPE_NAMED || !t->item || !chain_writes(w->chain, t->item->module))
		return;
	for (int i = 0; i < w->structs.n; i++)
		if (w->structs.at[i] == t->item)
			return;
	vec_push(w->arena, &w->structs, t->item);
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
		if (!is_placed_struct(w, it->params.at[i].type) || !staged_adds_generic(w, it->params.at[i].type->item))
			continue;
		add_arguments(w, it->params.at[i].type, w->on);
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
		edits_add(w->edits, it->type->dims.at[0].span.begin, it->type->dims.at[0].span.begin, "i in 0..", 0);
	staged_put(w, it->type->element,
		   arena_printf(w->arena, "%s[pp = %s(%s)]", staged_name(w, w->grid), staged_name(w, w->stage), index));
}
