/* staged.c — see staged.h. */
#include "staged_writer.h"

#include <inttypes.h>
#include <string.h>

/* ---- where things are ---- */

static const char *number_of_last(const struct writer *w)
{
	return arena_printf(w->edits.arena, "%d", (w->stages->count * w->stages->turns - 1) % w->stages->count);
}

const char *staged_last(const struct writer *w)
{
	return arena_printf(w->edits.arena, "%s[pp = %s]", w->grid, w->last);
}

bool staged_is_last(const struct writer *w, const struct item *slot)
{
	for (int i = 0; i < w->chain->slots.n; i++)
		if (w->chain->slots.at[i].item == slot && w->chain->slots.at[i].where == CHAIN_BEHIND)
			return true;
	return false;
}

const char *staged_home(const struct writer *w, const struct item *slot)
{
	return staged_is_last(w, slot) ? staged_last(w) : arena_printf(w->edits.arena, "%s[pp = 0]", w->grid);
}

static bool is_even(const struct stages *s)
{
	int pieces = s->count * s->turns;
	for (int c = 0; c < pieces; c++)
		if (s->first[c] != (c * s->layers + pieces - 1) / pieces)
			return false;
	return true;
}

static void add_stage_function(const struct writer *w, struct text *t)
{
	const struct stages *s = w->stages;
	int pieces = s->count * s->turns;
	text_printf(t, "fn %s(layer: int) { return ", w->stage);
	if (is_even(s)) {
		const char *pp = arena_printf(w->edits.arena, "%s.pp", w->grid);
		if (s->turns > 1)
			text_printf(t, "floor_div(layer * %s * %d, %d) %% %s", pp, s->turns, s->layers, pp);
		else
			text_printf(t, "floor_div(layer * %s, %d)", pp, s->layers);
	} else {
		for (int c = 0; c + 1 < pieces; c++)
			text_printf(t, "if layer < %d => %d else ", s->first[c + 1], c % s->count);
		text_printf(t, "%d", (pieces - 1) % s->count);
	}
	text_add(t, "; }\n\n");
}

/* Layers that stand side by side on one stage are a piece: the turns of one loop. */
static void add_pieces(const struct writer *w, struct text *t, int pieces, const int *first)
{
	const struct stages *s = w->stages;
	if (s->by_layer)
		return;
	text_printf(t, "const %s : int = %d;\nfn %s(%s: int) { return ", w->pieces, pieces, w->first, w->piece);
	if (pieces == 1)
		text_printf(t, "%s * %d", w->piece, s->layers);
	else if (is_even(s))
		text_printf(t, "floor_div(%s * %d + %d, %d)", w->piece, s->layers, pieces - 1, pieces);
	for (int c = 0; c < pieces && pieces > 1 && !is_even(s); c++)
		text_printf(t, "if %s < %d => %d else ", w->piece, c + 1, first[c]);
	if (pieces > 1 && !is_even(s))
		text_printf(t, "%d", s->layers);
	text_add(t, "; }\n");
}

/* ranks: what comes in front of `as`. */
static void add_place(const struct writer *w, struct text *t, const char *ranks)
{
	static const char *const axes[2][2] = {{"inner", ""}, {"outer", "inner"}};
	const struct stages *s = w->stages;
	text_printf(t, "%s as (pp = %d", ranks, s->count);
	for (int i = 0; i < s->naxes; i++)
		text_printf(t, ", %s = %" PRId64, axes[s->naxes - 1][i], s->extent[i]);
	text_add(t, ")");
}

/* In place of the one that the source has, or in front of all else that is new. */
static void write_place(struct writer *w, struct text *alike, struct text *dealt)
{
	const struct item *open = module_open_place(w->module);
	struct text t;
	int64_t n = w->stages->count;
	for (int i = 0; i < w->stages->naxes; i++)
		n *= w->stages->extent[i];
	text_init(&t, w->edits.arena);
	if (open) {
		struct span at = open->value->span;
		add_place(w, &t, edits_text_inside(&w->edits, at));
		edits_add(&w->edits, at.begin, at.end, text_get(&t), 0);
		return;
	}
	text_printf(&t, "place %s = ", w->grid);
	add_place(w, &t, arena_printf(w->edits.arena, "ranks(0..%" PRId64 ")", n));
	text_add(&t, ";\n");
	text_add(alike, text_get(&t));
	text_add(dealt, text_get(&t));
}

