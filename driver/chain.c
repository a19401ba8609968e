/* chain.c — see chain.h. The program is followed from main through the functions of its files as it is called: what a
 * function computes stands before, within or behind the layers' loop as its call does. */
#include "chain.h"

#include "lang/visit.h"

#include <string.h>

enum { MAX_DEPTH = 64, MAX_CALLS = 10000 };

struct finding {
	struct visitor visitor;
	struct arena *arena;
	struct chain *chain;
	const struct item *function; /* that is followed; NULL: main */
	enum chain_where where;
	const struct chain_loop *within;   /* directly in the body of this loop; NULL */
	bool is_inside;                    /* a function that comes to the layers is followed */
	VEC(const struct item *) reaching; /* functions that come to them */
	struct chain_names outside;        /* tensors of the function that come from in front of its loop */
	struct chain_names inside;         /* names that the loop's body binds */
	int depth;
	int *calls; /* of all */
	int gradients;
};

bool chain_has_list(const struct chain *c, const struct item *item)
{
	for (int i = 0; i < c->lists.n; i++)
		if (c->lists.at[i] == item)
			return true;
	return false;
}

bool chain_writes(const struct chain *c, const struct module *m)
{
	for (int i = 0; i < c->files.n; i++)
		if (c->files.at[i] == m)
			return true;
	return false;
}

/* What a name, or one behind that of an import, stands for; NULL: a variable, a field, something else. */
static const struct item *item_of(const struct expr *e)
{
	return e->kind == EXPR_NAME || e->kind == EXPR_FIELD ? e->item : NULL;
}

static void refuse(struct finding *x, const char *why)
{
	if (!x->chain->refused)
		x->chain->refused = why;
}

static bool has_name(const struct chain_names *names, const char *name)
{
	for (int i = 0; i < names->n; i++)
		if (names->at[i] == name)
			return true;
	return false;
}

/* All items of the files that are written. */
static void for_items(struct finding *x, void (*see)(struct finding *x, const struct item *it))
{
	for (int i = 0; i < x->chain->files.n; i++)
		for (int k = 0; k < x->chain->files.at[i]->items.n; k++)
			see(x, x->chain->files.at[i]->items.at[k]);
}

/* ---- loops over layers ---- */

/* Whether a loop's body reads `list[i]` with its turn's number. */
struct looking {
	struct visitor visitor;
	const struct chain *chain;
	const char *turn;
	bool by_turn, otherwise;
};

static bool look_at_index(struct visitor *v, const struct expr *e)
{
	struct looking *x = (struct looking *)v;
	if (e->kind != EXPR_INDEX || !item_of(e->callee) || !chain_has_list(x->chain, item_of(e->callee)))
		return true;
	const struct expr *i = e->args.n == 1 ? e->args.at[0].value : NULL;
	bool good = i && i->kind == EXPR_NAME && i->name.text == x->turn;
	x->by_turn |= good;
	x->otherwise |= !good;
	return false;
}

static struct chain_loop *loop_of(const struct finding *x, const struct stmt *s)
{
	for (int i = 0; i < x->chain->loops.n; i++)
		if (x->chain->loops.at[i]->loop == s)
			return x->chain->loops.at[i];
	return NULL;
}

static bool is_loop_over_layers(struct finding *x, const struct stmt *s)
{
	struct looking l = {.visitor.expr = look_at_index, .chain = x->chain};
	if (s->kind != STMT_FOR || !s->pattern || !s->pattern->name.text || s->value->kind != EXPR_RANGE)
		return false;
	l.turn = s->pattern->name.text;
	visit_stmts(&l.visitor, s->body);
	if (l.by_turn && l.otherwise)
		refuse(x, "a loop reads its layers in another order than their own as well");
	return l.by_turn && !l.otherwise;
}

static const struct expr *root_of(const struct expr *e)
{
	while (e->kind == EXPR_INDEX || e->kind == EXPR_FIELD)
		e = e->kind == EXPR_INDEX ? e->callee : e->object;
	return e;
}

static void add_names(struct arena *a, const struct pattern *p, struct chain_names *names)
{
	if (p->name.text)
		vec_push(a, names, p->name.text);
	for (int i = 0; i < p->members.n; i++)
		add_names(a, p->members.at[i], names);
}

