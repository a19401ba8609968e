/* notation_call.c — calls in index notation: scalar functions, draws, and elementwise ops, which are written out. */
#include "../operators/operators.h"
#include "notation_build.h"
#include "visit.h"

#include <string.h>

/* Parameters of an op that is written out. */
enum { MAX_INLINED = 8 };

/* Points of a body, written out: an op that mentions its operand twice doubles what it is called with. */
enum { MAX_POINTS = 1 << 14 };

static bool is_rest(const struct ast_dim *dims, int n)
{
	return n == 1 && dims[0].form == DIM_REST;
}

/* Whether each element comes of those in the same place, `a[..]`, and of numbers, `slope[]`. */
static bool is_elementwise(const struct item *op)
{
	if (op->kind != ITEM_OP || !is_rest(op->out_dims.at, op->out_dims.n))
		return false;
	for (int i = 0; i < op->params.n; i++) {
		const struct param *p = &op->params.at[i];
		if (!p->has_dims || (p->dims.n && !is_rest(p->dims.at, p->dims.n)))
			return false;
	}
	return true;
}

/* What a call gives each parameter, by position or name; what it leaves out is not given. False after an error. */
static bool match_terms(struct notation *n, const struct item *op, const struct expr *call, struct term *args,
			bool *given)
{
	struct arguments names = {.span = call->span};
	const struct argument *slots[MAX_INLINED];
	for (int i = 0; i < call->args.n; i++) {
		const struct arg *a = &call->args.at[i];
		arguments_push(n->e, &names, a->name.text, &value_none, a->value ? a->value->span : call->span);
	}
	if (!arguments_match(n->e, &names, op->name.text, "parameter", op->params.at, op->params.n, slots))
		return notation_fail(n), false;
	for (int i = 0; i < op->params.n; i++) {
		given[i] = slots[i] != NULL;
		const struct expr *x = given[i] ? call->args.at[slots[i] - names.at.at].value : NULL;
		args[i] = x ? notation_term(n, x) : (struct term){0};
		if (given[i] && !term_ok(n, args[i]))
			return false;
	}
	return true;
}

static bool is_being_read(const struct notation *n, const struct item *op)
{
	const struct written_out *w = n->inlined;
	while (w && w->op != op)
		w = w->outer;
	return w || n->op == op;
}

static struct term too_long(struct notation *n, const struct item *op, struct span at)
{
	struct diag *d = elab_error(n->e, PML0511, at, "with `%s` written out, this line has more than %d points",
				    op->name.text, (int)MAX_POINTS);
	diag_note(d, "an op stands for its line, with what it is called with wherever its operand stands");
	diag_help(d, "call ops one after the other in a function: `let y = %s(x);`", op->name.text);
	return fail_term(n);
}

static struct term inline_op(struct notation *n, struct item *op, const struct expr *call)
{
	if (is_being_read(n, op)) {
		struct diag *d =
			elab_error(n->e, PML0504, call->callee->span, "`%s` calls itself without end", op->name.text);
		diag_note(d, "an op stands for its line: it is written out where it is called, and has no turns; a "
			     "function with a loop does");
		return fail_term(n);
	}
	struct term args[MAX_INLINED];
	bool given[MAX_INLINED];
	struct noted_bind *binds = NULL, *outer = n->binds;
	const struct written_out *inlined = n->inlined, here = {op, inlined};
	struct scope *scope = n->e->scope;
	struct module *module = n->e->module;
	if (!match_terms(n, op, call, args, given))
		return fail_term(n);
	n->inlined = &here;
	n->e->scope = NULL;
	n->e->module = op->module;
	env_push(n->e);
	for (int i = 0; i < op->params.n; i++) {
		struct noted_bind *b = ARENA_NEW(n->e->a, struct noted_bind);
		if (!given[i])
			args[i] = notation_value_term(n, expr_eval(n->e, op->params.at[i].init), call->span);
		*b = (struct noted_bind){op->params.at[i].name.text, args[i], binds};
		binds = b;
	}
	n->binds = binds;
	struct term t = notation_term(n, op->value);
	n->e->scope = scope;
	n->e->module = module;
	n->binds = outer;
	n->inlined = inlined;
	if (t.s && scalar_is_longer(t.s, MAX_POINTS))
		return too_long(n, op, call->span);
	return t;
}

static struct term extent_term(struct notation *n, const struct expr *x)
{
	const struct value *v = notation_extent(n, x);
	if (v)
		return value_failed(v) ? fail_term(n) : host_term(v);
	elab_error(n->e, PML0603, x->span, "`extent` is asked of a factor");
	return fail_term(n);
}

/* The position of the point in row-major order of the result: what counters of random draws are. */
static struct term linear_term(struct notation *n)
{
	struct arena *a = n->e->a;
	const struct scalar *sum = scalar_int(a, DT_I64, 0);
	for (int i = 0; i < n->nrest; i++) {
		const struct scalar *f = scalar_factor(a, n->rest[i]);
		const struct scalar *size = scalar_int(a, DT_I64, n->factor[n->rest[i]].extent);
		sum = scalar_apply(a, SC_ADD, DT_I64, scalar_apply(a, SC_MUL, DT_I64, sum, size, NULL), f, NULL);
	}
	struct term t = typed_term(sum);
	t.is_index = true;
	return t;
}

