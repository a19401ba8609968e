/* elaborate.c — checked AST to program: params, main or tests, each walked once (elab.h says how). */
#include "elab.h"

#include <string.h>

/* ---- messages and names ---- */

static bool is_library(const struct elab *e, const struct module *m)
{
	return m == e->ast->modules.at[0] || strncmp(m->name, "std.", 4) == 0;
}

bool elab_in_library(const struct elab *e)
{
	return is_library(e, e->module);
}

bool elab_is_of_library(const struct elab *e, struct span at)
{
	for (int m = 0; m < e->ast->modules.n; m++)
		if (e->ast->modules.at[m]->file == at.file)
			return is_library(e, e->ast->modules.at[m]);
	return false;
}

/* A place in the library says little to the user: the call in their own file stands for it. */
struct node_site elab_site(struct elab *e, struct span span)
{
	const struct call_site *c = e->call;
	bool inside = c && elab_is_of_library(e, span);
	for (; c && elab_is_of_library(e, span); c = c->outer)
		span = c->span;
	struct node_site site = {.span = span,
				 .call = c,
				 .is_derived = e->grad_depth > 0,
				 .in_library = inside,
				 .origin = ORIGIN_SOURCE};
	microbatch_site(e, &site);
	return site;
}

int elab_site_id(struct elab *e, struct span span, const char *what)
{
	return program_site(e->p, elab_site(e, span).span, what);
}

static bool within(struct span inner, struct span outer)
{
	return inner.file == outer.file && inner.begin >= outer.begin && inner.end <= outer.end;
}

static bool same_span(struct span a, struct span b)
{
	return a.file == b.file && a.begin == b.begin && a.end == b.end;
}

/* A mistake that shows inside the library was made where the user called it. */
struct diag *elab_error(struct elab *e, enum diag_code code, struct span at, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	const char *message = arena_vprintf(e->a, fmt, ap);
	va_end(ap);
	const struct call_site *c = e->op_call ? e->op_call : e->call;
	struct span inside = at;
	const char *library = NULL;
	for (; c && elab_is_of_library(e, at); c = c->outer) {
		at = c->span;
		library = c->function;
	}
	bool inner = library && !elab_is_of_library(e, at) && inside.file;
	if (inner && same_span(at, e->library_call))
		return diag_unheard(e->s, code);
	e->library_call = inner ? at : e->library_call;
	struct diag *d = diag_error(e->s, code, at, "%s", message);
	if (inner)
		diag_label(d, inside, "found here, in `%s`", library);
	for (int depth = 0; c && depth < 6; c = c->outer, depth++)
		if (c->span.file && !within(at, c->span))
			diag_label(d, c->span, "in this call of `%s`", c->function);
	return d;
}

const char *elab_called(const struct elab *e, const char *own)
{
	struct span at = e->frame->item ? e->frame->item->span : (struct span){0};
	for (const struct call_site *c = e->call; c && elab_in_library(e) && elab_is_of_library(e, at); c = c->outer) {
		at = c->span;
		own = c->function;
	}
	return own;
}

void elab_label(struct elab *e, struct diag *d, struct span at, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	const char *message = arena_vprintf(e->a, fmt, ap);
	va_end(ap);
	if (elab_is_of_library(e, at))
		diag_note(d, "%s", message);
	else
		diag_label(d, at, "%s", message);
}

/* A name, number, call or element: nothing binds weaker than what is appended. */
static bool is_postfix(const struct elab *e, struct span at)
{
	const char *s = e->s->sources.at[at.file].bytes;
	int depth = 0;
	for (uint32_t i = at.begin; i < at.end; i++) {
		bool word =
			(s[i] >= 'a' && s[i] <= 'z') || (s[i] >= 'A' && s[i] <= 'Z') || (s[i] >= '0' && s[i] <= '9');
		if (s[i] == '(' || s[i] == '[')
			depth++;
		else if (s[i] == ')' || s[i] == ']')
			depth--;
		else if (!depth && !word && s[i] != '_' && s[i] != '.')
			return false;
	}
	return true;
}

