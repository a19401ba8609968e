/* search_text.c — see search_text.h. Edits at positions of the source, of which none but an `auto` replaces anything.
 */
#include "search_text.h"

#include "edits.h"

#include <inttypes.h>
#include <string.h>

/* ---- moves ---- */

/* Whether the expression stands in parentheses of its own. */
static bool is_enclosed(const struct edits *w, struct span at)
{
	uint32_t begin = at.begin, end = at.end;
	while (begin > 0 && strchr(" \t\n", w->source->bytes[begin - 1]))
		begin--;
	while (end < w->source->size && strchr(" \t\n", w->source->bytes[end]))
		end++;
	return begin > 0 && end < w->source->size && w->source->bytes[begin - 1] == '(' && w->source->bytes[end] == ')';
}

/* `to` binds weaker than all operations, and so stands behind all of an expression but another one of its kind. */
static bool binds_weaker(const struct edits *w, struct span at)
{
	for (uint32_t i = at.begin; i + 1 < at.end; i++) {
		const char *c = w->source->bytes + i;
		if (!strncmp(c, " to ", 4) || !strncmp(c, "=>", 2))
			return true;
	}
	return false;
}

/* Whether something that is on no rank yet is not moved, since it stays whole. */
static bool leaves_data(const struct search *x, const struct search_plan *plan)
{
	for (int i = 0; i < search_opens(x); i++)
		if (search_open(x, i)->is_data && !plan->moves[i])
			return true;
	return false;
}

static void add_move(struct edits *w, const struct open_layout *o, const char *layout, bool places)
{
	const char *to = !places ? arena_printf(w->arena, " to %s", layout)
				 : arena_printf(w->arena, " to @%s : %s", o->place->name, layout);
	bool operand = o->kind == OPEN_OPERAND && !is_enclosed(w, o->span), whole = binds_weaker(w, o->span);
	uint32_t width = o->span.end - o->span.begin;
	if (operand)
		edits_add(w, o->span.begin, o->span.begin, "(", UINT32_MAX - width);
	if (whole)
		edits_add(w, o->span.begin, o->span.begin, "(", UINT32_MAX - width + 1);
	edits_add(w, o->span.end, o->span.end,
		  arena_printf(w->arena, "%s%s%s", whole ? ")" : "", to, operand ? ")" : ""), width);
}

/* ---- the placement ---- */

/* Instead of what is `auto(...)`, or in front of all items. */
static void add_place(struct edits *w, const struct program_ast *ast, const struct place *p)
{
	const struct item *open = module_open_place(ast->main);
	struct text t;
	uint32_t at = edits_begin_of_items(w, ast->main);
	text_init(&t, w->arena);
	if (open)
		text_add(&t, edits_text_inside(w, open->value->span));
	else
		text_printf(&t, "place %s = ranks(0..%" PRId64 ")", p->name, p->count);
	for (int a = 0; a < p->naxes && *p->axis[0]; a++)
		text_printf(&t, "%s%s = %" PRId64, a ? ", " : " as (", p->axis[a], p->extent[a]);
	text_add(&t, *p->axis[0] ? ")" : "");
	if (open)
		edits_add(w, open->value->span.begin, open->value->span.end, text_get(&t), 0);
	else
		edits_add(w, at, at, arena_printf(w->arena, "%s;\n\n", text_get(&t)), 0);
}

static void add_arguments(struct edits *w, const struct left_out *x)
{
	struct text t;
	text_init(&t, w->arena);
	for (int i = 0; i < x->placements; i++)
		text_printf(&t, "%s%s", i || !x->alone ? ", " : "[", x->place->name);
	text_add(&t, x->alone ? "]" : "");
	edits_add(w, x->behind.begin, x->behind.end, text_get(&t), 0);
}

/* ---- the whole ---- */

const char *search_layout_text(struct arena *a, const struct search *x, const struct search_plan *plan, int open)
{
	struct text t;
	text_init(&t, a);
	layout_print(&t, search_open(x, open)->place, search_layout(x, open, plan->number[open]));
	return text_get(&t);
}

struct file_text search_text(struct arena *a, const struct program_ast *ast, const struct program *p,
			     const struct search *x, const struct search_plan *plan)
{
	struct edits w = {.arena = a, .source = &p->session->sources.at[ast->main->file]};
	const struct place *opened = p->left_out.n ? p->left_out.at[0].place : NULL;
	bool leaves = leaves_data(x, plan);
	for (int i = 0; i < search_opens(x); i++) {
		const struct open_layout *o = search_open(x, i);
		const char *layout = search_layout_text(a, x, plan, i);
		bool places = o->is_data || (o->of_data && leaves);
		switch (o->kind) {
		case OPEN_WRITTEN:
			edits_add(&w, o->span.begin, o->span.end, layout, 0);
			break;
		case OPEN_TYPE:
			opened = o->place;
			edits_add(&w, o->span.begin, o->span.end,
				  arena_printf(a, strcmp(layout, "B") ? " @ %s : %s" : " @ %s", o->place->name, layout),
				  0);
			break;
		case OPEN_MOVE:
		case OPEN_OPERAND:
			if (!plan->moves[i])
				break;
			add_move(&w, o, layout, places);
			opened = places ? o->place : opened;
			break;
		}
	}
	for (int i = 0; i < p->left_out.n; i++)
		add_arguments(&w, &p->left_out.at[i]);
	if (!opened && module_open_place(ast->main))
		opened = search_open(x, 0)->place;
	if (opened)
		add_place(&w, ast, opened);
	return edits_apply(&w);
}
