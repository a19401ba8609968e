/* tree.c — makes AST nodes for the grammar's actions.
 * Every node knows how deep it is nested. A node deeper than MAX_DEPTH is reported once and becomes a leaf, so that
 * no walker of the tree, here or in later stages, can run out of stack, even for a sum of a million terms. */
#include "parse.h"

#include <string.h>

/* ---- depth ---- */

static void raise_to(int *depth, int other)
{
	if (*depth < other)
		*depth = other;
}

static void raise_expr(int *depth, const struct expr *e)
{
	if (e)
		raise_to(depth, e->depth);
}

static void raise_layout(int *depth, const struct ast_layout *l)
{
	for (int i = 0; l && i < l->atoms.n; i++)
		raise_expr(depth, l->atoms.at[i].dim);
}

static int args_depth(const struct arg *args, int n)
{
	int depth = 0;
	for (int i = 0; i < n; i++) {
		raise_expr(&depth, args[i].value);
		raise_layout(&depth, args[i].layout);
	}
	return depth;
}

static int list_depth(struct expr *const *items, int n)
{
	int depth = 0;
	for (int i = 0; i < n; i++)
		raise_expr(&depth, items[i]);
	return depth;
}

static int children_depth(const struct expr *e)
{
	int depth = 0;
	switch (e->kind) {
	case EXPR_INT:
	case EXPR_FLOAT:
	case EXPR_STRING:
	case EXPR_BOOL:
	case EXPR_NAME:
		break;
	case EXPR_FIELD:
		raise_expr(&depth, e->object);
		break;
	case EXPR_UNARY:
	case EXPR_BINARY:
	case EXPR_RANGE:
		raise_expr(&depth, e->lhs);
		raise_expr(&depth, e->rhs);
		break;
	case EXPR_CALL:
	case EXPR_INDEX:
		depth = args_depth(e->args.at, e->args.n);
		raise_expr(&depth, e->callee);
		break;
	case EXPR_TUPLE:
	case EXPR_LIST:
		depth = list_depth(e->items.at, e->items.n);
		break;
	case EXPR_TO:
		raise_expr(&depth, e->to.value);
		raise_expr(&depth, e->to.placement);
		raise_layout(&depth, e->to.layout);
		break;
	case EXPR_AS:
		raise_expr(&depth, e->as.value);
		raise_to(&depth, e->as.type->depth);
		break;
	case EXPR_IF:
		raise_expr(&depth, e->cond.cond);
		raise_expr(&depth, e->cond.then);
		raise_expr(&depth, e->cond.other);
		break;
	case EXPR_EACH:
		raise_expr(&depth, e->each.of);
		raise_expr(&depth, e->each.body);
		break;
	case EXPR_REDUCE:
		raise_expr(&depth, e->reduce.body);
		break;
	case EXPR_BLOCK:
		depth = args_depth(e->block.args.at, e->block.args.n);
		raise_to(&depth, e->block.body->depth);
		break;
	case EXPR_PLACE:
		depth = args_depth(e->place.axes.at, e->place.axes.n);
		raise_expr(&depth, e->place.ranks);
		break;
	}
	return depth;
}

static int dims_depth(const struct ast_dim *dims, int n)
{
	int depth = 0;
	for (int i = 0; i < n; i++)
		raise_expr(&depth, dims[i].expr);
	return depth;
}

/* ---- expressions ---- */

struct expr *tree_expr(struct parse *p, enum expr_kind kind, struct span span)
{
	struct expr *e = ARENA_NEW(p->session->arena, struct expr);
	e->kind = kind;
	e->span = span;
	return e;
}

struct expr *tree_done(struct parse *p, struct expr *e)
{
	e->depth = children_depth(e) + 1;
	if (e->depth <= MAX_DEPTH)
		return e;
	syntax_too_deep(p, e->span);
	return tree_expr(p, EXPR_INT, e->span);
}

struct expr *tree_name(struct parse *p, struct name name)
{
	struct expr *e = tree_expr(p, EXPR_NAME, name.span);
	e->name = name;
	return e;
}

struct expr *tree_unary(struct parse *p, struct span span, enum unary_op op, struct expr *operand)
{
	struct expr *e = tree_expr(p, EXPR_UNARY, span);
	e->op = (int)op;
	e->rhs = operand;
	return tree_done(p, e);
}

struct expr *tree_binary(struct parse *p, struct span span, enum binary_op op, struct expr *lhs, struct expr *rhs)
{
	struct expr *e = tree_expr(p, EXPR_BINARY, span);
	e->op = (int)op;
	e->lhs = lhs;
	e->rhs = rhs;
	return tree_done(p, e);
}

struct expr *tree_range(struct parse *p, struct span span, struct expr *lhs, struct expr *rhs)
{
	struct expr *e = tree_expr(p, EXPR_RANGE, span);
	e->lhs = lhs;
	e->rhs = rhs;
	return tree_done(p, e);
}

struct expr *tree_apply(struct parse *p, enum expr_kind kind, struct span span, struct expr *callee,
			const struct args *args)
{
	struct expr *e = tree_expr(p, kind, span);
	e->callee = callee;
	LIST_TAKE(&e->args, &args->v);
	return tree_done(p, e);
}

struct expr *tree_list(struct parse *p, enum expr_kind kind, struct span span, const struct exprs *items)
{
	struct expr *e = tree_expr(p, kind, span);
	LIST_TAKE(&e->items, &items->v);
	return tree_done(p, e);
}

