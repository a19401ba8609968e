/* scope.c — what a name can refer to: locals from the inside out, then items of the module, then the prelude's, then
 * built-in functions. Modules have names of their own, seen only before a `.`, so `import std.data` and a config
 * `data` do not meet. */
#include "names.h"

#include "../habit.h"

#include <string.h>

void scope_push(struct checker *c, struct scope *scope)
{
	*scope = (struct scope){.outer = c->scope};
	map_init(&scope->names, c->session->arena);
	c->scope = scope;
}

void scope_pop(struct checker *c)
{
	const struct map *names = &c->scope->names;
	for (int i = 0; i < names->n; i++)
		map_set_u64(&c->ended, names->entries[i].key, names->entries[i].value);
	c->scope = c->scope->outer;
}

void scope_declare(struct checker *c, struct name name, enum local_kind kind)
{
	if (!name.text || !strcmp(name.text, "_"))
		return;
	struct local *before = map_get(&c->scope->names, name.text);
	if (before) {
		struct diag *d = diag_error(c->session, PML0102, name.span, "`%s` is declared twice", name.text);
		diag_label(d, before->span, "declared here first");
		if (before->kind == LOCAL_LET && kind == LOCAL_LET)
			diag_note(d, "what changes is declared with `var` and assigned: `%s = ...;`", name.text);
		return;
	}
	struct local *local = ARENA_NEW(c->session->arena, struct local);
	*local = (struct local){kind, name.span};
	map_set(&c->scope->names, name.text, local);
}

struct local *scope_local(const struct checker *c, const char *name)
{
	for (const struct scope *s = c->scope; s; s = s->outer) {
		struct local *local = map_get(&s->names, name);
		if (local)
			return local;
	}
	return NULL;
}

struct item *scope_member(struct program_ast *program, const struct module *m, const char *name)
{
	struct item *it = map_get(&m->scope, name);
	if (it && it->waits && item_read(program->session, it))
		vec_push(program->session->arena, &program->unchecked, it);
	return it;
}

struct item *scope_item(const struct checker *c, const char *name)
{
	struct item *it = scope_member(c->program, c->module, name);
	return it ? it : scope_member(c->program, c->program->modules.at[0], name);
}

struct item *scope_import(const struct checker *c, const char *name)
{
	return scope_local(c, name) ? NULL : map_get(&c->module->imports, name);
}

static const char *const builtins[] = {
#define BUILTIN(name, call, doc) #name,
#include "../builtin.def"
#undef BUILTIN
};
enum { BUILTINS = sizeof builtins / sizeof *builtins };

bool scope_is_builtin(const char *name)
{
	for (int i = 0; i < BUILTINS; i++)
		if (!strcmp(builtins[i], name))
			return true;
	return false;
}

/* ---- suggestions ---- */

typedef VEC(const char *) candidates;

static void add_names(struct session *s, candidates *all, const struct map *names)
{
	for (int i = 0; i < names->n; i++)
		vec_push(s->arena, all, (const char *)(uintptr_t)names->entries[i].key);
}

/* What programs name of the prelude: helpers have no doc comment. */
static void add_prelude(struct session *s, candidates *all, const struct map *items)
{
	for (int i = 0; i < items->n; i++) {
		const struct item *it = items->entries[i].value;
		if (docs_stand_above(s, it))
			vec_push(s->arena, all, it->name.text);
	}
}

const char *nearest_item(struct session *s, const char *name, const struct map *items, unsigned kinds)
{
	candidates all = {0};
	for (int i = 0; i < items->n; i++) {
		const struct item *it = items->entries[i].value;
		if (kinds >> it->kind & 1)
			vec_push(s->arena, &all, it->name.text);
	}
	return diag_nearest(name, all.at, all.n);
}

void suggest(struct diag *d, struct span at, const char *meant)
{
	if (!meant)
		return;
	diag_help(d, "did you mean `%s`?", meant);
	diag_edit(d, at, meant);
}

bool suggest_library(struct checker *c, struct diag *d, struct name name, struct span before)
{
	const char *modules[LIBRARY_MODULES];
	int n = library_modules_with(c->session, name.text, modules);
	for (int i = 0; i < n; i++) {
		if (scope_import(c, intern(c->session->names, modules[i]))) {
			diag_help(d, "std.%s has it: `%s.%s`", modules[i], modules[i], name.text);
			diag_edit(d, before, arena_printf(c->session->arena, "%s.", modules[i]));
		} else {
			diag_help(d, "std.%s has it: `import std.%s;`, then `%s.%s`", modules[i], modules[i],
				  modules[i], name.text);
		}
	}
	return n > 0;
}

