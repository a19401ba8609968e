/* names_expr.c — names in expressions. */
#include "names.h"

#include "../habit.h"

#include <ctype.h>
#include <string.h>

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

/* Braces of TeX, of which the text before `open` ends with a sign: `x^{`, `f_{`, `}_{`, `\\sqrt{`. But `layer_{` is a name. */
static bool is_tex(const char *text, const char *open)
{
	const char *word = open;
	while (word > text && isalpha((unsigned char)word[-1]))
		word--;
	if (word < open)
		return word > text && word[-1] == '\\';
	if (open == text || (open[-1] != '_' && open[-1] != '^'))
		return false;
	const char *base = open - 1;
	while (base > text && char_is_word(base[-1]))
		base--;
	return open[-1] == '^' || open - 1 - base <= 1 || (base > text && base[-1] == '\\');
}

/* What a string of other languages would say in braces, `{name}`, `{name.w}`, `{name:.3f}`, of a name that is known.
 * Those of `names` do. */
static void check_string(struct checker *c, struct expr *e)
{
	if (c->item && c->item->kind == ITEM_NAMES)
		return;
	for (const char *open = strchr(e->string, '{'); open; open = strchr(open + 1, '{')) {
		const char *end = open + 1;
		while (char_is_word(*end))
			end++;
		if (!strchr("}:!.[", *end) || !*end || !strchr(end, '}') || isdigit((unsigned char)open[1]) ||
		    is_tex(e->string, open))
			continue;
		const char *name = intern_n(c->session->names, open + 1, (size_t)(end - open - 1));
		if (!scope_local(c, name) && !scope_member(c->program, c->module, name))
			continue;
		struct diag *d = diag_error(c->session, PML0118, e->span,
					    "`{%s}` in a string is no value but these signs", name);
		diag_help(d,
			  "values stand beside strings: `print(\"%s:\", %s);`; a number as a string is `format(%s, "
			  "digits = 3)`",
			  name, name, name);
		return;
	}
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
	e->item = scope_member(c->program, import->target, e->name.text);
	if (e->item && e->item->kind != ITEM_IMPORT)
		return;
	e->item = NULL;
	struct diag *d = diag_error(c->session, PML0110, e->name.span, "module `%s` has no `%s`", import->name.text,
				    e->name.text);
	if (map_get(&c->program->modules.at[0]->scope, e->name.text) || scope_is_builtin(e->name.text)) {
		diag_help(d, "`%s` is there without a module", e->name.text);
		diag_edit(d, (struct span){e->name.span.file, object->span.begin, e->name.span.begin}, "");
		return;
	}
	const char *here = habit_here(HABIT_MEMBER, e->name.text);
	if (here) {
		diag_help(d, "%s", here);
		return;
	}
	if (suggest_library(c, d, e->name, (struct span){e->name.span.file, object->span.begin, e->name.span.begin}))
		return;
	unsigned members = ~(1u << ITEM_IMPORT);
	suggest(d, e->name.span, nearest_item(c->session, e->name.text, &import->target->scope, members));
}

void check_args(struct checker *c, struct arg *args, int n)
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

static void check_each(struct checker *c, struct expr *e)
{
	struct scope scope;
	check_expr(c, e->each.of);
	scope_push(c, &scope);
	declare_pattern(c, e->each.pattern, LOCAL_EACH);
	check_expr(c, e->each.body);
	scope_pop(c);
}

void check_optional(struct checker *c, struct expr *e)
{
	if (e)
		check_expr(c, e);
}

static void check_chain(struct checker *c, struct expr *e)
{
	VEC(struct expr *) chain = {0};
	for (; e->kind == EXPR_BINARY; e = e->lhs)
		vec_push(c->session->arena, &chain, e);
	check_expr(c, e);
	for (int i = chain.n - 1; i >= 0; i--)
		check_expr(c, chain.at[i]->rhs);
}

/* 2^63, which fits behind a minus only (tree_unary). */
static void check_beyond(struct checker *c, struct expr *e)
{
	diag_error(c->session, PML0008, e->span, "`9223372036854775808` does not fit in 64 bits");
	e->is_beyond = false;
}

void check_expr(struct checker *c, struct expr *e)
{
	switch (e->kind) {
	case EXPR_INT:
		if (e->is_beyond)
			check_beyond(c, e);
		break;
	case EXPR_STRING:
		check_string(c, e);
		break;
	case EXPR_FLOAT:
	case EXPR_BOOL:
		break;
	case EXPR_NAME:
		check_name(c, e);
		break;
	case EXPR_FIELD:
		check_field(c, e);
		break;
	case EXPR_MAYBE:
		check_expr(c, e->index);
		break;
	case EXPR_BINARY:
		check_chain(c, e);
		break;
	case EXPR_UNARY:
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
	case EXPR_LAYOUT:
		check_args(c, e->layout.at, e->layout.n);
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
		int loops = c->loops;
		c->blocks++;
		c->loops = 0;
		check_stmt(c, e->block.body);
		c->blocks--;
		c->loops = loops;
		break;
	case EXPR_PLACE:
		check_expr(c, e->place.ranks);
		check_args(c, e->place.axes.at, e->place.axes.n);
		break;
	}
}
