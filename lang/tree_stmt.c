/* tree_stmt.c — makes statements and items for the grammar's actions; statements count their depth like expressions.
 */
#include "parse.h"

static void raise_to(int *depth, int other)
{
	if (*depth < other)
		*depth = other;
}

static int pattern_depth(const struct pattern *pat)
{
	int depth = pat->type ? pat->type->depth : 0;
	for (int i = 0; i < pat->factors.n; i++)
		raise_to(&depth, pat->factors.at[i].expr ? pat->factors.at[i].expr->depth : 0);
	for (int i = 0; i < pat->members.n; i++)
		raise_to(&depth, pattern_depth(pat->members.at[i]) + 1);
	return depth;
}

static struct stmt *new_stmt(struct parse *p, enum stmt_kind kind, struct span span)
{
	struct stmt *s = ARENA_NEW(p->session->arena, struct stmt);
	s->kind = kind;
	s->span = span;
	return s;
}

static struct stmt *done(struct parse *p, struct stmt *s)
{
	int depth = s->pattern ? pattern_depth(s->pattern) : 0;
	raise_to(&depth, s->target ? s->target->depth : 0);
	raise_to(&depth, s->value ? s->value->depth : 0);
	raise_to(&depth, s->every ? s->every->depth : 0);
	raise_to(&depth, s->like ? s->like->depth : 0);
	raise_to(&depth, s->type ? s->type->depth : 0);
	raise_to(&depth, s->other ? s->other->depth : 0);
	for (struct stmt *inner = s->body; inner; inner = s->kind == STMT_BLOCK ? inner->next : NULL)
		raise_to(&depth, inner->depth);
	s->depth = depth + 1;
	if (s->depth <= MAX_DEPTH)
		return s;
	syntax_too_deep(p, s->span);
	return new_stmt(p, STMT_BLOCK, s->span);
}

struct stmt *tree_simple(struct parse *p, enum stmt_kind kind, struct span span, struct pattern *pattern,
			 struct expr *value, struct stmt *body)
{
	struct stmt *s = new_stmt(p, kind, span);
	s->pattern = pattern;
	s->value = pattern && pattern->indexed ? tree_shallow(p, value) : value;
	s->body = body;
	return done(p, s);
}

struct stmt *tree_every(struct parse *p, struct span span, struct expr *k, struct stmt *loop)
{
	loop->span = span;
	loop->every = k;
	return done(p, loop);
}

struct stmt *tree_if(struct parse *p, struct span span, struct expr *cond, struct stmt *then, struct stmt *other)
{
	struct stmt *s = new_stmt(p, STMT_IF, span);
	s->value = cond;
	s->body = then;
	s->other = other;
	return done(p, s);
}

struct stmt *tree_state(struct parse *p, struct span span, struct name name, struct type *type, struct expr *like,
			struct expr *value)
{
	struct stmt *s = new_stmt(p, STMT_STATE, span);
	s->pattern = tree_pattern(p, name.span, name);
	s->type = type;
	s->like = like;
	s->value = value;
	return done(p, s);
}

void tree_append(struct stmts *list, struct stmt *s)
{
	if (!s)
		return;
	if (list->last)
		list->last->next = s;
	else
		list->first = s;
	list->last = s;
}

struct stmt *tree_block(struct parse *p, struct span span, const struct stmts *list)
{
	struct stmt *s = new_stmt(p, STMT_BLOCK, span);
	s->body = list->first;
	return done(p, s);
}

struct stmt *tree_shallow_lines(struct parse *p, struct stmt *block)
{
	for (struct stmt *s = block->body; s; s = s->next) {
		s->target = tree_shallow(p, s->target);
		s->value = tree_shallow(p, s->value);
	}
	return block;
}

/* On the left stands a variable, a field or an element of one, or with plain `=` a tuple of these. */
static void check_assignable(struct parse *p, const struct expr *target, enum assign_op op)
{
	const struct expr *root = target;
	if (target->kind == EXPR_TUPLE && op == ASSIGN_SET) {
		for (int i = 0; i < target->items.n; i++)
			check_assignable(p, target->items.at[i], op);
		return;
	}
	while (root->kind == EXPR_FIELD || root->kind == EXPR_INDEX)
		root = root->kind == EXPR_FIELD ? root->object : root->callee;
	if (root->kind == EXPR_NAME)
		return;
	struct diag *d = diag_error(p->session, PML0012, target->span, "this cannot be assigned to");
	diag_note(d, target->kind == EXPR_TUPLE ? "several variables take `=` alone"
						: "on the left stands a variable, a field of one or an element of one");
}

struct stmt *tree_assign(struct parse *p, struct span span, struct expr *target, enum assign_op op, struct expr *value)
{
	struct stmt *s = new_stmt(p, STMT_ASSIGN, span);
	s->target = target;
	s->op = op;
	s->value = value;
	check_assignable(p, target, op);
	return done(p, s);
}

struct pattern *tree_pattern(struct parse *p, struct span span, struct name name)
{
	struct pattern *pat = ARENA_NEW(p->session->arena, struct pattern);
	pat->span = span;
	pat->name = name;
	return pat;
}

struct item *tree_item(struct parse *p, enum item_kind kind, struct span span, struct name name)
{
	struct item *it = ARENA_NEW(p->session->arena, struct item);
	it->kind = kind;
	it->span = span;
	it->name = name;
	it->module = p->module;
	if (span.begin >= p->astray)
		p->astray = 0, p->mismatched = false;
	if (p->module)
		vec_push(p->session->arena, &p->module->items, it);
	return it;
}

/* On a line that has a mistake a module that is not found would be no news. */
struct item *tree_import(struct parse *p, struct span span, const struct names *path)
{
	if (syntax_told(p, span.begin))
		return NULL;
	struct item *it = tree_item(p, ITEM_IMPORT, span, path->v.at[path->v.n - 1]);
	LIST_TAKE(&it->path, &path->v);
	return it;
}

struct item *tree_value(struct parse *p, enum item_kind kind, struct span span, struct name name, struct type *type,
			struct expr *value)
{
	struct item *it = tree_item(p, kind, span, name);
	it->type = type;
	it->value = value;
	return it;
}

struct item *tree_function(struct parse *p, enum item_kind kind, struct span span, struct name name,
			   const struct generics *generics, const struct params *params)
{
	struct item *it = tree_item(p, kind, span, name);
	LIST_TAKE(&it->generics, &generics->v);
	LIST_TAKE(&it->params, &params->v);
	return it;
}