/* What the body binds, and what it assigns that it has not bound. */
static void collect_assigned(struct finding *x, struct chain_loop *l, const struct stmt *first)
{
	for (const struct stmt *s = first; s; s = s->next) {
		if ((s->kind == STMT_LET || s->kind == STMT_VAR || s->kind == STMT_FOR) && s->pattern)
			add_names(x->arena, s->pattern, &x->inside);
		if (s->kind == STMT_ASSIGN) {
			const struct expr *root = root_of(s->target);
			if (root->kind != EXPR_NAME || root != s->target || root->item)
				refuse(x, "a turn of the layers' loop assigns more than variables as a whole");
			else if (!has_name(&x->inside, root->name.text) && !has_name(&l->carried, root->name.text))
				vec_push(x->arena, &l->carried, root->name.text);
		}
		collect_assigned(x, l, s->body);
		collect_assigned(x, l, s->other);
	}
}

/* ---- names ---- */

/* Of what another file declares with the name by which it is imported, so that two files may call theirs alike. */
static const char *name_of_use(struct arena *a, const struct expr *e)
{
	return e->kind == EXPR_NAME ? e->name.text : arena_printf(a, "%s_%s", e->object->name.text, e->name.text);
}

static void add_use(struct finding *x, const struct expr *e, enum chain_where where)
{
	struct chain *c = x->chain;
	for (int i = 0; i < c->uses.n; i++) {
		if (c->uses.at[i].span.begin != e->span.begin || c->uses.at[i].span.file != e->span.file)
			continue;
		if (c->uses.at[i].where != where)
			refuse(x, "one line of a function stands before the layers and behind them");
		return;
	}
	struct chain_use u = {e->span, name_of_use(x->arena, e), item_of(e), where, x->function, x->within};
	vec_push(x->arena, &c->uses, u);
}

static struct chain_slot *slot_of(struct finding *x, const struct item *item)
{
	for (int i = 0; i < x->chain->slots.n; i++)
		if (x->chain->slots.at[i].item == item)
			return &x->chain->slots.at[i];
	vec_push(x->arena, &x->chain->slots, ((struct chain_slot){.item = item}));
	return &x->chain->slots.at[x->chain->slots.n - 1];
}

static void use_slot(struct finding *x, const struct expr *e)
{
	if (chain_has_list(x->chain, item_of(e)) || !x->is_inside)
		return;
	struct chain_slot *s = slot_of(x, item_of(e));
	s->where |= x->where;
	if (x->where == CHAIN_WITHIN && !x->within)
		refuse(x, "a function that a layer calls reads a param of the whole program");
	else if (x->where == CHAIN_WITHIN)
		add_use(x, e, CHAIN_WITHIN);
	else if (x->where == CHAIN_BEHIND)
		add_use(x, e, CHAIN_BEHIND);
}

static void use_variable(struct finding *x, const struct expr *e)
{
	const char *name = e->name.text;
	if (!has_name(&x->outside, name))
		return;
	if (x->within && !has_name(&x->inside, name) && !has_name(&x->within->carried, name))
		add_use(x, e, CHAIN_WITHIN);
	else if (!x->within && x->where == CHAIN_BEHIND)
		add_use(x, e, CHAIN_BEHIND);
}

static void follow(struct finding *x, const struct item *function);

static bool has_layers(const struct finding *x, const struct item *function)
{
	for (int i = 0; i < x->chain->loops.n; i++)
		if (x->chain->loops.at[i]->function == function)
			return true;
	return false;
}

static bool reaches(const struct finding *x, const struct item *function)
{
	for (int i = 0; i < x->reaching.n; i++)
		if (x->reaching.at[i] == function)
			return true;
	return false;
}

struct calling {
	struct visitor visitor;
	const struct finding *finding;
	bool reaches;
};

static bool see_call(struct visitor *v, const struct expr *e)
{
	struct calling *c = (struct calling *)v;
	c->reaches |= item_of(e) && reaches(c->finding, item_of(e));
	return true;
}

static void add_reaching(struct finding *x, const struct item *it)
{
	struct calling c = {.visitor.expr = see_call, .finding = x};
	if (it->kind != ITEM_FN || reaches(x, it))
		return;
	visit_stmts(&c.visitor, it->body);
	if (c.reaches)
		vec_push(x->arena, &x->reaching, it);
}

/* Those with layers, those that call them, … */
static void find_reaching(struct finding *x)
{
	int before = -1;
	for (int i = 0; i < x->chain->loops.n; i++)
		if (!reaches(x, x->chain->loops.at[i]->function))
			vec_push(x->arena, &x->reaching, x->chain->loops.at[i]->function);
	while (before < x->reaching.n) {
		before = x->reaching.n;
		for_items(x, add_reaching);
	}
}

