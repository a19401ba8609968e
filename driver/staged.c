/* staged.c — see staged.h. One file declares the placement and where layers are, for all that can import it. */
#include "staged_writer.h"

#include "search_home.h"

#include <inttypes.h>
#include <string.h>

/* ---- files ---- */

void staged_enter(struct writer *w, const struct module *m)
{
	int i = 0;
	while (w->chain->files.at[i] != m)
		i++;
	w->edits = &w->files[i];
}

static const struct module *entered(const struct writer *w)
{
	return w->chain->files.at[w->edits - w->files];
}

const char *staged_name(struct writer *w, const char *name)
{
	return edits_name_from(w->edits, w->chain->ast, entered(w), w->home, name);
}

static int number_of(const struct program_ast *ast, const struct module *m)
{
	int i = 0;
	while (ast->modules.at[i] != m)
		i++;
	return i;
}

/* The file that all can import which say where something is: those with params and states, with layers' loops, and
 * with what is brought to a stage. NULL: there is none. */
static const struct module *find_home(struct arena *a, const struct chain *c)
{
	bool *names = ARENA_ARRAY(a, bool, c->ast->modules.n);
	if (c->files.n == 1)
		return c->ast->main;
	for (int i = 0; i < c->files.n; i++)
		for (int k = 0; k < c->files.at[i]->items.n; k++)
			names[number_of(c->ast, c->files.at[i])] |= item_is_slot(c->files.at[i]->items.at[k]);
	for (int i = 0; i < c->loops.n; i++)
		names[number_of(c->ast, c->loops.at[i]->function->module)] = true;
	for (int i = 0; i < c->uses.n; i++)
		names[number_of(c->ast, c->uses.at[i].function->module)] = true;
	int home = home_of(a, c->ast, names);
	return home < 0 || !chain_writes(c, c->ast->modules.at[home]) ? NULL : c->ast->modules.at[home];
}

/* ---- where things are ---- */

static const char *number_of_last(const struct writer *w)
{
	return arena_printf(w->arena, "%d", (w->stages->count * w->stages->turns - 1) % w->stages->count);
}

const char *staged_last(struct writer *w)
{
	return arena_printf(w->arena, "%s[pp = %s]", staged_name(w, w->grid), w->last);
}

bool staged_is_last(const struct writer *w, const struct item *slot)
{
	for (int i = 0; i < w->chain->slots.n; i++)
		if (w->chain->slots.at[i].item == slot && w->chain->slots.at[i].where == CHAIN_BEHIND)
			return true;
	return false;
}

const char *staged_home(struct writer *w, const struct item *slot)
{
	return staged_is_last(w, slot) ? staged_last(w) : arena_printf(w->arena, "%s[pp = 0]", staged_name(w, w->grid));
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
		const char *pp = arena_printf(w->arena, "%s.pp", w->grid);
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
	const struct item *open = module_open_place(w->home);
	struct text t;
	int64_t n = w->stages->count;
	for (int i = 0; i < w->stages->naxes; i++)
		n *= w->stages->extent[i];
	text_init(&t, w->arena);
	if (open) {
		struct span at = open->value->span;
		add_place(w, &t, edits_text_inside(w->edits, at));
		edits_add(w->edits, at.begin, at.end, text_get(&t), 0);
		return;
	}
	text_printf(&t, "place %s = ", w->grid);
	add_place(w, &t, arena_printf(w->arena, "ranks(0..%" PRId64 ")", n));
	text_add(&t, ";\n");
	text_add(alike, text_get(&t));
	text_add(dealt, text_get(&t));
}

/* The placement and where layers are: all in the first stage, which is the last one too, or dealt out. */
static void write_head(struct writer *w, struct staged *out)
{
	struct text alike, dealt;
	text_init(&alike, w->arena);
	text_init(&dealt, w->arena);
	staged_enter(w, w->home);
	write_place(w, &alike, &dealt);
	add_pieces(w, &alike, 1, NULL);
	add_pieces(w, &dealt, w->stages->count * w->stages->turns, w->stages->first);
	text_printf(&alike, "const %s : int = 0; fn %s(layer: int) { return %s; }\n\n", w->last, w->stage, w->last);
	add_stage_function(w, &dealt);
	*out = (struct staged){.home = arena_strdup(w->arena, w->edits->source->path),
			       .at = edits_begin_of_items(w->edits, w->home),
			       .alike_head = text_get(&alike),
			       .head = text_get(&dealt),
			       .alike_tail = arena_printf(w->arena, "\nconst %s : int = 0;", w->last),
			       .alike_last = staged_last(w)};
	edits_add(w->edits, out->at, out->at, out->alike_head, 0);
	w->last = number_of_last(w);
	out->last = staged_last(w);
}

/* ---- the whole ---- */

static void find_names(struct writer *w)
{
	const struct chain *c = w->chain;
	struct arena *a = w->arena;
	const struct item *open = module_open_place(w->home);
	w->grid = open ? open->name.text : staged_free_name(a, c, "grid");
	w->stage = staged_free_name(a, c, "stage");
	w->on = staged_free_name(a, c, "on");
	w->pieces = staged_free_name(a, c, "pieces");
	w->piece = staged_free_name(a, c, "piece");
	w->first = staged_free_name(a, c, "first_of");
	w->last = staged_word(c, a, number_of_last(w));
}

