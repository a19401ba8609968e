/* staged_text.c — names that are free, and where statements begin and end. */
#include "staged_writer.h"

#include "lang/visit.h"

#include <string.h>

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

/* Whether a body names it, or binds it. */
struct naming {
	struct visitor visitor;
	const char *name;
	bool is;
};

static bool sees_name(struct visitor *v, const struct expr *e)
{
	struct naming *x = (struct naming *)v;
	x->is |= e->kind == EXPR_NAME && !strcmp(e->name.text, x->name);
	return !x->is;
}

static bool binds(const struct pattern *p, const char *name)
{
	bool is = p->name.text && !strcmp(p->name.text, name);
	for (int i = 0; i < p->members.n && !is; i++)
		is = binds(p->members.at[i], name);
	return is;
}

static bool sees_binding(struct visitor *v, const struct stmt *s)
{
	struct naming *x = (struct naming *)v;
	x->is |= s->pattern && binds(s->pattern, x->name);
	return !x->is;
}

static bool is_named_inside(const struct module *m, const char *name)
{
	struct naming x = {.visitor = {.expr = sees_name, .stmt = sees_binding}, .name = name};
	for (int i = 0; i < m->items.n && !x.is; i++)
		visit_stmts(&x.visitor, m->items.at[i]->body);
	return x.is;
}

static bool is_taken_in_any(const struct chain *c, const char *name)
{
	for (int i = 0; i < c->files.n; i++)
		if (is_taken(c->files.at[i], name) || is_named_inside(c->files.at[i], name))
			return true;
	return false;
}

const char *staged_free_name(struct arena *a, const struct chain *c, const char *wanted)
{
	const char *name = wanted;
	for (int i = 2; is_taken_in_any(c, name); i++)
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

static bool has_word_in_any(const struct chain *c, const char *word)
{
	const struct session *s = c->ast->session;
	for (int i = 0; i < c->files.n; i++)
		if (has_word(&s->sources.at[c->files.at[i]->file], word))
			return true;
	return false;
}

const char *staged_word(const struct chain *c, struct arena *a, const char *text)
{
	size_t n = strlen(text), i;
	for (;; n++) {
		char *word = arena_strndup(a, "aaaaaaaaaaaaaaaa", n);
		for (i = n; i > 0 && has_word_in_any(c, word);) {
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
const char *staged_gap(struct edits *w, uint32_t at)
{
	uint32_t begin = at;
	while (begin > 0 && strchr(" \t", w->source->bytes[begin - 1]))
		begin--;
	if (begin > 0 && w->source->bytes[begin - 1] != '\n')
		return " ";
	return arena_printf(w->arena, "\n%.*s", (int)(at - begin), w->source->bytes + begin);
}

const struct stmt *stmt_first(const struct stmt *body)
{
	return body && body->kind == STMT_BLOCK ? body->body : body;
}

void staged_before(struct edits *w, const struct stmt *s, const char *text)
{
	const char *gap = staged_gap(w, s->span.begin);
	edits_add(w, s->span.begin, s->span.begin, arena_printf(w->arena, "%s%s", text, gap), 0);
}

/* A statement has no semicolon in its span if the parser left it out. */
uint32_t stmt_end(const struct edits *w, const struct stmt *s)
{
	uint32_t end = s->span.end, at = end;
	while (at < w->source->size && strchr(" \t\n", w->source->bytes[at]))
		at++;
	return at < w->source->size && w->source->bytes[at] == ';' ? at + 1 : end;
}

void staged_behind(struct edits *w, const struct stmt *s, const char *text)
{
	const char *gap = staged_gap(w, s->span.begin);
	uint32_t end = s->kind == STMT_FOR ? s->span.end : stmt_end(w, s);
	edits_add(w, end, end, arena_printf(w->arena, "%s%s", gap, text), 0);
}