/* Whether a name stands in index notation. */
static bool stands_among_factors(const struct checker *c)
{
	for (const struct scope *scope = c->scope; scope; scope = scope->outer) {
		for (int i = 0; i < scope->names.n; i++)
			if (((const struct local *)scope->names.entries[i].value)->kind == LOCAL_FACTOR)
				return true;
	}
	return false;
}

/* A name of a block that is over: where it was, and how it is seen behind. */
static bool tell_ended(struct checker *c, struct diag *d, const char *name)
{
	const struct local *local = map_get(&c->ended, name);
	if (!local || local->kind == LOCAL_FACTOR || local->kind == LOCAL_SIZE)
		return false;
	diag_label(d, local->span, "this one ends with its block");
	if (local->kind == LOCAL_LET || local->kind == LOCAL_VAR)
		diag_help(d, "what is used behind the block is declared before it, `var %s = ...;`, and assigned in it",
			  name);
	return true;
}

/* Whether a name is a word of other languages or of the library, so that no item explains it better than another. */
static bool is_from_elsewhere(struct session *s, const char *name)
{
	const char *modules[LIBRARY_MODULES];
	return habit_here(HABIT_NAME, name) || library_has_module(s, name) ||
	       library_modules_with(s, name, modules) > 0;
}

struct diag *scope_tell_unknown(struct checker *c, struct name name)
{
	struct unknown *u = map_get(&c->told, name.text);
	if (u && (u->item == c->item ||
		  (u->item && u->item->module == c->module && is_from_elsewhere(c->session, name.text)))) {
		bool same = span_equal(name.span, u->last) || span_equal(name.span, u->name.span);
		u->next = u->more || same ? u->next : name.span;
		u->last = name.span;
		u->more += !same;
		return diag_unheard(c->session, PML0101);
	}
	u = ARENA_NEW(c->session->arena, struct unknown);
	u->name = name;
	u->item = c->item;
	u->diag = diag_error(c->session, PML0101, name.span, "`%s` is not known here", name.text);
	map_set(&c->told, name.text, u);
	vec_push(c->session->arena, &c->unknown, u);
	return u->diag;
}

static int line_of(const struct session *s, struct span at)
{
	return source_position(&s->sources.at[at.file], at.begin).line;
}

void scope_tell_others(struct checker *c)
{
	for (int i = 0; i < c->unknown.n; i++) {
		const struct unknown *u = c->unknown.at[i];
		if (!u->more)
			continue;
		int line = line_of(c->session, u->next);
		const char *where = line == line_of(c->session, u->name.span)
					    ? "this line"
					    : arena_printf(c->session->arena, "line %d", line);
		if (u->more == 1)
			diag_note(u->diag, "`%s` stands in %s once more", u->name.text, where);
		else
			diag_note(u->diag, "`%s` stands in %d more places, the next in %s", u->name.text, u->more,
				  where);
	}
}

struct diag *scope_unknown(struct checker *c, struct name name)
{
	candidates all = {0};
	struct session *s = c->session;
	struct diag *d = scope_tell_unknown(c, name);
	if (!d->message || tell_ended(c, d, name.text))
		return d;
	const char *here = habit_here(HABIT_NAME, name.text);
	if (here) {
		diag_help(d, "%s", here);
		return d;
	}
	if (library_has_module(s, name.text)) {
		diag_help(d, "it is a module of the standard library: `import std.%s;`", name.text);
		return d;
	}
	if (s->errors > MAX_ERRORS) /* nobody reads so many suggestions, and they cost memory */
		return d;
	if (suggest_library(c, d, name, (struct span){name.span.file, name.span.begin, name.span.begin}))
		return d;
	for (const struct scope *scope = c->scope; scope; scope = scope->outer)
		add_names(s, &all, &scope->names);
	add_names(s, &all, &c->module->scope);
	add_prelude(s, &all, &c->program->modules.at[0]->scope);
	for (int i = 0; i < BUILTINS; i++)
		if (builtins[i][1]) /* `b` is not meant to be the layout `B` */
			vec_push(s->arena, &all, builtins[i]);
	suggest(d, name.span, diag_nearest(name.text, all.at, all.n));
	bool is_called = s->sources.at[name.span.file].bytes[name.span.end] == '(';
	if (!d->helps.n && !is_called && stands_among_factors(c))
		diag_help(d, "an index is one of the result or of a reduction: `let y[i] = sum[k] a[i, k] * b[k];`");
	return d;
}

