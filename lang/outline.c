/* outline.c — a module of the library as a list of what it declares. Programs use a few of its functions, operators and
 * structs, so of these the first look finds kind, name and place alone; what a name refers to is parsed then. */
#include "parse.h"

#include <string.h>

struct outline {
	const struct parse *p; /* of the module's text */
	struct module *module;
	uint32_t at;
};

/* Items that end with the brace that closes them, not with a `;`, and those that wait until they are referred to. */
enum {
	BRACED = 1u << ITEM_FN | 1u << ITEM_STRUCT | 1u << ITEM_NAMES | 1u << ITEM_MAIN | 1u << ITEM_TEST,
	WAITING = 1u << ITEM_FN | 1u << ITEM_OP | 1u << ITEM_STRUCT,
};

/* Behind spaces and comments; "" if no word stands there. */
static struct name read_word(struct outline *o)
{
	const struct parse *p = o->p;
	uint32_t begin = o->at = lexer_skip_space(p, o->at);
	while (o->at < p->size && char_is_word(p->bytes[o->at]))
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
static bool skip_item(struct outline *o, enum item_kind kind)
{
	const struct parse *p = o->p;
	const char end = BRACED >> kind & 1 ? '}' : ';';
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

static bool kind_of(const char *word, enum item_kind *kind)
{
	static const struct {
		const char *word;
		enum item_kind kind;
	} items[] = {
#define ITEM(kind, text) {text, ITEM_##kind},
#include "ast.def"
	};
	for (size_t i = 0; i < sizeof items / sizeof *items; i++)
		if (!strcmp(items[i].word, word)) {
			*kind = items[i].kind;
			return true;
		}
	return false;
}

/* The item at o->at; false if there is none, or it cannot be read. */
static bool add_item(struct outline *o)
{
	struct session *session = o->p->session;
	struct name word = read_word(o), name = read_word(o);
	enum item_kind kind;
	if (!kind_of(word.text, &kind))
		return false;
	bool waits = WAITING >> kind & 1;
	if ((waits && !*name.text) || !skip_item(o, kind))
		return false;
	struct item *it = ARENA_NEW(session->arena, struct item);
	*it = (struct item){.kind = kind,
			    .span = {name.span.file, word.span.begin, o->at},
			    .name = name,
			    .module = o->module,
			    .waits = true};
	vec_push(session->arena, &o->module->items, it);
	return waits || item_read(session, it);
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
