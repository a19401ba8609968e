/* ast.c — prints expressions and types as PML text that parses to the same tree.
 * Parentheses are put where the tree needs them, from one number per node: how strongly it binds. */
#include "parse.h"
#include "print.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	BIND_TO = 0,
	BIND_IF = 5,
	BIND_RANGE = 35,
	BIND_REDUCE = 38,
	BIND_UNARY = 55,
	BIND_AS = 70,
	BIND_POSTFIX = 80,
	BIND_PRIMARY = 90
};

static const struct {
	const char *text;
	int bind;
} binaries[] = {
#define BINARY(kind, text, level) [BIN_##kind] = {text, 10 * (level)},
#include "ast.def"
};

static int binding(const struct expr *e)
{
	switch (e->kind) {
	case EXPR_TO:
		return BIND_TO;
	case EXPR_IF:
	case EXPR_EACH:
		return BIND_IF;
	case EXPR_BINARY:
		return binaries[e->op].bind;
	case EXPR_RANGE:
		return BIND_RANGE;
	case EXPR_REDUCE:
		return BIND_REDUCE;
	case EXPR_UNARY:
		return BIND_UNARY;
	case EXPR_AS:
		return BIND_AS;
	case EXPR_PLACE:
		return e->place.axes.n ? BIND_AS : BIND_PRIMARY;
	case EXPR_CALL:
	case EXPR_INDEX:
	case EXPR_FIELD:
	case EXPR_MAYBE:
		return BIND_POSTFIX;
	case EXPR_INT:
	case EXPR_FLOAT:
	case EXPR_STRING:
	case EXPR_BOOL:
	case EXPR_NAME:
	case EXPR_TUPLE:
	case EXPR_LIST:
	case EXPR_LAYOUT:
	case EXPR_BLOCK:
		return BIND_PRIMARY;
	}
	return BIND_PRIMARY;
}

static void print_plain(struct printer *p, const struct expr *e);
static void print_bound(struct printer *p, const struct expr *e, int least);

static void print_list(struct printer *p, struct expr *const *items, int n)
{
	for (int i = 0; i < n; i++) {
		text_add(p->text, i ? ", " : "");
		print_expr(p, items[i]);
	}
}

void print_string(struct printer *p, const char *s)
{
	text_add(p->text, "\"");
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;
		if (c == '"' || c == '\\')
			text_printf(p->text, "\\%c", c);
		else if (c == '\n')
			text_add(p->text, "\\n");
		else if (c < 0x20 || c == 0x7f)
			text_printf(p->text, "\\x%02x", c);
		else
			text_add_n(p->text, s, 1);
	}
	text_add(p->text, "\"");
}

/* The shortest digits that read back as the same number, with a point or exponent so that they read as one. */
static void print_float(struct printer *p, double f)
{
	char digits[40];
	for (int precision = 1; precision <= 17; precision++) {
		snprintf(digits, sizeof digits, "%.*g", precision, f);
		if (strtod(digits, NULL) == f)
			break;
	}
	text_add(p->text, digits);
	if (!strpbrk(digits, ".e"))
		text_add(p->text, ".0");
}

/* Words that would become keywords before `(` or `{`: as variables they stand in parentheses. */
static void print_name(struct printer *p, const char *name)
{
	static const char *const words[] = {
#define WORD(token, text, follow) (follow) == '(' || (follow) == '{' || (follow) == 'e' ? text : "",
#include "ast.def"
	};
	bool guard = false;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		guard |= !strcmp(words[i], name);
	text_printf(p->text, guard ? "(%s)" : "%s", name);
}

/* ---- layouts, placements, types ---- */

