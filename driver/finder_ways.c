/* finder_ways.c — the words `auto` in heads of blocks, `microbatch(auto, schedule = auto)` and `remat(auto)`: what may
 * stand in their place, and the program with something there. A step is to be the same step whatever is chosen, so a
 * block is cut into no more micro-batches than it is known to give the mean of (search/averaged.h). */
#include "finder.h"

#include "edits.h"
#include "visit.h"

#include "compiler/search/averaged.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

enum { MOST_PARTS = 64 };

static const struct source *source_of(const struct finder *x, struct span at)
{
	return &x->as_it_is->session->sources.at[at.file];
}

/* ---- the words ---- */

struct seeking {
	struct visitor visitor;
	struct finder *finder;
};

static enum way_kind kind_of(const struct expr *block, const struct arg *a)
{
	if (!strcmp(block->block.head.text, "remat"))
		return WAY_AGAIN;
	return a->name.text ? WAY_SCHEDULE : WAY_PARTS;
}

/* As the program has it where main comes by. */
static struct way way_of(const struct finder *x, const struct expr *block, const struct arg *a)
{
	const struct program *p = x->as_it_is->program;
	for (int i = 0; i < p->ways.n; i++) {
		const struct open_way *w = &p->ways.at[i];
		if (w->span.file == a->span.file && w->span.begin == a->span.begin)
			return (struct way){.open = *w, .is_read = true};
	}
	return (struct way){.open = {kind_of(block, a), a->span, block->block.head.span, -1, false}};
}

static bool see_block(struct visitor *v, const struct expr *e)
{
	struct finder *x = ((struct seeking *)v)->finder;
	for (int i = 0; e->kind == EXPR_BLOCK && i < e->block.args.n; i++)
		if (e->block.args.at[i].is_auto)
			vec_push(x->arena, &x->ways.all, way_of(x, e, &e->block.args.at[i]));
	return true;
}

static void find_words(struct finder *x)
{
	struct seeking s = {.visitor = {.expr = see_block}, .finder = x};
	const struct program_ast *ast = x->as_it_is->ast;
	for (int i = 0; i < ast->modules.n; i++) {
		const struct module *m = ast->modules.at[i];
		bool is_written = m == ast->main || (x->imported && program_owns(ast, m->file));
		for (int k = 0; is_written && k < m->items.n; k++) {
			visit_expr(&s.visitor, m->items.at[k]->value);
			visit_stmts(&s.visitor, m->items.at[k]->body);
		}
	}
}

/* ---- numbers of micro-batches ---- */

static bool is_of(const struct microbatch *b, const struct way *w)
{
	return b->span.file == w->open.block.file && b->span.begin == w->open.block.begin;
}

/* The program with that word as a number, all others as the first they may be. */
static struct form form_with(struct finder *x, const struct way *w, int parts)
{
	int *way = ARENA_ARRAY(x->arena, int, x->ways.all.n);
	struct ways as_they_are = x->ways;
	struct form f = {.way = way, .what = ""};
	x->ways = (struct ways){{0}};
	for (int i = 0; i < as_they_are.all.n; i++) {
		struct way one = as_they_are.all.at[i];
		one.values.n = 0;
		one.values.at = NULL;
		one.values.cap = 0;
		vec_push(x->arena, &one.values,
			 &as_they_are.all.at[i] == w ? parts : as_they_are.all.at[i].values.at[0]);
		vec_push(x->arena, &x->ways.all, one);
	}
	finder_write(x, &f);
	x->ways = as_they_are;
	return f;
}

/* Why a step in so many micro-batches is not known to be the step as it is; NULL: it is. */
static const char *parts_refused(struct finder *x, const struct way *w, int parts)
{
	const struct program *p = x->as_it_is->program;
	struct form f = form_with(x, w, parts);
	struct drive *d = finder_open(x, &f);
	const char *why = d->session->errors ? "they do not compile" : NULL;
	const struct program *q = d->program;
	if (!why && q->microbatches.n != p->microbatches.n)
		why = "the program is another one";
	for (int i = 0; i < p->microbatches.n && !why; i++)
		if (is_of(p->microbatches.at[i], w))
			why = averaged_block_refused(x->arena, p, p->microbatches.at[i], q, q->microbatches.at[i]);
	session_free(d->session);
	return why;
}

/* What holds for many parts holds for fewer that they are a multiple of. */
static void find_parts(struct finder *x, struct way *w)
{
	bool good[MOST_PARTS + 1] = {[1] = true};
	for (int n = MOST_PARTS; n > 1; n--) {
		if (w->open.rows <= 0 || w->open.rows % n)
			continue;
		for (int k = 2 * n; k <= MOST_PARTS && !good[n]; k += n)
			good[n] = good[k];
		const char *why = good[n] ? NULL : parts_refused(x, w, n);
		good[n] = !why;
		w->why = why ? why : w->why;
	}
	for (int n = 2; n <= MOST_PARTS; n++)
		if (good[n])
			vec_push(x->arena, &w->values, n);
	if (w->open.rows <= 0)
		w->why = "nothing in it is cut";
	else if (!w->why)
		w->why = arena_printf(x->arena, "no number up to %d divides its %" PRId64 " rows", MOST_PARTS,
				      w->open.rows);
	w->why = w->values.n > 1 ? NULL : w->why;
}

/* ---- schedules ---- */

