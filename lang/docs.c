/* docs.c — doc comments: `///` lines above an item or parameter, or one behind it on its line.
 * They are comments to the lexer and found again from the places of the nodes, so the grammar need not know them. */
#include "parse.h"

#include <string.h>

struct place {
	const struct source *src;
	struct arena *arena;
};

static bool blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static uint32_t line_end(const struct place *at, uint32_t i)
{
	while (i < at->src->size && at->src->bytes[i] != '\n')
		i++;
	return i;
}

static uint32_t skip_blanks(const struct place *at, uint32_t i)
{
	while (i < at->src->size && blank(at->src->bytes[i]))
		i++;
	return i;
}

static bool doc_at(const struct place *at, uint32_t i)
{
	return i + 3 <= at->src->size && !memcmp(at->src->bytes + i, "///", 3) &&
	       (i + 3 == at->src->size || at->src->bytes[i + 3] != '/');
}

/* Adds the text of the doc comment at i, without slashes, one space and trailing blanks. */
static void add_line(const struct place *at, uint32_t i, struct text *t)
{
	uint32_t begin = i + 3, end = line_end(at, i);
	if (begin < end && at->src->bytes[begin] == ' ')
		begin++;
	while (end > begin && blank(at->src->bytes[end - 1]))
		end--;
	if (t->n)
		text_add(t, "\n");
	text_add_n(t, at->src->bytes + begin, end - begin);
}

/* The first of the doc lines directly above the line of `begin`; the begin of that line itself if there are none. */
static uint32_t first_doc_line(const struct place *at, uint32_t begin)
{
	uint32_t line = source_line(at->src, begin);
	while (line > 0) {
		uint32_t above = source_line(at->src, line - 1);
		if (!doc_at(at, skip_blanks(at, above)))
			break;
		line = above;
	}
	return line;
}

static const char *doc_of(const struct place *at, struct span span)
{
	struct text t;
	text_init(&t, at->arena);
	uint32_t own = source_line(at->src, span.begin);
	if (skip_blanks(at, own) == span.begin)
		for (uint32_t line = first_doc_line(at, span.begin); line < own; line = line_end(at, line) + 1)
			add_line(at, skip_blanks(at, line), &t);
	uint32_t behind = skip_blanks(at, span.end);
	while (behind < at->src->size && (at->src->bytes[behind] == ',' || at->src->bytes[behind] == ';'))
		behind = skip_blanks(at, behind + 1);
	if (doc_at(at, behind))
		add_line(at, behind, &t);
	return t.n ? text_get(&t) : NULL;
}

void docs_attach(struct session *s, struct item *it)
{
	const struct source *src = &s->sources.at[it->span.file];
	struct place at = {src, s->arena};
	it->doc = doc_of(&at, it->span);
	for (int j = 0; j < it->params.n; j++)
		it->params.at[j].doc = doc_of(&at, it->params.at[j].span);
}

bool docs_stand_above(const struct session *s, const struct item *it)
{
	const struct place at = {&s->sources.at[it->span.file], NULL};
	return first_doc_line(&at, it->span.begin) < source_line(at.src, it->span.begin);
}