/* Operands or arguments. What is computed with what comes of the layers stands behind them, wherever it is written. */
struct operands {
	const struct expr **at;
	int n, cap;
};

static bool comes_to_layers(const struct finding *x, const struct expr *e)
{
	struct calling c = {.visitor.expr = see_call, .finding = x};
	if (e)
		visit_expr(&c.visitor, e);
	return c.reaches;
}

static void see_operands(struct finding *x, const struct operands *list)
{
	bool *reach = ARENA_ARRAY(x->arena, bool, list->n);
	for (int i = 0; i < list->n; i++) {
		reach[i] = comes_to_layers(x, list->at[i]);
		if (reach[i])
			visit_expr(&x->visitor, list->at[i]);
	}
	for (int i = 0; i < list->n; i++)
		if (!reach[i] && list->at[i])
			visit_expr(&x->visitor, list->at[i]);
}

static bool see_expr(struct visitor *v, const struct expr *e)
{
	struct finding *x = (struct finding *)v;
	struct operands list = {0};
	if (e->kind == EXPR_CALL) { /* what it is called with is computed before */
		for (int i = 0; i < e->args.n; i++)
			vec_push(x->arena, &list, e->args.at[i].value);
		see_operands(x, &list);
		visit_expr(v, e->callee);
		return false;
	}
	if (e->kind == EXPR_BINARY) {
		for (; e->kind == EXPR_BINARY; e = e->lhs)
			vec_push(x->arena, &list, e->rhs);
		vec_push(x->arena, &list, e);
		see_operands(x, &list);
		return false;
	}
	const struct item *item = item_of(e);
	if (item && item_is_slot(item))
		use_slot(x, e);
	else if (item && item->kind == ITEM_FN && chain_writes(x->chain, item->module))
		follow(x, item);
	else if (!item && e->kind == EXPR_NAME)
		use_variable(x, e);
	return !item;
}

/* Numbers are no tensors, and are had everywhere. */
static bool is_number(const struct expr *e)
{
	return e && (e->kind == EXPR_INT || e->kind == EXPR_FLOAT || e->kind == EXPR_BOOL || e->kind == EXPR_STRING);
}

static void forget(struct finding *x, const char *name)
{
	for (int i = 0; i < x->outside.n; i++)
		if (x->outside.at[i] == name)
			x->outside.at[i] = NULL;
}

/* A name from now on: what comes from in front of the layers, or not. */
static void bind(struct finding *x, const struct pattern *p, bool is_outside)
{
	if (p->name.text)
		forget(x, p->name.text);
	if (p->name.text && is_outside)
		vec_push(x->arena, &x->outside, p->name.text);
	for (int i = 0; i < p->members.n; i++)
		bind(x, p->members.at[i], is_outside);
}

static bool see_stmt(struct visitor *v, const struct stmt *s)
{
	struct finding *x = (struct finding *)v;
	const struct chain_loop *l = loop_of(x, s);
	if (!l && !x->within && (s->kind == STMT_LET || s->kind == STMT_VAR) && s->pattern) {
		visit_expr(v, s->value);
		bind(x, s->pattern, x->where == CHAIN_BEFORE && !is_number(s->value));
		return false;
	}
	if (!l)
		return true;
	if (x->where == CHAIN_WITHIN) {
		refuse(x, "the layers' loops stand in each other");
		return false;
	}
	x->where = CHAIN_WITHIN;
	x->within = l;
	x->inside.n = 0;
	vec_push(x->arena, &x->inside, l->turn);
	for (const struct stmt *b = s->body; b; b = b->next)
		if (b->kind == STMT_BLOCK)
			for (const struct stmt *i = b->body; i; i = i->next)
				if ((i->kind == STMT_LET || i->kind == STMT_VAR) && i->pattern)
					add_names(x->arena, i->pattern, &x->inside);
	visit_stmts(v, s->body);
	x->within = NULL;
	x->where = CHAIN_BEHIND;
	for (int i = 0; i < l->carried.n; i++) /* it is where the last layer is */
		forget(x, l->carried.at[i]);
	return false;
}

/* Whether a parameter may be a tensor. */
static bool may_be_tensor(const struct param *p)
{
	return !p->type || p->type->kind != TYPE_NAMED || p->type->item;
}

