/* staged.c — see staged.h. */
#include "staged.h"

#include "edits.h"
#include "lang/visit.h"

#include <inttypes.h>
#include <string.h>

struct writer {
	struct edits edits;
	const struct module *module;
	const struct chain *chain;
	const struct stages *stages;
	/* Names that are free: the placement, where a layer is, the parameter of structs, the number of the last stage;
	 * the number of pieces, one of them, its first layer. */
	const char *grid, *stage, *on, *last, *pieces, *piece, *first;
	VEC(const struct item *) structs;
};

/* ---- names and places in the text ---- */

static bool is_taken(const struct module *m, const char *name)
{
	for (int i = 0; i < m->items.n; i++) {
		const struct item *it = m->items.at[i];
		if (it->name.text && !strcmp(it->name.text, name))
			return true;
		for (int k = 0; k < it->generics.n; k++)
			if (!strcmp(it->generics.at[k].name.text, name))
				return true;
		for (int k = 0; k < it->params.n; k++)
			if (it->params.at[k].name.text && !strcmp(it->params.at[k].name.text, name))
				return true;
	}
	return false;
}

static const char *free_name(struct arena *a, const struct module *m, const char *wanted)
{
	const char *name = wanted;
	for (int i = 2; is_taken(m, name); i++)
		name = arena_printf(a, "%s%d", wanted, i);
	return name;
}

static bool has_word(const struct source *s, const char *word)
{
	size_t n = strlen(word);
	for (const char *at = strstr(s->bytes, word); at; at = strstr(at + 1, word))
		if ((at == s->bytes || !char_is_word(at[-1])) && !char_is_word(at[n]))
			return true;
	return false;
}

/* A word that the source has nowhere, as long as this text if there is one: positions behind it are the same. */
static const char *word_instead(const struct edits *w, const char *text)
{
	size_t n = strlen(text), i;
	for (;; n++) {
		char *word = arena_strndup(w->arena, "aaaaaaaaaaaaaaaa", n);
		for (i = n; i > 0 && has_word(w->source, word);) {
			for (i = n; i > 0 && word[i - 1] == 'z'; i--)
				word[i - 1] = 'a';
			if (i > 0)
				word[i - 1]++;
		}
		if (i > 0)
			return word;
	}
}

/* What begins a new statement at a position: a line of its own, indented as what stands there is, or a blank. */
static const char *separator(struct edits *w, uint32_t at)
{
	uint32_t begin = at;
	while (begin > 0 && strchr(" \t", w->source->bytes[begin - 1]))
		begin--;
	if (begin > 0 && w->source->bytes[begin - 1] != '\n')
		return " ";
	return arena_printf(w->arena, "\n%.*s", (int)(at - begin), w->source->bytes + begin);
}

static const struct stmt *first_of(const struct stmt *body)
{
	return body && body->kind == STMT_BLOCK ? body->body : body;
}

static void insert_before(struct edits *w, const struct stmt *s, const char *text)
{
	const char *gap = separator(w, s->span.begin);
	edits_add(w, s->span.begin, s->span.begin, arena_printf(w->arena, "%s%s", text, gap), 0);
}

/* A statement has no semicolon in its span if the parser left it out. */
static uint32_t end_of(const struct edits *w, const struct stmt *s)
{
	uint32_t end = s->span.end, at = end;
	while (at < w->source->size && strchr(" \t\n", w->source->bytes[at]))
		at++;
	return at < w->source->size && w->source->bytes[at] == ';' ? at + 1 : end;
}

static void insert_behind(struct edits *w, const struct stmt *s, const char *text)
{
	const char *gap = separator(w, s->span.begin);
	uint32_t end = s->kind == STMT_FOR ? s->span.end : end_of(w, s);
	edits_add(w, end, end, arena_printf(w->arena, "%s%s", gap, text), 0);
}

/* ---- where things are ---- */

static const char *number_of_last(const struct writer *w)
{
	return arena_printf(w->edits.arena, "%d", (w->stages->count * w->stages->turns - 1) % w->stages->count);
}

static const char *last_text(const struct writer *w)
{
	return arena_printf(w->edits.arena, "%s[pp = %s]", w->grid, w->last);
}

static bool is_of_last(const struct writer *w, const struct item *slot)
{
	for (int i = 0; i < w->chain->slots.n; i++)
		if (w->chain->slots.at[i].item == slot && w->chain->slots.at[i].where == CHAIN_BEHIND)
			return true;
	return false;
}