static void write_structs(struct writer *w)
{
	for (int i = 0; i < w->structs.n; i++) {
		const struct item *it = w->structs.at[i];
		staged_enter(w, it->module);
		if (staged_adds_generic(w, it))
			staged_add_generic(w, it);
		for (int k = 0; k < it->params.n; k++)
			staged_put(w, it->params.at[k].type, w->on);
	}
}

static void write_items(struct writer *w, const struct module *m)
{
	staged_enter(w, m);
	for (int i = 0; i < m->items.n; i++) {
		if (item_is_slot(m->items.at[i]))
			staged_write_slot(w, m->items.at[i]);
		else if (m->items.at[i]->kind == ITEM_FN)
			staged_write_function(w, m->items.at[i]);
	}
}

/* Whether something that is added to this file names the last stage. */
static bool names_last(const struct edits *w, const char *alike_last)
{
	bool is = false;
	for (int i = 0; i < w->list.n && !is; i++)
		is = strstr(w->list.at[i].text, alike_last);
	return is;
}

/* Whether what was read is not what is in the file. */
static bool is_other(const struct session *s, const struct edits *w)
{
	bool is = false;
	for (int i = 0; i < s->options.texts.n; i++)
		is |= !strcmp(s->options.texts.at[i].path, w->source->path);
	return is;
}

struct file_texts staged_texts(struct arena *a, const struct chain *c, struct edits *files)
{
	struct file_texts texts = {0};
	for (int i = 0; i < c->files.n; i++) {
		if (!files[i].list.n && i < c->files.n - 1 && !is_other(c->ast->session, &files[i]))
			continue;
		struct file_text text = edits_apply(&files[i]);
		text.path = arena_strdup(a, text.path); /* the session that has read it may end */
		vec_push(a, &texts.all, text);
	}
	return texts;
}

struct edits *staged_edits(struct arena *a, const struct chain *c)
{
	struct edits *files = ARENA_ARRAY(a, struct edits, c->files.n);
	for (int i = 0; i < c->files.n; i++)
		files[i] = (struct edits){.arena = a, .source = &c->ast->session->sources.at[c->files.at[i]->file]};
	return files;
}

bool staged_new(struct arena *a, const struct chain *c, const struct stages *s, struct staged *out)
{
	struct writer w = {.arena = a, .chain = c, .stages = s, .files = staged_edits(a, c), .home = find_home(a, c)};
	if (!w.home)
		return false;
	find_names(&w);
	for (int i = 0; i < c->files.n; i++)
		for (int k = 0; k < c->files.at[i]->items.n; k++)
			if (item_is_slot(c->files.at[i]->items.at[k]))
				staged_find_structs(&w, c->files.at[i]->items.at[k]->type);
	write_structs(&w);
	for (int i = 0; i < c->files.n; i++)
		write_items(&w, c->files.at[i]);
	for (int i = 0; i < c->loops.n; i++)
		staged_write_loop(&w, c->loops.at[i]);
	staged_write_uses(&w);
	staged_enter(&w, c->ast->main);
	if (s->micro > 1)
		staged_write_micro(w.edits, c, s->micro,
				   s->schedule == SCHEDULE_ONE_F_ONE_B
					   ? ""
					   : arena_printf(a, ", schedule = \"%s\"", schedule_text(s->schedule)));
	write_head(&w, out);
	for (int i = 0; i < c->files.n; i++) {
		uint32_t end = (uint32_t)w.files[i].source->size;
		if (c->files.at[i] != w.home && names_last(&w.files[i], out->alike_last))
			edits_add(&w.files[i], end, end, out->alike_tail, 0);
	}
	out->alike = staged_texts(a, c, w.files);
	return true;
}

static struct file_text dealt_file(struct arena *a, const struct staged *s, const struct file_text *text)
{
	bool is_home = !strcmp(text->path, s->home);
	size_t head = is_home ? s->at + strlen(s->alike_head) : 0, last = strlen(s->alike_last),
	       tail = strlen(s->alike_tail), size = text->size;
	BUG_IF(is_home && memcmp(text->bytes + s->at, s->alike_head, strlen(s->alike_head)),
	       "staged: the stages stand elsewhere");
	if (!is_home && size >= tail && !memcmp(text->bytes + size - tail, s->alike_tail, tail))
		size -= tail;
	const char *from = text->bytes + head, *end = text->bytes + size;
	struct text t;
	text_init(&t, a);
	if (is_home) {
		text_add_n(&t, text->bytes, s->at);
		text_add(&t, s->head);
	}
	for (const char *at; (at = strstr(from, s->alike_last)) && at < end; from = at + last) {
		text_add_n(&t, from, (size_t)(at - from));
		text_add(&t, s->last);
	}
	text_add_n(&t, from, (size_t)(end - from));
	return (struct file_text){text->path, text_get(&t), t.n};
}

struct file_texts staged_dealt(struct arena *a, const struct staged *s, const struct file_texts *texts)
{
	struct file_texts out = {0};
	for (int i = 0; i < texts->all.n; i++)
		vec_push(a, &out.all, dealt_file(a, s, &texts->all.at[i]));
	return out;
}
