/* names.c — resolves every name of every module and checks what can be known without types.
 * In: parsed modules.  Out: the same, with `item` set in names that refer to items, and messages.
 * What a called built-in accepts, what a field of a value is, which sizes fit: the elaborator knows. */
#include "names.h"

#include <string.h>

static void declare_generic(struct checker *c, const struct generic *g)
{
	static const struct {
		const char *text;
		enum local_kind kind;
	} kinds[] = {{"place", LOCAL_PLACE},  {"layout", LOCAL_LAYOUT}, {"float", LOCAL_DTYPE}, {"int", LOCAL_DTYPE},
		     {"number", LOCAL_DTYPE}, {"bool", LOCAL_DTYPE},    {"any", LOCAL_DTYPE}};
	enum local_kind kind = LOCAL_SIZE;
	bool known = !g->kind.text;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds && !known; i++)
		if (!strcmp(kinds[i].text, g->kind.text)) {
			known = true;
			kind = kinds[i].kind;
		}
	if (!known) {
		struct diag *d =
			diag_error(c->session, PML0115, g->kind.span, "`%s` is not a kind of parameter", g->kind.text);
		diag_note(d, "kinds are float, int, number, place and layout; a size has none");
	}
	if (!g->rest)
		scope_declare(c, g->name, kind);
}

static void declare_generics(struct checker *c, struct item *it)
{
	int rests = 0;
	for (int i = 0; i < it->generics.n; i++) {
		declare_generic(c, &it->generics.at[i]);
		rests += it->generics.at[i].rest;
		if (it->generics.at[i].rest && rests == 2)
			diag_error(c->session, PML0102, it->generics.at[i].name.span, "`..` is declared twice");
	}
}

static void check_fn(struct checker *c, struct item *it)
{
	for (int i = 0; i < it->params.n; i++) {
		struct param *p = &it->params.at[i];
		if (p->type)
			check_type(c, p->type);
		check_optional(c, p->init);
	}
	if (it->type)
		check_type(c, it->type);
	for (int i = 0; i < it->params.n; i++)
		scope_declare(c, it->params.at[i].name, LOCAL_PARAM);
	check_stmt(c, it->body);
}

/* Two fields of one name are an error; fields do not see each other. */
static void check_struct(struct checker *c, struct item *it)
{
	struct scope scope;
	for (int i = 0; i < it->params.n; i++) {
		check_type(c, it->params.at[i].type);
		check_optional(c, it->params.at[i].init);
	}
	scope_push(c, &scope);
	for (int i = 0; i < it->params.n; i++)
		scope_declare(c, it->params.at[i].name, LOCAL_PARAM);
	scope_pop(c);
}

/* Declares the factors in an index expression: names that nothing else declares. A bare name is always a factor. */
static void declare_factors_of(struct checker *c, const struct expr *e, bool bare)
{
	if (!e)
		return;
	if (e->kind == EXPR_UNARY || e->kind == EXPR_BINARY) {
		declare_factors_of(c, e->lhs, false);
		declare_factors_of(c, e->rhs, false);
	}
	if (e->kind != EXPR_NAME || !strcmp(e->name.text, "_") || scope_local(c, e->name.text))
		return;
	const struct item *it = bare ? NULL : map_get(&c->module->scope, e->name.text);
	if (!it || it->kind != ITEM_CONST)
		scope_declare(c, e->name, LOCAL_FACTOR);
}

static void factors_of_dims(struct checker *c, const struct ast_dim *dims, int n, bool bare)
{
	for (int i = 0; i < n; i++)
		if (dims[i].form == DIM_EXPR && (dims[i].expr->kind == EXPR_NAME) == bare)
			declare_factors_of(c, dims[i].expr, bare);
}

static void declare_op_factors(struct checker *c, struct item *it)
{
	for (int bare = 1; bare >= 0; bare--) {
		for (int i = 0; i < it->params.n; i++)
			factors_of_dims(c, it->params.at[i].dims.at, it->params.at[i].dims.n, bare);
		factors_of_dims(c, it->out_dims.at, it->out_dims.n, bare);
	}
}