static bool has_stages(const struct program *p, const struct way *w)
{
	const struct place *first = NULL;
	for (int r = 0; r < p->regions.n; r++) {
		const struct graph *g = p->regions.at[r]->graph;
		for (int i = 0; i < g->nodes.n; i++) {
			const struct node *n = g->nodes.at[i];
			if (!n->batch || !n->place || !is_of(n->batch, w))
				continue;
			if (first && first != n->place)
				return true;
			first = n->place;
		}
	}
	return false;
}

static void find_schedules(struct finder *x, struct way *w)
{
	bool stages = has_stages(x->as_it_is->program, w);
	for (int s = 0; s < SCHEDULES; s++)
		if (w->open.holds ? schedule_splits(s) : stages || !s)
			vec_push(x->arena, &w->values, s);
}

void finder_find_ways(struct finder *x)
{
	find_words(x);
	for (int i = 0; i < x->ways.all.n; i++) {
		struct way *w = &x->ways.all.at[i];
		if (w->open.kind == WAY_SCHEDULE && w->is_read)
			find_schedules(x, w);
		else
			vec_push(x->arena, &w->values, w->open.kind == WAY_PARTS);
	}
	for (int i = 0; i < x->ways.all.n; i++) {
		struct way *w = &x->ways.all.at[i];
		if (w->open.kind == WAY_PARTS && w->is_read)
			find_parts(x, w);
		else if (w->open.kind == WAY_AGAIN && w->is_read)
			vec_push(x->arena, &w->values, 1);
	}
}

/* ---- as text ---- */

const char *finder_value_text(const struct finder *x, const struct way *w, int value)
{
	switch (w->open.kind) {
	case WAY_PARTS:
		return arena_printf(x->arena, "%d", value);
	case WAY_SCHEDULE:
		return arena_printf(x->arena, "\"%s\"", schedule_text((enum schedule)value));
	case WAY_AGAIN:
		break;
	}
	return value ? "true" : "false";
}

const char *finder_way_text(const struct finder *x, const struct way *w)
{
	static const char *const names[] = {
		[WAY_PARTS] = "microbatch", [WAY_SCHEDULE] = "schedule", [WAY_AGAIN] = "remat"};
	const struct source *s = source_of(x, w->open.span);
	struct line_column at = source_position(s, w->open.span.begin);
	return arena_printf(x->arena, "%s at %s:%d:%d", names[w->open.kind], s->path, at.line, at.column);
}

static uint32_t skip_space(const struct source *s, uint32_t at)
{
	while (at < s->size && isspace((unsigned char)s->bytes[at]))
		at++;
	return at;
}

/* `remat(auto)` that is computed again is `remat`, where there is nothing else in the parentheses. */
static struct span head_of(const struct source *s, const struct way *w)
{
	struct span head = w->open.span;
	uint32_t open = skip_space(s, w->open.block.end), close = skip_space(s, head.end);
	if (s->bytes[open] == '(' && skip_space(s, open + 1) == head.begin && s->bytes[close] == ')') {
		head.begin = w->open.block.end;
		head.end = close + 1;
	}
	return head;
}

static void write_way(const struct finder *x, struct edits *w, const struct way *way, int number)
{
	int value = way->values.at[number];
	struct span at = way->open.span;
	const char *text = finder_value_text(x, way, value);
	if (way->open.kind == WAY_AGAIN && value) {
		struct span head = head_of(w->source, way);
		text = head.end != at.end ? "" : text;
		at = head;
	}
	edits_add(w, at.begin, at.end, text, 0);
}

/* " (zb)", ", 8 micro-batches", ", 2 of 3 blocks computed again" */
static const char *what_of(const struct finder *x, const struct form *f)
{
	struct text t;
	int again = 0, blocks = 0;
	text_init(&t, x->arena);
	text_add(&t, f->what);
	for (int i = 0; i < x->ways.all.n; i++) {
		const struct way *w = &x->ways.all.at[i];
		int value = w->values.at[f->way[i]];
		if (w->open.kind == WAY_PARTS && w->is_read)
			text_printf(&t, ", %d micro-batch%s", value, value == 1 ? "" : "es");
		if (w->open.kind == WAY_SCHEDULE && w->is_read)
			text_printf(&t, " (%s)", schedule_text((enum schedule)value));
		blocks += w->open.kind == WAY_AGAIN && w->is_read;
		again += w->open.kind == WAY_AGAIN && value;
	}
	if (again)
		text_printf(&t, ", %d of %d block%s computed again", again, blocks, blocks == 1 ? "" : "s");
	return text_get(&t);
}

void finder_write(const struct finder *x, struct form *f)
{
	const struct program_ast *ast = x->as_it_is->ast;
	struct file_texts *texts = ARENA_NEW(x->arena, struct file_texts);
	for (int i = 0; i < ast->modules.n; i++) {
		const struct module *m = ast->modules.at[i];
		struct edits w = {.arena = x->arena, .source = &x->as_it_is->session->sources.at[m->file]};
		for (int k = 0; f->mesh && m == ast->main && k < x->mesh_words.n; k++)
			edits_add(&w, x->mesh_words.at[k].begin, x->mesh_words.at[k].end,
				  arena_printf(x->arena, "(%s)", f->mesh), 0);
		for (int k = 0; f->way && k < x->ways.all.n; k++)
			if (x->ways.all.at[k].open.span.file == m->file)
				write_way(x, &w, &x->ways.all.at[k], f->way[k]);
		if (!w.list.n)
			continue;
		struct file_text text = edits_apply(&w);
		text.path = arena_strdup(x->arena, text.path);
		vec_push(x->arena, &texts->all, text);
	}
	if (texts->all.n)
		f->texts = texts;
	if (f->way)
		f->what = what_of(x, f);
}
