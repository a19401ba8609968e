/* tree.c — makes AST nodes for the grammar's actions.
 * Every node knows how deep it is nested. A node deeper than MAX_DEPTH is reported once and becomes a leaf, so that
 * no walker of the tree, here or in later stages, can run out of stack, even for a sum of a million terms. Such a sum
 * is one level deep where walkers follow it in a loop; in index notation, types and `names` each of its terms counts.
 */
#include "habit.h"
#include "parse.h"
#include "visit.h"

#include <string.h>

/* ---- depth ---- */

/* Of what stands directly in something. */
struct nesting {
	struct visitor visitor;
	int depth, links; /* as in struct expr */
};

static void raise_to(struct nesting *n, int depth, int links)
{
	n->depth = n->depth < depth ? depth : n->depth;
	n->links = n->links < links ? links : n->links;
}

static bool raise_expr(struct visitor *v, const struct expr *e)
{
	raise_to((struct nesting *)v, e->depth, e->links);
	return false;
}

static bool raise_type(struct visitor *v, const struct type *t)
{
	raise_to((struct nesting *)v, t->depth, t->depth);
	return false;
}

static bool raise_stmt(struct visitor *v, const struct stmt *s)
{
	raise_to((struct nesting *)v, s->depth, s->depth);
	return false;
}

static const struct nesting none = {.visitor = {raise_expr, raise_type, raise_stmt}};

static struct nesting nesting_in_expr(const struct expr *e)
{
	struct nesting n = none;
	if (e->kind == EXPR_REDUCE)
		raise_to(&n, e->reduce.body->links, e->reduce.body->links);
	else
		visit_in_expr(&n.visitor, e);
	if (e->kind == EXPR_BINARY)
		raise_to(&n, e->lhs->depth - (e->lhs->kind == EXPR_BINARY), e->lhs->links);
	return n;
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
	struct nesting inner = nesting_in_expr(e);
	e->depth = inner.depth + 1;
	e->links = inner.links + 1;
	if (e->depth <= MAX_DEPTH)
		return e;
	syntax_too_deep(p, e->span);
	return tree_expr(p, EXPR_INT, e->span);
}

struct expr *tree_shallow(struct parse *p, struct expr *e)
{
	if (!e || e->links <= MAX_DEPTH)
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
	if (op == UN_NEG && operand->kind == EXPR_INT && operand->is_beyond) {
		e->kind = EXPR_INT;
		e->i = INT64_MIN;
		return tree_done(p, e);
	}
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

struct expr *tree_auto_mesh(struct parse *p, struct span span, struct expr *place, struct name word)
{
	struct expr *e = tree_expr(p, EXPR_PLACE, span);
	struct arg axis = {.name = word, .span = word.span};
	bool plain = expr_is_ranks(place);
	e->place.ranks = plain ? place->place.ranks : place;
	vec_push(p->session->arena, &e->place.axes, axis);
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
	p->moved = span;
	return tree_done(p, e);
}

/* ---- layouts, sizes, types ---- */

static struct diag *bad_atom(struct parse *p, struct span span, const char *text)
{
	struct diag *d = diag_error(p->session, PML0014, span, "%s", text);
	diag_note(d, "layouts are `S(d)`, `S(d, shares = [...])`, `B`, `P`, `P(sum)`, `P(max)`, `P(min)`, `P(prod)`");
	p->foreign = span.end > p->foreign ? span.end : p->foreign;
	return d;
}

static void no_layout(struct parse *p, struct name name)
{
	const char *here = habit_here(HABIT_LAYOUT, name.text);
	struct diag *d = bad_atom(p, name.span, "this is not a layout");
	if (here)
		diag_help(d, "%s", here);
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

struct ast_atom tree_shares(struct parse *p, struct span span, struct name name, struct expr *dim, struct name option,
			    struct expr *value)
{
	struct ast_atom atom = tree_atom(p, span, name, dim);
	if (atom.form != ATOM_SPLIT || strcmp(option.text, "shares"))
		bad_atom(p, option.span, "only `S` takes more than a dimension: `shares`, a list");
	else
		atom.shares = value;
	return atom;
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
			no_layout(p, name);
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
	e = tree_shallow(p, e);
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
	struct nesting n = none;
	visit_in_type(&n.visitor, t);
	t->depth = n.links + 1;
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

static const char *path_text(struct parse *p, const struct expr *x)
{
	struct arena *a = p->session->arena;
	return x->kind == EXPR_FIELD ? arena_printf(a, "%s.%s", path_text(p, x->object), x->name.text) : x->name.text;
}

struct type *tree_type_of_value(struct parse *p, struct span span, struct expr *of)
{
	struct type *t = tree_type(p, TYPE_TENSOR, span);
	t->of = of;
	t->name = (struct name){intern(p->session->names, path_text(p, of)), span};
	return tree_type_done(p, t);
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