struct diag *scope_unknown_target(struct checker *c, struct name name)
{
	candidates all = {0};
	struct session *s = c->session;
	struct diag *d = scope_tell_unknown(c, name);
	if (!d->message || s->errors > MAX_ERRORS || tell_ended(c, d, name.text))
		return d;
	for (const struct scope *scope = c->scope; scope; scope = scope->outer)
		for (int i = 0; i < scope->names.n; i++) {
			enum local_kind kind = ((const struct local *)scope->names.entries[i].value)->kind;
			if (kind == LOCAL_VAR || kind == LOCAL_STATE)
				vec_push(s->arena, &all, (const char *)(uintptr_t)scope->names.entries[i].key);
		}
	for (int i = 0; i < c->module->scope.n; i++)
		if (item_is_slot(c->module->scope.entries[i].value))
			vec_push(s->arena, &all, (const char *)(uintptr_t)c->module->scope.entries[i].key);
	suggest(d, name.span, diag_nearest(name.text, all.at, all.n));
	return d;
}

/* ---- items of a module ---- */

static void report_twice(struct session *s, struct name name, struct span before)
{
	struct diag *d = diag_error(s, PML0102, name.span, "`%s` is declared twice", name.text);
	diag_label(d, before, "declared here first");
}

static void add_import(struct session *s, struct module *m, struct item *it)
{
	struct item *before = map_get(&m->imports, it->name.text);
	if (!before)
		map_set(&m->imports, it->name.text, it);
	else if (before->target != it->target)
		report_twice(s, it->name, before->name.span);
}

static void add_item(struct session *s, struct module *m, struct item *it)
{
	struct item *before = map_get(&m->scope, it->name.text);
	if (before) {
		report_twice(s, it->name, before->name.span);
		return;
	}
	if (type_is_dtype(it->name.text) || type_is_host(it->name.text))
		diag_error(s, PML0102, it->name.span, "`%s` is a built-in type", it->name.text);
	if (it->kind == ITEM_FN && !strcmp(it->name.text, "main")) {
		struct diag *d =
			diag_error(s, PML0102, it->name.span, "`main` is what the program does, not a function");
		diag_help(d, "write `main { ... }`");
	}
	map_set(&m->scope, it->name.text, it);
}

static void add_main(struct session *s, struct item **main_item, struct item *it)
{
	if (!*main_item) {
		*main_item = it;
		return;
	}
	struct span head = {it->span.file, it->span.begin, it->span.begin + 4};
	struct span first = {(*main_item)->span.file, (*main_item)->span.begin, (*main_item)->span.begin + 4};
	struct diag *d = diag_error(s, PML0109, head, "this file has a `main` already");
	diag_label(d, first, "the first one");
}

static void add_test(struct session *s, struct map *tests, struct item *it)
{
	struct item *before = map_get(tests, it->name.text);
	if (!before) {
		map_set(tests, it->name.text, it);
		return;
	}
	struct diag *d = diag_error(s, PML0116, it->name.span, "another test has this title");
	diag_label(d, before->name.span, "here");
}

void scope_fill(struct session *s, struct module *m)
{
	struct item *main_item = NULL;
	struct map tests;
	map_init(&tests, s->arena);
	for (int i = 0; i < m->items.n; i++) {
		struct item *it = m->items.at[i];
		if (it->kind == ITEM_IMPORT)
			add_import(s, m, it);
		else if (it->kind == ITEM_MAIN)
			add_main(s, &main_item, it);
		else if (it->kind == ITEM_TEST)
			add_test(s, &tests, it);
		else
			add_item(s, m, it);
	}
	for (int i = 0; i < m->imports.n; i++) {
		struct item *it = m->imports.entries[i].value;
		if (!map_get(&m->scope, it->name.text))
			map_set(&m->scope, it->name.text, it);
	}
}
