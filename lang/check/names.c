/* names.c — resolves every name of every module and checks what can be known without types.
 * In: parsed modules.  Out: the same, with `item` set in names that refer to items, and messages.
 * What a called built-in accepts, what a field of a value is, which sizes fit: the elaborator knows. */
#include "names.h"

#include <string.h>

/* ---- expressions ---- */

static void check_name(struct checker *c, struct expr *e)
{
	const char *name = e->name.text;
	if (!strcmp(name, "_")) {
		diag_error(c->session, PML0113, e->span, "`_` has no value");
		return;
	}
	if (scope_local(c, name))
		return;
	e->item = scope_item(c, name);
	if (!e->item && !scope_is_builtin(name) && !type_is_dtype(name))
		scope_unknown(c, e->name);
}

/* `object.name`: a member of a module if object names one, else a field of a value. */
static void check_field(struct checker *c, struct expr *e)
{
	struct expr *object = e->object;
	struct item *import = object->kind == EXPR_NAME ? scope_import(c, object->name.text) : NULL;
	if (!import) {
		check_expr(c, object);
		return;
	}
	object->item = import;
	if (!import->target)
		return;
	e->item = map_get(&import->target->scope, e->name.text);
	if (e->item && e->item->kind != ITEM_IMPORT)
		return;
	e->item = NULL;
	struct diag *d = diag_error(c->session, PML0110, e->name.span, "module `%s` has no `%s`", import->name.text,
				    e->name.text);
	unsigned members = ~(1u << ITEM_IMPORT);
	suggest(d, e->name.span, nearest_item(c->session, e->name.text, &import->target->scope, members));
}

static void check_args(struct checker *c, struct arg *args, int n)
{
	bool named = false;
	for (int i = 0; i < n; i++) {
		struct arg *a = &args[i];
		if (!a->name.text && named)
			diag_error(c->session, PML0114, a->span, "arguments by position stand before those by name");
		named |= a->name.text != NULL;
		for (int j = 0; j < i && a->name.text; j++) {
			if (args[j].name.text != a->name.text)
				continue;
			struct diag *d =
				diag_error(c->session, PML0108, a->name.span, "`%s` is given twice", a->name.text);
			diag_label(d, args[j].name.span, "here first");
			break;
		}
		if (a->value)
			check_expr(c, a->value);
		if (a->layout)
			check_layout(c, a->layout);
	}
}

static void check_reduce(struct checker *c, struct expr *e)
{
	struct scope scope;
	scope_push(c, &scope);
	for (int i = 0; i < e->reduce.factors.n; i++)
		scope_declare(c, e->reduce.factors.at[i], LOCAL_FACTOR);
	check_expr(c, e->reduce.body);
	scope_pop(c);
}

static void check_stmt(struct checker *c, struct stmt *s);
static void declare_pattern(struct checker *c, struct pattern *pat, enum local_kind kind);

static void check_each(struct checker *c, struct expr *e)
{
	struct scope scope;
	check_expr(c, e->each.of);
	scope_push(c, &scope);
	declare_pattern(c, e->each.pattern, LOCAL_EACH);
	check_expr(c, e->each.body);
	scope_pop(c);
}

static void check_optional(struct checker *c, struct expr *e)
{
	if (e)
		check_expr(c, e);
}