/* The placement and where layers are: all in the first stage, which is the last one too, or dealt out. */
static void write_head(struct writer *w, struct staged *out)
{
	struct text alike, dealt;
	text_init(&alike, w->edits.arena);
	text_init(&dealt, w->edits.arena);
	write_place(w, &alike, &dealt);
	add_pieces(w, &alike, 1, NULL);
	add_pieces(w, &dealt, w->stages->count * w->stages->turns, w->stages->first);
	text_printf(&alike, "const %s : int = 0; fn %s(layer: int) { return %s; }\n\n", w->last, w->stage, w->last);
	add_stage_function(w, &dealt);
	*out = (struct staged){.at = edits_begin_of_items(&w->edits, w->module),
			       .alike_head = text_get(&alike),
			       .head = text_get(&dealt),
			       .alike_last = staged_last(w)};
	w->last = number_of_last(w);
	out->last = staged_last(w);
	edits_add(&w->edits, out->at, out->at, out->alike_head, 0);
}

/* ---- the whole ---- */

struct staged staged_new(struct arena *a, const struct source *source, const struct module *m, const struct chain *c,
			 const struct stages *s)
{
	struct staged out;
	struct writer w = {.edits = {.arena = a, .source = source}, .module = m, .chain = c, .stages = s};
	const struct item *open = module_open_place(m);
	w.grid = open ? open->name.text : staged_free_name(a, m, "grid");
	w.stage = staged_free_name(a, m, "stage");
	w.on = staged_free_name(a, m, "on");
	w.pieces = staged_free_name(a, m, "pieces");
	w.piece = staged_free_name(a, m, "piece");
	w.first = staged_free_name(a, m, "first_of");
	w.last = staged_word(&w.edits, number_of_last(&w));
	for (int i = 0; i < m->items.n; i++)
		if (item_is_slot(m->items.at[i]))
			staged_find_structs(&w, m->items.at[i]->type);
	for (int i = 0; i < w.structs.n; i++) {
		if (staged_adds_generic(&w, w.structs.at[i]))
			staged_add_generic(&w, w.structs.at[i]);
		for (int k = 0; k < w.structs.at[i]->params.n; k++)
			staged_put(&w, w.structs.at[i]->params.at[k].type, w.on);
	}
	for (int i = 0; i < m->items.n; i++) {
		if (item_is_slot(m->items.at[i]))
			staged_write_slot(&w, m->items.at[i]);
		else if (m->items.at[i]->kind == ITEM_FN)
			staged_write_function(&w, m->items.at[i]);
	}
	for (int i = 0; i < c->loops.n; i++)
		staged_write_loop(&w, c->loops.at[i]);
	staged_write_uses(&w);
	if (s->micro > 1)
		staged_write_micro(&w.edits, c, s->micro,
				   s->schedule == SCHEDULE_ONE_F_ONE_B
					   ? ""
					   : arena_printf(a, ", schedule = \"%s\"", schedule_text(s->schedule)));
	write_head(&w, &out);
	out.alike = edits_apply(&w.edits);
	return out;
}

struct file_text staged_dealt(struct arena *a, const struct staged *s, const struct file_text *text)
{
	size_t head = strlen(s->alike_head), last = strlen(s->alike_last);
	const char *from = text->bytes + s->at + head;
	struct text t;
	BUG_IF(memcmp(text->bytes + s->at, s->alike_head, head), "staged: the stages stand elsewhere");
	text_init(&t, a);
	text_add_n(&t, text->bytes, s->at);
	text_add(&t, s->head);
	for (const char *at; (at = strstr(from, s->alike_last)); from = at + last) {
		text_add_n(&t, from, (size_t)(at - from));
		text_add(&t, s->last);
	}
	text_add(&t, from);
	return (struct file_text){text->path, text_get(&t), t.n};
}
