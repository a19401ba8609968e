/* outline.c — a module of the library as a list of what it declares. Programs use a few of its functions, operators and
 * structs, so of these the first look finds kind, name and place alone; what a name refers to is parsed then. */
#include "parse.h"

#include <ctype.h>
#include <string.h>

struct outline {
	const struct parse *p; /* of the module's text */
	struct module *module;
	uint32_t at;
};

/* How items of a kind are written: their word, whether they end with the brace that closes them, not with a `;`, and
 * whether they wait until they are referred to. */
struct form {
	const char *word;
	enum item_kind kind;
	bool is_braced, waits;
};

static const struct form forms[] = {
	{"fn", ITEM_FN, true, true},         {"op", ITEM_OP, false, true},
	{"struct", ITEM_STRUCT, true, true}, {"import", ITEM_IMPORT, false, false},
	{"const", ITEM_CONST, false, false}, {"config", ITEM_CONFIG, false, false},
	{"place", ITEM_PLACE, false, false}, {"param", ITEM_PARAM, false, false},
	{"state", ITEM_STATE, false, false}, {"cache", ITEM_CACHE, false, false},
	{"names", ITEM_NAMES, true, false},  {"main", ITEM_MAIN, true, false},
	{"test", ITEM_TEST, true, false},
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Behind spaces and comments; "" if no word stands there. */
static struct name read_word(struct outline *o)
{
	const struct parse *p = o->p;
	uint32_t begin = o->at = lexer_skip_space(p, o->at);
	while (o->at < p->size && is_word(p->bytes[o->at]))
		o->at++;
	return (struct name){intern_n(p->session->names, p->bytes + begin, o->at - begin), {p->file, begin, o->at}};
}

/* Behind the string that begins at i; the end of the text if it does not end on its line. */
static uint32_t string_end(const struct parse *p, uint32_t i)
{
	for (i++; i < p->size && p->bytes[i] != '\n'; i++) {
		if (p->bytes[i] == '"')
			return i + 1;
		i += p->bytes[i] == '\\';
	}
	return p->size;
}

/* To behind the item that o->at is inside of; false if it has no end. */
static bool skip_item(struct outline *o, const struct form *f)
{
	const struct parse *p = o->p;
	const char end = f->is_braced ? '}' : ';';
	for (int depth = 0; o->at < p->size;) {
		char c = p->bytes[o->at];
		uint32_t next = c == '"' ? string_end(p, o->at) : c == '/' ? lexer_skip_space(p, o->at) : o->at;
		o->at = next > o->at ? next : o->at + 1;
		depth += (c == '(' || c == '[' || c == '{') - (c == ')' || c == ']' || c == '}');
		if (depth < 0 || (!depth && c == end))
			return !depth;
	}
	return false;
}

static const struct form *form_of(const char *word)
{
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
		if (!strcmp(forms[i].word, word))
			return &forms[i];
	return NULL;
}

/* The item at o->at; false if there is none, or it cannot be read. */
static bool add_item(struct outline *o)
{
	struct session *session = o->p->session;
	struct name word = read_word(o), name = read_word(o);
	const struct form *f = form_of(word.text);
	if (!f || (f->waits && !*name.text) || !skip_item(o, f))
		return false;
	struct item *it = ARENA_NEW(session->arena, struct item);
	*it = (struct item){.kind = f->kind,
			    .span = {name.span.file, word.span.begin, o->at},
			    .name = name,
			    .module = o->module,
			    .waits = true};
	vec_push(session->arena, &o->module->items, it);
	return f->waits || item_read(session, it);
}

bool outline_module(const struct parse *p, struct module *m)
{
	struct outline o = {.p = p, .module = m};
	int before = p->session->errors;
	while ((o.at = lexer_skip_space(p, o.at)) < p->size)
		if (!add_item(&o)) {
			m->items.n = 0;
			return p->session->errors != before;
		}
	return true;
}