void check_expr(struct checker *c, struct expr *e)
{
	switch (e->kind) {
	case EXPR_INT:
	case EXPR_FLOAT:
	case EXPR_STRING:
	case EXPR_BOOL:
		break;
	case EXPR_NAME:
		check_name(c, e);
		break;
	case EXPR_FIELD:
		check_field(c, e);
		break;
	case EXPR_UNARY:
	case EXPR_BINARY:
	case EXPR_RANGE:
		check_optional(c, e->lhs);
		check_optional(c, e->rhs);
		break;
	case EXPR_CALL:
	case EXPR_INDEX:
		check_expr(c, e->callee);
		check_args(c, e->args.at, e->args.n);
		break;
	case EXPR_TUPLE:
	case EXPR_LIST:
		for (int i = 0; i < e->items.n; i++)
			check_expr(c, e->items.at[i]);
		break;
	case EXPR_TO:
		check_expr(c, e->to.value);
		if (e->to.placement)
			check_place(c, e->to.placement);
		if (e->to.layout)
			check_layout(c, e->to.layout);
		break;
	case EXPR_AS:
		check_expr(c, e->as.value);
		check_type(c, e->as.type);
		break;
	case EXPR_IF:
		check_expr(c, e->cond.cond);
		check_expr(c, e->cond.then);
		check_expr(c, e->cond.other);
		break;
	case EXPR_EACH:
		check_each(c, e);
		break;
	case EXPR_REDUCE:
		check_reduce(c, e);
		break;
	case EXPR_BLOCK:
		check_args(c, e->block.args.at, e->block.args.n);
		c->blocks++;
		check_stmt(c, e->block.body);
		c->blocks--;
		break;
	case EXPR_PLACE:
		check_expr(c, e->place.ranks);
		check_args(c, e->place.axes.at, e->place.axes.n);
		break;
	}
}

/* ---- statements ---- */

static void declare_pattern(struct checker *c, struct pattern *pat, enum local_kind kind)
{
	if (pat->indexed && kind != LOCAL_LET && kind != LOCAL_VAR)
		diag_error(c->session, PML0117, pat->span, "index notation stands after `let` and `var`");
	for (int i = 0; i < pat->members.n; i++) {
		if (pat->members.at[i]->indexed)
			diag_error(c->session, PML0117, pat->members.at[i]->span, "index notation gives one result");
		else
			declare_pattern(c, pat->members.at[i], kind);
	}
	scope_declare(c, pat->name, kind);
}

static void declare_factors(struct checker *c, const struct pattern *pat)
{
	for (int i = 0; i < pat->factors.n; i++) {
		const struct ast_dim *dim = &pat->factors.at[i];
		if (dim->form == DIM_EXPR && dim->expr->kind == EXPR_NAME)
			scope_declare(c, dim->expr->name, LOCAL_FACTOR);
		else if (dim->form != DIM_REST)
			diag_error(c->session, PML0117, dim->span, "a factor of the result is a plain name");
	}
}

/* The value is checked before its names are declared: `let x = x + 1` reads an outer x. */
static void check_let(struct checker *c, struct stmt *s, enum local_kind kind)
{
	struct scope scope;
	if (s->pattern->type)
		check_type(c, s->pattern->type);
	scope_push(c, &scope);
	declare_factors(c, s->pattern);
	check_expr(c, s->value);
	scope_pop(c);
	declare_pattern(c, s->pattern, kind);
}

static void check_loop(struct checker *c, struct stmt *s, enum local_kind kind)
{
	struct scope scope;
	check_expr(c, s->value);
	scope_push(c, &scope);
	declare_pattern(c, s->pattern, kind);
	check_stmt(c, s->body);
	scope_pop(c);
}

static void report_fixed(struct checker *c, struct name name, const char *what, struct span declared)
{
	struct diag *d = diag_error(c->session, PML0112, name.span, "`%s` does not change: it is %s", name.text, what);
	if (declared.file)
		diag_label(d, declared, "declared here");
	if (!strcmp(what, "bound by `let`"))
		diag_note(d, "declare it with `var` to assign to it");
}

/* An unknown name on the left of a plain `=` is most often a forgotten `let`. */
static void check_assigned_name(struct checker *c, struct expr *e, const struct stmt *s)
{
	static const char *const what[] = {
		[LOCAL_LET] = "bound by `let`",   [LOCAL_VAR] = NULL,          [LOCAL_STATE] = NULL,
		[LOCAL_LOOP] = "a loop variable", [LOCAL_EACH] = NULL,         [LOCAL_PARAM] = "a parameter",
		[LOCAL_FACTOR] = "a factor",      [LOCAL_SIZE] = "a size",     [LOCAL_DTYPE] = "a type",
		[LOCAL_PLACE] = "a placement",    [LOCAL_LAYOUT] = "a layout",
	};
	struct local *local = scope_local(c, e->name.text);
	e->item = local ? NULL : scope_item(c, e->name.text);
	if (local && what[local->kind]) {
		report_fixed(c, e->name, what[local->kind], local->span);
	} else if (e->item && !item_is_slot(e->item)) {
		report_fixed(c, e->name, "not a variable, `param`, `state` or `cache`", e->item->name.span);
	} else if (!local && !e->item) {
		struct diag *d = scope_unknown(c, e->name);
		if (s->op == ASSIGN_SET && s->target == e) {
			diag_help(d, "or declare it");
			diag_edit(d, (struct span){e->span.file, e->span.begin, e->span.begin}, "let ");
		}
	}
}