void elab_edit_as(struct elab *e, struct diag *d, struct span at, enum dtype t)
{
	if (elab_is_of_library(e, at))
		return;
	bool plain = is_postfix(e, at);
	if (!plain)
		diag_edit(d, (struct span){at.file, at.begin, at.begin}, "(");
	diag_edit(d, (struct span){at.file, at.end, at.end},
		  arena_printf(e->a, "%s as %s", plain ? "" : ")", dtype_text(t)));
}

void elab_edit_behind(struct elab *e, struct diag *d, struct span at, const char *text, bool around)
{
	if (elab_is_of_library(e, at))
		return;
	const char *source = e->s->sources.at[at.file].bytes;
	bool moves = false; /* `x to B to @p` is read as it is meant, but not by everybody */
	for (uint32_t i = at.begin; i + 4 <= at.end; i++)
		moves |= memcmp(source + i, " to ", 4) == 0;
	if (around || moves)
		diag_edit(d, (struct span){at.file, at.begin, at.begin}, around && moves ? "((" : "(");
	diag_edit(d, (struct span){at.file, at.end, at.end},
		  arena_printf(e->a, "%s%s%s", moves ? ")" : "", text, around ? ")" : ""));
}

bool elab_step(struct elab *e, int n, struct span at)
{
	if (e->steps > MAX_STEPS)
		return false;
	e->steps += n;
	if (e->steps <= MAX_STEPS)
		return true;
	struct diag *d = elab_error(e, PML0511, at, "the program is too large once its calls and loops are walked");
	diag_note(d, "every call is compiled into its caller, and a `for` over constants in a function is unrolled");
	return false;
}

const struct value *elab_unsupported(struct elab *e, struct span at, const char *what)
{
	elab_error(e, PML0901, at, "%s is not supported yet", what);
	return &value_error;
}

const char *elab_intern(struct elab *e, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	const char *s = intern(e->s->names, arena_vprintf(e->a, fmt, ap));
	va_end(ap);
	return s;
}

struct item *elab_prelude(struct elab *e, const char *name)
{
	return map_get(&e->ast->modules.at[0]->scope, intern(e->s->names, name));
}

struct item *elab_item(struct elab *e, const char *name)
{
	struct item *item = e->module ? map_get(&e->module->scope, name) : NULL;
	return item ? item : map_get(&e->ast->modules.at[0]->scope, name);
}

const char *elab_qualified(struct elab *e, const struct item *item)
{
	const struct module *m = item->module;
	if (!m || m == e->ast->main || m == e->ast->modules.at[0])
		return item->name.text;
	const char *dot = strrchr(m->name, '.');
	return elab_intern(e, "%s.%s", dot ? dot + 1 : m->name, item->name.text);
}

/* ---- walking ---- */

static struct code *new_code(struct elab *e, const char *name)
{
	struct code *c = ARENA_NEW(e->a, struct code);
	c->fn = ARENA_NEW(e->a, struct host_function);
	c->fn->name = name;
	c->tail = &c->fn->body;
	return c;
}

static struct host_function *walk_body(struct elab *e, const struct item *item, const char *name)
{
	e->code = new_code(e, name);
	e->frame = ARENA_NEW(e->a, struct frame);
	e->module = item->module;
	e->scope = NULL;
	e->call = NULL;
	env_push(e);
	stmt_block(e, item->body->body);
	region_close(e);
	return e->code->fn;
}

/* kinds: bits 1 << enum item_kind */
static void walk_items(struct elab *e, unsigned kinds)
{
	for (int m = 0; m < e->ast->modules.n; m++) {
		struct module *mod = e->ast->modules.at[m];
		for (int i = 0; i < mod->items.n; i++) {
			struct item *it = mod->items.at[i];
			if (kinds >> it->kind & 1)
				item_value(e, it, it->span);
		}
	}
}

/* Names in files stand for params, so these come first. */
static void walk_slots(struct elab *e)
{
	walk_items(e, 1u << ITEM_PARAM | 1u << ITEM_STATE | 1u << ITEM_CACHE | 1u << ITEM_CONFIG | 1u << ITEM_CONST);
	walk_items(e, 1u << ITEM_NAMES);
}

