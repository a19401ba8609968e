/* search_text.c — see search_text.h. Edits at positions of the source, of which none but an `auto` replaces anything.
 */
#include "search_text.h"

#include <inttypes.h>
#include <string.h>

struct edit {
	uint32_t begin, end;
	const char *text;
	uint32_t inner; /* of edits at one position those of inner expressions come first */
};

struct writer {
	struct arena *arena;
	const struct source *source;
	VEC(struct edit) edits;
};

static void add(struct writer *w, uint32_t begin, uint32_t end, const char *text, uint32_t inner)
{
	vec_push(w->arena, &w->edits, ((struct edit){begin, end, text, inner}));
}

static bool is_before(const struct edit *a, const struct edit *b)
{
	return a->begin != b->begin ? a->begin < b->begin : a->inner < b->inner;
}

static struct file_text apply(struct writer *w)
{
	struct text t;
	uint32_t at = 0;
	text_init(&t, w->arena);
	for (int i = 1; i < w->edits.n; i++)
		for (int k = i; k > 0 && is_before(&w->edits.at[k], &w->edits.at[k - 1]); k--) {
			struct edit e = w->edits.at[k];
			w->edits.at[k] = w->edits.at[k - 1];
			w->edits.at[k - 1] = e;
		}
	for (int i = 0; i < w->edits.n; i++) {
		const struct edit *e = &w->edits.at[i];
		text_add_n(&t, w->source->bytes + at, e->begin - at);
		text_add(&t, e->text);
		at = e->end;
	}
	text_add_n(&t, w->source->bytes + at, w->source->size - at);
	return (struct file_text){w->source->path, text_get(&t), t.n};
}

/* ---- moves ---- */

/* Whether the expression stands in parentheses of its own. */
static bool is_enclosed(const struct writer *w, struct span at)
{
	uint32_t begin = at.begin, end = at.end;
	while (begin > 0 && strchr(" \t\n", w->source->bytes[begin - 1]))
		begin--;
	while (end < w->source->size && strchr(" \t\n", w->source->bytes[end]))
		end++;
	return begin > 0 && end < w->source->size && w->source->bytes[begin - 1] == '(' && w->source->bytes[end] == ')';
}

/* `to` binds weaker than all operations, and so stands behind all of an expression but another one of its kind. */
static bool binds_weaker(const struct writer *w, struct span at)
{
	for (uint32_t i = at.begin; i + 1 < at.end; i++) {
		const char *c = w->source->bytes + i;
		if (!strncmp(c, " to ", 4) || !strncmp(c, "=>", 2))
			return true;
	}
	return false;
}

static void add_move(struct writer *w, const struct open_layout *o, const char *layout)
{
	const char *to = !o->is_data ? arena_printf(w->arena, " to %s", layout)
				     : arena_printf(w->arena, " to @%s : %s", o->place->name, layout);
	bool operand = o->kind == OPEN_OPERAND && !is_enclosed(w, o->span), whole = binds_weaker(w, o->span);
	uint32_t width = o->span.end - o->span.begin;
	if (operand)
		add(w, o->span.begin, o->span.begin, "(", UINT32_MAX - width);
	if (whole)
		add(w, o->span.begin, o->span.begin, "(", UINT32_MAX - width + 1);
	add(w, o->span.end, o->span.end, arena_printf(w->arena, "%s%s%s", whole ? ")" : "", to, operand ? ")" : ""),
	    width);
}

/* ---- the placement ---- */

/* In front of what uses it first, with its comments. */
static uint32_t begin_of_items(const struct writer *w, const struct program_ast *ast)
{
	uint32_t at = w->source->size;
	for (int i = 0; i < ast->main->items.n; i++) {
		const struct item *it = ast->main->items.at[i];
		bool uses = it->kind != ITEM_IMPORT && it->kind != ITEM_CONST && it->kind != ITEM_CONFIG;
		if (uses && it->span.begin < at)
			at = it->span.begin;
	}
	while (at > 0 && w->source->bytes[at - 1] != '\n')
		at--;
	for (;;) { /* comments in front of it are about it */
		uint32_t line = at;
		while (line > 0 && (line == at || w->source->bytes[line - 1] != '\n'))
			line--;
		if (line == at || strncmp(w->source->bytes + line, "//", 2))
			return at;
		at = line;
	}
}

static void add_place(struct writer *w, const struct program_ast *ast, const struct place *p)
{
	struct text t;
	uint32_t at = begin_of_items(w, ast);
	text_init(&t, w->arena);
	text_printf(&t, "place %s = ranks(0..%" PRId64 ")", p->name, p->count);
	for (int a = 0; a < p->naxes && *p->axis[0]; a++)
		text_printf(&t, "%s%s = %" PRId64, a ? ", " : " as (", p->axis[a], p->extent[a]);
	text_add(&t, *p->axis[0] ? ");\n\n" : ";\n\n");
	add(w, at, at, text_get(&t), 0);
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
	struct writer w = {.arena = a, .source = &p->session->sources.at[ast->main->file]};
	const struct place *opened = NULL;
	for (int i = 0; i < search_opens(x); i++) {
		const struct open_layout *o = search_open(x, i);
		const char *layout = search_layout_text(a, x, plan, i);
		switch (o->kind) {
		case OPEN_WRITTEN:
			add(&w, o->span.begin, o->span.end, layout, 0);
			break;
		case OPEN_TYPE:
			opened = o->place;
			add(&w, o->span.begin, o->span.end,
			    arena_printf(a, strcmp(layout, "B") ? " @ %s : %s" : " @ %s", o->place->name, layout), 0);
			break;
		case OPEN_MOVE:
		case OPEN_OPERAND:
			if (plan->moves[i])
				add_move(&w, o, layout);
			break;
		}
	}
	if (opened)
		add_place(&w, ast, opened);
	return apply(&w);
}
