/* names_stmt.c — names in statements: what they declare, and what may be assigned. */
#include "names.h"

#include <string.h>

void declare_pattern(struct checker *c, struct pattern *pat, enum local_kind kind)
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

static void factor_is_no_name(struct checker *c, const struct ast_dim *dim)
{
	struct diag *d = diag_error(c->session, PML0117, dim->span, "a factor of the result is a plain name");
	const struct expr *e = dim->form == DIM_EXPR ? dim->expr : NULL;
	if (e && e->kind == EXPR_BINARY)
		e = e->lhs; /* `i[n] < rows` */
	if (e && e->kind == EXPR_INDEX)
		diag_help(d, "where data says which row a term belongs to, an op adds up: `op f(i[n]: int, x[n, d], "
			     "rows: int) -> [i < rows, d] = sum[n] x;`");
}

static void declare_factors(struct checker *c, const struct pattern *pat)
{
	for (int i = 0; i < pat->factors.n; i++) {
		const struct ast_dim *dim = &pat->factors.at[i];
		if (dim->form == DIM_EXPR && dim->expr->kind == EXPR_NAME)
			scope_declare(c, dim->expr->name, LOCAL_FACTOR);
		else if (dim->form != DIM_REST)
			factor_is_no_name(c, dim);
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

/* loops: around the body, of those that `break` can leave. */
static void check_body(struct checker *c, struct stmt *s, int loops)
{
	int outer = c->loops;
	c->loops = loops;
	check_stmt(c, s->body);
	c->loops = outer;
}

static void check_every(struct checker *c, const struct stmt *s)
{
	if (s->every)
		check_expr(c, s->every);
}

static void check_loop(struct checker *c, struct stmt *s, enum local_kind kind)
{
	struct scope scope;
	check_every(c, s);
	check_expr(c, s->value);
	scope_push(c, &scope);
	declare_pattern(c, s->pattern, kind);
	check_body(c, s, kind == LOCAL_LOOP ? c->loops + 1 : 0);
	scope_pop(c);
}

static void report_fixed(struct checker *c, struct name name, const char *what, struct span declared)
{
	struct diag *d = diag_error(c->session, PML0112, name.span, "`%s` does not change: it is %s", name.text, what);
	if (declared.file)
		diag_label(d, declared, "declared here");
	if (!strcmp(what, "a parameter"))
		diag_help(d, "a variable that begins as it is may change: `var now = %s;`", name.text);
	if (strcmp(what, "bound by `let`"))
		return;
	diag_help(d, "declare it with `var` to assign to it");
	struct span let = {declared.file, declared.begin - 4, declared.begin - 1};
	if (declared.begin >= 4 && !strncmp(c->session->sources.at[declared.file].bytes + let.begin, "let ", 4))
		diag_edit(d, let, "var");
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
		struct diag *d = scope_unknown_target(c, e->name);
		if (s->op == ASSIGN_SET && s->target == e) {
			diag_help(d, d->helps.n ? "or declare it" : "declare it, if it is a new name");
			diag_edit(d, (struct span){e->span.file, e->span.begin, e->span.begin}, "let ");
			scope_declare(c, e->name, LOCAL_VAR); /* told once */
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
		diag_help(diag_error(c->session, PML0107, word, "`return` cannot leave a block that is an expression"),
			  "the block has the value of its last expression, without `;`: `return remat { let y = f(x); "
			  "sum(y) };`");
	else if (c->item->kind != ITEM_FN)
		diag_error(c->session, PML0107, word, "`return` outside of a function");
	check_optional(c, s->value);
}

static void check_leave(struct checker *c, struct stmt *s)
{
	const char *word = s->kind == STMT_BREAK ? "break" : "continue";
	if (!c->loops && c->blocks)
		diag_error(c->session, PML0107, s->span, "`%s` cannot leave a block that is an expression", word);
	else if (!c->loops)
		diag_error(c->session, PML0107, s->span, "`%s` outside of a loop", word);
}

static bool only_computes(const struct expr *e);

static bool all_only_compute(const struct expr *e)
{
	for (int i = 0; i < e->items.n; i++)
		if (!only_computes(e->items.at[i]))
			return false;
	return true;
}

/* Nothing happens but a value: there is no call in it, nor anything else that could print or assign. */
static bool only_computes(const struct expr *e)
{
	for (; e->kind == EXPR_BINARY; e = e->lhs) /* chains lean to the left */
		if (!only_computes(e->rhs))
			return false;
	switch (e->kind) {
	case EXPR_INT:
	case EXPR_FLOAT:
	case EXPR_STRING:
	case EXPR_BOOL:
	case EXPR_NAME:
		return true;
	case EXPR_FIELD:
		return only_computes(e->object);
	case EXPR_UNARY:
		return only_computes(e->rhs);
	case EXPR_INDEX:
		return only_computes(e->callee);
	case EXPR_TO:
		return only_computes(e->to.value);
	case EXPR_AS:
		return only_computes(e->as.value);
	case EXPR_TUPLE:
	case EXPR_LIST:
		return all_only_compute(e);
	default:
		return false;
	}
}

/* `last`: it may be the value of a block that is an expression. */
static void check_value(struct checker *c, const struct stmt *s, bool last)
{
	const struct expr *e = s->value;
	check_expr(c, s->value);
	if (last || !only_computes(e))
		return;
	struct diag *d = diag_error(c->session, PML0513, e->span, "nothing uses this value");
	if (e->kind == EXPR_BINARY && e->op == BIN_EQ) {
		diag_help(d, "`=` assigns, `==` compares");
		diag_edit(d, (struct span){e->span.file, e->lhs->span.end, e->rhs->span.begin}, " = ");
	} else {
		diag_help(d, c->item && c->item->kind == ITEM_FN ? "what a function gives is returned: `return …;`"
								  : "give it a name by `let`, or print it");
	}
}

static void check_block(struct checker *c, struct stmt *block)
{
	struct scope scope;
	scope_push(c, &scope);
	for (struct stmt *s = block->body; s; s = s->next)
		check_stmt(c, s);
	scope_pop(c);
}

void check_stmt(struct checker *c, struct stmt *s)
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
		check_value(c, s, c->blocks && !s->next);
		break;
	case STMT_BREAK:
	case STMT_CONTINUE:
		check_leave(c, s);
		break;
	case STMT_WHILE:
		check_every(c, s);
		check_expr(c, s->value);
		check_body(c, s, c->loops + 1);
		break;
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