static void walk_tests(struct elab *e)
{
	struct module *m = e->ast->main;
	const char *only = e->s->options.only_tests;
	for (int i = 0; i < m->items.n; i++) {
		struct item *it = m->items.at[i];
		if (it->kind != ITEM_TEST)
			continue;
		if (only && !strstr(it->name.text, only)) {
			vec_push(e->a, &e->p->other_tests, it->name.text);
			continue;
		}
		struct test_case t = {
			.title = it->name.text, .span = it->span, .site = program_site(e->p, it->span, it->name.text)};
		t.function = walk_body(e, it, elab_intern(e, "test%d", e->p->tests.n + 1));
		vec_push(e->a, &e->p->tests, t);
	}
}

static void walk_main(struct elab *e)
{
	struct module *m = e->ast->main;
	for (int i = 0; i < m->items.n; i++)
		if (m->items.at[i]->kind == ITEM_MAIN)
			e->p->main = walk_body(e, m->items.at[i], "main");
}

static void walk_functions(struct elab *e)
{
	struct module *m = e->ast->main;
	for (int i = 0; i < m->items.n; i++) {
		e->code = new_code(e, "uncalled");
		e->frame = ARENA_NEW(e->a, struct frame);
		e->module = m;
		e->scope = NULL;
		e->call = NULL;
		env_push(e);
		walk_uncalled(e, m->items.at[i]);
	}
}

/* The init code is made on the side; its region ends when everything else is known. */
static void finish_init(struct elab *e)
{
	e->code = e->init_code;
	e->region = e->init_region;
	e->call = NULL;
	region_close(e);
	e->p->init = e->init_code->fn;
}

static void verify_host(struct elab *e, const struct host_function *f)
{
	const char *wrong = f ? host_verify(e->a, f) : NULL;
	BUG_IF(wrong, "host code of %s: %s", f->name, wrong);
}

static void finish(struct elab *e)
{
	finish_init(e);
	if (e->s->errors)
		return;
	region_finish(e);
	steps_mark(e);
	verify_host(e, e->p->init);
	verify_host(e, e->p->main);
	for (int i = 0; i < e->p->tests.n; i++)
		verify_host(e, e->p->tests.at[i].function);
	for (int i = 0; i < e->p->regions.n; i++) {
		const char *wrong = graph_order(e->p->regions.at[i]->graph);
		BUG_IF(wrong, "graph of %s: %s", e->p->regions.at[i]->name, wrong);
		wrong = graph_verify(e->p->regions.at[i]->graph);
		BUG_IF(wrong, "graph of %s: %s", e->p->regions.at[i]->name, wrong);
	}
}

static const char *base_name(struct elab *e, const char *path)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path, *dot = strrchr(base, '.');
	return dot && dot != base ? arena_strndup(e->a, base, (size_t)(dot - base)) : base;
}

struct elab *elab_new(struct program_ast *ast)
{
	struct session *s = ast->session;
	const char *path = s->sources.at[ast->main->file].path;
	struct elab *e = ARENA_NEW(s->arena, struct elab);
	*e = (struct elab){.s = s, .a = s->arena, .ast = ast, .module = ast->main};
	e->p = program_new(s, base_name(e, path), path);
	map_init(&e->item_values, e->a);
	map_init(&e->places, e->a);
	map_init(&e->states, e->a);
	e->init_code = new_code(e, "init");
	e->code = e->init_code;
	e->frame = ARENA_NEW(e->a, struct frame);
	env_push(e);
	place_collect(e);
	return e;
}

static void unroll_loops(struct program *p)
{
	for (int i = 0; i < p->regions.n; i++)
		graph_unroll(p->regions.at[i]->graph);
}

struct program *compiler_elaborate(struct program_ast *ast, enum elaborate_what what)
{
	struct elab *e = elab_new(ast);
	walk_slots(e);
	switch (what) {
	case ELABORATE_MAIN:
		walk_main(e);
		break;
	case ELABORATE_TESTS:
		walk_tests(e);
		break;
	case ELABORATE_UNCALLED:
		walk_functions(e);
		break;
	}
	finish(e);
	if (e->s->options.unroll_loops && !e->s->errors)
		unroll_loops(e->p);
	return e->p;
}
