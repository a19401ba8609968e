/* staged_loops.c — loops over layers, whose turns are dealt out to stages, and what these are brought. */
#include "staged_writer.h"

#include <string.h>

static bool is_at_home(const struct writer *w, const struct chain_use *u)
{
	return u->slot && u->where == CHAIN_BEHIND && staged_is_last(w, u->slot);
}

static bool is_first_of_its_name(const struct chain *c, int use)
{
	const struct chain_use *u = &c->uses.at[use];
	for (int i = 0; i < use; i++)
		if (!strcmp(c->uses.at[i].name, u->name) && c->uses.at[i].loop == u->loop &&
		    c->uses.at[i].function == u->function)
			return false;
	return true;
}

/* What a stage is brought: "start_here" in a turn, "table_last" behind the layers. */
static const char *name_there(const struct writer *w, const struct chain_use *u)
{
	return staged_free_name(w->arena, w->chain,
				arena_printf(w->arena, "%s_%s", u->name, u->loop ? "here" : "last"));
}

/* Behind the last loop of the function, or in front of all if it has none. */
static void insert_behind_layers(struct writer *w, const struct item *function, const char *text)
{
	const struct stmt *last = NULL;
	for (int i = 0; i < w->chain->loops.n; i++)
		if (w->chain->loops.at[i]->function == function)
			last = w->chain->loops.at[i]->loop;
	if (last)
		staged_behind(w->edits, last, text);
	else if (stmt_first(function->body))
		staged_before(w->edits, stmt_first(function->body), text);
}

/* Where the layers of the loop's turn are, or those of its piece. */
static const char *place_of_turn(struct writer *w, const struct chain_loop *l)
{
	struct arena *a = w->arena;
	const char *grid = staged_name(w, w->grid);
	if (w->stages->by_layer)
		return arena_printf(a, "%s[pp = %s(%s)]", grid, staged_name(w, w->stage), l->turn);
	return w->stages->turns > 1 ? arena_printf(a, "%s[pp = %s %% %d]", grid, w->piece, w->stages->count)
				    : arena_printf(a, "%s[pp = %s]", grid, w->piece);
}

void staged_write_uses(struct writer *w)
{
	struct arena *a = w->arena;
	for (int i = 0; i < w->chain->uses.n; i++) {
		const struct chain_use *u = &w->chain->uses.at[i];
		if (is_at_home(w, u))
			continue;
		staged_enter(w, u->function->module);
		const char *name = name_there(w, u);
		edits_add(w->edits, u->span.begin, u->span.end, name, 0);
		if (!u->loop && is_first_of_its_name(w->chain, i))
			insert_behind_layers(w, u->function,
					     arena_printf(a, "let %s = %s to @%s : auto;", name,
							  edits_text(w->edits, u->span), staged_last(w)));
	}
}

/* What is brought to the layers of a turn or piece: what the loop reads from outside, and what it carries. */
static void add_brought(struct writer *w, const struct chain_loop *l, const char *gap, struct text *t)
{
	const char *place = place_of_turn(w, l);
	for (int i = 0; i < w->chain->uses.n; i++) {
		const struct chain_use *u = &w->chain->uses.at[i];
		if (u->loop == l && !is_at_home(w, u) && is_first_of_its_name(w->chain, i))
			text_printf(t, "let %s = %s to @%s : auto;%s", name_there(w, u), edits_text(w->edits, u->span),
				    place, gap);
	}
	for (int i = 0; i < l->carried.n; i++)
		text_printf(t, "%s = %s to @%s : auto;%s", l->carried.at[i], l->carried.at[i], place, gap);
}

/* Lines of the loop behind its first stand deeper. */
static void indent(struct edits *w, struct span at)
{
	for (uint32_t i = at.begin; i < at.end; i++)
		if (w->source->bytes[i] == '\n' && w->source->bytes[i + 1] != '\n')
			edits_add(w, i + 1, i + 1, "    ", 0);
}

static bool is_text_of(const struct edits *w, struct span a, struct span b)
{
	return a.file == b.file && a.end - a.begin == b.end - b.begin &&
	       !memcmp(w->source->bytes + a.begin, w->source->bytes + b.begin, a.end - a.begin);
}

/* Whether the loop ends where all lists do, as far as the text says. */
static bool ends_with_lists(const struct writer *w, const struct chain_loop *l)
{
	bool all = true;
	for (int i = 0; all && i < w->chain->lists.n; i++) {
		const struct type *t = w->chain->lists.at[i]->type;
		const struct expr *n = t->dims.n == 1 ? t->dims.at[0].expr : NULL;
		n = n && n->kind == EXPR_RANGE ? n->rhs : n;
		all = n && is_text_of(w->edits, n->span, l->loop->value->rhs->span);
	}
	return all;
}

/* `for i in a..b { … }` as a loop over the pieces around one over the layers of each. */
void staged_write_loop(struct writer *w, const struct chain_loop *l)
{
	struct arena *a = w->arena;
	struct span at = l->loop->span, from = l->loop->value->lhs->span, to = l->loop->value->rhs->span;
	const struct stmt *first = stmt_first(l->loop->body);
	struct text t;
	text_init(&t, a);
	staged_enter(w, l->function->module);
	if (w->stages->by_layer) {
		const char *gap = first ? staged_gap(w->edits, first->span.begin) : " ";
		add_brought(w, l, gap, &t);
		if (first)
			edits_add(w->edits, first->span.begin, first->span.begin, text_get(&t), 0);
		return;
	}
	const char *outer = staged_gap(w->edits, at.begin);
	const char *gap = *outer == '\n' ? arena_printf(a, "%s    ", outer) : outer;
	bool is_all = l->loop->value->lhs->kind == EXPR_INT && l->loop->value->lhs->i == 0;
	const char *first_of = staged_name(w, w->first);
	text_printf(&t, "for %s in 0..%s {%s", w->piece, staged_name(w, w->pieces), gap);
	add_brought(w, l, gap, &t);
	if (*outer == '\n')
		indent(w->edits, at);
	edits_add(w->edits, at.begin, at.begin, text_get(&t), 0);
	edits_add(w->edits, from.begin, from.end,
		  is_all ? arena_printf(a, "%s(%s)", first_of, w->piece)
			 : arena_printf(a, "max(%s, %s(%s))", edits_text(w->edits, from), first_of, w->piece),
		  0);
	edits_add(w->edits, to.begin, to.end,
		  ends_with_lists(w, l)
			  ? arena_printf(a, "%s(%s + 1)", first_of, w->piece)
			  : arena_printf(a, "min(%s, %s(%s + 1))", edits_text(w->edits, to), first_of, w->piece),
		  0);
	edits_add(w->edits, at.end, at.end, arena_printf(a, "%s}", outer), 0);
}