static void print_atom(struct printer *p, const struct ast_atom *atom)
{
	if (atom->axis.text)
		text_printf(p->text, "%s=", atom->axis.text);
	switch (atom->form) {
	case ATOM_SPLIT:
		text_add(p->text, "S(");
		print_expr(p, atom->dim);
		if (atom->shares) {
			text_add(p->text, ", shares = ");
			print_expr(p, atom->shares);
		}
		text_add(p->text, ")");
		break;
	case ATOM_BROADCAST:
		text_add(p->text, "B");
		break;
	case ATOM_PARTIAL:
		text_add(p->text, "P");
		if (atom->combiner.text)
			text_printf(p->text, "(%s)", atom->combiner.text);
		break;
	case ATOM_AUTO:
		text_add(p->text, "auto");
		break;
	case ATOM_PARAM:
		text_add(p->text, atom->param.text);
		break;
	}
}

static void print_layout(struct printer *p, const struct ast_layout *l)
{
	bool brackets = l->named_axes || l->atoms.n > 1;
	text_add(p->text, brackets ? "(" : "");
	for (int i = 0; i < l->atoms.n; i++) {
		text_add(p->text, i ? ", " : "");
		print_atom(p, &l->atoms.at[i]);
	}
	text_add(p->text, brackets ? ")" : "");
}

static void print_arg(struct printer *p, const struct arg *a)
{
	if (a->name.text)
		text_printf(p->text, a->layout ? "%s : " : "%s = ", a->name.text);
	if (a->layout)
		print_layout(p, a->layout);
	else if (a->is_auto)
		text_add(p->text, "auto");
	else
		print_expr(p, a->value);
}

static void print_args(struct printer *p, const struct arg *args, int n, const char *brackets)
{
	text_add_n(p->text, brackets, 1);
	for (int i = 0; i < n; i++) {
		text_add(p->text, i ? ", " : "");
		print_arg(p, &args[i]);
	}
	text_add_n(p->text, brackets + 1, 1);
}

/* A placement stands where no operation may: its names need no parentheses. */
static void print_place(struct printer *p, const struct expr *e)
{
	if (e->kind == EXPR_NAME) {
		text_add(p->text, e->name.text);
	} else if (e->kind == EXPR_FIELD) {
		print_place(p, e->object);
		text_printf(p->text, ".%s", e->name.text);
	} else if (e->kind == EXPR_INDEX) {
		print_place(p, e->callee);
		print_args(p, e->args.at, e->args.n, "[]");
	} else {
		print_bound(p, e, BIND_PRIMARY);
	}
}

void print_dims(struct printer *p, const struct ast_dim *dims, int n)
{
	for (int i = 0; i < n; i++) {
		text_add(p->text, i ? ", " : "");
		switch (dims[i].form) {
		case DIM_EXPR:
			print_expr(p, dims[i].expr);
			break;
		case DIM_REST:
			text_add(p->text, "..");
			break;
		case DIM_ANY:
			text_add(p->text, "_");
			break;
		}
	}
}

static void print_named_type(struct printer *p, const struct type *t)
{
	if (t->qualifier.text)
		text_printf(p->text, "%s.", t->qualifier.text);
	if (t->name.text)
		text_add(p->text, t->name.text);
	if (!t->has_dims)
		return;
	text_add(p->text, "[");
	print_dims(p, t->dims.at, t->dims.n);
	print_list(p, t->args.at, t->args.n);
	text_add(p->text, "]");
}

void print_type(struct printer *p, const struct type *t)
{
	switch (t->kind) {
	case TYPE_TENSOR:
	case TYPE_NAMED:
		print_named_type(p, t);
		break;
	case TYPE_ARRAY:
		text_add(p->text, "[");
		if (t->index.text)
			text_printf(p->text, "%s in ", t->index.text);
		print_dims(p, t->dims.at, t->dims.n);
		text_add(p->text, "] ");
		print_type(p, t->element);
		break;
	case TYPE_TUPLE:
		text_add(p->text, "(");
		for (int i = 0; i < t->members.n; i++) {
			text_add(p->text, i ? ", " : "");
			print_type(p, t->members.at[i]);
		}
		text_add(p->text, ")");
		break;
	}
	if (t->placement) {
		text_add(p->text, " @ ");
		print_place(p, t->placement);
	}
	if (t->layout) {
		text_add(p->text, " : ");
		print_layout(p, t->layout);
	}
}