struct expr *tree_ranks(struct parse *p, struct span span, const struct exprs *ranks)
{
	struct expr *e = tree_expr(p, EXPR_PLACE, span);
	e->place.ranks = ranks->v.n == 1 ? ranks->v.at[0] : tree_list(p, EXPR_LIST, span, ranks);
	return tree_done(p, e);
}

struct expr *tree_field(struct parse *p, struct span span, struct expr *object, struct name name)
{
	struct expr *e = tree_expr(p, EXPR_FIELD, span);
	e->object = object;
	e->name = name;
	return tree_done(p, e);
}

struct expr *tree_to(struct parse *p, struct span span, struct expr *value, const struct where *to)
{
	struct expr *e = tree_expr(p, EXPR_TO, span);
	e->to.value = value;
	e->to.placement = to->placement;
	e->to.layout = to->layout;
	return tree_done(p, e);
}

/* ---- layouts, sizes, types ---- */

static void bad_atom(struct parse *p, struct span span, const char *text)
{
	struct diag *d = diag_error(p->session, PML0014, span, "%s", text);
	diag_note(d, "layouts are `S(d)`, `B`, `P`, `P(sum)`, `P(max)`, `P(min)`, `P(prod)`");
}

static void partial_atom(struct parse *p, struct ast_atom *atom, struct expr *arg)
{
	atom->form = ATOM_PARTIAL;
	if (!arg)
		return;
	if (arg->kind == EXPR_NAME)
		atom->combiner = arg->name;
	const char *op = atom->combiner.text;
	if (!op || (strcmp(op, "sum") && strcmp(op, "max") && strcmp(op, "min") && strcmp(op, "prod")))
		bad_atom(p, arg->span, "`P(...)` names how the parts combine: sum, max, min or prod");
}

struct ast_atom tree_atom(struct parse *p, struct span span, struct name name, struct expr *arg)
{
	struct ast_atom atom = {.span = span};
	if (!strcmp(name.text, "S")) {
		atom.form = ATOM_SPLIT;
		atom.dim = arg ? arg : tree_expr(p, EXPR_INT, span);
		if (!arg)
			bad_atom(p, span, "`S` needs the dimension it splits, as in `S(0)`");
	} else if (!strcmp(name.text, "P")) {
		partial_atom(p, &atom, arg);
	} else if (!strcmp(name.text, "B")) {
		atom.form = ATOM_BROADCAST;
		if (arg)
			bad_atom(p, arg->span, "`B` takes no argument");
	} else {
		atom.form = ATOM_PARAM;
		atom.param = name;
		if (arg)
			bad_atom(p, name.span, "this is not a layout");
	}
	return atom;
}

struct ast_layout *tree_layout(struct parse *p, struct span span)
{
	struct ast_layout *l = ARENA_NEW(p->session->arena, struct ast_layout);
	l->span = span;
	return l;
}

struct ast_dim tree_dim(struct parse *p, struct expr *e)
{
	(void)p;
	if (e->kind == EXPR_NAME && !strcmp(e->name.text, "_"))
		return (struct ast_dim){.span = e->span, .form = DIM_ANY};
	return (struct ast_dim){.span = e->span, .form = DIM_EXPR, .expr = e};
}

struct type *tree_type(struct parse *p, enum type_kind kind, struct span span)
{
	struct type *t = ARENA_NEW(p->session->arena, struct type);
	t->kind = kind;
	t->span = span;
	return t;
}

struct type *tree_type_done(struct parse *p, struct type *t)
{
	int depth = dims_depth(t->dims.at, t->dims.n);
	raise_expr(&depth, t->placement);
	raise_layout(&depth, t->layout);
	raise_to(&depth, list_depth(t->args.at, t->args.n));
	if (t->element)
		raise_to(&depth, t->element->depth);
	for (int i = 0; i < t->members.n; i++)
		raise_to(&depth, t->members.at[i]->depth);
	t->depth = depth + 1;
	if (t->depth <= MAX_DEPTH)
		return t;
	syntax_too_deep(p, t->span);
	t = tree_type(p, TYPE_NAMED, t->span);
	t->name = (struct name){intern(p->session->names, "int"), t->span};
	return t;
}

bool type_is_host(const char *text)
{
	static const char *const host[] = {
#define HOST_TYPE(text) text,
#include "ast.def"
	};
	for (size_t i = 0; i < sizeof host / sizeof *host; i++)
		if (!strcmp(host[i], text))
			return true;
	return false;
}

bool type_is_dtype(const char *text)
{
	static const char *const dtypes[] = {
#define DTYPE(name, text, ctype, size, kind) text,
#include "../runtime/dtype.def"
#undef DTYPE
	};
	for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++)
		if (!strcmp(dtypes[i], text))
			return true;
	return false;
}

struct type *tree_named_type(struct parse *p, struct span span, struct name qualifier, struct name name,
			     const struct dims *dims)
{
	struct type *t = tree_type(p, qualifier.text || type_is_host(name.text) ? TYPE_NAMED : TYPE_TENSOR, span);
	t->qualifier = qualifier;
	t->name = name;
	if (dims) {
		t->has_dims = true;
		LIST_TAKE(&t->dims, &dims->v);
	}
	return tree_type_done(p, t);
}

struct type *tree_placed(struct parse *p, struct span span, struct type *t, struct expr *placement,
			 struct ast_layout *layout)
{
	t->span = span;
	t->placement = placement;
	t->layout = layout;
	return tree_type_done(p, t);
}