static void follow(struct finding *x, const struct item *function)
{
	struct finding before = *x;
	if (x->depth >= MAX_DEPTH || ++*x->calls > MAX_CALLS) {
		refuse(x, "functions call each other too often");
		return;
	}
	x->depth++;
	x->is_inside |= reaches(x, function);
	x->function = function;
	x->within = NULL;
	x->outside = (struct chain_names){.n = 0};
	if (has_layers(x, function))
		x->where = x->where == CHAIN_WITHIN ? CHAIN_WITHIN : CHAIN_BEFORE;
	if (x->where == CHAIN_BEFORE && reaches(x, function))
		for (int i = 0; i < function->params.n; i++)
			if (may_be_tensor(&function->params.at[i]))
				vec_push(x->arena, &x->outside, function->params.at[i].name.text);
	visit_stmts(&x->visitor, function->body);
	enum chain_where where = x->where;
	*x = before;
	x->where = before.within ? before.where : where;
	if (!before.function)
		x->where = CHAIN_BEFORE;
}

/* ---- the whole ---- */

static void find_files(struct chain *c, struct arena *a, bool imported)
{
	for (int i = 1; i < c->ast->modules.n; i++) { /* the first one is the prelude */
		const struct module *m = c->ast->modules.at[i];
		if (m == c->ast->main || (imported && program_owns(c->ast, m->file)))
			vec_push(a, &c->files, m);
	}
}

static void add_list(struct finding *x, const struct item *it)
{
	if (it->kind == ITEM_PARAM && it->type && it->type->kind == TYPE_ARRAY && it->type->element->kind != TYPE_ARRAY)
		vec_push(x->arena, &x->chain->lists, it);
}

struct seeking {
	struct visitor visitor;
	struct finding *finding;
	const struct item *function;
	const struct stmt *at;
};

static bool seek_loop(struct visitor *v, const struct stmt *s)
{
	struct seeking *k = (struct seeking *)v;
	struct finding *x = k->finding;
	k->at = s;
	if (!is_loop_over_layers(x, s))
		return true;
	struct chain_loop *l = ARENA_NEW(x->arena, struct chain_loop);
	*l = (struct chain_loop){.function = k->function, .loop = s, .turn = s->pattern->name.text};
	vec_push(x->arena, &x->chain->loops, l);
	x->inside.n = 0;
	collect_assigned(x, l, s->body);
	return false;
}

static bool is_simple(const struct stmt *s)
{
	return s && (s->kind == STMT_LET || s->kind == STMT_VAR || s->kind == STMT_ASSIGN || s->kind == STMT_EXPR);
}

static bool seek_gradient(struct visitor *v, const struct expr *e)
{
	const struct seeking *k = (struct seeking *)v;
	struct finding *x = k->finding;
	const struct expr *f = e->kind == EXPR_CALL ? e->callee : NULL;
	f = f && f->kind == EXPR_CALL ? f->callee : NULL;
	bool is_gradient = f && f->kind == EXPR_NAME && !f->item &&
			   (!strcmp(f->name.text, "grad") || !strcmp(f->name.text, "value_and_grad"));
	bool is_said = e->kind == EXPR_BLOCK && !strcmp(e->block.head.text, "microbatch");
	x->gradients += is_gradient || is_said;
	if (is_gradient && k->function->kind == ITEM_MAIN && is_simple(k->at)) {
		x->chain->gradient = e;
		x->chain->gradient_in = k->at;
	}
	return true;
}

static void seek(struct finding *x, const struct item *it)
{
	struct seeking s = {.visitor = {.stmt = seek_loop, .expr = seek_gradient}, .finding = x, .function = it};
	if (it->kind == ITEM_FN || it->kind == ITEM_MAIN)
		visit_stmts(&s.visitor, it->body);
}

struct chain *chain_find(struct arena *a, const struct program_ast *ast, bool imported)
{
	int calls = 0;
	struct chain *c = ARENA_NEW(a, struct chain);
	struct finding x = {.visitor = {.expr = see_expr, .stmt = see_stmt}, .arena = a, .chain = c};
	x.calls = &calls;
	*c = (struct chain){.ast = ast};
	find_files(c, a, imported);
	for_items(&x, add_list);
	for_items(&x, seek);
	if (x.gradients != 1)
		c->gradient = NULL;
	if (!c->loops.n)
		refuse(&x, "no loop goes through a list of params");
	find_reaching(&x);
	x.where = CHAIN_BEFORE;
	for (int i = 0; i < ast->main->items.n; i++)
		if (ast->main->items.at[i]->kind == ITEM_MAIN)
			visit_stmts(&x.visitor, ast->main->items.at[i]->body);
	return c;
}