/* ---- expressions ---- */

/* How tight the left operand must bind to stand without parentheses. */
static int binding_of_left(const struct expr *e)
{
	int bind = binaries[e->op].bind;
	return bind + (bind == binaries[BIN_EQ].bind || e->op == BIN_POW);
}

/* Down the left side of a chain and up again. */
static void print_binary(struct printer *p, const struct expr *e)
{
	VEC(const struct expr *) chain = {0};
	for (; e->kind == EXPR_BINARY; e = e->lhs) {
		vec_push(p->text->arena, &chain, e);
		text_add(p->text, binding(e->lhs) < binding_of_left(e) ? "(" : "");
	}
	print_plain(p, e);
	for (int i = chain.n - 1; i >= 0; i--) {
		const struct expr *x = chain.at[i];
		text_add(p->text, binding(x->lhs) < binding_of_left(x) ? ")" : "");
		text_printf(p->text, " %s ", binaries[x->op].text);
		print_bound(p, x->rhs, binaries[x->op].bind + (x->op != BIN_POW));
	}
}

static void print_range(struct printer *p, const struct expr *e)
{
	if (e->lhs)
		print_bound(p, e->lhs, BIND_RANGE + 1);
	text_add(p->text, "..");
	if (e->rhs)
		print_bound(p, e->rhs, BIND_RANGE + 1);
}

/* An element of a variable called `sum` would read as a reduction before an operand: it stands in parentheses. */
static bool reads_as_reduction(const struct expr *e)
{
	if (e->callee->kind != EXPR_NAME || !lexer_is_combiner(e->callee->name.text) || e->args.n == 0)
		return false;
	for (int i = 0; i < e->args.n; i++)
		if (e->args.at[i].name.text || !e->args.at[i].value || e->args.at[i].value->kind != EXPR_NAME)
			return false;
	return true;
}

static void print_index(struct printer *p, const struct expr *e)
{
	bool guard = reads_as_reduction(e);
	text_add(p->text, guard ? "(" : "");
	print_bound(p, e->callee, BIND_POSTFIX);
	print_args(p, e->args.at, e->args.n, "[]");
	text_add(p->text, guard ? ")" : "");
}

static void print_to(struct printer *p, const struct expr *e)
{
	print_bound(p, e->to.value, BIND_TO);
	text_add(p->text, " to ");
	if (e->to.placement) {
		text_add(p->text, "@");
		print_place(p, e->to.placement);
		text_add(p->text, e->to.layout ? " : " : "");
	}
	if (e->to.layout)
		print_layout(p, e->to.layout);
}

static void print_if(struct printer *p, const struct expr *e)
{
	text_add(p->text, "if ");
	print_expr(p, e->cond.cond);
	text_add(p->text, " => ");
	print_expr(p, e->cond.then);
	text_add(p->text, " else ");
	print_bound(p, e->cond.other, BIND_IF);
}

static void print_each(struct printer *p, const struct expr *e)
{
	text_add(p->text, "each ");
	print_pattern(p, e->each.pattern);
	text_add(p->text, " in ");
	print_expr(p, e->each.of);
	text_add(p->text, " => ");
	print_bound(p, e->each.body, BIND_IF);
}

static void print_reduce(struct printer *p, const struct expr *e)
{
	text_printf(p->text, "%s[", e->reduce.combiner.text);
	for (int i = 0; i < e->reduce.factors.n; i++)
		text_printf(p->text, "%s%s", i ? ", " : "", e->reduce.factors.at[i].text);
	text_add(p->text, "] ");
	print_bound(p, e->reduce.body, BIND_REDUCE);
}