static struct term draw_term(struct notation *n, enum scalar_fn fn, struct typed_list *l, struct span at)
{
	const struct scalar *key = notation_typed(n, l->term[0], DT_U64, l->span[0]);
	const struct scalar *counter = notation_typed(n, l->term[1], DT_I64, l->span[1]);
	bool has_more = scalar_arity(fn) > 2;
	enum dtype parameter = scalar_parameter(fn);
	const struct scalar *more = has_more ? notation_typed(n, l->term[2], parameter, l->span[2]) : NULL;
	if (!key || !counter || key->type != DT_U64 || counter->type != DT_I64 ||
	    (has_more && (!more || more->type != parameter))) {
		if (!n->failed)
			elab_error(n->e, PML0202, at, "`%s` wants a random key and a counter%s%s", scalar_text(fn),
				   has_more ? ", and an " : "", has_more ? dtype_text(parameter) : "");
		return fail_term(n);
	}
	struct term r = typed_term(scalar_apply(n->e->a, fn, scalar_drawn(fn), key, counter, more));
	r.is_draw = true;
	return r;
}

/* The first l->n arguments of a call; false after an error. */
static bool read_arguments(struct notation *n, const struct expr *x, struct typed_list *l)
{
	for (int i = 0; i < l->n; i++) {
		if (!x->args.at[i].value)
			return false;
		l->span[i] = notation_span(n, x->args.at[i].value);
		l->term[i] = notation_term(n, x->args.at[i].value);
		if (!term_ok(n, l->term[i]))
			return false;
	}
	return true;
}

static struct term scalar_call(struct notation *n, enum scalar_fn fn, const struct expr *x)
{
	struct typed_list l = {.n = x->args.n};
	if (x->args.n != scalar_arity(fn)) {
		elab_error(n->e, PML0203, x->span, "`%s` takes %d argument%s, here are %d", scalar_text(fn),
			   scalar_arity(fn), scalar_arity(fn) == 1 ? "" : "s", x->args.n);
		return fail_term(n);
	}
	if (!read_arguments(n, x, &l))
		return fail_term(n);
	bool host = true;
	for (int i = 0; i < l.n; i++)
		host = host && l.term[i].host && l.term[i].host->host.known;
	if (fn == SC_WHERE)
		return notation_where(n, l.term[0], l.term[1], l.term[2], l.span);
	if (notation_is_draw(fn))
		return draw_term(n, fn, &l, x->span);
	if (host) {
		struct arguments args = {.span = x->span};
		for (int i = 0; i < l.n; i++)
			arguments_push(n->e, &args, NULL, l.term[i].host, l.span[i]);
		return notation_value_term(n, scalar_on_host(n->e, fn, &args), x->span);
	}
	return notation_apply(n, fn, &l, x->span);
}

static struct term floor_div_term(struct notation *n, const struct expr *x)
{
	struct typed_list l = {.n = 2};
	if (!read_arguments(n, x, &l))
		return fail_term(n);
	if (!l.term[0].host || !l.term[1].host)
		return notation_floor_div(n, &l, x->span);
	return notation_value_term(
		n, int_floor_div(n->e, l.term[0].host, l.term[1].host, x->span, l.span[0], l.span[1]), x->span);
}

/* Looks for a name of an operand or factor. */
struct point_search {
	struct visitor visitor;
	struct notation *n;
	bool found;
};

static bool search_point(struct visitor *v, const struct expr *x)
{
	struct point_search *s = (struct point_search *)v;
	if (x->kind == EXPR_NAME) {
		const struct noted_param *p = notation_param(s->n, x->name.text);
		s->found |= (p && p->decl->has_dims) || notation_factor(s->n, x->name.text) >= 0;
	}
	return !s->found;
}

/* Whether an argument mentions an operand or a factor of the op: a value of one point. */
static bool names_point(struct notation *n, const struct expr *call)
{
	struct point_search s = {.visitor = {.expr = search_point}, .n = n};
	for (int i = 0; i < call->args.n && !n->inlined; i++)
		if (call->args.at[i].value)
			visit_expr(&s.visitor, call->args.at[i].value);
	return s.found;
}

struct term notation_call_term(struct notation *n, const struct expr *x)
{
	const char *name = x->callee->kind == EXPR_NAME ? x->callee->name.text : NULL;
	if (name && strcmp(name, "extent") == 0)
		return extent_term(n, x);
	if (name && strcmp(name, "linear") == 0 && !x->args.n)
		return linear_term(n);
	if (name && strcmp(name, "floor_div") == 0 && x->args.n == 2)
		return floor_div_term(n, x);
	enum scalar_fn fn = name ? scalar_fn_of_source(name) : SC_FN_COUNT;
	if (fn != SC_FN_COUNT && fn != SC_CAST)
		return scalar_call(n, fn, x);
	struct item *item = x->callee->item ? x->callee->item : name ? elab_item(n->e, name) : NULL;
	bool is_written_out = item && is_elementwise(item) && item->params.n <= MAX_INLINED;
	if (item && (item->kind == ITEM_FN || item->kind == ITEM_OP) && !is_written_out && names_point(n, x)) {
		struct diag *d = elab_error(n->e, PML0603, x->callee->span, "`%s` cannot be called in index notation",
					    item->name.text);
		diag_note(
			d,
			"it is a function of whole tensors; scalar functions and elementwise ops work point by point");
		return fail_term(n);
	}
	return is_written_out ? inline_op(n, item, x) : notation_value_term(n, expr_eval(n->e, x), x->span);
}