static const char *home_text(const struct writer *w, const struct item *slot)
{
	return is_of_last(w, slot) ? last_text(w) : arena_printf(w->edits.arena, "%s[pp = 0]", w->grid);
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

static void add_place(const struct writer *w, struct text *t)
{
	static const char *const axes[2][2] = {{"inner", ""}, {"outer", "inner"}};
	const struct stages *s = w->stages;
	int64_t n = s->count;
	for (int i = 0; i < s->naxes; i++)
		n *= s->extent[i];
	text_printf(t, "place %s = ranks(0..%" PRId64 ") as (pp = %d", w->grid, n, s->count);
	for (int i = 0; i < s->naxes; i++)
		text_printf(t, ", %s = %" PRId64, axes[s->naxes - 1][i], s->extent[i]);
	text_add(t, ");\n");
}

/* The placement and where layers are: all in the first stage, which is the last one too, or dealt out. */
static void write_head(struct writer *w, struct staged *out)
{
	struct text alike, dealt;
	text_init(&alike, w->edits.arena);
	text_init(&dealt, w->edits.arena);
	add_place(w, &alike);
	add_place(w, &dealt);
	add_pieces(w, &alike, 1, NULL);
	add_pieces(w, &dealt, w->stages->count * w->stages->turns, w->stages->first);
	text_printf(&alike, "const %s : int = 0; fn %s(layer: int) { return %s; }\n\n", w->last, w->stage, w->last);
	add_stage_function(w, &dealt);
	*out = (struct staged){.at = edits_begin_of_items(&w->edits, w->module),
			       .alike_head = text_get(&alike),
			       .head = text_get(&dealt),
			       .alike_last = last_text(w)};
	w->last = number_of_last(w);
	out->last = last_text(w);
	edits_add(&w->edits, out->at, out->at, out->alike_head, 0);
}

/* ---- types ---- */

static void add_generic(struct writer *w, const struct item *it)
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
static void put(struct writer *w, const struct type *t, const char *place)
{
	switch (t->kind) {
	case TYPE_ARRAY:
		put(w, t->element, place);
		return;
	case TYPE_TUPLE:
		for (int i = 0; i < t->members.n; i++)
			put(w, t->members.at[i], place);
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

static void find_structs(struct writer *w, const struct type *t)
{
	if (t->kind == TYPE_ARRAY)
		find_structs(w, t->element);
	for (int i = 0; i < t->members.n; i++)
		find_structs(w, t->members.at[i]);
	if (t->kind != TYPE_NAMED || !t->item || t->item->module != w->module)
		return;
	for (int i = 0; i < w->structs.n; i++)
		if (w->structs.at[i] == t->item)
			return;
	vec_push(w->edits.arena, &w->structs, t->item);
	for (int i = 0; i < t->item->params.n; i++)
		find_structs(w, t->item->params.at[i].type);
}

static bool is_placed_struct(const struct writer *w, const struct type *t)
{
	for (int i = 0; t && t->kind == TYPE_NAMED && i < w->structs.n; i++)
		if (w->structs.at[i] == t->item)
			return true;
	return false;
}

/* Functions that say that a parameter is such a struct take the placement with it. */
static void write_function(struct writer *w, const struct item *it)
{
	bool any = false;
	for (int i = 0; i < it->params.n; i++) {
		if (!is_placed_struct(w, it->params.at[i].type))
			continue;
		add_argument(w, it->params.at[i].type, w->on);
		any = true;
	}
	if (any)
		add_generic(w, it);
}

static void write_slot(struct writer *w, const struct item *it)
{
	if (!chain_has_list(w->chain, it)) {
		put(w, it->type, home_text(w, it));
		return;
	}
	const char *index = it->type->index.text ? it->type->index.text : "i";
	if (!it->type->index.text)
		edits_add(&w->edits, it->type->dims.at[0].span.begin, it->type->dims.at[0].span.begin, "i in 0..", 0);
	put(w, it->type->element, arena_printf(w->edits.arena, "%s[pp = %s(%s)]", w->grid, w->stage, index));
}

/* ---- what is brought to a stage ---- */

static bool is_at_home(const struct writer *w, const struct chain_use *u)
{
	return u->slot && u->where == CHAIN_BEHIND && is_of_last(w, u->slot);
}

static bool is_first_of_its_name(const struct chain *c, int use)
{
	const struct chain_use *u = &c->uses.at[use];
	for (int i = 0; i < use; i++)
		if (c->uses.at[i].name == u->name && c->uses.at[i].loop == u->loop &&
		    c->uses.at[i].function == u->function)
			return false;
	return true;
}

/* Behind the last loop of the function, or in front of all if it has none. */
static void insert_behind_layers(struct writer *w, const struct item *function, const char *text)
{
	const struct stmt *last = NULL;
	for (int i = 0; i < w->chain->loops.n; i++)
		if (w->chain->loops.at[i]->function == function)
			last = w->chain->loops.at[i]->loop;
	if (last)
		insert_behind(&w->edits, last, text);
	else if (first_of(function->body))
		insert_before(&w->edits, first_of(function->body), text);
}

/* Where the layers of the loop's turn are, or those of its piece. */
static const char *place_of_turn(const struct writer *w, const struct chain_loop *l)
{
	struct arena *a = w->edits.arena;
	if (w->stages->by_layer)
		return arena_printf(a, "%s[pp = %s(%s)]", w->grid, w->stage, l->turn);
	return w->stages->turns > 1 ? arena_printf(a, "%s[pp = %s %% %d]", w->grid, w->piece, w->stages->count)
				    : arena_printf(a, "%s[pp = %s]", w->grid, w->piece);
}

static void write_uses(struct writer *w)
{
	struct arena *a = w->edits.arena;
	for (int i = 0; i < w->chain->uses.n; i++) {
		const struct chain_use *u = &w->chain->uses.at[i];
		if (is_at_home(w, u))
			continue;
		const char *name = arena_printf(a, "%s_%s", u->name, u->loop ? "here" : "last");
		edits_add(&w->edits, u->span.begin, u->span.end, name, 0);
		if (!u->loop && is_first_of_its_name(w->chain, i))
			insert_behind_layers(
				w, u->function,
				arena_printf(a, "let %s = %s to @%s : auto;", name, u->name, last_text(w)));
	}
}

/* What is brought to the layers of a turn or piece: what the loop reads from outside, and what it carries. */
static void add_brought(const struct writer *w, const struct chain_loop *l, const char *gap, struct text *t)
{
	const char *place = place_of_turn(w, l);
	for (int i = 0; i < w->chain->uses.n; i++) {
		const struct chain_use *u = &w->chain->uses.at[i];
		if (u->loop == l && !is_at_home(w, u) && is_first_of_its_name(w->chain, i))
			text_printf(t, "let %s_here = %s to @%s : auto;%s", u->name, u->name, place, gap);
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
	return a.end - a.begin == b.end - b.begin &&
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
		all = n && is_text_of(&w->edits, n->span, l->loop->value->rhs->span);
	}
	return all;
}

/* `for i in a..b { … }` as a loop over the pieces around one over the layers of each. */
static void write_loop(struct writer *w, const struct chain_loop *l)
{
	struct arena *a = w->edits.arena;
	struct span at = l->loop->span, from = l->loop->value->lhs->span, to = l->loop->value->rhs->span;
	const struct stmt *first = first_of(l->loop->body);
	struct text t;
	text_init(&t, a);
	if (w->stages->by_layer) {
		const char *gap = first ? separator(&w->edits, first->span.begin) : " ";
		add_brought(w, l, gap, &t);
		if (first)
			edits_add(&w->edits, first->span.begin, first->span.begin, text_get(&t), 0);
		return;
	}
	const char *outer = separator(&w->edits, at.begin);
	const char *gap = *outer == '\n' ? arena_printf(a, "%s    ", outer) : outer;
	bool is_all = l->loop->value->lhs->kind == EXPR_INT && l->loop->value->lhs->i == 0;
	text_printf(&t, "for %s in 0..%s {%s", w->piece, w->pieces, gap);
	add_brought(w, l, gap, &t);
	if (*outer == '\n')
		indent(&w->edits, at);
	edits_add(&w->edits, at.begin, at.begin, text_get(&t), 0);
	edits_add(&w->edits, from.begin, from.end,
		  is_all ? arena_printf(a, "%s(%s)", w->first, w->piece)
			 : arena_printf(a, "max(%s, %s(%s))", edits_text(&w->edits, from), w->first, w->piece),
		  0);
	edits_add(&w->edits, to.begin, to.end,
		  ends_with_lists(w, l)
			  ? arena_printf(a, "%s(%s + 1)", w->first, w->piece)
			  : arena_printf(a, "min(%s, %s(%s + 1))", edits_text(&w->edits, to), w->first, w->piece),
		  0);
	edits_add(&w->edits, at.end, at.end, arena_printf(a, "%s}", outer), 0);
}

/* ---- micro-batches ---- */

/* States are not cut, but what a variable holds is. */
static void write_rows(struct edits *w, const struct chain *c)
{
	for (int i = 0; i < c->gradient->args.n; i++) {
		const struct expr *x = c->gradient->args.at[i].value;
		if (!x || x->kind != EXPR_NAME || !x->item || x->item->kind != ITEM_STATE)
			continue;
		const char *name = arena_printf(w->arena, "rows_of_%s", x->name.text);
		insert_before(w, c->gradient_in, arena_printf(w->arena, "let %s = %s;", name, x->name.text));
		edits_add(w, x->span.begin, x->span.end, name, 0);
	}
}

static void write_micro(struct edits *w, const struct chain *c, int micro, const char *schedule)
{
	struct span at = c->gradient->span;
	write_rows(w, c);
	edits_add(w, at.begin, at.begin, arena_printf(w->arena, "microbatch(%d%s) { ", micro, schedule), 1);
	edits_add(w, at.end, at.end, " }", 0);
}

struct file_text staged_micro(struct arena *a, const struct source *source, const struct chain *c, int micro)
{
	struct edits w = {.arena = a, .source = source};
	write_micro(&w, c, micro, "");
	return edits_apply(&w);
}

struct staged staged_new(struct arena *a, const struct source *source, const struct module *m, const struct chain *c,
			 const struct stages *s)
{
	struct staged out;
	struct writer w = {.edits = {.arena = a, .source = source}, .module = m, .chain = c, .stages = s};
	w.grid = free_name(a, m, "grid");
	w.stage = free_name(a, m, "stage");
	w.on = free_name(a, m, "on");
	w.pieces = free_name(a, m, "pieces");
	w.piece = free_name(a, m, "piece");
	w.first = free_name(a, m, "first_of");
	w.last = word_instead(&w.edits, number_of_last(&w));
	for (int i = 0; i < m->items.n; i++)
		if (item_is_slot(m->items.at[i]))
			find_structs(&w, m->items.at[i]->type);
	for (int i = 0; i < w.structs.n; i++) {
		add_generic(&w, w.structs.at[i]);
		for (int k = 0; k < w.structs.at[i]->params.n; k++)
			put(&w, w.structs.at[i]->params.at[k].type, w.on);
	}
	for (int i = 0; i < m->items.n; i++) {
		if (item_is_slot(m->items.at[i]))
			write_slot(&w, m->items.at[i]);
		else if (m->items.at[i]->kind == ITEM_FN)
			write_function(&w, m->items.at[i]);
	}
	for (int i = 0; i < c->loops.n; i++)
		write_loop(&w, c->loops.at[i]);
	write_uses(&w);
	if (s->micro > 1)
		write_micro(&w.edits, c, s->micro,
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

/* ---- layers that are computed again ---- */

static const struct stmt *last_of(const struct stmt *first)
{
	while (first && first->next)
		first = first->next;
	return first;
}

/* { S; x = E; } as { x = remat { S; E }; } */
static const char *remat_body(struct arena *a, const struct edits *w, const struct stmt *first)
{
	const struct stmt *last = last_of(first);
	struct span name = last->target->span, value = last->value->span, before = first->span;
	before.end = last->span.begin;
	return arena_printf(a, "%s = remat { %s%s };", edits_text(w, name), edits_text(w, before),
			    edits_text(w, value));
}

static bool fits(const struct chain_loop *l)
{
	const struct stmt *last = last_of(first_of(l->loop->body));
	return l->carried.n == 1 && last && last->kind == STMT_ASSIGN && last->op == ASSIGN_SET &&
	       last->target->kind == EXPR_NAME && l->loop->value->lhs && l->loop->value->rhs &&
	       l->loop->value->lhs->kind == EXPR_INT && l->loop->value->lhs->i == 0;
}

bool staged_remat(struct arena *a, const struct source *source, const struct chain *c, int layers, int of,
		  struct file_text *out)
{
	struct edits w = {.arena = a, .source = source};
	for (int i = 0; i < c->loops.n; i++) {
		const struct chain_loop *l = c->loops.at[i];
		const struct stmt *first = first_of(l->loop->body), *last = last_of(first);
		if (!fits(l))
			return false;
		struct span body = {first->span.file, first->span.begin, end_of(&w, last)};
		struct span end = l->loop->value->rhs->span, whole = l->loop->span;
		const char *again = remat_body(a, &w, first);
		edits_add(&w, body.begin, body.end, again, 0);
		if (layers == of)
			continue;
		edits_add(&w, end.begin, end.end, arena_printf(a, "%d", layers), 0);
		edits_add(&w, whole.end, whole.end,
			  arena_printf(a, "%sfor %s in %d..%s { %s }", separator(&w, whole.begin), l->turn, layers,
				       edits_text(&w, end), edits_text(&w, body)),
			  0);
	}
	*out = edits_apply(&w);
	return true;
}