static void check_op_dims(struct checker *c, struct ast_dim *dims, int n)
{
	for (int i = 0; i < n; i++)
		if (dims[i].form == DIM_EXPR)
			check_expr(c, dims[i].expr);
		else if (dims[i].form == DIM_ANY)
			diag_error(c->session, PML0113, dims[i].span, "`_` is not a factor");
}

/* The kind of an operand or result: `int`, `float`, `number` or an element type. */
static void check_op_kind(struct checker *c, struct type *t)
{
	if (t && strcmp(t->name.text, "number") && strcmp(t->name.text, "any"))
		check_type(c, t);
}

static void check_op(struct checker *c, struct item *it)
{
	for (int i = 0; i < it->params.n; i++) {
		check_op_kind(c, it->params.at[i].type);
		check_optional(c, it->params.at[i].init);
	}
	check_op_kind(c, it->type);
	for (int i = 0; i < it->params.n; i++)
		scope_declare(c, it->params.at[i].name, LOCAL_PARAM);
	declare_op_factors(c, it);
	for (int i = 0; i < it->params.n; i++)
		check_op_dims(c, it->params.at[i].dims.at, it->params.at[i].dims.n);
	for (int i = 0; i < it->params.n; i++)
		check_optional(c, it->params.at[i].below);
	check_op_dims(c, it->out_dims.at, it->out_dims.n);
	check_expr(c, it->value);
}

static void check_item(struct checker *c, struct item *it)
{
	struct scope scope;
	c->item = it;
	map_init(&c->ended, c->session->arena);
	scope_push(c, &scope);
	declare_generics(c, it);
	switch (it->kind) {
	case ITEM_IMPORT:
		break;
	case ITEM_CONST:
	case ITEM_CONFIG:
	case ITEM_PLACE:
	case ITEM_PARAM:
	case ITEM_STATE:
	case ITEM_CACHE:
		if (it->type)
			check_type(c, it->type);
		check_optional(c, it->value);
		break;
	case ITEM_STRUCT:
		check_struct(c, it);
		break;
	case ITEM_OP:
		check_op(c, it);
		break;
	case ITEM_FN:
		check_fn(c, it);
		break;
	case ITEM_NAMES:
		check_file_names(c, it);
		break;
	case ITEM_MAIN:
	case ITEM_TEST:
		check_stmt(c, it->body);
		break;
	}
	scope_pop(c);
}

/* Items of the library that others refer to are added meanwhile. */
static void check_items(struct program_ast *program)
{
	struct checker c = {.session = program->session, .program = program};
	map_init(&c.told, program->session->arena);
	for (int i = 0; i < program->unchecked.n; i++) {
		c.module = program->unchecked.at[i]->module;
		check_item(&c, program->unchecked.at[i]);
	}
	check_structs(&c, program->unchecked.at, program->unchecked.n);
	scope_tell_others(&c);
	program->unchecked.n = 0;
}

struct item *lang_item(struct program_ast *program, const struct module *m, const char *name)
{
	struct item *it = scope_member(program, m, name);
	check_items(program);
	return it && !it->is_broken ? it : NULL;
}

void lang_read_all(struct program_ast *program, const struct module *m)
{
	for (int i = 0; i < m->items.n; i++)
		lang_item(program, m, m->items.at[i]->name.text);
}

/* Resolves the names of all modules and checks what can be known without types. */
static struct program_ast *checked(struct program_ast *program)
{
	if (!program || program->session->errors)
		return program;
	for (int i = 0; i < program->modules.n; i++)
		scope_fill(program->session, program->modules.at[i]);
	defines_apply(program);
	for (int i = 0; i < program->modules.n; i++) {
		const struct module *m = program->modules.at[i];
		for (int j = 0; j < m->items.n; j++)
			if (!m->items.at[j]->waits)
				vec_push(program->session->arena, &program->unchecked, m->items.at[j]);
	}
	check_items(program);
	return program;
}

struct program_ast *lang_load(struct session *s, const char *path)
{
	return checked(modules_load(s, path));
}

struct program_ast *lang_load_text(struct session *s, const char *path, const char *bytes, size_t size)
{
	return checked(modules_load_text(s, path, bytes, size));
}