static void print_ranks(struct printer *p, const struct expr *e)
{
	const struct expr *ranks = e->place.ranks;
	enum expr_kind k = ranks->kind;
	bool reshape = k == EXPR_NAME || k == EXPR_FIELD || k == EXPR_INDEX || k == EXPR_CALL || k == EXPR_PLACE;
	if (reshape && e->place.axes.n) {
		print_bound(p, ranks, BIND_AS);
	} else {
		text_add(p->text, e->place.is_open ? "auto(ranks(" : "ranks(");
		print_expr(p, ranks);
		text_add(p->text, e->place.is_open ? "))" : ")");
	}
	if (e->place.axes.n) {
		text_add(p->text, expr_is_auto_mesh(e) ? " as auto" : " as ");
	}
	if (e->place.axes.n && !expr_is_auto_mesh(e)) {
		print_args(p, e->place.axes.at, e->place.axes.n, "()");
	}
}

static void print_tuple(struct printer *p, const struct expr *e)
{
	bool list = e->kind == EXPR_LIST;
	text_add(p->text, list ? "[" : "(");
	print_list(p, e->items.at, e->items.n);
	text_add(p->text, list ? "]" : e->items.n == 1 ? ",)" : ")");
}

static void print_plain(struct printer *p, const struct expr *e)
{
	switch (e->kind) {
	case EXPR_INT:
		text_printf(p->text, "%" PRId64, e->i);
		break;
	case EXPR_FLOAT:
		print_float(p, e->f);
		break;
	case EXPR_STRING:
		print_string(p, e->string);
		break;
	case EXPR_BOOL:
		text_add(p->text, e->i ? "true" : "false");
		break;
	case EXPR_NAME:
		print_name(p, e->name.text);
		break;
	case EXPR_FIELD:
		print_bound(p, e->object, BIND_POSTFIX);
		text_printf(p->text, ".%s", e->name.text);
		break;
	case EXPR_MAYBE:
		print_bound(p, e->index, BIND_POSTFIX);
		text_add(p->text, "?");
		break;
	case EXPR_UNARY:
		text_add(p->text, e->op == UN_NEG ? "-" : "!");
		print_bound(p, e->rhs, BIND_UNARY);
		break;
	case EXPR_BINARY:
		print_binary(p, e);
		break;
	case EXPR_RANGE:
		print_range(p, e);
		break;
	case EXPR_CALL:
		print_bound(p, e->callee, BIND_POSTFIX);
		print_args(p, e->args.at, e->args.n, "()");
		break;
	case EXPR_INDEX:
		print_index(p, e);
		break;
	case EXPR_TUPLE:
	case EXPR_LIST:
		print_tuple(p, e);
		break;
	case EXPR_LAYOUT:
		print_args(p, e->layout.at, e->layout.n, "()");
		break;
	case EXPR_TO:
		print_to(p, e);
		break;
	case EXPR_AS:
		print_bound(p, e->as.value, BIND_AS);
		text_add(p->text, " as ");
		print_type(p, e->as.type);
		break;
	case EXPR_IF:
		print_if(p, e);
		break;
	case EXPR_EACH:
		print_each(p, e);
		break;
	case EXPR_REDUCE:
		print_reduce(p, e);
		break;
	case EXPR_BLOCK:
		text_add(p->text, e->block.head.text);
		if (!strcmp(e->block.head.text, "mixed"))
			text_printf(p->text, " %s", e->block.args.at[0].value->name.text);
		else if (e->block.args.n || strcmp(e->block.head.text, "remat"))
			print_args(p, e->block.args.at, e->block.args.n, "()");
		text_add(p->text, " ");
		print_block(p, e->block.body, true);
		break;
	case EXPR_PLACE:
		print_ranks(p, e);
		break;
	}
}

static void print_bound(struct printer *p, const struct expr *e, int least)
{
	bool guard = binding(e) < least;
	text_add(p->text, guard ? "(" : "");
	print_plain(p, e);
	text_add(p->text, guard ? ")" : "");
}

void print_expr(struct printer *p, const struct expr *e)
{
	print_bound(p, e, BIND_TO);
}

void ast_print_expr(struct text *t, const struct expr *e)
{
	print_expr(&(struct printer){.text = t}, e);
}

void ast_print_type(struct text *t, const struct type *ty)
{
	print_type(&(struct printer){.text = t}, ty);
}