/* A field of a value may be assigned whatever holds the value; a variable itself or its elements only if it may change.
 */
static void check_target(struct checker *c, struct expr *e, const struct stmt *s)
{
	if (e->kind == EXPR_NAME) {
		check_assigned_name(c, e, s);
	} else if (e->kind == EXPR_INDEX) {
		check_target(c, e->callee, s);
		check_args(c, e->args.at, e->args.n);
	} else if (e->kind == EXPR_TUPLE) {
		for (int i = 0; i < e->items.n; i++)
			check_target(c, e->items.at[i], s);
	} else {
		check_expr(c, e);
	}
}

static void check_assign(struct checker *c, struct stmt *s)
{
	check_target(c, s->target, s);
	check_expr(c, s->value);
}

static void check_state(struct checker *c, struct stmt *s)
{
	if (s->type)
		check_type(c, s->type);
	check_optional(c, s->like);
	check_expr(c, s->value);
	scope_declare(c, s->pattern->name, LOCAL_STATE);
}

static void check_return(struct checker *c, struct stmt *s)
{
	struct span word = {s->span.file, s->span.begin, s->span.begin + 6};
	if (c->blocks)
		diag_error(c->session, PML0107, word, "`return` cannot leave a block that is an expression");
	else if (c->item->kind != ITEM_FN)
		diag_error(c->session, PML0107, word, "`return` outside of a function");
	check_optional(c, s->value);
}

static void check_block(struct checker *c, struct stmt *block)
{
	struct scope scope;
	scope_push(c, &scope);
	for (struct stmt *s = block->body; s; s = s->next)
		check_stmt(c, s);
	scope_pop(c);
}

static void check_stmt(struct checker *c, struct stmt *s)
{
	switch (s->kind) {
	case STMT_LET:
		check_let(c, s, LOCAL_LET);
		break;
	case STMT_VAR:
		check_let(c, s, LOCAL_VAR);
		break;
	case STMT_STATE:
		check_state(c, s);
		break;
	case STMT_ASSIGN:
		check_assign(c, s);
		break;
	case STMT_RETURN:
		check_return(c, s);
		break;
	case STMT_FOR:
		check_loop(c, s, LOCAL_LOOP);
		break;
	case STMT_EACH:
		check_loop(c, s, LOCAL_EACH);
		break;
	case STMT_EXPR:
		check_expr(c, s->value);
		break;
	case STMT_WHILE:
	case STMT_EVERY:
	case STMT_IF:
		check_expr(c, s->value);
		check_stmt(c, s->body);
		if (s->other)
			check_stmt(c, s->other);
		break;
	case STMT_BLOCK:
		check_block(c, s);
		break;
	}
}

/* ---- items ---- */

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
	check_op_dims(c, it->out_dims.at, it->out_dims.n);
	check_expr(c, it->value);
}

static void check_item(struct checker *c, struct item *it)
{
	struct scope scope;
	c->item = it;
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

void names_check(struct program_ast *program)
{
	struct checker c = {.session = program->session, .program = program};
	for (int i = 0; i < program->modules.n; i++)
		scope_fill(program->session, program->modules.at[i]);
	defines_apply(program);
	for (int i = 0; i < program->modules.n; i++) {
		c.module = program->modules.at[i];
		for (int j = 0; j < c.module->items.n; j++)
			check_item(&c, c.module->items.at[j]);
	}
}
