/* edits.c — see edits.h. */
#include "edits.h"

#include "search_home.h"

#include <string.h>

void edits_add(struct edits *w, uint32_t begin, uint32_t end, const char *text, uint32_t inner)
{
	vec_push(w->arena, &w->list, ((struct edit){begin, end, text, inner}));
}

static bool is_before(const struct edit *a, const struct edit *b)
{
	return a->begin != b->begin ? a->begin < b->begin : a->inner < b->inner;
}

struct file_text edits_apply(struct edits *w)
{
	struct text t;
	uint32_t at = 0;
	text_init(&t, w->arena);
	for (int i = 1; i < w->list.n; i++)
		for (int k = i; k > 0 && is_before(&w->list.at[k], &w->list.at[k - 1]); k--) {
			struct edit e = w->list.at[k];
			w->list.at[k] = w->list.at[k - 1];
			w->list.at[k - 1] = e;
		}
	for (int i = 0; i < w->list.n; i++) {
		const struct edit *e = &w->list.at[i];
		text_add_n(&t, w->source->bytes + at, e->begin - at);
		text_add(&t, e->text);
		at = e->end;
	}
	text_add_n(&t, w->source->bytes + at, w->source->size - at);
	return (struct file_text){w->source->path, text_get(&t), t.n};
}

const char *edits_text(const struct edits *w, struct span at)
{
	return arena_strndup(w->arena, w->source->bytes + at.begin, at.end - at.begin);
}

const char *edits_text_inside(const struct edits *w, struct span at)
{
	while (w->source->bytes[at.begin++] != '(')
		;
	while (w->source->bytes[--at.end] != ')')
		;
	return edits_text(w, at);
}

/* Where the comments above this line begin, which are about it; below the one that the file begins with, its title,
 * unless that documents the item as well. */
static uint32_t begin_of_comments(const struct edits *w, uint32_t at)
{
	const char *text = w->source->bytes;
	uint32_t item = at;
	for (uint32_t line = at; line > 0; at = line) {
		line = source_line(w->source, line - 1);
		if (strncmp(text + line, "//", 2))
			return at;
	}
	while (at < item && strncmp(text + at, "///", 3))
		at = (uint32_t)(strchr(text + at, '\n') - text) + 1;
	return at;
}

uint32_t edits_begin_of_items(const struct edits *w, const struct module *m)
{
	uint32_t at = w->source->size;
	for (int i = 0; i < m->items.n; i++) {
		const struct item *it = m->items.at[i];
		bool uses = it->kind != ITEM_IMPORT && it->kind != ITEM_CONST && it->kind != ITEM_CONFIG;
		if (uses && it->span.begin < at)
			at = it->span.begin;
	}
	return begin_of_comments(w, source_line(w->source, at));
}

/* In front of the other imports. */
static void add_import(struct edits *w, const struct module *m, const char *path)
{
	uint32_t at = edits_begin_of_items(w, m);
	for (int i = m->items.n - 1; i >= 0; i--)
		at = m->items.at[i]->kind == ITEM_IMPORT ? m->items.at[i]->span.begin : at;
	const char *text = arena_printf(w->arena, "import %s;\n", path);
	for (int i = 0; i < w->list.n; i++)
		if (w->list.at[i].begin == at && !strcmp(w->list.at[i].text, text))
			return;
	edits_add(w, at, at, text, 0);
}

/* A file that cannot import it has what the compiler will say. */
const char *edits_name_from(struct edits *w, const struct program_ast *ast, const struct module *m,
			    const struct module *home, const char *name)
{
	if (m == home)
		return name;
	const char *path = home_path(w->arena, ast, m, home);
	path = path ? path : home->name;
	const char *dot = strrchr(path, '.');
	bool has_it = false;
	for (int i = 0; i < m->items.n; i++)
		has_it |= m->items.at[i]->kind == ITEM_IMPORT && m->items.at[i]->target == home;
	if (!has_it)
		add_import(w, m, path);
	return arena_printf(w->arena, "%s.%s", dot ? dot + 1 : path, name);
}
